//! `lro mcp`: the tools over the official SDK.

use std::fs;

use serde_json::{Value, json};

use crate::client::{Client, names, records, start};
use crate::trials;

trials![the_tools_are_listed, a_text_is_offloaded_and_read, files_are_read_below_the_roots_only];

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
        names.starts_with(&["lro_describe", "lro_extract"]) && names.ends_with(&["lro_estimate", "lro_offload"]),
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
