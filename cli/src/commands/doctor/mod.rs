//! `lro doctor`: reports for each client whether it is set up, and what does not work.

mod examine;
mod programs;
mod report;
mod switches;
mod version;

use std::path::{Path, PathBuf};

use clap::Args;
use lro_clients::setup::clients::{CLIENTS, Client};
use lro_clients::setup::places::Places;

use self::examine::{Found, Given, Level, Problem, broken, note, output_dir};
use self::programs::Programs;
use self::report::Report;
use self::version::{Version, versions};
use super::setup::{disk, places, this_program};
use crate::failure::Failure;
use crate::output;

const EXAMPLES: &str = "\
Examples:
  lro doctor
  lro doctor --json | jq '.clients[] | select(.on) | .name'

Looks at your own configurations and at those of the folder that you are in, and changes nothing.
The exit status is 1 if something that is set up does not work.";

/// Report for each coding agent whether results are offloaded, to which directory, and what does not work
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Doctor {
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

impl Doctor {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let places = places()?;
        let asked: Vec<&str> = CLIENTS.iter().filter_map(|client| client.program).collect();
        let mut told = asked.iter().zip(versions(&asked)).collect::<Vec<_>>().into_iter();
        let mut programs = Programs::new(this_program()?);
        let mut reports = Vec::new();
        for client in CLIENTS {
            let version = if client.program.is_some() { told.next().map(|(_, version)| version) } else { None };
            reports.push(examined(client, version, &places, &mut programs));
        }
        let text = if self.json { report::json(&reports) } else { report::text(&reports) };
        output::write(text.as_bytes())?;
        let is_broken = |report: &Report| report.problems.iter().any(|problem| problem.level == Level::Broken);
        if reports.iter().any(is_broken) { Err(Failure::Status(1)) } else { Ok(()) }
    }
}

fn examined(client: &'static Client, version: Option<Version>, places: &Places, programs: &mut Programs) -> Report {
    let mut problems = Vec::new();
    let mut found = Vec::new();
    let mut is_there = matches!(version, Some(Version::Known(_) | Version::Unknown(_)));
    let mut paths: Vec<PathBuf> = Vec::new();
    for file in client.files {
        let path = places.path(file, Path::exists);
        // In the home folder, some files of a project are those of the user.
        if paths.iter().any(|other| is_same(other, &path)) {
            continue;
        }
        paths.push(path.clone());
        let text = match disk::read(&path) {
            Ok(None) => continue,
            Ok(Some(text)) => Ok(text),
            Err(failure) => Err(failure.to_text()),
        };
        is_there = true;
        match examine::read(client, &Given { file, path: places.shown(&path), text }) {
            Ok(file) => found.push(file),
            Err(problem) => problems.push(problem),
        }
    }
    let extension = places.home.join(".gemini/extensions/lro");
    let has_extension = client.name == "gemini" && extension.is_dir();
    problems.extend(examine::problems(client, &found, has_extension));
    problems.extend(untrusted(client, &found, places));
    let mut folders = Vec::new();
    for line in found.iter().flat_map(lines) {
        let wrap = if line.iter().any(|word| word == "proxy") { "--wrap " } else { "" };
        let hint = format!("run `lro setup {wrap}{}` again", client.name);
        let level = |(message, is_broken)| if is_broken { broken(message, hint) } else { note(message, hint) };
        problems.extend(programs.problem(&line[0]).map(level));
        let (folder, problem) = lro::examine_output_dir(output_dir(line).map(Path::new));
        problems.extend(problem.map(|error| broken(error.message().to_owned(), error.hint().to_owned())));
        folders.push(folder.display().to_string());
    }
    problems.extend(version_problem(client, version.as_ref(), !folders.is_empty()));
    problems.sort_by_key(|problem| problem.level);
    let mut unique: Vec<Problem> = Vec::new();
    for problem in problems {
        if !unique.contains(&problem) {
            unique.push(problem);
        }
    }
    folders.dedup();
    Report { client, is_there, version, found, has_extension, problems: unique, folders }
}

/// True for two paths of one file.
fn is_same(one: &Path, other: &Path) -> bool {
    one == other || one.canonicalize().is_ok_and(|one| other.canonicalize().is_ok_and(|other| one == other))
}

/// All command lines of ours in a configuration.
fn lines(file: &Found) -> impl Iterator<Item = &Vec<String>> {
    file.hooks.iter().map(|(_, line)| line).chain(&file.server).chain(&file.wrapped)
}

fn version_problem(client: &Client, version: Option<&Version>, is_on: bool) -> Option<Problem> {
    let program = client.program?;
    match (version?, client.tested) {
        (Version::Unknown(reason), _) if is_on => {
            Some(note(format!("the version of `{program}` is not known: {reason}"), ""))
        }
        (Version::Known(version), Some(tested)) if is_on && version != tested => Some(note(
            format!("version {version} was never tested with lro, {tested} was"),
            "if results stay large, report it",
        )),
        _ => None,
    }
}

/// Codex skips hooks until its user trusts them.
fn untrusted(client: &Client, found: &[Found], places: &Places) -> Vec<Problem> {
    if client.name != "codex" {
        return Vec::new();
    }
    let user = client
        .files
        .iter()
        .map(|file| places.shown(&places.path(file, Path::exists)))
        .find_map(|path| found.iter().find(|file| file.path == path).map(|file| &file.value));
    let mut problems = Vec::new();
    for file in found {
        let path = client.files.iter().map(|row| places.path(row, Path::exists)).find(|path| places.shown(path) == file.path);
        let names = names(&path.unwrap_or_default());
        for (place, _) in &file.hooks {
            if !user.is_some_and(|user| examine::is_trusted(user, &names, place)) {
                problems.push(broken(
                    format!("the hook in {} is not trusted, so Codex skips it", file.path),
                    "start `codex`, open /hooks and trust the hook of lro",
                ));
            }
        }
    }
    problems
}

/// A path as it may be written down: as it is, and with its links followed.
fn names(path: &Path) -> Vec<String> {
    let followed = path.canonicalize().unwrap_or_default();
    [path.to_owned(), followed].iter().map(|path: &PathBuf| path.display().to_string()).collect()
}
