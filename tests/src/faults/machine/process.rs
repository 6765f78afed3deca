//! A process that has to end by itself and soon: what it printed, and how it ended.

use std::io::{Read, Write};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

/// How long the output may stay open after the process has ended: something that it started may hold it.
const AFTERWARDS: Duration = Duration::from_secs(5);

/// Between two looks at a process.
const PAUSE: Duration = Duration::from_millis(2);

/// How a process ended.
#[derive(Debug)]
pub(super) struct Ended {
    /// Its exit status, or nothing after a signal.
    pub(super) status: Option<i32>,
    pub(super) stdout: Vec<u8>,
    pub(super) stderr: String,
    /// It was stopped, or its output was still open when it had ended.
    pub(super) is_late: bool,
    /// Its largest resident memory in KiB, as far as that was seen.
    pub(super) peak_kib: u64,
}

impl Ended {
    /// The first thing that no careful program does: hang, panic, die of a signal.
    pub(super) fn accident(&self) -> Result<(), String> {
        let what = match () {
            () if self.is_late => "it does not end",
            () if self.stderr.contains("panicked") => "it panicked",
            () if self.status.is_none() => "a signal ended it",
            () if self.status == Some(101) => "it ended as a panic does",
            () if self.status.is_some_and(|status| status > 125) => "it could not be started, or was aborted",
            () => return Ok(()),
        };
        Err(format!("{what}: {}", self.shown()))
    }

    /// In a few words, for a failure's line.
    pub(super) fn shown(&self) -> String {
        let part = |text: &str| text.chars().take(200).collect::<String>().replace('\n', "⏎");
        let stdout = part(&String::from_utf8_lossy(&self.stdout));
        format!("status {:?}, stdout `{stdout}`, stderr `{}`", self.status, part(&self.stderr))
    }

    /// What it printed, as text.
    pub(super) fn text(&self) -> &str {
        str::from_utf8(&self.stdout).unwrap_or("(not UTF-8)")
    }

    /// What it printed, if it succeeded.
    pub(super) fn printed(self) -> Result<String, String> {
        self.accident()?;
        match self.status {
            Some(0) => Ok(self.text().to_owned()),
            _ => Err(self.shown()),
        }
    }
}

/// Runs a process to its end, or stops it.
pub(super) fn end(command: &mut Command, input: &[u8], longest: Duration) -> Result<Ended, String> {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|error| format!("cannot start {command:?}: {error}"))?;
    let (stdin, input) = (child.stdin.take(), input.to_owned());
    // Threads that nobody waits for: what holds a pipe for ever holds them alone.
    thread::spawn(move || stdin.map(|mut stdin| stdin.write_all(&input)));
    let (stdout, stderr) = (all_of(child.stdout.take()), all_of(child.stderr.take()));
    let (begin, status_file) = (Instant::now(), format!("/proc/{}/status", child.id()));
    let (mut is_late, mut peak_kib) = (false, 0);
    let status = loop {
        peak_kib = peak_kib.max(peak(&status_file));
        if let Some(status) = child.try_wait().map_err(|error| error.to_string())? {
            break status;
        }
        if begin.elapsed() > longest {
            is_late = true;
            // It may have ended in this moment.
            let _ = child.kill();
        }
        thread::sleep(PAUSE);
    };
    let mut rest = |output: &mpsc::Receiver<Vec<u8>>| {
        output.recv_timeout(AFTERWARDS).unwrap_or_else(|_| {
            is_late = true;
            Vec::new()
        })
    };
    let (stdout, stderr) = (rest(&stdout), rest(&stderr));
    let stderr = String::from_utf8_lossy(&stderr).into_owned();
    Ok(Ended { status: status.code(), stdout, stderr, is_late, peak_kib })
}

fn all_of(stream: Option<impl Read + Send + 'static>) -> mpsc::Receiver<Vec<u8>> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        // A broken pipe ends what can be read.
        let _ = stream.map(|mut stream| stream.read_to_end(&mut bytes));
        sender.send(bytes)
    });
    receiver
}

/// The largest resident memory of a process so far, where the system tells it.
fn peak(status_file: &str) -> u64 {
    let status = std::fs::read_to_string(status_file).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok()).unwrap_or_default()
}
