//! The values that filters work on: JSON as jq sees it.
//!
//! Cloning is cheap: whatever owns memory is counted. A text is a slice of the line that it was read from, a number keeps
//! the text that it was written with, and an object keeps the order of its keys.

mod access;
mod describe;
mod map;
mod number;
mod operators;
mod order;
mod print;
mod reader;
mod text;
mod update;

use std::rc::Rc;

pub(super) use access::places_of;
pub(super) use describe::described;
pub(super) use map::Map;
pub(super) use number::Number;
pub(super) use operators::split;
pub(super) use print::{print, print_key};
pub(super) use text::Text;
pub(super) use update::{delete_paths, get_path, update_path};

/// A value.
#[derive(Debug, Clone, Default)]
pub enum Value {
    /// Null.
    #[default]
    Null,
    /// True or false.
    Bool(bool),
    /// A number.
    Number(Number),
    /// A text.
    Text(Text),
    /// An array.
    Array(Rc<Vec<Value>>),
    /// An object.
    Object(Rc<Map>),
}

/// A value, or the error that a filter can catch.
pub(super) type Result<T = Value> = std::result::Result<T, jaq_core::Error<Value>>;

/// An error with a text.
pub(super) fn failure<T>(text: impl Into<String>) -> Result<T> {
    Err(jaq_core::Error::new(Value::from(text.into())))
}

/// The text of an error: a text that was thrown stands bare.
pub(super) fn message(error: jaq_core::Error<Value>) -> String {
    error.into_val().to_text().to_string()
}

impl Value {
    /// Reads a JSON text. Errors say why it is none.
    pub(super) fn parse(text: &str, most_nesting: u32) -> std::result::Result<Self, String> {
        reader::read(text, most_nesting)
    }

    /// An array.
    pub(super) fn array(values: Vec<Self>) -> Self {
        Self::Array(Rc::new(values))
    }

    /// An object of a map.
    pub(super) fn object(map: Map) -> Self {
        Self::Object(Rc::new(map))
    }

    /// The name of its type.
    pub(super) fn type_name(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "boolean",
            Self::Number(_) => "number",
            Self::Text(_) => "string",
            Self::Array(_) => "array",
            Self::Object(_) => "object",
        }
    }

    /// True but for false and null.
    pub(super) fn is_true(&self) -> bool {
        !matches!(self, Self::Null | Self::Bool(false))
    }

    /// The number, if it is one.
    pub(super) fn as_f64(&self) -> Option<f64> {
        match self {
            Self::Number(number) => Some(number.value()),
            _ => None,
        }
    }

    /// The text, if it is one.
    pub(super) fn as_str(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Itself as text: a text as it is, everything else as JSON.
    pub(super) fn to_text(&self) -> Text {
        match self {
            Self::Text(text) => text.clone(),
            other => Text::from(other.to_json()),
        }
    }

    /// Itself as JSON.
    pub(super) fn to_json(&self) -> String {
        let mut json = Vec::new();
        print(&mut json, self);
        String::from_utf8(json).expect("JSON is text")
    }
}

impl std::fmt::Display for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.to_json())
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<f64> for Value {
    fn from(value: f64) -> Self {
        Self::Number(Number::from(value))
    }
}

impl From<isize> for Value {
    fn from(value: isize) -> Self {
        Self::from(value as f64)
    }
}

impl From<usize> for Value {
    fn from(value: usize) -> Self {
        Self::from(value as f64)
    }
}

impl From<String> for Value {
    fn from(value: String) -> Self {
        Self::Text(Text::from(value))
    }
}

impl From<&str> for Value {
    fn from(value: &str) -> Self {
        Self::Text(Text::from(value.to_owned()))
    }
}

impl From<std::ops::Range<Option<Value>>> for Value {
    /// A slice as it stands in a path.
    fn from(range: std::ops::Range<Option<Value>>) -> Self {
        let bound = |bound: Option<Value>| bound.unwrap_or_default();
        Self::object(Map::from_iter([(Text::from("start"), bound(range.start)), (Text::from("end"), bound(range.end))]))
    }
}

impl FromIterator<Value> for Value {
    fn from_iter<I: IntoIterator<Item = Value>>(values: I) -> Self {
        Self::array(values.into_iter().collect())
    }
}
