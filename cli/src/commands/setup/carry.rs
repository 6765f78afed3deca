//! The edge of a plan: reads what is there, and carries plans out for all files or none.

use std::path::{Path, PathBuf};

use super::clients::Client;
use super::disk::{self, Step};
use super::document::Invalid;
use super::plan::{self, Edit, Next, Plan, State};
use super::record::{self, Action, Record};
use crate::failure::Failure;

/// A file, and what is done to it.
pub(crate) struct Target {
    pub(crate) path: PathBuf,
    pub(crate) edit: Edit,
    /// The client that reads it, if it is known.
    pub(crate) client: Option<&'static Client>,
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
}

impl Job {
    /// Reads a file and plans what is done to it.
    pub(crate) fn new(target: Target, action: Action, is_undo: bool) -> Result<Self, Failure> {
        let Target { path, edit, client } = target;
        let state = state(&path, action)?;
        let planned = if is_undo { plan::undo(&state, &edit) } else { plan::do_it(&state, &edit) };
        let plan = planned.map_err(|invalid| failure(&path, &invalid))?;
        let copy = copy(&path, &state, &plan, action);
        Ok(Self { path, edit, client, state, plan, copy, action })
    }

    /// True if the file changes, or what we keep about it.
    pub(crate) fn changes(&self) -> bool {
        self.plan.next != Next::Nothing
    }

    /// The steps on disk: the copy first, then the file, then the record.
    fn steps(&self, folders: Vec<PathBuf>) -> Result<Vec<Step>, Failure> {
        let record_path = record::path(&self.path, self.action);
        let record_before = disk::read(&record_path)?;
        let beside = |path: PathBuf, text: Option<String>, before: Option<String>| Step {
            path,
            text,
            before,
            like: Some(self.path.clone()),
        };
        let file = Step {
            path: self.path.clone(),
            text: self.plan.after.clone(),
            before: self.state.text.clone(),
            like: None,
        };
        let is_same = self.plan.after == self.state.text;
        let mut steps = Vec::new();
        match &self.plan.next {
            Next::Nothing => return Ok(steps),
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
        Ok(steps)
    }
}

fn copy(path: &Path, state: &State, plan: &Plan, action: Action) -> Option<PathBuf> {
    let old = state.record.as_ref().and_then(|record| record.copy.as_ref());
    match &plan.next {
        Next::Record { makes_copy: true, .. } | Next::Forget { makes_copy: true, .. } => {
            Some(record::free_copy(path, action))
        }
        Next::Forget { removes_copy: true, .. } => None,
        _ => old.map(|name| path.with_file_name(name)),
    }
}

fn state(path: &Path, action: Action) -> Result<State, Failure> {
    let text = disk::read(path)?;
    let record = disk::read(&record::path(path, action))?.and_then(|text| Record::parse(&text));
    let copy = match record.as_ref().and_then(|record| record.copy.as_ref()) {
        Some(name) => disk::read(&path.with_file_name(name))?,
        None => None,
    };
    Ok(State { text, record, copy })
}

fn failure(path: &Path, invalid: &Invalid) -> Failure {
    let line = invalid.line.map_or(String::new(), |line| format!(" line {line}:"));
    Failure::Configuration {
        message: format!("cannot edit `{}`:{line} {}", path.display(), invalid.reason),
        hint: "correct the file, then try again; nothing was changed".to_owned(),
    }
}

/// Carries out all plans, or none of them.
pub(crate) fn carry_out(jobs: &[Job]) -> Result<(), Failure> {
    let mut folders: Vec<PathBuf> = Vec::new();
    let result = all_steps(jobs, &mut folders).and_then(|steps| disk::take(&steps));
    if result.is_err() {
        disk::remove_folders(&folders);
        return result;
    }
    let gone = jobs.iter().filter(|job| job.plan.after.is_none()).filter_map(|job| job.state.record.as_ref());
    let mut created: Vec<PathBuf> = gone.flat_map(|record| record.folders.iter().cloned()).collect();
    // Parents sort before what is in them.
    created.sort();
    disk::remove_folders(&created);
    Ok(())
}

fn all_steps(jobs: &[Job], folders: &mut Vec<PathBuf>) -> Result<Vec<Step>, Failure> {
    let mut steps = Vec::new();
    for job in jobs.iter().filter(|job| job.changes()) {
        let new = if job.plan.after.is_some() { disk::create_folder_of(&job.path)? } else { Vec::new() };
        folders.extend(new.iter().cloned());
        steps.extend(job.steps(new)?);
    }
    Ok(steps)
}
