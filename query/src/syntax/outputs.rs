//! How many outputs a filter has, as far as its tree says, and which paths it can change on the way down.

use std::collections::BTreeSet;

use jaq_core::load::lex::StrPart;
use jaq_core::load::parse::{BinaryOp, Pattern, Term};
use jaq_core::path::{Part, Path};

use super::{Tree, each_part};
use crate::functions::table::row;

/// Names that a filter defines itself, which mean nothing to us.
pub(super) struct Own<'s>(BTreeSet<&'s str>);

impl<'s> Own<'s> {
    /// Those of a filter.
    pub(super) fn of(filter: &Tree<'s>) -> Self {
        let mut own = BTreeSet::new();
        each_part(filter, &mut |part| {
            if let Term::Def(definitions, _) = part {
                for definition in definitions {
                    own.insert(definition.name);
                    own.extend(definition.args.iter().copied());
                }
            }
        });
        Self(own)
    }

    /// True if a name is one of them.
    pub(super) fn has(&self, name: &str) -> bool {
        self.0.contains(name)
    }

    /// True for a path that can be changed on the way down: what it means never depends on what was changed before.
    pub(super) fn plain(&self, path: &Tree<'s>) -> bool {
        match path {
            Term::Id => true,
            Term::Path(inner, Path(parts)) => {
                self.plain(inner)
                    && parts.iter().all(|(part, _)| match part {
                        Part::Index(index) => self.single(index),
                        Part::Range(from, upto) => from.iter().chain(upto).all(|bound| self.single(bound)),
                    })
            }
            Term::BinOp(left, BinaryOp::Pipe(None), right) => self.plain(left) && self.plain(right),
            Term::Call("select", arguments) if arguments.len() == 1 => {
                !self.has("select") && self.single(&arguments[0])
            }
            _ => false,
        }
    }

    /// True for a filter that is known to have one output, or an error.
    pub(super) fn single(&self, term: &Tree<'s>) -> bool {
        let single = |term: &Tree<'s>| self.single(term);
        match term {
            Term::Id | Term::Num(_) | Term::Var(_) | Term::Arr(_) => true,
            Term::Str(_, parts) => parts.iter().all(|part| match part {
                StrPart::Term(term) => single(term),
                _ => true,
            }),
            Term::Obj(members) => members.iter().all(|(key, value)| single(key) && value.as_ref().is_none_or(single)),
            Term::Neg(inner) => single(inner),
            Term::BinOp(_, BinaryOp::Comma | BinaryOp::Pipe(Some(Pattern::Obj(_))), _) | Term::Fold(..) => false,
            Term::BinOp(left, BinaryOp::Update, _) => self.plain(left),
            Term::BinOp(left, BinaryOp::Assign | BinaryOp::UpdateMath(_) | BinaryOp::UpdateAlt, right) => {
                self.plain(left) && single(right)
            }
            Term::BinOp(left, _, right) => single(left) && single(right),
            Term::IfThenElse(cases, otherwise) => {
                cases.iter().all(|(condition, then)| single(condition) && single(then))
                    && otherwise.as_ref().is_none_or(|otherwise| single(otherwise))
            }
            Term::Path(inner, Path(parts)) => {
                single(inner)
                    && parts.iter().all(|(part, optional)| {
                        let essential = matches!(optional, jaq_core::path::Opt::Essential);
                        essential
                            && match part {
                                Part::Index(index) => single(index),
                                Part::Range(None, None) => false,
                                Part::Range(from, upto) => from.iter().chain(upto).all(single),
                            }
                    })
            }
            Term::Call(name, arguments) => {
                !self.has(name) && row(name, arguments.len()).is_some_and(|row| row.one) && arguments.iter().all(single)
            }
            _ => false,
        }
    }

    /// True for a filter that is known to have an output and no error: constants, variables, and what is made of them.
    pub(super) fn fails_never(&self, term: &Tree<'s>) -> bool {
        match term {
            Term::Id | Term::Num(_) | Term::Var(_) | Term::Arr(None) => true,
            Term::Str(None, parts) => parts.iter().all(|part| match part {
                StrPart::Term(term) => self.fails_never(term),
                _ => true,
            }),
            Term::Arr(Some(inner)) => self.fails_never(inner),
            Term::BinOp(left, BinaryOp::Comma, right) => self.fails_never(left) && self.fails_never(right),
            Term::Call(name @ ("null" | "true" | "false"), arguments) => arguments.is_empty() && !self.has(name),
            Term::Path(inner, Path(parts)) => parts.is_empty() && self.fails_never(inner),
            _ => false,
        }
    }
}
