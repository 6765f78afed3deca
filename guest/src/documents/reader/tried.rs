//! Searches that may have been meant where one finds nothing: each is tried on the front of the file, and only those that find
//! something are mentioned.

use std::io::{BufRead, Read};

use super::{Origin, counted, pattern, search};
use crate::error::Error;
use crate::file::kind::Kind;
use crate::settings::request::Search;

/// So much of a file is tried: what is typical occurs in it, and several expressions take a few milliseconds.
const TRIED_BYTES: u64 = 1 << 20;

/// More are not mentioned: each of them finds something.
const MOST_MENTIONED: usize = 2;

/// What grep writes with a backslash, and this syntax without.
const ESCAPED_IN_GREP: [&str; 7] = [r"\|", r"\(", r"\)", r"\{", r"\}", r"\+", r"\?"];

/// Another search, and the predicate of its remark, which stands after the number of lines that match.
struct Other {
    request: Search,
    predicate: String,
    /// It is tried only if the one before it finds nothing.
    is_second_choice: bool,
}

/// What to say of searches that would have found something.
pub(super) fn remarks<R: BufRead>(
    request: &Search,
    origin: Origin,
    kind: Kind,
    most_bytes: u32,
    open: &impl Fn(u64) -> Result<R, Error>,
) -> Vec<String> {
    let others = others(request, kind);
    let mut text = Vec::new();
    let read = |text: &mut Vec<u8>| open(origin.offset).ok()?.take(TRIED_BYTES).read_to_end(text).ok();
    if others.is_empty() || read(&mut text).is_none() {
        return Vec::new();
    }
    let is_all = (text.len() as u64) < TRIED_BYTES;
    if let (false, Some(newline)) = (is_all, memchr::memrchr(b'\n', &text)) {
        text.truncate(newline + 1);
    }
    let place = if is_all { "" } else { " in the first MiB" };
    let mut remarks = Vec::new();
    let mut is_found = false;
    for other in others {
        if remarks.len() == MOST_MENTIONED || is_found && other.is_second_choice {
            continue;
        }
        let lines = search::count_in(&text, &other.request, most_bytes).filter(|lines| *lines > 0);
        is_found = lines.is_some();
        remarks
            .extend(lines.map(|lines| {
                format!("{}{place} {}", counted(lines.into(), "line"), agreeing(&other.predicate, lines))
            }));
    }
    remarks
}

/// The predicate with its verb in the singular for one line.
fn agreeing(predicate: &str, lines: u32) -> String {
    match lines {
        1 => predicate.replacen("match ", "matches ", 1).replacen("have ", "has ", 1),
        _ => predicate.to_owned(),
    }
}

fn others(request: &Search, kind: Kind) -> Vec<Other> {
    let mut others = Vec::new();
    let mut add = |request: Search, predicate: String, is_second_choice: bool| {
        others.push(Other { request, predicate, is_second_choice });
    };
    let is_literal = request.literal == Some(true);
    let ignoring = if request.has_other_names { "case_sensitive: false" } else { "ignore_case: true" };
    let without_case = |request: Search| Search { ignore_case: Some(true), ..request };
    let minds_case = request.ignore_case != Some(true) && pattern::has_letters(&request.pattern);
    if minds_case {
        let predicate = format!("match if small and capital letters are the same: pass {ignoring}");
        add(without_case(request.clone()), predicate, false);
    }
    if pattern::has_special(&request.pattern) {
        let literal = Search { literal: Some(!is_literal), ..request.clone() };
        let predicate = match (is_literal, request.has_other_names) {
            (true, _) => "match the pattern as a regular expression: leave out `literal`".to_owned(),
            (false, true) => {
                format!("have the pattern as a plain text: write `{}`", pattern::escaped(&request.pattern))
            }
            (false, false) => "have the pattern as a plain text: pass literal: true".to_owned(),
        };
        add(literal, predicate, false);
    }
    if is_literal {
        return others;
    }
    for (other, ignores_case, why) in rewritten(request, kind) {
        let shown = pattern::shown(&other);
        let other = Search { pattern: other, ..request.clone() };
        if !ignores_case {
            add(other.clone(), format!("match `{shown}`{why}"), false);
        }
        if ignores_case || minds_case {
            add(without_case(other), format!("match `{shown}`{why}, if you pass {ignoring}"), !ignores_case);
        }
    }
    others
}

/// Patterns as other tools write them, whether they ignore the case, and what is different.
fn rewritten(request: &Search, kind: Kind) -> Vec<(String, bool, &'static str)> {
    let pattern = request.pattern.as_str();
    let mut found = Vec::new();
    let plain = ESCAPED_IN_GREP.iter().fold(pattern.to_owned(), |text, escaped| text.replace(escaped, &escaped[1..]));
    if plain != pattern {
        found.push((plain, false, ", without the backslashes of grep"));
    }
    let between = pattern.strip_prefix('/').and_then(|rest| rest.rsplit_once('/'));
    if let Some((within, flags)) = between
        && !within.is_empty()
        && flags.bytes().all(|flag| b"gimsu".contains(&flag))
    {
        found.push((within.to_owned(), flags.contains('i'), ", without the slashes"));
    }
    if kind != Kind::Text && pattern.contains('"') {
        found.push((pattern.replace('"', r#"\\""#), false, r#": in records, a text has \" for each quote"#));
    }
    found
}
