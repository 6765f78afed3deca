//! Functions that are not written in jq: where speed or necessity asks for Rust.

mod collections;
mod dates;
mod descent;
mod formats;
mod mathematics;
mod paths;
pub(crate) mod patterns;
pub(crate) mod regex;
mod streams;
mod strings;
pub(crate) mod table;

use jaq_core::data::JustLut;
use jaq_core::native::{Fun, bome, run, v};
use jaq_core::{Bind, Cv};

use crate::value::Value;

/// What the interpreter needs to know of our values.
pub(crate) type Data = JustLut<Value>;

/// A native function with its context.
type Native = Fun<Data>;

/// All of them. Names that begin with `_` are for the prelude.
pub(crate) fn natives() -> impl Iterator<Item = Native> {
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
        $crate::functions::run(($name, $crate::functions::v(0), |cv| $crate::functions::bome($function(cv.1))))
    };
    ($name:expr, 1, $function:expr) => {
        $crate::functions::run(($name, $crate::functions::v(1), |mut cv| {
            let [a] = $crate::functions::arguments(&mut cv);
            $crate::functions::bome($function(cv.1, a))
        }))
    };
    ($name:expr, 2, $function:expr) => {
        $crate::functions::run(($name, $crate::functions::v(2), |mut cv| {
            let [a, b] = $crate::functions::arguments(&mut cv);
            $crate::functions::bome($function(cv.1, a, b))
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
