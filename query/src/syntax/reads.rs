//! Which top-level keys of a record a filter reads, when that is all that it reads of it.
//!
//! Read off the tree, once: the other members of a record then need not become values. Whatever is not known to read
//! single keys reads the whole record.

use std::collections::BTreeSet;

use jaq_core::load::lex::StrPart;
use jaq_core::load::parse::{BinaryOp, Pattern, Term};
use jaq_core::path::{Part, Path};

use super::Tree;
use crate::functions::Reads as How;
use crate::functions::table::row;

/// The keys that a filter reads of a record, which is an object; `None` when it may read all of it, or give it back.
pub(crate) fn keys_of(filter: &Tree<'_>) -> Option<Vec<String>> {
    let mut reads = Reads(BTreeSet::new());
    reads.part_of(filter)?;
    Some(reads.0.into_iter().collect())
}

/// The keys of the record that were met. Its methods look at a term whose input is the record, and return `None` when
/// the term may read all of it.
struct Reads(BTreeSet<String>);

/// True when an output may be the record itself.
type GivesRecord = bool;

impl Reads {
    /// A term whose input is the record, or a part of it: of that nothing can be known about the record.
    fn on(&mut self, input: GivesRecord, term: &Tree<'_>) -> Option<GivesRecord> {
        if input { self.of(term) } else { Some(false) }
    }

    /// A term whose outputs are looked at.
    fn part_of(&mut self, term: &Tree<'_>) -> Option<GivesRecord> {
        self.of(term).filter(|gives_record| !gives_record)
    }

    fn of(&mut self, term: &Tree<'_>) -> Option<GivesRecord> {
        match term {
            Term::Id => Some(true),
            Term::Num(_) | Term::Var(_) | Term::Arr(None) | Term::Break(_) => Some(false),
            Term::Recurse | Term::Def(..) => None,
            Term::Str(_, parts) => self.parts(parts.iter().filter_map(|part| match part {
                StrPart::Term(term) => Some(term),
                _ => None,
            })),
            Term::Arr(Some(elements)) => self.part_of(elements),
            Term::Neg(number) => self.part_of(number),
            Term::Obj(members) => {
                for (key, value) in members {
                    match (key, value) {
                        (key, Some(value)) => self.parts([key, value].into_iter())?,
                        (Term::Var(_), None) => false,
                        (key, None) => self.key(key)?,
                    };
                }
                Some(false)
            }
            Term::BinOp(left, operator, right) => self.operation(left, operator, right),
            Term::Label(_, body) => self.of(body),
            Term::Fold(_, values, pattern, arguments) => {
                self.bound(values, pattern)?;
                let (initial, rest) = arguments.split_first()?;
                let input = self.of(initial)?;
                rest.iter().try_fold(input, |gives, term| Some(gives | self.on(input, term)?))
            }
            // What is caught is an error's text, or what was thrown, which `error` has looked at.
            Term::TryCatch(body, _) => self.of(body),
            Term::IfThenElse(cases, otherwise) => {
                let mut gives = otherwise.as_ref().map_or(Some(true), |otherwise| self.of(otherwise))?;
                for (condition, then) in cases {
                    self.part_of(condition)?;
                    gives |= self.of(then)?;
                }
                Some(gives)
            }
            Term::Call(name, arguments) => self.call(name, arguments),
            Term::Path(base, Path(parts)) => {
                let mut record = self.of(base)?;
                for (part, _) in parts {
                    match part {
                        Part::Index(key) if record => self.key(key)?,
                        Part::Range(..) if record => return None,
                        Part::Index(index) => self.part_of(index)?,
                        Part::Range(from, to) => self.parts(from.iter().chain(to))?,
                    };
                    record = false;
                }
                Some(record)
            }
        }
    }

    fn operation(&mut self, left: &Tree<'_>, operator: &BinaryOp<&str>, right: &Tree<'_>) -> Option<GivesRecord> {
        match operator {
            BinaryOp::Pipe(None) => {
                let input = self.of(left)?;
                self.on(input, right)
            }
            BinaryOp::Pipe(Some(pattern)) => {
                self.bound(left, pattern)?;
                self.of(right)
            }
            BinaryOp::Comma | BinaryOp::Alt => Some(self.of(left)? | self.of(right)?),
            BinaryOp::Or | BinaryOp::And | BinaryOp::Math(_) | BinaryOp::Cmp(_) => {
                self.parts([left, right].into_iter())
            }
            BinaryOp::Assign | BinaryOp::Update | BinaryOp::UpdateMath(_) | BinaryOp::UpdateAlt => None,
        }
    }

    /// Values that are bound to the variables of a pattern.
    fn bound(&mut self, values: &Tree<'_>, pattern: &Pattern<&str>) -> Option<GivesRecord> {
        let is_record = self.of(values)?;
        match pattern {
            Pattern::Var(_) if !is_record => Some(false),
            Pattern::Obj(members) if is_record => {
                for (key, _) in members {
                    match key {
                        Term::Var(name) => drop(self.0.insert(name.trim_start_matches('$').to_owned())),
                        key => drop(self.key(key)?),
                    }
                }
                // Patterns within are of what the keys have; keys of theirs that are computed may see the record.
                members.iter().all(|(_, inner)| has_plain_keys(inner)).then_some(false)
            }
            pattern => (!is_record && has_plain_keys(pattern)).then_some(false),
        }
    }

    /// A key of the record.
    fn key(&mut self, key: &Tree<'_>) -> Option<GivesRecord> {
        self.0.insert(constant(key)?);
        Some(false)
    }

    fn parts<'t, 's: 't>(&mut self, mut terms: impl Iterator<Item = &'t Tree<'s>>) -> Option<GivesRecord> {
        terms.try_fold(false, |_, term| self.part_of(term))
    }

    /// Functions that do with the record no more than what their arguments say.
    fn call(&mut self, name: &str, arguments: &[Tree<'_>]) -> Option<GivesRecord> {
        match (row(name, arguments.len())?.reads, arguments) {
            (How::Nothing, []) => Some(false),
            (How::PassesOn, []) => Some(true),
            (How::Key, [key]) => self.key(key),
            (How::Arguments, arguments) => self.parts(arguments.iter()),
            (How::Condition, [condition]) => self.part_of(condition).map(|_| true),
            (How::Last, [others @ .., stream]) => {
                self.parts(others.iter())?;
                self.of(stream)
            }
            (How::Generator, [stream, condition]) => {
                let input = self.of(stream)?;
                self.on(input, condition).filter(|gives_record| !gives_record)
            }
            _ => None,
        }
    }
}

fn constant(key: &Tree<'_>) -> Option<String> {
    let Term::Str(None, parts) = key else { return None };
    let mut text = String::new();
    for part in parts {
        match part {
            StrPart::Str(part) => text.push_str(part),
            StrPart::Char(character) => text.push(*character),
            StrPart::Term(_) => return None,
        }
    }
    Some(text)
}

fn has_plain_keys(pattern: &Pattern<&str>) -> bool {
    match pattern {
        Pattern::Var(_) => true,
        Pattern::Arr(elements) => elements.iter().all(has_plain_keys),
        Pattern::Obj(members) => members
            .iter()
            .all(|(key, inner)| (matches!(key, Term::Var(_)) || constant(key).is_some()) && has_plain_keys(inner)),
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::query;

    #[test]
    fn single_keys_are_told_from_whole_records() {
        let rows = [
            (".a", Some("a")),
            (".a.b[.c]", Some("a c")),
            (".[\"a\"] | length", Some("a")),
            (".a as $x | .b + $x", Some("a b")),
            (". as {$a, b: [$x]} | $a + $x + .c", Some("a b c")),
            ("select(.a > 1) | {b, c: .d, \"e f\", $__loc__}", Some("a b d e f")),
            ("\"\\(.a): \\(.b.c)\"", Some("a b")),
            ("[.a[] | .b]", Some("a")),
            ("reduce .a[] as $x (0; . + $x)", Some("a")),
            ("if .a then .b else .c end", Some("a b c")),
            ("try .a catch .", Some("a")),
            ("any(.a[]; . == 1), has(\"b\")", Some("a b")),
            ("first(.a[] | select(.x)) // \"none\"", Some("a")),
            ("objects | .a", Some("a")),
            ("range(.a; .b)", Some("a b")),
            ("1", Some("")),
            (".", None),
            ("..", None),
            (".[]", None),
            (".[.a]", None),
            ("keys", None),
            (".a |= 1", None),
            ("del(.a)", None),
            ("select(.a)", None),
            ("if .a then .b end", None),
            (". as $x | .a", None),
            (". as {(.a): $x} | $x", None),
            (".a as {(keys[0]): $x} | $x", None),
            ("def f: .; f", None),
            ("reduce .a as $x (.; . + $x)", None),
            ("has(.a)", None),
            ("first(.)", None),
            ("error", None),
        ];
        for (filter, expected) in rows {
            let keys = query(filter).reads().map(|keys| keys.join(" "));
            assert_eq!(keys.as_deref(), expected, "{filter}");
        }
    }
}
