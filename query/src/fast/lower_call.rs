//! Calls of functions that have a fast form.

use super::expression::{Expression, Literal, PathPart, Types};
use super::lower::{Lowering, Parsed, whole_number};
use super::search::Pattern;
use crate::functions::patterns::Search;
use crate::functions::table::row;
use crate::functions::{Call, Fast, Matching};

impl Lowering {
    /// A call of a function that has a fast form.
    #[inline(never)]
    pub(super) fn call(&mut self, name: &str, arguments: &[Parsed<'_>]) -> Option<Expression> {
        let row = row(name, arguments.len()).filter(|row| !row.name.starts_with('_'))?;
        let Some(fast) = row.fast else {
            let argument = arguments.first().map(|argument| self.boxed_single(argument).ok_or(()));
            return match (row.plain, arguments) {
                (Some(function), _) => Some(Expression::Plain(function, argument.transpose().ok()?)),
                (None, []) => self.prelude(name),
                (None, _) => None,
            };
        };
        Some(match (fast, arguments) {
            (Fast::Constant(json), []) => Expression::Literal(Literal::Json(json.as_bytes().to_vec())),
            (Fast::Only([]), []) => Expression::Empty,
            (Fast::Only(types), []) => Expression::Only(Types::of(types)),
            (Fast::At(place), []) => Expression::At(place),
            (Fast::Not, []) => Expression::Not,
            (Fast::Recurse, []) => Expression::Recurse,
            (Fast::Call(function), []) => Expression::Call(function),
            (Fast::With(function), [argument]) => Expression::CallWith(function, self.boxed_single(argument)?),
            (Fast::Test, [pattern, flags @ ..]) => self.test(pattern, flags.first())?,
            (Fast::Select, [condition]) => Expression::Select(self.boxed(condition)?),
            (Fast::Map, [each]) => Expression::List(Box::new(Expression::Iterate.then(self.lower(each)?))),
            (Fast::Any, arguments) => self.over(Expression::Any, arguments)?,
            (Fast::All, arguments) => self.over(Expression::All, arguments)?,
            (Fast::By(function), [key]) => Expression::By(function, self.boxed(key)?),
            (Fast::In, [values]) => self.is_one_of(values)?,
            (Fast::IsEmpty, [several]) => {
                let never = Expression::Literal(Literal::Json(b"false".to_vec()));
                Expression::All(self.boxed(several)?, Box::new(never))
            }
            (Fast::First, [several]) => Expression::Limit(1, self.boxed(several)?),
            (Fast::Limit, [most, several]) => match usize::try_from(whole_number(most)?).ok()? {
                0 => return None,
                most => Expression::Limit(most, self.boxed(several)?),
            },
            (Fast::Range, [to]) => {
                Expression::Range(Box::new(Expression::Literal(Literal::zero())), self.boxed_single(to)?)
            }
            (Fast::Range, [from, to]) => Expression::Range(self.boxed_single(from)?, self.boxed_single(to)?),
            (Fast::AddAll, [several]) => Expression::List(self.boxed(several)?).then(Expression::Call(Call::Add)),
            (Fast::WithEntries, [each]) => {
                let changed = Expression::List(Box::new(Expression::Iterate.then(self.lower(each)?)));
                Expression::Call(Call::ToEntries).then(changed).then(Expression::Call(Call::FromEntries))
            }
            (Fast::MapValues, [each]) => Expression::Update(vec![PathPart::Each], self.boxed(each)?),
            (Fast::Delete, [paths]) => self.deletion(paths)?,
            (Fast::Matches(matching), [pattern, flags @ ..]) => {
                let also = if matching == Matching::Scan { "g" } else { "" };
                Expression::Matches(matching, self.search(pattern, flags.first(), also)?)
            }
            (Fast::Replace { all }, [pattern, made, flags @ ..]) => {
                let search = self.search(pattern, flags.first(), if all { "g" } else { "" })?;
                Expression::Replace(search, self.boxed_single(made)?)
            }
            _ => return None,
        })
    }

    /// `any` and `all`: of the elements, unless a generator is given; whether they are true, unless a condition is.
    #[inline(never)]
    fn over(
        &mut self,
        make: fn(Box<Expression>, Box<Expression>) -> Expression,
        arguments: &[Parsed<'_>],
    ) -> Option<Expression> {
        Some(match arguments {
            [generator, condition] => make(self.boxed(generator)?, self.boxed(condition)?),
            [condition] => make(Box::new(Expression::Iterate), self.boxed(condition)?),
            _ => make(Box::new(Expression::Iterate), Box::new(Expression::Id)),
        })
    }

    /// A pattern that the filter says, and flags.
    #[inline(never)]
    fn search(&self, pattern: &Parsed<'_>, flags: Option<&Parsed<'_>>, also: &str) -> Option<Search> {
        let flags = flags.map_or_else(|| Some(String::new()), |flags| self.text(flags))?;
        Search::compile(&self.text(pattern)?, &format!("{flags}{also}")).ok()
    }

    #[inline(never)]
    fn test(&self, pattern: &Parsed<'_>, flags: Option<&Parsed<'_>>) -> Option<Expression> {
        let flags = flags.map_or_else(|| Some(String::new()), |flags| self.text(flags))?;
        Pattern::new(&self.text(pattern)?, &flags).map(Expression::Test)
    }
}
