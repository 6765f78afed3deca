//! Filters that bind names: `as` and `reduce`.

use jaq_core::load::parse::{Pattern, Term};
use jaq_core::ops::Cmp;

use super::expression::Expression;
use super::lower::{Lowering, Parsed};
use crate::functions::prelude::definitions;

/// Functions of the prelude call each other no deeper, unless they call themselves.
const MOST_DEPTH: u32 = 4;

impl Lowering {
    /// How many names were bound after this one.
    pub(super) fn bound(&self, name: &str) -> Option<usize> {
        self.names.iter().rev().position(|known| known == name)
    }

    /// `source as $name | body`
    #[inline(never)]
    pub(super) fn binding(
        &mut self,
        source: &Parsed<'_>,
        pattern: &Pattern<&str>,
        body: &Parsed<'_>,
    ) -> Option<Expression> {
        let source = self.lower(source)?;
        self.bind(source, pattern, |lowering| lowering.lower(body))
    }

    /// `reduce source as $name (start; update)`
    #[inline(never)]
    pub(super) fn reduction(
        &mut self,
        source: &Parsed<'_>,
        pattern: &Pattern<&str>,
        parts: &[Parsed<'_>],
    ) -> Option<Expression> {
        let ([start, update], Pattern::Var(name)) = (parts, pattern) else { return None };
        let (source, start) = (self.lower(source)?, self.single(start)?);
        let update = self.within(name, |lowering| lowering.single(update))?;
        Some(Expression::Reduce(Box::new([source, start, update])))
    }

    /// What is lowered where one more name is bound.
    fn within(&mut self, name: &str, lower: impl FnOnce(&mut Self) -> Option<Expression>) -> Option<Expression> {
        self.names.push(name.to_owned());
        let lowered = lower(self);
        self.names.pop();
        lowered
    }

    fn bind(
        &mut self,
        source: Expression,
        pattern: &Pattern<&str>,
        lower: impl FnOnce(&mut Self) -> Option<Expression>,
    ) -> Option<Expression> {
        if let Pattern::Var(name) = pattern {
            let body = self.within(name, lower)?;
            return Some(Expression::Bind(Box::new(source), Box::new(body)));
        }
        // The whole has no name; its parts are taken from it, each where one more is bound.
        let parts = self.parts_of(pattern)?;
        self.names.push(String::new());
        self.names.extend(parts.iter().map(|(name, _)| (*name).to_owned()));
        let body = lower(self);
        self.names.truncate(self.names.len() - parts.len() - 1);
        let parts =
            parts.into_iter().enumerate().rev().map(|(since, (_, part))| Expression::Variable(since).then(part));
        let body = parts.fold(body?, |body, part| Expression::Bind(Box::new(part), Box::new(body)));
        Some(Expression::Bind(Box::new(source), Box::new(body)))
    }

    /// The variables of `{$a, b: $c}` or `[$a, $b]`, each with its part of the whole.
    fn parts_of<'p>(&mut self, pattern: &Pattern<&'p str>) -> Option<Vec<(&'p str, Expression)>> {
        let named = |name: &Pattern<&'p str>| match name {
            Pattern::Var(name) => Some(*name),
            Pattern::Arr(_) | Pattern::Obj(_) => None,
        };
        match pattern {
            Pattern::Var(_) => None,
            Pattern::Arr(names) => {
                (0..).zip(names).map(|(place, name)| Some((named(name)?, Expression::At(place)))).collect()
            }
            Pattern::Obj(members) => {
                let member = |(key, name): &(Parsed<'p>, Pattern<&'p str>)| {
                    // A computed key may use the names that were bound before it.
                    let Term::Str(None, _) = key else { return None };
                    let key = self.text(key)?;
                    Some((named(name)?, self.key(&key)?))
                };
                members.iter().map(member).collect()
            }
        }
    }

    /// `IN(values)`: whether one of them is the input.
    #[inline(never)]
    pub(super) fn is_one_of(&mut self, values: &Parsed<'_>) -> Option<Expression> {
        let is_one = self.within("", |lowering| {
            let is_input = Expression::Compare(Box::new(Expression::Id), Cmp::Eq, Box::new(Expression::Variable(0)));
            Some(Expression::Any(lowering.boxed(values)?, Box::new(is_input)))
        });
        Some(Expression::Bind(Box::new(Expression::Id), Box::new(is_one?)))
    }

    /// A function of the prelude without arguments, which sees no names.
    #[inline(never)]
    pub(super) fn prelude(&mut self, name: &str) -> Option<Expression> {
        if self.depth == MOST_DEPTH {
            return None;
        }
        let definition = definitions().get(&(name, 0))?;
        let names = std::mem::take(&mut self.names);
        self.depth += 1;
        let lowered = self.lower(&definition.body);
        self.depth -= 1;
        self.names = names;
        lowered
    }
}
