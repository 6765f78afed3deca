//! From what is there to the steps on disk, for all files together.

use std::path::{Path, PathBuf};

use serde::Serialize;

use super::choice::{Target, targets};
use super::clients::Client;
use super::document::Invalid;
use super::plan::{self, Edit, Next, Plan, State};
use super::record::{self, Action, Record};
use super::report::Report;
use super::templates::Lro;
use super::{Line, Look, Problem, Request, Seen, Step};

/// What is to be done, for all files or none.
#[derive(Debug, Serialize)]
pub struct Prepared {
    /// The folders that are created, outermost first.
    pub folders: Vec<PathBuf>,
    /// The steps, in their order.
    pub steps: Vec<Step>,
    /// The folders that are removed in the end if they are empty, outermost first.
    pub gone: Vec<PathBuf>,
    /// What the user is told.
    pub report: Vec<Line>,
}

/// Plans what is asked for.
///
/// # Errors
/// Why nothing is done.
pub fn prepare(request: &Request, look: &Look<'_>) -> Result<Prepared, Problem> {
    let lro =
        Lro { command: request.command.clone(), output_dir: request.output_dir.clone(), system: request.places.system };
    let action = if request.wrap { Action::Wrap } else { Action::Setup };
    let targets = targets(request, &lro, look)?;
    let jobs = targets.into_iter().map(|target| Job::new(target, action, request.undo, look));
    let jobs = jobs.collect::<Result<Vec<Job>, Problem>>()?;
    let (folders, steps) = all_steps(&jobs);
    let report = Report { request, lro: &lro, jobs: &jobs }.lines();
    Ok(Prepared { folders, steps, gone: gone(&jobs), report })
}

/// The folders that are created, and all steps.
fn all_steps(jobs: &[Job]) -> (Vec<PathBuf>, Vec<Step>) {
    let (mut folders, mut steps) = (Vec::new(), Vec::new());
    for job in jobs.iter().filter(|job| job.changes()) {
        let missing =
            job.missing_folders.iter().filter(|folder| job.plan.after.is_some() && !folders.contains(*folder));
        let new: Vec<PathBuf> = missing.cloned().collect();
        folders.extend(new.iter().cloned());
        steps.extend(job.steps(new));
    }
    (folders, steps)
}

/// The folders that were created for files that go. Parents sort before what is in them.
fn gone(jobs: &[Job]) -> Vec<PathBuf> {
    let gone = jobs.iter().filter(|job| job.plan.after.is_none()).filter_map(|job| job.state.record.as_ref());
    let mut folders: Vec<PathBuf> = gone.flat_map(|record| record.folders.iter().cloned()).collect();
    folders.sort();
    folders
}

/// A file, what is there, and what is to become of it.
pub(crate) struct Job {
    pub(crate) path: PathBuf,
    pub(crate) edit: Edit,
    pub(crate) client: Option<&'static Client>,
    pub(crate) state: State,
    pub(crate) plan: Plan,
    /// The copy that is made, or was made and stays.
    pub(crate) copy: Option<PathBuf>,
    action: Action,
    record_before: Option<String>,
    missing_folders: Vec<PathBuf>,
}

impl Job {
    /// Looks at a file and plans what is done to it.
    fn new(target: Target, action: Action, is_undo: bool, look: &Look<'_>) -> Result<Self, Problem> {
        let Target { path, edit, client } = target;
        let seen = look(&path)?;
        let record_before = seen.text_beside(&record::path(&path, action));
        let state = state(&path, &seen, record_before.as_deref());
        let planned = if is_undo { plan::undo(&state, &edit) } else { plan::do_it(&state, &edit) };
        let plan = planned.map_err(|invalid| problem(&path, &invalid))?;
        let copy = copy(&path, &seen, &state, &plan, action);
        let missing_folders = seen.missing_folders;
        Ok(Self { path, edit, client, state, plan, copy, action, record_before, missing_folders })
    }

    /// True if the file changes, or what we keep about it.
    fn changes(&self) -> bool {
        self.plan.next != Next::Nothing
    }

    /// The steps on disk: the copy first, then the file, then the record.
    fn steps(&self, folders: Vec<PathBuf>) -> Vec<Step> {
        let record_path = record::path(&self.path, self.action);
        let record_before = self.record_before.clone();
        let beside = |path: PathBuf, text: Option<String>, before: Option<String>| Step {
            path,
            text,
            before,
            like: Some(self.path.clone()),
            follows: false,
        };
        let file = Step {
            path: self.path.clone(),
            text: self.plan.after.clone(),
            before: self.state.text.clone(),
            like: None,
            follows: self.state.record.as_ref().is_some_and(|record| !record.existed),
        };
        let is_same = self.plan.after == self.state.text;
        let mut steps = Vec::new();
        match &self.plan.next {
            Next::Nothing => return steps,
            Next::Record { record, makes_copy } => {
                let mut record = Record::clone(record);
                record.folders.extend(folders);
                if let (true, Some(copy)) = (makes_copy, &self.copy) {
                    record.copy = copy.file_name().and_then(|name| name.to_str()).map(str::to_owned);
                    steps.push(beside(copy.clone(), self.state.text.clone(), None));
                }
                steps.push(file);
                steps.push(beside(record_path, Some(record.to_text()), record_before));
            }
            Next::Forget { removes_copy, makes_copy } => {
                if let (true, Some(copy)) = (makes_copy, &self.copy) {
                    steps.push(beside(copy.clone(), self.state.text.clone(), None));
                }
                if !is_same {
                    steps.push(file);
                }
                let record = self.state.record.as_ref();
                if let (true, Some(name)) = (removes_copy, record.and_then(|record| record.copy.as_ref())) {
                    steps.push(beside(self.path.with_file_name(name), None, self.state.copy.clone()));
                }
                if record_before.is_some() {
                    steps.push(beside(record_path, None, record_before));
                }
            }
        }
        steps
    }
}

fn copy(path: &Path, seen: &Seen, state: &State, plan: &Plan, action: Action) -> Option<PathBuf> {
    let old = state.record.as_ref().and_then(|record| record.copy.as_ref());
    match &plan.next {
        Next::Record { makes_copy: true, .. } | Next::Forget { makes_copy: true, .. } => {
            Some(record::free_copy(path, action, |name| seen.beside.contains_key(name)))
        }
        Next::Forget { removes_copy: true, .. } => None,
        _ => old.map(|name| path.with_file_name(name)),
    }
}

fn state(path: &Path, seen: &Seen, record: Option<&str>) -> State {
    let record = record.and_then(Record::parse);
    let copy = record.as_ref().and_then(|record| record.copy.as_ref());
    let copy = copy.and_then(|name| seen.text_beside(&path.with_file_name(name)));
    State { text: seen.text.clone(), record, copy }
}

impl Seen {
    /// The text of a file beside the configuration.
    fn text_beside(&self, path: &Path) -> Option<String> {
        self.beside.get(path.file_name()?.to_str()?)?.clone()
    }
}

fn problem(path: &Path, invalid: &Invalid) -> Problem {
    let line = invalid.line.map_or(String::new(), |line| format!(" line {line}:"));
    Problem::Configuration {
        message: format!("cannot edit `{}`:{line} {}", path.display(), invalid.reason),
        hint: "correct the file, then try again; nothing was changed".to_owned(),
    }
}
