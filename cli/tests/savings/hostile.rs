//! Transcripts that are damaged, endless or made up, and a replay that is interrupted: nothing is kept.

use std::fs::{self, File};
use std::io::Write;
use std::os::unix::fs::symlink;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::json;

use crate::audit::transcript;
use crate::{Home, number, records, row};

#[test]
fn a_damaged_transcript_gets_a_remark_and_the_rest_goes_on() {
    let home = Home::new();
    let good = transcript(&[("mcp__a__list", json!({}), &records(100))]);
    let unanswered =
        json!({"type": "assistant", "message": {"content": [{"type": "tool_use", "id": "x", "name": "y"}]}});
    home.write(
        "all/1.jsonl",
        &format!("garbage\n[1]\n{{\"half\n{unanswered}\n{good}{{\"type\":\"user\",\"message\":7}}\n"),
    );
    home.write("all/2.jsonl", "\u{0}\u{1}");
    let secret = home.write("secret.jsonl", &good.replace("mcp__a__list", "mcp__secret"));
    symlink(secret, home.path("all/3.jsonl")).unwrap();
    symlink(home.path(""), home.path("all/cycle")).unwrap();
    assert!(Command::new("mkfifo").arg(home.path("pipe.jsonl")).status().unwrap().success());
    let report = home.audit(&["all", "pipe.jsonl", "missing.jsonl"]);
    assert_eq!(number(row(&report, "mcp__a__list"), "replayed"), 1);
    assert!(!report.to_string().contains("mcp__secret"), "{report}");
    let remarks = report["remarks"].to_string();
    for expected in
        ["3 lines not JSON objects", "1 call without a result", "is a link", "not a regular file", "cannot read"]
    {
        assert!(remarks.contains(expected), "{expected}: {remarks}");
    }
    assert_eq!(home.left(), [""; 0]);
}

#[test]
fn a_line_of_two_hundred_megabytes_is_skipped_in_little_memory() {
    let home = Home::new();
    let path = home.path("long.jsonl");
    let mut file = File::create(&path).unwrap();
    file.write_all(b"{\"type\":\"user\",\"x\":\"").unwrap();
    let block = vec![b'x'; 1 << 20];
    (0..200).for_each(|_| file.write_all(&block).unwrap());
    writeln!(file, "\"}}\n{}", transcript(&[("mcp__a__list", json!({}), &records(100))]).trim_end()).unwrap();
    drop(file);
    let mut audit = home.command(&["audit", "--json", "long.jsonl"]).stdout(Stdio::piped()).spawn().unwrap();
    let status = format!("/proc/{}/status", audit.id());
    let mut most_kilobytes = 0;
    while audit.try_wait().unwrap().is_none() {
        let status = fs::read_to_string(&status).unwrap_or_default();
        let anonymous = status.lines().find_map(|line| line.strip_prefix("RssAnon:"));
        let kilobytes = anonymous.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok());
        most_kilobytes = most_kilobytes.max(kilobytes.unwrap_or(0));
        std::thread::sleep(Duration::from_millis(1));
    }
    let output = audit.wait_with_output().unwrap();
    let report = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(number(row(&report, "mcp__a__list"), "replayed"), 1);
    assert!(report["remarks"].to_string().contains("1 line longer than 32 MiB"), "{report}");
    assert!(most_kilobytes < 150_000, "{most_kilobytes} kB");
}

#[test]
fn an_interrupted_audit_leaves_nothing() {
    let home = Home::new();
    let many: String = (0..400)
        .map(|turn| transcript(&[("mcp__a__list", json!({}), &records(500))]).replace("u0", &format!("u{turn}")))
        .collect();
    home.write("many.jsonl", &many);
    for (name, number) in [("INT", 2), ("TERM", 15)] {
        let mut audit = home.command(&["audit", "many.jsonl"]).stdout(Stdio::null()).spawn().unwrap();
        let begun = Instant::now();
        let has_written = || {
            let folder = home.left().into_iter().find(|name| name.starts_with("lro-"));
            folder.is_some_and(|name| fs::read_dir(home.path("tmp").join(name)).is_ok_and(|files| files.count() > 0))
        };
        while !has_written() {
            assert!(audit.try_wait().unwrap().is_none(), "it has ended before it could be interrupted");
            assert!(begun.elapsed() < Duration::from_secs(60), "it has written nothing");
        }
        let sent = Command::new("kill").args([&format!("-{name}"), &audit.id().to_string()]).status();
        assert!(sent.is_ok_and(|status| status.success()));
        assert_eq!(audit.wait().unwrap().signal(), Some(number));
        assert_eq!(home.left(), [""; 0], "{name}");
    }
}

#[test]
fn nothing_is_sent_and_nothing_is_kept() {
    let home = Home::new();
    home.record("claude-without");
    home.record("codex-without");
    let trace = home.path("trace");
    let audit = home.command(&["audit"]);
    let mut traced = Command::new("strace");
    traced.args(["-f", "-e", "trace=network", "-o"]).arg(&trace).arg(audit.get_program()).args(audit.get_args());
    traced.current_dir(&home.path).env_clear();
    traced.envs(audit.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let before = files(&home);
    match traced.output() {
        Ok(output) if output.status.success() => {
            let trace = fs::read_to_string(&trace).unwrap();
            let calls: Vec<&str> = trace.lines().filter(|line| line.contains("AF_INET")).collect();
            assert_eq!(calls, [""; 0]);
        }
        other => println!("not shown here, because strace is missing or not permitted: {other:?}"),
    }
    assert_eq!((home.left(), files(&home)), (Vec::new(), before));
}

/// All files of a home, except for the trace.
fn files(home: &Home) -> Vec<String> {
    let listed = Command::new("find").arg(&home.path).args(["-type", "f", "-not", "-name", "trace"]).output().unwrap();
    let mut files: Vec<String> = String::from_utf8(listed.stdout).unwrap().lines().map(str::to_owned).collect();
    files.sort();
    files
}
