//! Code that calls tools gets rows, and still has our tools.

use serde_json::{Value, json};

use crate::client::{Client, proxy, records};
use crate::trials;

trials![in_code_mode_all_results_pass, results_pass_for_callers_that_are_code];

/// What the client gets when a tool returns 5,000 records, in a request that says who wants them.
fn got(client: &mut Client, id: u32, caller: Option<&str>) -> Value {
    let meta = caller.map_or(json!({}), |caller| json!({"lro/caller": caller}));
    let answer = json!({"id": id, "result": records(5000)}).to_string() + "\n";
    let params = json!({"name": "list_issues", "say": [answer], "_meta": meta});
    client.send(&json!({"id": id, "method": "tools/call", "params": params}));
    client.receive()["result"].clone()
}

fn lists_our_tools(client: &mut Client, id: u32) {
    let answer = json!({"id": id, "result": {"tools": []}}).to_string() + "\n";
    client.send(&json!({"id": id, "method": "tools/list", "params": {"say": [answer]}}));
    let list = client.receive().to_string();
    assert!(list.contains("\"lro_extract\""), "{list}");
}

fn in_code_mode_all_results_pass() {
    let mut client = proxy(&["--code-mode"]);
    lists_our_tools(&mut client, 1);
    assert_eq!(got(&mut client, 2, None), records(5000));
    client.end_well();
}

fn results_pass_for_callers_that_are_code() {
    let mut client = proxy(&["--code-caller", "script", "--code-caller", "other"]);
    lists_our_tools(&mut client, 1);
    assert_eq!(got(&mut client, 2, Some("script")), records(5000));
    for caller in [None, Some("model")] {
        let result = got(&mut client, 3, caller);
        assert_eq!(result["structuredContent"]["offloaded"], true, "{caller:?}");
    }
    client.end_well();
}
