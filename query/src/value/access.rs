//! Reaching into values: `.[k]`, `.[a:b]`, `.[]`, and the same on the left of an assignment, for the interpreter.

use std::rc::Rc;

use jaq_core::box_iter::{BoxIter, box_once};
use jaq_core::path::Opt;
use jaq_core::val::Range;
use jaq_core::{Exn, ValX};

use super::update::{place, slice_bounds, slot};
use super::{Map, Number, Result, Text, Value, failure, not_indexable, not_indexable_with, not_iterable, spent};
use crate::budget;
use crate::failure::Shown;

impl jaq_core::ValT for Value {
    fn from_num(text: &str) -> Result {
        Ok(Self::Number(Number::from_literal(text)))
    }

    fn from_map<I: IntoIterator<Item = (Self, Self)>>(members: I) -> Result {
        let mut map = Map::default();
        for (key, value) in members {
            match key {
                Self::Text(key) => map.insert(key, value),
                other => return failure(format!("Object keys must be strings, not {}", Shown::of(&other))),
            }
        }
        Ok(Self::object(map))
    }

    fn key_values(self) -> BoxIter<'static, std::result::Result<(Self, Self), jaq_core::Error<Self>>> {
        match self {
            Self::Array(values) => {
                Box::new((0..values.len()).map(move |i| Ok((Self::from(i), stepped(values[i].clone())?))))
            }
            Self::Object(members) => Box::new((0..members.len()).map(move |i| {
                let (key, value) = members.at(i).expect("the place is within");
                Ok((Self::Text(key.clone()), stepped(value.clone())?))
            })),
            other => box_once(not_iterable(&other)),
        }
    }

    fn values(self) -> Box<dyn Iterator<Item = Result>> {
        match self {
            Self::Array(values) => match Rc::try_unwrap(values) {
                Ok(values) => Box::new(values.into_vec().into_iter().map(stepped)),
                Err(values) => Box::new((0..values.len()).map(move |i| stepped(values[i].clone()))),
            },
            Self::Object(members) => Box::new((0..members.len()).map(move |i| {
                let (_, value) = members.at(i).expect("the place is within");
                stepped(value.clone())
            })),
            other => box_once(not_iterable(&other)),
        }
    }

    fn index(self, index: &Self) -> Result {
        match (&self, index) {
            (Self::Object(members), Self::Text(key)) => Ok(members.get(key).cloned().unwrap_or_default()),
            (Self::Array(values), Self::Number(number)) => {
                Ok(place(number.value(), values.len()).map(|at| values[at].clone()).unwrap_or_default())
            }
            (Self::Null, Self::Text(_) | Self::Number(_)) => Ok(Self::Null),
            (Self::Array(_) | Self::Null | Self::Text(_), Self::Object(bounds)) => {
                self.range(bounds.get("start")..bounds.get("end"))
            }
            (Self::Array(values), Self::Array(part)) => Ok(places_of(values, part)),
            _ => not_indexable(&self, index),
        }
    }

    fn range(self, range: Range<&Self>) -> Result {
        match &self {
            Self::Null => Ok(Self::Null),
            Self::Array(values) => {
                let (start, end) = slice_bounds(range, values.len())?;
                Ok(values[start..end].iter().cloned().collect())
            }
            Self::Text(text) => {
                let (start, end) = slice_bounds(range, text.chars().count())?;
                Ok(Self::Text(characters(text, start, end)))
            }
            other => not_indexable_with(other, "object"),
        }
    }

    fn map_values<'a, I: Iterator<Item = ValX<'a, Self>>>(self, opt: Opt, f: impl Fn(Self) -> I) -> ValX<'a, Self> {
        match self {
            Self::Array(values) => {
                let values = Rc::unwrap_or_clone(values).into_vec().into_iter();
                let kept: std::result::Result<Vec<_>, _> = values.filter_map(|value| f(value).next()).collect();
                Ok(Self::array(kept?))
            }
            Self::Object(mut members) => {
                let map = Rc::make_mut(&mut members);
                let mut gone = Vec::new();
                for at in 0..map.len() {
                    let value = map.value_at(at).expect("the place is within");
                    match f(std::mem::take(value)).next().transpose()? {
                        Some(new) => *value = new,
                        None => gone.push(at),
                    }
                }
                if !gone.is_empty() {
                    let mut gone = gone.into_iter().peekable();
                    map.retain(|at| gone.next_if_eq(&at).is_none());
                }
                Ok(Self::Object(members))
            }
            other => opt.fail(other, |value| Exn::from(not_iterable::<()>(&value).expect_err("it is an error"))),
        }
    }

    fn map_index<'a, I: Iterator<Item = ValX<'a, Self>>>(
        self,
        index: &Self,
        opt: Opt,
        f: impl Fn(Self) -> I,
    ) -> ValX<'a, Self> {
        if let (Self::Array(_) | Self::Null | Self::Text(_), Self::Object(bounds)) = (&self, index) {
            return self.map_range(bounds.get("start")..bounds.get("end"), opt, f);
        }
        let mut whole = self;
        match slot(&mut whole, index) {
            Ok(place) => match f(std::mem::take(place)).next().transpose()? {
                Some(new) => {
                    *place = new;
                    Ok(whole)
                }
                None => Ok(super::delete_paths(whole, vec![vec![index.clone()]])?),
            },
            Err(error) => opt.fail(whole, |_| Exn::from(error)),
        }
    }

    fn map_range<'a, I: Iterator<Item = ValX<'a, Self>>>(
        self,
        range: Range<&Self>,
        opt: Opt,
        f: impl Fn(Self) -> I,
    ) -> ValX<'a, Self> {
        let mut values = match self {
            Self::Array(values) => values,
            Self::Null => Rc::default(),
            Self::Text(_) => {
                return opt.fail(self, |_| {
                    Exn::from(failure::<()>("Cannot update string slices").expect_err("it is an error"))
                });
            }
            _ => {
                let error = failure::<()>(format!("Cannot update field at object index of {}", self.type_name()));
                return opt.fail(self, |_| Exn::from(error.expect_err("it is an error")));
            }
        };
        let (start, end) = slice_bounds(range, values.len())?;
        let part: Self = values[start..end].iter().cloned().collect();
        let new = match f(part).next().transpose()? {
            Some(Self::Array(new)) => Rc::unwrap_or_clone(new).into_vec(),
            Some(_) => {
                return Err(Exn::from(
                    failure::<()>("A slice of an array can only be assigned another array")
                        .expect_err("it is an error"),
                ));
            }
            None => Vec::new(),
        };
        Rc::make_mut(&mut values).splice(start..end, new);
        Ok(Self::Array(values))
    }

    fn as_bool(&self) -> bool {
        self.is_true()
    }

    fn into_string(self) -> Self {
        Self::Text(self.to_text())
    }
}

/// A value of a generator, which costs a step.
fn stepped(value: Value) -> Result {
    if budget::steps(1) { Ok(value) } else { spent() }
}

/// So many elements that are compared count as one step.
const COMPARED_A_STEP: usize = 16;

/// Where an array stands in another one.
pub(crate) fn places_of(values: &[Value], part: &[Value]) -> Value {
    let compared = values.len().saturating_mul(part.len()) / COMPARED_A_STEP;
    if part.is_empty() || !budget::steps(compared as u64) {
        return Value::Null;
    }
    let places = values.windows(part.len()).enumerate().filter(|(_, window)| *window == part);
    places.map(|(at, _)| Value::from(at)).collect()
}

/// The part of a text between two characters.
fn characters(text: &Text, start: usize, end: usize) -> Text {
    let byte = |nth| text.char_indices().nth(nth).map_or(text.len(), |(at, _)| at);
    let first = byte(start);
    text.slice(first, byte(end).max(first))
}

#[cfg(test)]
mod tests {
    use jaq_core::ValT as _;

    use super::*;

    #[test]
    fn values_are_reached_as_in_jq() {
        let value = value_of;
        let rows = [
            (r#"{"a":1}"#, r#""a""#, "1"),
            (r#"{"a":1}"#, r#""b""#, "null"),
            ("[1,2,3]", "-1", "3"),
            ("[1,2,3]", "1.7", "2"),
            ("[1,2,3]", "9", "null"),
            ("null", r#""a""#, "null"),
            ("[0,1,2]", r#"{"start":1,"end":null}"#, "[1,2]"),
            ("null", r#"{"start":1,"end":null}"#, "null"),
            ("null", "null", "Cannot index null with null (null)"),
            ("null", "[]", "Cannot index null with array ([])"),
            ("[1,2,1,2]", "[1,2]", "[0,2]"),
            (r#""aéb""#, r#"{"start":1,"end":2}"#, r#""é""#),
            ("1", r#""a""#, "Cannot index number with string (\"a\")"),
        ];
        for (whole, index, expected) in rows {
            let found = value(whole).index(&value(index));
            assert_eq!(
                found.map_or_else(|error| super::super::failure_of(error).to_string(), |value| value.to_json()),
                expected,
                "{whole} {index}"
            );
        }
    }

    #[test]
    fn slices_and_members_are_updated_as_in_jq() {
        let rows = [
            ("[1,2,3]", r#".[1:2] = ["x","y"]"#, r#"[1,"x","y",3]"#),
            ("[1,2,3]", ".[1:] |= map(. + 1)", "[1,3,4]"),
            ("[1,2,3]", ".[:-1] = []", "[3]"),
            ("null", ".[0:1] = [9]", "[9]"),
            ("[1]", ".[0:1] = 5", "A slice of an array can only be assigned another array"),
            (r#""abc""#, r#".[0:1] = "x""#, "Cannot update string slices"),
            (r#"{"a":1}"#, ".[0:1] = [1]", "Cannot update field at object index of object"),
            (r#"{"a":1,"b":2,"c":1,"d":3}"#, "map_values(select(. > 1))", r#"{"b":2,"d":3}"#),
            (r#"{"a":1,"b":2}"#, "map_values(. * 2)", r#"{"a":2,"b":4}"#),
            (r#"{"a":1}"#, "map_values(empty)", "{}"),
            ("null", ".[null] = 1", "Cannot index null with null (null)"),
            ("null", "index(null)", "Cannot index null with null (null)"),
            ("null", r#"index("a"), index(1)"#, "null null"),
            ("null", r#"getpath(["a", true])"#, "Cannot index null with boolean (true)"),
            ("{}", r#"getpath(["a", 0, {"start": 1}])"#, "null"),
            ("{}", r#"delpaths([["a", null, 1]])"#, "{}"),
        ];
        for (input, filter, expected) in rows {
            let (outputs, error) = crate::outputs(filter, value_of(input), &crate::Limits::default()).unwrap();
            assert_eq!(error.map_or_else(|| outputs.join(" "), |error| error.to_string()), expected, "{filter}");
        }
    }

    fn value_of(text: &str) -> Value {
        Value::parse(text, 8).unwrap()
    }
}
