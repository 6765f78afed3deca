//! Disks of every size that is too small, without room for a name, and limits on the size of a file.
//!
//! The disks are file systems in memory, which are mounted where only a copy of this program sees them. Where that is not
//! permitted, limits on the size of a file are left, which everybody may set.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::operation::Operation;
use super::program::{self, has};
use super::stage::{Laid, Stage};
use super::talk::{Server, Talk};
use super::tries::tried;
use crate::faults::random::Random;
use crate::faults::row::Row;
use crate::faults::{Bench, Scale, Suite};

/// `disks`.
pub(in crate::faults) const SUITE: Suite = Suite { name: "disks", run };

/// Tells the copy of this program that it may mount, and where its rows go.
const MOUNTED: &str = "LRO_FAULTS_MOUNTED";

const PROMISE: &str = "whole, or truncated with an event and status 0, and nothing left; the next call works";

/// Room for everything.
const LARGE: &str = "size=64m";

fn run(bench: &Bench) -> Result<Vec<Row>, String> {
    if let Some(file) = std::env::var_os(MOUNTED) {
        let rows = rows(bench, true)?;
        let text = serde_json::to_string(&rows).map_err(|error| error.to_string())?;
        return fs::write(file, text).map(|()| rows).map_err(|error| error.to_string());
    }
    let folder = bench.folder()?;
    let path = folder.path().display().to_string();
    if !has("unshare", &["-Urm", "mount", "-t", "tmpfs", "none", &path]) {
        return rows(bench, false);
    }
    let file = folder.path().join("rows.json");
    let this = std::env::current_exe().map_err(|error| error.to_string())?;
    // The copy finds the command built.
    let _ = bench.lro();
    let mut copy = Command::new("unshare");
    copy.arg("-Urm").arg(this).args([SUITE.name, "--seed", &bench.seed.to_string()]);
    copy.args((bench.scale == Scale::Long).then_some("--long")).env(MOUNTED, &file).env("CARGO", "true");
    let ran = program::run(&mut copy)?;
    let text = fs::read_to_string(&file).map_err(|_| format!("the copy of this program ends early: {}", ran.stderr))?;
    serde_json::from_str(&text).map_err(|error| error.to_string())
}

fn rows(bench: &Bench, may_mount: bool) -> Result<Vec<Row>, String> {
    let stage = Stage::new(bench)?;
    let mut rows = Vec::new();
    let document = stage.document.len() as u64 / 1024;
    for (operation, largest, tries) in [
        (Operation::Offload, document + document / 4, bench.scaled(12, 200)),
        (Operation::Into, document / 2, bench.scaled(6, 100)),
        (Operation::Keep, document + document / 4, bench.scaled(4, 50)),
    ] {
        let row = Row::new(promise(operation), &format!("file systems of {tries} sizes under {}", operation.name()));
        rows.push(when(may_mount, row, |row| {
            tried(row, tries, |number| small_disk(bench, &stage, operation, 4 + largest * number / tries))
        }));
        let row = Row::new(promise(operation), &format!("limits on files of {tries} sizes under {}", operation.name()));
        rows.push(tried(row, tries, |number| limited(bench, &stage, operation, largest * 1024 / 2 * number / tries)));
    }
    let tries = bench.scaled(8, 32);
    let row = Row::new(PROMISE, "a file system with room for 1 to 8 names");
    rows.push(when(may_mount, row, |row| {
        tried(row, tries, |number| {
            let folder = bench.folder()?;
            let options = format!("nr_inodes={}", 1 + number % 8);
            on_disk(&stage, Operation::Offload, &options, "nr_inodes=1000", folder.path(), number >= 8)
        })
    }));
    for server in [Server::Mcp, Server::Proxy] {
        let (talks, calls) = (2, bench.scaled(8, 100));
        let fault = format!(
            "the file system has another size at each of {calls} calls of {}, and is full at times",
            server.name()
        );
        rows.push(when(may_mount, Row::new(PROMISE, &fault), |row| {
            tried(row, talks, |number| {
                conversation(bench, &stage, server, calls, document, &mut Random::of_try(bench.seed, number))
            })
        }));
        let row = Row::new(PROMISE, &format!("limits on files under {}", server.name()));
        let tries = bench.scaled(3, 25);
        rows.push(tried(row, tries, |number| {
            limited_conversation(bench, &stage, server, 1 + document * 512 * number / tries)
        }));
    }
    Ok(rows)
}

/// `keep` has no other answer than an error.
fn promise(operation: Operation) -> &'static str {
    match operation {
        Operation::Keep => "whole copies, or an error that says why; the next call works",
        _ => PROMISE,
    }
}

fn when(may_mount: bool, row: Row, then: impl FnOnce(Row) -> Row) -> Row {
    if may_mount { then(row) } else { row.seen("not tried: this machine lets nobody mount a file system") }
}

/// Runs a program of the system.
fn system(program: &str, arguments: &[&str]) -> Result<(), String> {
    let output = Command::new(program).args(arguments).output().map_err(|error| format!("{program}: {error}"))?;
    match output.status.success() {
        true => Ok(()),
        false => Err(format!("{program} {arguments:?}: {}", String::from_utf8_lossy(&output.stderr).trim())),
    }
}

/// A file system, mounted.
struct Disk(String);

impl Disk {
    fn new(path: &Path, options: &str) -> Result<Self, String> {
        fs::create_dir_all(path).map_err(|error| error.to_string())?;
        let path = path.display().to_string();
        system("mount", &["-t", "tmpfs", "-o", options, "none", &path]).map(|()| Self(path))
    }

    fn resize(&self, options: &str) -> Result<(), String> {
        system("mount", &["-o", &format!("remount,{options}"), &self.0])
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        // It ends with the name space at the latest.
        _ = system("umount", &[&self.0]);
    }
}

/// An operation with so many KiB for what it writes.
fn small_disk(bench: &Bench, stage: &Stage, operation: Operation, kibibytes: u64) -> Result<String, String> {
    let folder = bench.folder()?;
    let taken = if operation == Operation::Into { stage.laid_kibibytes() } else { 0 };
    let size = format!("size={}k", taken + kibibytes);
    on_disk(stage, operation, &size, LARGE, folder.path(), false).map_err(|error| format!("{size}: {error}"))
}

fn on_disk(
    stage: &Stage,
    operation: Operation,
    options: &str,
    large: &str,
    folder: &Path,
    in_session: bool,
) -> Result<String, String> {
    let out = folder.join("out");
    let disk = Disk::new(&folder.join(if operation == Operation::Keep { "kept" } else { "out" }), options)?;
    let laid = if operation == Operation::Offload { Laid::Nothing } else { Laid::Documents };
    stage.lay(&out, laid)?;
    let mut command = stage.lro();
    command
        .args(operation.arguments(stage, folder))
        .args(in_session.then_some(["--session", "s1"]).into_iter().flatten());
    let ran = program::run(&mut command)?;
    let within = if in_session { out.join("s1") } else { out.clone() };
    let found = if within.exists() { stage.survived(&within, laid, false)? } else { super::stage::Found::default() };
    let label = operation.answered(stage, folder, &ran, &found)?;
    if label == "errors" && operation != Operation::Keep {
        return Err(format!("an error: {}", ran.stderr));
    }
    disk.resize(large)?;
    if !in_session {
        stage.goes_on(&out, &found)?;
    }
    Ok(label)
}

/// An operation below `ulimit -f`.
fn limited(bench: &Bench, stage: &Stage, operation: Operation, bytes: u64) -> Result<String, String> {
    let folder = bench.folder()?;
    operation.prepare(stage, folder.path())?;
    let tool = ["prlimit".to_owned(), format!("--fsize={bytes}")];
    let ran = program::run(stage.lro_below(&tool).args(operation.arguments(stage, folder.path())))?;
    let found = operation.survived(stage, folder.path())?;
    let label = operation.answered(stage, folder.path(), &ran, &found)?;
    if label == "errors" && operation != Operation::Keep {
        return Err(format!("{bytes} bytes: an error: {}", ran.stderr));
    }
    stage.goes_on(&folder.path().join("out"), &found)?;
    Ok(label)
}

/// A conversation whose disk has another size at each call.
fn conversation(
    bench: &Bench,
    stage: &Stage,
    server: Server,
    calls: u64,
    document: u64,
    random: &mut Random,
) -> Result<String, String> {
    let folder = bench.folder()?;
    let out = folder.path().join("out");
    let disk = Disk::new(&out, LARGE)?;
    let mut talk = Talk::begin(stage, server, Some(&out), &[], &[])?;
    let (mut whole, mut truncated) = (0, 0);
    for call in 0..calls {
        // A disk cannot become smaller than what is on it: it is emptied at times, and grows full in between.
        if call % 4 == 0 {
            disk.resize(LARGE)?;
            system("find", &[&out.display().to_string(), "-type", "f", "-delete"])?;
        }
        let used = stage.used_kibibytes(&out)?;
        let size = used + 4 + random.number() % (document + document / 4).max(1);
        disk.resize(&format!("size={size}k"))?;
        let at = |error: String| format!("call {call}, {size} KiB with {used} in use: {error}");
        let answer = talk.offload(stage).map_err(at)?;
        if stage.is_answered(&answer).map_err(at)? {
            whole += 1;
        } else {
            truncated += 1;
            if !talk.says("OffloadWriteFailed") {
                return Err(at("truncated without an event".to_owned()));
            }
        }
        stage.is_tidy(&out).map_err(at)?;
    }
    disk.resize(LARGE)?;
    if !stage.is_answered(&talk.offload(stage)?)? {
        return Err("it is truncated although there is room".to_owned());
    }
    talk.end()?;
    Ok(match (whole, truncated) {
        (0, _) | (_, 0) => "conversations with one kind of answer".to_owned(),
        _ => String::new(),
    })
}

fn limited_conversation(bench: &Bench, stage: &Stage, server: Server, bytes: u64) -> Result<String, String> {
    let folder = bench.folder()?;
    let out = folder.path().join("out");
    let tool = ["prlimit".to_owned(), format!("--fsize={bytes}")];
    let mut talk = Talk::begin(stage, server, Some(&out), &tool, &[])?;
    let mut label = "";
    for _ in 0..3 {
        let answer = talk.offload(stage)?;
        label = if stage.is_answered(&answer)? { "whole" } else { "truncated" };
        if label == "truncated" && !talk.says("OffloadWriteFailed") {
            return Err("truncated without an event".to_owned());
        }
        stage.is_tidy(&out)?;
    }
    talk.end()?;
    Ok(label.to_owned())
}
