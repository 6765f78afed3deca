//! The proxy's memory at its worst: results of the longest length, of the kinds that take most, several at once; and lists of
//! millions of tools.

use std::time::{Duration, Instant};

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::json;

use super::row::Row;
use super::talk::call;
use super::talk::heavy::FORMS;
use super::talk::place::{Place, compile_once, server};
use super::talk::process::{Heard, LONG, Talk};
use super::{Bench, Suite};

pub(super) const SUITE: Suite = Suite { name: "memory", run };

/// What docs/PROXY.md says that the proxy needs at most, in MiB: over standard streams, and before a remote server.
pub(super) fn most_mib(longest: usize) -> u64 {
    500 + 12 * (longest as u64 >> 20)
}

/// The same before a remote server.
pub(super) fn most_mib_remote(longest: usize) -> u64 {
    500 + 18 * (longest as u64 >> 20)
}

/// How many results come at once: one in work, one that waits, one that is read.
const AT_ONCE: usize = 3;

fn run(bench: &Bench) -> Result<Vec<Row>, String> {
    compile_once(bench)?;
    let longest = bench.scaled(1 << 20, 64 << 20);
    let most = most_mib(longest);
    let fault = format!(
        "{AT_ONCE} results of {} MiB at once, of {} kinds; two lists of millions of tools",
        longest >> 20,
        FORMS.len()
    );
    let mut row = Row::new("at most 500 MiB and 12 times --max-message are used", &fault);
    let mut seen = Vec::new();
    for form in FORMS.into_iter().chain([TOOLS]) {
        let place = Place::new(bench)?;
        let [this, word] = server();
        let flags = ["--max-message", &longest.to_string(), "--", &this, &word];
        let mut talk = Talk::start(&mut place.lro(bench, &[], "proxy", &flags))?;
        let start = Instant::now();
        let count = if form == TOOLS { 2 } else { AT_ONCE };
        for id in 0..count {
            talk.send(asked(form, id, longest).as_bytes());
        }
        for _ in 0..count {
            row.count(match talk.hear(LONGEST_WAIT) {
                Heard::Line(line) if is_result(&line) => Ok(()),
                other => Err(format!("{form}: {:.300}", format!("{other:?}"))),
            });
        }
        let peak = talk.peak_mb();
        if peak > most {
            row.failures.push(format!("{form}: {peak} MiB of {most}"));
        }
        seen.push(format!("{form}: {peak} MiB, {} s", start.elapsed().as_secs()));
        talk.close_input();
        row.failures.extend(talk.wait(LONG).err());
        row.failures.extend(place.is_left_clean().err());
    }
    Ok(vec![row.seen(seen.join("; ")), several(bench, longest)?])
}

/// Servers behind one proxy whose lists have no end, asked for all of their lists at once.
fn several(bench: &Bench, longest: usize) -> Result<Row, String> {
    // One server is in the sum already, and the lists take its place.
    let most = most_mib(longest) + LIST_MIB + SERVERS as u64 * 3 * (longest as u64 >> 20);
    let fault = format!(
        "{SERVERS} servers whose lists have pages of {} MiB and no end, asked for four lists at once",
        longest >> 20
    );
    let mut row = Row::new(
        "each further server takes 3 times --max-message more, and their lists 64 MiB and 3 times --max-message",
        &fault,
    );
    let place = Place::new(bench)?;
    let mut flags = vec!["--max-message".to_owned(), longest.to_string()];
    let command = server().join(" ");
    for number in 0..SERVERS {
        flags.extend(["--server".to_owned(), format!("s{number}={command} --endless {longest}")]);
    }
    let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
    let mut talk = Talk::start(&mut place.lro(bench, &[], "proxy", &flags))?;
    talk.send(INITIALIZE.as_bytes());
    let lists = ["tools", "prompts", "resources", "resources/templates"];
    for turn in 0..=lists.len() {
        row.count(match talk.hear(LONGEST_WAIT) {
            Heard::Line(line) if is_result(&line) => Ok(()),
            other => Err(format!("{:.300}", format!("{other:?}"))),
        });
        if turn == 0 {
            for (id, list) in lists.iter().enumerate() {
                talk.send(format!("{{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"{list}/list\"}}\n", id + 1).as_bytes());
            }
        }
    }
    let peak = talk.peak_mb();
    row.failures.extend((peak > most).then(|| format!("{peak} MiB of {most}")));
    talk.close_input();
    row.failures.extend(talk.wait(LONG).err());
    row.failures.extend(place.is_left_clean().err());
    Ok(row.seen(format!("{peak} MiB of {most}")))
}

const SERVERS: usize = 3;

/// What the names and URIs of lists take.
const LIST_MIB: u64 = 64;

const INITIALIZE: &str = "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":\
     {\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},\"clientInfo\":{\"name\":\"c\",\"version\":\"1\"}}}\n";

/// What is offloaded in a second takes minutes on a machine that does much else.
const LONGEST_WAIT: Duration = Duration::from_secs(900);

/// A list of tools is read several times: a quarter of the longest length takes as long as a result.
const TOOLS: &str = "millions of tools";

/// True for the line of a result. Nothing else in it is read.
fn is_result(line: &[u8]) -> bool {
    #[derive(Deserialize)]
    struct Response {
        result: IgnoredAny,
    }
    serde_json::from_slice::<Response>(line).is_ok_and(|Response { result: IgnoredAny }| true)
}

fn asked(form: &str, id: usize, longest: usize) -> String {
    if form == TOOLS {
        let list = json!({"elements": longest / 8 - 100});
        return format!("{{\"id\":{id},\"method\":\"tools/list\",\"params\":{{\"arguments\":{list}}}}}\n");
    }
    call(&id.to_string(), "list", &json!({"form": form, "bytes": longest}))
}
