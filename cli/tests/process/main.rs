//! The command where the system gives it little: files, threads, descriptors, a directory of somebody else. It answers, and
//! neither hangs nor panics, and opens nothing that it was not given.

#![cfg(unix)]

mod hook;
mod outside;
mod web;

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use tempfile::TempDir;

const LRO: &str = env!("CARGO_BIN_EXE_lro");

/// Without a word of its own, a hang would be one of the suite.
const AT_MOST: &str = "60";

/// A folder with a payload `all.json` and room for `out`, and a shell in it.
struct Shell {
    root: TempDir,
}

impl Shell {
    fn new() -> Self {
        // Other users have to reach it.
        let root = TempDir::new().unwrap();
        fs::set_permissions(root.path(), fs::Permissions::from_mode(0o777)).unwrap();
        fs::write(root.path().join("all.json"), records(3000)).unwrap();
        Self { root }
    }

    fn path(&self, name: &str) -> std::path::PathBuf {
        self.root.path().join(name)
    }

    /// Runs a line of a shell, in which `$lro` is the command.
    fn run(&self, line: &str) -> Output {
        let mut command = Command::new("timeout");
        command.args([AT_MOST, "sh", "-c", line]).current_dir(self.root.path());
        command.env("lro", LRO).env("LRO_CACHE_DIR", cache()).env("TMPDIR", self.root.path());
        let output = command.output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_ne!(output.status.code(), Some(124), "it hangs: {line}: {errors}");
        assert!(!errors.contains("panicked"), "{line}: {errors}");
        output
    }
}

/// A compiled component that is there before limits make it impossible to compile one.
fn cache() -> &'static Path {
    static CACHE: OnceLock<()> = OnceLock::new();
    let folder = Path::new(concat!(env!("CARGO_TARGET_TMPDIR"), "/process"));
    CACHE.get_or_init(|| {
        let status = Command::new(LRO).args(["estimate", "/dev/null"]).env("LRO_CACHE_DIR", folder).output();
        assert!(status.is_ok_and(|output| output.status.success()), "the component cannot be compiled");
    });
    folder
}

/// So many small memories.
fn records(count: u32) -> String {
    let records: Vec<String> = (0..count).map(|id| format!(r#"{{"id":"memory-{id}","title":"Title {id}"}}"#)).collect();
    format!("[{}]", records.join(","))
}

/// Says that something could not be tried on this machine. The harness swallows what the print macros write.
fn say(line: &str) {
    std::io::stderr().write_all(format!("skipped: {line}\n").as_bytes()).unwrap();
}

fn stdout(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("no JSON: {output:?}"))
}

#[test]
fn a_limit_on_the_size_of_files_truncates() {
    let shell = Shell::new();
    let size = fs::metadata(shell.path("all.json")).unwrap().len() / 1024;
    for kibibytes in [0, 1, 7, size / 2, size, 2 * size] {
        // The unit of `ulimit -f` is 512 bytes in dash, 1024 in bash: only the ends matter.
        let output = shell
            .run(&format!("ulimit -f {kibibytes}; exec $lro offload all.json --operation recall --output-dir out"));
        assert_eq!(output.status.code(), Some(0), "{kibibytes}: {output:?}");
        let is_offloaded = stdout(&output)["offloaded"] == true;
        assert_eq!(is_offloaded, output.stderr.is_empty(), "{kibibytes}: {output:?}");
        assert_eq!(fs::read_dir(shell.path("out")).unwrap().count(), usize::from(is_offloaded), "{kibibytes}");
        if is_offloaded {
            assert!(kibibytes > 7);
            fs::remove_dir_all(shell.path("out")).unwrap();
        }
    }
}

#[test]
fn few_descriptors_and_threads_are_an_error_or_an_answer() {
    let shell = Shell::new();
    let offload = "exec $lro offload all.json --operation recall --output-dir out";
    for descriptors in 3..=16 {
        shell.run(&format!("ulimit -n {descriptors}; {offload}"));
    }
    assert_eq!(shell.run(offload).status.code(), Some(0));
    if !shell.run("setpriv --reuid 65534 --clear-groups true").status.success() {
        return say("few threads, since this machine lets nobody become another user");
    }
    // The command may lie where nobody else can reach it.
    fs::copy(LRO, shell.path("lro")).unwrap();
    let offload = offload.replace("$lro", "./lro");
    // The cache belongs to this user: that one compiles, with few threads.
    for threads in [1, 2, 3, 4, 6, 10] {
        let line = format!(
            "LRO_CACHE_DIR= exec setpriv --reuid 65534 --clear-groups prlimit --nproc={threads} {}",
            &offload[5..]
        );
        let output = shell.run(&line);
        assert!(matches!(output.status.code(), Some(0 | 1)), "{threads}: {output:?}");
    }
}

#[test]
fn the_default_directory_is_private_and_nobody_elses() {
    let shell = Shell::new();
    let output = shell.run("$lro offload all.json --operation recall");
    let path = stdout(&output)["file_path"].as_str().unwrap().to_owned();
    let folder = Path::new(&path).parent().unwrap();
    let user = String::from_utf8(Command::new("id").arg("-u").output().unwrap().stdout).unwrap();
    assert_eq!(folder.file_name().unwrap().to_str().unwrap(), format!("lro-{}", user.trim()));
    assert_eq!(fs::metadata(folder).unwrap().permissions().mode() & 0o777, 0o700);
    // Caps act on it: nobody else uses it.
    assert!(shell.run("$lro cleanup --max-files 0").stdout.starts_with(b"deleted 1 file"));

    fs::remove_dir(folder).unwrap();
    fs::create_dir(shell.path("elsewhere")).unwrap();
    std::os::unix::fs::symlink("elsewhere", folder).unwrap();
    let output = shell.run("$lro offload all.json --operation recall");
    assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stderr).contains("as the output directory"), "{output:?}");
    assert_eq!(fs::read_dir(shell.path("elsewhere")).unwrap().count(), 0);
}

/// Without a umask that would help, and watched from the first byte on.
#[test]
fn files_are_private_while_they_are_written() {
    let shell = Shell::new();
    let trace = shell.path("trace");
    let line = format!(
        "strace -f -e trace=openat,openat2,mkdirat,fchmod,chmod,fchmodat -o {} \
         $lro offload all.json --operation recall --session s-1 --output-dir out",
        trace.display()
    );
    let output = shell.run(&line);
    let trace = fs::read_to_string(&trace).unwrap_or_default();
    if !output.status.success() || trace.is_empty() {
        return say("modes at creation, since strace is missing or not permitted here");
    }
    let created: Vec<&str> = trace.lines().filter(|line| line.contains("O_CREAT") && line.contains(".part")).collect();
    assert!(!created.is_empty() && created.iter().all(|line| line.contains("0600")), "{created:?}");
    let made: Vec<&str> = trace.lines().filter(|line| line.contains("mkdirat(") && line.contains("s-1")).collect();
    assert!(!made.is_empty() && made.iter().all(|line| line.contains("0700")), "{made:?}");
    assert!(!trace.contains("chmod("), "nothing is changed afterwards: {trace}");
}

#[test]
fn an_interrupted_offload_leaves_no_file() {
    let shell = Shell::new();
    // Large enough to be interrupted while it is written.
    fs::write(shell.path("large.txt"), "a line of a large log, as long as others are\n".repeat(3_000_000)).unwrap();
    let parts = || {
        let files = fs::read_dir(shell.path("out")).into_iter().flatten().flatten();
        files.filter(|file| file.path().extension().is_some_and(|end| end == "part")).count()
    };
    let is_interrupted = |signal: Signal| {
        let mut offload = Command::new(LRO)
            .args(["offload", "large.txt", "--operation", "read_log", "--output-dir", "out"])
            .current_dir(shell.root.path())
            .env("LRO_CACHE_DIR", cache())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        while parts() == 0 && offload.try_wait().unwrap().is_none() {}
        if offload.try_wait().unwrap().is_none() {
            // At once: by the time that another program has sent it, the file may be whole.
            kill_process(Pid::from_child(&offload), signal).unwrap();
        }
        let status = offload.wait().unwrap();
        assert!(status.success() || status.signal() == Some(signal.as_raw()), "{status}");
        assert_eq!(parts(), 0, "{signal:?}");
        // A whole file is there if this test was kept waiting for longer than writing took.
        let is_in_time = fs::read_dir(shell.path("out")).unwrap().count() == 0;
        fs::remove_dir_all(shell.path("out")).unwrap();
        is_in_time
    };
    for signal in [Signal::INT, Signal::TERM] {
        assert!(
            (0..10).any(|_| is_interrupted(signal)),
            "{signal:?}: ten offloads ended before they could be interrupted"
        );
    }
}

#[test]
fn a_file_goes_with_a_signal_that_comes_before_its_name_is_told() {
    let shell = Shell::new();
    // Events are reported after the file is whole and before the response: this one waits until somebody reads them.
    assert!(shell.run("mkfifo events").status.success());
    let offload = Command::new(LRO)
        .args(["offload", "all.json", "--operation", "list", "--output-dir", "out", "--events", "events"])
        .current_dir(shell.root.path())
        .env("LRO_CACHE_DIR", cache())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let files = || fs::read_dir(shell.path("out")).into_iter().flatten().flatten();
    while !files().any(|file| file.path().extension().is_some_and(|end| end == "jsonl" || end == "json")) {}
    kill_process(Pid::from_child(&offload), Signal::INT).unwrap();
    let output = offload.wait_with_output().unwrap();
    assert_eq!(output.status.signal(), Some(Signal::INT.as_raw()), "{output:?}");
    assert_eq!((output.stdout.len(), output.stderr.len(), files().count()), (0, 0, 0), "{output:?}");
}

#[test]
fn a_small_stack_is_enough() {
    let shell = Shell::new();
    let output = shell.run("$lro offload all.json --operation recall --output-dir out");
    let path = stdout(&output)["file_path"].as_str().unwrap().to_owned();
    for kibibytes in [192, 512, 1024] {
        let output = shell.run(&format!("ulimit -s {kibibytes}; exec $lro extract {path} --query 'def f: 1 + f; f'"));
        assert_eq!(output.status.code(), Some(1), "{kibibytes}: {output:?}");
        assert!(String::from_utf8_lossy(&output.stderr).starts_with("lro: "), "{kibibytes}: {output:?}");
    }
}

#[test]
fn a_full_standard_output_is_an_error_of_help_and_version_too() {
    let shell = Shell::new();
    for command in ["--version", "--version --verbose", "--help", "help exit-codes", "completions bash"] {
        let output = shell.run(&format!("\"$lro\" {command} > /dev/full"));
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{command}: {error}");
        assert!(error.starts_with("lro: cannot write to standard output: "), "{command}: {error}");
    }
}

#[test]
fn results_that_cannot_be_stored_are_told() {
    let shell = Shell::new();
    let output = shell.run("$lro offload all.json --operation recall --output-dir out");
    let path = stdout(&output)["file_path"].as_str().unwrap().to_owned();
    let output = shell.run(&format!("ulimit -f 0; exec $lro extract {path} --query .id --into --output-dir out"));
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stderr).contains("cannot"), "{output:?}");
}

#[test]
fn a_large_file_is_offloaded_as_the_same_bytes_on_standard_input() {
    let shell = Shell::new();
    fs::write(shell.path("large.json"), records(60_000)).unwrap();
    let western = format!("id,name\r\n{}", "1,Caf\u{e9}\r\n".repeat(200_000));
    fs::write(shell.path("western.csv"), western.chars().map(|c| c as u8).collect::<Vec<_>>()).unwrap();
    fs::write(shell.path("short.bin"), [&[0x7f, b'E', b'L', b'F', 2, 1, 1, 0][..], &[0; 2_000_000]].concat()).unwrap();
    for file in ["large.json", "western.csv", "short.bin"] {
        let rest = |how: &str| {
            let output = shell.run(&format!("rm -rf out; {how} --operation recall --output-dir out"));
            (output.status.code(), shell.run("tail -qn +2 out/*.jsonl").stdout)
        };
        let (by_name, by_input) = (rest(&format!("$lro offload {file}")), rest(&format!("<{file} $lro offload -")));
        assert!(by_name == by_input, "{file}");
        assert_eq!(by_name.1.is_empty(), file == "short.bin", "{file}");
    }
    let output = shell.run("$lro offload large.json --operation recall --output-dir out --threshold 4000000");
    assert!(output.stdout == records(60_000).as_bytes(), "an unchanged result is printed as it is");
}

#[cfg(target_os = "linux")]
#[test]
fn a_text_in_a_file_is_held_once_while_it_is_written() {
    let shell = Shell::new();
    // The text takes 64 MiB, and the command some 30, most of which it never writes to.
    fs::write(shell.path("all.log"), "a line of a log\n".repeat(4 << 20)).unwrap();
    let output = shell.run("ulimit -d 122880; exec $lro offload all.log --operation log --output-dir out");
    assert_eq!(stdout(&output)["offloaded"], true, "{output:?}");
}

#[test]
fn odd_temporary_directories_are_not_in_the_way() {
    let shell = Shell::new();
    for variable in ["TMPDIR=", "TMPDIR=\"$(printf '\\377')\"", "TMPDIR=relative"] {
        let output = shell.run(&format!("{variable} exec $lro offload all.json --operation recall"));
        let path = stdout(&output)["file_path"].as_str().unwrap_or_else(|| panic!("{variable}: {output:?}")).to_owned();
        assert!(path.starts_with("/tmp/lro-"), "{variable}: {path}");
        fs::remove_file(path).unwrap();
    }
}
