//! The subcommands, one file each, and what they share.

mod cleanup;
mod component;
mod conformance;
mod continuation;
mod demo;
mod describe;
mod estimate;
mod events;
mod extract;
mod failure;
mod input;
mod interrupted;
mod kinds;
#[cfg(feature = "mcp")]
mod mcp;
mod offload;
mod opening;
mod outline;
mod output;
mod patient;
mod proxy;
mod rebuild;
mod remarks;
mod source;
pub(crate) mod system;
mod text;
mod watchdog;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{Args, Parser, Subcommand};
use lro::{Lro, OnCompile, Options};
use serde_json::Value;

use failure::Failure;

/// Large Result Offloading: results that are too large for a model go to a file, and the model gets a short response
/// that says what is there and how to read it.
#[derive(Parser)]
#[command(name = "lro", version, max_term_width = 100, after_help = "Begin with: lro demo")]
struct CommandLine {
    #[command(flatten)]
    global: Global,
    #[command(subcommand)]
    command: Command,
}

/// What every subcommand takes.
#[derive(Args)]
struct Global {
    /// Read settings from the table [prompt.offload] of this TOML file
    #[arg(long, global = true, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Read settings from variables with this prefix instead of ATLATL_PROMPT__OFFLOAD__
    #[arg(long, global = true, value_name = "PREFIX")]
    env_prefix: Option<String>,
    /// Write an error as one JSON object
    #[arg(long, global = true)]
    json_errors: bool,
}

#[derive(Subcommand)]
enum Command {
    Estimate(estimate::Estimate),
    Offload(offload::Offload),
    Extract(extract::Extract),
    Describe(describe::Describe),
    Rebuild(rebuild::Rebuild),
    Cleanup(cleanup::Cleanup),
    Component(component::Component),
    Conformance(conformance::Conformance),
    Demo(demo::Demo),
    #[cfg(feature = "mcp")]
    Mcp(mcp::Mcp),
    Proxy(Box<proxy::Proxy>),
}

/// Runs the command line of this process. Only here errors are printed and become an exit status.
pub(crate) fn main() -> ExitCode {
    let line = match CommandLine::try_parse() {
        Ok(line) => line,
        Err(error) => return misused(&error),
    };
    let status = match line.command.run(&line.global) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(line.global.json_errors),
    };
    remarks::flush();
    status
}

impl Command {
    fn run(self, global: &Global) -> Result<(), Failure> {
        match self {
            Self::Estimate(command) => command.run(global),
            Self::Offload(command) => command.run(global),
            Self::Extract(command) => command.run(global),
            Self::Describe(command) => command.run(global),
            Self::Rebuild(command) => command.run(global),
            Self::Cleanup(command) => command.run(global),
            Self::Component(command) => command.run(),
            Self::Conformance(command) => command.run(),
            Self::Demo(command) => command.run(),
            #[cfg(feature = "mcp")]
            Self::Mcp(command) => command.run(global),
            Self::Proxy(command) => command.run(global),
        }
    }
}

impl Global {
    /// Options with the sources of settings that all subcommands share: the file and the environment.
    fn options(&self) -> Result<Options, Failure> {
        let environment = lro::environment(self.env_prefix.as_deref().unwrap_or(lro::ENVIRONMENT_PREFIX))?;
        let mut options = Options::default().settings_file(self.config.clone()).environment(environment);
        set(&mut options, "environment_prefix", &self.env_prefix);
        Ok(options)
    }
}

/// Opens the component, and says what happens on the way.
fn open(options: Options) -> Result<Lro, Failure> {
    opened(&options.on_compile(OnCompile::call(opening::tell_compiling)))
}

/// The same for one who tells by himself that the component is compiled.
fn opened(options: &Options) -> Result<Lro, Failure> {
    let lro = Lro::open(options)?;
    for event in lro.opening_events() {
        output::remark(&format!("{}: {}", event.name, event.message));
    }
    Ok(lro)
}

/// Sets a key of the explicit settings, if its flag was given. What it means is the component's business.
fn set(options: &mut Options, key: &str, value: &Option<impl Into<Value> + Clone>) {
    if let Some(value) = value {
        options.settings = std::mem::take(&mut options.settings).with(key, value.clone());
    }
}

/// A number with its noun: `1 file`, `2 files`.
fn counted(number: u64, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

/// Help or the version on standard output; a usage error as any other error, on one line.
fn misused(error: &clap::Error) -> ExitCode {
    if !error.use_stderr() || error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        // A reader that has gone does not want to know.
        let _ = error.print();
        return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2));
    }
    let as_json = std::env::args_os().any(|argument| argument == "--json-errors");
    let text = error.to_string();
    let ends = ["\n\nUsage:", "\n\nFor more information"].into_iter().filter_map(|end| text.find(end));
    let reason = text[..ends.min().unwrap_or(text.len())].trim_start_matches("error: ").replace("\n\n", "; ");
    Failure::Usage(reason.split_whitespace().collect::<Vec<_>>().join(" ")).report(as_json)
}
