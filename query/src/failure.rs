//! Why a filter fails on a value: what jq says, in parts that a program can look at.

use std::borrow::Cow;
use std::fmt;

use crate::json::Type;
use crate::value::Value;

/// At most this many bytes of a value appear in an error, as in jq.
const MOST_BYTES: usize = 29;

/// Why a filter fails on a value, or why a line is not a value. It displays in jq's words.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Failure {
    /// The line is not UTF-8.
    NotUtf8(String),
    /// The line is not JSON.
    NotJson(String),
    /// The line is nested deeper than this many levels.
    TooDeep(u32),
    /// `Cannot index …`
    Index {
        /// What is indexed.
        whole: Type,
        /// The index.
        with: Index,
    },
    /// `Cannot iterate over …`
    Iterate(Shown),
    /// `… and … cannot be …`, of an operator.
    Operands {
        /// What stands on the left.
        left: Shown,
        /// What stands on the right.
        right: Shown,
        /// What cannot be done with them: `added`.
        done: &'static str,
    },
    /// `… and … cannot have their containment checked`
    Contains {
        /// The input.
        whole: Shown,
        /// The argument.
        part: Shown,
    },
    /// `Cannot check whether … has a … key`
    Has {
        /// The input's type.
        whole: Type,
        /// The key's type.
        key: Type,
    },
    /// A function wants a value of another type.
    Unfit {
        /// The value, where the words begin with it.
        value: Option<Shown>,
        /// The type that is wanted.
        wanted: Type,
        /// jq's words.
        words: Cow<'static, str>,
    },
    /// A regular expression cannot be read.
    Pattern {
        /// The expression.
        pattern: String,
        /// Why.
        reason: String,
    },
    /// A text is not the date that a format asks for, or no date at all.
    Date(String),
    /// An error that the filter raised itself, or one that nobody treats in a way of its own.
    Other(String),
}

/// What a value was to be indexed with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Index {
    /// A value.
    Value(Shown),
    /// Some value of a type.
    Type(&'static str),
}

/// A value as it appears in an error: its type, and the beginning of its JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown {
    /// Its type.
    pub kind: Type,
    /// Its JSON, cut short.
    pub json: String,
}

impl Shown {
    /// True for null.
    pub fn is_null(&self) -> bool {
        self.kind == Type::Null
    }

    /// Shows a value.
    pub(crate) fn of(value: &Value) -> Self {
        Self { kind: value.kind(), json: cut(value.to_json()) }
    }
}

fn cut(json: String) -> String {
    if json.len() <= MOST_BYTES {
        return json;
    }
    let end = if json.starts_with('"') { "...\"" } else { "..." };
    let mut keep = MOST_BYTES - end.len();
    while !json.is_char_boundary(keep) {
        keep -= 1;
    }
    format!("{}{end}", &json[..keep])
}

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.kind, self.json)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotUtf8(reason) => write!(f, "not valid UTF-8: {reason}"),
            Self::NotJson(reason) => write!(f, "not valid JSON: {reason}"),
            Self::TooDeep(most) => write!(f, "nested deeper than {most} levels"),
            Self::Index { whole, with: Index::Value(with) } => write!(f, "Cannot index {whole} with {with}"),
            Self::Index { whole, with: Index::Type(with) } => write!(f, "Cannot index {whole} with {with}"),
            Self::Iterate(over) => write!(f, "Cannot iterate over {over}"),
            Self::Operands { left, right, done } => write!(f, "{left} and {right} cannot be {done}"),
            Self::Contains { whole, part } => write!(f, "{whole} and {part} cannot have their containment checked"),
            Self::Has { whole, key } => write!(f, "Cannot check whether {whole} has a {key} key"),
            Self::Unfit { value: Some(value), words, .. } => write!(f, "{value} {words}"),
            Self::Unfit { value: None, words, .. } => f.write_str(words),
            Self::Pattern { pattern, reason } => write!(f, "{pattern} (at offset 0) is not a valid regex: {reason}"),
            Self::Date(words) | Self::Other(words) => f.write_str(words),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_values_are_cut_between_characters() {
        let rows = [
            (Value::Null, "null (null)"),
            (Value::from("a"), "string (\"a\")"),
            (Value::from("very-long-long-long-long-string"), "string (\"very-long-long-long-long...\")"),
            (Value::from("xxxx☆☆☆☆☆☆☆☆"), "string (\"xxxx☆☆☆☆☆☆...\")"),
        ];
        for (value, expected) in rows {
            assert_eq!(Shown::of(&value).to_string(), expected);
        }
    }
}
