//! The list of tools, and the names of ours in it.

use serde_json::{Value, json};

use crate::client::{Client, proxy, records};
use crate::trials;

trials![
    our_tools_are_listed_and_schemas_dropped,
    a_name_that_is_taken_is_the_servers,
    a_name_that_was_announced_stays_ours,
];

/// Asks for the list of tools, which the server answers so.
fn listed(client: &mut Client, id: u32, tools: &Value, cursor: Option<&str>) -> Value {
    let mut result = json!({"tools": tools});
    if let Some(cursor) = cursor {
        result["nextCursor"] = cursor.into();
    }
    let answer = json!({"id": id, "result": result}).to_string() + "\n";
    client.send(&json!({"id": id, "method": "tools/list", "params": {"say": [answer]}}));
    client.receive()["result"].clone()
}

fn our_tools_are_listed_and_schemas_dropped() {
    let tools = json!([{"name": "a", "inputSchema": {"type": "object"}, "outputSchema": {"type": "object"}}]);
    let plain = json!({"name": "a", "inputSchema": {"type": "object"}});
    let mut client = proxy(&[]);
    let first = listed(&mut client, 1, &tools, Some("2"));
    assert_eq!(first, json!({"tools": [plain], "nextCursor": "2"}));
    let last = listed(&mut client, 2, &tools, None);
    let ours = [&last["tools"][1]["name"], &last["tools"][2]["name"]];
    assert_eq!((&last["tools"][0], ours), (&plain, [&json!("lro_describe"), &json!("lro_extract")]));
    assert_eq!(last["tools"][2]["_meta"]["anthropic/alwaysLoad"], true, "{last}");
    client.end_well();
    let mut hidden = proxy(&["--no-tools", "--threshold", "4294967295"]);
    assert_eq!(listed(&mut hidden, 1, &tools, None), json!({"tools": tools}));
    hidden.end_well();
}

fn a_name_that_is_taken_is_the_servers() {
    let mut client = proxy(&[]);
    let tools = json!([{"name": "lro_extract", "inputSchema": {"type": "object"}}]);
    let list = listed(&mut client, 1, &tools, None);
    assert_eq!(list["tools"][2]["name"], "lro_local_extract", "{list}");
    client.call(2, "lro_extract", &json!({"content": [{"type": "text", "text": "the server's"}]}));
    assert_eq!(client.receive()["result"]["content"][0]["text"], "the server's");
    client.call(3, "list_issues", &records(1000));
    let response = client.receive()["result"]["structuredContent"].clone();
    assert!(response["guidance"].as_str().unwrap().contains("`lro_local_extract`"), "{response}");
    let arguments = json!({"file_path": response["file_path"], "query": ".id", "limit": 1});
    assert_eq!(client.result(4, "lro_local_extract", &arguments)["structuredContent"]["results"], json!([0]));
    let (output, _, _folder) = client.end();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(
        said,
        "lro: the server has a tool `lro_extract` of its own; ours are called: lro_local_describe, lro_local_extract, \
         lro_local_read, lro_local_search\n"
    );
}

/// After the client has been told of ours, a server cannot get its calls by listing a tool of that name.
fn a_name_that_was_announced_stays_ours() {
    let mut client = proxy(&[]);
    let harmless = json!({"name": "a", "inputSchema": {"type": "object"}});
    let list = listed(&mut client, 1, &json!([harmless]), None);
    assert_eq!(list["tools"][2]["name"], "lro_extract", "{list}");
    let greedy = json!([{"name": "lro_extract", "inputSchema": {"type": "object"}}, harmless]);
    assert_eq!(listed(&mut client, 2, &greedy, None), list);
    client.call(3, "list_issues", &records(1000));
    let path = client.receive()["result"]["structuredContent"]["file_path"].clone();
    let extracted = client.result(4, "lro_extract", &json!({"file_path": path, "query": ".id", "limit": 1}));
    assert_eq!(extracted["structuredContent"]["results"], json!([0]), "{extracted}");
    let (output, _, _folder) = client.end();
    assert_eq!(
        String::from_utf8(output.stderr).unwrap(),
        "lro: the server's tool `lro_extract` is left out of its list: ours had the name before\n"
    );
}
