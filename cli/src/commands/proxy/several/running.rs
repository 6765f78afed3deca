//! A running server among several: its process or its connection, and the threads that talk to it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::thread;

use super::super::child::{self, Process};
use super::super::envelope;
#[cfg(feature = "http")]
use super::super::http;
use super::super::lines::{self, Said};
#[cfg(feature = "http")]
use super::super::oauth::Flags;
use super::super::server::Server;
use super::config::Way;
use super::switch::NO_ANSWER;
use super::{Lines, Shared, locked};

#[cfg(unix)]
const TERMINATE: i32 = signal_hook::consts::SIGTERM;
#[cfg(not(unix))]
const TERMINATE: i32 = 0;

/// The way to end a server.
#[derive(Default)]
pub(super) struct End {
    process: Mutex<Option<Process>>,
    connection: Mutex<Option<Box<dyn Server>>>,
}

impl End {
    /// The client says nothing more. A process notices that by itself.
    pub(super) fn close(&self) {
        if let Some(connection) = &*locked(&self.connection) {
            connection.close();
        }
    }

    pub(super) fn ask(&self) {
        if let Some(process) = &*locked(&self.process) {
            process.signal(TERMINATE);
        }
    }

    pub(super) fn kill(&self) {
        if let Some(process) = &mut *locked(&self.process) {
            process.kill();
        }
    }
}

/// Runs a server until it has ended.
pub(super) fn run(shared: &Arc<Shared>, server: usize, way: Way, lines: Lines) {
    let reason = match way {
        Way::Command { words, environment, folder } => {
            command(shared, server, &words, &environment, folder.as_ref(), lines)
        }
        #[cfg(feature = "http")]
        Way::Url { url, headers } => connection(shared, server, &url, &headers, lines),
        #[cfg(not(feature = "http"))]
        Way::Url { .. } => "this build has no HTTP".to_owned(),
    };
    shared.ended(server, &reason);
}

/// Runs a process. This thread must not end before it.
fn command(
    shared: &Arc<Shared>,
    server: usize,
    words: &[String],
    environment: &BTreeMap<String, String>,
    folder: Option<&PathBuf>,
    lines: Lines,
) -> String {
    let prepare = |command: &mut Command| {
        command.envs(environment);
        if let Some(folder) = folder.map(|folder| at_home(folder)) {
            command.current_dir(folder);
        }
    };
    let (process, input, output) = match child::start_with(words, &prepare) {
        Ok(started) => started,
        Err(failure) => return failure.to_text(),
    };
    let id = process.id();
    *locked(&shared.ends[server].process) = Some(process);
    let writer = thread::Builder::new().name("lro-input".to_owned()).spawn(move || {
        send(&lines, &input);
        input.close();
    });
    let listening = Arc::clone(shared);
    let reader = thread::Builder::new().name("lro-output".to_owned()).spawn(move || {
        // What cannot be read has ended.
        let _ = lines::each(output, listening.most_bytes, |said| listening.hears(server, said));
    });
    if writer.is_err() || reader.is_err() {
        shared.ends[server].kill();
    }
    wait(shared, server, id);
    // From now on the reader reads what is left, and ends.
    let status = locked(&shared.ends[server].process).take().and_then(|mut process| {
        process.has_ended();
        process.reap()
    });
    let _ = reader.map(thread::JoinHandle::join);
    match status {
        Some(status) => match child::signal_name(status) {
            Some(signal) => format!("it was ended by {signal}"),
            None => format!("it ended with status {}", child::exit_code(status)),
        },
        None => "it has ended".to_owned(),
    }
}

/// Waits until a process has ended.
#[cfg(unix)]
fn wait(_: &Arc<Shared>, _: usize, id: u32) {
    crate::system::wait_for_end(id);
}

#[cfg(not(unix))]
fn wait(shared: &Arc<Shared>, server: usize, _: u32) {
    while !locked(&shared.ends[server].process).as_mut().is_none_or(Process::has_ended) {
        thread::sleep(std::time::Duration::from_millis(50));
    }
}

/// Talks to a server behind a URL.
#[cfg(feature = "http")]
fn connection(shared: &Arc<Shared>, server: usize, url: &str, headers: &[String], lines: Lines) -> String {
    let given = http::Given { plain: headers, from_variables: &[], bearer: None };
    let connection = match http::connect(url, &given, &Flags::default(), shared.most_bytes) {
        Ok(connection) => connection,
        Err(failure) => return failure.to_text(),
    };
    *locked(&shared.ends[server].connection) = Some(Box::new(connection.clone()));
    let input = connection.clone();
    let writer = thread::Builder::new().name("lro-input".to_owned()).spawn(move || {
        send(&lines, &input);
        input.close();
    });
    if let Err(error) = writer {
        return format!("no thread can be started: {error}");
    }
    let _ = connection.each(&mut |mut line| shared.hears(server, Said::Line(&mut line)));
    "the connection has ended".to_owned()
}

/// Sends lines until there are no more, or the server has gone.
fn send(lines: &Lines, input: &dyn Server) {
    for line in &lines.taken {
        let is_sent = input.send(&line);
        lines.waiting.fetch_sub(line.len(), Ordering::Relaxed);
        if !is_sent {
            return;
        }
    }
}

impl Shared {
    /// Takes what a server says. False if nobody wants to hear more.
    fn hears(self: &Arc<Self>, server: usize, said: Said<'_>) -> bool {
        match said {
            Said::Line(line) => {
                if !line.ends_with(b"\n") {
                    line.push(b'\n');
                }
                self.act(|switch| switch.server_says(server, line));
            }
            Said::TooLong(outline) => {
                if let Some(id) = outline.id().filter(|_| !outline.is_request()) {
                    let most = self.most_bytes;
                    let message = format!("the answer is longer than {most} bytes; --max-message allows more");
                    self.act(|switch| switch.server_says(server, &envelope::error(id, NO_ANSWER, &message)));
                }
            }
        }
        true
    }
}

/// A folder that may begin with `~`.
fn at_home(folder: &Path) -> PathBuf {
    match (folder.strip_prefix("~"), std::env::home_dir()) {
        (Ok(rest), Some(home)) => home.join(rest),
        _ => folder.to_owned(),
    }
}
