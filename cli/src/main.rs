//! The command `lro`.

mod commands;
mod continuation;
mod events;
mod failure;
mod global;
mod input;
mod input_tokens;
mod interrupted;
mod kinds;
mod offloading;
mod opening;
mod outline;
mod output;
mod patient;
mod remarks;
mod session;
mod shortest;
mod source;
mod system;
mod text;
mod usage;
mod watchdog;

use std::process::ExitCode;

use clap::Parser;

use commands::CommandLine;

/// Hands the command line to its subcommand. Only here errors are printed and become an exit status.
fn main() -> ExitCode {
    #[cfg(unix)]
    {
        system::keep_new_files_private();
        system::survive_a_limit_on_files();
    }
    let line = match CommandLine::try_parse() {
        Ok(line) => line,
        Err(error) if commands::hook::must_not_fail(&error) => return commands::hook::misused(&error),
        Err(error) => return usage::misused(&error),
    };
    let as_json = line.global.json_errors;
    let status = match line.run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(as_json),
    };
    remarks::flush();
    status
}
