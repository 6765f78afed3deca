//! Paths: `path`, `getpath`, and assignments to what is more than a plain path.

use jaq_core::box_iter::box_once;
use jaq_core::{Cv, Exn, Native as Function, ValX, ValXs};

use super::{Data, Fast, Row, arguments, filter, native, run, value_and_filter};
use crate::failure::Shown;
use crate::value::{Result, Value, delete_paths, failure, get_path, update_path};

pub(super) fn rows() -> Vec<Row> {
    let getpath = Function::new(|mut cv: Cv<'_, Data>| {
        let [path] = arguments(&mut cv);
        box_once(parts(path).and_then(|path| get_path(cv.1, &path)).map_err(Exn::from))
    });
    let getpath = getpath.with_paths(|mut cv| {
        let path = parts(cv.0.pop_var());
        let (value, before) = cv.1;
        let found = path.and_then(|path| {
            let found = get_path(value, &path)?;
            Ok((found, path.into_iter().fold(before, |path, part| path.cons(part))))
        });
        box_once(found.map_err(Exn::from))
    });
    vec![
        Row::native(("getpath", super::v(1), getpath)).one(),
        native!("setpath", 2, |value, path, new| {
            parts(path).and_then(|path| update_path(value, &path, |_| Result::Ok(new)))
        }),
        native!("delpaths", 1, delpaths),
        // `_modify(paths; f)`: what stands at each path becomes the first output of f, or goes if there is none.
        run(("_modify", [jaq_core::Bind::Fun(()), jaq_core::Bind::Fun(())].into(), |mut cv| {
            let (f, f_context) = cv.0.pop_fun();
            let (paths, context) = cv.0.pop_fun();
            let found: ValX<'_, Vec<Vec<Value>>, Value> = paths
                .paths((context, (cv.1.clone(), Default::default())))
                .map(|found| Ok(forward(found?.1.iter())))
                .collect();
            box_once(found.and_then(|found| modify(cv.1, found, |value| f.run((f_context.clone(), value)))))
        }))
        .one(),
        // `_assign(value; paths)`: the value stands at each path.
        run(("_assign", value_and_filter(), |mut cv| {
            let (paths, context) = cv.0.pop_fun();
            let new = cv.0.pop_var();
            let found = paths.paths((context, (cv.1.clone(), Default::default())));
            let found: ValX<'_, Vec<Vec<Value>>, Value> = found.map(|found| Ok(forward(found?.1.iter()))).collect();
            box_once(found.and_then(|found| {
                found.iter().try_fold(cv.1, |value, path| update_path(value, path, |_| ValX::Ok(new.clone())))
            }))
        }))
        .one(),
        run(("del", filter(), |mut cv| {
            let (paths, context) = cv.0.pop_fun();
            let found = paths.paths((context, (cv.1.clone(), Default::default())));
            let found: ValX<'_, Vec<Vec<Value>>, Value> = found.map(|found| Ok(forward(found?.1.iter()))).collect();
            box_once(found.and_then(|found| Ok(delete_paths(cv.1, found)?)))
        }))
        .one()
        .fast(Fast::Delete),
    ]
}

/// A path from the inside out, the other way round.
fn forward<'v>(backward: impl Iterator<Item = &'v Value>) -> Vec<Value> {
    let mut path: Vec<Value> = backward.cloned().collect();
    path.reverse();
    path
}

fn modify<'a>(value: Value, paths: Vec<Vec<Value>>, f: impl Fn(Value) -> ValXs<'a, Value>) -> ValX<'a, Value> {
    let mut gone = Vec::new();
    let changed = paths.into_iter().try_fold(value, |value, path| {
        let mut deletes = false;
        let value = update_path(value, &path, |old| match f(old).next() {
            Some(new) => new,
            None => {
                deletes = true;
                Ok(Value::Null)
            }
        })?;
        if deletes {
            gone.push(path);
        }
        ValX::Ok(value)
    })?;
    Ok(delete_paths(changed, gone)?)
}

fn parts(path: Value) -> Result<Vec<Value>> {
    match path {
        Value::Array(parts) => Ok(parts.to_vec()),
        _ => failure("Path must be specified as an array"),
    }
}

fn delpaths(value: Value, paths: Value) -> Result {
    let Value::Array(paths) = paths else { return failure("Paths must be specified as an array") };
    let paths = paths.iter().map(|path| match path {
        Value::Array(parts) => Ok(parts.to_vec()),
        other => failure(format!("Path must be specified as array, not {}", Shown::of(other))),
    });
    delete_paths(value, paths.collect::<Result<Vec<_>>>()?)
}
