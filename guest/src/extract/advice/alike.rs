//! What all values of a field have in common, beyond their type.

use serde_json::Value;

use super::nothing::FIRST_MILLISECONDS;

/// Larger numbers are no times in milliseconds since 1970: this is in 2033.
const LAST_MILLISECONDS: f64 = 2e12;

/// What all values of a field have in common; null has everything in common with the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Alike(u8);

impl Alike {
    /// Texts that read as numbers.
    pub(super) const DIGITS: Self = Self(1);
    /// Texts that are objects or arrays in JSON.
    pub(super) const JSON: Self = Self(1 << 1);
    /// Numbers that are milliseconds since 1970.
    pub(super) const MILLISECONDS: Self = Self(1 << 2);

    pub(super) fn of(value: &Value) -> Self {
        match value {
            Value::Null => Self(!0),
            Value::String(text) if is_number(text) => Self::DIGITS,
            Value::String(text) if is_json(text) => Self::JSON,
            Value::Number(number) if number.as_f64().is_some_and(is_milliseconds) => Self::MILLISECONDS,
            _ => Self(0),
        }
    }

    pub(super) fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    pub(super) fn are(self, what: Self) -> bool {
        self.0 & what.0 != 0
    }
}

fn is_milliseconds(number: f64) -> bool {
    (FIRST_MILLISECONDS..LAST_MILLISECONDS).contains(&number)
}

fn is_number(text: &str) -> bool {
    text.ends_with(|last: char| last.is_ascii_digit()) && text.parse::<f64>().is_ok()
}

fn is_json(text: &str) -> bool {
    text.starts_with(['{', '[']) && serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok()
}
