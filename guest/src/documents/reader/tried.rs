//! Searches that may have been meant where one finds nothing: each is tried on the front of the file, and only those that find
//! something are mentioned.

use std::io::{BufRead, Read};

use super::{Origin, counted, pattern, search, written};
use crate::error::Error;
use crate::file::kind::Kind;
use crate::settings::request::Search;

/// So much of a file is tried: what is typical occurs in it, and several expressions take a few milliseconds.
const TRIED_BYTES: u64 = 1 << 20;

/// A longer pattern is not proposed: it has to be written whole.
const MOST_PATTERN_BYTES: usize = 160;

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
    // The word in other letters says more than what its class matches.
    if let Some((told, 1..)) = of_brackets(request, origin, most_bytes, open) {
        return vec![told];
    }
    let Some((text, is_all)) = front(origin, open) else { return Vec::new() };
    let others = others(request, kind, &text);
    let place = place(is_all);
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

/// The lines that are tried, and whether they are all of the file.
fn front<R: BufRead>(origin: Origin, open: &impl Fn(u64) -> Result<R, Error>) -> Option<(Vec<u8>, bool)> {
    let mut text = Vec::new();
    open(origin.offset).ok()?.take(TRIED_BYTES).read_to_end(&mut text).ok()?;
    let is_all = (text.len() as u64) < TRIED_BYTES;
    if let (false, Some(newline)) = (is_all, memchr::memrchr(b'\n', &text)) {
        text.truncate(newline + 1);
    }
    Some((text, is_all))
}

fn place(is_all: bool) -> &'static str {
    if is_all { "" } else { " in the first MiB" }
}

/// What to say of a word in brackets, which matches wherever one of its letters is: it was meant as it stands if some line has
/// it so, or if nobody would write such a class. The number is that of the lines that have it.
pub(super) fn of_brackets<R: BufRead>(
    request: &Search,
    origin: Origin,
    most_bytes: u32,
    open: &impl Fn(u64) -> Result<R, Error>,
) -> Option<(String, u32)> {
    let word = written::bracketed_word(&request.pattern).filter(|_| request.literal != Some(true))?;
    let escaped = request.pattern.replacen(word, &regex_syntax::escape(word), 1);
    let (text, is_all) = front(origin, open)?;
    let meant = Search { pattern: escaped.clone(), ..request.clone() };
    let count = |meant: &Search| search::count_in(&text, meant, most_bytes);
    let (mut lines, mut other_case) = (count(&meant)?, String::new());
    if lines == 0 && request.ignore_case != Some(true) {
        lines = count(&Search { ignore_case: Some(true), ..meant })?;
        other_case = format!(" in other letter case: pass {}, and", ignoring_case(request));
    }
    (lines > 0 || written::is_surely_a_word(word)).then(|| {
        let found = format!("{}{}", counted(lines.into(), "line"), place(is_all));
        let has = if lines == 1 { "has" } else { "have" };
        let case = if lines > 0 && !other_case.is_empty() { other_case.as_str() } else { ":" };
        let told = format!(
            "`{word}` matches any one of its letters; {found} {has} the word in brackets{case} write `{escaped}`"
        );
        (told, lines)
    })
}

/// The parameter that makes small and capital letters the same.
fn ignoring_case(request: &Search) -> &'static str {
    if request.has_other_names { "case_sensitive: false" } else { "ignore_case: true" }
}

/// The predicate with its verb in the singular for one line.
fn agreeing(predicate: &str, lines: u32) -> String {
    match (lines, predicate.strip_prefix("have ")) {
        (1, Some(rest)) => format!("has {rest}"),
        (1, None) => predicate.replacen("match ", "matches ", 1),
        _ => predicate.to_owned(),
    }
}

fn others(request: &Search, kind: Kind, text: &[u8]) -> Vec<Other> {
    let mut others = Vec::new();
    let mut add = |request: Search, predicate: String, is_second_choice: bool| {
        others.push(Other { request, predicate, is_second_choice });
    };
    let is_literal = request.literal == Some(true);
    let ignoring = ignoring_case(request);
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
    for (other, ignores_case, why) in rewritten(request, kind, text) {
        if other.len() > MOST_PATTERN_BYTES {
            continue;
        }
        let shown = other.clone();
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
fn rewritten(request: &Search, kind: Kind, text: &[u8]) -> Vec<(String, bool, &'static str)> {
    let pattern = request.pattern.as_str();
    let mut found = Vec::new();
    if kind != Kind::Text {
        found.extend(written::in_json(request).into_iter().map(|(other, why)| (other, false, why)));
    }
    if request.literal == Some(true) {
        return found;
    }
    if kind == Kind::Text && memchr::memmem::find(text, b"\x1b[").is_some() {
        found.extend(written::in_colors(pattern).into_iter().map(|(other, why)| (other, false, why)));
    }
    found.extend(written::of_glob(pattern, kind).map(|other| (other, false, ": the pattern is a glob")));
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
    found
}
