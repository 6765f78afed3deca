//! What `lro setup` says: the difference, what became of each file, and what is next.

use serde_json::json;

use super::carry::Job;
use super::diff::{Public, unified};
use super::entries::What;
use super::plan::{Edit, Next};
use super::templates::Lro;
use super::{Line, Request};

/// What is told about.
pub(crate) struct Report<'a> {
    pub(crate) request: &'a Request,
    pub(crate) lro: &'a Lro,
    pub(crate) jobs: &'a [Job],
}

impl Report<'_> {
    pub(crate) fn lines(&self) -> Vec<Line> {
        let mut lines = Vec::new();
        let public = public(self.lro, self.jobs);
        for job in self.jobs {
            let name = self.request.places.shown(&job.path);
            if job.plan.after != job.state.text {
                let [before, after] =
                    [&job.state.text, &job.plan.after].map(|text| text.as_deref().unwrap_or_default());
                // A plugin contains no secrets: it is ours.
                let public = (!matches!(job.edit, Edit::Plugin { .. })).then_some(&public);
                lines.push(Line::Difference(unified(&name, before, after, public)));
            }
            lines.push(Line::Text(self.summary(job, &name)));
            lines.extend(job.plan.left.iter().map(|left| Line::Text(format!("  left alone: {left}"))));
        }
        if !self.request.dry_run {
            lines.extend(self.next());
        }
        lines
    }

    /// What the user has to do, once for each client that has changed.
    fn next(&self) -> Vec<Line> {
        let mut lines: Vec<String> = Vec::new();
        let changed = self.jobs.iter().filter(|job| job.plan.after != job.state.text);
        for client in changed.filter_map(|job| job.client) {
            lines.push(match self.request.undo || self.request.wrap {
                true => format!("next: restart {}", client.title),
                false => format!("next: {}", client.next[usize::from(!self.request.project)]),
            });
        }
        lines.dedup();
        lines.into_iter().map(Line::Text).collect()
    }

    /// One line about a file.
    fn summary(&self, job: &Job, name: &str) -> String {
        if job.plan.after == job.state.text {
            let verb = if self.request.undo { "undo" } else { "change" };
            return format!("{name}: nothing to {verb}");
        }
        let would = if self.request.dry_run { "would be " } else { "" };
        let what = match (&job.state.text, &job.plan.after) {
            (None, _) => "created",
            (_, None) => "deleted",
            _ if matches!(job.plan.next, Next::Forget { removes_copy: true, .. }) => "restored",
            _ => "changed",
        };
        let copy = job.copy.as_ref().map_or(String::new(), |copy| {
            format!(", what was there before is in {}", self.request.places.shown(copy))
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
