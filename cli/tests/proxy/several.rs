//! Several servers behind one proxy.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::client::{Client, LRO, records, server, start, text};
use crate::trials;

trials![
    calls_go_to_the_server_that_is_named,
    requests_of_two_servers_are_apart,
    a_server_that_fails_or_ends_leaves_the_others,
    wrong_flags_are_named,
    the_end_of_the_client_ends_all_servers,
    several_servers_are_served_over_http,
];

/// The flag of one more server of these tests.
fn named(name: &str) -> String {
    let [this, flag] = server();
    format!("--server={name}='{this}' {flag}")
}

/// A conversation with two of them after the handshake.
fn two(flags: &[&str]) -> Client {
    let (a, b) = (named("a"), named("b"));
    let mut client = start(&[&["proxy", &a, &b], flags].concat());
    greet(&mut client, &["lro:2", "lro:3"]);
    client
}

/// Each server says what all should: answers that are for another one are left out.
fn greet(client: &mut Client, ids: &[&str]) {
    let result = json!({"protocolVersion": "2025-11-25", "capabilities": {"tools": {}, "logging": {}},
        "serverInfo": {"name": "s", "version": "1"}, "instructions": "Ask."});
    let say: Vec<String> =
        ids.iter().map(|id| format!("{}\n", json!({"jsonrpc": "2.0", "id": id, "result": result}))).collect();
    client.send(&json!({"id": "h", "method": "initialize", "params": {"protocolVersion": "2025-11-25", "say": say}}));
    let hello = client.receive();
    assert_eq!(hello["id"], "h", "{hello}");
    assert_eq!(hello["result"]["capabilities"]["tools"]["listChanged"], true, "{hello}");
    client.send(&json!({"method": "notifications/initialized"}));
}

/// What a call of this id says.
fn call(id: u32, tool: &str, answers: &[Value]) -> Value {
    let say: Vec<String> = answers.iter().map(|answer| format!("{answer}\n")).collect();
    json!({"id": id, "method": "tools/call", "params": {"name": tool, "say": say}})
}

fn calls_go_to_the_server_that_is_named() {
    let mut client = two(&[]);
    for (id, tool) in [(1, "a__x"), (2, "b__x__y")] {
        client.send(&call(id, tool, &[json!({"id": id, "result": records(1)})]));
        assert_eq!(client.receive()["id"], id);
    }
    let log = String::from_utf8(client.log()).unwrap();
    assert!(log.contains("\"name\":\"x\"") && log.contains("\"name\":\"x__y\""), "{log}");
    client.send(&call(3, "b__large", &[json!({"id": 3, "result": records(2000)})]));
    let response = client.receive()["result"]["structuredContent"].clone();
    assert_eq!(response["summary"]["count"], 2000, "{response}");
    let arguments = json!({"file_path": response["file_path"], "query": "length", "slurp": true});
    assert_eq!(client.result(4, "lro_extract", &arguments)["structuredContent"]["results"], json!([2000]));
    client.send(&call(5, "c__x", &[]));
    assert!(client.receive()["error"]["message"].as_str().unwrap().contains("names begin with one of a__, b__"));
    client.send(&json!({"id": 6, "method": "ping"}));
    assert_eq!(client.receive()["result"], json!({}));
    client.send(&json!({"id": 7, "method": "server/discover"}));
    assert_eq!(client.receive()["error"]["code"], -32601);
    client.end_well();
}

fn requests_of_two_servers_are_apart() {
    let mut client = two(&[]);
    let ask = json!({"id": 1, "method": "roots/list"});
    // Both servers get a notification, and ask under the same id.
    client.send(&json!({"method": "notifications/roots/list_changed", "params": {"say": [format!("{ask}\n")]}}));
    let (first, second) = (client.receive(), client.receive());
    assert_eq!((&first["method"], &second["method"]), (&ask["method"], &ask["method"]));
    assert_ne!(first["id"], second["id"]);
    for asked in [&first, &second] {
        client.send(&json!({"id": asked["id"], "result": {"roots": [], "to": asked["id"]}}));
        // An answer that nobody has asked for is dropped.
        client.send(&json!({"id": asked["id"], "result": {"roots": [], "to": "nobody"}}));
    }
    client.send(&call(2, "a__x", &[json!({"id": 2, "result": {}})]));
    client.receive();
    client.send(&call(3, "b__x", &[json!({"id": 3, "result": {}})]));
    client.receive();
    let log = String::from_utf8(client.log()).unwrap();
    for asked in [&first, &second] {
        let answer = json!({"id": 1, "result": {"roots": [], "to": asked["id"]}}).to_string();
        assert_eq!(log.matches(&answer).count(), 1, "{log}");
    }
    assert!(!log.contains("nobody"), "{log}");
    client.end_well();
}

fn a_server_that_fails_or_ends_leaves_the_others() {
    let (a, b) = (named("a"), named("b"));
    let mut client = start(&["proxy", "--server=gone=/no/such/command", &a, &b]);
    // The end of the first may come before or after the handshake.
    greet(&mut client, &["lro:2", "lro:3", "lro:4"]);
    client.send(&call(1, "gone__x", &[]));
    let error = client.receive();
    assert!(error["error"]["message"].as_str().unwrap().contains("`gone` does not run"), "{error}");
    client.send(&json!({"id": 2, "method": "tools/call", "params": {"name": "a__x", "exit": 3}}));
    let (mut said, mut ended) = (Vec::new(), None);
    while said.len() < 2 {
        let message = client.receive();
        if message["id"] == 2 {
            ended = message["error"]["message"].as_str().map(str::to_owned);
        }
        said.push(message);
    }
    assert!(ended.as_deref().unwrap().contains("`a` has ended before it answered: it ended with status 3"), "{said:?}");
    assert!(said.iter().any(|message| message["method"] == "notifications/tools/list_changed"), "{said:?}");
    client.send(&call(3, "b__x", &[json!({"id": 3, "result": records(1)})]));
    assert!(text(&client.receive()["result"]).contains("Issue 0"));
    let (output, rest, _folder) = client.end();
    assert!(output.status.success() && rest.is_empty(), "{output:?}");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("the server `gone` does not run: cannot start `/no/such/command`"), "{said}");
}

fn wrong_flags_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("mcp.json");
    std::fs::write(&file, r#"{"mcpServers": {"a": {"url": "x", "type": "sse"}}}"#).unwrap();
    let file = file.display().to_string();
    for (words, reason) in [
        (vec!["--server", "a"], "write NAME=COMMAND"),
        (vec!["--server", "a=x 'y"], "a quote ' has no end"),
        (vec!["--server", "a=x", "--server", "a=y"], "two servers are called `a`"),
        (vec!["--servers", "/no/such/file"], "cannot read `/no/such/file`"),
        (vec!["--servers", file.as_str()], "`a`: the old transport `sse`"),
        (vec!["--server", "a=x", "--", "y"], "cannot be used with"),
        (vec!["--listen", "127.0.0.1:0", "--server", "a=x 'y"], "a quote ' has no end"),
    ] {
        let output = std::process::Command::new(LRO).arg("proxy").args(&words).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && said.contains(reason), "{words:?}: {said}");
    }
}

fn the_end_of_the_client_ends_all_servers() {
    if !cfg!(unix) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let script = |name: &str, last: &str| {
        let file = folder.path().join(name).display().to_string();
        format!("--server={name}=sh -c 'echo $$ > \"{file}\"; while read -r line; do :; done; {last}'")
    };
    // One ends with its input, and one only when it is killed.
    let (good, bad) = (script("good", "true"), script("bad", "trap : TERM; while :; do sleep 1; done"));
    let client = start(&["proxy", &good, &bad]);
    let pid = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap_or_default().trim().parse::<u32>();
    let start = Instant::now();
    while pid("good").is_err() || pid("bad").is_err() {
        assert!(start.elapsed() < Duration::from_secs(20));
        std::thread::sleep(Duration::from_millis(20));
    }
    let (ended, pids) = (Instant::now(), [pid("good").unwrap(), pid("bad").unwrap()]);
    let (output, ..) = client.end();
    assert!(output.status.success() && ended.elapsed() < Duration::from_secs(8), "{output:?}");
    for pid in pids {
        let runs = std::process::Command::new("kill").args(["-0", &pid.to_string()]).output().unwrap();
        assert!(!runs.status.success(), "{pid} still runs");
    }
}

#[cfg(feature = "listen")]
fn several_servers_are_served_over_http() {
    use crate::listening::listen_before;
    let listening = listen_before(&[&named("a"), &named("b")]);
    let result =
        json!({"protocolVersion": "2025-11-25", "capabilities": {}, "serverInfo": {"name": "s", "version": "1"}});
    let say: Vec<String> =
        [2, 3].map(|number| format!("{}\n", json!({"id": format!("lro:{number}"), "result": result}))).to_vec();
    let hello = json!({"id": 1, "method": "initialize", "params": {"protocolVersion": "2025-11-25", "say": say}});
    let reply = listening.post("", &hello);
    assert_eq!(reply.json()["result"]["serverInfo"]["title"], "a, b", "{reply:?}");
    let session = reply.header("mcp-session-id").unwrap();
    let answered = listening.post(session, &call(2, "b__x", &[json!({"id": 2, "result": records(1)})]));
    assert!(text(&answered.json()["result"]).contains("Issue 0"));
    assert!(listening.post(session, &call(3, "c__x", &[])).json()["error"].is_object());
}

#[cfg(not(feature = "listen"))]
fn several_servers_are_served_over_http() {
    assert!(!std::process::Command::new(LRO).args(["proxy", "--listen", "x"]).status().unwrap().success());
}
