//! The filters that a plan can run on a value.

use jaq_core::ops::{Cmp, Math};

use super::search::Pattern;
use super::value::{Type, Val};
use crate::functions::patterns::Search;
use crate::functions::{Call, CallWith, Matching, Plain, Whole};
use crate::json;

/// A filter. Most give one value for each; those that may give none or several are told by [`Expression::is_single`].
#[derive(Debug)]
pub(crate) enum Expression {
    /// `.`
    Id,
    /// `.key`
    Key(Key),
    /// `try .key catch null`
    KeyOrNull(Key),
    /// `.[2]`, `.[-1]`
    At(i64),
    /// `.[1:3]`, in letters of a text or elements of an array
    Slice(usize, Option<usize>),
    /// `"text"`, `1`, `$variable`
    Literal(Literal),
    /// `a | b`
    Pipe(Box<Expression>, Box<Expression>),
    /// `a, b`
    Comma(Box<Expression>, Box<Expression>),
    /// `.[]`
    Iterate,
    /// `.[]?`
    IterateAny,
    /// `..`
    Recurse,
    /// `empty`
    Empty,
    /// `select(f)`
    Select(Box<Expression>),
    /// `strings`, `objects`, …
    Only(Types),
    /// `a == b`, …
    Compare(Box<Expression>, Cmp, Box<Expression>),
    /// `a and b`
    And(Box<Expression>, Box<Expression>),
    /// `a or b`
    Or(Box<Expression>, Box<Expression>),
    /// `not`
    Not,
    /// `if a then b else c end`
    If(Box<Expression>, Box<Expression>, Box<Expression>),
    /// `a // b`
    Alternative(Box<Expression>, Box<Expression>),
    /// `any(g; f)`
    Any(Box<Expression>, Box<Expression>),
    /// `all(g; f)`
    All(Box<Expression>, Box<Expression>),
    /// `f`, where it has one output for nearly every value; where not, the general engine runs.
    Sole(Box<Expression>),
    /// `[f]`
    List(Box<Expression>),
    /// `{a, b: f}`
    Object(Vec<(Vec<u8>, Expression)>),
    /// `"\(f) text"`
    Interpolate(Vec<Expression>),
    /// `test("pattern"; "flags")`
    Test(Pattern),
    /// A function without arguments.
    Call(Call),
    /// A function of the value and its argument.
    CallWith(CallWith, Box<Expression>),
    /// `sort_by(f)`, … of an array in a record.
    By(Whole, Box<Expression>),
    /// A function that has no form of its own.
    Plain(Plain, Option<Box<Expression>>),
    /// `split("text")[2]`
    Piece(Vec<u8>, usize),
    /// `-f`
    Negate,
    /// `a + b`, …
    Arithmetic(Box<Expression>, Math, Box<Expression>),
    /// `f as $name | g`
    Bind(Box<Expression>, Box<Expression>),
    /// `$name`, by how many were bound since
    Variable(usize),
    /// `.[$name]`
    Element(Box<Expression>),
    /// `reduce f as $name (g; h)`
    Reduce(Box<[Expression; 3]>),
    /// `limit(n; f)`, where n is more than none
    Limit(usize, Box<Expression>),
    /// `range(f; g)`
    Range(Box<Expression>, Box<Expression>),
    /// `.a.b |= f`
    Update(Vec<PathPart>, Box<Expression>),
    /// `del(.a, .b.c)`
    Delete(Vec<Gone>),
    /// `match`, `capture` and `scan`
    Matches(Matching, Search),
    /// `sub` and `gsub`: the filter makes what stands in place of a match of its captures
    Replace(Search, Box<Expression>),
}

/// A part of the path to what is changed.
#[derive(Debug)]
pub(crate) enum PathPart {
    /// `.key`
    Key(Vec<u8>),
    /// `.[]`
    Each,
}

/// A member that is deleted, or some of what is in it.
#[derive(Debug, Default)]
pub(crate) struct Gone {
    pub(super) key: Vec<u8>,
    /// What goes of it; nothing here means all of it.
    pub(super) inside: Vec<Gone>,
}

/// A key, and its number among those that the plan reads of a record.
#[derive(Debug)]
pub(crate) struct Key {
    /// Its text, which is the same in JSON.
    pub(super) name: Vec<u8>,
    /// Its number.
    pub(super) slot: usize,
}

/// A value that is known beforehand.
#[derive(Debug, Clone)]
pub(crate) enum Literal {
    /// A string, as it is meant.
    Text(Vec<u8>),
    /// Any other value, as JSON.
    Json(Vec<u8>),
}

/// A set of types.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Types(u8);

impl Types {
    /// These types.
    pub(super) fn of(types: &[json::Type]) -> Self {
        let bit = |kind: Type| 1 << kind as u8;
        let bits = types.iter().map(|kind| match kind {
            json::Type::Null => bit(Type::Null),
            json::Type::Boolean => bit(Type::False) | bit(Type::True),
            json::Type::Number => bit(Type::Number),
            json::Type::String => bit(Type::String),
            json::Type::Array => bit(Type::Array),
            json::Type::Object => bit(Type::Object),
        });
        Self(bits.fold(0, |all, bits: u8| all | bits))
    }

    /// True when the type is one of them.
    pub(super) fn has(self, kind: Type) -> bool {
        self.0 & 1 << kind as u8 != 0
    }
}

impl Literal {
    pub(super) fn is_null(&self) -> bool {
        matches!(self, Self::Json(json) if json == b"null")
    }

    /// As a value.
    pub(super) fn value(&self) -> Val<'_> {
        match self {
            Self::Text(text) => Val::Text(text.as_slice().into()),
            Self::Json(json) => Val::of(json),
        }
    }
}

impl Expression {
    /// One filter after another.
    pub(crate) fn then(self, next: Self) -> Self {
        match (self, next) {
            (Self::Id, other) | (other, Self::Id) => other,
            (Self::CallWith(CallWith::Split, separator), Self::At(place)) => Self::piece(*separator, place),
            (Self::Pipe(first, next), Self::At(place)) if matches!(*next, Self::CallWith(CallWith::Split, _)) => {
                first.then(next.then(Self::At(place)))
            }
            (first, next) => Self::Pipe(Box::new(first), Box::new(next)),
        }
    }

    fn piece(separator: Self, place: i64) -> Self {
        match (separator, usize::try_from(place)) {
            (Self::Literal(Literal::Text(text)), Ok(place)) => Self::Piece(text, place),
            (separator, _) => {
                let split = Self::CallWith(CallWith::Split, Box::new(separator));
                Self::Pipe(Box::new(split), Box::new(Self::At(place)))
            }
        }
    }

    /// True when there is always exactly one output.
    pub(crate) fn is_single(&self) -> bool {
        match self {
            Self::Iterate | Self::IterateAny | Self::Recurse | Self::Empty => false,
            Self::Select(_) | Self::Only(_) | Self::Comma(..) => false,
            Self::Limit(..) | Self::Range(..) | Self::Matches(..) => false,
            Self::Pipe(a, b) | Self::Bind(a, b) => a.is_single() && b.is_single(),
            Self::If(_, a, b) => a.is_single() && b.is_single(),
            _ => true,
        }
    }

    /// True when there is never more than one output.
    pub(super) fn is_at_most_one(&self) -> bool {
        match self {
            Self::Empty | Self::Only(_) | Self::Limit(1, _) => true,
            Self::Select(condition) => condition.is_single(),
            Self::Pipe(a, b) | Self::Bind(a, b) => a.is_at_most_one() && b.is_at_most_one(),
            other => other.is_single(),
        }
    }

    /// The same with one output, if it often has one: `if type == "array" then .[] else . end`.
    pub(crate) fn sole(self) -> Option<Self> {
        match (self.is_single(), self.is_often_single()) {
            (true, _) => Some(self),
            (false, true) => Some(Self::Sole(Box::new(self))),
            (false, false) => None,
        }
    }

    fn is_often_single(&self) -> bool {
        match self {
            Self::Pipe(a, b) => a.is_often_single() && b.is_often_single(),
            Self::If(_, a, b) => a.is_often_single() || b.is_often_single(),
            other => other.is_single(),
        }
    }
}
