//! Filters as trees: jaq's parser, and rewrites of its tree so that it means what jq means.
//!
//! jaq's parser gives a public tree, so jq's differences need no parser of our own: `?//` becomes tries, `$__loc__` an
//! object, operators get jq's precedence, and an assignment to more than a
//! plain path goes over the paths, as jq defines it.

mod order;
mod outputs;
pub(crate) mod reads;
mod rewrite;
mod stages;
pub(crate) mod surrogates;
mod tokens;
mod visit;

use jaq_core::load::Arena;
use jaq_core::load::lex::Token;
use jaq_core::load::parse::{Parser, Term};

pub(crate) use order::ordered;
use rewrite::Rewrite;
use tokens::prepared;
use visit::each_child;
pub use visit::each_part;

/// What the parser did not expect, and where: a part of the text, or its end.
pub(crate) type Fault<'s> = (String, &'s str);

/// A filter as a tree.
pub(crate) type Tree<'s> = Term<&'s str>;

/// Stands before the patterns of `?//` in what the parser sees.
const ALTERNATIVES: &str = "$__alternatives__";

/// Stands around a group in what the parser sees.
const GROUP: &str = "__group__";

/// Parses the tokens of a filter.
pub(crate) fn parse<'s>(
    text: &'s str,
    tokens: Vec<Token<&'s str>>,
    arena: &'s Arena,
) -> Result<Term<&'s str>, Vec<Fault<'s>>> {
    let tokens = prepared(tokens, "(", arena);
    let term = Parser::new(&tokens).parse(|parser| parser.term()).map_err(|faults| {
        let fault = |(expected, found): (jaq_core::load::parse::Expect<&str>, Option<&Token<&'s str>>)| {
            // What was put in stands nowhere in the text.
            let found =
                found.map(|token| token.0).filter(|part| text.as_bytes().as_ptr_range().contains(&part.as_ptr()));
            (expected.as_str().to_owned(), found.unwrap_or(&text[text.len()..]))
        };
        faults.into_iter().map(fault).collect::<Vec<_>>()
    })?;
    Rewrite::new(text, arena, &term).filter(term).map(stages::divided)
}
