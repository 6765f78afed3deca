//! What strace knows of a run: which calls of the system it made, so that each can be made to fail or to kill.

use std::fs;
use std::path::Path;

use super::program::{self, has};

/// Calls that the file system serves.
const OF_FILES: [&str; 29] = [
    "open",
    "openat",
    "openat2",
    "pwrite64",
    "write",
    "pread64",
    "read",
    "fdatasync",
    "fsync",
    "rename",
    "renameat",
    "renameat2",
    "link",
    "linkat",
    "unlink",
    "unlinkat",
    "rmdir",
    "mkdir",
    "mkdirat",
    "chmod",
    "fchmod",
    "stat",
    "fstat",
    "statx",
    "getdents64",
    "readlink",
    "lseek",
    "copy_file_range",
    "close",
];

/// Those that change a directory or a file.
const WRITING: [&str; 19] = [
    "openat",
    "openat2",
    "pwrite64",
    "write",
    "fdatasync",
    "fsync",
    "rename",
    "renameat",
    "renameat2",
    "link",
    "linkat",
    "unlink",
    "unlinkat",
    "rmdir",
    "mkdir",
    "mkdirat",
    "fchmod",
    "copy_file_range",
    "close",
];

/// The first thing that the main function of `lro` does. What the system's loader does before is not ours.
const BEGINNING: &str = "umask";

/// In paths of the compiled component, and in those of what comes after it.
const CACHE: &str = "faults-compiled";
const OUTPUT: &str = "/out";

/// The n-th call of a name within a process, as strace counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Call {
    pub(super) name: &'static str,
    pub(super) number: usize,
}

impl Call {
    pub(super) fn is_writing(self) -> bool {
        WRITING.contains(&self.name)
    }

    /// strace, so that it does something to this call: `error=EIO`, `signal=KILL`.
    pub(super) fn injected(self, what: &str) -> Vec<String> {
        let Self { name, number } = self;
        let inject = format!("inject={name}:{what}:when={number}");
        ["strace", "-f", "-qq", "-o", "/dev/null", "-e", &format!("trace={name}"), "-e", &inject, "--"]
            .map(str::to_owned)
            .into()
    }
}

/// Says why nothing can be traced.
pub(super) fn needs_strace() -> Result<(), String> {
    match has("strace", &["-qq", "-o", "/dev/null", "true"]) {
        true => Ok(()),
        false => Err("strace is missing or may not trace: apt-get install strace".to_owned()),
    }
}

/// The calls of files that a command makes, from its main function on.
pub(super) fn calls(
    folder: &Path,
    command: impl FnOnce(&[String]) -> std::process::Command,
) -> Result<Vec<Call>, String> {
    let log = folder.join("strace.log");
    let all = format!("trace={BEGINNING},{}", OF_FILES.map(|name| format!("?{name}")).join(","));
    let tool = ["strace", "-f", "-qq", "-o", &log.display().to_string(), "-e", &all, "--"].map(str::to_owned);
    program::run(&mut command(&tool))?.has_ended_well()?;
    let text = fs::read_to_string(&log).map_err(|error| format!("cannot read what strace says: {error}"))?;
    let found = numbered(&text);
    match found.is_empty() {
        true => Err("strace has seen no call".to_owned()),
        false => Ok(found),
    }
}

fn numbered(log: &str) -> Vec<Call> {
    let (mut counts, mut found, mut has_begun, mut is_loading) = ([0; OF_FILES.len()], Vec::new(), false, false);
    for line in log.lines() {
        let Some((name, arguments)) = line.split_once(' ').and_then(|(_, call)| call.trim_start().split_once('('))
        else {
            continue;
        };
        has_begun |= name == BEGINNING;
        // A compiled component that cannot be read is compiled again, each time for seconds.
        is_loading = (is_loading || arguments.contains(CACHE)) && !arguments.contains(OUTPUT);
        if let Some(place) = OF_FILES.iter().position(|known| *known == name) {
            counts[place] += 1;
            // What is printed is no file of ours.
            let is_printed = name == "write" && (arguments.starts_with("1,") || arguments.starts_with("2,"));
            if has_begun && !is_loading && !is_printed {
                found.push(Call { name: OF_FILES[place], number: counts[place] });
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_counted_as_strace_does() {
        let log = "7 openat(3, \"a\") = 4\n7 close(4) = 0\n7  umask(077) = 022\n8 <... read resumed>x) = 1\n\
                   7 openat(3, \"/faults-compiled/a\") = 4\n7 read(4, x) = 1\n7 statx(3, \"/x/out\") = 0\n\
                   9 openat(3, \"b\" <unfinished ...>\n7 write(2, \"x\", 1) = 1\n7 write(4, \"x\", 1) = 1\n";
        let call = |name, number| Call { name, number };
        assert_eq!(numbered(log), [call("statx", 1), call("openat", 3), call("write", 2)]);
    }
}
