//! A folder for a conversation, and the processes that belong to it.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::command;
use crate::faults::Bench;

/// A variable that every process of a conversation inherits, whoever starts it.
const MARK: &str = "FAULTS_MARK";

/// How long the last process may take to go.
const GONE_WITHIN: Duration = Duration::from_secs(5);

/// A folder for a conversation, and a mark on its processes.
#[derive(Debug)]
pub struct Place {
    /// The folder, which goes with this.
    pub folder: TempDir,
    mark: String,
}

impl Place {
    /// A new place.
    ///
    /// # Errors
    /// One line that says why there is none.
    pub fn new(bench: &Bench) -> Result<Self, String> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let mark = format!("{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        Ok(Self { folder: bench.folder()?, mark })
    }

    /// A program with the environment of this place, to be given arguments and streams.
    #[must_use]
    pub fn program(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("LRO_CACHE_DIR", command::profile().join("compiled"))
            .env(MARK, &self.mark)
            .stderr(Stdio::null());
        command
    }

    /// The command `lro` in this place. `wrapper` is a program, with arguments, that starts it.
    #[must_use]
    pub fn lro(&self, bench: &Bench, wrapper: &[&str], subcommand: &str, flags: &[&str]) -> Command {
        let lro = bench.lro().display().to_string();
        let words: Vec<&str> = wrapper.iter().copied().chain([lro.as_str()]).collect();
        let mut command = self.program(words[0]);
        command.args(&words[1..]).args([subcommand, "--output-dir"]).arg(self.results()).args(flags);
        command
    }

    /// Where results go.
    #[must_use]
    pub fn results(&self) -> PathBuf {
        self.folder.path().join("results")
    }

    /// Processes that are still there, after they had time to go.
    #[must_use]
    pub fn left_behind(&self) -> Vec<u32> {
        let start = Instant::now();
        loop {
            let left = self.processes();
            if left.is_empty() || start.elapsed() > GONE_WITHIN {
                return left;
            }
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// An error if processes are left, which are then ended.
    ///
    /// # Errors
    /// One line that names them.
    pub fn is_left_clean(&self) -> Result<(), String> {
        let left = self.left_behind();
        for process in &left {
            // It may have gone meanwhile.
            let _ = Command::new("kill").args(["-KILL", &process.to_string()]).stderr(Stdio::null()).status();
        }
        if !left.is_empty() {
            return Err(format!("{} processes are left behind", left.len()));
        }
        match self.unfinished() {
            0 => Ok(()),
            count => Err(format!("{count} unfinished files are left behind")),
        }
    }

    fn processes(&self) -> Vec<u32> {
        let mark = format!("{MARK}={}", self.mark);
        let is_ours = |process: &u32| {
            let variables = fs::read(format!("/proc/{process}/environ")).unwrap_or_default();
            variables.split(|byte| *byte == 0).any(|variable| variable == mark.as_bytes())
        };
        let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
        entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).filter(is_ours).collect()
    }

    fn unfinished(&self) -> usize {
        let names = |folder: PathBuf| fs::read_dir(folder).into_iter().flatten().flatten();
        let sessions = names(self.results()).filter(|entry| entry.path().is_dir());
        let files = sessions.flat_map(|session| names(session.path())).chain(names(self.results()));
        files.filter(|file| file.file_name().to_string_lossy().ends_with(".part")).count()
    }
}

/// Compiles the component once, so that no try waits for it.
///
/// # Errors
/// One line that says what failed.
pub fn compile_once(bench: &Bench) -> Result<(), String> {
    let place = Place::new(bench)?;
    let mut estimate = place.program(&bench.lro().display().to_string());
    match estimate.arg("estimate").stdin(Stdio::null()).stdout(Stdio::null()).status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("the component cannot be compiled: {status}")),
        Err(error) => Err(format!("cannot start lro: {error}")),
    }
}

/// The words that start the server of these suites.
#[must_use]
pub fn server() -> [String; 2] {
    let this = std::env::current_exe().map(|path| path.display().to_string()).unwrap_or_default();
    [this, super::server::WORD.to_owned()]
}
