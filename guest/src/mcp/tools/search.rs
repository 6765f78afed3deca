//! `lro_search`: one page of lines that match, written as grep writes them (GATE-14, GATE-16, USER-04).

use lro_query::json;
use serde_json::{Map, Value};

use super::{file_path, for_example, more, remarks};
use crate::calls::{self, Findings, Source};
use crate::error::Error;
use crate::settings::request;
use crate::settings::{Settings, ToolNames};

/// Room for all of an answer but its lines.
const FRAME_BYTES: u32 = 1536;

/// What a call may ask for.
const EXAMPLE: &str = r#""pattern": "error|fatal""#;

/// Handles a call. The arguments are a `file_path` and the keys of a search request.
pub(super) fn answer(mut arguments: Map<String, Value>, settings: &Settings) -> Result<String, Error> {
    let path = file_path(&mut arguments)?;
    let counts_only = arguments.remove("count") == Some(Value::Bool(true));
    if counts_only {
        // All of them are counted, whatever an earlier page showed.
        arguments.remove("next");
    }
    if !arguments.contains_key("pattern") {
        return Err(Error::invalid_argument(
            "cannot search: `pattern` is missing or empty",
            format!(
                "give a regular expression, for example: {EXAMPLE}; to read lines without searching, read the file"
            ),
        ));
    }
    let asked = request::Search::of_arguments(arguments, &for_example(EXAMPLE))?;
    let request = request::Search {
        max_bytes: Some(settings.max_answer_bytes - FRAME_BYTES),
        bounds_the_answer: true,
        counts_only,
        has_other_names: settings.tool_names != ToolNames::Lro,
        ..asked
    };
    let findings = calls::search_lines(Source::File(&path), &request, settings)?;
    Ok(match counts_only {
        true => render_count(&findings),
        false => render(&findings, request.around() != (0, 0)),
    })
}

/// Renders the number of lines that match, as grep -c counts them. `total` is the number of hits in the other answer, and
/// a long line has several.
fn render_count(findings: &Findings) -> String {
    let known = findings.matching_lines;
    let mut members: Vec<(&str, String)> =
        known.into_iter().map(|lines| ("matching_lines", lines.to_string())).collect();
    members.extend(more(None));
    let unknown = "it is not known how many lines match: search without `count`, and page through the hits";
    let unknown = known.is_none().then(|| unknown.to_owned());
    let said: Vec<String> = unknown.into_iter().chain(findings.remarks.iter().cloned()).collect();
    members.extend(remarks(&said));
    json::object(members.iter().map(|(key, value)| (*key, value.as_str())))
}

/// What `total` counts, where that is not lines.
fn of_long_lines(findings: &Findings) -> Option<String> {
    let (total, lines) = (findings.total?, findings.matching_lines?);
    let noun = if lines == 1 { "line" } else { "lines" };
    (total > lines).then(|| {
        format!(
            "{total} hits in {lines} {noun}: a line of more than 400 characters has a hit for each part of it that \
             matches, and a part may have several matches"
        )
    })
}

/// Renders the answer as JSON, with everything about the lines before them.
fn render(findings: &Findings, has_context: bool) -> String {
    let mut members = vec![("count", findings.hits.len().to_string())];
    members.extend(findings.total.map(|total| ("total", total.to_string())));
    members.extend(more(findings.next.as_deref()));
    let said: Vec<String> = findings.remarks.iter().cloned().chain(of_long_lines(findings)).collect();
    members.extend(remarks(&said));
    let lines: Vec<String> = lines(findings, has_context).iter().map(|line| json::quote(line)).collect();
    members.push(("results", json::array(&lines)));
    json::object(members.iter().map(|(key, value)| (*key, value.as_str())))
}

/// `12:5:text` for a hit on line 12 at character 5, `13-text` for a line around it, and `--` where lines are left out. Like
/// grep, hits without lines around them have nothing between them.
fn lines(findings: &Findings, has_context: bool) -> Vec<String> {
    let mut lines = Vec::new();
    let mut latest = None;
    for hit in &findings.hits {
        let first = hit.line.saturating_sub(hit.before.len() as u32);
        if has_context && latest.is_some_and(|latest| first > latest + 1) {
            lines.push("--".to_owned());
        }
        lines.extend((first..).zip(&hit.before).map(|(number, line)| format!("{number}-{line}")));
        lines.push(format!("{}:{}:{}", hit.line, hit.character, hit.text));
        lines.extend((hit.line + 1..).zip(&hit.after).map(|(number, line)| format!("{number}-{line}")));
        latest = Some(hit.line.saturating_add(hit.after.len() as u32));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::calls::Hit;

    #[test]
    fn lines_are_written_as_grep_writes_them() {
        let hit = |line: u32, before: &[&str], after: &[&str]| {
            let lines = |lines: &[&str]| lines.iter().map(|line| (*line).to_owned()).collect();
            let (text, before, after) = ("hit".to_owned(), lines(before), lines(after));
            Hit { line, character: 1, length: 3, text, start: 1, before, after }
        };
        let written =
            |hits: Vec<Hit>, has_context: bool| lines(&Findings { hits, ..Findings::default() }, has_context).join(" ");
        let around = vec![hit(2, &["a"], &["b"]), hit(4, &[], &[]), hit(9, &["c"], &[])];
        assert_eq!(written(around, true), "1-a 2:1:hit 3-b 4:1:hit -- 8-c 9:1:hit");
        let alone = || vec![hit(2, &[], &[]), hit(9, &[], &[])];
        assert_eq!(written(alone(), true), "2:1:hit -- 9:1:hit");
        assert_eq!(written(alone(), false), "2:1:hit 9:1:hit");
    }

    #[test]
    fn it_is_said_what_is_counted_where_it_is_not_lines() {
        let remark = |total, matching_lines| {
            of_long_lines(&Findings { total, matching_lines, ..Findings::default() }).unwrap_or_default()
        };
        assert!(remark(Some(54), Some(1)).starts_with("54 hits in 1 line: a line of more than 400 characters has"));
        assert!(remark(Some(9), Some(3)).starts_with("9 hits in 3 lines: "));
        for (total, lines) in [(Some(3), Some(3)), (None, None), (Some(3), None)] {
            assert_eq!(remark(total, lines), "");
        }
        let counted =
            Findings { total: Some(9), matching_lines: Some(3), next: Some("s".into()), ..Findings::default() };
        assert_eq!(render_count(&counted), r#"{"matching_lines":3,"truncated":false}"#);
        let unknown = render_count(&Findings::default());
        assert!(
            unknown.starts_with(r#"{"truncated":false,"remarks":["it is not known how many lines match"#),
            "{unknown}"
        );
        let none = Findings { total: Some(0), matching_lines: Some(0), ..Findings::default() };
        assert_eq!(render_count(&none), r#"{"matching_lines":0,"truncated":false}"#);
    }
}
