//! What stands behind a call without a pipe, as a stage of its own: `sort_by(.a)[0].b` as `sort_by(.a) | .[0].b`.

use jaq_core::load::lex::StrPart;
use jaq_core::load::parse::{BinaryOp, Term};
use jaq_core::path::{Part, Path};

use super::Tree;

/// Divides the stages of a filter's pipe, which then means the same: what is looked up is known, so it does not matter that
/// its input is another one.
pub(super) fn divided(tree: Tree<'_>) -> Tree<'_> {
    match tree {
        Term::BinOp(first, BinaryOp::Pipe(None), rest) => piped(*first, Some(divided(*rest))),
        last => piped(last, None),
    }
}

fn piped<'s>(stage: Tree<'s>, rest: Option<Tree<'s>>) -> Tree<'s> {
    let pipe = |first, rest| Term::BinOp(Box::new(first), BinaryOp::Pipe(None), Box::new(rest));
    match stage {
        Term::Path(base, Path(parts)) if matches!(*base, Term::Call(..) | Term::Arr(Some(_))) && are_known(&parts) => {
            let path = Term::Path(Box::new(Term::Id), Path(parts));
            pipe(*base, piped(path, rest))
        }
        stage => match rest {
            Some(rest) => pipe(stage, rest),
            None => stage,
        },
    }
}

/// True for keys and numbers that are written down.
fn are_known<O>(parts: &[(Part<Tree<'_>>, O)]) -> bool {
    let is_number = |term: &Tree<'_>| match term {
        Term::Num(_) => true,
        Term::Neg(number) => matches!(**number, Term::Num(_)),
        _ => false,
    };
    let is_key = |term: &Tree<'_>| match term {
        Term::Str(None, parts) => matches!(parts[..], [] | [StrPart::Str(_)]),
        _ => false,
    };
    parts.iter().all(|(part, _)| match part {
        Part::Index(index) => is_number(index) || is_key(index),
        Part::Range(from, to) => from.iter().chain(to).all(is_number),
    })
}
