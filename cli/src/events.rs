//! Writes events to a file as JSON Lines or to standard error, never among the results.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::PathBuf;

use clap::Args;
use lro::Event;

use crate::output::{self, counted};

/// Events of every offload (READ-21). They go to a file: on standard error they would hide what went wrong.
const ROUTINE: [&str; 2] = ["LargeResultDetected", "OffloadWritten"];

/// The flag that says where events go.
#[derive(Args, Clone)]
pub(super) struct EventsFlag {
    /// Append events to this file as JSON Lines instead of writing them to standard error
    #[arg(long, value_name = "FILE")]
    events: Option<PathBuf>,
}

impl EventsFlag {
    /// Reports the events. If the file cannot be written, they go to standard error, except for those of every offload.
    pub(super) fn report(&self, events: &[Event]) {
        if !events.is_empty() && !self.have_gone_to_file(events) {
            events.iter().for_each(remark);
        }
    }

    /// Reports the events where deleted files are a matter of course: on standard error they are only counted.
    pub(super) fn report_counted(&self, events: &[Event]) {
        let expired = self.report_others(events);
        if expired > 0 {
            output::remark(&format!("deleted {}, older than their time", counted(expired, "expired file")));
        }
    }

    /// Reports the events where deleted files are what was asked for: standard error does not name them.
    pub(super) fn report_quietly(&self, events: &[Event]) {
        self.report_others(events);
    }

    /// Reports the events that a dry run would have had, as such: a log must not say that files are gone.
    pub(super) fn report_dry_run(&self, events: &[Event]) {
        let would_have = |event: &Event| Event { message: format!("would delete {}", event.message), ..event.clone() };
        self.report(&events.iter().map(would_have).collect::<Vec<_>>());
    }

    /// Reports the events, those of deleted files only to a file. Returns how many of them were not reported.
    fn report_others(&self, events: &[Event]) -> u64 {
        if events.is_empty() || self.have_gone_to_file(events) {
            return 0;
        }
        let (expired, others): (Vec<&Event>, Vec<&Event>) = events.iter().partition(|event| event.name == FILE_EXPIRED);
        others.into_iter().for_each(remark);
        expired.len() as u64
    }

    fn have_gone_to_file(&self, events: &[Event]) -> bool {
        let Some(file) = &self.events else { return false };
        let written = append(file, events);
        if let Err(error) = &written {
            output::remark(&format!("cannot write events to `{}`: {error}", file.display()));
        }
        written.is_ok()
    }
}

/// The event of a file that was deleted.
const FILE_EXPIRED: &str = "OffloadFileExpired";

/// Reports an event on standard error, unless every offload has it.
fn remark(event: &Event) {
    if ROUTINE.contains(&&*event.name) {
        return;
    }
    output::remark(&format!("{}: {}", event.name, event.message));
}

fn append(file: &PathBuf, events: &[Event]) -> io::Result<()> {
    let lines: String = events.iter().map(|event| format!("{}\n", event.to_json())).collect();
    OpenOptions::new().append(true).create(true).open(file)?.write_all(lines.as_bytes())
}
