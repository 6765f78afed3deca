//! Filters that bind names: `as` and `reduce`.

use jaq_core::load::parse::{Pattern, Term};

use super::expression::Expression;
use super::lower::{Lowering, Parsed};

impl Lowering {
    /// How many names were bound after this one.
    pub(super) fn bound(&self, name: &str) -> Option<usize> {
        self.names.iter().rev().position(|known| known == name)
    }

    /// `source as $name | body`
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

    /// The variables of `{$a, b: $c}`, each with its part of the whole.
    fn parts_of<'p>(&mut self, pattern: &Pattern<&'p str>) -> Option<Vec<(&'p str, Expression)>> {
        let Pattern::Obj(members) = pattern else { return None };
        let part = |(key, name): &(Parsed<'p>, Pattern<&'p str>)| {
            let Pattern::Var(name) = name else { return None };
            // A key that is no literal may see the names before it.
            let Term::Str(None, _) = key else { return None };
            let key = self.text(key)?;
            Some((*name, self.key(&key)?))
        };
        members.iter().map(part).collect()
    }
}
