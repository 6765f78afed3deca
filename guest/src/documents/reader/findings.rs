//! What a search has found, and what to say where it is nothing.

use super::{Origin, counted, pattern};
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
pub(super) fn no_match(request: &Search, origin: Origin) -> Vec<String> {
    let pattern = pattern::shown(&request.pattern);
    let mut remarks =
        vec![format!("no matches: none of the {} matches `{pattern}`", counted(origin.lines.into(), "line"))];
    if request.pattern.contains("\\n") || request.pattern.contains('\n') {
        remarks.push("each line is searched by itself: no match goes beyond its line".to_owned());
    }
    remarks
}
