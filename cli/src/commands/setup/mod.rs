//! `lro setup`: writes what a client needs into its configuration, and takes it out again.

mod carry;
pub(crate) mod clients;
mod diff;
pub(crate) mod disk;
pub(crate) mod document;
pub(crate) mod entries;
mod json;
pub(crate) mod ours;
pub(crate) mod places;
mod plan;
mod record;
mod report;
pub(crate) mod templates;
mod toml;
pub(crate) mod wrap;

use std::env;
use std::path::{Path, PathBuf};

use clap::Args;

use self::carry::{Job, Target, carry_out};
use self::clients::{ANY_SERVERS, CLIENTS, Client, File, Kind, Scope};
use self::document::Format;
use self::places::Places;
use self::plan::Edit;
use self::record::Action;
use self::report::Report;
use self::templates::Lro;
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
        let places = places()?;
        let lro = Lro { program: this_program()?, output_dir: self.output_dir.as_deref().map(absolute).transpose()? };
        let chosen = if self.wrap { self.to_wrap()? } else { self.to_set_up()? };
        let action = if self.wrap { Action::Wrap } else { Action::Setup };
        let mut jobs = Vec::new();
        for target in self.targets(&lro, &places, &chosen)? {
            jobs.push(Job::new(target, action, self.undo)?);
        }
        if !self.dry_run {
            carry_out(&jobs)?;
        }
        if !self.dry_run && !self.undo {
            self.compile(global);
        }
        let how = Report { is_undo: self.undo, is_dry: self.dry_run, is_wrap: self.wrap, is_project: self.project };
        how.print(&places, &lro, &jobs)
    }

    /// Compiles the component, once: the first result would wait for it, and clients go on without a server that is late.
    fn compile(&self, global: &Global) {
        let options = global.options().map(|options| options.output_dir(self.output_dir.clone()));
        if let Err(failure) = options.and_then(open) {
            output::remark(&format!("nothing can be offloaded yet: {}", failure.to_text()));
        }
    }

    /// The client that is set up.
    fn to_set_up(&self) -> Result<Vec<&'static Client>, Failure> {
        let names = || {
            CLIENTS.iter().filter(|client| client.has_hook()).map(|client| client.name).collect::<Vec<_>>().join(", ")
        };
        let Some(name) = &self.client else {
            return Err(Failure::Usage(format!("lro setup needs a client: {}; or --wrap", names())));
        };
        match clients::named(name) {
            Some(client) if client.has_hook() => Ok(vec![client]),
            Some(client) => Err(Failure::Usage(format!(
                "{} has no hook that could replace results; use: lro setup --wrap {name}",
                client.title
            ))),
            None => Err(Failure::Usage(format!(
                "`{name}` is not a known client: {}; for others see --wrap --file",
                names()
            ))),
        }
    }

    /// The clients whose servers are wrapped: the one that is named, or all that have no hook.
    fn to_wrap(&self) -> Result<Vec<&'static Client>, Failure> {
        if self.file.is_some() {
            return Ok(Vec::new());
        }
        let Some(name) = &self.client else {
            return Ok(CLIENTS.iter().filter(|client| !client.has_hook()).collect());
        };
        clients::named(name).map(|client| vec![client]).ok_or_else(|| {
            let names: Vec<&str> = CLIENTS.iter().map(|client| client.name).collect();
            Failure::Usage(format!("`{name}` is not a known client: {}; for others see --file", names.join(", ")))
        })
    }

    /// The files, and what is done to each.
    fn targets(&self, lro: &Lro, places: &Places, chosen: &[&'static Client]) -> Result<Vec<Target>, Failure> {
        if let Some(file) = &self.file {
            if disk::read(file)?.is_none() {
                return Err(Failure::Usage(format!("there is no file `{}`", file.display())));
            }
            let is_toml = file.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("toml"));
            let format = if is_toml { Format::Toml } else { Format::Jsonc };
            let edit = Edit::Wrap { format, places: ANY_SERVERS, proxy: lro.proxy() };
            return Ok(vec![Target { path: file.clone(), edit, client: None }]);
        }
        let files = chosen.iter().flat_map(|client| client.files.iter().map(move |file| (*client, file)));
        let files: Vec<(&'static Client, &File)> = files.filter(|(_, file)| self.is_chosen(file.scope)).collect();
        let mut targets = Vec::new();
        for (client, file) in &files {
            let path = places.path(file);
            let edit = if self.wrap { wrapping(file, lro) } else { self.entries(client, file, &files, lro, places) };
            // In the home folder, some files of a project are those of the user.
            let is_new = targets.iter().all(|target: &Target| !places::is_same(&target.path, &path));
            let is_wanted = is_new && (path.exists() || !self.wrap && !file.only_if_there);
            let target = |edit| Target { path, edit, client: Some(*client) };
            targets.extend(edit.filter(|_| is_wanted).map(target));
        }
        if targets.is_empty() {
            let looked: Vec<String> = files
                .iter()
                .filter(|(_, file)| !file.servers.is_empty())
                .map(|(_, file)| places.shown(&places.path(file)))
                .collect();
            return Err(Failure::Usage(format!(
                "no configuration with servers is there; looked at {}",
                looked.join(", ")
            )));
        }
        Ok(targets)
    }

    fn is_chosen(&self, scope: Scope) -> bool {
        match (self.project, self.user, self.wrap) {
            (true, ..) => scope == Scope::Project,
            (false, false, true) => true,
            _ => scope == Scope::User,
        }
    }

    fn entries(
        &self,
        client: &'static Client,
        file: &File,
        files: &[(&'static Client, &File)],
        lro: &Lro,
        places: &Places,
    ) -> Option<Edit> {
        let Kind::Edited(format) = file.kind else { return Some(Edit::Plugin { source: lro.plugin() }) };
        // Codex warns if hooks are in two files.
        let has_hooks = |(_, other): &&(&'static Client, &File)| {
            other.only_if_there && other.parts.iter().any(|part| part.is_hook()) && places.path(other).exists()
        };
        let goes_elsewhere = !self.undo && !file.only_if_there && files.iter().find(has_hooks).is_some();
        let parts = file.parts.iter().filter(|part| !(part.is_hook() && goes_elsewhere));
        let entries = parts.flat_map(|part| lro.entries(client, part)).collect();
        Some(Edit::Entries { format, entries })
    }
}

fn wrapping(file: &File, lro: &Lro) -> Option<Edit> {
    match file.kind {
        Kind::Edited(format) if !file.servers.is_empty() => {
            Some(Edit::Wrap { format, places: file.servers, proxy: lro.proxy() })
        }
        _ => None,
    }
}

/// Where users' files are.
pub(crate) fn places() -> Result<Places, Failure> {
    let variable = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let home = env::home_dir()
        .filter(|home| home.is_absolute())
        .ok_or_else(|| Failure::Usage("your home folder is not known: set HOME to it".to_owned()))?;
    let project = env::current_dir().map_err(|error| Failure::file("find the current folder", error))?;
    Ok(Places { home, project, variable })
}

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
