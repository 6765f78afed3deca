//! What a search has found, and what to say where it is nothing.

use super::{Origin, counted, pattern};
use crate::file::kind::Kind;
use crate::settings::request::Search;

/// A line that matches.
#[derive(Debug, PartialEq, Eq, serde::Serialize)]
pub struct Hit {
    /// The line.
    pub line: u32,
    /// The character at which the match begins.
    pub character: u32,
    /// How many characters match.
    pub length: u32,
    /// The line, or the part around the match.
    pub text: String,
    /// The character of the line with which the text begins.
    pub start: u32,
    /// The lines before it.
    pub before: Vec<String>,
    /// The lines after it.
    pub after: Vec<String>,
}

/// One page of hits.
#[derive(Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Findings {
    /// The lines that match, in order.
    pub hits: Vec<Hit>,
    /// How many there are in all, if that is known.
    pub total: Option<u32>,
    /// The number of lines in the file or part, if there is no next page.
    pub lines: Option<u32>,
    /// Where the next page begins, if there is one.
    pub next: Option<String>,
    /// What a reader should know.
    pub remarks: Vec<String>,
    /// How many lines the hits are in, if it is the first page and `total` is known: a long line has several hits.
    #[serde(skip)]
    pub matching_lines: Option<u32>,
}

/// What to say where nothing matches.
pub(super) fn no_match(request: &Search, origin: Origin, kind: Kind) -> Vec<String> {
    let pattern = pattern::shown(&request.pattern);
    let is_literal = request.literal == Some(true);
    let mut remarks =
        vec![format!("no matches: none of the {} matches `{pattern}`", counted(origin.lines.into(), "line"))];
    let mut advise = |advice: &str| remarks.push(advice.to_owned());
    if request.ignore_case != Some(true) && pattern::has_letters(&request.pattern) {
        let argument = if request.has_other_names { "case_sensitive: false" } else { "ignore_case: true" };
        advise(&format!("small and capital letters differ: pass {argument} to ignore that"));
    }
    if !is_literal && pattern::has_special(&request.pattern) {
        let how = match request.has_other_names {
            true => format!("write `{}`", pattern::escaped(&request.pattern)),
            false => "pass literal: true".to_owned(),
        };
        advise(&format!("the pattern is a regular expression: {how} to search for the text as it stands"));
    }
    if request.pattern.contains("\\n") || request.pattern.contains('\n') {
        advise("each line is searched by itself: no match goes beyond its line");
    }
    if kind != Kind::Text && request.pattern.contains('"') {
        advise(r#"records are searched as JSON, in which a text has \" for each quote"#);
    }
    remarks
}
