//! Regular expressions, on the `regex` crate: no backtracking, so no pattern takes for ever; hence no look-around and no
//! back-references either.

use std::cell::{Cell, RefCell};
use std::ops::Range;
use std::rc::Rc;

use regex::{Regex, RegexBuilder};

use super::matches::{Found, Matches};
use super::{Fast, Row, native};
use crate::budget::{self, Budget};
use crate::effort::Effort;
use crate::failure::Failure;
use crate::functions::regex::as_jq_reads_it;
use crate::json::Type;
use crate::value::{Map, Result, Text, Value, fail, failure, spent, unfit};

pub(super) fn rows() -> Vec<Row> {
    vec![
        native!("test", 2, |value, pattern, flags| {
            let search = Search::new(&pattern, &flags)?;
            let text = subject(&value)?;
            search.begin(text)?;
            Ok(Value::from(if search.full_only {
                search.matches(text).next().is_some()
            } else {
                search.regex.is_match(text)
            }))
        })
        .fast(Fast::Test),
        native!("_matches", 2, |value, pattern, flags| {
            let letters = Letters::default();
            found(&value, &pattern, &flags, |search, text, at| search.whole(text, at, &letters))
        }),
        native!("_captures", 2, |value, pattern, flags| found(&value, &pattern, &flags, |search, text, at| {
            search.named(text, at)
        })),
        native!("_scans", 2, |value, pattern, flags| found(&value, &pattern, &flags, Search::scanned)),
        // The texts between matches.
        native!("_gaps", 2, |value, pattern, flags| {
            let text = subject(&value)?;
            let search = Search::new(&pattern, &flags)?;
            search.begin(text)?;
            let (mut gaps, mut start) = (Vec::new(), 0);
            for found in search.matches(text) {
                gaps.push(Value::Text(text.slice(start, found.whole().start)));
                start = found.whole().end;
            }
            gaps.push(Value::Text(text.slice(start, text.len())));
            Ok(Value::array(gaps))
        }),
        // The texts between matches, each but the last in an array with the named captures of the match after it.
        native!("_pieces", 2, |value, pattern, flags| {
            let text = subject(&value)?;
            let search = Search::new(&pattern, &flags)?;
            search.begin(text)?;
            let (mut pieces, mut start) = (Vec::new(), 0);
            for found in search.matches(text) {
                pieces.push(Value::array(vec![
                    Value::Text(text.slice(start, found.whole().start)),
                    search.named(text, &found),
                ]));
                start = found.whole().end;
            }
            pieces.push(Value::Text(text.slice(start, text.len())));
            Ok(Value::array(pieces))
        }),
    ]
}

/// So many patterns are kept compiled: a filter has a few, and compiling one costs more than matching.
const MOST_KEPT: usize = 16;

/// What compiling a pattern costs: some take as long as the largest that is allowed.
const COMPILED_STEPS: u64 = 1000;

/// About so many bytes are made of a match.
const MATCH_BYTES: usize = 256;

/// Behind each match of a longer text the clock is looked at.
const LONG_BYTES: usize = 1 << 20;

thread_local! {
    static KEPT: RefCell<Vec<(String, String, Rc<Search>)>> = const { RefCell::new(Vec::new()) };
}

/// A pattern with its flags, to be looked for in texts.
#[derive(Debug)]
pub(crate) struct Search {
    regex: Regex,
    effort: Effort,
    global: bool,
    full_only: bool,
}

impl Search {
    fn new(pattern: &Value, flags: &Value) -> Result<Rc<Self>> {
        // jq takes `test(["re", "flags"])` too.
        let (pattern, flags) = match (pattern, flags) {
            (Value::Array(both), Value::Null) => {
                (both.first().cloned().unwrap_or_default(), both.get(1).cloned().unwrap_or_default())
            }
            (pattern, flags) => (pattern.clone(), flags.clone()),
        };
        let (Value::Text(pattern), Some(flags)) =
            (&pattern, flags.as_str().or(matches!(flags, Value::Null).then_some("")))
        else {
            let wrong = if matches!(pattern, Value::Text(_)) { &flags } else { &pattern };
            return unfit(wrong, Type::String, "cannot be matched, as it is not a string");
        };
        KEPT.with_borrow_mut(|kept| {
            if let Some((_, _, search)) =
                kept.iter().find(|(known, known_flags, _)| **known == **pattern && *known_flags == flags)
            {
                return Ok(Rc::clone(search));
            }
            if !budget::steps(COMPILED_STEPS + pattern.len() as u64) {
                return spent();
            }
            let search = Rc::new(Self::compile(pattern, flags)?);
            if kept.len() == MOST_KEPT {
                kept.clear();
            }
            kept.push((pattern.to_string(), flags.to_owned(), Rc::clone(&search)));
            Ok(search)
        })
    }

    /// Compiles a pattern. The error is that of the function that has it.
    pub(crate) fn compile(pattern: &str, flags: &str) -> Result<Self> {
        let translated = translated(&as_jq_reads_it(pattern));
        let mut builder = RegexBuilder::new(&translated);
        let (mut global, mut full_only) = (false, false);
        for flag in flags.chars() {
            match flag {
                'g' => global = true,
                'n' => full_only = true,
                'i' => drop(builder.case_insensitive(true)),
                'x' => drop(builder.ignore_whitespace(true)),
                'p' => drop(builder.dot_matches_new_line(true)),
                // `^` and `$` mean the ends of the text in any case; the longest alternative is not looked for.
                's' | 'l' => {}
                _ => return failure(format!("{flags} is not a valid modifier string")),
            }
        }
        match builder.build() {
            Ok(regex) => Ok(Self { regex, effort: Effort::of_pattern(&translated), global, full_only }),
            Err(error) => {
                // The engine draws the place on lines of its own; the reason is on the last one.
                let drawn = error.to_string();
                let reason = drawn.lines().last().unwrap_or_default().trim_start_matches("error: ");
                fail(Failure::Pattern { pattern: pattern.to_owned(), reason: reason.to_owned() })
            }
        }
    }

    /// Takes the steps of matching a text, and sees whether there is time for it.
    pub(crate) fn begin(&self, text: &str) -> Result<()> {
        let is_match = |piece: &[u8]| self.regex.is_match(&String::from_utf8_lossy(piece));
        match budget::steps(self.effort.steps(text.len())) && self.effort.check(text.as_bytes(), is_match).is_ok() {
            true => Ok(()),
            false => spent(),
        }
    }

    /// The matches in a text: one, or all of them if the flags say so.
    pub(crate) fn matches<'t>(&'t self, text: &'t str) -> impl Iterator<Item = Found<'t>> {
        let most = if self.global { usize::MAX } else { 1 };
        // Each match of a long text may take as long as the text.
        let has_time = || text.len() <= LONG_BYTES || Budget::look().is_ok();
        let goes_on = move |found: &Found<'_>| budget::room(MATCH_BYTES * found.len()) && has_time();
        let matches = Matches::of(&self.regex, text).take_while(goes_on);
        matches.filter(|found| !self.full_only || !found.whole().is_empty()).take(most)
    }

    /// What it is compiled to.
    pub(crate) fn regex(&self) -> &Regex {
        &self.regex
    }

    /// A match as `match` gives it.
    fn whole(&self, text: &Text, found: &Found<'_>, letters: &Letters) -> Value {
        let captures = found.groups(&self.regex).map(|(name, group)| {
            let mut capture = match group {
                Some(group) => place(text, group, letters),
                None => Map::from_iter([
                    ("offset".into(), Value::from(-1.0)),
                    ("length".into(), Value::from(0.0)),
                    ("string".into(), Value::Null),
                ]),
            };
            capture.push("name".into(), name.map(Value::from).unwrap_or_default());
            Value::object(capture)
        });
        let mut object = place(text, found.whole(), letters);
        object.push("captures".into(), captures.collect());
        Value::object(object)
    }

    /// The named groups as `capture` gives them.
    fn named(&self, text: &Text, found: &Found<'_>) -> Value {
        let named = found.groups(&self.regex).filter_map(|(name, group)| {
            let value = group.map(|group| Value::Text(text.slice(group.start, group.end)));
            Some((Text::from(name?), value.unwrap_or_default()))
        });
        Value::object(named.collect())
    }

    /// The groups as `scan` gives them: the match itself where there are none.
    fn scanned(&self, text: &Text, found: &Found<'_>) -> Value {
        let part = |group: Range<usize>| Value::Text(text.slice(group.start, group.end));
        if found.len() == 1 {
            return part(found.whole());
        }
        found.groups(&self.regex).map(|(_, group)| group.map(part).unwrap_or_default()).collect()
    }
}

/// The pattern that `test` looks for, for texts as bytes. `None` where a flag or the pattern asks for more, or may take
/// long.
pub(crate) fn for_bytes(pattern: &str, flags: &str) -> Option<regex::bytes::Regex> {
    let ignores_case = match flags {
        "" => false,
        "i" => true,
        _ => return None,
    };
    let pattern = translated(&as_jq_reads_it(pattern));
    if !Effort::of_pattern(&pattern).is_small() {
        return None;
    }
    regex::bytes::RegexBuilder::new(&pattern).case_insensitive(ignores_case).build().ok()
}

fn found(value: &Value, pattern: &Value, flags: &Value, shape: impl Fn(&Search, &Text, &Found<'_>) -> Value) -> Result {
    let text = subject(value)?;
    let search = Search::new(pattern, flags)?;
    search.begin(text)?;
    let shapes = search.matches(text).map(|found| shape(&search, text, &found)).collect();
    Ok(shapes)
}

fn subject(value: &Value) -> Result<&Text> {
    match value {
        Value::Text(text) => Ok(text),
        other => unfit(other, Type::String, "cannot be matched, as it is not a string"),
    }
}

/// How many letters come before a byte of a text. Matches come one after the other, so little is counted twice.
#[derive(Default)]
struct Letters {
    byte: Cell<usize>,
    count: Cell<usize>,
}

impl Letters {
    fn before(&self, text: &str, byte: usize) -> usize {
        let (known, count) = (self.byte.replace(byte), self.count.get());
        let letters = text[known.min(byte)..known.max(byte)].chars().count();
        self.count.set(if byte < known { count - letters } else { count + letters });
        self.count.get()
    }
}

/// Where a part of a text stands, in characters.
fn place(text: &Text, part: Range<usize>, letters: &Letters) -> Map {
    Map::from_iter([
        ("offset".into(), Value::from(letters.before(text, part.start))),
        ("length".into(), Value::from(text[part.clone()].chars().count())),
        ("string".into(), Value::Text(text.slice(part.start, part.end))),
    ])
}

/// What Oniguruma, jq's engine, writes otherwise: `\h` is a hexadecimal digit.
fn translated(pattern: &str) -> String {
    let mut out = String::with_capacity(pattern.len());
    let mut characters = pattern.chars();
    while let Some(character) = characters.next() {
        match (character, if character == '\\' { characters.next() } else { None }) {
            ('\\', Some('h')) => out.push_str("[[:xdigit:]]"),
            ('\\', Some('H')) => out.push_str("[^[:xdigit:]]"),
            (first, second) => {
                out.push(first);
                out.extend(second);
            }
        }
    }
    out
}
