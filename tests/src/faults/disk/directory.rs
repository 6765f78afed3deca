//! The output directory is removed, moved, replaced, or made read-only: between any two system calls of a call, and between
//! any two calls of a conversation.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::document::Whole;
use super::operation::Operation;
use super::program;
use super::stage::{Laid, Stage, contents};
use super::steps::Steps;
use super::talk::{Server, Talk};
use super::tries::tried;
use crate::faults::random::Random;
use crate::faults::row::Row;
use crate::faults::{Bench, Suite};

/// `directory`.
pub(in crate::faults) const SUITE: Suite = Suite { name: "directory", run };

const PROMISE: &str = "files under final names are whole, nothing foreign changes, an answer or an error that says why, the next call works";

/// What happens between two system calls, in the folder that has the directory, `out`.
const CHANGES: [(&str, &str); 6] = [
    ("removed", "rm -rf out"),
    ("moved away", "mv out aside"),
    ("replaced by another one", "mv out aside && cp -r elsewhere out"),
    ("replaced by a link to another one", "mv out aside && ln -s elsewhere out"),
    ("replaced by a file", "mv out aside && echo mine > out"),
    ("made read-only", "chmod 0555 out"),
];

/// A file that is not ours, beside those that are.
const FOREIGN: (&str, &str) = ("notes.txt", "mine\n");

fn run(bench: &Bench) -> Result<Vec<Row>, String> {
    let stage = Stage::new(bench)?;
    let mut rows = Vec::new();
    let steps = Steps::new(bench)?;
    for operation in [Operation::Offload, Operation::Into, Operation::Cleanup, Operation::Extract, Operation::Keep] {
        let fault = format!(
            "the directory is removed, moved, replaced or made read-only between two system calls of {}",
            operation.name()
        );
        let row = Row::new(PROMISE, &fault);
        rows.push(match &steps {
            Some(steps) => within(bench, &stage, steps, operation, row)?,
            None => row.seen(Steps::MISSING),
        });
    }
    for server in [Server::Mcp, Server::Proxy] {
        let row = Row::new(PROMISE, &format!("the same between two calls of {}", server.name()));
        rows.push(tried(row, bench.scaled(2, 10), |number| {
            conversation(bench, &stage, server, bench.scaled(16, 50), &mut Random::of_try(bench.seed, number))
        }));
    }
    let row = Row::new(PROMISE, "the same between two commands");
    rows.push(tried(row, bench.scaled(10, 100), |number| {
        commands(bench, &stage, &mut Random::of_try(bench.seed, number))
    }));
    let promise = "nothing is written where others could read or change it";
    let row = Row::new(
        promise,
        "the default directory is replaced by a link, or by one that others can write to, between two calls",
    );
    rows.push(tried(row, bench.scaled(4, 40), |number| default_directory(bench, &stage, number)));
    Ok(rows)
}

/// Root may write where a mode says no, so its rights are taken from it first.
fn as_anybody() -> Vec<String> {
    let words: &[&str] = &["setpriv", "--bounding-set=-all", "--inh-caps=-all"];
    match program::has(words[0], &[&words[1..], &["true"]].concat()) {
        true => words.iter().map(|word| (*word).to_owned()).collect(),
        false => Vec::new(),
    }
}

/// Calls of an operation, with a change before each: some of all that there are.
fn within(bench: &Bench, stage: &Stage, steps: &Steps, operation: Operation, row: Row) -> Result<Row, String> {
    let (calls, _) = changed(bench, stage, steps, operation, (u64::MAX, "true"))?;
    let mut tries: Vec<(u64, usize)> =
        (1..=calls).flat_map(|call| (0..CHANGES.len()).map(move |change| (call, change))).collect();
    Random::of_try(bench.seed, 3).shuffle(&mut tries);
    tries.truncate(bench.scaled(8, 200));
    Ok(tried(row, tries.len() as u64, |number| {
        let (call, change) = tries[usize::try_from(number).unwrap_or_default()];
        let (name, command) = CHANGES[change];
        changed(bench, stage, steps, operation, (call, command))
            .map(|(_, label)| label)
            .map_err(|error| format!("{name} before call {call}: {error}"))
    }))
}

/// Runs an operation with a change before a call. Returns how many calls it made, and what came of it.
fn changed(
    bench: &Bench,
    stage: &Stage,
    steps: &Steps,
    operation: Operation,
    (call, change): (u64, &str),
) -> Result<(u64, String), String> {
    let folder = bench.folder()?;
    let place = |name: &str| folder.path().join(name);
    operation.prepare(stage, folder.path())?;
    lay_elsewhere(stage, &place("elsewhere"))?;
    let (report, tool) = steps.at(folder.path(), call, &format!("cd {} && {change}", folder.path().display()));
    let tool: Vec<String> = tool.into_iter().chain(as_anybody()).collect();
    let ran = program::run(stage.lro_below(&tool).args(operation.arguments(stage, folder.path())))?;
    let calls = Steps::report(&report)?.0;
    writable(&place("out"));
    ran.has_ended_well()?;
    let all_may_go = operation == Operation::Cleanup;
    for name in ["out", "aside", "elsewhere"] {
        let path = place(name);
        if path.is_dir() && !path.is_symlink() {
            is_whole(stage, &path, name == "elsewhere" && !all_may_go)?;
        }
    }
    if place("aside").is_dir() {
        stage.survived(&place("aside"), operation.laid(), false)?;
    }
    let label = match (ran.is_error(), &*ran.stdout) {
        (true, _) => "errors",
        (_, text) if text.contains("\"offloaded\":false") => "truncated",
        _ => "answers",
    };
    // As it was before, the directory works.
    for name in ["out", "aside"] {
        let path = place(name);
        _ = fs::remove_file(&path);
        _ = fs::remove_dir_all(&path);
    }
    stage.lay(&place("out"), Laid::Documents)?;
    stage.goes_on(&place("out"), &stage.survived(&place("out"), Laid::Documents, false)?)?;
    Ok((calls, label.to_owned()))
}

/// Another directory, with files of its own.
fn lay_elsewhere(stage: &Stage, path: &Path) -> Result<(), String> {
    stage.lay(path, Laid::Documents)?;
    fs::write(path.join(FOREIGN.0), FOREIGN.1).map_err(|error| error.to_string())
}

/// Files of ours are whole, those of others as they were.
fn is_whole(stage: &Stage, folder: &Path, with_foreign: bool) -> Result<(), String> {
    for (name, bytes) in contents(folder)? {
        if name == FOREIGN.0 {
            if bytes != FOREIGN.1.as_bytes() {
                return Err("a foreign file was changed".to_owned());
            }
        } else if !name.ends_with(".part") {
            Whole::read(&folder.join(&name))?;
        }
    }
    match with_foreign && (!folder.join(FOREIGN.0).exists() || stage.survived(folder, Laid::Documents, false).is_err())
    {
        true => Err("what was in the other directory is lost".to_owned()),
        false => Ok(()),
    }
}

fn writable(path: &Path) {
    // It may be gone, or a link.
    _ = fs::set_permissions(path, Permissions::from_mode(0o700));
}

/// What the directory is during a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    There,
    Anew,
    Gone,
    Link,
    Dangling,
    File,
    ReadOnly,
    Closed,
}

const SHAPES: [Shape; 8] =
    [Shape::There, Shape::Anew, Shape::Gone, Shape::Link, Shape::Dangling, Shape::File, Shape::ReadOnly, Shape::Closed];

/// The directory of a conversation, and where it is put aside.
struct Scene {
    out: PathBuf,
    aside: PathBuf,
    elsewhere: PathBuf,
}

impl Scene {
    fn new(stage: &Stage, folder: &Path, out: PathBuf) -> Result<Self, String> {
        let scene = Self { out, aside: folder.join("aside"), elsewhere: folder.join("elsewhere") };
        stage.lay(&scene.out, Laid::Documents)?;
        fs::set_permissions(&scene.out, Permissions::from_mode(0o700)).map_err(|error| error.to_string())?;
        lay_elsewhere(stage, &scene.elsewhere)?;
        Ok(scene)
    }

    /// Gives the directory another shape. What was in it is kept aside, or is gone for `Anew`.
    fn become_(&self, shape: Shape) -> Result<(), String> {
        let Self { out, aside, elsewhere } = self;
        self.restore()?;
        match shape {
            Shape::There => Ok(()),
            Shape::Anew => fs::remove_dir_all(out).and_then(|()| fs::create_dir(out)).and_then(|()| mode(out, 0o700)),
            Shape::ReadOnly => mode(out, 0o555),
            Shape::Closed => mode(out, 0o000),
            _ => fs::rename(out, aside).and_then(|()| match shape {
                Shape::Link => symlink(elsewhere, out),
                Shape::Dangling => symlink("nowhere", out),
                Shape::File => fs::write(out, FOREIGN.1),
                _ => Ok(()),
            }),
        }
        .map_err(|error| format!("cannot make it {shape:?}: {error}"))
    }

    /// A directory that can be written to.
    fn restore(&self) -> Result<(), String> {
        let Self { out, aside, .. } = self;
        if aside.is_dir() {
            _ = fs::remove_file(out);
            // A command has made it anew.
            _ = fs::remove_dir_all(out);
            fs::rename(aside, out).map_err(|error| error.to_string())?;
        }
        mode(out, 0o700).map_err(|error| error.to_string())
    }
}

fn mode(path: &Path, mode: u32) -> std::io::Result<()> {
    fs::set_permissions(path, Permissions::from_mode(mode))
}

/// True if nothing can be written there. A directory that is missing is made.
fn is_unfit(shape: Shape) -> bool {
    !matches!(shape, Shape::There | Shape::Anew | Shape::Gone | Shape::Link)
}

/// An answer is true for the directory that it met.
fn is_true(stage: &Stage, shape: Shape, answer: &Value) -> Result<(), String> {
    match (answer["offloaded"].as_bool(), answer["file_path"].as_str()) {
        // In a folder that cannot be written to, the folder of a session can.
        (Some(true), Some(path)) if !is_unfit(shape) || shape == Shape::ReadOnly => {
            let whole = Whole::read(Path::new(path))?;
            if stage.is_known(&whole.body) { Ok(()) } else { Err(format!("`{path}` holds something else")) }
        }
        (Some(false), _) if is_unfit(shape) || shape == Shape::Link => match answer["warning"].as_str() {
            Some(warning) if warning.contains("cannot write") => Ok(()),
            warning => Err(format!("truncated, and the warning is {warning:?}")),
        },
        _ => Err(format!("the answer is {}", answer.to_string().chars().take(300).collect::<String>())),
    }
}

/// Calls of one conversation, each with another directory before it.
fn conversation(
    bench: &Bench,
    stage: &Stage,
    server: Server,
    calls: u32,
    random: &mut Random,
) -> Result<String, String> {
    let folder = bench.folder()?;
    let scene = Scene::new(stage, folder.path(), folder.path().join("out"))?;
    let mut talk = Talk::begin(stage, server, Some(&scene.out), &as_anybody(), &[])?;
    let mut last = None;
    for call in 0..calls {
        let shape = random.one_of(&SHAPES);
        scene.become_(shape)?;
        let at = |error: String| format!("call {call}, {shape:?}: {error}");
        let answer = talk.offload(stage).map_err(at)?;
        is_true(stage, shape, &answer).map_err(at)?;
        if answer["offloaded"] == false && !talk.says("OffloadWriteFailed") {
            return Err(at("truncated without an event".to_owned()));
        }
        // What was offloaded before is read, or it is told that it is not there.
        let path = answer["file_path"].as_str().map(str::to_owned).or(last.take());
        if let Some(path) = path {
            match (Path::new(&path).exists(), talk.ids(&path).map_err(at)?) {
                (true, Ok(ids)) if stage.begin_ids(&ids) => last = Some(path),
                (false, Err(error)) if error.contains("cannot") => {}
                (_, Err(error)) if is_unfit(shape) && error.contains("cannot") => {}
                (exists, other) => return Err(at(format!("it is there: {exists}, and reading it answers {other:?}"))),
            }
        }
    }
    scene.restore()?;
    is_true(stage, Shape::There, &talk.offload(stage)?)?;
    talk.end()?;
    is_whole(stage, &scene.elsewhere, true)?;
    Ok(String::new())
}

/// A command for each shape.
fn commands(bench: &Bench, stage: &Stage, random: &mut Random) -> Result<String, String> {
    let folder = bench.folder()?;
    let scene = Scene::new(stage, folder.path(), folder.path().join("out"))?;
    let shape = random.one_of(&SHAPES);
    scene.become_(shape)?;
    let ran = program::run(stage.lro_below(&as_anybody()).args(Operation::Offload.arguments(stage, folder.path())))?;
    ran.has_ended_well()?;
    let label = match (ran.is_error(), serde_json::from_str::<Value>(&ran.stdout)) {
        (true, _) if shape != Shape::There && ran.stderr.starts_with("lro: cannot") => "errors",
        (false, Ok(answer)) => {
            is_true(stage, shape, &answer)?;
            "answers"
        }
        _ => return Err(format!("{shape:?}: {:?} {}", ran.status, ran.stderr)),
    };
    scene.restore()?;
    is_whole(stage, &scene.elsewhere, true)?;
    let ran = program::run(stage.lro().args(Operation::Offload.arguments(stage, folder.path())))?;
    is_true(stage, Shape::There, &serde_json::from_str(&ran.stdout).map_err(|error| error.to_string())?)?;
    Ok(label.to_owned())
}

/// The directory that nobody has named: it must be this user's alone at each call.
fn default_directory(bench: &Bench, stage: &Stage, number: u64) -> Result<String, String> {
    let folder = bench.folder()?;
    let server = if number.is_multiple_of(2) { Server::Mcp } else { Server::Proxy };
    let mut talk = Talk::begin(stage, server, None, &[], &[("TMPDIR", folder.path())])?;
    let first = talk.offload(stage)?;
    is_true(stage, Shape::There, &first)?;
    let path = Path::new(first["file_path"].as_str().unwrap_or_default());
    let ours = |path: &&Path| path.parent() == Some(folder.path());
    let out = path.ancestors().find(ours).ok_or("the default directory is not where it should be")?.to_owned();
    let scene = Scene { out, aside: folder.path().join("aside"), elsewhere: folder.path().join("elsewhere") };
    fs::create_dir(&scene.elsewhere).map_err(|error| error.to_string())?;
    if number % 4 < 2 {
        scene.become_(Shape::Link)?;
    } else {
        scene.become_(Shape::Anew).and_then(|()| mode(&scene.out, 0o777).map_err(|error| error.to_string()))?;
    }
    let answer = talk.offload(stage)?;
    is_true(stage, Shape::Dangling, &answer)?;
    let written = [&scene.out, &scene.elsewhere].map(|folder| fs::read_dir(folder).map_or(0, Iterator::count));
    if written != [0, 0] {
        return Err(format!("it was written there: {written:?}"));
    }
    if number % 4 < 2 {
        scene.become_(Shape::There)?;
    } else {
        scene.become_(Shape::Anew)?;
    }
    is_true(stage, Shape::There, &talk.offload(stage)?)?;
    talk.end()?;
    Ok(String::new())
}
