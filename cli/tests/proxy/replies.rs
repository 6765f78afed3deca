//! What a remote server may reply to a request, byte by byte: each reply becomes exactly one answer.

use serde_json::{Value, json};

use crate::remote::{json_reply, reply, serve, usual, write};
use crate::streamable::{EVENTS, JSON, ask, conversation, error};
use crate::trials;

trials![each_reply_gives_one_answer, a_batch_has_each_answer_once];

/// What a reply must become.
enum Becomes {
    /// The result in it.
    Result,
    /// An error of ours that says this.
    Error(&'static str),
    /// The error in it.
    Own(&'static str),
}
use Becomes::{Error, Own, Result};

/// What a server sends, and what becomes of it. `RESULT` and `ID` stand for a whole answer and the request's id; a
/// connection is closed after the last byte.
fn replies() -> Vec<(&'static str, Vec<u8>, Becomes)> {
    let mut rows = Vec::new();
    let mut row = |name, bytes: Vec<u8>, becomes| rows.push((name, bytes, becomes));
    let events = |text: &str| format!("HTTP/1.1 200 OK\r\n{EVENTS}Connection: close\r\n\r\n{text}").into_bytes();
    let chunks = |pieces: &[&str]| {
        let head = format!("HTTP/1.1 200 OK\r\n{EVENTS}Transfer-Encoding: chunked\r\n\r\n");
        let chunk = |piece: &&str| format!("LEN:{piece}\r\n");
        [head, pieces.iter().map(chunk).collect()].concat().into_bytes()
    };
    row("JSON", reply(200, JSON, "RESULT"), Result);
    row("JSON over several lines", reply(200, JSON, "{\"jsonrpc\":\"2.0\",\r\n\"id\":ID,\n\"result\":{}}"), Result);
    row(
        "a media type with parameters",
        reply(200, "Content-Type: application/json; charset=utf-8\r\n", "RESULT"),
        Result,
    );
    row("a media type in capitals", reply(200, "Content-Type: Application/JSON\r\n", "RESULT"), Result);
    row("a byte order mark", reply(200, JSON, "\u{feff}RESULT"), Result);
    row("events in capitals", reply(200, "Content-Type: Text/Event-Stream\r\n", "data: RESULT\n\n"), Result);
    row("events", events("data: RESULT\n\n"), Result);
    row("events with CRLF", events("event: message\r\nid: 1\r\ndata: RESULT\r\n\r\n"), Result);
    row("events with CR", events("event: message\rid: 1\rdata: RESULT\r\r"), Result);
    row("events with a byte order mark", events("\u{feff}data: RESULT\n\n"), Result);
    row("events of several lines", events("data: {\"id\":ID,\ndata: \"result\":{}}\n\n"), Result);
    row("comments, retry, empty data", events(": ping\n\nretry: 1\nid: 7\ndata:\n\ndata\n\ndata:RESULT\n\n"), Result);
    row("another type of event", events("event: ping\ndata: RESULT\n\ndata: RESULT\n\n"), Result);
    row("chunks", chunks(&["data: RES", "ULT\n\n", ""]), Result);
    row("the answer, and no last chunk", chunks(&["data: RESULT\n\n"]), Result);
    row("the answer twice", events("data: RESULT\n\ndata: RESULT\n\n"), Result);
    row(
        "the answer and one of another request",
        events("data: {\"id\":\"x\",\"result\":{}}\n\ndata: RESULT\n\n"),
        Result,
    );
    row("junk before the answer", events("data: junk\n\ndata: RESULT\n\n"), Result);
    for status in [301, 302, 307, 308] {
        row("a redirect", reply(status, "Location: http://127.0.0.1:1/steal\r\n", ""), Error("status 30"));
    }
    for status in [400, 401, 403, 404, 405, 429] {
        row("a refusal", reply(status, "Content-Type: text/html\r\n", "<p>no</p>"), Error("status 4"));
    }
    for status in [500, 501, 502, 503, 504] {
        row("a failure", reply(status, "Retry-After: 1\r\n", ""), Error("status 50"));
    }
    row("a failure with events", reply(500, EVENTS, "data: RESULT\n\n"), Error("status 500"));
    let own = r#"{"jsonrpc":"2.0","id":ID,"error":{"code":-1,"message":"mine"}}"#;
    row("a failure with an error", reply(500, JSON, own), Own("mine"));
    row("a refusal with an error", reply(400, JSON, own), Own("mine"));
    let nobodys = r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Missing session"}}"#;
    row("an error without id", reply(400, JSON, nobodys), Error("status 400, with the error \"Missing session\""));
    row("a success with an error without id", reply(200, JSON, nobodys), Error("Missing session"));
    let others = r#"{"jsonrpc":"2.0","id":"server-error","error":{"code":-32600,"message":"Bad"}}"#;
    row("an error of another id", reply(400, JSON, others), Error("the error \"Bad\""));
    row("a result of another id", reply(200, JSON, r#"{"id":"x","result":{}}"#), Error("another request"));
    let moved = "Location: http://127.0.0.1:1/new?key=SECRET\r\n";
    row("a redirect", reply(307, moved, ""), Error("status 307, a redirect to `http://127.0.0.1:1/new`, which is not"));
    row("a redirect to nowhere", reply(308, "Location: /new\r\n", ""), Error("status 308, a redirect, which is not"));
    row("too many requests", reply(429, "Retry-After: 7\r\n", ""), Error("status 429; it asks to wait 7 seconds"));
    row("accepted", reply(202, "", ""), Error("status 202 and nothing else"));
    row("no content", b"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n".to_vec(), Error("status 204"));
    row("a page", reply(200, "Content-Type: text/html\r\n", "<p>log in</p>"), Error("`text/html`"));
    row("no media type", reply(200, "", "RESULT"), Error("nothing else"));
    row("empty JSON", reply(200, JSON, ""), Error("not a message"));
    row("half of the JSON", reply(200, JSON, "{\"jsonrpc\":\"2.0\",\"id\":ID,\"res"), Error("not a message"));
    row("JSON that is no message", reply(200, JSON, "{}"), Error("not a message"));
    row("an empty list", reply(200, JSON, "[]"), Error("not a message"));
    row("a number", reply(200, JSON, "7"), Error("not a message"));
    let short = format!("HTTP/1.1 200 OK\r\n{JSON}Content-Length: 500\r\n\r\nRESULT");
    row("JSON that breaks off", short.into_bytes(), Error("breaks off"));
    row("no events", events(""), Error("without a result"));
    row("a comment alone", events(": hi\n\n"), Error("without a result"));
    row("half an event", events("data: RESULT"), Error("without a result"));
    row("half an event in a chunk", chunks(&["data: RESULT\n"]), Error("breaks off"));
    row("a notification alone", events("event: ping\ndata: {}\n\n"), Error("without a result"));
    row("junk in an event", events("data: junk\n\n"), Error("not a message"));
    row("nothing", Vec::new(), Error("no answer from `http://127.0.0.1:"));
    row("no HTTP", b"garbage\r\n\r\n".to_vec(), Error("no answer from `http://127.0.0.1:"));
    row("half a header", b"HTTP/1.1 200 OK\r\nContent-Ty".to_vec(), Error("no answer from `http://127.0.0.1:"));
    rows
}

fn each_reply_gives_one_answer() {
    let (url, _requests) = serve(|request, stream| {
        let bytes = match request.body["params"]["row"].as_u64() {
            Some(row) => filled_in(replies().swap_remove(usize::try_from(row).unwrap()).1, &request.body["id"]),
            None if request.method() == "ping" => json_reply(&json!({"id": request.body["id"], "result": {}})),
            None => usual(request).unwrap_or_default(),
        };
        write(stream, &bytes);
    });
    let mut client = conversation(&url, &[]);
    for (row, (name, _, becomes)) in replies().into_iter().enumerate() {
        let id = format!("{row}-{name}");
        client.send(&json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": "t", "row": row}}));
        let answer = client.receive();
        assert_eq!(answer["id"], id, "{answer}");
        match becomes {
            Result => assert!(answer["result"].is_object(), "{name}: {answer}"),
            Own(text) => assert_eq!((error(&answer), &answer["error"]["code"]), (text, &json!(-1)), "{name}"),
            Error(text) => {
                assert!(error(&answer).contains(text), "{name}: {answer}");
                assert_eq!(answer["error"]["code"], -32000, "{name}: {answer}");
            }
        }
        // Another answer to that request would come before this one.
        assert_eq!(ask(&mut client, 1, "ping")["result"], json!({}), "{name}");
    }
    let (output, rest, _folder) = client.end();
    assert!(output.status.success() && rest.is_empty(), "{output:?} {}", String::from_utf8_lossy(&rest));
}

fn a_batch_has_each_answer_once() {
    let (url, _requests) = serve(|request, stream| {
        let fine = json!({"jsonrpc": "2.0", "id": 1, "result": {}});
        let nobodys = json!({"jsonrpc": "2.0", "id": "nobody", "result": {}});
        let told = json!({"jsonrpc": "2.0", "method": "notifications/x"});
        let bytes = match request.method() {
            "ping" => json_reply(&json!([fine, nobodys, fine, told])),
            _ => usual(request).unwrap_or_default(),
        };
        write(stream, &bytes);
    });
    let mut client = conversation(&url, &[]);
    client.send(&json!({"jsonrpc": "2.0", "id": 1, "method": "ping"}));
    let told = json!({"jsonrpc": "2.0", "method": "notifications/x"});
    assert_eq!(client.receive(), json!([{"jsonrpc": "2.0", "id": 1, "result": {}}, told]));
    client.end_well();
}

/// A row for the request with this id: the result in place, and lengths made right.
fn filled_in(bytes: Vec<u8>, id: &Value) -> Vec<u8> {
    let text = String::from_utf8(bytes).unwrap();
    let fill = |text: &str| {
        let result = json!({"jsonrpc": "2.0", "id": id, "result": {"content": [{"type": "text", "text": "fine é"}]}});
        text.replace("RESULT", &result.to_string()).replace("ID", &id.to_string())
    };
    let Some((head, body)) = text.split_once("\r\n\r\n") else { return text.into_bytes() };
    if head.contains("chunked") {
        // A word may be split between chunks, so the whole is filled in first and split again in the middle.
        let (pieces, rest) = body.rsplit_once("\r\n").unwrap();
        let ends = pieces.ends_with("LEN:");
        let joined: String = pieces.split("\r\n").filter_map(|piece| piece.strip_prefix("LEN:")).collect();
        let joined = fill(&joined);
        let middle = joined.char_indices().nth(joined.chars().count() / 2).unwrap().0;
        let chunk = |piece: &str| format!("{:x}\r\n{piece}\r\n", piece.len());
        let last = if ends { "0\r\n\r\n" } else { "" };
        return format!("{head}\r\n\r\n{}{}{last}{rest}", chunk(&joined[..middle]), chunk(&joined[middle..]))
            .into_bytes();
    }
    let filled = fill(body);
    let told = format!("Content-Length: {}\r\n", body.len());
    let head = format!("{head}\r\n").replace(&told, &format!("Content-Length: {}\r\n", filled.len()));
    format!("{head}\r\n{filled}").into_bytes()
}
