//! How conversations end: soon, whatever anybody does, and with nothing left behind.

use std::io::Write;
use std::net::Shutdown;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::client::{Client, command, proxy, proxy_of, records, server};
use crate::trials;

trials![
    busy_workers_hold_nothing_up,
    a_client_that_does_not_read_holds_nothing_up,
    a_server_that_does_not_read_holds_nothing_up,
    a_server_that_ignores_everything_is_killed,
    what_the_server_has_started_ends_by_a_signal_too,
    the_output_ends_with_the_server,
    a_server_that_a_signal_ends_is_named_with_it,
    few_descriptors_are_an_error_of_ours,
    few_addresses_are_an_error_of_ours,
    a_client_that_does_not_listen_is_noticed_in_silence,
    a_killed_proxy_leaves_no_server_behind,
    the_server_starts_as_if_directly,
    the_npx_of_a_server_does_not_see_our_variables,
    streams_may_be_non_blocking,
];

/// A script that ignores signals and the end of its input, after it has said its number.
const STUBBORN: &str = "trap '' TERM INT HUP; echo $$; while :; do sleep 0.1; done";

/// A line with the number of a process.
fn number(client: &mut Client) -> String {
    String::from_utf8(client.line()).expect("a number is text").trim().to_owned()
}

fn is_there(process: &str) -> bool {
    Command::new("kill").args(["-0", process]).output().expect("kill is there").status.success()
}

/// Waits until a process has gone.
fn goes(process: &str) -> bool {
    let start = Instant::now();
    while is_there(process) && start.elapsed() < Duration::from_secs(5) {
        std::thread::sleep(Duration::from_millis(10));
    }
    !is_there(process)
}

fn busy_workers_hold_nothing_up() {
    for signal in [None, Some("TERM")] {
        let mut client = proxy(&[]);
        client.call(0, "list_issues", &records(1000));
        let path = client.receive()["result"]["structuredContent"]["file_path"].clone();
        // Each of them takes all of its two seconds.
        for id in 1..64 {
            let arguments = json!({"file_path": path, "query": "last(repeat(1))"});
            let params = json!({"name": "lro_extract", "arguments": arguments});
            client.send(&json!({"id": id, "method": "tools/call", "params": params}));
        }
        match signal {
            None => client.close_input(),
            Some(signal) => client.signal(signal),
        }
        client.wait();
    }
}

fn a_client_that_does_not_read_holds_nothing_up() {
    for signal in ["TERM", "INT"] {
        let mut client = proxy(&["--tool", "whole=never"]);
        client.call(0, "whole", &records(20_000));
        std::thread::sleep(Duration::from_millis(300));
        client.signal(signal);
        assert_eq!(client.wait().code(), Some(if signal == "TERM" { 128 + 15 } else { 128 + 2 }));
    }
}

fn a_server_that_does_not_read_holds_nothing_up() {
    let mut client = proxy_of("echo up; exec sleep 60");
    assert_eq!(client.line(), b"up\n");
    // More than the pipes on the way hold; the last of it is never read by the proxy.
    client.write(&b"x\n".repeat(50_000));
    client.close_input();
    client.wait();
}

fn a_server_that_ignores_everything_is_killed() {
    for signal in [None, Some("HUP")] {
        let mut client = proxy_of(STUBBORN);
        let server = number(&mut client);
        match signal {
            None => client.close_input(),
            Some(signal) => client.signal(signal),
        }
        assert_eq!(client.wait().code(), Some(128 + 9));
        assert!(goes(&server), "the server is still there");
    }
}

fn what_the_server_has_started_ends_by_a_signal_too() {
    let mut client = proxy_of("sleep 60 & echo $!; wait");
    let child = number(&mut client);
    client.signal("TERM");
    assert_eq!(client.wait().code(), Some(128 + 15));
    assert!(goes(&child), "its child is still there");
}

fn the_output_ends_with_the_server() {
    let mut client = proxy_of("sleep 60 & echo $!; echo last; exit 3");
    let child = number(&mut client);
    assert_eq!(client.line(), b"last\n");
    assert_eq!(client.wait().code(), Some(3));
    // Nobody asked it to end: it may be meant to stay.
    assert!(is_there(&child), "its child has gone");
    Command::new("kill").arg(&child).status().expect("kill is there");
}

fn a_server_that_a_signal_ends_is_named_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let mut lro = command(&folder, &[]);
    let said = lro.args(["proxy", "--", "sh", "-c", "kill -ABRT $$"]).output().expect("the proxy starts");
    assert_eq!(said.status.code(), Some(128 + 6));
    assert_eq!(String::from_utf8_lossy(&said.stderr), "lro: the server was ended by SIGABRT\n");
}

/// A program that cannot get the last descriptor that it needs would end without a word.
fn few_descriptors_are_an_error_of_ours() {
    if !cfg!(target_os = "linux") {
        return;
    }
    for number in 12..24 {
        let folder = tempfile::tempdir().unwrap();
        let limit = format!("ulimit -n {number}; exec \"$0\" \"$@\"");
        let mut lro = command(&folder, &["sh", "-c", &limit]);
        let said = lro.args(["proxy", "--", "true"]).output().expect("the proxy starts");
        let error = String::from_utf8_lossy(&said.stderr);
        match said.status.code() {
            Some(0) => {}
            Some(1) => assert!(error.contains("Too many open files"), "{number}: {error}"),
            // It started, and something else took what it needed.
            code => assert!(error.contains("SIGABRT"), "{number}: {code:?}, {error}"),
        }
    }
}

/// The C library would end the process as a thread starts, without a word. The limit that the error names is enough.
fn few_addresses_are_an_error_of_ours() {
    if !cfg!(target_os = "linux") {
        return;
    }
    let under = |kibibytes: &str| {
        let folder = tempfile::tempdir().unwrap();
        let limit = format!("ulimit -v {kibibytes}; exec \"$0\" \"$@\"");
        let mut lro = command(&folder, &["sh", "-c", &limit]);
        lro.args(["proxy", "--", "true"]).output().expect("the proxy starts")
    };
    let refused = under("4600000");
    let error = String::from_utf8_lossy(&refused.stderr);
    assert_eq!(refused.status.code(), Some(1), "{error}");
    let (said, way_out) = error.split_once("(raise the limit: `ulimit -v ").expect(&error);
    assert!(said.starts_with("lro: cannot start the proxy: it may use 4492 MiB of addresses and needs "), "{said}");
    let enough = under(way_out.trim_end().trim_end_matches("`)"));
    assert_eq!(enough.status.code(), Some(0), "{}", String::from_utf8_lossy(&enough.stderr));
}

fn a_client_that_does_not_listen_is_noticed_in_silence() {
    let mut client = proxy_of(STUBBORN);
    let server = number(&mut client);
    client.close_output();
    client.wait();
    assert!(goes(&server), "the server is still there");
}

fn a_killed_proxy_leaves_no_server_behind() {
    if !cfg!(target_os = "linux") {
        return;
    }
    let mut client = proxy_of(STUBBORN);
    let server = number(&mut client);
    client.signal("KILL");
    client.wait();
    assert!(goes(&server), "the server is still there");
}

fn the_server_starts_as_if_directly() {
    let folder = tempfile::tempdir().unwrap();
    let script = "umask; grep SigIgn /proc/self/status || echo SigIgn: 0";
    let mut lro = command(&folder, &["sh", "-c", r#"umask 027; exec "$0" "$@""#]);
    let output = lro.args(["proxy", "--", "sh", "-c", script]).output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    let (umask, ignored) = said.split_once('\n').unwrap();
    assert_eq!(umask.trim_start_matches('0'), "27");
    let ignored = u64::from_str_radix(ignored.trim_start_matches("SigIgn:").trim(), 16).unwrap();
    // SIGPIPE and SIGXFSZ, which this command ignores.
    assert_eq!(ignored & (1 << 12 | 1 << 24), 0, "{said}");
}

fn the_npx_of_a_server_does_not_see_our_variables() {
    let folder = tempfile::tempdir().unwrap();
    let script = "echo ${npm_config_package-none} ${npm_config_call-none} ${npm_config_cache-none}";
    let mut lro = command(&folder, &[]);
    lro.envs(["package", "call", "cache"].map(|name| (format!("npm_config_{name}"), "ours")));
    let output = lro.args(["proxy", "--", "sh", "-c", script]).output().unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap().trim(), "none none ours");
}

/// Launchers in Node start their children so.
fn streams_may_be_non_blocking() {
    let folder = tempfile::tempdir().unwrap();
    let (mut input, its_input) = UnixStream::pair().unwrap();
    let (output, its_output) = UnixStream::pair().unwrap();
    for stream in [&its_input, &its_output] {
        stream.set_nonblocking(true).unwrap();
    }
    let [this, flag] = server();
    let mut lro = command(&folder, &[]);
    lro.args(["proxy", "--tool", "a=never", "--", &this, &flag]);
    lro.stdin(OwnedFd::from(its_input)).stdout(OwnedFd::from(its_output));
    let child = lro.spawn().unwrap();
    drop(lro);
    // Nothing is there to be read for a while, and nothing can be written for a while.
    std::thread::sleep(Duration::from_millis(200));
    let answer = json!({"id": 1, "result": records(5_000)}).to_string() + "\n";
    let call = json!({"id": 1, "method": "tools/call", "params": {"name": "a", "say": [answer]}});
    writeln!(input, "{call}").unwrap();
    std::thread::sleep(Duration::from_millis(200));
    input.shutdown(Shutdown::Write).unwrap();
    let said = std::io::read_to_string(output).unwrap();
    assert!(said == answer, "{} of {} bytes have come", said.len(), answer.len());
    assert!(child.wait_with_output().unwrap().status.success());
}
