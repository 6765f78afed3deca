//! Few descriptors, threads, and little memory, as the system limits a process.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::process::Command;

use super::super::place::Place;
use super::calls::{ALL, Call, Calls, PROMISE, Promise};
use crate::faults::Bench;
use crate::faults::row::Row;

/// A user of whom there is no process, so that all threads are those of the call.
const NOBODY: u32 = 64_123;

/// Four rows.
pub(super) fn all(bench: &Bench, calls: &Calls) -> Result<Vec<Row>, String> {
    Ok(vec![descriptors(calls), memory(calls), stack(calls), threads(bench, calls)?])
}

const ANSWER: &str = "a call gives its answer, a truncated result, or an error that says what is missing";

fn descriptors(calls: &Calls) -> Row {
    let mut row = Row::new(ANSWER, "at most 3 to 32 descriptors");
    let mut answered = 0;
    for most in (3..=20).chain([24, 28, 32]) {
        for call in ALL.into_iter().filter(|_| calls.is_due()) {
            let limit = format!("--nofile={most}");
            let outcome = limited(calls, call, &["prlimit", &limit]);
            answered += u32::from(outcome == Ok(true));
            row.count(outcome.map(drop).map_err(|error| format!("{most} descriptors: {error}")));
        }
    }
    calls.tidy();
    let tries = row.tries;
    row.seen(format!("{answered} of {tries} are answered"))
}

fn memory(calls: &Calls) -> Row {
    let mut row = Row::new(
        &format!("{ANSWER}, or an allocation that fails ends it"),
        "address space of 8 MiB to 16 GiB, or data of 1 MiB to 1 GiB",
    );
    let (mut answered, mut aborted) = (0, 0);
    let spaces = [8, 16, 32, 64, 128, 256, 512, 1_024, 2_048, 4_096, 4_200, 4_400, 8_192, 16_384]
        .map(|mebibytes| ("as", mebibytes));
    let data = [1, 2, 4, 8, 16, 24, 32, 48, 64, 128, 256, 1_024].map(|mebibytes| ("data", mebibytes));
    for (name, mebibytes) in spaces.into_iter().chain(data) {
        for call in ALL.into_iter().filter(|_| calls.is_due()) {
            let limit = format!("--{name}={}", mebibytes << 20_u64);
            let mut outcome = limited(calls, call, &["prlimit", &limit]);
            // Rust's allocator says so and aborts; nothing of a call is left then.
            if outcome.as_ref().is_err_and(|error| error.contains("memory allocation of")) {
                (outcome, aborted) = (Ok(false), aborted + 1);
            }
            answered += u32::from(outcome == Ok(true));
            row.count(outcome.map(drop).map_err(|error| format!("{name} of {mebibytes} MiB: {error}")));
        }
    }
    calls.tidy();
    let tries = row.tries;
    row.seen(format!("{answered} of {tries} are answered, {aborted} were ended"))
}

/// Filters that recurse until something ends them.
const FILTERS: [&str; 3] = ["def f: 1 + f; f", "[recurse([.])] | length", "reduce range(100000) as $i (0; [.])"];

/// The main thread's stack, also with filters that recurse for ever.
fn stack(calls: &Calls) -> Row {
    let mut row = Row::new(ANSWER, "a stack of 64 KiB to 8 MiB, also under filters that recurse without end");
    for kibibytes in [64, 128, 192, 256, 384, 512, 640, 768, 1_024, 2_048, 8_192] {
        let limit = format!("--stack={}", kibibytes << 10);
        for call in ALL.into_iter().filter(|_| calls.is_due()) {
            row.count(
                limited(calls, call, &["prlimit", &limit])
                    .map(drop)
                    .map_err(|error| format!("{kibibytes} KiB: {error}")),
            );
        }
        for filter in FILTERS.into_iter().filter(|_| calls.is_due()) {
            let file = calls.file();
            let arguments = ["extract", file, "--query", filter, "--output-dir", "out"];
            let ended = calls.place.end(&mut calls.place.lro_under(&["prlimit", &limit], &arguments), b"");
            row.count(
                ended.and_then(|ended| ended.accident()).map_err(|error| format!("{kibibytes} KiB, {filter}: {error}")),
            );
        }
    }
    calls.tidy();
    row
}

/// True if a call under a limit was answered; an error with a reason is as promised.
fn limited(calls: &Calls, call: Call, before: &[&str]) -> Result<bool, String> {
    let ended = calls.place.end(&mut calls.command(call, before), calls.input(call))?;
    // The dynamic linker needs a little too: without it no program says anything.
    let has_started = !ended.stderr.contains("error while loading shared libraries")
        && !is_killed_at_start(&ended.stderr, ended.status);
    if !has_started {
        return Ok(false);
    }
    calls.judge(call, &ended, &PROMISE).map(|()| ended.status == Some(0))
}

/// `execve` kills a process whose first pages do not fit.
fn is_killed_at_start(stderr: &str, status: Option<i32>) -> bool {
    stderr.contains("failed to execute") || (status.is_none() && stderr.is_empty())
}

/// As a user that has no other thread: by another number for root, in a namespace of its own for others.
fn threads(bench: &Bench, calls: &Calls) -> Result<Row, String> {
    let mut row = Row::new(ANSWER, "at most 1 to 12 threads, with and without a compiled component at hand");
    let is_root = fs::metadata("/proc/self").map_err(|error| error.to_string())?.uid() == 0;
    let become_somebody: Vec<String> = match is_root {
        true => ["setpriv", &format!("--reuid={NOBODY}"), &format!("--regid={NOBODY}"), "--clear-groups"]
            .map(str::to_owned)
            .to_vec(),
        false => ["unshare", "-Ur"].map(str::to_owned).to_vec(),
    };
    let can = Command::new(&become_somebody[0]).args(&become_somebody[1..]).arg("true").output();
    if !can.is_ok_and(|output| output.status.success()) {
        return Ok(row.seen("not tried: this machine lets nobody become another user"));
    }
    let theirs = Theirs::new(bench, is_root)?;
    let mut answered = 0;
    for most in 1..=12 {
        for call in ALL.into_iter().filter(|_| calls.is_due()) {
            let outcome = theirs.attempt(&become_somebody, most, call, true);
            answered += u32::from(outcome == Ok(true));
            row.count(outcome.map(drop).map_err(|error| format!("{most} threads: {error}")));
        }
    }
    for most in bench.scaled(vec![1, 3], (1..=12).collect()) {
        for call in bench.scaled(vec![Call::Offload], vec![Call::Offload, Call::Extract, Call::Mcp, Call::Proxy]) {
            let outcome = theirs.attempt(&become_somebody, most, call, false);
            answered += u32::from(outcome == Ok(true));
            row.count(outcome.map(drop).map_err(|error| format!("{most} threads, compiling: {error}")));
        }
    }
    calls.tidy();
    let tries = row.tries;
    Ok(row.seen(format!("{answered} of {tries} are answered")))
}

/// What another user can reach: the command, the compiled component, the files.
struct Theirs {
    calls: Calls,
}

impl Theirs {
    fn new(bench: &Bench, is_root: bool) -> Result<Self, String> {
        let theirs = Self { calls: Calls::new(bench, Place::with_own_program(bench)?)? };
        if is_root {
            theirs.give_away()?;
        }
        Ok(theirs)
    }

    /// Gives everything to that user.
    fn give_away(&self) -> Result<(), String> {
        let (folder, owner) = (self.calls.place.path(""), format!("{NOBODY}:{NOBODY}"));
        let given = Command::new("chown").args(["-R", &owner]).arg(&folder).status();
        let open = fs::set_permissions(folder, fs::Permissions::from_mode(0o755));
        match (given, open) {
            (Ok(given), Ok(())) if given.success() => Ok(()),
            _ => Err("cannot give files to another user".to_owned()),
        }
    }

    fn attempt(&self, become_somebody: &[String], most: u32, call: Call, is_compiled: bool) -> Result<bool, String> {
        let limit = format!("--nproc={most}");
        let mut before: Vec<&str> = become_somebody.iter().map(String::as_str).collect();
        before.extend(["prlimit", &limit]);
        let mut command = self.calls.command(call, &before);
        let cache = self.calls.place.own_cache();
        command.env("LRO_CACHE_DIR", if is_compiled { cache.as_os_str() } else { "".as_ref() });
        let ended = self.calls.place.end(&mut command, self.calls.input(call))?;
        // The server of the proxy starts processes of its own.
        let promise = Promise { is_silent: call == Call::Proxy, ..PROMISE };
        self.calls.judge(call, &ended, &promise).map(|()| ended.status == Some(0))
    }
}
