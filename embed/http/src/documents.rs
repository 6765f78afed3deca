//! Routes for a stored result as a whole, and for passages of it.

use serde::Serialize;
use serde_json::json;
use wasip2::http::types::Method;

use crate::Call;
use crate::answer::Answer;
use crate::bindings::lro::offload::types::Source;
use crate::bindings::lro::offload::{documents, reader};
use crate::name::Name;
use crate::problem::Problem;
use crate::routes::{Route, misused, name_in};

/// What `GET /` says of them.
pub const ROUTES: [Route; 4] = [
    Route {
        method: "POST",
        path: "/results/NAME/read",
        what: "Reads lines or characters: the body has `lines` or `characters`, and `next` of the page before.",
    },
    Route {
        method: "POST",
        path: "/results/NAME/search",
        what: "Searches the lines for the regular expression `pattern`.",
    },
    Route { method: "GET", path: "/results/NAME/description", what: "What the result holds, before it is filtered." },
    Route { method: "GET", path: "/results/NAME/document", what: "The document that was offloaded." },
];

/// Answers a request for one of these routes, with the name of the result.
type Handle = fn(&Name, &Call<'_>) -> Result<Answer, Problem>;

/// The contract's findings.
#[derive(Serialize)]
struct Findings<'a> {
    hits: Vec<Hit<'a>>,
    total: Option<u32>,
    lines: Option<u32>,
    truncated: bool,
    next: Option<&'a str>,
    remarks: &'a [String],
}

#[derive(Serialize)]
struct Hit<'a> {
    line: u32,
    character: u32,
    length: u32,
    text: &'a str,
    start: u32,
    before: &'a [String],
    after: &'a [String],
}

/// Answers a request for one of these routes; `None` if it is for another one.
pub fn answer(call: &Call<'_>) -> Option<Result<Answer, Problem>> {
    let (name, what) = name_in(&call.request.path)?.rsplit_once('/')?;
    let (handle, method): (Handle, &str) = match what {
        "read" => (read, "POST"),
        "search" => (search, "POST"),
        "description" => (describe, "GET"),
        "document" => (rebuild, "GET"),
        _ => return None,
    };
    let fits = matches!((&call.request.method, method), (Method::Post, "POST") | (Method::Get, "GET"));
    Some(if fits { Name::new(name).and_then(|name| handle(&name, call)) } else { Err(misused(&call.request, method)) })
}

fn read(name: &Name, call: &Call<'_>) -> Result<Answer, Problem> {
    passage(&source(name, call)?, &call.request.body, &call.settings.text(), "text").map(answered)
}

fn search(name: &Name, call: &Call<'_>) -> Result<Answer, Problem> {
    let findings = reader::search(&source(name, call)?, &call.request.body, &call.settings.text())?;
    Ok(Answer::json(200, &shown(&findings)))
}

fn describe(name: &Name, call: &Call<'_>) -> Result<Answer, Problem> {
    Ok(answered(documents::describe(&source(name, call)?, &call.settings.text())?))
}

/// The document may be text or JSON, so the answer does not say which.
fn rebuild(name: &Name, call: &Call<'_>) -> Result<Answer, Problem> {
    let document = documents::rebuild(&source(name, call)?, &call.settings.text())?;
    Ok(Answer::of(200, "text/plain; charset=utf-8", document))
}

/// The text of a result.
pub(crate) fn source(name: &Name, call: &Call<'_>) -> Result<Source, Problem> {
    Ok(Source::Content((call.open)()?.get(name)?))
}

/// A passage as the text of one JSON object, with its text under a name.
pub(crate) fn passage(source: &Source, request: &str, settings: &str, text: &str) -> Result<String, Problem> {
    let passage = reader::read(source, request, settings)?;
    Ok(json!({
        text: passage.text,
        "first": passage.first,
        "last": passage.last,
        "total": passage.total,
        "truncated": passage.truncated,
        "next": passage.next,
        "remarks": passage.remarks,
    })
    .to_string())
}

fn shown(findings: &reader::Findings) -> impl Serialize + '_ {
    let hits = findings.hits.iter().map(|hit| Hit {
        line: hit.line,
        character: hit.character,
        length: hit.length,
        text: &hit.text,
        start: hit.start,
        before: &hit.before,
        after: &hit.after,
    });
    Findings {
        hits: hits.collect(),
        total: findings.total,
        lines: findings.lines,
        truncated: findings.truncated,
        next: findings.next.as_deref(),
        remarks: &findings.remarks,
    }
}

/// What is found, as grep writes it: `LINE:CHARACTER:TEXT`, with `-` the lines around, and `--` between passages.
pub(crate) fn lines(hits: &[reader::Hit]) -> Vec<String> {
    let around = |(number, line): (u32, &String)| format!("{number}-{line}");
    let mut lines = Vec::new();
    let mut latest = None;
    for hit in hits {
        let first = hit.line.saturating_sub(hit.before.len() as u32);
        if latest.is_some_and(|latest| first > latest + 1) {
            lines.push("--".to_owned());
        }
        lines.extend((first..).zip(&hit.before).map(around));
        lines.push(format!("{}:{}:{}", hit.line, hit.character, hit.text));
        lines.extend((hit.line + 1..).zip(&hit.after).map(around));
        latest = Some(hit.line + hit.after.len() as u32);
    }
    lines
}

fn answered(text: String) -> Answer {
    Answer::of(200, "application/json", text)
}
