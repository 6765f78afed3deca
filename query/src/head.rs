//! The head of a filter: the value that it begins with by its path, what it takes of that value, and the filter that is
//! left. `.results[] | .id` takes each element of `.results`, and leaves `.id`.
//!
//! A filter with a head need not see the whole document: `.results[] | f` is `f` on each element, and `.results | f` is
//! `f` on the array.

use std::ops::Range;

use jaq_core::load::lex::{StrPart, Tok, Token};
use jaq_core::load::parse::{BinaryOp, Term};
use jaq_core::load::{Lexer, span};
use jaq_core::path::{Part, Path};

use crate::Query;

/// The head of a filter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    /// The keys that lead to the value.
    pub path: Vec<String>,
    /// What is taken of it.
    pub taken: Taken,
    /// The filter that runs on what is taken.
    pub rest: String,
}

impl Head {
    /// True for a filter that begins with no path at all, and takes all of its input.
    pub fn is_whole(&self) -> bool {
        self.path.is_empty() && self.taken == Taken::All
    }
}

/// What a filter takes of an array.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Taken {
    /// All of it, as the array.
    All,
    /// Each element: `[]`.
    Each,
    /// One element: `[2]`, or `[-1]` for the last one.
    At(i64),
    /// Some elements, as an array: `[2:5]`.
    Slice(Option<i64>, Option<i64>),
    /// Each of some elements: `[2:5][]`.
    EachOf(Option<i64>, Option<i64>),
}

type Tree<'s> = Term<&'s str>;

/// Parts of a path as the head of a filter.
struct Parts {
    path: Vec<String>,
    taken: Taken,
    /// How many parts these are; the others belong to the rest.
    count: usize,
}

impl Query<'_> {
    /// The keys of the path that the filter begins with, whatever it does with it: those of `.a.b // 1`.
    pub fn first_path(&self) -> Vec<String> {
        let mut term = self.tree();
        while let Term::BinOp(first, ..) = term {
            term = first;
        }
        Parts::of(term).map(|parts| parts.path).unwrap_or_default()
    }

    /// The head of the filter; `None` for a filter that begins otherwise. `[.results[] | f] | g` takes all of `.results`,
    /// and leaves `[.[] | f] | g`.
    pub fn head(&self) -> Option<Head> {
        let text = self.text();
        let tokens = Lexer::new(text).lex().ok()?;
        let first = match self.tree() {
            Term::BinOp(first, BinaryOp::Pipe(None), _) => first,
            tree => tree,
        };
        if let Term::Arr(Some(inner)) = first {
            return collected(text, inner, &tokens);
        }
        let Parts { path, taken, count } = Parts::of(first)?;
        let (places, next) = places(text, &tokens, count)?;
        let end = places.last().map_or_else(|| dot(text, &tokens), |place| Some(place.end))?;
        let rest = rest(text, next)?;
        // The filter's lines keep their numbers.
        let lines = text[..end].matches('\n').count();
        let rest = if lines == 0 { rest } else { "\n".repeat(lines) + &rest };
        Some(Head { path, taken, rest })
    }
}

/// The head of `[.results[] | f] | g`.
fn collected(text: &str, inner: &Tree<'_>, tokens: &[Token<&str>]) -> Option<Head> {
    let Token(_, Tok::Block(inside)) = tokens.first()? else { return None };
    // The closing bracket is a token of the block.
    let first = match inner {
        Term::BinOp(first, BinaryOp::Pipe(None), _) => first,
        tree => tree,
    };
    let Parts { path, taken: Taken::Each, .. } = Parts::of(first)? else { return None };
    if path.is_empty() {
        return Some(Head { path, taken: Taken::All, rest: text.to_owned() });
    }
    let (places, _) = places(text, inside, path.len())?;
    let (from, to) = (places.first()?.start, places.last()?.end);
    let lines = "\n".repeat(text[from..to].matches('\n').count());
    // `.results.[]` has a dot of its own.
    let dot = if text[to..].trim_start().starts_with('.') { "" } else { "." };
    Some(Head { path, taken: Taken::All, rest: [&text[..from], &lines, dot, &text[to..]].concat() })
}

impl Parts {
    /// The parts of a path of the input that are the head.
    fn of(term: &Tree<'_>) -> Option<Self> {
        let parts = match term {
            Term::Id => return Some(Self { path: Vec::new(), taken: Taken::All, count: 0 }),
            Term::Path(base, Path(parts)) if matches!(**base, Term::Id) => parts,
            _ => return None,
        };
        let key = |part: &Part<Tree<'_>>| match part {
            Part::Index(index) => constant(index),
            Part::Range(..) => None,
        };
        let path: Vec<String> = parts.iter().map_while(|(part, _)| key(part)).collect();
        let keys = path.len();
        let head = |taken, count| Some(Self { path, taken, count });
        match parts.get(keys).map(|(part, _)| part) {
            None => head(Taken::All, keys),
            Some(Part::Range(None, None)) => head(Taken::Each, keys + 1),
            Some(Part::Range(from, to)) => {
                let bound =
                    |bound: &Option<Tree<'_>>| bound.as_ref().map(whole_number).map_or(Some(None), |n| n.map(Some));
                let (from, to) = (bound(from)?, bound(to)?);
                match parts.get(keys + 1) {
                    Some((Part::Range(None, None), _)) => head(Taken::EachOf(from, to), keys + 2),
                    _ => head(Taken::Slice(from, to), keys + 1),
                }
            }
            Some(Part::Index(index)) => head(Taken::At(whole_number(index)?), keys + 1),
        }
    }
}

/// Where parts of a path are in the text, and the tokens after them.
type Places<'t, 's> = (Vec<Range<usize>>, &'t [Token<&'s str>]);

/// Where so many parts of a path are in the text, and what comes after them.
fn places<'t, 's>(text: &str, tokens: &'t [Token<&'s str>], count: usize) -> Option<Places<'t, 's>> {
    let (mut places, mut at) = (Vec::with_capacity(count), 0);
    let is = |at: usize, sign: &str| tokens.get(at).is_some_and(|token| token.0 == sign);
    for _ in 0..count {
        let start = span(text, tokens.get(at)?.0).start;
        at += usize::from(is(at, "."));
        let mut end = span(text, tokens.get(at)?.0).end;
        at += 1;
        while is(at, "?") {
            end = span(text, tokens[at].0).end;
            at += 1;
        }
        places.push(start..end);
    }
    if count == 0 {
        at += usize::from(is(0, "."));
    }
    Some((places, &tokens[at..]))
}

/// The end of the dot that a filter of the input begins with.
fn dot(text: &str, tokens: &[Token<&str>]) -> Option<usize> {
    tokens.first().filter(|token| token.0 == ".").map(|token| span(text, token.0).end)
}

/// The filter after a head.
fn rest(text: &str, next: &[Token<&str>]) -> Option<String> {
    let Some(first) = next.first() else { return Some(".".to_owned()) };
    let from = &text[span(text, first.0).start..];
    match first.0 {
        "|" => Some(from[1..].trim_start().to_owned()),
        word if word.starts_with('.') => Some(from.to_owned()),
        word if word.starts_with('[') => Some(format!(".{from}")),
        _ => None,
    }
}

fn constant(key: &Tree<'_>) -> Option<String> {
    let Term::Str(None, parts) = key else { return None };
    let part = |part: &StrPart<&str, Tree<'_>>| match part {
        StrPart::Str(part) => Some((*part).to_owned()),
        StrPart::Char(character) => Some(character.to_string()),
        StrPart::Term(_) => None,
    };
    parts.iter().map(part).collect()
}

fn whole_number(term: &Tree<'_>) -> Option<i64> {
    match term {
        Term::Num(number) if number.len() < 10 => number.parse().ok(),
        Term::Neg(number) => whole_number(number).map(|number| -number),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::query;

    /// Path, what is taken, and the rest.
    fn head(filter: &str) -> Option<(String, Taken, String)> {
        query(filter).head().map(|Head { path, taken, rest }| (path.join(" "), taken, rest))
    }

    #[test]
    fn a_filter_is_parted_after_the_list_that_it_begins_with() {
        let rows = [
            (".results[]", "results", Taken::Each, "."),
            (".results[] | select(.a == 1) | .b", "results", Taken::Each, "select(.a == 1) | .b"),
            (".results[] | .a, .b", "results", Taken::Each, ".a, .b"),
            (".results[].a.b", "results", Taken::Each, ".a.b"),
            (".results[]?.a?", "results", Taken::Each, ".a?"),
            (".results?[] | .a", "results", Taken::Each, ".a"),
            (".results[][0]", "results", Taken::Each, ".[0]"),
            (".results[][]", "results", Taken::Each, ".[]"),
            (".results.[] | .a", "results", Taken::Each, ".a"),
            (".data.\"odd key\"[].a | length", "data odd key", Taken::Each, ".a | length"),
            (".[\"results\"][] | .a", "results", Taken::Each, ".a"),
            (".[\"a\"].b[\"c\"] | .d", "a b c", Taken::All, ".d"),
            (".results", "results", Taken::All, "."),
            (".results | length", "results", Taken::All, "length"),
            (".results | map(.a) | add", "results", Taken::All, "map(.a) | add"),
            (".results[0]", "results", Taken::At(0), "."),
            (".results[-1].a | .b", "results", Taken::At(-1), ".a | .b"),
            (".results[2:5]", "results", Taken::Slice(Some(2), Some(5)), "."),
            (".results[:-1] | map(.a)", "results", Taken::Slice(None, Some(-1)), "map(.a)"),
            (".results[2:][] | .a", "results", Taken::EachOf(Some(2), None), ".a"),
            (".results[2:5][0]", "results", Taken::Slice(Some(2), Some(5)), ".[0]"),
            (".", "", Taken::All, "."),
            (". | length", "", Taken::All, "length"),
            (".[]", "", Taken::Each, "."),
            (".[] | select(.score > 0.5)", "", Taken::Each, "select(.score > 0.5)"),
            (".[0].a", "", Taken::At(0), ".a"),
            ("# all\n.results[]\n| .a", "results", Taken::Each, "\n.a"),
            ("[.results[] | .a] | length", "results", Taken::All, "[.[] | .a] | length"),
            ("[.results.[].a]", "results", Taken::All, "[.[].a]"),
            ("[.[] | .a]", "", Taken::All, "[.[] | .a]"),
            (".results[] | def f: .a; f", "results", Taken::Each, "def f: .a; f"),
        ];
        for (filter, path, taken, rest) in rows {
            assert_eq!(head(filter), Some((path.to_owned(), taken, rest.to_owned())), "{filter}");
        }
    }

    #[test]
    fn a_filter_that_begins_otherwise_has_no_head() {
        let filters = [
            ".results[] as $x | $x.a",
            ".results[] + 1",
            ".results[], .total",
            "(.results[] | .a)?",
            "[.results[], 1]",
            "[.results[0]]",
            "[.results[] as $x | $x]",
            "{a: .results}",
            "length",
            ".results[.n]",
            ".results[1.5]",
            ".results[$n:]",
            ".results[] |= 1",
            ".results[] // 1",
            "def f: 1; .results[]",
            "..",
            "first(.results[])",
            "reduce .results[] as $x (0; . + 1)",
            "try .results[]",
            "-.results[0]",
        ];
        for filter in filters {
            assert_eq!(head(filter), None, "{filter}");
        }
    }
}
