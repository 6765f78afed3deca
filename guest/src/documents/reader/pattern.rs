//! The regular expression of a search: matched against each line by itself, in time linear to the text.

use std::ops::Range;
use std::sync::OnceLock;

use lro_query::json::is_ascii;
use lro_query::{Budget, Effort};
use regex::bytes::{Regex, RegexBuilder};
use regex_syntax::hir::{Class, Hir, HirKind, Look, LookSet};
use regex_syntax::{ParserBuilder, hir};

use super::required::Required;
use super::written;
use crate::error::{Error, Problem};
use crate::file::kind::Kind;
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
    /// The same expression for lines with a carriage return that is not their end: progress bars have them.
    with_returns: Late,
    /// Lines can be searched together: no match goes beyond its line, and none looks for the ends of the text.
    spans_no_lines: bool,
    /// The expression without its word boundaries, if it has any: beyond ASCII they cost much more than all the rest, and
    /// each line that matches matches this one, too.
    relaxed: Option<Regex>,
    /// Texts of which each line that matches has one.
    required: Option<Required>,
    /// The longest match in bytes, without a run of characters at its end.
    most_bytes: Option<usize>,
    effort: Effort,
}

impl Pattern {
    /// Compiles the pattern of a request.
    ///
    /// Errors: `invalid-argument`, with the place of what is wrong; `limit-reached` for a pattern of too many bytes.
    pub(super) fn new(request: &Search, most_bytes: u32) -> Result<Self, Error> {
        if request.pattern.len() > most_bytes as usize {
            return Err(too_long(&request.pattern, most_bytes));
        }
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
        parser.multi_line(true).utf8(false).case_insensitive(ignores_case);
        let mut parse = |crlf| parser.crlf(crlf).build().parse(pattern).map_err(|error| invalid(request, &error));
        let (parsed, with_returns) = (parse(true)?, parse(false)?);
        let effort = Effort::of(&parsed).ok_or_else(|| too_large(&request.pattern))?;
        let looks = parsed.properties().look_set();
        let spans_no_lines = !looks.contains(Look::Start) && !looks.contains(Look::End);
        let required = Required::of(&parsed);
        let within = without_line_ends(&parsed);
        let compiled = |expression: &Hir| {
            let mut builder = RegexBuilder::new(&expression.to_string());
            builder.size_limit(MOST_COMPILED_BYTES).build().map_err(|_| too_large(&request.pattern))
        };
        let regex = compiled(&within)?;
        let is_relaxed = spans_no_lines && looks.contains_word_unicode();
        let relaxed = is_relaxed.then(|| compiled(&without_word_boundaries(&within))).transpose()?;
        let with_returns = Late { expression: without_line_ends(&with_returns).to_string(), regex: OnceLock::new() };
        let most_bytes = longest_match(&within);
        Ok(Self { regex, with_returns, spans_no_lines, relaxed, required, most_bytes, effort })
    }

    /// So many bytes are searched between two readings of the clock.
    pub(super) fn piece_bytes(&self) -> usize {
        self.effort.piece_bytes()
    }

    /// Sees whether there is time to search a text.
    pub(super) fn check(&self, text: &[u8]) -> Result<(), lro_query::Error> {
        self.effort.check(text, |piece| self.regex.is_match(piece))
    }

    /// The first match in a line.
    pub(super) fn find_in(&self, line: &[u8]) -> Option<Range<usize>> {
        self.in_line(line).find(0)
    }

    /// The expression for a line without its end. What has to be known of the line for that is looked up once.
    pub(super) fn in_line<'a>(&'a self, line: &'a [u8]) -> InLine<'a> {
        let late = memchr::memchr(b'\r', line).and_then(|_| self.with_returns.regex());
        InLine { regex: late.unwrap_or(&self.regex), line, is_long: line.len() > self.piece_bytes() }
    }

    /// The most bytes of a match, not counting a run of one class at its end, which may have any length. `None` where a match
    /// may be of any length elsewhere, too.
    pub(super) fn most_bytes(&self) -> Option<usize> {
        self.most_bytes
    }

    /// True if each line that matches has one of a few texts.
    pub(super) fn requires_a_text(&self) -> bool {
        self.required.is_some()
    }

    /// How these lines can be searched.
    pub(super) fn strategy(&self, lines: &[u8]) -> Strategy<'_> {
        match &self.required {
            Some(required) if required.holds_for(lines) => Strategy::Required(required),
            _ if has_return_within(lines) => Strategy::OneByOne,
            _ => match &self.relaxed {
                Some(relaxed) if !is_ascii(lines) => Strategy::Relaxed(relaxed),
                _ if self.spans_no_lines => Strategy::Together,
                _ => Strategy::OneByOne,
            },
        }
    }

    /// The next match in whole lines, at or after a place that begins a line. It lies in one line, of which only a
    /// carriage return at its end may not belong to the match.
    pub(super) fn find_in_lines(&self, strategy: &Strategy<'_>, lines: &[u8], from: usize) -> Option<Range<usize>> {
        let mut start = from;
        while start < lines.len() {
            let place = match strategy {
                Strategy::Together => return self.regex.find_at(lines, start).map(|found| found.range()),
                Strategy::Required(Required { needles, .. }) => needles.find(lines, start)?,
                Strategy::Relaxed(relaxed) => relaxed.find_at(lines, start)?.start(),
                Strategy::OneByOne => start,
            };
            start += memchr::memrchr(b'\n', &lines[start..place]).map_or(0, |newline| newline + 1);
            let end = memchr::memchr(b'\n', &lines[start..]).map_or(lines.len(), |newline| start + newline);
            let line = &lines[start..end];
            if let Some(found) = self.find_in(line.strip_suffix(b"\r").unwrap_or(line)) {
                return Some(start + found.start..start + found.end);
            }
            start = end + 1;
        }
        None
    }
}

/// An expression and the line that it is matched against.
pub(super) struct InLine<'a> {
    regex: &'a Regex,
    line: &'a [u8],
    is_long: bool,
}

impl InLine<'_> {
    /// The first match at or after a place.
    fn find(&self, from: usize) -> Option<Range<usize>> {
        self.regex.find_at(self.line, from).map(|found| found.range())
    }

    /// The next match in a line that has others, each of which may have taken as long as the line.
    pub(super) fn find_next(&self, from: usize) -> Result<Option<Range<usize>>, lro_query::Error> {
        if self.is_long {
            Budget::look()?;
        }
        Ok(self.find(from))
    }
}

/// An expression that is compiled when it is needed.
#[derive(Debug)]
struct Late {
    expression: String,
    /// `None` if it needs too much memory.
    regex: OnceLock<Option<Regex>>,
}

impl Late {
    fn regex(&self) -> Option<&Regex> {
        let compiled = || RegexBuilder::new(&self.expression).size_limit(MOST_COMPILED_BYTES).build().ok();
        self.regex.get_or_init(compiled).as_ref()
    }
}

/// True for lines of which one has a carriage return before its end.
fn has_return_within(lines: &[u8]) -> bool {
    memchr::memchr_iter(b'\r', lines).any(|place| !matches!(lines.get(place + 1), Some(b'\n') | None))
}

/// How many lines are searched at once.
pub(super) enum Strategy<'a> {
    /// Only those that have one of these texts are matched.
    Required(&'a Required),
    /// Only those that this expression matches are matched.
    Relaxed(&'a Regex),
    /// As one text.
    Together,
    /// Each by itself.
    OneByOne,
}

/// The longest match in bytes, without a run of characters of one class at its end such as that of `id=\w+`: where it ends is
/// told by the character behind it.
fn longest_match(expression: &Hir) -> Option<usize> {
    let parts = match expression.kind() {
        HirKind::Concat(parts) => parts.as_slice(),
        _ => std::slice::from_ref(expression),
    };
    let (last, before) = parts.split_last()?;
    let run = match last.kind() {
        HirKind::Repetition(hir::Repetition { min, max: None, greedy: true, sub })
            if matches!(sub.kind(), HirKind::Class(_)) =>
        {
            // The least that the run must have. A character has at most four bytes.
            usize::try_from(*min).ok()?.checked_mul(4)?
        }
        _ => last.properties().maximum_len()?,
    };
    before.iter().try_fold(run, |sum, part| sum.checked_add(part.properties().maximum_len()?))
}

/// What a match may be: the same without line ends, which no line has.
fn without_line_ends(expression: &Hir) -> Hir {
    rewritten(expression, &|part| match part.kind() {
        HirKind::Literal(literal) if literal.0.contains(&b'\n') => Some(Hir::fail()),
        HirKind::Class(Class::Unicode(class)) => {
            let mut class = class.clone();
            class.difference(&hir::ClassUnicode::new([hir::ClassUnicodeRange::new('\n', '\n')]));
            Some(Hir::class(Class::Unicode(class)))
        }
        HirKind::Class(Class::Bytes(class)) => {
            let mut class = class.clone();
            class.difference(&hir::ClassBytes::new([hir::ClassBytesRange::new(b'\n', b'\n')]));
            Some(Hir::class(Class::Bytes(class)))
        }
        _ => None,
    })
}

fn without_word_boundaries(expression: &Hir) -> Hir {
    rewritten(expression, &|part| match part.kind() {
        HirKind::Look(look) if LookSet::singleton(*look).contains_word() => Some(Hir::empty()),
        _ => None,
    })
}

/// The expression with some of its parts replaced, and without groups, which nobody asks for.
fn rewritten(expression: &Hir, replaced: &impl Fn(&Hir) -> Option<Hir>) -> Hir {
    if let Some(other) = replaced(expression) {
        return other;
    }
    let all = |parts: &[Hir]| parts.iter().map(|part| rewritten(part, replaced)).collect();
    match expression.kind() {
        HirKind::Repetition(repetition) => {
            let sub = Box::new(rewritten(&repetition.sub, replaced));
            Hir::repetition(hir::Repetition { sub, ..repetition.clone() })
        }
        HirKind::Capture(capture) => rewritten(&capture.sub, replaced),
        HirKind::Concat(parts) => Hir::concat(all(parts)),
        HirKind::Alternation(parts) => Hir::alternation(all(parts)),
        _ => expression.clone(),
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

/// The expression that means a pattern as it stands, as far as it can be shown.
pub(super) fn escaped(pattern: &str) -> String {
    shown(&regex_syntax::escape(pattern))
}

fn invalid(request: &Search, error: &regex_syntax::Error) -> Error {
    let pattern = request.pattern.as_str();
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
        match request.has_other_names {
            true => format!("to search for the text as it stands, write `{}`", escaped(pattern)),
            false => {
                format!("to search for the text as it stands, pass literal: true, or write `{}`", escaped(pattern))
            }
        },
    )
}

/// The error of a pattern that is not valid, with the expression that a glob means.
pub(super) fn of_glob(error: Error, request: &Search, kind: Kind) -> Error {
    match written::of_glob(&request.pattern, kind).filter(|_| matches!(error, Error::InvalidArgument(_))) {
        Some(expression) => Error::invalid_argument(
            error.message().to_owned(),
            format!("a pattern is a regular expression; for the glob, write `{expression}`"),
        ),
        None => error,
    }
}

fn too_long(pattern: &str, most_bytes: u32) -> Error {
    Error::LimitReached {
        problem: Problem::new(
            format!("cannot search: the pattern has {} bytes, and {most_bytes} are allowed", pattern.len()),
            "search for a part of it",
        ),
        limit: "max_filter_bytes",
        value: most_bytes,
    }
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
    lro_query::json::cut(pattern, SHOWN_CHARACTERS)
}
