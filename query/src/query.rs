//! A query: a jq filter that has been parsed, once.

use std::collections::BTreeMap;

use jaq_core::load::lex::{Expect, StrPart, Tok, Token};
use jaq_core::load::parse::{BinaryOp, Term};
use jaq_core::load::{Arena, Lexer, span};

use crate::Limits;
use crate::error::{Error, Fault, Found, Unknown, Why};
use crate::functions::table::withheld;
use crate::syntax;
use crate::syntax::reads::keys_of;
use crate::syntax::surrogates::{Joined, begins_half, masked};

/// At most this many characters of what stands at a fault are shown.
const FOUND_CHARACTERS: usize = 20;

/// At most this many faults are told: the first one causes most of the others.
const MOST_FAULTS: usize = 3;

/// So many operators of one kind in a row need as much stack as a bracket. With the usual 200 levels that is 800 of them;
/// in the stack of 984 KiB that V8 has by default, 1,300 overflow.
const OPERATORS_A_LEVEL: u32 = 4;

/// A filter: its text, its tree, and which keys of a record it reads. It is what travels from the parser to the fast path,
/// to the interpreter and to whoever explains an error.
#[derive(Debug)]
pub struct Query<'q> {
    text: &'q str,
    tree: Term<&'q str>,
    reads: Option<Vec<String>>,
}

impl<'q> Query<'q> {
    /// Parses a filter. The arena keeps what the tree has beside the text.
    ///
    /// Errors: [`Error::TooLong`] and [`Error::TooDeep`] before anything is parsed, [`Error::Syntax`] for a text that is not
    /// jq, [`Error::Unknown`] for one that begins with a module directive.
    pub fn parse(text: &'q str, arena: &'q Arena, limits: &Limits) -> Result<Self, Error> {
        within_limits(text, limits)?;
        let joined = Joined::of(text, arena);
        let tokens = Lexer::new(joined.text).lex().map_err(|faults| {
            not_jq(&joined, faults.into_iter().map(|(expected, found)| (expected_at(expected, found), found)).collect())
        })?;
        without_modules(&tokens)?;
        if longest_chain(&tokens, false) > limits.filter_nesting.saturating_mul(OPERATORS_A_LEVEL) {
            return Err(Error::TooDeep { most: limits.filter_nesting });
        }
        let tree = syntax::parse(joined.text, tokens, arena).map_err(|faults| not_jq(&joined, faults))?;
        Ok(Self { text, reads: keys_of(&tree), tree })
    }

    /// The query `before | self`, joined as trees: nothing of one text can change what the other means. It has the text of
    /// `self`, at which errors point.
    pub fn after(self, before: Self) -> Self {
        let tree = piped(before.tree, self.tree);
        Self { text: self.text, reads: keys_of(&tree), tree }
    }

    /// Its text.
    pub fn text(&self) -> &'q str {
        self.text
    }

    /// Its tree, with jq's meaning.
    pub fn tree(&self) -> &Term<&'q str> {
        &self.tree
    }

    /// The only keys that it reads of a record; all of them where that is not known.
    pub fn reads(&self) -> Option<&[String]> {
        self.reads.as_deref()
    }
}

/// `before | after`, with the stages of `before` in a row, as the parser joins them.
fn piped<'s>(before: Term<&'s str>, after: Term<&'s str>) -> Term<&'s str> {
    let pipe = |first, rest| Term::BinOp(first, BinaryOp::Pipe(None), Box::new(rest));
    match before {
        Term::BinOp(first, BinaryOp::Pipe(None), rest) => pipe(first, piped(*rest, after)),
        before => pipe(Box::new(before), after),
    }
}

/// The words and signs of a text, whether or not it is a filter; what stands between quotes is left out. `None` where a
/// bracket or quote is not closed.
pub fn words(text: &str) -> Option<Vec<&str>> {
    let mut words = Vec::new();
    let masked = masked(text);
    flatten(&Lexer::new(&masked).lex().ok()?, &mut |word| {
        words.push(word.map_or("\"\"", |word| &text[span(&masked, word)]))
    });
    Some(words)
}

/// Passes on each word, or nothing for a text between quotes.
fn flatten(tokens: &[Token<&str>], pass_on: &mut impl FnMut(Option<&str>)) {
    for Token(text, token) in tokens {
        match token {
            Tok::Block(inner) => {
                pass_on(Some(&text[..1]));
                flatten(inner, pass_on);
            }
            Tok::Str(_) => pass_on(None),
            _ => pass_on(Some(text)),
        }
    }
}

/// Refuses a filter that is too long or nested too deep for a parser that recurses.
fn within_limits(text: &str, limits: &Limits) -> Result<(), Error> {
    if text.len() > limits.filter_bytes as usize {
        return Err(Error::TooLong { bytes: text.len(), most: limits.filter_bytes });
    }
    if nesting(text) > limits.filter_nesting {
        return Err(Error::TooDeep { most: limits.filter_nesting });
    }
    Ok(())
}

/// Refuses a filter that begins with a module directive. jaq would look for the file, or, for `import … as $x`, take the
/// variable for one that it is given, and panic.
fn without_modules(tokens: &[Token<&str>]) -> Result<(), Error> {
    let first = tokens.first().map(|token| token.0).filter(|word| ["import", "include", "module"].contains(word));
    match first.and_then(|word| Some((word, withheld(word)?))) {
        Some((word, why)) => Err(Error::Unknown(vec![Unknown { name: word.to_owned(), why: Why::Withheld(why) }])),
        None => Ok(()),
    }
}

/// An upper bound of how deep the parser recurses: brackets, and words that open a block, however they are quoted.
fn nesting(text: &str) -> u32 {
    let (mut depth, mut deepest) = (0_u32, 0);
    for byte in text.bytes() {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(depth);
    }
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '$');
    let opening =
        words.filter(|word| matches!(*word, "if" | "try" | "reduce" | "foreach" | "def" | "as" | "label")).count();
    let signs = text.bytes().filter(|byte| *byte == b'-').count();
    deepest.saturating_add(u32::try_from(opening + signs).unwrap_or(u32::MAX))
}

/// The most operators of one kind, or indices one after the other, that stand on one level: the tree is as deep.
fn longest_chain(tokens: &[Token<&str>], is_object: bool) -> u32 {
    let (mut operators, mut indices, mut longest) = (BTreeMap::<&str, u32>::new(), 0, 0);
    for Token(text, token) in tokens {
        let is_operator = match token {
            Tok::Sym => !(matches!(*text, "." | "?" | ":" | ";" | "..") || is_object && *text == ","),
            Tok::Word => matches!(*text, "or" | "and"),
            _ => false,
        };
        if is_operator {
            let count = operators.entry(text).or_default();
            *count += 1;
            longest = longest.max(*count);
        }
        indices = match token {
            Tok::Block(_) => indices + 1,
            Tok::Sym if matches!(*text, "?" | ".") => indices,
            _ => 0,
        };
        longest = longest.max(indices);
        match token {
            Tok::Block(inner) => longest = longest.max(longest_chain(inner, text.starts_with('{'))),
            Tok::Str(parts) => {
                for part in parts {
                    if let StrPart::Term(inner) = part {
                        longest = longest.max(longest_chain(std::slice::from_ref(inner), false));
                    }
                }
            }
            _ => {}
        }
    }
    longest
}

/// What the lexer expected, in words that are true of what it found.
fn expected_at(expected: Expect<&str>, found: &str) -> String {
    match expected {
        Expect::Unicode if begins_half(found) => "a whole character (half of a surrogate pair is not one)".to_owned(),
        other => other.as_str().to_owned(),
    }
}

fn not_jq(joined: &Joined<'_>, faults: Vec<syntax::Fault<'_>>) -> Error {
    let fault = |(expected, found): syntax::Fault<'_>| {
        let column = joined.column(span(joined.text, found).start);
        let expected = if expected == "nothing" { "the end of the filter".to_owned() } else { expected };
        let shown: String = found.chars().take(FOUND_CHARACTERS).collect();
        Fault { expected, found: (!shown.is_empty()).then_some(Found { column, text: shown }) }
    };
    Error::Syntax(faults.into_iter().take(MOST_FAULTS).map(fault).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_runs_after_another_one_whatever_stands_in_it() {
        let rows = [
            ("select(.a > 1)", "{a}", vec!["{\"a\":2}"]),
            ("select(.a > 5)", "{a}", vec![]),
            ("map(.) | .[0] | select(. == 2)", ".", vec!["2"]),
            ("select(.a > 1) | .a", "., 7", vec!["2", "7"]),
            // Neither a bracket nor a definition reaches the other one.
            ("select(.a > 1)", "def select(f): \"x\"; select(.a)", vec!["\"x\""]),
            ("def f: 1; .a", ". as $x | $x", vec!["2"]),
            (".a, .b", ". as $x | $x + 1 // 0", vec!["3", "4"]),
        ];
        let (arena, limits) = (Arena::default(), Limits::default());
        for (before, after, expected) in rows {
            let parse = |text| Query::parse(text, &arena, &limits).unwrap();
            let query = parse(after).after(parse(before));
            assert_eq!(query.text(), after);
            let outputs = crate::compile(&query, &[]).unwrap();
            let input = crate::from_json("{\"a\":2,\"b\":3}").unwrap();
            let found: Vec<_> = outputs.run(input).map(|output| output.unwrap().to_json()).collect();
            assert_eq!(found, expected, "{before} | {after}");
        }
        let query = Query::parse("nothing(1)", &arena, &limits).unwrap();
        let joined = query.after(Query::parse("select(.a)", &arena, &limits).unwrap());
        assert!(matches!(crate::compile(&joined, &[]), Err(Error::Unknown(names)) if names[0].name == "nothing"));
        assert!(Query::parse(") | (", &arena, &limits).is_err());
    }

    #[test]
    fn filters_too_long_or_too_deep_never_reach_the_parser() {
        let long = format!("\"{}\"", "x".repeat(9000));
        let deep = format!("{}1{}", "(".repeat(300), ")".repeat(300));
        let minus = format!("{}1", "-".repeat(4000));
        let ifs = "if . then ".repeat(300);
        let (arena, limits) = (Arena::default(), Limits::default());
        assert!(matches!(Query::parse(&long, &arena, &limits), Err(Error::TooLong { bytes: 9002, most: 8192 })));
        let chains = ["1 + ", ".a | ", "1, ", ".a // ", ".a or ", "1 == ", ".a |= "].map(|part| part.repeat(900) + "1");
        let indices = format!(".{}", "[0]?".repeat(900));
        let keys = ".a".repeat(900);
        let within = format!("{{a: [\"\\([{}1])\"]}}", "1,".repeat(900));
        for filter in [deep, minus, ifs, indices, keys, within].into_iter().chain(chains) {
            assert!(matches!(Query::parse(&filter, &arena, &limits), Err(Error::TooDeep { .. })), "{filter}");
        }
        let members: Vec<String> = (0..900).map(|n| format!("a{n}:1")).collect();
        let text = ["1,".repeat(150) + "1", format!("{{{}}}", members.join(",")), ".a".repeat(500)];
        for filter in text {
            assert!(Query::parse(&filter, &arena, &limits).is_ok(), "{filter}");
        }
    }
}
