//! Plans: common filters run on the bytes of a record, without making values of it.
//!
//! A plan handles the happy path only. It bails ([`Bail`]) at anything else (an error, a type that it does not expect, a
//! number that is not simply comparable), and the record goes to the general engine, which knows nothing of plans; a program
//! over the whole set starts again there, having returned nothing. So plans never define what a filter means: they are right
//! when they say what the general engine says, or nothing.

mod arithmetic;
mod by_key;
mod compute;
#[cfg(test)]
pub(crate) mod differential;
mod engine;
mod expression;
mod functions;
mod kept;
mod lower;
mod lower_call;
mod lower_change;
mod lower_names;
mod lower_set;
mod matching;
mod members;
mod parts;
mod print;
mod record;
mod repeat;
mod search;
mod set;
mod sorting;
mod stream;
mod text;
mod trial;
mod value;
mod walk;

pub(crate) use lower_set::SetPlan;
pub(crate) use record::Reader;
pub(crate) use set::{Found, Place, SetRun};
pub(crate) use stream::StreamPlan;
pub(crate) use trial::Trial;

use crate::run::input::Form;
use crate::{Program, Value};

/// True for a program that has a plan.
pub fn is_planned(program: Program<'_>, variables: &[(String, Value)]) -> bool {
    match program.shape.slurps() {
        true => SetPlan::of(program, variables).is_some(),
        false => StreamPlan::of(program, variables, 128, Form::Json).is_some(),
    }
}

/// A plan bails: it does not know what the general engine would do, which therefore decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Bail;
