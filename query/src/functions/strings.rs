//! Texts: trimming, splitting, joining, searching, and turning values into texts and back.

use super::{Call, CallWith, Fast, Row, native};
use crate::failure::Failure;
use crate::json::Type;
use crate::value::{Number, Result, Text, Value, failure, not_indexable, not_iterable, places_of, split, unfit, wants};

/// How deep a text may be nested that `fromjson` reads.
const MOST_NESTING: u32 = 512;

pub(super) fn rows() -> Vec<Row> {
    vec![
        native!("tostring", |value: Value| Ok(Value::Text(value.to_text()))).fast(Fast::Call(Call::ToString)),
        native!("tojson", |value: Value| Ok(Value::from(value.to_json()))).fast(Fast::Call(Call::ToJson)),
        native!("fromjson", from_json),
        native!("tonumber", to_number),
        native!("toboolean", to_boolean),
        native!("utf8bytelength", |value: Value| match &value {
            Value::Text(text) => Ok(Value::from(text.len())),
            other => unfit(other, Type::String, "only strings have UTF-8 byte length"),
        }),
        native!("explode", |value: Value| match &value {
            Value::Text(text) => Ok(text.chars().map(|c| Value::from(f64::from(u32::from(c)))).collect()),
            other => unfit(other, Type::String, "cannot be exploded"),
        }),
        native!("implode", implode),
        native!("ascii_downcase", |value: Value| match &value {
            Value::Text(text) => Ok(Value::from(text.to_ascii_lowercase())),
            _ => wants(Type::String, "ascii_downcase input must be a string"),
        })
        .fast(Fast::Call(Call::Downcase)),
        native!("ascii_upcase", |value: Value| match &value {
            Value::Text(text) => Ok(Value::from(text.to_ascii_uppercase())),
            _ => wants(Type::String, "ascii_upcase input must be a string"),
        })
        .fast(Fast::Call(Call::Upcase)),
        native!("trim", |value| trimmed(&value, true, true)),
        native!("ltrim", |value| trimmed(&value, true, false)),
        native!("rtrim", |value| trimmed(&value, false, true)),
        native!("startswith", 1, |value, part| two(&value, &part, "startswith()")
            .map(|(a, b)| Value::from(a.starts_with(&**b))))
        .fast(Fast::With(CallWith::StartsWith)),
        native!("endswith", 1, |value, part| two(&value, &part, "endswith()")
            .map(|(a, b)| Value::from(a.ends_with(&**b))))
        .fast(Fast::With(CallWith::EndsWith)),
        native!("ltrimstr", 1, |value, part| {
            let (text, part) = two(&value, &part, "startswith()")?;
            Ok(Value::Text(if text.starts_with(&**part) { text.slice(part.len(), text.len()) } else { text.clone() }))
        })
        .fast(Fast::With(CallWith::TrimStart)),
        native!("rtrimstr", 1, |value, part| {
            let (text, part) = two(&value, &part, "endswith()")?;
            Ok(Value::Text(if text.ends_with(&**part) { text.slice(0, text.len() - part.len()) } else { text.clone() }))
        })
        .fast(Fast::With(CallWith::TrimEnd)),
        native!("split", 1, |value: Value, separator: Value| match (&value, &separator) {
            (Value::Text(text), Value::Text(separator)) => Ok(split(text, separator)),
            _ => wants(Type::String, "split input and separator must be strings"),
        })
        .fast(Fast::With(CallWith::Split)),
        native!("join", 1, join).fast(Fast::With(CallWith::Join)),
        native!("indices", 1, indices),
        native!("_strindices", 1, |value: Value, part: Value| match (&value, &part) {
            (Value::Text(text), Value::Text(part)) => Ok(places(text, part)),
            (Value::Text(_), other) => unfit(other, Type::String, "is not a string"),
            (other, _) => unfit(other, Type::String, "cannot be searched, as it is not a string"),
        }),
    ]
}

fn two<'v>(value: &'v Value, part: &'v Value, what: &str) -> Result<(&'v Text, &'v Text)> {
    match (value, part) {
        (Value::Text(value), Value::Text(part)) => Ok((value, part)),
        _ => wants(Type::String, format!("{what} requires string inputs")),
    }
}

fn trimmed(value: &Value, front: bool, back: bool) -> Result {
    let Value::Text(text) = value else { return wants(Type::String, "trim input must be a string") };
    let start = if front { text.len() - text.trim_start().len() } else { 0 };
    let end = if back { text.trim_end().len().max(start) } else { text.len() };
    Ok(Value::Text(text.slice(start, end)))
}

fn from_json(value: Value) -> Result {
    let Value::Text(text) = &value else {
        return unfit(&value, Type::String, "only strings can be parsed");
    };
    let bare = text.trim();
    if matches!(bare, "nan" | "NaN" | "-nan" | "-NaN") {
        return Ok(Value::from(f64::NAN));
    }
    Value::parse(text, MOST_NESTING).or_else(|error| {
        let word = !bare.is_empty() && bare.bytes().all(|byte| byte.is_ascii_alphanumeric());
        let error = match error {
            Failure::TooDeep(_) => "Exceeds depth limit for parsing".to_owned(),
            _ if word => format!("Invalid numeric literal at EOF at line 1, column {}", bare.len()),
            error => error.to_string(),
        };
        failure(format!("{error} (while parsing '{}')", &**text))
    })
}

fn to_number(value: Value) -> Result {
    match &value {
        Value::Number(_) => Ok(value),
        Value::Text(text) if is_number(text) => {
            Ok(Value::Number(Number::from_literal(text.strip_prefix('+').unwrap_or(text))))
        }
        Value::Text(text) if matches!(&**text, "nan" | "NaN") => Ok(Value::from(f64::NAN)),
        other => unfit(other, Type::String, "cannot be parsed as a number"),
    }
}

fn is_number(text: &str) -> bool {
    let rest = text.strip_prefix(['-', '+']).unwrap_or(text);
    let (mantissa, exponent) = match rest.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent.strip_prefix(['-', '+']).unwrap_or(exponent))),
        None => (rest, None),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let some = !whole.is_empty() || !fraction.is_empty();
    some && digits(whole)
        && digits(fraction)
        && exponent.is_none_or(|exponent| !exponent.is_empty() && digits(exponent))
}

fn to_boolean(value: Value) -> Result {
    match value.as_str() {
        Some("true") => Ok(Value::Bool(true)),
        Some("false") => Ok(Value::Bool(false)),
        _ if matches!(value, Value::Bool(_)) => Ok(value),
        _ => unfit(&value, Type::String, "cannot be parsed as a boolean"),
    }
}

fn implode(value: Value) -> Result {
    let Value::Array(points) = &value else { return wants(Type::Array, "implode input must be an array") };
    let mut text = String::with_capacity(points.len());
    for point in points.iter() {
        let Some(number) = point.as_f64().filter(|number| !number.is_nan()) else {
            return unfit(point, Type::Number, "can't be imploded, unicode codepoint needs to be numeric");
        };
        let character = if number < 0.0 { None } else { char::from_u32(number as u32) };
        text.push(character.unwrap_or(char::REPLACEMENT_CHARACTER));
    }
    Ok(Value::from(text))
}

fn join(value: Value, separator: Value) -> Result {
    let values = match &value {
        Value::Array(values) => values.iter().cloned().collect::<Vec<_>>(),
        Value::Object(members) => members.iter().map(|(_, value)| value.clone()).collect(),
        other => return not_iterable(other),
    };
    if values.is_empty() {
        return Ok(Value::from(""));
    }
    let mut joined = String::new();
    for (i, value) in values.iter().enumerate() {
        if i > 0 {
            match &separator {
                Value::Text(separator) => joined.push_str(separator),
                Value::Null => {}
                other => return Value::from(joined) + other.clone(),
            }
        }
        match value {
            Value::Null => {}
            Value::Text(text) => joined.push_str(text),
            Value::Bool(_) | Value::Number(_) => joined.push_str(&value.to_json()),
            other => return Value::from(joined) + other.clone(),
        }
    }
    Ok(Value::from(joined))
}

fn indices(value: Value, part: Value) -> Result {
    match (&value, &part) {
        (Value::Null, Value::Text(_) | Value::Number(_) | Value::Object(_)) => Ok(Value::Null),
        (Value::Text(text), Value::Text(part)) => Ok(places(text, part)),
        (Value::Array(values), Value::Array(part)) => Ok(places_of(values, part)),
        (Value::Array(values), part) => Ok(places_of(values, std::slice::from_ref(part))),
        _ => not_indexable(&value, &part),
    }
}

/// Where a part stands in a text, in characters; the places may overlap.
fn places(text: &str, part: &str) -> Value {
    if part.is_empty() {
        return Value::array(Vec::new());
    }
    let (mut places, mut from, mut characters) = (Vec::new(), 0, 0);
    while let Some(at) = memchr::memmem::find(&text.as_bytes()[from..], part.as_bytes()) {
        characters += text[from..from + at].chars().count();
        places.push(Value::from(characters));
        let step = text[from + at..].chars().next().map_or(1, char::len_utf8);
        from += at + step;
        characters += 1;
    }
    Value::array(places)
}
