//! The command as a process: with few variables, watched, and ended with its children.

use std::path::Path;
use std::process::{Child, Command};
use std::time::{Duration, Instant};
use std::{fs, thread};

/// The command in a folder of its own, behind words of another program that starts it, such as `sh -c 'ulimit …'`.
pub(in crate::faults) fn command(lro: &Path, folder: &Path, wrapper: &[&str]) -> Command {
    let mut command = match wrapper {
        [] => Command::new(lro),
        [first, rest @ ..] => {
            let mut command = Command::new(first);
            command.args(rest).arg(lro);
            command
        }
    };
    for name in ["RUST_BACKTRACE", "ATLATL_PROMPT__OFFLOAD__OUTPUT_DIR"] {
        command.env_remove(name);
    }
    command.env("ATLATL_PROMPT__OFFLOAD__OUTPUT_DIR", folder.join("results")).current_dir(folder);
    command
}

/// The most memory that a process has had, in KiB; 0 where nothing says so.
pub(in crate::faults) fn peak(process: u32) -> u64 {
    number(process, "VmHWM:")
}

/// How many files a process has open.
pub(in crate::faults) fn descriptors(process: u32) -> usize {
    fs::read_dir(format!("/proc/{process}/fd")).map_or(0, |entries| entries.count())
}

fn number(process: u32, name: &str) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default();
    line.split_whitespace().next().and_then(|number| number.parse().ok()).unwrap_or(0)
}

/// The processes that a process has started and that still run.
pub(in crate::faults) fn children(process: u32) -> Vec<u32> {
    let tasks = fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
    let read = |task: fs::DirEntry| fs::read_to_string(task.path().join("children")).unwrap_or_default();
    tasks
        .map(read)
        .flat_map(|text| text.split(' ').filter_map(|id| id.trim().parse().ok()).collect::<Vec<_>>())
        .collect()
}

/// Waits until a process has ended. Returns how long that took; kills it when it takes longer than this.
pub(in crate::faults) fn ended(child: &mut Child, longest: Duration) -> Result<Duration, String> {
    let start = Instant::now();
    while start.elapsed() < longest {
        if child.try_wait().map_err(|error| error.to_string())?.is_some() {
            return Ok(start.elapsed());
        }
        thread::sleep(Duration::from_millis(5));
    }
    let _ = child.kill().and_then(|()| child.wait());
    Err(format!("the process has not ended after {longest:?}"))
}

/// Sends a signal.
pub(in crate::faults) fn signal(process: u32, name: &str) {
    // It may have ended already.
    let _ = Command::new("kill").args([&format!("-{name}"), &process.to_string()]).output();
}
