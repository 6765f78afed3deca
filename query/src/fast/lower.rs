//! From jaq's parse tree to the filters of a plan. What is not known here is left to the general engine.

use jaq_core::load::lex::StrPart;
use jaq_core::load::parse::{BinaryOp, Term};
use jaq_core::path::{Opt, Part, Path};

use super::expression::{Expression, Key, Literal, PathPart, Types};
use super::search::Pattern;
use crate::Value;
use crate::functions::patterns::Search;
use crate::functions::table::row;
use crate::functions::{Call, Fast, Matching};
use crate::json::skip::is_simple_number;
use crate::run::write::write_result;

/// Lowers the filters of one plan, and gathers the keys that they read.
#[derive(Debug)]
pub(crate) struct Lowering {
    variables: Vec<(String, Literal)>,
    /// Names that are bound where a filter stands, with their dollar sign; one that has no name is empty.
    pub(super) names: Vec<String>,
    /// How deep functions of the prelude call each other here.
    pub(super) depth: u32,
    /// Keys that are read of some value; those of a record are looked up by their number.
    pub(crate) keys: Vec<Vec<u8>>,
}

pub(super) type Parsed<'a> = Term<&'a str>;

impl Lowering {
    /// With these variables, whose names lack the dollar sign.
    pub(crate) fn new(variables: &[(String, Value)]) -> Self {
        let literal = |(name, value): &(String, Value)| {
            let mut json = Vec::new();
            write_result(&mut json, value, false);
            (format!("${name}"), Literal::of_json(json))
        };
        Self { variables: variables.iter().map(literal).collect(), names: Vec::new(), depth: 0, keys: Vec::new() }
    }

    /// The number of a key.
    pub(crate) fn slot(&mut self, key: &[u8]) -> usize {
        self.keys.iter().position(|known| known == key).unwrap_or_else(|| {
            self.keys.push(key.to_vec());
            self.keys.len() - 1
        })
    }

    /// A filter; `None` where it is not known.
    pub(crate) fn lower(&mut self, term: &Parsed<'_>) -> Option<Expression> {
        Some(match term {
            Term::Id => Expression::Id,
            Term::Recurse => Expression::Recurse,
            Term::Var(name) => match self.bound(name) {
                Some(number) => Expression::Variable(number),
                None => Expression::Literal(self.literal(term)?),
            },
            Term::Num(_) | Term::Str(..) => match self.literal(term) {
                Some(literal) => Expression::Literal(literal),
                None => self.interpolation(term)?,
            },
            Term::Arr(None) => Expression::List(Box::new(Expression::Empty)),
            Term::Arr(Some(elements)) => Expression::List(self.boxed(elements)?),
            Term::Obj(members) => self.object(members)?,
            Term::Neg(number) => match self.literal(term) {
                Some(literal) => Expression::Literal(literal),
                None => self.single(number)?.then(Expression::Negate),
            },
            Term::BinOp(a, operator, b) => self.operation(a, operator, b)?,
            Term::TryCatch(tried, caught) => {
                let caught = caught.as_ref().map(|caught| self.lower(caught).ok_or(())).transpose().ok()?;
                match (self.lower(tried)?, caught) {
                    // Records that are texts have no keys, and criteria name keys of any record.
                    (Expression::Key(key), Some(Expression::Literal(literal))) if literal.is_null() => {
                        Expression::KeyOrNull(key)
                    }
                    // On the happy path there is nothing to catch.
                    (tried, _) => tried,
                }
            }
            Term::IfThenElse(branches, otherwise) => self.branches(branches, otherwise.as_deref())?,
            Term::Call(name, arguments) => self.call(name, arguments)?,
            Term::Path(base, path) => {
                let base = self.lower(base)?;
                self.path(base, path)?
            }
            Term::Fold("reduce", source, name, parts) => self.reduction(source, name, parts)?,
            Term::Label(..) | Term::Break(_) | Term::Fold(..) | Term::Def(..) => return None,
        })
    }

    /// A filter with exactly one output.
    pub(crate) fn single(&mut self, term: &Parsed<'_>) -> Option<Expression> {
        self.lower(term).filter(Expression::is_single)
    }

    pub(super) fn boxed(&mut self, term: &Parsed<'_>) -> Option<Box<Expression>> {
        self.lower(term).map(Box::new)
    }

    pub(super) fn boxed_single(&mut self, term: &Parsed<'_>) -> Option<Box<Expression>> {
        self.single(term).map(Box::new)
    }

    fn literal(&self, term: &Parsed<'_>) -> Option<Literal> {
        match term {
            Term::Num(number) => number_literal(number),
            Term::Neg(number) => match &**number {
                Term::Num(number) => number_literal(&format!("-{number}")),
                _ => None,
            },
            Term::Var(name) if self.bound(name).is_some() => None,
            Term::Var(name) => self.variables.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone()),
            Term::Str(None, parts) => {
                let mut text = String::new();
                for part in parts {
                    match part {
                        StrPart::Str(part) => text.push_str(part),
                        StrPart::Char(letter) => text.push(*letter),
                        StrPart::Term(_) => return None,
                    }
                }
                Some(Literal::Text(text.into_bytes()))
            }
            _ => None,
        }
    }

    pub(super) fn text(&self, term: &Parsed<'_>) -> Option<String> {
        match self.literal(term)? {
            Literal::Text(text) => String::from_utf8(text).ok(),
            Literal::Json(_) => None,
        }
    }

    fn interpolation(&mut self, term: &Parsed<'_>) -> Option<Expression> {
        let Term::Str(format, parts) = term else { return None };
        let parts = parts.iter().map(|part| match part {
            StrPart::Str(text) => Some(Expression::Literal(Literal::Text(text.as_bytes().to_vec()))),
            StrPart::Char(letter) => Some(Expression::Literal(Literal::Text(letter.to_string().into_bytes()))),
            StrPart::Term(term) => {
                let value = self.single(term)?;
                Some(match format {
                    Some(format) => value.then(self.call(format, &[])?),
                    None => value,
                })
            }
        });
        parts.collect::<Option<_>>().map(Expression::Interpolate)
    }

    fn object(&mut self, members: &[(Parsed<'_>, Option<Parsed<'_>>)]) -> Option<Expression> {
        let mut lowered: Vec<(Vec<u8>, Expression)> = Vec::with_capacity(members.len());
        for (key, value) in members {
            let (name, value) = match (key, value) {
                (Term::Var(name), None) => (name.strip_prefix('$')?.to_owned(), self.single(key)?),
                (_, None) => {
                    let name = self.text(key)?;
                    let value = self.key(&name)?;
                    (name, value)
                }
                (_, Some(value)) => (self.text(key)?, self.lower(value)?.sole()?),
            };
            if lowered.iter().any(|(known, _)| known == name.as_bytes()) {
                return None;
            }
            lowered.push((name.into_bytes(), value));
        }
        Some(Expression::Object(lowered))
    }

    /// `.name`. A name that stands differently in JSON is left out.
    pub(super) fn key(&mut self, name: &str) -> Option<Expression> {
        let name = plain_key(name)?;
        Some(Expression::Key(Key { slot: self.slot(&name), name }))
    }

    fn operation(&mut self, a: &Parsed<'_>, operator: &BinaryOp<&str>, b: &Parsed<'_>) -> Option<Expression> {
        Some(match operator {
            BinaryOp::Pipe(None) => self.lower(a)?.then(self.lower(b)?),
            BinaryOp::Comma => Expression::Comma(self.boxed(a)?, self.boxed(b)?),
            BinaryOp::Pipe(Some(name)) => self.binding(a, name, b)?,
            BinaryOp::Alt => {
                let first = self.lower(a).filter(Expression::is_at_most_one)?;
                Expression::Alternative(Box::new(first), self.boxed_single(b)?)
            }
            BinaryOp::Or => Expression::Or(self.boxed_single(a)?, self.boxed_single(b)?),
            BinaryOp::And => Expression::And(self.boxed_single(a)?, self.boxed_single(b)?),
            BinaryOp::Cmp(operator) => Expression::Compare(self.comparable(a)?, *operator, self.comparable(b)?),
            BinaryOp::Math(operator) => Expression::Arithmetic(self.boxed_single(a)?, *operator, self.boxed_single(b)?),
            BinaryOp::Update | BinaryOp::Assign | BinaryOp::UpdateMath(_) | BinaryOp::UpdateAlt => {
                self.change(a, operator, b)?
            }
        })
    }

    /// One side of a comparison. A number's value counts there, not how it would be printed.
    fn comparable(&mut self, term: &Parsed<'_>) -> Option<Box<Expression>> {
        match term {
            Term::Num(number) if number.contains('.') => {
                let number = number.trim_end_matches('0').trim_end_matches('.');
                number_literal(number).map(|literal| Box::new(Expression::Literal(literal)))
            }
            _ => self.boxed_single(term),
        }
    }

    fn branches(
        &mut self,
        branches: &[(Parsed<'_>, Parsed<'_>)],
        otherwise: Option<&Parsed<'_>>,
    ) -> Option<Expression> {
        let mut lowered = match otherwise {
            Some(otherwise) => self.lower(otherwise)?,
            None => Expression::Id,
        };
        for (condition, then) in branches.iter().rev() {
            lowered = Expression::If(self.boxed_single(condition)?, self.boxed(then)?, Box::new(lowered));
        }
        Some(lowered)
    }

    /// The parts of a path after what they are taken of.
    pub(crate) fn path(&mut self, base: Expression, path: &Path<Parsed<'_>>) -> Option<Expression> {
        path.0.iter().try_fold(base, |base, (part, optional)| {
            let next = match part {
                Part::Index(index) => match (whole_number(index), index) {
                    (Some(place), _) => Expression::At(place),
                    (None, Term::Var(name)) if self.bound(name).is_some() => Expression::Element(self.boxed(index)?),
                    (None, _) => self.text(index).and_then(|name| self.key(&name))?,
                },
                Part::Range(None, None) => match optional {
                    Opt::Optional => Expression::IterateAny,
                    Opt::Essential => Expression::Iterate,
                },
                Part::Range(from, to) => {
                    let bound = |bound: &Parsed<'_>| whole_number(bound).and_then(|bound| usize::try_from(bound).ok());
                    let from = from.as_ref().map_or(Some(0), bound)?;
                    Expression::Slice(from, to.as_ref().map(|to| bound(to).ok_or(())).transpose().ok()?)
                }
            };
            Some(base.then(next))
        })
    }

    /// A call of a function that has a fast form.
    fn call(&mut self, name: &str, arguments: &[Parsed<'_>]) -> Option<Expression> {
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
    fn search(&self, pattern: &Parsed<'_>, flags: Option<&Parsed<'_>>, also: &str) -> Option<Search> {
        let flags = flags.map_or_else(|| Some(String::new()), |flags| self.text(flags))?;
        Search::compile(&self.text(pattern)?, &format!("{flags}{also}")).ok()
    }

    fn test(&self, pattern: &Parsed<'_>, flags: Option<&Parsed<'_>>) -> Option<Expression> {
        let flags = flags.map_or_else(|| Some(String::new()), |flags| self.text(flags))?;
        Pattern::new(&self.text(pattern)?, &flags).map(Expression::Test)
    }
}

/// A key that stands in JSON as it is meant.
pub(super) fn plain_key(name: &str) -> Option<Vec<u8>> {
    let is_plain = !name.bytes().any(|byte| matches!(byte, b'"' | b'\\' | 0..=0x1f | 0x7f));
    is_plain.then(|| name.as_bytes().to_vec())
}

impl Literal {
    fn zero() -> Self {
        Self::Json(b"0".to_vec())
    }

    fn of_json(json: Vec<u8>) -> Self {
        match serde_json::from_slice::<String>(&json) {
            Ok(text) => Self::Text(text.into_bytes()),
            Err(_) => Self::Json(json),
        }
    }
}

/// A number that is printed as it was written.
fn number_literal(number: &str) -> Option<Literal> {
    let is_json = serde_json::from_str::<f64>(number).is_ok() && is_simple_number(number.as_bytes());
    let is_printed_so = !(number.contains('.') && number.ends_with('0'));
    (is_json && is_printed_so).then(|| Literal::Json(number.as_bytes().to_vec()))
}

fn whole_number(term: &Parsed<'_>) -> Option<i64> {
    match term {
        Term::Num(number) if number.len() < 10 => number.parse().ok(),
        Term::Neg(number) => whole_number(number).map(|number| -number),
        _ => None,
    }
}
