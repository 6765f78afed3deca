//! Standard streams that are closed, full, or do not block.

use std::fs;

use super::calls::{ALL, Call, Calls, PROMISE, Promise};
use crate::faults::row::Row;

/// Three rows.
pub(super) fn all(calls: &Calls) -> Result<Vec<Row>, String> {
    Ok(vec![closed(calls), full(calls)?, not_blocking(calls)?])
}

/// Runs the command with redirections.
const SHELL: &str = "exec \"$@\" ";

fn closed(calls: &Calls) -> Row {
    let mut row = Row::new(
        "a call ends, and nothing it opens takes a stream's place",
        "standard streams that are closed, in all combinations",
    );
    for which in 0..8 {
        let parts = ["<&-", ">&-", "2>&-"].iter().enumerate().filter(|(place, _)| which & (1 << place) != 0);
        let script = parts.fold(SHELL.to_owned(), |script, (_, part)| script + part + " ");
        for call in ALL.into_iter().filter(|_| calls.is_due()) {
            let promise = Promise { must_succeed: false, is_told: which & 4 == 0, is_silent: which & 2 != 0 };
            let has_no_input = which & 1 != 0 && matches!(call, Call::OffloadInput | Call::Mcp | Call::Proxy);
            let promise = Promise { is_silent: promise.is_silent || has_no_input, ..promise };
            let before = ["sh", "-c", &script, "sh"];
            row.count(
                calls
                    .attempt(call, &mut calls.command(call, &before), &promise)
                    .map_err(|error| format!("`{script}`: {error}")),
            );
        }
        // What was to be read is still what it was.
        row.count(calls.attempt(
            Call::Rebuild,
            &mut calls.command(Call::Rebuild, &[]),
            &Promise { must_succeed: true, ..PROMISE },
        ));
    }
    calls.tidy();
    row
}

fn full(calls: &Calls) -> Result<Row, String> {
    let mut row = Row::new(
        "an answer that cannot be written is an error with a reason",
        "standard output or standard error on a full disk (/dev/full)",
    );
    for call in ALL {
        for script in [">/dev/full", "2>/dev/full", ">/dev/full 2>/dev/full"].into_iter().filter(|_| calls.is_due()) {
            let script = format!("{SHELL}{script}");
            let mut command = calls.command(call, &["sh", "-c", &script, "sh"]);
            let ended = calls.place.end(&mut command, calls.input(call))?;
            let is_lost = script.contains(">/dev/full") && !script.contains(&format!("{SHELL}2>"));
            let promise = Promise { must_succeed: !is_lost, is_told: !script.contains("2>"), is_silent: is_lost };
            // A server ends as its client wants, and says on standard error what the client did not get.
            let is_server = matches!(call, Call::Mcp | Call::Proxy);
            let is_told = script.contains("2>") || ended.stderr.contains("cannot write to standard output");
            row.count(match (is_lost, ended.status) {
                (true, Some(0)) if !(is_server && is_told) => {
                    Err(format!("{call:?} `{script}`: the answer is lost and it succeeds: {}", ended.shown()))
                }
                _ => calls.judge(call, &ended, &promise).map_err(|error| format!("`{script}`: {error}")),
            });
        }
    }
    calls.tidy();
    Ok(row)
}

/// Node leaves the streams of its children so. Python sets it here, and passes on what it gets slowly.
fn not_blocking(calls: &Calls) -> Result<Row, String> {
    let mut row = Row::new("every byte arrives", "standard streams that do not block, read and written slowly");
    let script = calls.place.write("slow.py", SLOW)?;
    let script = script.to_string_lossy();
    for call in ALL {
        for streams in ["0", "1", "2", "01", "012"].into_iter().filter(|_| calls.is_due()) {
            let mut command = calls.command(call, &["python3", &script, streams]);
            let promise = Promise { must_succeed: true, ..PROMISE };
            row.count(
                calls.attempt(call, &mut command, &promise).map_err(|error| format!("streams {streams}: {error}")),
            );
        }
    }
    fs::remove_file(calls.place.path("slow.py")).map_err(|error| error.to_string())?;
    calls.tidy();
    Ok(row)
}

/// Starts a command with pipes, those that are named not blocking, and passes bytes on in small pieces.
const SLOW: &str = r#"
import os, subprocess, sys, threading, time
named, command = sys.argv[1], sys.argv[2:]
pipes = [os.pipe() for _ in range(3)]
theirs = [pipes[0][0], pipes[1][1], pipes[2][1]]
for stream in named:
    os.set_blocking(theirs[int(stream)], False)
child = subprocess.Popen(command, stdin=theirs[0], stdout=theirs[1], stderr=theirs[2])
for stream in theirs:
    os.close(stream)
def copy(source, target, piece, pause):
    time.sleep(0.2)
    try:
        while data := os.read(source, piece):
            while data:
                data = data[os.write(target, data):]
            time.sleep(pause)
    except OSError:
        pass
    os.close(target) if target > 2 else None
threading.Thread(target=copy, args=(0, pipes[0][1], 3000, 0.001), daemon=True).start()
readers = [threading.Thread(target=copy, args=(pipes[n][0], n, 2000, 0.001)) for n in (1, 2)]
[reader.start() for reader in readers]
[reader.join() for reader in readers]
sys.exit(child.wait() % 256)
"#;
