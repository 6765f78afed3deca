//! The subcommands, one file or folder each.

mod audit;
mod cleanup;
mod completions;
mod component;
mod conformance;
mod demo;
mod describe;
mod doctor;
mod estimate;
mod extract;
mod help;
pub(crate) mod hook;
mod keep;
mod list;
mod manual;
#[cfg(feature = "mcp")]
mod mcp;
mod offload;
mod proxy;
mod purge;
mod read;
mod rebuild;
mod search;
mod setup;
mod stats;

use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::failure::Failure;
use crate::global::Global;

/// Large Result Offloading: results that are too large for a model go to a file, and the model gets a short response
/// that says what is there and how to read it.
#[derive(Parser)]
#[command(name = "lro", version, max_term_width = 100, disable_help_subcommand = true)]
#[command(after_help = "Begin with: lro demo")]
pub(crate) struct CommandLine {
    #[command(flatten, next_help_heading = "Options of every command")]
    pub(crate) global: Global,
    /// With --version: also the component, the contract and wasmtime
    #[arg(long)]
    verbose: bool,
    #[command(subcommand)]
    command: Command,
}

/// clap makes only the one that is typed, with its flags.
#[derive(Subcommand)]
#[command(defer = true)]
enum Command {
    Estimate(estimate::Estimate),
    Offload(offload::Offload),
    Extract(extract::Extract),
    Read(read::Read),
    Search(search::Search),
    Describe(describe::Describe),
    Rebuild(rebuild::Rebuild),
    List(list::List),
    Keep(keep::Keep),
    Cleanup(cleanup::Cleanup),
    Purge(purge::Purge),
    Component(component::Component),
    Conformance(conformance::Conformance),
    Demo(demo::Demo),
    Setup(setup::Setup),
    Doctor(doctor::Doctor),
    Audit(audit::Audit),
    Stats(stats::Stats),
    #[cfg(feature = "mcp")]
    Mcp(mcp::Mcp),
    Proxy(Box<proxy::Proxy>),
    Hook(Box<hook::Hook>),
    Help(help::Help),
    Completions(completions::Completions),
    #[command(name = "man")]
    Manual(manual::Manual),
}

/// All that can be typed.
pub(crate) fn command_line() -> clap::Command {
    // Made now, its flags with headings come before those of every command.
    let whole = |command: clap::Command| match command.get_name() {
        "proxy" => proxy::Proxy::augment_args(clap::Command::new("proxy").display_order(command.get_display_order())),
        _ => command,
    };
    let mut command = CommandLine::command().mut_subcommands(whole);
    command.build();
    help::grouped(command)
}

impl CommandLine {
    /// Reads the arguments of the process.
    pub(crate) fn read() -> Result<Self, clap::Error> {
        let read = |mut command: clap::Command| {
            let matches = command.try_get_matches_from_mut(std::env::args_os())?;
            Self::from_arg_matches(&matches).map_err(|error| error.format(&mut command))
        };
        // The overview is of all commands.
        read(Self::command()).or_else(|_| read(command_line()))
    }

    /// Runs the subcommand.
    pub(crate) fn run(self) -> Result<(), Failure> {
        if self.verbose {
            return Err(Failure::Usage("`--verbose` goes with `--version`, and with nothing else".to_owned()));
        }
        let global = &self.global;
        match self.command {
            Command::Estimate(command) => command.run(global),
            Command::Offload(command) => command.run(global),
            Command::Extract(command) => command.run(global),
            Command::Read(command) => command.run(global),
            Command::Search(command) => command.run(global),
            Command::Describe(command) => command.run(global),
            Command::Rebuild(command) => command.run(global),
            Command::List(command) => command.run(global),
            Command::Keep(command) => command.run(global),
            Command::Cleanup(command) => command.run(global),
            Command::Purge(command) => command.run(global),
            Command::Component(command) => command.run(),
            Command::Conformance(command) => command.run(),
            Command::Demo(command) => command.run(),
            Command::Setup(command) => command.run(global),
            Command::Doctor(command) => command.run(),
            Command::Audit(command) => command.run(global),
            Command::Stats(command) => command.run(),
            #[cfg(feature = "mcp")]
            Command::Mcp(command) => command.run(global),
            Command::Proxy(command) => command.run(global),
            Command::Hook(command) => command.run(global),
            Command::Help(command) => command.run(),
            Command::Completions(command) => command.run(),
            Command::Manual(command) => command.run(),
        }
    }
}
