//! `kill -9` at random moments, and at each call of the system that writes.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Child;
use std::thread;
use std::time::{Duration, Instant};

use super::operation::Operation;
use super::program;
use super::stage::{Found, Stage};
use super::traced::{self, Call};
use super::tries::tried;
use crate::faults::random::Random;
use crate::faults::row::Row;
use crate::faults::{Bench, Suite};

/// `kills`.
pub(in crate::faults) const SUITE: Suite = Suite { name: "kills", run };

const OPERATIONS: [Operation; 3] = [Operation::Offload, Operation::Into, Operation::Cleanup];

const PROMISE: &str = "files under final names are whole, nothing is lost, old `.part` files go, the next call works";

/// When a process is killed.
#[derive(Clone, Copy)]
enum Moment {
    /// Anywhere in its run, which takes so long.
    Anywhere(Duration),
    /// After the first change of the directory, within this time.
    Writing(Duration),
}

fn run(bench: &Bench) -> Result<Vec<Row>, String> {
    traced::needs_strace()?;
    let stage = Stage::new(bench)?;
    let mut rows = Vec::new();
    for operation in OPERATIONS {
        let (whole, writing) = durations(bench, &stage, operation)?;
        let random = bench.scaled(4, 167);
        for (moment, when) in [
            (Moment::Anywhere(whole), "at a random moment"),
            (Moment::Writing(writing), "at a random moment of writing"),
        ] {
            let row = Row::new(PROMISE, &format!("`kill -9` {when} of {}", operation.name()));
            rows.push(tried(row, random, |number| {
                killed_by_time(bench, &stage, operation, moment, Random::of_try(bench.seed, number))
            }));
        }
        let mut calls = calls(bench, &stage, operation)?;
        calls.retain(|call| call.is_writing());
        Random::of_try(bench.seed, 1).shuffle(&mut calls);
        calls.truncate(bench.scaled(5, usize::MAX));
        let row = Row::new(
            PROMISE,
            &format!("`kill -9` at each system call of {} that writes, opens or closes", operation.name()),
        );
        rows.push(tried(row, calls.len() as u64, |number| {
            killed_by_call(bench, &stage, operation, calls[usize::try_from(number).unwrap_or_default()])
        }));
    }
    Ok(rows)
}

/// The calls of an undisturbed run.
pub(super) fn calls(bench: &Bench, stage: &Stage, operation: Operation) -> Result<Vec<Call>, String> {
    let folder = bench.folder()?;
    operation.prepare(stage, folder.path())?;
    let arguments = operation.arguments(stage, folder.path());
    traced::calls(folder.path(), |tool| {
        let mut command = stage.lro_below(tool);
        command.args(&arguments);
        command
    })
}

/// How long an undisturbed run takes, and how long from its first change of the directory on.
fn durations(bench: &Bench, stage: &Stage, operation: Operation) -> Result<(Duration, Duration), String> {
    let mut shortest = (Duration::MAX, Duration::MAX);
    for _ in 0..4 {
        let folder = bench.folder()?;
        operation.prepare(stage, folder.path())?;
        let (mut child, begin) = started(stage, operation, folder.path())?;
        let changed = until_changed(&mut child, &folder.path().join("out"));
        let first = begin.elapsed();
        child.wait().map_err(|error| error.to_string())?;
        let whole = begin.elapsed();
        let writing = if changed { whole - first } else { Duration::MAX };
        shortest = (shortest.0.min(whole), shortest.1.min(writing));
    }
    // A process still has to end when its work is done.
    Ok((shortest.0.mul_f64(0.95), shortest.1.min(shortest.0).mul_f64(0.9)))
}

fn started(stage: &Stage, operation: Operation, folder: &Path) -> Result<(Child, Instant), String> {
    let child = program::start(stage.lro().args(operation.arguments(stage, folder)))?;
    Ok((child, Instant::now()))
}

fn killed_by_time(
    bench: &Bench,
    stage: &Stage,
    operation: Operation,
    moment: Moment,
    mut random: Random,
) -> Result<String, String> {
    let folder = bench.folder()?;
    operation.prepare(stage, folder.path())?;
    let (mut child, begin) = started(stage, operation, folder.path())?;
    let longest = match moment {
        Moment::Anywhere(whole) => whole,
        Moment::Writing(writing) => {
            until_changed(&mut child, &folder.path().join("out"));
            writing
        }
    };
    let wait = longest.mul_f64(random.below(1_000_000) as f64 / 1_000_000.0);
    let begin = if matches!(moment, Moment::Anywhere(_)) { begin } else { Instant::now() };
    while begin.elapsed() < wait {
        thread::sleep((wait - begin.elapsed().min(wait)).min(Duration::from_millis(1)));
    }
    let has_ended = child.try_wait().map_err(|error| error.to_string())?.is_some();
    child.kill().and_then(|()| child.wait()).map_err(|error| error.to_string())?;
    if has_ended {
        return after(stage, operation, folder.path()).map(|_| "had ended before".to_owned());
    }
    after(stage, operation, folder.path())
}

fn killed_by_call(bench: &Bench, stage: &Stage, operation: Operation, call: Call) -> Result<String, String> {
    let folder = bench.folder()?;
    operation.prepare(stage, folder.path())?;
    let mut command = stage.lro_below(&call.injected("signal=KILL"));
    program::run(command.args(operation.arguments(stage, folder.path())))?;
    after(stage, operation, folder.path()).map_err(|error| format!("{} #{}: {error}", call.name, call.number))
}

/// Looks at what is left, and goes on with it.
fn after(stage: &Stage, operation: Operation, folder: &Path) -> Result<String, String> {
    let found = operation.survived(stage, folder)?;
    stage.goes_on(&folder.join("out"), &found)?;
    let Found { orphans, parts, new, gone, .. } = found;
    Ok(match (parts.len(), orphans.len(), new, gone) {
        (0, 0, 0, 0) => "left all as it was".to_owned(),
        (0, 0, 0, _) => "deleted some or all".to_owned(),
        (0, 0, _, _) => "left whole files only".to_owned(),
        (0, _, _, _) => "left lists without their main file, which is told".to_owned(),
        _ => "left a `.part`".to_owned(),
    })
}

/// Waits until there is another number of entries in a folder. False if the process ended before.
fn until_changed(child: &mut Child, folder: &Path) -> bool {
    let names = || {
        fs::read_dir(folder).map(|entries| entries.flatten().map(|entry| entry.file_name()).collect::<BTreeSet<_>>())
    };
    let Ok(before) = names() else { return false };
    let mut looks = 0_u64;
    loop {
        if names().is_ok_and(|now| now != before) {
            return true;
        }
        looks += 1;
        if looks.is_multiple_of(64) && !matches!(child.try_wait(), Ok(None)) {
            return false;
        }
    }
}
