//! What the definitions of our tools cost: a client sends them with each request, so their tokens are bounded.
//!
//! A model is given the name, the title, the description and the schema of a tool. Annotations and `_meta` are for the
//! client.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

use lro::{Lro, Options, Settings};
use lro_tests::command;
use serde_json::{Map, Value, json};

/// All tools together, and the one for extraction, in tokens of o200k. Reading and searching cost 231 of them: a log is
/// read without a filter, and a model that has both asks for less.
const MOST_OF_ALL: usize = 930;
const MOST_OF_EXTRACT: usize = 400;

/// The parts that a model is given.
const PAID: [&str; 4] = ["name", "title", "description", "inputSchema"];

fn tokens(tool: &Value) -> usize {
    let paid: Map<String, Value> = PAID.iter().map(|key| ((*key).to_owned(), tool[key].clone())).collect();
    bpe_openai::o200k_base().count(&Value::Object(paid).to_string())
}

fn check(tools: &[Value], names: &[&str]) {
    let found: Vec<&str> = tools.iter().filter_map(|tool| tool["name"].as_str()).collect();
    assert_eq!(found, names);
    let costs: Vec<usize> = tools.iter().map(tokens).collect();
    println!("{names:?}: {costs:?} tokens, {} together", costs.iter().sum::<usize>());
    assert!(costs.iter().sum::<usize>() <= MOST_OF_ALL, "{costs:?}");
    for (tool, cost) in tools.iter().zip(&costs) {
        let is_extract = tool["name"].as_str().is_some_and(|name| name.ends_with("extract"));
        assert!(!is_extract || *cost <= MOST_OF_EXTRACT, "{cost} tokens");
        // Clients that hide tools are asked to load this one.
        assert_eq!(tool["_meta"]["anthropic/alwaysLoad"] == true, is_extract, "{tool}");
        assert_eq!(tool["_meta"]["anthropic/searchHint"].is_string(), is_extract, "{tool}");
    }
}

#[test]
fn the_definitions_of_the_component_are_short() {
    let directory = tempfile::tempdir().unwrap();
    let lro = Lro::open(&Options::of(directory.path())).unwrap();
    let tools: Vec<Value> = serde_json::from_str(&lro.mcp_tools().unwrap()).unwrap();
    check(&tools, &["lro_describe", "lro_extract", "lro_read", "lro_search"]);
}

#[test]
fn the_definitions_of_the_command_are_short() {
    let directory = tempfile::tempdir().unwrap();
    let mut server = Command::new(command::lro())
        .args(["mcp", "--output-dir"])
        .arg(directory.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = server.stdin.take().unwrap();
    let mut output = BufReader::new(server.stdout.take().unwrap()).lines();
    let client =
        json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "a", "version": "1"}});
    for message in [
        json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": client}),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list"}),
    ] {
        writeln!(input, "{message}").unwrap();
    }
    let listed = output
        .by_ref()
        .map(|line| serde_json::from_str::<Value>(&line.unwrap()).unwrap())
        .find(|message| message["id"] == 2)
        .expect("the server answers");
    drop(input);
    assert!(server.wait().unwrap().success());
    check(
        listed["result"]["tools"].as_array().unwrap(),
        &["lro_describe", "lro_extract", "lro_read", "lro_search", "lro_estimate", "lro_offload"],
    );
}

#[test]
fn the_definitions_of_every_family_are_short() {
    let directory = tempfile::tempdir().unwrap();
    let families: [(&str, &[&str], usize); 3] = [
        ("artifact", &["artifact_read", "artifact_grep", "artifact_jq"], 340),
        ("large_output", &["read_large_output", "search_large_output", "query_large_output"], 360),
        ("unified", &["large_output"], 240),
    ];
    for (family, expected, most) in families {
        let mut options = Options::of(directory.path());
        options.settings = Settings::default().with("tool_names", family);
        let tools: Vec<Value> = serde_json::from_str(&Lro::open(&options).unwrap().mcp_tools().unwrap()).unwrap();
        let names: Vec<&str> = tools.iter().filter_map(|tool| tool["name"].as_str()).collect();
        assert_eq!(names, expected);
        let costs: Vec<usize> = tools.iter().map(tokens).collect();
        println!("{family}: {costs:?} tokens");
        assert!(costs.iter().sum::<usize>() <= most, "{family}: {costs:?}");
        // There is no other way to the results: clients that hide tools are asked to load them.
        assert!(tools.iter().all(|tool| tool["_meta"]["anthropic/alwaysLoad"] == true), "{tools:?}");
    }
}
