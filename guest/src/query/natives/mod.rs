//! Functions that are not written in jq: where speed or necessity asks for Rust.

mod collections;
mod dates;
mod descent;
mod formats;
mod mathematics;
mod paths;
pub(super) mod patterns;
mod streams;
mod strings;

use jaq_core::data::JustLut;
use jaq_core::native::{Fun, bome, run, v};
use jaq_core::{Bind, Cv};

use super::value::{Result, Value};

/// What the interpreter needs to know of our values.
pub(super) type Data = JustLut<Value>;

/// A native function with its context.
type Native = Fun<Data>;

/// All of them. Names that begin with `_` are for the prelude.
pub(super) fn natives() -> impl Iterator<Item = Native> {
    let groups = [
        collections::natives(),
        dates::natives(),
        descent::natives(),
        formats::natives(),
        mathematics::natives(),
        paths::natives(),
        patterns::natives(),
        streams::natives(),
        strings::natives(),
    ];
    groups.into_iter().flatten()
}

/// The arguments of a function that takes values.
fn arguments<const N: usize>(cv: &mut Cv<'_, Data>) -> [Value; N] {
    let mut arguments = [const { Value::Null }; N];
    arguments.iter_mut().rev().for_each(|argument| *argument = cv.0.pop_var());
    arguments
}

/// Makes a native function of a Rust function on the input and so many values.
macro_rules! native {
    ($name:expr, $function:expr) => {
        $crate::query::natives::run(($name, $crate::query::natives::v(0), |cv| {
            $crate::query::natives::bome($function(cv.1))
        }))
    };
    ($name:expr, 1, $function:expr) => {
        $crate::query::natives::run(($name, $crate::query::natives::v(1), |mut cv| {
            let [a] = $crate::query::natives::arguments(&mut cv);
            $crate::query::natives::bome($function(cv.1, a))
        }))
    };
    ($name:expr, 2, $function:expr) => {
        $crate::query::natives::run(($name, $crate::query::natives::v(2), |mut cv| {
            let [a, b] = $crate::query::natives::arguments(&mut cv);
            $crate::query::natives::bome($function(cv.1, a, b))
        }))
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

/// The error for an input of the wrong type.
fn unfit(value: &Value, why: &str) -> Result {
    super::value::failure(format!("{} {why}", super::value::described(value)))
}

fn described_number(value: &Value) -> String {
    format!("{} number required", super::value::described(value))
}
