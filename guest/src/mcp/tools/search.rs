//! `lro_search`: one page of lines that match, written as grep writes them (GATE-14, GATE-16, USER-04).

use lro_query::json;
use serde_json::{Map, Value};

use super::{file_path, more, remarks};
use crate::calls::{self, Findings, Source};
use crate::error::Error;
use crate::settings::Settings;
use crate::settings::request;

/// Room for all of an answer but its lines.
const FRAME_BYTES: u32 = 1536;

/// Handles a call. The arguments are a `file_path` and the keys of a search request.
pub(super) fn answer(mut arguments: Map<String, Value>, settings: &Settings) -> Result<String, Error> {
    let path = file_path(&mut arguments)?;
    let asked = request::Search::parse(&Value::Object(arguments).to_string())?;
    let request =
        request::Search { max_bytes: Some(settings.max_answer_bytes - FRAME_BYTES), bounds_the_answer: true, ..asked };
    Ok(render(&calls::search_lines(Source::File(&path), &request, settings)?))
}

/// Renders the answer as JSON, with everything about the lines before them.
fn render(findings: &Findings) -> String {
    let mut members = vec![("count", findings.hits.len().to_string())];
    members.extend(findings.total.map(|total| ("total", total.to_string())));
    members.extend(more(findings.next.as_deref()));
    members.extend(remarks(&findings.remarks));
    let lines: Vec<String> = lines(findings).iter().map(|line| json::quote(line)).collect();
    members.push(("results", json::array(&lines)));
    json::object(members.iter().map(|(key, value)| (*key, value.as_str())))
}

/// `12:5:text` for a hit on line 12 at character 5, `13-text` for a line around it, and `--` where lines are left out.
fn lines(findings: &Findings) -> Vec<String> {
    let mut lines = Vec::new();
    let mut latest = None;
    for hit in &findings.hits {
        let first = hit.line.saturating_sub(hit.before.len() as u32);
        if latest.is_some_and(|latest| first > latest + 1) {
            lines.push("--".to_owned());
        }
        lines.extend((first..).zip(&hit.before).map(|(number, line)| format!("{number}-{line}")));
        lines.push(format!("{}:{}:{}", hit.line, hit.character, hit.text));
        lines.extend((hit.line + 1..).zip(&hit.after).map(|(number, line)| format!("{number}-{line}")));
        latest = Some(hit.line.saturating_add(hit.after.len() as u32));
    }
    lines
}
