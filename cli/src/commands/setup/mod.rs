//! `lro setup`: writes what a client needs into its configuration, and takes it out again.

pub(crate) mod disk;

use std::env;
use std::path::{Path, PathBuf};

use clap::Args;
use lro_clients::setup::places::{Places, System, VARIABLES};
use lro_clients::setup::{Line, Prepared, Problem, Request, prepare};

use crate::failure::Failure;
use crate::global::{Global, open};
use crate::output;

const EXAMPLES: &str = "\
Examples:
  lro setup claude                      offload the results of all tools of Claude Code
  lro setup codex --project --dry-run   show what would change for Codex in this folder
  lro setup gemini --undo               put the configuration back as it was
  lro setup --wrap                      put `lro proxy` before the servers of Claude Desktop and VS Code
  lro setup --wrap --file mcp.json      the same for a configuration of any client
  lro doctor                            report what is set up, and what does not work

Clients: claude, codex, gemini, opencode, cursor. A copy of each file that changes is kept beside it.
Everything else in a configuration stays as it is, with its comments and its layout. The difference shows texts that lro
did not write as …, because configurations contain secrets.";

/// Set up a coding agent: the hook, the tools that read offloaded results, and permission to call them
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Setup {
    /// The client: claude, codex, gemini, opencode or cursor; with --wrap also claude-desktop and vscode
    #[arg(value_name = "CLIENT")]
    client: Option<String>,
    /// Change the configuration of the folder that you are in
    #[arg(long, conflicts_with_all = ["user", "file"])]
    project: bool,
    /// Change your own configuration, for all projects [default; with --wrap: both]
    #[arg(long, conflicts_with = "file")]
    user: bool,
    /// Put `lro proxy` before the stdio servers of a configuration instead, for clients without hooks
    #[arg(long)]
    wrap: bool,
    /// Wrap the servers of this configuration
    #[arg(long, value_name = "FILE", requires = "wrap", conflicts_with = "client")]
    file: Option<PathBuf>,
    /// Take out what was put in
    #[arg(long)]
    undo: bool,
    /// Show what would change, and change nothing
    #[arg(long)]
    dry_run: bool,
    /// Write files to this directory [default: lro-UID in the temporary directory]
    #[arg(long, value_name = "DIR")]
    output_dir: Option<PathBuf>,
}

impl Setup {
    pub(super) fn run(self, global: &Global) -> Result<(), Failure> {
        let prepared = prepare(&self.request()?, &disk::look)?;
        if !self.dry_run {
            disk::carry_out(&prepared)?;
        }
        if !self.dry_run && !self.undo {
            self.compile(global);
        }
        print(&prepared)
    }

    fn request(&self) -> Result<Request, Failure> {
        Ok(Request {
            client: self.client.clone(),
            project: self.project,
            user: self.user,
            wrap: self.wrap,
            file: self.file.clone(),
            undo: self.undo,
            dry_run: self.dry_run,
            output_dir: self.output_dir.as_deref().map(absolute).transpose()?,
            command: vec![this_program()?],
            places: places()?,
        })
    }

    /// Compiles the component, once: the first result would wait for it, and clients go on without a server that is late.
    fn compile(&self, global: &Global) {
        let options = global.options().map(|options| options.output_dir(self.output_dir.clone()));
        if let Err(failure) = options.and_then(open) {
            output::remark(&format!("nothing can be offloaded yet: {}", failure.to_text()));
        }
    }
}

fn print(prepared: &Prepared) -> Result<(), Failure> {
    prepared.report.iter().try_for_each(|line| match line {
        Line::Difference(text) => output::write(text.as_bytes()),
        Line::Text(text) => output::line(&output::printable(text)),
    })
}

impl From<Problem> for Failure {
    fn from(problem: Problem) -> Self {
        match problem {
            Problem::Usage { message } => Self::Usage(message),
            Problem::Configuration { message, hint } => Self::Configuration { message, hint },
            Problem::Io { message } => Self::Unusable(message),
        }
    }
}

/// Where users' files are.
pub(crate) fn places() -> Result<Places, Failure> {
    let variable = |name: &str| Some((name.to_owned(), env::var_os(name).filter(|value| !value.is_empty())?.into()));
    let home = home()
        .filter(|home| home.is_absolute())
        .ok_or_else(|| Failure::Usage("your home folder is not known: set HOME to it".to_owned()))?;
    let project = env::current_dir().map_err(|error| Failure::file("find the current folder", error))?;
    Ok(Places { home, project, variables: VARIABLES.into_iter().filter_map(variable).collect(), system: SYSTEM })
}

/// The home folder that the environment names. Without a name there is none: a job or container without HOME does not mean
/// to change the configuration of the account that it runs as.
fn home() -> Option<PathBuf> {
    match cfg!(windows) {
        true => env::home_dir(),
        false => env::var_os("HOME").map(PathBuf::from),
    }
}

/// What this machine runs.
const SYSTEM: System = match () {
    () if cfg!(windows) => System::Windows,
    () if cfg!(target_os = "macos") => System::Macos,
    () => System::Linux,
};

/// The path of this `lro`, which clients are told.
pub(crate) fn this_program() -> Result<String, Failure> {
    let path = env::current_exe().map_err(|error| Failure::file("find the path of this lro", error))?;
    text_of(&path)
}

fn absolute(path: &Path) -> Result<String, Failure> {
    let path = std::path::absolute(path).map_err(|error| Failure::file(format!("use `{}`", path.display()), error))?;
    text_of(&path)
}

/// A path as a configuration can have it.
fn text_of(path: &Path) -> Result<String, Failure> {
    match path.to_str() {
        Some(text) if !text.contains(['\n', '\r']) => Ok(text.to_owned()),
        _ => Err(Failure::Usage(format!(
            "`{}` cannot be written into a configuration; use another folder",
            path.display()
        ))),
    }
}
