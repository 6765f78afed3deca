//! The command `lro`.

mod addresses;
mod allocator;
mod chart;
mod commands;
mod continuation;
mod counting;
mod cuts;
mod days;
mod events;
mod failure;
mod figures;
mod flags;
mod global;
mod input;
mod input_tokens;
mod interrupted;
mod json_lines;
mod kinds;
mod ledger;
mod offloading;
mod opening;
mod outline;
mod output;
mod patient;
mod private_file;
mod progress;
mod remarks;
mod session;
mod settings_file;
mod shortest;
mod source;
mod start;
mod system;
mod table;
mod text;
mod usage;
mod version;
mod watchdog;

use std::process::ExitCode;
use std::thread;

use commands::CommandLine;

/// Hands the command line to its subcommand. Only here errors are printed and become an exit status.
fn main() -> ExitCode {
    #[cfg(unix)]
    {
        system::keep_new_files_private();
        system::survive_a_limit_on_files();
    }
    with_enough_stack(command)
}

/// Runs the command line.
fn command() -> ExitCode {
    let line = match CommandLine::read() {
        Ok(line) => line,
        Err(error) if commands::hook::must_not_fail(&error) => return commands::hook::misused(&error),
        Err(error) => return usage::misused(&error),
    };
    let as_json = line.global.json_errors;
    let done = line.run();
    interrupted::give_way();
    let status = match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(as_json),
    };
    remarks::flush();
    status
}

/// What the main thread of a program has by default. The component may use half a mebibyte of it, and compiling recurses.
const STACK_BYTES: usize = 8 << 20;

/// Less than this is not enough for a filter that recurses until the component's limit ends it.
#[cfg(unix)]
const LEAST_STACK_BYTES: usize = 2 << 20;

/// Runs on this thread, or on one of its own if the system gives this one little stack (`ulimit -s`).
fn with_enough_stack(run: fn() -> ExitCode) -> ExitCode {
    if !has_little_stack() {
        return run();
    }
    match thread::Builder::new().name("lro-main".to_owned()).stack_size(STACK_BYTES).spawn(run) {
        Ok(thread) => thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
        // Without a thread, most calls need no more than there is.
        Err(_) => run(),
    }
}

#[cfg(unix)]
fn has_little_stack() -> bool {
    system::has_less_stack_than(LEAST_STACK_BYTES)
}

/// Elsewhere a program says itself how much it has.
#[cfg(not(unix))]
fn has_little_stack() -> bool {
    false
}
