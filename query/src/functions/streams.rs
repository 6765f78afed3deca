//! Filters that pass on some of their input, or every element: written in jq they would be the slowest part of what uses
//! them.

use std::rc::Rc;

use jaq_core::box_iter::box_once;
use jaq_core::{Cv, Exn, Native, ValXs};

use super::{Data, Fast, Reads, Row, filter, run};
use crate::budget;
use crate::json::Type::{self, Array, Boolean, Null, Number, Object, String};
use crate::value::{Value, not_iterable};

/// A filter that passes on values of some types, with their paths; others are left as they are when they are assigned to.
macro_rules! passes {
    ($name:literal, $types:expr) => {{
        const TYPES: &[Type] = &$types;
        fn fits(value: &Value) -> bool {
            TYPES.contains(&value.kind())
        }
        let native = Native::new(|cv: Cv<'_, Data>| Box::new(fits(&cv.1).then_some(Ok(cv.1)).into_iter()))
            .with_paths(|cv| Box::new(fits(&cv.1.0).then_some(Ok(cv.1)).into_iter()))
            .with_update(|cv, update| if fits(&cv.1) { update(cv.1) } else { box_once(Ok(cv.1)) });
        let reads = if TYPES.is_empty() { Reads::Nothing } else { Reads::PassesOn };
        Row::native(($name, super::v(0), native)).reads(reads).fast(Fast::Only(TYPES))
    }};
}

pub(super) fn rows() -> Vec<Row> {
    vec![
        passes!("empty", []),
        passes!("values", [Boolean, Number, String, Array, Object]),
        passes!("nulls", [Null]),
        passes!("booleans", [Boolean]),
        passes!("numbers", [Number]),
        passes!("strings", [String]),
        passes!("arrays", [Array]),
        passes!("objects", [Object]),
        passes!("iterables", [Array, Object]),
        passes!("scalars", [Null, Boolean, Number, String]),
        run(("map", filter(), |mut cv| {
            let (f, context) = cv.0.pop_fun();
            let values: Vec<Value> = match cv.1 {
                Value::Array(values) => Rc::unwrap_or_clone(values).into_vec(),
                Value::Object(members) => members.iter().map(|(_, value)| value.clone()).collect(),
                other => {
                    return box_once(not_iterable(&other).map_err(Exn::from));
                }
            };
            if !budget::call() {
                return box_once(Err(budget::exit()));
            }
            box_once(values.into_iter().flat_map(|value| stepped(f.run((context.clone(), value)))).collect())
        }))
        .one()
        .fast(Fast::Map)
        .hint("`map` takes one filter: write `map(.a, .b)` for several values"),
        run(("paths", super::v(0), |cv| {
            let mut paths = Vec::with_capacity(FEW);
            all_paths(&cv.1, &mut Vec::new(), &mut paths);
            // Each path has cost its steps where it was made.
            if budget::call() { Box::new(paths.into_iter().map(Ok)) } else { box_once(Err(budget::exit())) }
        })),
    ]
}

/// As many paths as most records have.
const FEW: usize = 32;

/// The outputs for a value of a generator, which costs a step.
fn stepped<'a>(outputs: ValXs<'a, Value>) -> ValXs<'a, Value> {
    if budget::steps(1) { outputs } else { box_once(Err(budget::exit())) }
}

/// The paths of all that is in a value, each before those of what is in it.
fn all_paths(value: &Value, path: &mut Vec<Value>, paths: &mut Vec<Value>) {
    let mut each = |part: Value, value: &Value| {
        path.push(part);
        let is_short = u32::try_from(path.len()).is_ok_and(budget::level);
        if !is_short || !budget::steps(path.len() as u64) {
            return;
        }
        paths.push(Value::array(path.clone()));
        all_paths(value, path, paths);
        path.pop();
    };
    match value {
        Value::Array(values) => values.iter().enumerate().for_each(|(i, value)| each(Value::from(i), value)),
        Value::Object(members) => members.iter().for_each(|(key, value)| each(Value::Text(key.clone()), value)),
        _ => {}
    }
}
