//! One session for each conversation: its files are its own, and end with it.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::client::{Client, names, proxy, records, start, text};
use crate::trials;

trials![
    conversations_see_only_their_own_files,
    a_session_ends_with_its_conversation,
    a_session_with_a_name_can_be_resumed,
    what_is_not_ours_stays_in_the_folder,
    a_name_that_is_no_folder_is_refused,
    conversations_with_one_server_are_two,
    a_signal_and_a_stubborn_server_end_the_session,
    a_crash_leaves_the_folder_to_the_sweep,
    lro_mcp_has_a_session_when_asked,
    what_is_left_of_the_window_decides,
    what_a_client_has_counted_is_stronger,
];

/// The directory that conversations share.
fn shared() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let directory = folder.path().canonicalize().unwrap().join("shared");
    (folder, directory)
}

/// A conversation with files in this directory.
fn in_directory(directory: &Path, flags: &[&str]) -> Client {
    proxy(&[&["--output-dir", directory.to_str().unwrap()], flags].concat())
}

/// Offloads a result, and returns the path of its file.
fn offloaded(client: &mut Client, id: u32) -> String {
    client.call(id, "list_issues", &records(500));
    let answer = client.receive();
    answer["result"]["structuredContent"]["file_path"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned()
}

/// The number of records in a file, as our tool tells it.
fn count(client: &mut Client, id: u32, file: &str) -> Value {
    client.result(id, "lro_extract", &json!({"file_path": file, "query": "length", "slurp": true}))
}

fn reads(client: &mut Client, id: u32, file: &str) -> bool {
    let answer = count(client, id, file);
    assert_eq!(answer["isError"] == true, answer["structuredContent"]["results"] != json!([500]), "{answer}");
    answer["isError"] == false
}

fn refused(client: &mut Client, id: u32, file: &str) {
    for tool in ["lro_extract", "lro_describe"] {
        let mut arguments = json!({"file_path": file});
        if tool == "lro_extract" {
            arguments["recipe"] = 1.into();
        }
        let answer = client.result(id, tool, &arguments);
        assert_eq!(answer["isError"], true, "{answer}");
        assert!(text(&answer).contains("it belongs to another conversation"), "{answer}");
    }
}

fn conversations_see_only_their_own_files() {
    let (_folder, directory) = shared();
    let (mut one, mut other) = (in_directory(&directory, &[]), in_directory(&directory, &[]));
    let (first, second) = (offloaded(&mut one, 1), offloaded(&mut other, 1));
    let name = |path: &str| Path::new(path).file_name().unwrap().to_str().unwrap().to_owned();
    assert!(reads(&mut one, 2, &first) && reads(&mut one, 3, &name(&first)));
    assert!(reads(&mut other, 2, &second) && reads(&mut other, 3, &name(&second)));
    refused(&mut one, 4, &second);
    refused(&mut other, 4, &first);
    // What lies beside the folders belongs to no conversation.
    let beside = directory.join(name(&first));
    fs::copy(&first, &beside).unwrap();
    refused(&mut one, 5, beside.to_str().unwrap());
    assert!(!reads(&mut other, 6, &name(&first)), "a bare name means a file of the conversation");
    one.end_well();
    assert!(!Path::new(&first).parent().unwrap().exists());
    assert!(beside.exists() && reads(&mut other, 7, &second), "the other conversation goes on");
    other.end_well();
    assert_eq!(names(&directory), [name(&first)]);
}

fn a_session_ends_with_its_conversation() {
    for (flags, remains) in [(&[][..], 0), (&["--session-end", "keep"][..], 1), (&["--session-end", "delete"][..], 0)] {
        let (_folder, directory) = shared();
        let mut client = in_directory(&directory, flags);
        client.call(1, "a", &records(1));
        client.receive();
        assert_eq!(names(&directory).len(), 0, "nothing is made for small results");
        let file = offloaded(&mut client, 2);
        client.end_well();
        assert_eq!((names(&directory).len(), Path::new(&file).exists()), (remains, remains == 1), "{flags:?}");
    }
}

fn a_session_with_a_name_can_be_resumed() {
    let (_folder, directory) = shared();
    let named: &[&str] = &["--session", "Work_1"];
    let mut client = in_directory(&directory, named);
    let file = offloaded(&mut client, 1);
    assert_eq!(Path::new(&file).parent(), Some(directory.join("Work_1").as_path()));
    client.end_well();
    let mut resumed = in_directory(&directory, named);
    assert!(reads(&mut resumed, 1, &file));
    let mut stranger = in_directory(&directory, &[]);
    refused(&mut stranger, 1, &file);
    stranger.end_well();
    resumed.end_well();
    let mut last = in_directory(&directory, &[named, &["--session-end", "delete"]].concat());
    assert!(reads(&mut last, 1, &file));
    last.end_well();
    assert_eq!(names(&directory), Vec::<String>::new());
}

fn what_is_not_ours_stays_in_the_folder() {
    let (_folder, directory) = shared();
    let mut client = in_directory(&directory, &[]);
    let file = offloaded(&mut client, 1);
    let notes = Path::new(&file).with_file_name("notes.jsonl");
    fs::write(&notes, "{}\n").unwrap();
    client.end_well();
    assert_eq!(names(notes.parent().unwrap()), ["notes.jsonl"]);
}

fn a_name_that_is_no_folder_is_refused() {
    for name in ["../x", "a/b", "", "a b", &"x".repeat(65)] {
        let (output, rest, _folder) = proxy(&["--session", name]).end();
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success() && rest.is_empty(), "{name}");
        assert!(said.contains("`call.session`") && said.contains("1 to 64 characters"), "{said}");
    }
}

#[cfg(feature = "http")]
fn conversations_with_one_server_are_two() {
    use crate::remote::{json_reply, serve, usual, write};
    let (_folder, directory) = shared();
    let (url, _) = serve(|request, stream| {
        let answer = json!({"jsonrpc": "2.0", "id": request.body["id"], "result": records(500)});
        write(stream, &usual(request).unwrap_or_else(|| json_reply(&answer)));
    });
    let flags = ["--output-dir", directory.to_str().unwrap()];
    let mut clients = [0, 1].map(|_| crate::streamable::conversation(&url, &flags));
    for client in &mut clients {
        client.send(&json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "a"}}));
    }
    let mut path = |place: usize| {
        let answer = clients[place].receive();
        answer["result"]["structuredContent"]["file_path"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned()
    };
    let (first, second) = (path(0), path(1));
    let [mut one, mut other] = clients;
    assert!(reads(&mut one, 2, &first) && reads(&mut other, 2, &second));
    refused(&mut one, 3, &second);
    refused(&mut other, 3, &first);
    one.end_well();
    assert!(!Path::new(&first).exists() && reads(&mut other, 4, &second));
    other.end_well();
    assert_eq!(names(&directory), Vec::<String>::new());
}

#[cfg(not(feature = "http"))]
fn conversations_with_one_server_are_two() {}

#[cfg(unix)]
fn a_signal_and_a_stubborn_server_end_the_session() {
    use crate::client::server;
    let [this, flag] = server();
    let script = format!("trap '' TERM INT HUP; '{this}' {flag}; while :; do sleep 0.1; done");
    for (command, signal) in [(vec![this.as_str(), &flag], Some("TERM")), (vec!["sh", "-c", &script], None)] {
        let (_folder, directory) = shared();
        let flags = ["proxy", "--output-dir", directory.to_str().unwrap(), "--"];
        let mut client = start(&[&flags[..], &command].concat());
        let file = offloaded(&mut client, 1);
        match signal {
            Some(signal) => client.signal(signal),
            None => client.close_input(),
        }
        client.wait();
        assert!(!Path::new(&file).exists(), "{command:?}");
        assert_eq!(names(&directory), Vec::<String>::new(), "{command:?}");
    }
}

#[cfg(not(unix))]
fn a_signal_and_a_stubborn_server_end_the_session() {}

#[cfg(unix)]
fn a_crash_leaves_the_folder_to_the_sweep() {
    let (_folder, directory) = shared();
    let mut client = in_directory(&directory, &["--ttl-seconds", "1"]);
    let file = offloaded(&mut client, 1);
    let folder = Path::new(&file).parent().unwrap().to_owned();
    client.signal("KILL");
    client.wait();
    assert!(Path::new(&file).exists(), "nobody was there to delete it");
    std::thread::sleep(Duration::from_millis(1100));
    let next = in_directory(&directory, &[]);
    let start = Instant::now();
    while folder.exists() {
        assert!(start.elapsed() < Duration::from_secs(20), "the folder is still there");
        std::thread::sleep(Duration::from_millis(10));
    }
    next.end();
}

#[cfg(not(unix))]
fn a_crash_leaves_the_folder_to_the_sweep() {}

/// A window of which 28,000 tokens may be used up, and a result may have 40,000 bytes.
const WINDOW: &[&str] = &["--context", "40000"];

/// Whether a result of this many records is offloaded, in a call with this `_meta`.
fn is_offloaded(client: &mut Client, id: u32, count: usize, meta: &Value) -> bool {
    let answer = json!({"jsonrpc": "2.0", "id": id, "result": records(count)}).to_string() + "\n";
    let params = json!({"name": "list_issues", "_meta": meta, "say": [answer]});
    client.send(&json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}));
    client.receive()["result"]["structuredContent"]["offloaded"] == true
}

fn what_is_left_of_the_window_decides() {
    let mut client = proxy(WINDOW);
    let tokens = text(&records(600)).len().div_ceil(4);
    let fitting = 28_000 / tokens;
    assert!(fitting >= 3, "several results of {tokens} tokens");
    let nothing = json!({});
    for id in 0..fitting {
        assert!(!is_offloaded(&mut client, u32::try_from(id).unwrap(), 600, &nothing), "{id}");
    }
    assert!(is_offloaded(&mut client, 100, 600, &nothing), "the window is used up");
    assert!(!is_offloaded(&mut client, 101, 50, &nothing), "what is small always passes");
    client.end_well();
    // Another conversation has a window of its own.
    let mut other = proxy(WINDOW);
    assert!(!is_offloaded(&mut other, 1, 600, &nothing));
    other.end_well();
}

fn what_a_client_has_counted_is_stronger() {
    let mut client = proxy(WINDOW);
    let said = |tokens: u32| json!({"lro/inputTokens": tokens, "progressToken": 7});
    assert!(is_offloaded(&mut client, 1, 600, &said(27_900)));
    assert!(is_offloaded(&mut client, 2, 600, &json!({})), "the sum goes on from there");
    assert!(!is_offloaded(&mut client, 3, 600, &said(0)), "the client has compacted");
    assert!(!is_offloaded(&mut client, 4, 600, &json!({"lro/inputTokens": "27900"})), "that is not a number");
    client.end_well();
}

#[cfg(feature = "mcp")]
fn lro_mcp_has_a_session_when_asked() {
    let serve = |directory: &Path, flags: &[&str]| {
        let common = ["mcp", "--threshold", "10", "--output-dir", directory.to_str().unwrap()];
        let mut client = start(&[&common, flags].concat());
        client.send(&json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"},
        }}));
        client.receive();
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        client
    };
    let offload = |client: &mut Client| {
        let answer = client.result(1, "lro_offload", &json!({"text": text(&records(500))}));
        answer["structuredContent"]["file_path"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned()
    };
    let (_folder, directory) = shared();
    // It serves a directory, with the files of all sessions in it.
    let (mut plain, mut own, mut named) = (
        serve(&directory, &[]),
        serve(&directory, &["--session-end", "delete"]),
        serve(&directory, &["--session", "w"]),
    );
    let files = [&mut plain, &mut own, &mut named].map(offload);
    let parents = files.each_ref().map(|file| Path::new(file).parent().unwrap().to_owned());
    assert_eq!((&parents[0], &parents[2]), (&directory, &directory.join("w")));
    assert_eq!(parents[1].parent(), Some(directory.as_path()));
    assert!(files.iter().all(|file| reads(&mut plain, 2, file)));
    assert!(reads(&mut own, 2, &files[1]) && reads(&mut named, 2, &files[2]));
    for (client, others) in [(&mut own, [0, 2]), (&mut named, [0, 1])] {
        others.iter().for_each(|other| refused(client, 3, &files[*other]));
    }
    #[cfg(unix)]
    {
        own.signal("TERM");
        own.wait();
    }
    own.end();
    plain.end_well();
    named.end_well();
    assert_eq!(files.map(|file| Path::new(&file).exists()), [true, false, true]);
}

#[cfg(not(feature = "mcp"))]
fn lro_mcp_has_a_session_when_asked() {}
