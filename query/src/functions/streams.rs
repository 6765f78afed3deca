//! Filters that pass on some of their input, or every element: written in jq they would be the slowest part of what uses
//! them.

use jaq_core::box_iter::box_once;
use jaq_core::native::run;
use jaq_core::{Cv, Exn, Native as Function};

use super::{Data, Native, filter};
use crate::value::{Value, not_iterable};

/// A filter that passes on what fits, with its path; what does not fit is left as it is when it is assigned to.
macro_rules! passes {
    ($name:literal, $fits:expr) => {
        ($name, super::v(0), {
            const FITS: fn(&Value) -> bool = $fits;
            Function::new(|cv: Cv<'_, Data>| Box::new(FITS(&cv.1).then_some(Ok(cv.1)).into_iter()))
                .with_paths(|cv| Box::new(FITS(&cv.1.0).then_some(Ok(cv.1)).into_iter()))
                .with_update(|cv, update| if FITS(&cv.1) { update(cv.1) } else { box_once(Ok(cv.1)) })
        })
    };
}

pub(super) fn natives() -> Vec<Native> {
    vec![
        passes!("empty", |_| false),
        passes!("values", |value| !matches!(value, Value::Null)),
        passes!("nulls", |value| matches!(value, Value::Null)),
        passes!("booleans", |value| matches!(value, Value::Bool(_))),
        passes!("numbers", |value| matches!(value, Value::Number(_))),
        passes!("strings", |value| matches!(value, Value::Text(_))),
        passes!("arrays", |value| matches!(value, Value::Array(_))),
        passes!("objects", |value| matches!(value, Value::Object(_))),
        passes!("iterables", |value| matches!(value, Value::Array(_) | Value::Object(_))),
        passes!("scalars", |value| !matches!(value, Value::Array(_) | Value::Object(_))),
        run(("map", filter(), |mut cv| {
            let (f, context) = cv.0.pop_fun();
            let values: Vec<Value> = match cv.1 {
                Value::Array(values) => values.to_vec(),
                Value::Object(members) => members.iter().map(|(_, value)| value.clone()).collect(),
                other => {
                    return box_once(not_iterable(&other).map_err(Exn::from));
                }
            };
            box_once(values.into_iter().flat_map(|value| f.run((context.clone(), value))).collect())
        })),
        run(("paths", super::v(0), |cv| {
            let mut paths = Vec::new();
            all_paths(&cv.1, &mut Vec::new(), &mut paths);
            Box::new(paths.into_iter().map(Ok))
        })),
    ]
}

/// The paths of all that is in a value, each before those of what is in it.
fn all_paths(value: &Value, path: &mut Vec<Value>, paths: &mut Vec<Value>) {
    let mut each = |part: Value, value: &Value| {
        path.push(part);
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
