//! A conversation by each family of names: a real lock file and a real text go into files, come back by reading,
//! searching and querying, and are handed to another tool.

use serde_json::{Value, json};

use crate::client::{Client, proxy};
use crate::handover::{call, last_arguments};
use crate::trials;

trials![
    each_family_reads_searches_queries_and_hands_over,
    what_is_offered_is_what_a_response_names,
    a_family_makes_way_for_the_server,
    mcpagent_has_its_files_and_its_message,
    an_agent_of_mcpagent_reads_as_its_text_says,
];

const LOCK: &str = include_str!("../../../tests/peers/js/package-lock.json");
const TEXT: &str = include_str!("../../../docs/DECISIONS.md");

/// A tool of a family and its arguments without the file.
type Call = (&'static str, Value);

/// A family: its flag, the argument for the file and where a response has it, and calls that query, read and search.
struct Family {
    flag: &'static str,
    key: &'static str,
    known_by: &'static str,
    query: Call,
    read: Call,
    search: Call,
}

fn families() -> [Family; 4] {
    let query = r#".packages["node_modules/express"].version"#;
    let large = |operation: &str, rest: Value| {
        let mut arguments = json!({"operation": operation});
        arguments.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
        ("large_output", arguments)
    };
    [
        Family {
            flag: "lro",
            key: "file_path",
            known_by: "file_path",
            query: ("lro_extract", json!({"query": query, "on": "document"})),
            read: ("lro_read", json!({"characters": "1-200"})),
            search: ("lro_search", json!({"pattern": "^### \\d+\\. "})),
        },
        Family {
            flag: "artifact",
            key: "artifact_id",
            known_by: "artifact_id",
            query: ("artifact_jq", json!({"query": query})),
            read: ("artifact_read", json!({"start_line": 1, "end_line": 1})),
            search: ("artifact_grep", json!({"pattern": "^### \\d+\\. "})),
        },
        Family {
            flag: "large_output",
            key: "filename",
            known_by: "file_path",
            query: ("query_large_output", json!({"query": query})),
            read: ("read_large_output", json!({"start": 1, "end": 200})),
            search: ("search_large_output", json!({"pattern": "^### \\d+\\. "})),
        },
        Family {
            flag: "unified",
            key: "filename",
            known_by: "file_path",
            query: large("query", json!({"query": query})),
            read: large("read", json!({"start": 1, "end": 200})),
            search: large("search", json!({"pattern": "^### \\d+\\. "})),
        },
    ]
}

/// Offloads a text and returns what it is known by.
fn offloaded(client: &mut Client, id: u32, text: &str, known_by: &str) -> Value {
    client.call(id, "read_file", &json!({"content": [{"type": "text", "text": text}]}));
    let response = client.receive()["result"]["structuredContent"].clone();
    assert_eq!(response["offloaded"], true, "{response}");
    response[known_by].clone()
}

fn asked(client: &mut Client, id: u32, (tool, arguments): &Call, key: &str, file: &Value) -> Value {
    let mut arguments = arguments.clone();
    arguments[key] = file.clone();
    let result = client.result(id, tool, &arguments);
    assert_eq!(result["isError"], false, "{tool}: {result}");
    result["structuredContent"].clone()
}

fn each_family_reads_searches_queries_and_hands_over() {
    let lock: Value = serde_json::from_str(LOCK).unwrap();
    let expected = &lock["packages"]["node_modules/express"]["version"];
    assert!(expected.is_string());
    let headings = TEXT.lines().filter(|line| line.starts_with("### ")).count();
    for family in families() {
        let mut client = proxy(&["--tool-names", family.flag, "--resolve-arguments"]);
        let file = offloaded(&mut client, 1, LOCK, family.known_by);
        let found = asked(&mut client, 2, &family.query, family.key, &file);
        assert_eq!(found["results"], json!([expected]), "{}: {found}", family.flag);
        let text = offloaded(&mut client, 3, TEXT, family.known_by);
        let read = asked(&mut client, 4, &family.read, family.key, &text);
        let beginning = read["text"].as_str().unwrap();
        assert!(TEXT.starts_with(beginning) && beginning.len() >= 10, "{}: {read}", family.flag);
        assert_eq!(all_hits(&mut client, &family, &text), headings, "{}", family.flag);
        let reference = format!("lro://{}", text.as_str().unwrap());
        client.send(&call(5, "save", &json!({"content": reference})));
        assert_eq!(client.receive()["result"]["content"][0]["text"], "ok");
        assert!(last_arguments(&client)["content"] == TEXT, "{}", family.flag);
        client.end_well();
    }
}

/// Searches to the last page, and returns how many lines were found.
fn all_hits(client: &mut Client, family: &Family, text: &Value) -> usize {
    let (tool, mut arguments) = family.search.clone();
    let mut hits = 0;
    for id in 10.. {
        let page = asked(client, id, &(tool, arguments.clone()), family.key, text);
        hits += usize::try_from(page["count"].as_u64().unwrap()).unwrap();
        match page["next"].as_str() {
            Some(next) => arguments["next"] = next.into(),
            None => break,
        }
    }
    hits
}

fn what_is_offered_is_what_a_response_names() {
    let all = ["lro_", "artifact_read", "artifact_grep", "artifact_jq", "_large_output", "`large_output`"];
    for family in families() {
        let mut client = proxy(&["--tool-names", family.flag]);
        client.call(1, "read_file", &json!({"content": [{"type": "text", "text": LOCK}]}));
        let response = client.receive()["result"]["structuredContent"].to_string();
        let own = match family.flag {
            "lro" => "lro_",
            "artifact" => "artifact_",
            "large_output" => "_large_output",
            _ => "`large_output`",
        };
        for name in all {
            assert_eq!(response.contains(name), name.starts_with(own), "{}: `{name}` in {response}", family.flag);
        }
        client.end_well();
    }
}

fn a_family_makes_way_for_the_server() {
    let mut client = proxy(&["--tool-names", "artifact"]);
    let tools = json!([{"name": "artifact_read", "inputSchema": {"type": "object"}}]);
    let list = json!({"id": 1, "result": {"tools": tools}}).to_string() + "\n";
    client.send(&json!({"id": 1, "method": "tools/list", "params": {"say": [list]}}));
    let listed = client.receive()["result"]["tools"].clone();
    let names: Vec<&str> = listed.as_array().unwrap().iter().filter_map(|tool| tool["name"].as_str()).collect();
    assert_eq!(names, ["artifact_read", "lro_local_artifact_read", "lro_local_artifact_grep", "lro_local_artifact_jq"]);
    let file = offloaded(&mut client, 2, LOCK, "artifact_id");
    let call = ("lro_local_artifact_jq", json!({"query": ".lockfileVersion"}));
    assert_eq!(asked(&mut client, 3, &call, "artifact_id", &file)["results"], json!([3]));
    let (output, _, _folder) = client.end();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.starts_with("lro: the server has a tool `artifact_read` of its own; ours are called: "), "{said}");
}

fn mcpagent_has_its_files_and_its_message() {
    let mut client = proxy(&["--profile", "mcpagent"]);
    client.call(1, "search/Issues", &json!({"content": [{"type": "text", "text": LOCK}]}));
    let response = client.receive()["result"]["structuredContent"].clone();
    let path = response["file_path"].as_str().unwrap();
    let name = path.rsplit(['/', '\\']).next().unwrap();
    assert!(name.starts_with("tool_2") && name.contains("_search-issues_") && name.ends_with(".jsonl"), "{name}");
    let message = response["message"].as_str().unwrap();
    assert!(message.starts_with("Tool output was large and saved to file: tool_2"), "{message}");
    assert!(response["instructions"].as_str().unwrap().contains("`read_large_output`"), "{response}");
    assert_eq!(response["preview"].as_str().unwrap().chars().count(), 5000);
    client.end_well();
}

/// Reads a file chunk by chunk, as the text has it, with the name that it prints.
fn an_agent_of_mcpagent_reads_as_its_text_says() {
    let mut client = proxy(&["--profile", "mcpagent"]);
    let file = offloaded(&mut client, 1, TEXT, "file_path");
    let name = file.as_str().unwrap().rsplit(['/', '\\']).next().unwrap().to_owned();
    let printed = name.rsplit_once('_').unwrap().0.to_owned() + ".txt";
    let mut text = String::new();
    for (id, start) in (2..).zip((1..=30_000).step_by(5000)) {
        let call = ("read_large_output", json!({"start": start, "end": start + 4999}));
        text += asked(&mut client, id, &call, "filename", &json!(printed))["text"].as_str().unwrap();
    }
    assert!(TEXT.starts_with(&text) && text.chars().count() == 30_000);
    client.end_well();
}
