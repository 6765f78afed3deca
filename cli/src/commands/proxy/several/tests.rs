//! The switch, message by message.

use std::time::Duration;

use serde_json::{Value, json};

use super::switch::{Out, Switch};

const MOST_BYTES: usize = 2700;

/// A switch between a client and the servers `a`, `b`, and `c`, which is remote.
fn switch() -> Switch {
    let servers = [("a", false), ("b", false), ("c", true)];
    let servers = servers.map(|(name, is_remote)| (name.to_owned(), is_remote)).to_vec();
    Switch::new(servers, Duration::from_secs(1), MOST_BYTES)
}

/// What is sent, as pairs of the receiver and the message; remarks and times are left out.
fn sent(out: Vec<Out>) -> Vec<(Option<usize>, Value)> {
    let message = |line: &[u8]| serde_json::from_slice(line).expect("a message is JSON");
    out.into_iter()
        .filter_map(|out| match out {
            Out::Client(line) => Some((None, message(&line))),
            Out::Server(server, line) => Some((Some(server), message(&line))),
            _ => None,
        })
        .collect()
}

fn client(switch: &mut Switch, message: &Value) -> Vec<(Option<usize>, Value)> {
    sent(switch.client_says(format!("{message}\n").as_bytes()))
}

fn server(switch: &mut Switch, server: usize, message: &Value) -> Vec<(Option<usize>, Value)> {
    sent(switch.server_says(server, format!("{message}\n").as_bytes()))
}

fn hello(capabilities: &Value) -> Value {
    json!({"protocolVersion": "2025-11-25", "capabilities": capabilities, "serverInfo": {"name": "s", "version": "1"}})
}

/// A switch after the handshake of these servers.
fn greeted(capabilities: &[Value]) -> Switch {
    let mut switch = switch();
    let out =
        client(&mut switch, &json!({"id": 0, "method": "initialize", "params": {"protocolVersion": "2025-11-25"}}));
    for (turn, (receiver, request)) in out.into_iter().enumerate() {
        let answer = json!({"id": request["id"], "result": hello(&capabilities[turn])});
        server(&mut switch, receiver.unwrap(), &answer);
    }
    client(&mut switch, &json!({"method": "notifications/initialized"}));
    switch
}

fn all() -> Switch {
    let capabilities = json!({"tools": {}, "resources": {}, "prompts": {}});
    greeted(&[capabilities.clone(), capabilities.clone(), capabilities])
}

#[test]
fn the_handshake_waits_for_all_and_only_remote_servers_hear_of_the_proxy() {
    let mut switch = switch();
    let params = json!({"protocolVersion": "2025-11-25", "clientInfo": {"name": "c"}});
    let out = client(&mut switch, &json!({"id": "h", "method": "initialize", "params": params}));
    let told: Vec<bool> = out.iter().map(|(_, line)| line["params"]["clientInfo"]["proxy"] == true).collect();
    assert_eq!(told, [false, false, true]);
    let ids: Vec<&Value> = out.iter().map(|(_, line)| &line["id"]).collect();
    assert_eq!(server(&mut switch, 0, &json!({"id": ids[0], "result": hello(&json!({"tools": {}}))})), []);
    // What another server says under this id is nobody's answer.
    assert_eq!(server(&mut switch, 0, &json!({"id": ids[1], "result": {}})), []);
    assert_eq!(sent(switch.ended(1, "it crashed")), []);
    let over = sent(switch.time_is_over(1));
    assert_eq!((over[0].0, &over[0].1["id"]), (None, &json!("h")));
    assert_eq!(over[0].1["result"]["capabilities"]["prompts"]["listChanged"], true);
    client(&mut switch, &json!({"method": "notifications/initialized"}));
    // The last one comes late: it is told that the handshake is over, and the client that there is more.
    let late = server(&mut switch, 2, &json!({"id": ids[2], "result": hello(&json!({"tools": {}}))}));
    assert_eq!(late[0], (Some(2), json!({"jsonrpc": "2.0", "method": "notifications/initialized"})));
    assert_eq!(late[1], (None, json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"})));
    assert_eq!(late.len(), 2);
}

#[test]
fn without_a_server_the_handshake_fails() {
    let mut switch = switch();
    client(&mut switch, &json!({"id": 1, "method": "initialize", "params": {"protocolVersion": "2025-11-25"}}));
    for server in 0..2 {
        assert_eq!(sent(switch.ended(server, "it is gone")), []);
    }
    let failed = sent(switch.ended(2, "it is gone"));
    let message = failed[0].1["error"]["message"].as_str().unwrap();
    assert_eq!(message, "no server runs: `a`: it is gone; `b`: it is gone; `c`: it is gone");
}

#[test]
fn lists_are_gathered_page_by_page() {
    let mut switch = greeted(&[json!({"tools": {}}), json!({}), json!({"tools": {}})]);
    let asked = client(&mut switch, &json!({"id": 1, "method": "tools/list"}));
    assert_eq!(asked.iter().map(|(server, _)| *server).collect::<Vec<_>>(), [Some(0), Some(2)]);
    let page = json!({"tools": [{"name": "x", "description": "\u{e9}"}], "nextCursor": "n"});
    let next = server(&mut switch, 0, &json!({"id": asked[0].1["id"], "result": page}));
    assert_eq!((next[0].0, &next[0].1["params"]), (Some(0), &json!({"cursor": "n"})));
    assert_eq!(
        server(&mut switch, 2, &json!({"id": asked[1].1["id"], "result": {"tools": [{"name": "x"}, {"n": 1}]}})),
        []
    );
    let done = server(&mut switch, 0, &json!({"id": next[0].1["id"], "result": {"tools": [{"name": "y"}]}}));
    let tools = json!([{"name": "a__x", "description": "\u{e9}"}, {"name": "a__y"}, {"name": "c__x"}]);
    assert_eq!(done, [(None, json!({"jsonrpc": "2.0", "id": 1, "result": {"tools": tools}}))]);
    let refused = client(&mut switch, &json!({"id": 2, "method": "tools/list", "params": {"cursor": "n"}}));
    assert_eq!(refused[0].1["error"]["code"], -32602);
    // A server that ends meanwhile is not waited for.
    let asked = client(&mut switch, &json!({"id": 3, "method": "tools/list"}));
    server(&mut switch, 2, &json!({"id": asked[1].1["id"], "result": {"tools": [{"name": "x"}]}}));
    let done = sent(switch.ended(0, "gone"));
    assert!(
        done.contains(&(None, json!({"jsonrpc": "2.0", "id": 3, "result": {"tools": [{"name": "c__x"}]}}))),
        "{done:?}"
    );
    assert!(client(&mut switch, &json!({"id": 4, "method": "prompts/list"}))[0].1["result"]["prompts"] == json!([]));
}

#[test]
fn resources_are_asked_for_in_turn() {
    let mut switch = all();
    let read = json!({"id": 1, "method": "resources/read", "params": {"uri": "x://y"}});
    assert_eq!(client(&mut switch, &read), [(Some(0), read.clone())]);
    let unknown = json!({"id": 1, "error": {"code": -32002, "message": "unknown"}});
    assert_eq!(server(&mut switch, 0, &unknown), [(Some(1), read.clone())]);
    let answer = json!({"id": 1, "result": {"contents": []}});
    assert_eq!(server(&mut switch, 0, &answer), []);
    assert_eq!(server(&mut switch, 1, &answer), [(None, answer)]);
    // The one that has listed it is the only one.
    let asked = client(&mut switch, &json!({"id": 2, "method": "resources/list"}));
    for (turn, (_, request)) in asked.iter().enumerate() {
        let resources = if turn == 0 { json!([]) } else { json!([{"uri": "x://y", "name": turn}]) };
        let done = server(&mut switch, turn, &json!({"id": request["id"], "result": {"resources": resources}}));
        assert_eq!(done.len(), usize::from(turn == 2));
        if turn == 2 {
            assert_eq!(done[0].1["result"]["resources"], json!([{"uri": "x://y", "name": 1}]));
        }
    }
    let read = json!({"id": 3, "method": "resources/read", "params": {"uri": "x://y"}});
    assert_eq!(client(&mut switch, &read), [(Some(1), read)]);
    let failed = json!({"id": 3, "error": {"code": -32002, "message": "unknown"}});
    assert_eq!(server(&mut switch, 1, &failed), [(None, failed)]);
}

#[test]
fn tasks_and_cancellations_go_where_the_request_went() {
    let mut switch = all();
    let cancel = |id: u32| json!({"method": "notifications/cancelled", "params": {"requestId": id}});
    client(&mut switch, &json!({"id": 1, "method": "tools/call", "params": {"name": "b__x"}}));
    assert_eq!(client(&mut switch, &cancel(1)), [(Some(1), cancel(1))]);
    server(&mut switch, 1, &json!({"id": 1, "result": {"task": {"taskId": "t"}}}));
    assert_eq!(client(&mut switch, &cancel(1)), []);
    let result = json!({"id": 2, "method": "tasks/result", "params": {"taskId": "t"}});
    assert_eq!(client(&mut switch, &result), [(Some(1), result)]);
    let unknown = json!({"id": 3, "method": "tasks/result", "params": {"taskId": "u"}});
    assert_eq!(client(&mut switch, &unknown)[0].1["error"]["code"], -32602);
    // A server takes its own request back.
    server(&mut switch, 2, &json!({"id": 1, "method": "elicitation/create"}));
    let taken = server(&mut switch, 2, &cancel(1));
    assert_eq!(taken[0].1["params"]["requestId"], "lro:1");
    assert_eq!(server(&mut switch, 0, &cancel(1)), []);
}

#[test]
fn prompts_and_completions_lose_the_name_of_the_server() {
    let mut switch = all();
    let get = client(
        &mut switch,
        &json!({"id": 1, "method": "prompts/get", "params": {"name": "c__p", "arguments": {"a": "b"}}}),
    );
    assert_eq!(get[0].1["params"], json!({"name": "p", "arguments": {"a": "b"}}));
    let reference = json!({"ref": {"type": "ref/prompt", "name": "b__p"}, "argument": {"name": "n", "value": "v"}});
    let complete = client(&mut switch, &json!({"id": 2, "method": "completion/complete", "params": reference}));
    assert_eq!((complete[0].0, &complete[0].1["params"]["ref"]["name"]), (Some(1), &json!("p")));
}

#[test]
fn garbage_is_an_error_or_nothing() {
    let mut switch = all();
    for line in ["garbage", "7", "{", "{\"id\":1,\"method\":7}", "[{\"id\":1,\"method\":\"ping\"},{"] {
        assert_eq!(sent(switch.client_says(line.as_bytes()))[0].1["error"]["code"], -32700, "{line}");
        assert_eq!(switch.server_says(0, line.as_bytes()), []);
    }
    for line in ["", "\n", "[]", "{}", "{\"id\":1,\"result\":{}}", "{\"method\":\"notifications/cancelled\"}"] {
        assert_eq!(switch.client_says(line.as_bytes()), [], "{line}");
    }
    for line in [
        "{}",
        "{\"id\":1,\"result\":{}}",
        "{\"id\":\"lro:1\",\"result\":{}}",
        "{\"method\":\"notifications/cancelled\"}",
    ] {
        assert_eq!(switch.server_says(0, line.as_bytes()), [], "{line}");
    }
    for params in [json!(null), json!([]), json!({"name": 7}), json!({"name": "__"}), json!({"name": "a__"})] {
        let out = client(&mut switch, &json!({"id": 9, "method": "tools/call", "params": params}));
        assert_eq!(out.len(), 1, "{params}");
    }
}

#[test]
fn a_list_without_end_is_cut_and_the_others_are_whole() {
    let mut switch = all();
    let asked = client(&mut switch, &json!({"id": 1, "method": "tools/list"}));
    let tool = |number: usize| json!({"name": format!("t{number}"), "description": "d".repeat(60)});
    let page = |request: &Value, count: usize| {
        let tools: Vec<Value> = (0..count).map(tool).collect();
        json!({"id": request["id"], "result": {"tools": tools, "nextCursor": "more"}})
    };
    let more = server(&mut switch, 0, &page(&asked[0].1, 5));
    assert_eq!((more.len(), more[0].0, &more[0].1["params"]["cursor"]), (1, Some(0), &json!("more")));
    let line = format!("{}\n", page(&more[0].1, 5));
    let cut = switch.server_says(0, line.as_bytes());
    assert!(matches!(&cut[..], [Out::Remark(remark)] if remark.contains("tools of the server `a`")), "{cut:?}");
    let whole = json!({"tools": [tool(0)]});
    assert_eq!(server(&mut switch, 1, &json!({"id": asked[1].1["id"], "result": whole})), []);
    let done = server(&mut switch, 2, &json!({"id": asked[2].1["id"], "result": whole}));
    let names: Vec<&str> =
        done[0].1["result"]["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!((names.len(), names[0], &names[names.len() - 2..]), (11, "a__t0", &["b__t0", "c__t0"][..]));
}

#[test]
fn what_a_server_says_of_itself_is_bounded() {
    let mut switch = switch();
    let asked = client(&mut switch, &json!({"id": 0, "method": "initialize", "params": {}}));
    let mut long = hello(&json!({}));
    long["instructions"] = json!("i".repeat(2 << 20));
    let line = format!("{}\n", json!({"id": asked[0].1["id"], "result": long}));
    let out = switch.server_says(0, line.as_bytes());
    assert!(matches!(&out[..], [Out::Remark(remark)] if remark.contains("`a` is left out: its answer")), "{out:?}");
    for asked in &asked[1..] {
        server(&mut switch, asked.0.unwrap(), &json!({"id": asked.1["id"], "result": hello(&json!({}))}));
    }
    // Ids that are long enough to fill any memory: the oldest requests are forgotten.
    let ids: Vec<String> = (0..8).map(|number| format!("{number}{}", "i".repeat(1 << 20))).collect();
    let shown: Vec<Value> = ids
        .iter()
        .map(|id| server(&mut switch, 1, &json!({"id": id, "method": "roots/list"}))[0].1["id"].clone())
        .collect();
    let answers = shown.iter().map(|id| client(&mut switch, &json!({"id": id, "result": {}})));
    let answered: Vec<usize> = answers.map(|out| out.len()).collect();
    assert_eq!(answered, [0, 0, 0, 0, 0, 1, 1, 1]);
}
