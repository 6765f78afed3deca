//! What `lro doctor` prints, as text and as JSON.

use serde_json::{Value, json};

use super::examine::{Found, Level, Problem};
use super::version::Version;
use lro_clients::setup::clients::{Client, Scope};
use crate::output::{counted, printable};

/// What is known about a client.
pub(super) struct Report {
    pub(super) client: &'static Client,
    /// Its program or one of its configurations is there.
    pub(super) is_there: bool,
    pub(super) version: Option<Version>,
    pub(super) found: Vec<Found>,
    pub(super) has_extension: bool,
    pub(super) problems: Vec<Problem>,
    /// Where files go.
    pub(super) folders: Vec<String>,
}

impl Report {
    /// How results are offloaded, if they are.
    fn ways(&self) -> Vec<&'static str> {
        let has = |what: fn(&Found) -> bool| self.found.iter().any(what);
        let ways = [
            (has(|file| !file.hooks.is_empty()), "hook"),
            (has(|file| file.has_plugin) || self.has_extension, "plugin"),
            (has(|file| !file.wrapped.is_empty()), "proxy"),
        ];
        ways.into_iter().filter(|(is_there, _)| *is_there).map(|(_, way)| way).collect()
    }

    fn version(&self) -> Option<&str> {
        match &self.version {
            Some(Version::Known(version)) => Some(version),
            _ => None,
        }
    }
}

fn scope(file: &Found) -> &'static str {
    match file.scope {
        Scope::User => "user",
        Scope::Project => "project",
    }
}

/// The report for people.
pub(super) fn text(reports: &[Report]) -> String {
    let mut out = format!("lro {}\n", env!("CARGO_PKG_VERSION"));
    for report in reports.iter().filter(|report| report.is_there) {
        let ways = report.ways();
        let state = match (ways.is_empty(), report.client.has_hook()) {
            (false, _) => format!("on ({})", ways.join(", ")),
            (true, true) => format!("off (lro setup {})", report.client.name),
            (true, false) => format!("off (lro setup --wrap {})", report.client.name),
        };
        let version = report.version().map_or(String::new(), |version| format!(" {version}"));
        out.push_str(&format!("\n{}{version}: {state}\n", report.client.title));
        for file in &report.found {
            if let Some(what) = contents(file) {
                out.push_str(&format!("  {}: {what}\n", file.path));
            }
        }
        for folder in &report.folders {
            out.push_str(&format!("  files go to {folder}\n"));
        }
        for problem in &report.problems {
            let level = if problem.level == Level::Broken { "broken" } else { "note" };
            let hint = if problem.hint.is_empty() { String::new() } else { format!(" ({})", problem.hint) };
            out.push_str(&format!("  {level}: {}{}\n", printable(&problem.message), printable(&hint)));
        }
    }
    let missing: Vec<&str> =
        reports.iter().filter(|report| !report.is_there).map(|report| report.client.title).collect();
    if !missing.is_empty() {
        out.push_str(&format!("\nnot found: {}\n", missing.join(", ")));
    }
    out
}

fn contents(file: &Found) -> Option<String> {
    let mut what = Vec::new();
    if !file.hooks.is_empty() {
        what.push("hook".to_owned());
    }
    if file.server.is_some() {
        what.push("server".to_owned());
    }
    if file.has_plugin {
        what.push("plugin".to_owned());
    }
    if !file.wrapped.is_empty() {
        let bare = if file.bare > 0 { format!(", {} without it", file.bare) } else { String::new() };
        what.push(format!("{} behind the proxy{bare}", counted(file.wrapped.len() as u64, "server")));
    }
    (!what.is_empty()).then(|| what.join(", "))
}

/// The report for programs.
pub(super) fn json(reports: &[Report]) -> String {
    let file = |file: &Found| {
        json!({
            "path": file.path, "scope": scope(file), "hooks": file.hooks.len(), "server": file.server.is_some(),
            "plugin": file.has_plugin, "wrapped": file.wrapped.len(), "unwrapped": file.bare,
        })
    };
    let problem = |problem: &Problem| {
        let level = if problem.level == Level::Broken { "broken" } else { "note" };
        json!({ "level": level, "message": problem.message, "hint": problem.hint })
    };
    let client = |report: &Report| {
        json!({
            "name": report.client.name, "title": report.client.title, "found": report.is_there,
            "on": !report.ways().is_empty(), "ways": report.ways(), "version": report.version(),
            "tested": report.client.tested, "output_dirs": report.folders,
            "files": report.found.iter().map(file).collect::<Vec<Value>>(),
            "problems": report.problems.iter().map(problem).collect::<Vec<Value>>(),
        })
    };
    let clients: Vec<Value> = reports.iter().map(client).collect();
    format!("{}\n", json!({ "version": env!("CARGO_PKG_VERSION"), "clients": clients }))
}
