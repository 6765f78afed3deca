//! Writes events to a file as JSON Lines or to standard error, never among the results.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::PathBuf;

use clap::Args;
use lro::Event;

use crate::output;

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
        if events.is_empty() {
            return;
        }
        if let Some(file) = &self.events {
            match append(file, events) {
                Ok(()) => return,
                Err(error) => output::remark(&format!("cannot write events to `{}`: {error}", file.display())),
            }
        }
        for event in events.iter().filter(|event| !ROUTINE.contains(&&*event.name)) {
            output::remark(&format!("{}: {}", event.name, event.message));
        }
    }
}

fn append(file: &PathBuf, events: &[Event]) -> io::Result<()> {
    let lines: String = events.iter().map(|event| format!("{}\n", event.to_json())).collect();
    OpenOptions::new().append(true).create(true).open(file)?.write_all(lines.as_bytes())
}
