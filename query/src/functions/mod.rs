//! The functions of the filter language: what jq has, less what reaches out of a filter.
//!
//! [`table`] has a row for each of them, made where the function is: in the modules of their groups for those in Rust, in
//! [`prelude`] for those that are said in jq. Whatever the crate knows of a function is in its row.

mod collections;
mod date_formats;
mod dates;
mod descent;
mod entries;
pub(crate) mod formats;
pub(crate) mod matches;
mod mathematics;
mod paths;
pub(crate) mod patterns;
pub(crate) mod prelude;
pub(crate) mod regex;
mod row;
pub(crate) mod steps;
mod streams;
mod strings;
pub(crate) mod table;
#[cfg(test)]
mod tests;

use jaq_core::box_iter::box_once;
use jaq_core::data::JustLut;
use jaq_core::native::{bome, v};
use jaq_core::{Bind, Cv, RunPtr, ValXs};

pub(crate) use row::{Call, CallWith, Fast, Matching, Plain, Reads, Row, Whole};

use crate::budget;
use crate::value::{self, Value};

/// What the interpreter needs to know of our values.
pub(crate) type Data = JustLut<Value>;

/// A function in Rust that runs on its input and arguments as it likes.
fn run(function: (&'static str, Box<[Bind]>, RunPtr<Data>)) -> Row {
    Row::native(jaq_core::native::run::<Data>(function))
}

/// The output of a function of one value, which has cost a step, and more for a long text.
fn counted<'a>(input: Value, function: impl FnOnce(Value) -> value::Result) -> ValXs<'a, Value> {
    let goes_on = match &input {
        Value::Text(text) => budget::call() && budget::bytes(text.len()),
        _ => budget::call(),
    };
    if goes_on { bome(function(input)) } else { box_once(Err(budget::exit())) }
}

/// The arguments of a function that takes values.
fn arguments<const N: usize>(cv: &mut Cv<'_, Data>) -> [Value; N] {
    let mut arguments = [const { Value::Null }; N];
    arguments.iter_mut().rev().for_each(|argument| *argument = cv.0.pop_var());
    arguments
}

/// A Rust function of the input and so many values, with one output.
macro_rules! native {
    ($name:expr, $function:expr) => {
        $crate::functions::run(($name, $crate::functions::v(0), |cv| {
            $crate::functions::counted(cv.1, |value| $function(value))
        }))
        .one()
        .plain($crate::functions::Plain::Of(|value| $function(value)))
    };
    ($name:expr, 1, $function:expr) => {
        $crate::functions::run(($name, $crate::functions::v(1), |mut cv| {
            let [a] = $crate::functions::arguments(&mut cv);
            $crate::functions::counted(cv.1, |value| $function(value, a))
        }))
        .one()
        .plain($crate::functions::Plain::With(|value, a| $function(value, a)))
    };
    ($name:expr, 2, $function:expr) => {
        $crate::functions::run(($name, $crate::functions::v(2), |mut cv| {
            let [a, b] = $crate::functions::arguments(&mut cv);
            $crate::functions::counted(cv.1, |value| $function(value, a, b))
        }))
        .one()
    };
}
use native;

/// One argument that is a filter.
fn filter() -> Box<[Bind]> {
    [Bind::Fun(())].into()
}

/// One value and one filter.
fn value_and_filter() -> Box<[Bind]> {
    [Bind::Var(()), Bind::Fun(())].into()
}
