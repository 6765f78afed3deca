//! Results that go from one tool to the next (USER-11), and what the proxy knows of tools and clients.

use serde_json::{Value, json};

use crate::client::{Client, proxy, records};
use crate::trials;

trials![
    forty_kilobytes_go_from_one_tool_to_the_next,
    what_cannot_be_handed_over_never_reaches_the_server,
    arguments_stay_as_they_are_without_the_flag,
    calls_are_sent_before_the_input_ends,
    other_messages_overtake_a_call_that_is_resolved,
    a_response_names_how_to_ask_for_less,
    a_client_that_is_a_proxy_gets_full_results,
    a_client_that_loses_much_is_given_less,
];

/// Lets the server list a tool with these parameters.
fn listed(client: &mut Client, tool: &str, properties: &Value) {
    let tool = json!({"name": tool, "inputSchema": {"type": "object", "properties": properties}});
    let answer = json!({"id": "list", "result": {"tools": [tool]}}).to_string() + "\n";
    client.send(&json!({"id": "list", "method": "tools/list", "params": {"say": [answer]}}));
    client.receive();
}

/// A call with these arguments, which the server answers with `ok`.
pub(crate) fn call(id: u32, tool: &str, arguments: &Value) -> Value {
    let result = json!({"content": [{"type": "text", "text": "ok"}]});
    let answer = json!({"id": id, "result": result}).to_string() + "\n";
    json!({"id": id, "method": "tools/call", "params": {"name": tool, "arguments": arguments, "say": [answer]}})
}

/// The arguments of the last line that the server has got.
pub(crate) fn last_arguments(client: &Client) -> Value {
    let log = String::from_utf8(client.log()).unwrap();
    serde_json::from_str::<Value>(log.lines().last().unwrap()).unwrap()["params"]["arguments"].clone()
}

/// The path of a result that has been offloaded.
fn offloaded(client: &mut Client, id: u32, count: usize) -> (String, String) {
    let result = records(count);
    client.call(id, "list_issues", &result);
    let path = client.receive()["result"]["structuredContent"]["file_path"].as_str().unwrap().to_owned();
    (path, result["content"][0]["text"].as_str().unwrap().to_owned())
}

fn forty_kilobytes_go_from_one_tool_to_the_next() {
    let mut client = proxy(&["--resolve-arguments"]);
    listed(&mut client, "save", &json!({"content": {"type": "string"}, "rows": {"type": "array"}}));
    let (path, text) = offloaded(&mut client, 1, 900);
    assert!(text.len() > 40_000, "{}", text.len());
    let open = json!({"$lro": {"file_path": path, "where": ["state=open"], "select": ["id"], "limit": 3}});
    client.send(&call(2, "save", &json!({"path": "a.json", "content": format!("lro://{path}"), "rows": open})));
    let answer = client.line();
    assert!(answer.len() < 100, "the client gets the server's answer alone");
    let rows = json!([{"id": 0}, {"id": 2}, {"id": 4}]);
    assert_eq!(last_arguments(&client), json!({"path": "a.json", "content": text, "rows": rows}));
    client.end_well();
}

fn what_cannot_be_handed_over_never_reaches_the_server() {
    let mut client = proxy(&["--resolve-arguments"]);
    let (path, _) = offloaded(&mut client, 1, 900);
    let before = client.log();
    for (reference, part) in [
        (json!("lro:///etc/passwd"), "it is outside the output directory"),
        (json!("lro://atlatl-x-01ARZ3NDEKTSV4RRFFQ69G5FAV.jsonl"), "there is no such file, or it has expired"),
        (json!({"$lro": {"file_path": path, "query": ".id.x"}}), "cannot hand over `{\"$lro\":"),
        (json!({"$lro": {"file_path": path, "query": ".titel"}}), "there are no results but null"),
        (json!({"$lro": {"file_path": path, "where": ["id=-1"]}}), "there are no results"),
    ] {
        client.send(&call(2, "save", &json!({"content": reference})));
        let result = client.receive()["result"].clone();
        let text = result["content"][0]["text"].as_str().unwrap();
        assert!(result["isError"] == true && text.contains(part), "{result}");
    }
    assert_eq!(client.log(), before);
    client.end_well();
}

fn arguments_stay_as_they_are_without_the_flag() {
    let line =
        r#"{"id": 7,"method":"tools/call", "params":{"name":"save","arguments":{ "a" :"lro:\/\/x.jsonl","n":1.0}}}"#;
    for flags in [&[][..], &["--resolve-arguments"]] {
        let mut client = proxy(flags);
        client.write(format!("{line}\n").as_bytes());
        // With the flag, the proxy answers: the file does not exist.
        let is_refused = !flags.is_empty();
        if is_refused {
            assert_eq!(client.receive()["result"]["isError"], true);
        }
        client.send(&call(8, "save", &json!({"a": "lro is a word"})));
        client.receive();
        let log = String::from_utf8(client.log()).unwrap();
        assert_eq!(log.starts_with(&format!("{line}\n")), !is_refused, "{log}");
        client.end_well();
    }
}

fn calls_are_sent_before_the_input_ends() {
    let mut client = proxy(&["--resolve-arguments"]);
    let (path, text) = offloaded(&mut client, 1, 900);
    for id in 2..12 {
        client.send(&call(id, "save", &json!({"content": format!("lro://{path}")})));
    }
    client.close_input();
    let mut ids: Vec<Value> = (2..12).map(|_| client.receive()["id"].clone()).collect();
    ids.sort_by_key(Value::as_u64);
    assert_eq!(ids, (2..12).map(Value::from).collect::<Vec<_>>());
    assert_eq!(last_arguments(&client), json!({"content": text}));
    client.end_well();
}

fn other_messages_overtake_a_call_that_is_resolved() {
    let mut client = proxy(&["--resolve-arguments"]);
    let (path, _) = offloaded(&mut client, 1, 100_000);
    let count = json!({"$lro": {"file_path": path, "query": "group_by(.title) | length", "slurp": true}});
    client.send(&call(2, "save", &json!({"content": count})));
    client.send(&call(3, "ping", &json!({})));
    assert_eq!([client.receive()["id"].clone(), client.receive()["id"].clone()], [json!(3), json!(2)]);
    assert_eq!(last_arguments(&client), json!({"content": 100_000}));
    client.end_well();
}

fn a_response_names_how_to_ask_for_less() {
    let mut client = proxy(&[]);
    listed(&mut client, "list_issues", &json!({"perPage": {}, "owner": {}, "query": {"type": "string"}}));
    client.call(1, "list_issues", &records(1000));
    assert_eq!(client.receive()["result"]["structuredContent"]["refine"], json!(["query", "perPage"]));
    client.call(2, "list_pulls", &records(1000));
    assert!(client.receive()["result"]["structuredContent"].get("refine").is_none());
    client.end_well();
}

/// Introduces a client; the server answers.
fn introduced(client: &mut Client, info: &Value, capabilities: &Value) {
    let params = json!({"clientInfo": info, "capabilities": capabilities, "say": ["{\"id\":0,\"result\":{}}\n"]});
    client.send(&json!({"id": 0, "method": "initialize", "params": params}));
    client.receive();
}

fn a_client_that_is_a_proxy_gets_full_results() {
    let tools = json!({"tools": [{"name": "a", "inputSchema": {}, "outputSchema": {}}]});
    let list = |meta: &Value| {
        let answer = json!({"id": 5, "result": tools}).to_string() + "\n";
        json!({"id": 5, "method": "tools/list", "params": {"_meta": meta, "say": [answer]}})
    };
    let in_meta = json!({"io.modelcontextprotocol/clientInfo": {"name": "c", "proxy": true}});
    for (info, capabilities, meta, is_full) in [
        (json!({"name": "c", "proxy": true}), json!({}), json!({}), true),
        (json!({"name": "c"}), json!({"experimental": {"proxy": {}}}), json!({}), true),
        (json!({"name": "c"}), json!({}), in_meta, true),
        (json!({"name": "c"}), json!({}), json!({}), false),
    ] {
        let mut client = proxy(&[]);
        introduced(&mut client, &info, &capabilities);
        client.send(&list(&meta));
        assert_eq!(client.receive()["result"] == tools, is_full, "{info} {capabilities} {meta}");
        let result = records(1000);
        let answer = json!({"id": 1, "result": result}).to_string() + "\n";
        let params = json!({"name": "list_issues", "_meta": meta, "say": [answer]});
        client.send(&json!({"id": 1, "method": "tools/call", "params": params}));
        assert_eq!(client.receive()["result"] == result, is_full, "{info} {capabilities} {meta}");
        // A tool with a name of ours is then the server's.
        let answer = json!({"id": 2, "result": {"content": []}}).to_string() + "\n";
        let params = json!({"name": "lro_extract", "_meta": meta, "say": [answer]});
        client.send(&json!({"id": 2, "method": "tools/call", "params": params}));
        assert_eq!(client.receive()["result"] == json!({"content": []}), is_full);
        client.end_well();
    }
}

fn a_client_that_loses_much_is_given_less() {
    let codex = json!({"name": "codex-mcp-client", "version": "0.169.0"});
    let error = json!({"content": [{"type": "text", "text": "no such thing\n".repeat(2000)}], "isError": true});
    for (info, is_cut) in [(codex, true), (json!({"name": "someone"}), false)] {
        let mut client = proxy(&[]);
        introduced(&mut client, &info, &json!({}));
        client.call(1, "build", &error);
        assert_eq!(client.receive()["result"] != error, is_cut, "{info}");
        let (output, _, _folder) = client.end();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(said.contains("it has more than 3000 tokens (`max_inline_tokens`)"), is_cut, "{said}");
    }
}
