//! The hook of a coding agent, and what leads to a sign-in, under the same faults.

use std::io::Write;
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::super::http::chance::Chance;
use super::super::http::process::command;
use super::super::http::site::{Site, reply, usual, write};
use super::super::http::talk::{Answer, Talk};
use super::super::row::Row;
use super::Bench;

pub(super) fn run(bench: &Bench) -> Result<Vec<Row>, String> {
    Ok(vec![hook(bench)?, sign_in(bench)?])
}

/// An event of Claude Code with a large result, cut and changed at every place.
fn hook(bench: &Bench) -> Result<Row, String> {
    let mut row = Row::new(
        "a hook never fails: exit 0, and nothing or a whole answer on standard output",
        "an event that is cut at a random byte, changed in one byte, or sent to another client's hook",
    );
    let (folder, chance) = (bench.folder()?, Chance::of(bench.seed));
    let records: Vec<Value> =
        (0..2000).map(|n| json!({"id": n, "title": format!("Issue {n}"), "state": "open"})).collect();
    let result = json!([{"type": "text", "text": Value::from(records).to_string()}]);
    let event = json!({"session_id": "s", "hook_event_name": "PostToolUse", "tool_name": "mcp__a__list", "tool_input": {}, "tool_response": result}).to_string();
    let (mut replaced, mut silent) = (0, 0);
    for number in 0..bench.scaled(24, 150) {
        let client = ["claude", "codex", "gemini", "cursor", "opencode"][number % 5];
        let mut bytes = event.clone().into_bytes();
        match number % 3 {
            0 => bytes.truncate(chance.below(event.len() + 1)),
            1 => {
                // Most of the event is one text: what is around it is more likely to matter.
                let at = if chance.below(2) == 0 { chance.below(bytes.len()) } else { chance.below(150) };
                bytes[at] = u8::try_from(chance.below(256)).unwrap_or(0);
            }
            _ => {}
        }
        let mut hook = command(bench.lro(), folder.path(), &[]);
        hook.args(["hook", client])
            .env("XDG_STATE_HOME", folder.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = hook.spawn().map_err(|error| format!("cannot start the hook: {error}"))?;
        // It may end without reading all.
        let _ = child.stdin.take().map(|mut input| input.write_all(&bytes));
        let output = child.wait_with_output().map_err(|error| error.to_string())?;
        let is_whole = output.stdout.is_empty() || serde_json::from_slice::<Value>(&output.stdout).is_ok();
        if output.stdout.is_empty() {
            silent += 1
        } else {
            replaced += 1
        }
        row.count(match output.status.success() && is_whole {
            true => Ok(()),
            false => Err(format!(
                "{client}, try {number}: {:?} {:.200}",
                output.status,
                String::from_utf8_lossy(&output.stdout)
            )),
        });
    }
    Ok(row.seen(format!("{replaced} replaced, {silent} left alone")))
}

/// Documents that lead to a sign-in are cut, redirected, endless, junk, or name other machines.
fn sign_in(bench: &Bench) -> Result<Row, String> {
    let mut row = Row::new(
        "a call that needs a sign-in ends with one error, in bounded time, and no other host is asked",
        "documents of OAuth that are cut, redirected, without end, junk, or name others",
    );
    let folder = bench.folder()?;
    let others = Site::serve(|_, stream| {
        write(stream, &reply(200, "", "{}"));
        false
    })?;
    let other = others.address;
    let kinds: usize = 12;
    let (mut slowest, mut words) = (Duration::ZERO, 0);
    for kind in 0..bench.scaled(kinds, 4 * kinds) {
        let chance = Chance::of(bench.seed + kind as u64);
        let random = chance.below(400);
        let site = Site::serve(move |request, stream| {
            let own = format!("http://{}", request.headers.get("host").map_or("", String::as_str));
            let is_metadata = request.line.contains("/.well-known/");
            let bytes = match (is_metadata, request.method()) {
                (false, "tools/call") => {
                    let challenge = format!(
                        "WWW-Authenticate: Bearer resource_metadata=\"{own}/.well-known/oauth-protected-resource/mcp\", scope=\"a\"\r\n"
                    );
                    reply(401, &challenge, "")
                }
                (false, _) => usual(request, "s").unwrap_or_else(|| reply(404, "", "")),
                (true, _) => {
                    return metadata(kind % kinds, random, &own, &format!("http://{other}"), &request.line, stream);
                }
            };
            write(stream, &bytes);
            false
        })?;
        let mut proxy = command(bench.lro(), folder.path(), &[]);
        proxy.args(["proxy", "--url", &site.url(), "--no-browser", "--sign-in-seconds", "3"]);
        proxy.env("XDG_STATE_HOME", folder.path()).env("XDG_CONFIG_HOME", folder.path()).env("HOME", folder.path());
        let mut talk = Talk::begin(proxy, &[])?;
        if let Err(error) = talk.initialize() {
            row.count(Err(format!("kind {}: {error}", kind % kinds)));
            continue;
        }
        let start = Instant::now();
        talk.call("1", "t", "")?;
        let answer = talk.wait("1", Duration::from_secs(180));
        slowest = slowest.max(start.elapsed());
        row.count(answer.and_then(|answer| match answer {
            Answer::Error(error) if error.len() < 1500 => {
                words += error.len();
                Ok(())
            }
            other => Err(format!("kind {}: {:.300}", kind % kinds, format!("{other:?}"))),
        }));
        row.failures.extend(talk.end().err().map(|error| format!("kind {}: {error}", kind % kinds)));
    }
    if others.count() > 0 {
        row.failures.push(format!("{} requests to others", others.count()));
    }
    let mean = words as u64 / row.tries.max(1);
    Ok(row.seen(format!("the slowest took {} ms; errors have {} characters in the mean", slowest.as_millis(), mean)))
}

fn metadata(kind: usize, random: usize, own: &str, other: &str, line: &str, stream: &std::net::TcpStream) -> bool {
    let is_resource = line.contains("protected-resource");
    let resource = json!({"resource": format!("{own}/mcp"), "authorization_servers": [own]}).to_string();
    let server = json!({
        "issuer": own, "authorization_endpoint": format!("{own}/authorize"), "token_endpoint": format!("{own}/token"),
        "code_challenge_methods_supported": ["S256"], "response_types_supported": ["code"],
    })
    .to_string();
    let good = if is_resource { resource } else { server };
    let json = "Content-Type: application/json\r\n";
    let bytes = match kind {
        0 => reply(500, "", ""),
        1 => {
            let whole = reply(200, json, &good);
            whole[..random.min(whole.len() - 1)].to_vec()
        }
        2 => reply(302, &format!("Location: {other}/stolen\r\n"), ""),
        3 => reply(307, "Location: /.well-known/loop\r\n", ""),
        4 => reply(200, json, &good.replace(own, "https://192.0.2.1:1")),
        5 => reply(200, json, &good.replace(own, "http://192.0.2.1:1")),
        6 => reply(200, json, "[7]"),
        7 => reply(200, json, &format!("{{\"a\":\"{}\"}}", "x".repeat(3 << 20))),
        8 => reply(200, json, &"[".repeat(900_000)),
        9 => reply(200, json, &good.replace("S256", "plain")),
        10 => {
            let mut goes_on = write(stream, format!("HTTP/1.1 200 OK\r\n{json}\r\n").as_bytes());
            while goes_on {
                goes_on = write(stream, &[b' '; 4096]);
            }
            return false;
        }
        _ => reply(
            200,
            json,
            &good.replace("/authorize", "/au\\u0000thorize\\n<script>").replace("/token", "/tok\u{202e}en"),
        ),
    };
    write(stream, &bytes);
    false
}
