//! The order in which jq runs parts of a filter: of an operator the right operand first, of a path the last index, of a text
//! between quotes the last part, and of an object the first. That shows where a part has many outputs, and where one has
//! none and another one fails: jq fails too.
//!
//! The interpreter runs them in another order, so what runs first becomes a variable. Plans are made of the filter as it
//! stands: they know parts of one output only, and leave every error to the general engine.

use std::mem::replace;

use jaq_core::load::Arena;
use jaq_core::load::lex::StrPart;
use jaq_core::load::parse::{BinaryOp, Term};
use jaq_core::path::{Opt, Part, Path};

use super::outputs::Own;
use super::rewrite::bound;
use super::{Tree, each_child};

/// A filter in the order of jq. The arena keeps names of variables.
pub(crate) fn ordered<'s>(filter: &Tree<'s>, arena: &'s Arena) -> Tree<'s> {
    let order = Order { own: Own::of(filter), arena };
    let mut filter = filter.clone();
    order.term(&mut filter);
    filter
}

struct Order<'s> {
    own: Own<'s>,
    arena: &'s Arena,
}

impl<'s> Order<'s> {
    fn term(&self, term: &mut Tree<'s>) {
        each_child(term, &mut |child| self.term(child));
        let bindings = match term {
            Term::BinOp(left, BinaryOp::Math(_) | BinaryOp::Cmp(_), right) => {
                self.named([&mut **right, &mut **left], 1)
            }
            Term::Path(inner, path) => self.index(inner, path),
            Term::Str(_, parts) => {
                let terms = parts.iter_mut().rev().filter_map(|part| match part {
                    StrPart::Term(term) => Some(term),
                    _ => None,
                });
                self.named(terms, usize::MAX)
            }
            Term::Obj(members) => self.members(members),
            _ => return,
        };
        if !bindings.is_empty() {
            let body = replace(term, Term::Id);
            *term = bindings.into_iter().rev().fold(body, |body, (name, value)| bound(value, name, body));
        }
    }

    /// Variables for the first few of these parts, which run in this order, if the order matters.
    ///
    /// It does not where each has one output: if several of them fail, ours may tell of another one than jq, which is left
    /// alone for the sake of speed.
    fn named<'t>(&self, parts: impl IntoIterator<Item = &'t mut Tree<'s>>, most: usize) -> Vec<(&'s str, Tree<'s>)>
    where
        's: 't,
    {
        let (mut many, mut failing, mut named) = (0, 0, Vec::new());
        for part in parts {
            let is_single = self.own.single(part);
            let fails_never = self.own.fails_never(part);
            many += usize::from(!is_single);
            failing += usize::from(is_single && !fails_never);
            if !(is_single && fails_never) {
                named.push(part);
            }
        }
        if many == 0 || many + failing < 2 {
            return Vec::new();
        }
        let name = |(at, part)| {
            let name = &**self.arena.alloc(format!("$?{at}"));
            (name, replace(part, Term::Var(name)))
        };
        named.into_iter().take(most).enumerate().map(name).collect()
    }

    /// Of a path, the last index, or the ends of its last range.
    fn index(&self, inner: &mut Box<Tree<'s>>, path: &mut Path<Tree<'s>>) -> Vec<(&'s str, Tree<'s>)> {
        let Some((mut last, optional)) = path.0.pop() else { return Vec::new() };
        let ends: Vec<&mut Tree<'s>> = match &mut last {
            Part::Index(index) => vec![index],
            Part::Range(from, upto) => from.iter_mut().chain(upto).collect(),
        };
        let count = ends.iter().filter(|end| !(self.own.single(end) && self.own.fails_never(end))).count();
        let bindings = if count == 0 {
            Vec::new()
        } else {
            let mut indexed = Term::Path(replace(inner, Box::new(Term::Id)), Path(std::mem::take(&mut path.0)));
            let bindings = self.named(ends.into_iter().chain([&mut indexed]), count);
            if let Term::Path(before, parts) = indexed {
                (*inner, *path) = (before, parts);
            }
            bindings
        };
        path.0.push((last, optional));
        bindings
    }

    /// Of an object, each key and then its value. Where all have one output it stays as it is.
    fn members(&self, members: &mut [(Tree<'s>, Option<Tree<'s>>)]) -> Vec<(&'s str, Tree<'s>)> {
        if members.iter().all(|(key, value)| self.own.single(key) && value.iter().all(|value| self.own.single(value))) {
            return Vec::new();
        }
        for (key, value) in &mut *members {
            if !matches!(key, Term::Var(_)) {
                let same = || Term::Path(Box::new(Term::Id), Path(vec![(Part::Index(key.clone()), Opt::Essential)]));
                value.get_or_insert_with(same);
            }
        }
        self.named(members.iter_mut().flat_map(|(key, value)| [key].into_iter().chain(value)), usize::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Limits, Query};

    #[test]
    fn only_what_shows_is_reordered() {
        let rows = [
            (".a == .b", false),
            (".a + \" \" + .b", false),
            ("{id, first: .tags[0], count: (.tags | length)}", false),
            (".tags as $tags | {id, first: $tags[0], count: ($tags | length)}", false),
            ("\"\\(.a) \\(.b | length)\"", false),
            (".tags[] == \"x\"", false),
            ("[.tags[] | . + \"x\"]", false),
            (".tags[0:2]", false),
            (".a[\"b\", \"c\"]", true),
            ("empty == .a", true),
            (".tags[] + .b", true),
            ("{id, tag: .tags[]}", true),
            ("{tag: .tags[], is: true}", false),
            ("\"\\(.a) \\(.tags[])\"", true),
            (".a[.b?]", true),
        ];
        for (filter, is_reordered) in rows {
            let (words, names) = (Arena::default(), Arena::default());
            let query = Query::parse(filter, &words, &Limits::default()).unwrap();
            let (before, after) = (format!("{:?}", query.tree()), format!("{:?}", ordered(query.tree(), &names)));
            assert_eq!(before != after, is_reordered, "{filter}: {after}");
        }
    }
}
