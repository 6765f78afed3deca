//! Paths into values: looking one up, changing what stands there, deleting many at once.

use std::rc::Rc;

use jaq_core::ValT as _;
use jaq_core::val::Range;

use super::{Result, Value, Values, failure, not_indexable, sort, spent};
use crate::budget;

/// Longer paths are refused: walking them recurses.
const MOST_PARTS: u32 = 10_000;

/// A larger array is not made by assigning to an index.
const MOST_ELEMENTS: f64 = 536_870_911.0;

/// What stands at a path; null where there is nothing.
pub(crate) fn get_path(value: Value, path: &[Value]) -> Result {
    within_limit(path)?;
    path.iter().try_fold(value, |value, part| value.index(part))
}

/// The value with what stands at a path replaced; what lacks on the way is made.
pub(crate) fn update_path<E: From<jaq_core::Error<Value>>>(
    mut value: Value,
    path: &[Value],
    change: impl FnOnce(Value) -> std::result::Result<Value, E>,
) -> std::result::Result<Value, E> {
    within_limit(path)?;
    let mut place = &mut value;
    for (depth, part) in path.iter().enumerate() {
        if let Value::Object(bounds) = part
            && !matches!(place, Value::Object(_))
        {
            let bounds = bounds.clone();
            let whole = std::mem::take(place);
            let range = bounds.get("start")..bounds.get("end");
            *place = update_slice(whole, range, &path[depth + 1..], change)?;
            return Ok(value);
        }
        place = slot(place, part)?;
    }
    *place = change(std::mem::take(place))?;
    Ok(value)
}

fn update_slice<E: From<jaq_core::Error<Value>>>(
    whole: Value,
    range: Range<&Value>,
    rest: &[Value],
    change: impl FnOnce(Value) -> std::result::Result<Value, E>,
) -> std::result::Result<Value, E> {
    let values = match whole {
        Value::Array(values) => values,
        Value::Null => Rc::default(),
        Value::Text(_) => return Ok(failure("Cannot update string slices")?),
        other => return Ok(failure(format!("Cannot update field at object index of {}", other.type_name()))?),
    };
    let (start, end) = slice_bounds(range, values.len())?;
    let part: Value = values[start..end].iter().cloned().collect();
    let part = if part == Value::array(Vec::new()) && values.is_empty() { Value::Null } else { part };
    // A closure of its own type at every level would never end; the last one is boxed.
    let change: Box<dyn FnOnce(Value) -> std::result::Result<Value, E> + '_> = Box::new(change);
    let new = if rest.is_empty() { change(part)? } else { update_path(part, rest, change)? };
    Ok(splice(values, start, end, new)?)
}

fn splice(mut values: Rc<Values>, start: usize, end: usize, new: Value) -> Result {
    let Value::Array(new) = new else {
        return failure("A slice of an array can only be assigned another array");
    };
    Rc::make_mut(&mut values).splice(start..end, new.iter().cloned());
    Ok(Value::Array(values))
}

/// The place of one part of a path, made where there is none.
pub(super) fn slot<'v>(whole: &'v mut Value, part: &Value) -> Result<&'v mut Value> {
    if let Value::Null = whole {
        match part {
            Value::Text(_) => *whole = Value::object(super::Map::default()),
            Value::Number(_) => *whole = Value::array(Vec::new()),
            _ => {}
        }
    }
    match (whole, part) {
        (Value::Object(members), Value::Text(key)) => {
            let members = Rc::make_mut(members);
            if members.get(key).is_none() {
                members.push(key.clone(), Value::Null);
            }
            Ok(members.get_mut(key).expect("it was just made"))
        }
        (Value::Array(values), Value::Number(number)) => {
            let at = made_place(number.value(), values.len())?;
            let values = Rc::make_mut(values);
            if at >= values.len() {
                // In WebAssembly, the product may be more than an address can say.
                if !budget::room((at + 1 - values.len()).saturating_mul(size_of::<Value>())) {
                    return spent();
                }
                values.resize(at + 1, Value::Null);
            }
            Ok(&mut values[at])
        }
        (Value::Array(_), Value::Array(_)) => failure("Cannot update field at array index of array"),
        (whole, part) => not_indexable(whole, part),
    }
}

fn made_place(index: f64, length: usize) -> Result<usize> {
    if index.is_nan() {
        return failure("Cannot set array element at NaN index");
    }
    if index > MOST_ELEMENTS {
        return failure("Array index too large");
    }
    let index = index.floor();
    let at = if index < 0.0 { index + length as f64 } else { index };
    if at < 0.0 { failure("Out of bounds negative array index") } else { Ok(at as usize) }
}

/// The element that an index means, counted from the end if it is negative.
pub(super) fn place(index: f64, length: usize) -> Option<usize> {
    let index = index.floor();
    let at = if index < 0.0 { index + length as f64 } else { index };
    (at >= 0.0 && at < length as f64).then_some(at as usize)
}

/// The elements that a slice means: its start is rounded down, its end up.
pub(super) fn slice_bounds(range: Range<&Value>, length: usize) -> Result<(usize, usize)> {
    let number = |bound: Option<&Value>, otherwise: f64| match bound {
        None | Some(Value::Null) => Ok(otherwise),
        Some(Value::Number(number)) if number.value().is_nan() => Ok(otherwise),
        Some(Value::Number(number)) => Ok(number.value()),
        Some(_) => failure("Start and end indices of an array slice must be numbers"),
    };
    let within = |at: f64| (if at < 0.0 { at + length as f64 } else { at }).clamp(0.0, length as f64);
    let start = within(number(range.start, 0.0)?).floor() as usize;
    let end = within(number(range.end, length as f64)?).ceil() as usize;
    Ok((start, end.max(start)))
}

/// The value without what stands at these paths, which all mean places in the value as it is.
pub(crate) fn delete_paths(value: Value, mut paths: Vec<Vec<Value>>) -> Result {
    paths.iter().try_for_each(|path| within_limit(path))?;
    sort(&mut paths);
    match paths.first() {
        Some(first) if first.is_empty() => Ok(Value::Null),
        _ => delete_sorted(value, &paths, 0),
    }
}

fn delete_sorted(mut value: Value, paths: &[Vec<Value>], depth: usize) -> Result {
    let mut gone = Vec::new();
    for group in paths.chunk_by(|a, b| a[depth] == b[depth]).rev() {
        let part = &group[0][depth];
        if group[0].len() == depth + 1 {
            gone.push(part);
            continue;
        }
        let inner = get_path(value.clone(), std::slice::from_ref(part))?;
        if !matches!(inner, Value::Null) {
            let inner = delete_sorted(inner, group, depth + 1)?;
            value = update_path(value, std::slice::from_ref(part), |_| Result::Ok(inner))?;
        }
    }
    if gone.is_empty() { Ok(value) } else { delete_parts(value, &gone) }
}

fn delete_parts(value: Value, parts: &[&Value]) -> Result {
    match value {
        Value::Null => Ok(Value::Null),
        Value::Object(mut members) => {
            let mut gone = vec![false; members.len()];
            for part in parts {
                let Value::Text(key) = part else { return cannot_delete(part, "object") };
                members.place(key).into_iter().for_each(|at| gone[at] = true);
            }
            if gone.contains(&true) {
                Rc::make_mut(&mut members).retain(|at| !gone[at]);
            }
            Ok(Value::Object(members))
        }
        Value::Array(mut values) => {
            let mut gone = vec![false; values.len()];
            for part in parts {
                match part {
                    Value::Number(number) => {
                        place(number.value(), values.len()).into_iter().for_each(|at| gone[at] = true);
                    }
                    Value::Object(bounds) => {
                        let (start, end) = slice_bounds(bounds.get("start")..bounds.get("end"), values.len())?;
                        gone[start..end].fill(true);
                    }
                    other => return cannot_delete(other, "array"),
                }
            }
            let mut gone = gone.into_iter();
            Rc::make_mut(&mut values).retain(|_| gone.next() == Some(false));
            Ok(Value::Array(values))
        }
        other => cannot_delete(parts[0], other.type_name()),
    }
}

fn cannot_delete(part: &Value, whole: &str) -> Result {
    let part = if matches!(part, Value::Text(_)) { "object" } else { "array" };
    failure(format!("Cannot delete field at {part} index of {whole}"))
}

fn within_limit(path: &[Value]) -> Result<()> {
    match u32::try_from(path.len()) {
        Ok(levels) if levels <= MOST_PARTS && budget::level(levels) => Ok(()),
        _ => failure("Path too deep"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> Value {
        Value::parse(text, 8).unwrap()
    }

    fn parts(text: &str) -> Vec<Value> {
        let Value::Array(parts) = value(text) else { panic!("{text} is no path") };
        parts.to_vec()
    }

    fn shown(result: Result) -> String {
        result.map_or_else(|error| super::super::failure_of(error).to_string(), |value| value.to_json())
    }

    #[test]
    fn what_lacks_on_a_path_is_made() {
        let rows = [
            ("null", r#"["a",1,"b"]"#, r#"{"a":[null,{"b":9}]}"#),
            ("[1,2]", "[-1]", "[1,9]"),
            ("[1]", "[-2]", "Out of bounds negative array index"),
            ("null", "[-1]", "Out of bounds negative array index"),
            ("[0,1]", "[1.5]", "[0,9]"),
            (r#"{"a":1}"#, "[0]", "Cannot index object with number (0)"),
            ("[0]", "[1e9]", "Array index too large"),
        ];
        for (whole, path, expected) in rows {
            let changed = update_path(value(whole), &parts(path), |_| Result::Ok(Value::from(9.0)));
            assert_eq!(shown(changed), expected, "{whole} {path}");
        }
        let sliced = update_path(value("[0,1,2,3]"), &parts(r#"[{"start":1,"end":3}]"#), |_| Result::Ok(value("[7]")));
        assert_eq!(shown(sliced), "[0,7,3]");
    }

    #[test]
    fn many_paths_are_deleted_as_they_stood() {
        let rows = [
            ("[0,1,2,3]", "[[0],[1],[1]]", "[2,3]"),
            ("[0,1,2,3]", "[[0],[2]]", "[1,3]"),
            (r#"{"a":{"b":1},"c":2}"#, r#"[["a","b"],["c"],["x","y"]]"#, r#"{"a":{}}"#),
            ("[1]", "[[5]]", "[1]"),
        ];
        for (whole, paths, expected) in rows {
            let paths: Vec<Vec<Value>> = parts(paths).iter().map(|path| parts(&path.to_json())).collect();
            assert_eq!(shown(delete_paths(value(whole), paths)), expected, "{whole}");
        }
    }
}
