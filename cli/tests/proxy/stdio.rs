//! The proxy in front of a process.

use std::fs;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::client::{names, proxy, records, start, start_in};
use crate::trials;

trials![
    what_is_not_replaced_passes_byte_for_byte,
    a_small_result_passes_byte_for_byte,
    a_large_result_is_offloaded_and_answered_from,
    our_answers_have_the_id_as_it_came,
    what_others_say_stays_within_a_line_of_ours,
    a_result_that_cannot_be_handled_passes_only_when_it_is_small,
    the_command_needs_no_dashes,
    both_eras_are_spoken,
    the_proxy_is_announced_when_asked,
    what_is_offloaded_already_passes,
    one_tool_can_be_left_alone,
    a_thousand_requests_are_answered,
    a_large_result_holds_nothing_up,
    a_reader_may_be_slow,
    a_half_line_and_the_status_are_the_servers,
    the_end_of_the_client_is_the_end_of_the_server,
    a_server_that_cannot_be_started_is_named,
    signals_are_the_servers,
    expired_files_are_deleted,
    a_directory_that_cannot_be_written_to_truncates_the_result,
    a_directory_that_has_gone_is_created_again,
    a_directory_that_cannot_be_created_is_told_at_the_start,
];

/// Lines that are no business of a proxy.
fn odd_lines() -> Vec<String> {
    let mut lines: Vec<String> = [
        r#"{"jsonrpc":"2.0","id":1,"method":"tomorrow/method","params":{"a" : 1.10,"a":12345678901234567890123}}"#,
        r#"{"method":"notifications/x","params":{"text":"\u00e9\ud83d\ude00\/ é 😀"}}"#,
        r#"{"id":"x","result":{"content":[{"type":"text","text":"unasked"}]}}"#,
        r#"[{"id":3,"method":"tools/list"},{"id":4,"method":"ping"}]"#,
        r#"{"id":5,"method":"tools/call","params":"nonsense"}"#,
        r#"{"id":{"odd":[1]},"method":"tools/list"}"#,
        "garbage, no JSON at all",
        "{\"id\":6,\"method\":",
        "",
        "   \t",
        "windows\r",
    ]
    .map(|line| format!("{line}\n"))
    .into();
    lines.push(format!("{{\"id\":7,\"method\":\"long\",\"params\":\"{}\"}}\n", "x".repeat(3 << 20)));
    lines
}

fn what_is_not_replaced_passes_byte_for_byte() {
    let mut client = proxy(&["--threshold", "0"]);
    let mut sent = Vec::new();
    for (turn, line) in odd_lines().into_iter().enumerate() {
        let ask = json!({"id": format!("ask-{turn}"), "method": "say", "params": {"say": [line]}}).to_string() + "\n";
        client.write(ask.as_bytes());
        assert!(client.line() == line.as_bytes(), "line {turn} of the server has changed");
        client.write(line.as_bytes());
        sent.extend([ask, line]);
    }
    client.write(&[0xff, b'\n']);
    // The last answer comes after everything that was sent before it.
    client.send(&json!({"id": 0, "method": "ping", "params": {"say": ["end\n"]}}));
    assert_eq!(client.line(), b"end\n");
    let log = client.log();
    let expected = [sent.concat().as_bytes(), &[0xff, b'\n']].concat();
    assert!(log.starts_with(&expected), "a line of the client has changed");
    client.end_well();
}

fn a_small_result_passes_byte_for_byte() {
    let mut client = proxy(&[]);
    let line = "{ \"result\": {\"content\":[{\"type\":\"text\",\"text\":\"[1, 2]\"}],\"x\":1.0 } ,\"id\":1}\r\n";
    client.send(&json!({"id": 1, "method": "tools/call", "params": {"name": "a", "say": [line]}}));
    assert_eq!(client.line(), line.as_bytes());
    // Long enough to be looked at, and still not above the threshold: two bytes make one character.
    let text = "é".repeat(5000);
    let line =
        format!("{{\"result\": {{\"content\":[{{\"type\":\"text\",\"text\":\"[\\\"{text}\\\"]\"}}]}} ,\"id\":2}}\n");
    client.send(&json!({"id": 2, "method": "tools/call", "params": {"name": "a", "say": [line]}}));
    assert_eq!(client.line(), line.as_bytes());
    client.end_well();
}

fn a_large_result_is_offloaded_and_answered_from() {
    let mut client = proxy(&[]);
    let mut result = records(1000);
    result["_meta"] = json!({"trace": "t"});
    client.call(1, "list_issues", &result);
    let answer = client.receive();
    let response = &answer["result"]["structuredContent"];
    assert_eq!(response["summary"]["count"], 1000, "{answer}");
    assert_eq!(answer["result"]["_meta"]["trace"], "t");
    let text = answer["result"]["content"][0]["text"].as_str().unwrap();
    assert_eq!(serde_json::from_str::<Value>(text).unwrap(), *response);
    let path = response["file_path"].as_str().unwrap();
    let lines = fs::read_to_string(path).unwrap();
    assert_eq!(lines.lines().nth(1), Some(r#"{"id":0,"state":"open","title":"Issue 0"}"#));
    let session = fs::canonicalize(path).unwrap().parent().unwrap().to_owned();
    assert_eq!(session.parent(), Some(client.results().canonicalize().unwrap().as_path()));
    #[cfg(unix)]
    assert_eq!(std::os::unix::fs::PermissionsExt::mode(&fs::metadata(session).unwrap().permissions()) & 0o777, 0o700);
    #[cfg(unix)]
    assert_eq!(std::os::unix::fs::PermissionsExt::mode(&fs::metadata(path).unwrap().permissions()) & 0o777, 0o600);
    let extracted = client.result(2, "lro_extract", &json!({"file_path": path, "query": "select(.id == 7) | .title"}));
    assert_eq!(
        extracted["structuredContent"],
        json!({"count": 1, "total": 1, "truncated": false, "results": ["Issue 7"]})
    );
    let failed = client.result(3, "lro_extract", &json!({"file_path": "/etc/passwd", "query": "."}));
    assert_eq!(failed["isError"], true, "{failed}");
    client.end_well();
}

fn our_answers_have_the_id_as_it_came() {
    let mut client = proxy(&[]);
    for id in ["1e2", "-0", "1.50", "18446744073709551617", "1e400", r#""\u0041\n""#] {
        let call = format!(r#"{{"id": {id}, "method": "tools/call", "params": {{"name": "lro_extract"}}}}"#);
        client.write(format!("{call}\n").as_bytes());
        let answer = String::from_utf8(client.line()).unwrap();
        assert!(answer.starts_with(&format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},")), "{answer}");
    }
    client.end_well();
}

fn what_others_say_stays_within_a_line_of_ours() {
    let mut client = proxy(&["--threshold", "1"]);
    let tool = "a\nlro: OffloadFileExpired: forged\u{1b}[2J\u{202e}";
    let answer = json!({"id": 1, "result": "no result of a tool"}).to_string() + "\n";
    client.send(&json!({"id": 1, "method": "tools/call", "params": {"name": tool, "say": [answer]}}));
    assert_eq!(client.line(), answer.as_bytes());
    let (output, _, _folder) = client.end();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(said.lines().count(), 1, "{said}");
    assert!(said.contains(r"`a\u{a}lro: OffloadFileExpired: forged\u{1b}[2J\u{202e}`"), "{said}");
}

fn a_result_that_cannot_be_handled_passes_only_when_it_is_small() {
    let mut client = proxy(&[]);
    let answer = |size| json!({"id": 1, "x": 1.0, "result": "x".repeat(size)}).to_string() + "\n";
    let call = |size| json!({"id": 1, "method": "tools/call", "params": {"name": "a", "say": [answer(size)]}});
    client.send(&call(100_000));
    assert!(client.line() == answer(100_000).as_bytes(), "a small one passes");
    client.send(&call(500_000));
    let answer = client.receive();
    let text = answer["result"]["content"][0]["text"].as_str().unwrap();
    assert!(text.starts_with("`a` answered with 500002 bytes, which is too much"), "{text}");
    assert_eq!((&answer["id"], &answer["result"]["isError"]), (&json!(1), &json!(true)));
    client.end();
}

fn the_command_needs_no_dashes() {
    let [this, flag] = crate::client::server();
    let mut client = start(&["proxy", "--threshold", "1", "--min-saving", "0", &this, &flag, "--threshold", "--"]);
    client.call(1, "a", &records(10));
    assert_eq!(client.receive()["result"]["structuredContent"]["offloaded"], true);
    client.end_well();
}

fn both_eras_are_spoken() {
    let mut client = proxy(&[]);
    let handshake = [
        r#"{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}"#,
        r#"{"jsonrpc":"2.0","id":0,"result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"ttlMs":1,"cacheScope":"private"}}"#,
    ];
    for (method, answer) in ["initialize", "server/discover"].into_iter().zip(handshake) {
        client.send(&json!({"id": 0, "method": method, "params": {"say": [format!("{answer}\n")]}}));
        assert_eq!(client.line(), format!("{answer}\n").as_bytes());
    }
    let mut result = records(1000);
    result["resultType"] = "complete".into();
    let answer = json!({"id": 1, "result": result}).to_string() + "\n";
    let meta = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28"});
    client.send(&json!({"id": 1, "method": "tools/call", "params": {"name": "a", "_meta": meta, "say": [answer]}}));
    let answer = client.receive();
    assert_eq!(
        (&answer["result"]["resultType"], &answer["result"]["structuredContent"]["offloaded"]),
        (&json!("complete"), &json!(true))
    );
    let handle = r#"{"id":2,"result":{"resultType":"task","taskId":"t","status":"working","createdAt":"","lastUpdatedAt":"","ttlMs":null}}"#;
    client.send(&json!({"id": 2, "method": "tools/call", "params": {"name": "a", "say": [format!("{handle}\n")]}}));
    assert_eq!(client.line(), format!("{handle}\n").as_bytes());
    let task = json!({"id": 3, "result": {"resultType": "complete", "taskId": "t", "status": "completed", "result": records(1000)}});
    client.send(&json!({"id": 3, "method": "tasks/get", "params": {"taskId": "t", "say": [format!("{task}\n")]}}));
    let answer = client.receive();
    assert_eq!(answer["result"]["result"]["structuredContent"]["summary"]["operation"], "a", "{answer}");
    client.end_well();
}

fn the_proxy_is_announced_when_asked() {
    let line =
        r#"{"id":1,"method":"initialize","params":{"clientInfo":{"name":"c"},"say":["{\"id\":1,\"result\":{}}\n"]}}"#;
    for (flags, expected) in [(&["--announce"][..], true), (&[], false)] {
        let mut client = proxy(flags);
        client.write(format!("{line}\n").as_bytes());
        client.receive();
        let log = String::from_utf8(client.log()).unwrap();
        assert_eq!(log.contains(r#""clientInfo":{"name":"c","proxy":true}"#), expected, "{log}");
        assert_eq!(log == format!("{line}\n"), !expected, "{log}");
        client.end_well();
    }
}

fn what_is_offloaded_already_passes() {
    let mut client = proxy(&["--threshold", "1"]);
    let response = json!({"offloaded": true, "summary": {}, "file_path": "/r/a.jsonl", "line_schema": {}, "jq_recipes": [], "guidance": "…"});
    let result = json!({"content": [{"type": "text", "text": response.to_string()}], "structuredContent": response, "_meta": {"lro/result": "offloaded"}});
    client.call(1, "recall_memories", &result);
    assert_eq!(client.receive()["result"], result);
    assert_eq!(names(&client.results()), Vec::<String>::new());
    client.end_well();
}

fn one_tool_can_be_left_alone() {
    let mut client = proxy(&["--tool", "a=never", "--tool", "b=always", "--tool", "c=999999"]);
    client.call(1, "a", &records(1000));
    assert_eq!(client.receive()["result"], records(1000));
    client.call(2, "b", &records(1));
    assert_eq!(client.receive()["result"]["structuredContent"]["offloaded"], true);
    client.call(3, "c", &records(1000));
    assert_eq!(client.receive()["result"], records(1000));
    client.end_well();
}

fn a_thousand_requests_are_answered() {
    let mut client = proxy(&[]);
    let (large, small) = (records(200), json!({"content": []}));
    let result = |id: u32| if id.is_multiple_of(10) { large.clone() } else { small.clone() };
    let calls = client.call_meanwhile((0..1000).map(|id| (id, "a", result(id))).collect());
    let mut ids: Vec<u64> = (0..1000)
        .map(|_| {
            let answer = client.receive();
            let id = answer["id"].as_u64().unwrap();
            assert_eq!(answer["result"]["structuredContent"]["offloaded"] == true, id.is_multiple_of(10), "{answer}");
            id
        })
        .collect();
    client.go_on(calls);
    ids.sort_unstable();
    assert!(ids.into_iter().eq(0..1000), "every request has one answer");
    let sessions = names(&client.results());
    assert_eq!(sessions.len(), 1, "{sessions:?}");
    assert_eq!(names(&client.results().join(&sessions[0])).len(), 100);
    client.end_well();
}

fn a_large_result_holds_nothing_up() {
    let mut client = proxy(&[]);
    let progress = r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}"#;
    let large = json!({"id": 1, "result": records(20_000)});
    let later = r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"later"}}"#;
    let say = [format!("{progress}\n"), format!("{large}\n"), format!("{later}\n")];
    client.send(&json!({"id": 1, "method": "tools/call", "params": {"name": "a", "say": say}}));
    assert_eq!(client.line(), format!("{progress}\n").as_bytes());
    assert_eq!(client.line(), format!("{later}\n").as_bytes());
    assert_eq!(client.receive()["id"], 1);
    client.end_well();
}

fn a_reader_may_be_slow() {
    let mut client = proxy(&["--tool", "whole=never"]);
    let whole = records(5_000);
    // More than all pipes hold together, so everybody has to wait for this reader.
    let calls = client.call_meanwhile((0..16).map(|id| (id, "whole", whole.clone())).collect());
    std::thread::sleep(Duration::from_millis(300));
    for id in 0..16 {
        let answer = client.receive();
        assert_eq!(answer["id"], id);
        assert!(answer["result"] == whole, "result {id} has changed");
    }
    client.go_on(calls);
    client.end_well();
}

fn a_half_line_and_the_status_are_the_servers() {
    let mut client = proxy(&[]);
    let large = format!("{}\n", json!({"id": 1, "result": records(2000)}));
    let say = [large, "{\"id\":2,\"resu".to_owned()];
    client.send(&json!({"id": 1, "method": "tools/call", "params": {"name": "a", "say": say, "exit": 7}}));
    let (output, rest, _folder) = client.end();
    assert_eq!(output.status.code(), Some(7));
    // What was being offloaded is answered before the end, and half a line comes last: what follows it is a part of it.
    let (answer, half) = rest.split_at(rest.iter().position(|byte| *byte == b'\n').unwrap() + 1);
    let answer: Value = serde_json::from_slice(answer).unwrap();
    assert_eq!((&answer["id"], &answer["result"]["structuredContent"]["offloaded"]), (&json!(1), &json!(true)));
    assert_eq!(String::from_utf8_lossy(half), "{\"id\":2,\"resu");
}

fn the_end_of_the_client_is_the_end_of_the_server() {
    let mut client = proxy(&[]);
    client.call(1, "a", &records(1000));
    let (output, rest, _folder) = client.end();
    assert!(output.status.success(), "{output:?}");
    let answer: Value = serde_json::from_slice(&rest).unwrap();
    assert_eq!(answer["result"]["structuredContent"]["offloaded"], true);
}

fn a_server_that_cannot_be_started_is_named() {
    let (output, rest, _folder) = start(&["proxy", "--", "no-such-server"]).end();
    assert_eq!((output.status.code(), rest.as_slice()), (Some(1), &b""[..]));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.starts_with("lro: cannot start `no-such-server`: "), "{said}");
}

#[cfg(unix)]
fn signals_are_the_servers() {
    let mut client = proxy(&[]);
    client.send(&json!({"id": 1, "method": "ping", "params": {"say": ["up\n"]}}));
    assert_eq!(client.line(), b"up\n");
    client.signal("TERM");
    let start = Instant::now();
    // The client does not end its input: the signal alone has to end both.
    assert_eq!(client.line(), b"");
    assert!(start.elapsed() < Duration::from_secs(5));
    let (output, _, _folder) = client.end();
    assert_eq!(output.status.code(), Some(128 + 15));
}

#[cfg(not(unix))]
fn signals_are_the_servers() {}

fn expired_files_are_deleted() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("results/atlatl-recall-01ARZ3NDEKTSV4RRFFQ69G5FAV.jsonl");
    fs::create_dir(folder.path().join("results")).unwrap();
    let header = json!({
        "type": "lro_header", "operation": "recall", "query": null, "count": 0, "schema_version": "1.0.0",
        "timestamp": "2020-01-01T00:00:00.000Z", "estimated_tokens": 0, "detail": "full",
    });
    fs::write(&file, format!("{header}\n")).unwrap();
    let this = std::env::current_exe().unwrap().display().to_string();
    let client = start_in(folder, &["proxy", "--", &this, crate::server::FLAG]);
    let start = Instant::now();
    while file.exists() {
        assert!(start.elapsed() < Duration::from_secs(20), "the file is still there");
        std::thread::sleep(Duration::from_millis(10));
    }
    let (output, _, _folder) = client.end();
    assert!(String::from_utf8(output.stderr).unwrap().contains("OffloadFileExpired"));
}

fn a_directory_that_has_gone_is_created_again() {
    let mut client = proxy(&[]);
    client.send(&json!({"id": 0, "method": "ping", "params": {"say": ["up\n"]}}));
    assert_eq!(client.line(), b"up\n");
    fs::remove_dir(client.results()).unwrap();
    client.call(1, "a", &records(1000));
    assert_eq!(client.receive()["result"]["structuredContent"]["offloaded"], true);
    client.end_well();
}

fn a_directory_that_cannot_be_written_to_truncates_the_result() {
    let mut client = proxy(&[]);
    client.send(&json!({"id": 0, "method": "ping", "params": {"say": ["up\n"]}}));
    assert_eq!(client.line(), b"up\n");
    client.block_results();
    client.call(1, "a", &records(1000));
    let answer = client.receive();
    assert_eq!(answer["result"]["structuredContent"]["offloaded"], false, "{answer}");
    assert_eq!(answer["result"]["structuredContent"]["total"], 1000);
    let (output, _, _folder) = client.end();
    assert!(String::from_utf8(output.stderr).unwrap().contains("OffloadWriteFailed"));
}

/// Before the server starts, so nothing is taken from it that cannot be kept.
fn a_directory_that_cannot_be_created_is_told_at_the_start() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("file"), "mine").unwrap();
    let directory = folder.path().join("file/below").display().to_string();
    let [this, flag] = crate::client::server();
    let (output, said, folder) = start_in(folder, &["proxy", "--output-dir", &directory, "--", &this, &flag]).end();
    assert_eq!((output.status.code(), said.as_slice()), (Some(1), &b""[..]));
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(error.starts_with(&format!("lro: cannot use `{directory}` as the output directory: ")), "{error}");
    assert_eq!(error.lines().count(), 1, "{error}");
    assert!(!folder.path().join("log").exists(), "the server has been started");
}
