//! Values of a plan: mostly slices of the line.

use std::borrow::Cow;
use std::cmp::Ordering;

use super::Bail;
use super::text::decoded;
use crate::json::compare;
use crate::json::skip::is_simple_number;

/// A value while a plan runs.
#[derive(Debug, Clone)]
pub(crate) enum Val<'a> {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number as it stands in JSON.
    Number(&'a [u8]),
    /// A number of things.
    Count(usize),
    /// A number that was computed. It is finite.
    Float(f64),
    /// A number that was negated: good for comparing only.
    Negated(f64),
    /// A string as it stands in JSON, without its quotes.
    Json(&'a [u8]),
    /// A string as it is meant.
    Text(Cow<'a, [u8]>),
    /// An array or object as it stands.
    Nested(&'a [u8]),
    /// The record itself, when it is an object.
    Record,
    /// An array that the filter makes.
    List(Vec<Val<'a>>),
    /// An object that the filter makes.
    Object(Vec<(&'a [u8], Val<'a>)>),
}

/// The types, in jq's order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Type {
    /// `null`.
    Null,
    /// `false`, which jq puts before `true`.
    False,
    /// `true`.
    True,
    /// A number.
    Number,
    /// A string.
    String,
    /// An array.
    Array,
    /// An object.
    Object,
}

impl Type {
    /// Its name in jq.
    pub(super) fn name(self) -> &'static [u8] {
        match self {
            Self::Null => b"null",
            Self::False | Self::True => b"boolean",
            Self::Number => b"number",
            Self::String => b"string",
            Self::Array => b"array",
            Self::Object => b"object",
        }
    }
}

impl<'a> Val<'a> {
    /// The value of a JSON text that has been skipped, without the space around it.
    #[inline]
    pub(super) fn of(text: &'a [u8]) -> Self {
        match text {
            [b'"', inner @ .., b'"'] => Self::Json(inner),
            [b'{' | b'[', ..] => Self::Nested(text),
            b"null" => Self::Null,
            b"true" => Self::Bool(true),
            b"false" => Self::Bool(false),
            _ => Self::Number(text),
        }
    }

    /// Its type.
    pub(super) fn kind(&self) -> Type {
        match self {
            Self::Null => Type::Null,
            Self::Bool(false) => Type::False,
            Self::Bool(true) => Type::True,
            Self::Number(_) | Self::Count(_) | Self::Float(_) | Self::Negated(_) => Type::Number,
            Self::Json(_) | Self::Text(_) => Type::String,
            Self::List(_) | Self::Nested([b'[', ..]) => Type::Array,
            Self::Object(_) | Self::Nested(_) | Self::Record => Type::Object,
        }
    }

    /// False for null and false.
    #[inline]
    pub(crate) fn is_true(&self) -> bool {
        !matches!(self, Self::Null | Self::Bool(false))
    }

    /// A string's text.
    #[inline]
    pub(super) fn text(&self) -> Option<Cow<'a, [u8]>> {
        match self {
            Self::Json(json) => Some(decoded(json)),
            Self::Text(text) => Some(text.clone()),
            _ => None,
        }
    }

    /// A number's value, if comparing doubles says what comparing the numbers would.
    pub(super) fn number(&self) -> Result<f64, Bail> {
        match self {
            Self::Number(text) if is_simple_number(text) => {
                std::str::from_utf8(text).ok().and_then(|text| text.parse().ok()).ok_or(Bail)
            }
            Self::Count(count) => Ok(f64::from(u32::try_from(*count).map_err(|_| Bail)?)),
            Self::Float(number) | Self::Negated(number) => Ok(*number),
            _ => Err(Bail),
        }
    }

    /// True when both are equal.
    pub(super) fn equals(&self, other: &Self) -> Result<bool, Bail> {
        if self.kind() != other.kind() {
            return Ok(false);
        }
        self.compare(other).map(Ordering::is_eq)
    }

    /// jq's order.
    pub(super) fn compare(&self, other: &Self) -> Result<Ordering, Bail> {
        match (self.kind(), other.kind()) {
            (Type::String, Type::String) => Ok(self.text().cmp(&other.text())),
            (Type::Number, Type::Number) => self.number()?.partial_cmp(&other.number()?).ok_or(Bail),
            (Type::Array | Type::Object, kind) if kind == self.kind() => Err(Bail),
            (mine, theirs) => Ok(mine.cmp(&theirs)),
        }
    }
}

/// A value to sort and group by.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Key<'a> {
    /// Null, false or true.
    Bare(u8),
    /// A number.
    Number(f64),
    /// A string.
    Text(Cow<'a, [u8]>),
    /// An array.
    List(Vec<Key<'a>>),
}

/// What a text's beginning begins with: smaller are those of null, booleans and numbers.
const TEXT: u8 = 4;

/// So many bytes of a text are in its beginning.
pub(super) const BEGINNING_BYTES: usize = 15;

impl<'a> Key<'a> {
    /// The key that a value is; objects, and arrays of the record, are none.
    pub(crate) fn of(value: &Val<'a>) -> Result<Self, Bail> {
        Ok(match value {
            Val::Null => Self::Bare(0),
            Val::Bool(is_true) => Self::Bare(1 + u8::from(*is_true)),
            Val::Number(_) | Val::Count(_) | Val::Float(_) | Val::Negated(_) => Self::Number(value.number()?),
            Val::Json(json) => Self::Text(decoded(json)),
            Val::Text(text) => Self::Text(text.clone()),
            Val::List(values) => Self::List(values.iter().map(Self::of).collect::<Result<_, _>>()?),
            Val::Nested(_) | Val::Record | Val::Object(_) => return Err(Bail),
        })
    }

    /// The same, kept for longer.
    pub(crate) fn into_owned(self) -> Key<'static> {
        match self {
            Self::Bare(rank) => Key::Bare(rank),
            Self::Number(number) => Key::Number(number),
            Self::Text(text) => Key::Text(Cow::Owned(text.into_owned())),
            Self::List(keys) => Key::List(keys.into_iter().map(Key::into_owned).collect()),
        }
    }

    /// The beginning of the key as a number: keys with different beginnings are in the order of these, so that sorting
    /// seldom looks at more.
    pub(crate) fn beginning(&self) -> u128 {
        let mut bytes = [0; 16];
        let (rank, rest) = bytes.split_at_mut(1);
        rank[0] = self.rank();
        match self {
            Self::Bare(_) | Self::List(_) => {}
            Self::Number(number) => {
                // Without the sign of zero. The bits of positive numbers are in order, those of negative ones turned round.
                let bits = (number + 0.0).to_bits();
                let ordered = if bits >> 63 == 0 { bits | 1 << 63 } else { !bits };
                rest[..8].copy_from_slice(&ordered.to_be_bytes());
            }
            Self::Text(text) => {
                let length = text.len().min(rest.len());
                rest[..length].copy_from_slice(&text[..length]);
            }
        }
        u128::from_be_bytes(bytes)
    }

    fn rank(&self) -> u8 {
        match self {
            Self::Bare(rank) => *rank,
            Self::Number(_) => 3,
            Self::Text(_) => TEXT,
            Self::List(_) => 5,
        }
    }
}

impl Eq for Key<'_> {}

impl PartialOrd for Key<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Key<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Text(a), Self::Text(b)) => compare(a, b),
            // Simple numbers are never NaN, and their zero has no sign that counts.
            (Self::Number(a), Self::Number(b)) => a.partial_cmp(b).unwrap_or(Ordering::Equal),
            (Self::List(a), Self::List(b)) => a.cmp(b),
            _ => self.rank().cmp(&other.rank()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beginnings_are_in_the_order_of_their_keys() {
        let text = |text: &str| Key::Text(Cow::Owned(text.as_bytes().to_vec()));
        let keys = [
            Key::Bare(0),
            Key::Bare(2),
            Key::Number(f64::MIN),
            Key::Number(-1.5),
            Key::Number(-1e-300),
            Key::Number(0.0),
            Key::Number(1e-300),
            Key::Number(2.0),
            Key::Number(f64::MAX),
            text(""),
            text("a"),
            text("a\u{1}"),
            text("b"),
            text("fifteen letters"),
            text("é"),
            Key::List(Vec::new()),
        ];
        for pair in keys.windows(2) {
            assert!(pair[0] < pair[1] && pair[0].beginning() <= pair[1].beginning(), "{pair:?}");
        }
        assert_eq!(Key::Number(-0.0).beginning(), Key::Number(0.0).beginning());
        assert_eq!(text("fifteen letters").beginning(), text("fifteen letters and more").beginning());
    }
}
