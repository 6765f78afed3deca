//! The regular expression of a search: matched against each line by itself, in time linear to the text.

use std::ops::Range;

use regex::bytes::{Regex, RegexBuilder};
use regex_syntax::hir::{Class, Hir, HirKind, Look};
use regex_syntax::{ParserBuilder, hir};

use crate::error::Error;
use crate::settings::request::Search;

/// A pattern needs no more memory than this when it is compiled, in bytes: a repetition of thousands does.
const MOST_COMPILED_BYTES: usize = 4 << 20;

/// So much of a pattern is quoted in an error.
const SHOWN_CHARACTERS: usize = 60;

/// Characters that mean something in a regular expression.
const SPECIAL: &str = r"\.+*?()|[]{}^$";

/// A pattern that has been compiled.
#[derive(Debug)]
pub(super) struct Pattern {
    regex: Regex,
    /// Lines can be searched together: no match goes beyond its line, and none looks for the ends of the text.
    spans_no_lines: bool,
}

impl Pattern {
    /// Compiles the pattern of a request.
    ///
    /// Errors: `invalid-argument`, with the place of what is wrong.
    pub(super) fn new(request: &Search) -> Result<Self, Error> {
        let ignores_case = request.ignore_case == Some(true);
        let escaped;
        let pattern = match request.literal {
            Some(true) => {
                escaped = regex_syntax::escape(&request.pattern);
                &escaped
            }
            _ => &request.pattern,
        };
        let mut parser = ParserBuilder::new();
        parser.multi_line(true).crlf(true).utf8(false).case_insensitive(ignores_case);
        let parsed = parser.build().parse(pattern).map_err(|error| invalid(&request.pattern, &error))?;
        let looks = parsed.properties().look_set();
        let spans_no_lines = !looks.contains(Look::Start) && !looks.contains(Look::End);
        let within = without_line_ends(&parsed);
        let mut builder = RegexBuilder::new(&within.to_string());
        builder.unicode(true).size_limit(MOST_COMPILED_BYTES);
        let regex = builder.build().map_err(|_| too_large(&request.pattern))?;
        Ok(Self { regex, spans_no_lines })
    }

    /// The first match in a line at or after a place.
    pub(super) fn find_in(&self, line: &[u8], from: usize) -> Option<Range<usize>> {
        self.regex.find_at(line, from).map(|found| found.range())
    }

    /// The next match in whole lines, at or after a place; it lies in one line, of which only a carriage return at its
    /// end may not belong to the match.
    pub(super) fn find_in_lines(&self, lines: &[u8], from: usize) -> Option<Range<usize>> {
        if self.spans_no_lines {
            return self.regex.find_at(lines, from).map(|found| found.range());
        }
        let mut start = from;
        while start < lines.len() {
            let end = memchr::memchr(b'\n', &lines[start..]).map_or(lines.len(), |newline| start + newline);
            if let Some(found) = self.regex.find(&lines[start..end]) {
                return Some(start + found.start()..start + found.end());
            }
            start = end + 1;
        }
        None
    }
}

/// What a match may be: the same without line ends, which no line has.
fn without_line_ends(hir: &Hir) -> Hir {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => hir.clone(),
        HirKind::Literal(literal) if literal.0.contains(&b'\n') => Hir::fail(),
        HirKind::Literal(_) => hir.clone(),
        HirKind::Class(Class::Unicode(class)) => {
            let mut class = class.clone();
            class.difference(&hir::ClassUnicode::new([hir::ClassUnicodeRange::new('\n', '\n')]));
            Hir::class(Class::Unicode(class))
        }
        HirKind::Class(Class::Bytes(class)) => {
            let mut class = class.clone();
            class.difference(&hir::ClassBytes::new([hir::ClassBytesRange::new(b'\n', b'\n')]));
            Hir::class(Class::Bytes(class))
        }
        HirKind::Repetition(repetition) => {
            let sub = Box::new(without_line_ends(&repetition.sub));
            Hir::repetition(hir::Repetition { sub, ..repetition.clone() })
        }
        // Nobody asks for groups.
        HirKind::Capture(capture) => without_line_ends(&capture.sub),
        HirKind::Concat(parts) => Hir::concat(parts.iter().map(without_line_ends).collect()),
        HirKind::Alternation(parts) => Hir::alternation(parts.iter().map(without_line_ends).collect()),
    }
}

/// True if the pattern says more than its characters.
pub(super) fn has_special(pattern: &str) -> bool {
    pattern.contains(|character| SPECIAL.contains(character))
}

/// True if the pattern has letters that stand for themselves, and not behind a backslash.
pub(super) fn has_letters(pattern: &str) -> bool {
    let mut characters = pattern.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' => drop(characters.next()),
            letter if letter.is_alphabetic() => return true,
            _ => {}
        }
    }
    false
}

fn invalid(pattern: &str, error: &regex_syntax::Error) -> Error {
    let (reason, place) = match error {
        regex_syntax::Error::Parse(error) => (error.kind().to_string(), Some(error.span().start)),
        regex_syntax::Error::Translate(error) => (error.kind().to_string(), Some(error.span().start)),
        error => (error.to_string(), None),
    };
    let place = place.map(|place| {
        let before = pattern.get(..place.offset).unwrap_or(pattern);
        let rest: String = pattern.get(place.offset..).unwrap_or_default().chars().take(12).collect();
        format!(" at character {}, `{rest}`", before.chars().count() + 1)
    });
    Error::invalid_argument(
        format!("cannot search for `{}`: {reason}{}", shown(pattern), place.unwrap_or_default()),
        format!(
            "to search for the text as it stands, pass literal: true, or write `{}`",
            shown(&regex_syntax::escape(pattern))
        ),
    )
}

fn too_large(pattern: &str) -> Error {
    Error::invalid_argument(
        format!(
            "cannot search for `{}`: it repeats too much, and needs more than {MOST_COMPILED_BYTES} bytes when compiled",
            shown(pattern)
        ),
        "use smaller repetitions, or `*` and `+`",
    )
}

/// A pattern as a message quotes it.
pub(super) fn shown(pattern: &str) -> String {
    lro_query::json::cut(pattern, SHOWN_CHARACTERS).into()
}
