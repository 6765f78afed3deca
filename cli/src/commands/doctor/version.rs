//! The version of a program, which it is asked for with a time limit and without a home folder to write to.

use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

/// Clients that run on Node.js take seconds, and more on a busy machine.
const LONGEST: Duration = Duration::from_secs(20);

/// A version is one line.
const MOST_BYTES: u64 = 64 << 10;

/// What a program says of its version.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Version {
    /// The program is not installed.
    NotFound,
    Known(String),
    /// Why it is not known.
    Unknown(String),
}

/// Asks programs for their versions, all at once.
pub(super) fn versions(programs: &[&str]) -> Vec<Version> {
    thread::scope(|scope| {
        let asked: Vec<_> = programs.iter().map(|program| scope.spawn(move || version(program))).collect();
        let failed = || Version::Unknown("it could not be asked".to_owned());
        asked.into_iter().map(|answer| answer.join().unwrap_or_else(|_| failed())).collect()
    })
}

fn version(program: &str) -> Version {
    // Some programs create folders in the home folder even then.
    let Ok(home) = tempfile::tempdir() else {
        return Version::Unknown("no temporary folder can be created".to_owned());
    };
    let mut command = Command::new(program);
    command.arg("--version").stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    without_home(&mut command, home.path());
    let mut child = match crate::start::start(&mut command) {
        Ok(child) => child,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Version::NotFound,
        Err(error) => return Version::Unknown(format!("it cannot be started: {error}")),
    };
    let (sender, receiver) = channel();
    if let Some(stdout) = child.stdout.take() {
        thread::spawn(move || {
            let mut said = Vec::new();
            let read = stdout.take(MOST_BYTES).read_to_end(&mut said);
            // Nobody waits any more if that took too long.
            let _ = sender.send(read.map(|_| said));
        });
    }
    let said = receiver.recv_timeout(LONGEST);
    #[cfg(unix)]
    crate::system::signal_group(child.id(), signal_hook::consts::SIGKILL);
    let _ = child.kill();
    let _ = child.wait();
    match said {
        Ok(Ok(said)) => parsed(&String::from_utf8_lossy(&said)),
        _ => Version::Unknown(format!("it does not answer --version within {} seconds", LONGEST.as_secs())),
    }
}

fn without_home(command: &mut Command, home: &Path) {
    for variable in ["HOME", "USERPROFILE", "CODEX_HOME", "CLAUDE_CONFIG_DIR", "GEMINI_CLI_HOME", "XDG_CONFIG_HOME"] {
        command.env(variable, home);
    }
    for variable in ["XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"] {
        command.env(variable, home);
    }
    command.current_dir(home);
}

/// The first word that begins with a digit.
fn parsed(said: &str) -> Version {
    let is_version = |word: &&str| word.trim_start_matches('v').starts_with(|letter: char| letter.is_ascii_digit());
    match said.split_whitespace().find(is_version) {
        Some(word) => Version::Known(word.trim_start_matches('v').to_owned()),
        None => Version::Unknown("it does not say one".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_found_in_what_programs_say() {
        for (said, expected) in
            [("2.1.330 (Claude Code)", "2.1.330"), ("codex-cli 0.169.0\n", "0.169.0"), ("v1.2", "1.2")]
        {
            assert_eq!(parsed(said), Version::Known(expected.to_owned()), "{said}");
        }
        assert!(matches!(parsed("hello"), Version::Unknown(_)));
        assert_eq!(versions(&["a-program-that-nobody-has"]), [Version::NotFound]);
    }
}
