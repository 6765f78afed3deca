//! A command line that asks for help or is not valid.

use std::process::ExitCode;

use clap::error::ErrorKind;

use crate::failure::Failure;
use crate::{output, version};

/// Prints help or the version on standard output, and a usage error like any other error, on one line.
pub(crate) fn misused(error: &clap::Error) -> ExitCode {
    let as_json = has("--json-errors");
    if !error.use_stderr() {
        let printed = match error.kind() {
            ErrorKind::DisplayVersion if has("--verbose") => output::write(version::verbose().as_bytes()),
            _ => output::styled(&error.render()),
        };
        return printed.map_or_else(|failure| failure.report(as_json), |()| ExitCode::SUCCESS);
    }
    if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        // A closed stream is ignored.
        let _ = error.print();
        return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2));
    }
    let text = error.to_string();
    let ends = ["\n\nUsage:", "\n\nFor more information"].into_iter().filter_map(|end| text.find(end));
    let reason = text[..ends.min().unwrap_or(text.len())].trim_start_matches("error: ").replace("\n\n", "; ");
    Failure::Usage(reason.split_whitespace().collect::<Vec<_>>().join(" ")).report(as_json)
}

/// True if this flag is typed: the rest of a line that ends early is not parsed.
fn has(flag: &str) -> bool {
    std::env::args_os().any(|argument| argument == flag)
}
