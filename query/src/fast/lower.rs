//! From jaq's parse tree to the filters of a plan. What is not known here is left to the general engine.

use jaq_core::load::lex::StrPart;
use jaq_core::load::parse::{BinaryOp, Term};
use jaq_core::ops::Cmp;
use jaq_core::path::{Opt, Part, Path};

use super::expression::{Expression, Key, Literal};
use crate::Value;
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
    ///
    /// Filters may be nested as deep as a limit allows: what needs room on the stack is in functions of its own.
    pub(crate) fn lower(&mut self, term: &Parsed<'_>) -> Option<Expression> {
        match term {
            Term::Id => Some(Expression::Id),
            Term::Recurse => Some(Expression::Recurse),
            Term::Var(_) | Term::Num(_) | Term::Str(..) | Term::Neg(_) => self.value(term),
            Term::Arr(elements) => self.list(elements.as_deref()),
            Term::Obj(members) => self.object(members),
            Term::BinOp(a, operator, b) => self.operation(a, operator, b),
            Term::TryCatch(tried, caught) => self.attempt(tried, caught.as_deref()),
            Term::IfThenElse(branches, otherwise) => self.branches(branches, otherwise.as_deref()),
            Term::Call(name, arguments) => self.call(name, arguments),
            Term::Path(base, path) => self.path_of(base, path),
            Term::Fold("reduce", source, name, parts) => self.reduction(source, name, parts),
            Term::Label(..) | Term::Break(_) | Term::Fold(..) | Term::Def(..) => None,
        }
    }

    /// A variable, a number or a text.
    #[inline(never)]
    fn value(&mut self, term: &Parsed<'_>) -> Option<Expression> {
        if let Term::Var(name) = term
            && let Some(number) = self.bound(name)
        {
            return Some(Expression::Variable(number));
        }
        match (self.literal(term), term) {
            (Some(literal), _) => Some(Expression::Literal(literal)),
            (None, Term::Str(..)) => self.interpolation(term),
            (None, Term::Neg(number)) => Some(self.single(number)?.then(Expression::Negate)),
            (None, _) => None,
        }
    }

    #[inline(never)]
    fn list(&mut self, elements: Option<&Parsed<'_>>) -> Option<Expression> {
        let elements = elements.map_or_else(|| Some(Box::new(Expression::Empty)), |elements| self.boxed(elements));
        elements.map(Expression::List)
    }

    #[inline(never)]
    fn path_of(&mut self, base: &Parsed<'_>, path: &Path<Parsed<'_>>) -> Option<Expression> {
        let base = self.lower(base)?;
        self.path(base, path)
    }

    /// `try tried catch caught`
    #[inline(never)]
    fn attempt(&mut self, tried: &Parsed<'_>, caught: Option<&Parsed<'_>>) -> Option<Expression> {
        let caught = caught.map(|caught| self.lower(caught).ok_or(())).transpose().ok()?;
        Some(match (self.lower(tried)?, caught) {
            // Records that are texts have no keys, and criteria name keys of any record.
            (Expression::Key(key), Some(Expression::Literal(literal))) if literal.is_null() => {
                Expression::KeyOrNull(key)
            }
            // On the happy path there is nothing to catch.
            (tried, _) => tried,
        })
    }

    /// A filter with exactly one output.
    pub(crate) fn single(&mut self, term: &Parsed<'_>) -> Option<Expression> {
        self.lower(term).filter(Expression::is_single)
    }

    #[inline(never)]
    pub(super) fn boxed(&mut self, term: &Parsed<'_>) -> Option<Box<Expression>> {
        self.lower(term).map(Box::new)
    }

    pub(super) fn boxed_single(&mut self, term: &Parsed<'_>) -> Option<Box<Expression>> {
        self.boxed(term).filter(|lowered| lowered.is_single())
    }

    #[inline(never)]
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

    #[inline(never)]
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

    #[inline(never)]
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
        match operator {
            BinaryOp::Pipe(None) => self.pipe(a, b),
            BinaryOp::Comma => self.comma(a, b),
            BinaryOp::Pipe(Some(name)) => self.binding(a, name, b),
            BinaryOp::Alt => self.alternative(a, b),
            BinaryOp::Or => self.of_two(a, b, Expression::Or),
            BinaryOp::And => self.of_two(a, b, Expression::And),
            BinaryOp::Cmp(operator) => self.comparison(a, *operator, b),
            BinaryOp::Math(operator) => self.of_two(a, b, |a, b| Expression::Arithmetic(a, *operator, b)),
            BinaryOp::Update | BinaryOp::Assign | BinaryOp::UpdateMath(_) | BinaryOp::UpdateAlt => {
                self.change(a, operator, b)
            }
        }
    }

    #[inline(never)]
    fn pipe(&mut self, first: &Parsed<'_>, next: &Parsed<'_>) -> Option<Expression> {
        let first = self.lower(first)?;
        Some(first.then(self.lower(next)?))
    }

    #[inline(never)]
    fn comma(&mut self, a: &Parsed<'_>, b: &Parsed<'_>) -> Option<Expression> {
        Some(Expression::Comma(self.boxed(a)?, self.boxed(b)?))
    }

    #[inline(never)]
    fn alternative(&mut self, a: &Parsed<'_>, b: &Parsed<'_>) -> Option<Expression> {
        let first = self.boxed(a).filter(|first| first.is_at_most_one())?;
        Some(Expression::Alternative(first, self.boxed_single(b)?))
    }

    /// An operation on two values.
    #[inline(never)]
    fn of_two(
        &mut self,
        a: &Parsed<'_>,
        b: &Parsed<'_>,
        make: impl FnOnce(Box<Expression>, Box<Expression>) -> Expression,
    ) -> Option<Expression> {
        Some(make(self.boxed_single(a)?, self.boxed_single(b)?))
    }

    #[inline(never)]
    fn comparison(&mut self, a: &Parsed<'_>, operator: Cmp, b: &Parsed<'_>) -> Option<Expression> {
        Some(Expression::Compare(self.comparable(a)?, operator, self.comparable(b)?))
    }

    /// One side of a comparison. A number's value counts there, not how it would be printed.
    #[inline(never)]
    fn comparable(&mut self, term: &Parsed<'_>) -> Option<Box<Expression>> {
        match term {
            Term::Num(number) if number.contains('.') => {
                let number = number.trim_end_matches('0').trim_end_matches('.');
                number_literal(number).map(|literal| Box::new(Expression::Literal(literal)))
            }
            _ => self.boxed_single(term),
        }
    }

    #[inline(never)]
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
    #[inline(never)]
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
}

/// A key that stands in JSON as it is meant.
pub(super) fn plain_key(name: &str) -> Option<Vec<u8>> {
    let is_plain = !name.bytes().any(|byte| matches!(byte, b'"' | b'\\' | 0..=0x1f | 0x7f));
    is_plain.then(|| name.as_bytes().to_vec())
}

impl Literal {
    pub(super) fn zero() -> Self {
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

pub(super) fn whole_number(term: &Parsed<'_>) -> Option<i64> {
    match term {
        Term::Num(number) if number.len() < 10 => number.parse().ok(),
        Term::Neg(number) => whole_number(number).map(|number| -number),
        _ => None,
    }
}
