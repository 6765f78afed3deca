//! Arrays and objects: length, keys, sorting, grouping, searching.

use std::rc::Rc;

use jaq_core::box_iter::box_once;
use jaq_core::{Exn, ValX, ValXs};

use super::{Call, CallWith, Fast, Reads, Row, Whole, filter, native, run};
use crate::budget;
use crate::failure::{Failure, Shown};
use crate::json::Type;
use crate::value::{
    Result, Text, Value, copied, fail, failure, not_indexable_with, not_iterable, sort, spent, unfit, wants,
};

pub(super) fn rows() -> Vec<Row> {
    vec![
        native!("length", length).fast(Fast::Call(Call::Length)).whole(Whole::Length),
        native!("keys", |value| keys(value, true)).fast(Fast::Call(Call::Keys)),
        native!("keys_unsorted", |value| keys(value, false)).fast(Fast::Call(Call::KeysUnsorted)),
        native!("has", 1, |value, key| has(&value, &key).map(Value::from))
            .reads(Reads::Key)
            .fast(Fast::With(CallWith::Has)),
        native!("contains", 1, |value, part| contains(&value, &part)).fast(Fast::With(CallWith::Contains)),
        native!("has_member", 1, |set, member| Ok(Value::from(has_member(&set, &member))))
            .fast(Fast::With(CallWith::HasMember)),
        native!("type", |value: Value| Ok(type_of(&value))).reads(Reads::Nothing).fast(Fast::Call(Call::Type)),
        native!("not", |value: Value| Ok(Value::from(!value.is_true())))
            .fast(Fast::Not)
            .hint("`not` takes its input from the left: `select(.tags == null | not)`"),
        native!("add", add).fast(Fast::Call(Call::Add)),
        native!("reverse", reverse).fast(Fast::Call(Call::Reverse)),
        native!("sort", |value| Ok(Value::array(sorted(array(value, "be sorted")?))))
            .fast(Fast::Call(Call::Sort))
            .whole(Whole::Sort)
            .hint("write `sort_by(…)`"),
        native!("unique", |value| {
            let mut values = sorted(array(value, "be sorted")?);
            values.dedup();
            Ok(Value::array(values))
        })
        .fast(Fast::Call(Call::Unique))
        .whole(Whole::Unique)
        .hint("write `unique_by(…)`"),
        native!("flatten", 1, flatten),
        native!("min", |value| Ok(array(value, "be iterated over")?
            .into_iter()
            .reduce(|a, b| if b < a { b } else { a })
            .unwrap_or_default()))
        .hint("write `min_by(…)`"),
        native!("max", |value| Ok(array(value, "be iterated over")?
            .into_iter()
            .reduce(|a, b| if b >= a { b } else { a })
            .unwrap_or_default()))
        .hint("write `max_by(…)`"),
        native!("bsearch", 1, bsearch),
        native!("transpose", transpose),
        run(("sort_by", filter(), |mut cv| {
            let (f, context) = cv.0.pop_fun();
            by_key(cv.1, "be sorted", move |value| f.run((context.clone(), value)), values)
        }))
        .one()
        .fast(Fast::By(Whole::Sort))
        .whole(Whole::Sort),
        run(("group_by", filter(), |mut cv| {
            let (f, context) = cv.0.pop_fun();
            by_key(
                cv.1,
                "be grouped",
                move |value| f.run((context.clone(), value)),
                |keyed| keyed.chunk_by(|a, b| a.0 == b.0).map(|group| values(group.to_vec())).collect(),
            )
        }))
        .one()
        .fast(Fast::By(Whole::Group))
        .whole(Whole::Group),
        run(("unique_by", filter(), |mut cv| {
            let (f, context) = cv.0.pop_fun();
            by_key(
                cv.1,
                "be grouped",
                move |value| f.run((context.clone(), value)),
                |mut keyed| {
                    keyed.dedup_by(|b, a| a.0 == b.0);
                    values(keyed)
                },
            )
        }))
        .one()
        .fast(Fast::By(Whole::Unique))
        .whole(Whole::Unique),
        run(("min_by", filter(), |mut cv| {
            let (f, context) = cv.0.pop_fun();
            extreme(cv.1, move |value| f.run((context.clone(), value)), |best, new| new < best)
        }))
        .one()
        .fast(Fast::By(Whole::Smallest))
        .whole(Whole::Smallest),
        run(("max_by", filter(), |mut cv| {
            let (f, context) = cv.0.pop_fun();
            extreme(cv.1, move |value| f.run((context.clone(), value)), |best, new| new >= best)
        }))
        .one()
        .fast(Fast::By(Whole::Largest))
        .whole(Whole::Largest),
    ]
}

type Keyed = (Vec<Value>, Value);

/// The elements of an array, each once.
fn array(value: Value, done: &str) -> Result<Vec<Value>> {
    match value {
        Value::Array(values) => Ok(Rc::unwrap_or_clone(values).into_vec()),
        other => unfit(&other, Type::Array, format!("cannot {done}, as it is not an array")),
    }
}

fn values(keyed: Vec<Keyed>) -> Value {
    keyed.into_iter().map(|(_, value)| value).collect()
}

fn sorted(mut values: Vec<Value>) -> Vec<Value> {
    sort(&mut values);
    values
}

fn keyed<'a>(value: Value, done: &str, key: impl Fn(Value) -> ValXs<'a, Value>) -> ValX<'a, Vec<Keyed>, Value> {
    let values = array(value, done).map_err(Exn::from)?;
    copied(values.len());
    values.into_iter().map(|value| Ok((key(value.clone()).collect::<std::result::Result<_, _>>()?, value))).collect()
}

fn by_key<'a>(
    value: Value,
    done: &str,
    key: impl Fn(Value) -> ValXs<'a, Value>,
    result: impl Fn(Vec<Keyed>) -> Value,
) -> ValXs<'a, Value> {
    box_once(keyed(value, done, key).map(|mut keyed| {
        sort(&mut keyed);
        result(keyed)
    }))
}

fn extreme<'a>(
    value: Value,
    key: impl Fn(Value) -> ValXs<'a, Value>,
    replaces: impl Fn(&[Value], &[Value]) -> bool,
) -> ValXs<'a, Value> {
    let best = keyed(value, "be iterated over", key).map(|keyed| {
        let best = keyed.into_iter().reduce(|best, new| if replaces(&best.0, &new.0) { new } else { best });
        best.map(|(_, value)| value).unwrap_or_default()
    });
    box_once(best)
}

fn length(value: Value) -> Result {
    match value {
        Value::Null => Ok(Value::from(0.0)),
        Value::Bool(_) => unfit(&value, Type::Array, "has no length"),
        // Zero has a sign too.
        Value::Number(number) if number.value() <= 0.0 && number.value().is_sign_negative() => {
            Ok(Value::Number(number.negated()))
        }
        Value::Number(_) => Ok(value),
        Value::Text(text) => Ok(Value::from(text.chars().count())),
        Value::Array(values) => Ok(Value::from(values.len())),
        Value::Object(members) => Ok(Value::from(members.len())),
    }
}

fn keys(value: Value, in_order: bool) -> Result {
    match value {
        Value::Array(values) => Ok((0..values.len()).map(Value::from).collect()),
        Value::Object(members) if in_order => {
            Ok(members.sorted().into_iter().map(|(key, _)| Value::Text(key.clone())).collect())
        }
        Value::Object(members) => Ok(members.iter().map(|(key, _)| Value::Text(key.clone())).collect()),
        other => unfit(&other, Type::Object, "has no keys"),
    }
}

fn has(value: &Value, key: &Value) -> Result<bool> {
    match (value, key) {
        (Value::Null, _) => Ok(false),
        (Value::Object(members), Value::Text(key)) => Ok(members.get(key).is_some()),
        (Value::Array(values), Value::Number(number)) => {
            Ok(number.value() >= 0.0 && number.value() < values.len() as f64)
        }
        _ => fail(Failure::Has { whole: value.kind(), key: key.kind() }),
    }
}

/// Values nested deeper are not compared.
const MOST_NESTING: u32 = 10_000;

fn contains(value: &Value, part: &Value) -> Result {
    if value.type_name() != part.type_name() {
        return fail(Failure::Contains { whole: Shown::of(value), part: Shown::of(part) });
    }
    part_of(value, part, MOST_NESTING).map(Value::from)
}

fn part_of(value: &Value, part: &Value, left: u32) -> Result<bool> {
    if !budget::level(MOST_NESTING - left) || !budget::steps(1) {
        return spent();
    }
    let deeper = || left.checked_sub(1).map_or_else(|| failure("Containment check too deep"), Ok);
    match (value, part) {
        (Value::Object(value), Value::Object(part)) => {
            for (key, part) in part.iter() {
                let Some(value) = value.get(key) else { return Ok(false) };
                if !part_of(value, part, deeper()?)? {
                    return Ok(false);
                }
            }
            Ok(true)
        }
        (Value::Array(values), Value::Array(parts)) => {
            for part in parts.iter() {
                let mut found = false;
                for value in values.iter() {
                    found = found || part_of(value, part, deeper()?)?;
                }
                if !found {
                    return Ok(false);
                }
            }
            Ok(true)
        }
        (Value::Text(value), Value::Text(part)) => {
            Ok(memchr::memmem::find(value.as_bytes(), part.as_bytes()).is_some())
        }
        (value, part) => Ok(value == part),
    }
}

/// What `index` says of a set of tags, without looking for the place: an array has the element, a text has the part.
fn has_member(set: &Value, member: &Value) -> bool {
    if let Value::Array(elements) = set {
        copied(elements.len());
    }
    match (set, member) {
        (Value::Array(elements), member) => elements.contains(member),
        (Value::Text(text), Value::Text(part)) => {
            !part.is_empty() && memchr::memmem::find(text.as_bytes(), part.as_bytes()).is_some()
        }
        _ => false,
    }
}

fn type_of(value: &Value) -> Value {
    thread_local! {
        /// Those of all types, in order: a filter asks many values.
        static NAMES: [Text; 6] = [Type::Null, Type::Boolean, Type::Number, Type::String, Type::Array, Type::Object]
            .map(|kind| kind.name().into());
    }
    NAMES.with(|names| Value::Text(names[value.kind() as usize].clone()))
}

fn add(value: Value) -> Result {
    let values: Vec<Value> = match value {
        Value::Array(values) => Rc::unwrap_or_clone(values).into_vec(),
        Value::Object(members) => members.iter().map(|(_, value)| value.clone()).collect(),
        other => return not_iterable(&other),
    };
    values.into_iter().try_fold(Value::Null, |sum, value| sum + value)
}

fn reverse(value: Value) -> Result {
    match value {
        // jq counts down from the length, so what has none of it has nothing to turn round.
        Value::Null => Ok(Value::array(Vec::new())),
        Value::Object(members) if members.len() == 0 => Ok(Value::array(Vec::new())),
        Value::Number(number) if number.value() == 0.0 => Ok(Value::array(Vec::new())),
        Value::Text(text) => Ok(Value::from(text.chars().rev().collect::<String>())),
        Value::Array(values) => {
            let mut values = Rc::unwrap_or_clone(values).into_vec();
            copied(values.len());
            values.reverse();
            Ok(Value::array(values))
        }
        other => wants(Type::Array, format!("Cannot reverse {}", Shown::of(&other))),
    }
}

fn flatten(value: Value, depth: Value) -> Result {
    let Some(depth) = depth.as_f64() else { return failure("flatten depth must not be negative") };
    if depth < 0.0 {
        return failure("flatten depth must not be negative");
    }
    let values: Vec<Value> = match value {
        Value::Array(values) => Rc::unwrap_or_clone(values).into_vec(),
        Value::Object(members) => members.iter().map(|(_, value)| value.clone()).collect(),
        other => return not_iterable(&other),
    };
    let mut flat = Vec::with_capacity(values.len());
    values.into_iter().for_each(|value| flatten_into(&mut flat, value, depth, 1));
    Ok(Value::array(flat))
}

fn flatten_into(flat: &mut Vec<Value>, value: Value, depth: f64, level: u32) {
    match value {
        Value::Array(values) if depth > 0.0 => {
            if budget::level(level) && budget::room(values.len() * size_of::<Value>()) {
                values.iter().for_each(|value| flatten_into(flat, value.clone(), depth - 1.0, level + 1));
            }
        }
        other => flat.push(other),
    }
}

fn bsearch(value: Value, wanted: Value) -> Result {
    let Value::Array(values) = &value else { return unfit(&value, Type::Array, "cannot be searched from") };
    Ok(match values.binary_search_by(|value| value.cmp(&wanted)) {
        Ok(at) => Value::from(at),
        Err(at) => Value::from(-1.0 - at as f64),
    })
}

fn transpose(value: Value) -> Result {
    let rows = array(value, "be transposed")?;
    let mut lists = Vec::with_capacity(rows.len());
    for row in &rows {
        lists.push(match row {
            Value::Array(row) => &row[..],
            Value::Null => &[],
            other => return not_indexable_with(other, "number"),
        });
    }
    let width = lists.iter().map(|row| row.len()).max().unwrap_or(0);
    let column = |at: usize| lists.iter().map(|row| row.get(at).cloned().unwrap_or_default()).collect::<Value>();
    Ok((0..width).map(column).collect())
}

#[cfg(test)]
mod tests {
    use crate::{Limits, outputs};

    #[test]
    fn sizes_and_members_are_those_of_jq() {
        let rows = [
            (r#"[null,-3,3,0,"é",[1,2],{"a":1}] | map(length)"#, "[0,3,3,0,1,2,1]"),
            ("[5,6] | [has(0, 1, 2, -1, 1.5)]", "[true,true,false,false,true]"),
            (r#"{"a":null} | [has("a", "b")]"#, "[true,false]"),
            (r#"null | [has("a", 2, null, [])]"#, "[false,false,false,false]"),
            ("[-0, (0 * -1) | length | tostring]", r#"["0","0"]"#),
            ("[null, {}, 0, [1,2] | reverse]", "[[],[],[],[2,1]]"),
            (r#"[["x"],null] | transpose"#, r#"[["x",null]]"#),
            ("[null,[1,2],[3]] | transpose", "[[null,1,3],[null,2,null]]"),
            ("[[null,null], [null], [[],null] | transpose]", "[[],[],[]]"),
            (r#"[1,"a"] | [contains([1]), contains(["a"]), contains([2])]"#, "[true,true,false]"),
            (r#"{"a":[1,2]} | [contains({"a":[2]}), contains({"b":1}), contains({"a":[3]})]"#, "[true,false,false]"),
            (r#"["foobar" | contains("oba", "x")]"#, "[true,false]"),
        ];
        for (filter, expected) in rows {
            let (found, failure) = outputs(filter, crate::Value::default(), &Limits::default()).unwrap();
            assert_eq!((found.join(" ").as_str(), failure.is_none()), (expected, true), "{filter}");
        }
    }
}
