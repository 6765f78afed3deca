//! A remote server behind `lro proxy --url` that does everything wrong that a server, a network or a proxy in between can:
//! each request is answered once, in bounded time and memory, and nothing secret is shown.

mod cuts;
mod ends;
mod floods;
mod forms;
mod hooks;
mod losses;
mod scarce;
mod statuses;

use std::path::Path;

use super::http::process::command;
use super::http::site::Site;
use super::http::talk::Talk;
use super::row::Row;
use super::{Bench, Suite};

pub(super) const SUITE: Suite = Suite { name: "remote", run };

/// Values that no message may show.
const SECRETS: [&str; 4] = ["SECRET-in-the-url", "SECRET-bearer-token", "SECRET-header-value", "SECRET-password"];

fn run(bench: &Bench) -> Result<Vec<Row>, String> {
    let parts = [cuts::run, statuses::run, floods::run, losses::run, ends::run, scarce::run, hooks::run];
    let mut rows = Vec::new();
    for part in parts {
        rows.extend(part(bench)?);
    }
    Ok(rows)
}

/// A conversation with a site, after the handshake. Its URL and its headers hold secrets.
fn conversation(bench: &Bench, folder: &Path, site: &Site, flags: &[&str]) -> Result<Talk, String> {
    let mut talk = begin(bench, folder, &[], site, flags)?;
    talk.initialize()?;
    Ok(talk)
}

/// The same before the handshake, started by another program.
fn begin(bench: &Bench, folder: &Path, wrapper: &[&str], site: &Site, flags: &[&str]) -> Result<Talk, String> {
    let url = format!("http://user:{}@{}/mcp?api_key={}", SECRETS[3], site.address, SECRETS[0]);
    let mut command = command(bench.lro(), folder, wrapper);
    command.args(["proxy", "--url-env", "LRO_TEST_URL", "--bearer-env", "LRO_TEST_TOKEN"]);
    command.args(["--header-env", "X-Api-Key=LRO_TEST_KEY"]).args(flags);
    command.env("LRO_TEST_URL", url).env("LRO_TEST_TOKEN", SECRETS[1]).env("LRO_TEST_KEY", SECRETS[2]);
    Talk::begin(command, &SECRETS)
}

/// What is promised in nearly every row.
const ONCE: &str = "each request is answered once, with its id as it was";
