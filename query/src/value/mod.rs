//! The values that filters work on: JSON as jq sees it.
//!
//! Cloning is cheap: whatever owns memory is counted. A text is a slice of the line that it was read from, a number keeps
//! the text that it was written with, and an object keeps the order of its keys.

mod access;
mod map;
mod number;
mod operators;
mod order;
mod print;
mod reader;
mod sorting;
mod text;
mod update;
mod values;

use std::borrow::Cow;
use std::rc::Rc;

use crate::budget;
use crate::failure::{Failure, Index, Shown};
use crate::json::Type;

pub(super) use access::places_of;
pub(super) use map::Map;
pub(super) use number::Number;
pub(super) use operators::{pieces, split};
pub(super) use print::{print, print_key};
pub(super) use sorting::sort;
pub(super) use text::Text;
pub(super) use update::{delete_paths, get_path, update_path};
pub(super) use values::{Values, copied};

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
    Array(Rc<Values>),
    /// An object.
    Object(Rc<Map>),
}

/// A value, or the error that a filter can catch.
pub(super) type Result<T = Value> = std::result::Result<T, jaq_core::Error<Value>>;

/// An error that a filter can catch as the text that jq has for it.
pub(super) fn fail<T>(failure: Failure) -> Result<T> {
    Err(jaq_core::Error::new(Value::Text(Text::of_failure(failure))))
}

/// The error of an operator that finds the budget used up. Whoever catches it does not get far.
pub(super) fn spent<T>() -> Result<T> {
    failure("the budget is used up")
}

/// An error of no kind of its own, with a text.
pub(super) fn failure<T>(text: impl Into<String>) -> Result<T> {
    fail(Failure::Other(text.into()))
}

/// The error for a value of another type than the wanted one; its text begins with the value.
pub(super) fn unfit<T>(value: &Value, wanted: Type, words: impl Into<Cow<'static, str>>) -> Result<T> {
    fail(Failure::Unfit { value: Some(Shown::of(value)), wanted, words: words.into() })
}

/// The same, with a text that says nothing of the value.
pub(super) fn wants<T>(wanted: Type, words: impl Into<Cow<'static, str>>) -> Result<T> {
    fail(Failure::Unfit { value: None, wanted, words: words.into() })
}

/// The error of a value that has no elements.
pub(super) fn not_iterable<T>(value: &Value) -> Result<T> {
    fail(Failure::Iterate(Shown::of(value)))
}

/// The error of a value that has no element of this kind.
pub(super) fn not_indexable<T>(whole: &Value, with: &Value) -> Result<T> {
    fail(Failure::Index { whole: whole.kind(), with: Index::Value(Shown::of(with)) })
}

/// The same, of any index of a type.
pub(super) fn not_indexable_with<T>(whole: &Value, with: &'static str) -> Result<T> {
    fail(Failure::Index { whole: whole.kind(), with: Index::Type(with) })
}

/// What an error is. One that was raised by the filter has the text that was raised, bare.
pub(super) fn failure_of(error: jaq_core::Error<Value>) -> Failure {
    match error.into_val() {
        Value::Text(text) => text.failure().cloned().unwrap_or_else(|| Failure::Other(text.to_string())),
        other => Failure::Other(other.to_json()),
    }
}

impl Value {
    /// Reads a JSON text.
    pub(super) fn parse(text: &str, most_nesting: u32) -> std::result::Result<Self, Failure> {
        reader::read(text, most_nesting)
    }

    /// An array.
    pub(super) fn array(values: Vec<Self>) -> Self {
        Self::Array(Rc::new(Values::from(values)))
    }

    /// An object of a map.
    pub(super) fn object(map: Map) -> Self {
        Self::Object(Rc::new(map))
    }

    /// Its type.
    pub(super) fn kind(&self) -> Type {
        match self {
            Self::Null => Type::Null,
            Self::Bool(_) => Type::Boolean,
            Self::Number(_) => Type::Number,
            Self::Text(_) => Type::String,
            Self::Array(_) => Type::Array,
            Self::Object(_) => Type::Object,
        }
    }

    /// The name of its type.
    pub(super) fn type_name(&self) -> &'static str {
        self.kind().name()
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
    /// A text that was made, which costs its length.
    fn from(value: String) -> Self {
        budget::bytes(value.len());
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
    /// An array of values. It is cut short where the budget ends, which ends the call as well.
    fn from_iter<I: IntoIterator<Item = Value>>(values: I) -> Self {
        Self::array(gathered(values.into_iter()))
    }
}

/// Up to so many values are gathered without a look at the budget.
const FEW: usize = 64;

/// The values of an iterator that may have no end.
fn gathered(mut values: impl Iterator<Item = Value>) -> Vec<Value> {
    let few = matches!(values.size_hint(), (_, Some(most)) if most <= FEW);
    let mut all: Vec<Value> = if few { values.by_ref().collect() } else { values.by_ref().take(FEW).collect() };
    if few || all.len() < FEW {
        return all;
    }
    let bytes = |count: usize| count * size_of::<Value>();
    for value in values {
        if all.len() == all.capacity() {
            if !budget::has_room(bytes(all.len() * 2)) {
                break;
            }
            all.reserve(all.len());
        }
        all.push(value);
    }
    values::copied(all.len());
    all
}
