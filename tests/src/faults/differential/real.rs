//! Two reference servers of MCP, with and without the proxy between.

use std::fs;

use serde_json::json;

use crate::command::profile;
use crate::faults::Bench;
use crate::faults::row::Row;
use crate::faults::talk::place::Place;
use crate::faults::talk::process::{LONG, Talk};
use crate::faults::talk::shown;
use crate::peers;
use crate::sources::root;

/// A server's script in its packages, and what it is asked.
struct Real {
    script: &'static str,
    /// Whether it is told its folder.
    has_folder: bool,
    calls: fn(folder: &str) -> Vec<serde_json::Value>,
}

const SERVERS: [Real; 2] = [
    Real { script: "server-everything/dist/index.js", has_folder: false, calls: everything },
    Real { script: "server-filesystem/dist/index.js", has_folder: true, calls: filesystem },
];

fn everything(_: &str) -> Vec<serde_json::Value> {
    vec![
        json!(["tools/list", {}]),
        json!(["tools/call", {"name": "echo", "arguments": {"message": "é😀\u{2028}\"\\/"}}]),
        json!(["tools/call", {"name": "get-sum", "arguments": {"a": 1.5, "b": -0.0}}]),
        json!(["tools/call", {"name": "echo", "arguments": {"message": "x".repeat(4000)}}]),
        json!(["tools/call", {"name": "echo", "arguments": {}}]),
        json!(["tools/call", {"name": "none", "arguments": {}}]),
        json!(["tools/call", {"name": "get-tiny-image", "arguments": {}}]),
        json!(["prompts/list", {}]),
        json!(["resources/templates/list", {}]),
        json!(["ping", {}]),
        json!(["no/such/method", {}]),
    ]
}

fn filesystem(folder: &str) -> Vec<serde_json::Value> {
    let call = |tool: &str, arguments| json!(["tools/call", {"name": tool, "arguments": arguments}]);
    vec![
        json!(["tools/list", {}]),
        call("list_directory", json!({"path": folder})),
        call("read_text_file", json!({"path": format!("{folder}/a.txt")})),
        call("read_text_file", json!({"path": "/etc/passwd"})),
        call("search_files", json!({"path": folder, "pattern": "*.txt"})),
        call("list_allowed_directories", json!({})),
        json!(["ping", {}]),
    ]
}

/// Runs both.
pub(super) fn run(bench: &Bench) -> Result<Vec<Row>, String> {
    let mut row = Row::new(
        "the bytes that the client gets are those of the direct conversation",
        "the reference servers `everything` and `filesystem`, asked one thing after the other",
    );
    let packages = peers::javascript(&root().join("tests/peers/js"), &profile().join("peers"))?;
    for server in SERVERS {
        let place = Place::new(bench)?;
        let files = place.folder.path().join("files");
        let prepare = || {
            fs::create_dir(&files)?;
            fs::write(files.join("a.txt"), "é \u{1} \r\n".repeat(200))?;
            files.canonicalize()
        };
        let folder = prepare().map_err(|error| error.to_string())?.display().to_string();
        let script = packages.join("node_modules/@modelcontextprotocol").join(server.script);
        let calls = (server.calls)(&folder);
        let mut words = vec!["node".to_owned(), script.display().to_string()];
        words.extend(server.has_folder.then(|| folder.clone()));
        for _ in 0..bench.scaled(1, 5) {
            for (direct, proxied) in lines(bench, &place, &words, &calls)? {
                let outcome = if direct == proxied {
                    Ok(())
                } else {
                    Err(format!("{}: {} instead of {}", server.script, shown(&proxied), shown(&direct)))
                };
                row.count(outcome);
            }
        }
        row.failures.extend(place.is_left_clean().err());
    }
    Ok(vec![row])
}

type Pairs = Vec<(Vec<u8>, Vec<u8>)>;

/// What comes of each call, directly and through the proxy.
fn lines(bench: &Bench, place: &Place, words: &[String], calls: &[serde_json::Value]) -> Result<Pairs, String> {
    let mut node = place.program(&words[0]);
    node.args(&words[1..]);
    let direct = answers(Talk::start(&mut node)?, calls)?;
    let mut lro = place.lro(bench, &[], "proxy", &["--threshold-tokens", "4294967295", "--no-tools", "--"]);
    let proxied = answers(Talk::start(lro.args(words))?, calls)?;
    if direct.len() != proxied.len() {
        return Err(format!("{} lines directly, {} through the proxy", direct.len(), proxied.len()));
    }
    Ok(direct.into_iter().zip(proxied).collect())
}

fn answers(mut talk: Talk, calls: &[serde_json::Value]) -> Result<Vec<Vec<u8>>, String> {
    let client =
        json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}});
    let mut heard = vec![ask(&mut talk, 0, &json!(["initialize", client]))?];
    talk.send(b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n");
    for (id, call) in (1..).zip(calls) {
        heard.push(ask(&mut talk, id, call)?);
    }
    talk.close_input();
    talk.wait(LONG)?;
    Ok(heard)
}

/// The answer to a request. What the server says of its own accord comes at moments of its own.
fn ask(talk: &mut Talk, id: usize, call: &serde_json::Value) -> Result<Vec<u8>, String> {
    let request = json!({"jsonrpc": "2.0", "id": id, "method": call[0], "params": call[1]});
    talk.send(format!("{request}\n").as_bytes());
    loop {
        match talk.hear(LONG) {
            crate::faults::talk::process::Heard::Line(line) => {
                let message: serde_json::Value = serde_json::from_slice(&line).unwrap_or_default();
                if message["id"] == id && message["method"].is_null() {
                    return Ok(line);
                }
            }
            other => return Err(format!("{request}: {other:?}")),
        }
    }
}
