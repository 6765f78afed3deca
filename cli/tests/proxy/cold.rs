//! The first start, when the component has to be compiled: what needs no component does not wait for it.

use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::client::{Client, names, records, server, start_with_cache};
use crate::trials;

trials![
    a_proxy_forwards_while_the_component_compiles,
    what_was_sent_before_the_end_is_answered,
    lro_mcp_answers_while_the_component_compiles,
    settings_that_make_no_sense_end_the_proxy,
    a_directory_that_cannot_be_created_needs_no_component,
];

const COMPILING: &str = "lro: compiling the component, which takes some seconds\n";

/// Compiling takes all processors, and the other tests have bounds on time: one compiles at once.
static TURN: Mutex<()> = Mutex::new(());

/// An empty cache, as long as it is this test's turn.
struct Cache {
    folder: TempDir,
    _turn: MutexGuard<'static, ()>,
}

impl Cache {
    fn path(&self) -> &Path {
        self.folder.path()
    }
}

/// A conversation that begins with an empty cache.
fn cold(arguments: &[&str]) -> (Client, Cache) {
    let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let cache = Cache { folder: tempfile::tempdir().expect("a folder can be made"), _turn: turn };
    (start_with_cache(cache.path(), arguments), cache)
}

fn cold_proxy(flags: &[&str]) -> (Client, Cache) {
    let [this, flag] = server();
    cold(&[&["proxy"], flags, &["--", &this, &flag]].concat())
}

/// The compiled component goes to the cache before anybody can use it.
fn is_compiled(cache: &Path) -> bool {
    names(cache).iter().any(|name| name.ends_with(".cwasm"))
}

/// A request that the server answers with this result.
fn request(id: u32, method: &str, tool: &str, result: &Value) -> Value {
    let answer = json!({"jsonrpc": "2.0", "id": id, "result": result}).to_string() + "\n";
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": {"name": tool, "say": [answer]}})
}

fn a_proxy_forwards_while_the_component_compiles() {
    let (mut client, cache) = cold_proxy(&[]);
    client.send(&request(0, "initialize", "", &json!({"capabilities": {}})));
    assert_eq!(client.receive()["id"], 0);
    client.send(&request(1, "ping", "", &json!({})));
    assert_eq!(client.receive()["id"], 1);
    assert!(!is_compiled(cache.path()), "these answers have waited for the component");
    client.send(&request(2, "tools/list", "", &json!({"tools": []})));
    let list = client.receive();
    assert!(is_compiled(cache.path()) && list.to_string().contains("lro_extract"), "{list}");
    let (output, _, _folder) = client.end();
    assert!(output.status.success(), "{output:?}");
    assert_eq!(String::from_utf8_lossy(&output.stderr), COMPILING);
}

fn what_was_sent_before_the_end_is_answered() {
    let (mut client, _cache) = cold_proxy(&[]);
    client.send(&request(0, "initialize", "", &json!({"capabilities": {}})));
    client.call(1, "list_issues", &records(1000));
    let params = json!({"name": "lro_extract", "arguments": {"file_path": "missing", "query": "."}});
    client.send(&json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params}));
    client.call(3, "list_issues", &records(1000));
    let (output, rest, _folder) = client.end();
    assert!(output.status.success(), "{output:?}");
    let mut answers: Vec<Value> = String::from_utf8_lossy(&rest)
        .lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")))
        .collect();
    answers.sort_by_key(|answer| answer["id"].as_u64());
    assert!(answers.iter().map(|answer| answer["id"].as_u64()).eq((0..4).map(Some)), "{answers:?}");
    assert_eq!(answers[1]["result"]["structuredContent"]["offloaded"], true, "{answers:?}");
    assert_eq!(answers[2]["result"]["isError"], true, "{answers:?}");
    assert_eq!(answers[3]["result"]["structuredContent"]["offloaded"], true, "{answers:?}");
}

#[cfg(not(feature = "mcp"))]
fn lro_mcp_answers_while_the_component_compiles() {}

#[cfg(feature = "mcp")]
fn lro_mcp_answers_while_the_component_compiles() {
    let (mut client, cache) = cold(&["mcp"]);
    client.send(&json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"},
    }}));
    assert_eq!(client.receive()["result"]["serverInfo"]["name"], "lro");
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    client.send(&json!({"jsonrpc": "2.0", "id": 1, "method": "ping"}));
    assert_eq!(client.receive()["id"], 1);
    assert!(!is_compiled(cache.path()), "these answers have waited for the component");
    let params = json!({"name": "lro_estimate", "arguments": {"text": "[1,2,3]"}});
    client.send(&json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params}));
    let (output, rest, _folder) = client.end();
    assert!(output.status.success(), "{output:?}");
    let answer: Value = serde_json::from_slice(&rest).expect("the call is answered");
    assert_eq!((&answer["id"], &answer["result"]["structuredContent"]["tokens"]), (&json!(2), &json!(1)), "{answer}");
    assert_eq!(String::from_utf8_lossy(&output.stderr), COMPILING);
}

/// Settings are resolved by the component, so this shows late.
fn settings_that_make_no_sense_end_the_proxy() {
    let (mut client, _cache) = cold_proxy(&["--config", "missing.toml"]);
    assert_eq!(client.wait_long().code(), Some(1));
    let (output, rest, _folder) = client.end();
    assert_eq!(String::from_utf8_lossy(&rest), "");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.starts_with(&format!("{COMPILING}lro: cannot read `missing.toml`: ")), "{said}");
}

fn a_directory_that_cannot_be_created_needs_no_component() {
    let (client, cache) = cold_proxy(&["--output-dir", "/dev/null/below"]);
    let (output, rest, folder) = client.end();
    assert_eq!((output.status.code(), rest.as_slice()), (Some(1), &b""[..]));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.starts_with("lro: cannot use `/dev/null/below` as the output directory: "), "{said}");
    assert!(!is_compiled(cache.path()) && !folder.path().join("log").exists());
}
