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
    Ok(vec![row.seen(seen.join("; "))])
}

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
