//! What `lro setup` prints: the difference, what became of each file, and what is next.

use serde_json::json;

use super::carry::Job;
use super::diff::{Public, unified};
use super::entries::What;
use super::places::Places;
use super::plan::{Edit, Next};
use super::templates::Lro;
use crate::failure::Failure;
use crate::output;

/// What was asked for.
pub(super) struct Report {
    pub(super) is_undo: bool,
    pub(super) is_dry: bool,
    pub(super) is_wrap: bool,
    pub(super) is_project: bool,
}

impl Report {
    pub(super) fn print(&self, places: &Places, lro: &Lro, jobs: &[Job]) -> Result<(), Failure> {
        let public = public(lro, jobs);
        for job in jobs {
            let name = places.shown(&job.path);
            if job.plan.after != job.state.text {
                let [before, after] =
                    [&job.state.text, &job.plan.after].map(|text| text.as_deref().unwrap_or_default());
                // A plugin contains no secrets: it is ours.
                let public = (!matches!(job.edit, Edit::Plugin { .. })).then_some(&public);
                output::write(unified(&name, before, after, public).as_bytes())?;
            }
            output::line(&self.summary(places, job, &name))?;
            for left in &job.plan.left {
                output::line(&format!("  left alone: {}", output::printable(left)))?;
            }
        }
        if self.is_dry { Ok(()) } else { self.print_next(jobs) }
    }

    /// What the user has to do, once for each client that has changed.
    fn print_next(&self, jobs: &[Job]) -> Result<(), Failure> {
        let mut lines: Vec<String> = Vec::new();
        for client in jobs.iter().filter(|job| job.plan.after != job.state.text).filter_map(|job| job.client) {
            lines.push(match self.is_undo || self.is_wrap {
                true => format!("next: restart {}", client.title),
                false => format!("next: {}", client.next[usize::from(!self.is_project)]),
            });
        }
        lines.dedup();
        lines.iter().try_for_each(|line| output::line(line))
    }

    /// One line about a file.
    fn summary(&self, places: &Places, job: &Job, name: &str) -> String {
        let name = output::printable(name);
        if job.plan.after == job.state.text {
            let verb = if self.is_undo { "undo" } else { "change" };
            return format!("{name}: nothing to {verb}");
        }
        let would = if self.is_dry { "would be " } else { "" };
        let what = match (&job.state.text, &job.plan.after) {
            (None, _) => "created",
            (_, None) => "deleted",
            _ if matches!(job.plan.next, Next::Forget { removes_copy: true, .. }) => "restored",
            _ => "changed",
        };
        let copy = job.copy.as_ref().map_or(String::new(), |copy| {
            format!(", what was there before is in {}", output::printable(&places.shown(copy)))
        });
        format!("{name}: {would}{what}{copy}")
    }
}

/// Programs and flags that many configurations have, and which are no secrets.
const WELL_KNOWN: [&str; 11] =
    ["stdio", "local", "command", "http", "sse", "npx", "uvx", "node", "python", "docker", "-y"];

/// The texts that a difference may show.
fn public(lro: &Lro, jobs: &[Job]) -> Public {
    let mut public = Public::default();
    public.add(&json!(lro.proxy()));
    public.add(&json!(WELL_KNOWN));
    let all = jobs.iter().filter_map(|job| match &job.edit {
        Edit::Entries { entries, .. } => Some(entries),
        Edit::Plugin { .. } | Edit::Wrap { .. } => None,
    });
    for entry in all.flatten() {
        match &entry.what {
            What::Server(value) | What::Hook { element: value, .. } => public.add(value),
            What::Text(text) => public.add(&json!(text)),
            What::Required { .. } => {}
        }
    }
    public
}
