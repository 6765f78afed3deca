//! `lro mcp`: the tools over the official SDK.

use std::fs;

use serde_json::{Value, json};

use crate::client::{Client, names, records, start};
use crate::trials;

trials![
    the_tools_are_listed,
    a_text_is_offloaded_and_read,
    files_are_read_below_the_roots_only,
    large_texts_are_read,
    what_cannot_be_read_is_answered,
    the_last_line_needs_no_end,
    each_request_has_an_id_of_its_own,
    the_name_of_an_unknown_tool_is_shortened,
    limits_are_failures_of_the_tool,
    many_calls_wait_for_their_turn,
    a_file_may_be_too_large,
    events_are_reported,
    a_directory_that_cannot_be_opened_is_told,
    a_missing_directory_is_created_or_told_at_the_start,
];

/// A conversation after the handshake.
fn served(flags: &[&str]) -> Client {
    let mut client = start(&[&["mcp"], flags].concat());
    client.send(&json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"},
    }}));
    assert_eq!(client.receive()["result"]["serverInfo"]["name"], "lro");
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    client
}

fn the_tools_are_listed() {
    let mut client = served(&[]);
    client.send(&json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}));
    let list = client.receive();
    let names: Vec<&str> =
        list["result"]["tools"].as_array().unwrap().iter().filter_map(|tool| tool["name"].as_str()).collect();
    assert!(
        names.starts_with(&["lro_describe", "lro_extract", "lro_read", "lro_search"])
            && names.ends_with(&["lro_estimate", "lro_offload"]),
        "{names:?}"
    );
    client.end_well();
}

fn a_text_is_offloaded_and_read() {
    let mut client = served(&["--threshold", "100"]);
    let text = records(100)["content"][0]["text"].clone();
    let estimate = client.result(1, "lro_estimate", &json!({"text": text}));
    assert_eq!(estimate["structuredContent"]["threshold_tokens"], 100, "{estimate}");
    assert!(estimate["structuredContent"]["tokens"].as_u64().unwrap() > 100, "{estimate}");
    let offloaded = client.result(2, "lro_offload", &json!({"text": text, "operation": "list_issues", "query": "all"}));
    let response = &offloaded["structuredContent"];
    assert_eq!((&response["offloaded"], &response["summary"]["operation"]), (&json!(true), &json!("list_issues")));
    assert!(response["guidance"].as_str().unwrap().contains("`lro_extract`"));
    let arguments =
        json!({"file_path": response["file_path"], "query": "map(select(.state == \"open\")) | length", "slurp": true});
    assert_eq!(client.result(3, "lro_extract", &arguments)["structuredContent"]["results"], json!([50]));
    let small = client.result(4, "lro_offload", &json!({"text": "[1]"}));
    assert_eq!(small["content"][0]["text"], "[1]", "{small}");
    assert_eq!(names(&client.results()).len(), 1);
    client.end_well();
}

fn files_are_read_below_the_roots_only() {
    let folder = tempfile::tempdir().unwrap();
    let (inside, outside) = (folder.path().join("in"), folder.path().join("out.json"));
    fs::create_dir(&inside).unwrap();
    fs::write(inside.join("a.json"), "[1,2,3]").unwrap();
    fs::write(&outside, "[4]").unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink(&outside, inside.join("link.json")).unwrap();
    let mut client = served(&["--root", inside.to_str().unwrap()]);
    let mut tokens = |id: u32, file: &str| client.result(id, "lro_estimate", &json!({"file": inside.join(file)}));
    assert_eq!(tokens(1, "a.json")["structuredContent"]["tokens"], 1);
    for (id, file) in [(2, "../out.json"), (3, "link.json"), (4, "missing.json"), (5, ".")] {
        assert_eq!(tokens(id, file)["isError"], true, "{file}");
    }
    let unknown: Value = client.result(6, "lro_estimate", &json!({"txt": "[1]"}));
    assert!(unknown["content"][0]["text"].as_str().unwrap().contains("`txt` is not known"), "{unknown}");
    client.end_well();
}

/// A call of a tool as a line.
fn call(id: u32, tool: &str, arguments: &Value) -> String {
    let params = json!({"name": tool, "arguments": arguments});
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}).to_string()
}

fn large_texts_are_read() {
    let mut client = served(&[]);
    let text = "lorem ipsum ".repeat(2_000_000);
    let estimate = client.result(1, "lro_estimate", &json!({"text": text}));
    assert!(estimate["structuredContent"]["tokens"].as_u64().unwrap() > 1_000_000, "{estimate}");
    client.end_well();
}

fn what_cannot_be_read_is_answered() {
    let long =
        format!(r#"{{"method":"tools/call","params":{{"text":"{}"}},"jsonrpc":"2.0","id":"late"}}"#, "x".repeat(5000));
    let deep = format!(r#"{{"id":3,"method":"tools/call","params":{}{}}}"#, "[".repeat(2000), "]".repeat(2000));
    let rows = [
        (long.as_str(), r#""late""#, -32600, "--max-message"),
        (r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":[1]}"#, "2", -32600, "`params` must be an object"),
        (&deep, "3", -32600, "nests too deep"),
        (r#"{"jsonrpc":"2.0","id":1e2,"method":"ping"}"#, "1e2", -32600, "an id that is not supported"),
        (r#"{"jsonrpc":"2.0","id":-0,"method":"ping"}"#, "-0", -32600, "an id that is not supported"),
        (
            r#"{"id":18446744073709551617,"method":"ping"}"#,
            "18446744073709551617",
            -32600,
            "an id that is not supported",
        ),
        (r#"{"id":5,"method":"ping","#, "5", -32700, "not JSON"),
        (r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":7}}"#, "7", -32602, "`tools/call`"),
        (r#"{"jsonrpc":"2.0","id":8,"method":"tools/call"}"#, "8", -32602, "`tools/call`"),
        (r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, "null", -32600, "an id that is not supported"),
        (r#"{"jsonrpc":"2.0","id":{"a":1},"method":"ping"}"#, "null", -32600, "an id that is not supported"),
        (r#"{"jsonrpc":"2.0","id":9}"#, "9", -32600, "needs `jsonrpc`, `id` and `method`"),
        ("garbage", "null", -32700, "not JSON"),
        ("7", "null", -32600, "needs `jsonrpc`, `id` and `method`"),
        (r#"[{"jsonrpc":"2.0","id":6,"method":"ping"}]"#, "null", -32600, "batches"),
        (r#"{"jsonrpc":"2.0","id":10,"method":"tools/call","params":{"a":"\ud83d"}}"#, "10", -32600, "hex escape"),
        (r#"{"jsonrpc":"2.0","id":11,"method":"tools/call","params":{"a":1e999}}"#, "11", -32600, "out of range"),
    ];
    let mut client = served(&["--max-message", "5000"]);
    for (line, id, code, message) in rows {
        client.write(format!("{line}\n").as_bytes());
        let answer = String::from_utf8(client.line()).unwrap();
        assert!(answer.starts_with(&format!(r#"{{"jsonrpc":"2.0","id":{id},"error":"#)), "{answer}");
        let answer: Value = serde_json::from_str(&answer).unwrap();
        assert_eq!(answer["error"]["code"], code, "{answer}");
        assert!(answer["error"]["message"].as_str().unwrap().contains(message), "{answer}");
        client.send(&json!({"jsonrpc": "2.0", "id": "after", "method": "ping"}));
        assert_eq!(client.receive()["id"], "after");
    }
    client.write(b"{\"jsonrpc\":\"2.0\",\"id\":10,\"method\":\"ping\",\"params\":{\"a\":\"\xff\"}}\n");
    let answer = client.receive();
    assert!(answer["id"] == 10 && answer.to_string().contains("the line is not UTF-8"), "{answer}");
    // Nobody waits for an answer to these.
    client.write(b"\n\r\n{\"jsonrpc\":\"2.0\",\"id\":9,\"result\":{}}\n");
    client.write(b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\",\"params\":{}}\n");
    client.end_well();
}

fn the_last_line_needs_no_end() {
    let mut client = served(&[]);
    client.write(br#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#);
    let (output, rest, _folder) = client.end();
    assert!(output.status.success(), "{output:?}");
    assert_eq!(String::from_utf8_lossy(&rest), "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n");
}

fn each_request_has_an_id_of_its_own() {
    let mut client = served(&[]);
    let slow = call(1, "lro_offload", &json!({"text": "lorem ipsum ".repeat(100_000)}));
    client.write(format!("{slow}\n{}\n", call(1, "lro_estimate", &json!({"text": "[1]"}))).as_bytes());
    let refused = client.receive();
    assert_eq!((&refused["id"], &refused["error"]["code"]), (&json!(1), &json!(-32600)), "{refused}");
    assert!(refused["error"]["message"].as_str().unwrap().contains("an id of its own"), "{refused}");
    let answered = client.receive();
    assert!(answered["id"] == 1 && answered["result"].is_object(), "{answered}");
    // An id may come again after its answer.
    assert!(client.result(1, "lro_estimate", &json!({"text": "[1]"}))["structuredContent"].is_object());
    client.end_well();
}

fn the_name_of_an_unknown_tool_is_shortened() {
    let mut client = served(&[]);
    client.write(format!("{}\n", call(1, &"x".repeat(100_000), &json!({}))).as_bytes());
    let answer = client.line();
    assert!(answer.len() < 1000, "{} bytes", answer.len());
    client.end_well();
}

fn limits_are_failures_of_the_tool() {
    let mut client = served(&["--threshold", "100"]);
    let text = records(100)["content"][0]["text"].clone();
    let file = client.result(1, "lro_offload", &json!({"text": text}))["structuredContent"]["file_path"].clone();
    let arguments = json!({"file_path": file, "query": "[range(1e9)] | length", "slurp": true});
    let failed = client.result(2, "lro_extract", &arguments);
    assert_eq!(failed["isError"], true, "{failed}");
    assert!(failed["content"][0]["text"].as_str().unwrap().contains("stopped"), "{failed}");
    client.send(&json!({"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {"name": "unknown"}}));
    assert_eq!(client.receive()["error"]["code"], -32602);
    client.end_well();
}

fn many_calls_wait_for_their_turn() {
    const CALLS: u32 = 200;
    let mut client = served(&["--threshold", "100"]);
    let text = records(100)["content"][0]["text"].clone();
    let file = client.result(1, "lro_offload", &json!({"text": text}))["structuredContent"]["file_path"].clone();
    let arguments = json!({"file_path": file, "query": "[range(5000)] | length", "limit": 1});
    let lines: Vec<String> = (2..2 + CALLS).map(|id| call(id, "lro_extract", &arguments) + "\n").collect();
    client.write(lines.concat().as_bytes());
    for _ in 0..CALLS {
        let answer = client.receive();
        assert_eq!(answer["result"]["structuredContent"]["results"], json!([5000]), "{answer}");
    }
    #[cfg(target_os = "linux")]
    {
        let status = fs::read_to_string(format!("/proc/{}/status", client.id())).unwrap();
        let threads: u32 =
            status.lines().find_map(|line| line.strip_prefix("Threads:")).unwrap().trim().parse().unwrap();
        assert!(threads < 50, "{threads}");
    }
    client.end_well();
}

fn a_file_may_be_too_large() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("sparse");
    fs::File::create(&file).unwrap().set_len(3 << 30).unwrap();
    let mut client = served(&["--root", folder.path().to_str().unwrap()]);
    for (id, tool) in [(1, "lro_estimate"), (2, "lro_offload")] {
        let refused = client.result(id, tool, &json!({"file": file}));
        assert!(refused["isError"] == true && refused.to_string().contains("3221225472 bytes"), "{refused}");
    }
    client.end_well();
}

fn events_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    let events = folder.path().join("events");
    let mut client = served(&["--threshold", "100", "--events", events.to_str().unwrap()]);
    client.block_results();
    let answer = client.result(1, "lro_offload", &json!({"text": records(100)["content"][0]["text"]}));
    assert_eq!(answer["structuredContent"]["offloaded"], false, "{answer}");
    client.end_well();
    let events = fs::read_to_string(events).unwrap();
    assert!(events.starts_with(r#"{"name":"LargeResultDetected"#), "{events}");
    assert!(events.contains(r#"{"name":"OffloadWriteFailed"#), "{events}");
}

/// Whatever cannot be opened for want of descriptors, no answer says that the file has expired.
fn a_directory_that_cannot_be_opened_is_told() {
    if !cfg!(target_os = "linux") {
        return;
    }
    use std::io::Write;
    use std::process::{Command, Stdio};

    let mut client = served(&["--threshold", "100"]);
    let text = records(100)["content"][0]["text"].clone();
    let file = client.result(1, "lro_offload", &json!({"text": text}))["structuredContent"]["file_path"].clone();
    let initialize = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"},
    }});
    let arguments = json!({"file_path": file, "query": ".id", "limit": 1});
    let calls: String = (1..20).map(|id| call(id, "lro_extract", &arguments) + "\n").collect();
    let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    let lines = format!("{initialize}\n{initialized}\n{calls}");
    let mut answers = Vec::new();
    for descriptors in 8..18 {
        let script = format!("ulimit -n {descriptors}; exec {} mcp --output-dir \"$0\"", crate::client::LRO);
        let mut server = Command::new("sh")
            .args(["-c", &script])
            .arg(client.results())
            .env("LRO_CACHE_DIR", crate::client::CACHE)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // With too few it does not start.
        let _ = server.stdin.take().unwrap().write_all(lines.as_bytes());
        answers.push(String::from_utf8(server.wait_with_output().unwrap().stdout).unwrap());
    }
    assert!(answers.iter().any(|answer| answer.contains(r#""results":[0]"#)), "{answers:?}");
    assert!(!answers.iter().any(|answer| answer.contains("expired")), "{answers:?}");
    client.end_well();
}

fn a_missing_directory_is_created_or_told_at_the_start() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("no/where");
    let mut client = served(&["--threshold", "100", "--output-dir", missing.to_str().unwrap()]);
    let answer = client.result(1, "lro_offload", &json!({"text": records(100)["content"][0]["text"]}));
    assert_eq!(answer["structuredContent"]["offloaded"], true, "{answer}");
    assert_eq!(names(&missing).len(), 1);
    client.end_well();

    let file = folder.path().join("file");
    fs::write(&file, "mine").unwrap();
    let (output, said, _folder) = start(&["mcp", "--output-dir", file.to_str().unwrap()]).end();
    assert_eq!((output.status.code(), said.as_slice()), (Some(1), &b""[..]));
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(error.starts_with(&format!("lro: cannot use `{}` as the output directory: ", file.display())), "{error}");
}
