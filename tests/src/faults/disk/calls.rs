//! Each system call of each operation fails once, with each error that a disk or a network gives; and all writes are short.

use super::kills;
use super::operation::Operation;
use super::program::{self, Ran};
use super::stage::Stage;
use super::steps::Steps;
use super::traced::{self, Call};
use super::tries::tried;
use crate::faults::random::Random;
use crate::faults::row::Row;
use crate::faults::{Bench, Suite};

/// `calls`.
pub(in crate::faults) const SUITE: Suite = Suite { name: "calls", run };

const ERRORS: [&str; 6] = ["EIO", "ENOSPC", "EDQUOT", "EROFS", "EACCES", "EINTR"];

/// Those that a call gives which writes nothing.
const ERRORS_OF_READING: [&str; 3] = ["EIO", "EACCES", "EINTR"];

/// Calls that no signal interrupts, as their manual pages say.
const NEVER_INTERRUPTED: [&str; 6] = ["fstat", "getdents64", "newfstatat", "readlink", "statx", "unlinkat"];

const PROMISE: &str = "whole, or a promised answer with its reason and nothing left; the next call works";

/// Calls that are repeated when a signal comes between.
const REPEATED: [&str; 7] = ["pwrite64", "fdatasync", "renameat", "unlinkat", "pread64", "write", "read"];

fn run(bench: &Bench) -> Result<Vec<Row>, String> {
    traced::needs_strace()?;
    let stage = Stage::new(bench)?;
    let mut rows = Vec::new();
    for operation in Operation::ALL {
        let calls = kills::calls(bench, &stage, operation)?;
        let mut names: Vec<&str> = calls.iter().map(|call| call.name).collect();
        names.sort_unstable();
        names.dedup();
        let all = |call: &Call| if call.is_writing() { &ERRORS[..] } else { &ERRORS_OF_READING[..] };
        let mut tries: Vec<(Call, &str)> =
            calls.iter().flat_map(|call| all(call).iter().map(|error| (*call, *error))).collect();
        tries.retain(|(call, error)| *error != "EINTR" || !NEVER_INTERRUPTED.contains(&call.name));
        Random::of_try(bench.seed, 2).shuffle(&mut tries);
        tries.truncate(bench.scaled(12, usize::MAX));
        let fault = format!("{} at the n-th {} of {}", ERRORS.join(", "), names.join(", "), operation.name());
        rows.push(tried(Row::new(PROMISE, &fault), tries.len() as u64, |number| {
            let (call, error) = tries[usize::try_from(number).unwrap_or_default()];
            failed(bench, &stage, operation, call, error)
                .map_err(|reason| format!("{} #{} {error}: {reason}", call.name, call.number))
        }));
    }
    let steps = Steps::new(bench)?;
    for operation in [Operation::Offload, Operation::Into, Operation::Keep] {
        let row = Row::new("whole, whatever part of a write is done", &format!("short writes in {}", operation.name()));
        rows.push(match &steps {
            Some(steps) => tried(row, bench.scaled(2, 50), |number| short(bench, &stage, operation, steps, number)),
            None => row.seen(Steps::MISSING),
        });
    }
    Ok(rows)
}

fn failed(bench: &Bench, stage: &Stage, operation: Operation, call: Call, error: &str) -> Result<String, String> {
    let label = ended(bench, stage, operation, &call.injected(&format!("error={error}")))?.0;
    if error == "EINTR" && REPEATED.contains(&call.name) && matches!(&*label, "errors" | "truncated") {
        return Err(format!("a signal was enough: {label}"));
    }
    Ok(label)
}

fn short(bench: &Bench, stage: &Stage, operation: Operation, steps: &Steps, number: u64) -> Result<String, String> {
    let folder = bench.folder()?;
    let (report, tool) = steps.short(folder.path(), bench.seed.wrapping_add(number));
    let (label, ran) = ended(bench, stage, operation, &tool)?;
    let (_, shortened) = Steps::report(&report)?;
    match (&*label, shortened) {
        ("whole", 1..) => Ok("whole".to_owned()),
        (label, shortened) => Err(format!("{label} after {shortened} short writes: {}", ran.stderr)),
    }
}

/// Runs an operation below a tool, and judges what came of it.
fn ended(bench: &Bench, stage: &Stage, operation: Operation, tool: &[String]) -> Result<(String, Ran), String> {
    let folder = bench.folder()?;
    operation.prepare(stage, folder.path())?;
    let ran = program::run(stage.lro_below(tool).args(operation.arguments(stage, folder.path())))?;
    let found = operation.survived(stage, folder.path())?;
    let label = operation.answered(stage, folder.path(), &ran, &found)?;
    stage.goes_on(&folder.path().join("out"), &found)?;
    Ok((label, ran))
}
