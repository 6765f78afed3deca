//! Plans: common filters run on the bytes of a record, without making values of it.
//!
//! A plan handles the happy path only. Any [`Surprise`] (an error, a type that it does not expect, a number that is not
//! simply comparable) hands the record to the general engine, which knows nothing of plans; a program over the whole set
//! starts again there, having answered nothing. So plans never define what a filter means: they are right when they say
//! what the general engine says, or nothing.

mod compute;
#[cfg(test)]
pub(super) mod differential;
mod expression;
mod kept;
mod lower;
mod lower_set;
mod print;
mod record;
mod search;
mod set;
mod sorting;
mod stream;
mod text;
mod trial;
mod value;

pub(super) use lower_set::SetPlan;
pub(super) use record::Reader;
pub(super) use set::{Found, Place, SetRun};
pub(super) use stream::StreamPlan;
pub(super) use trial::Trial;

/// The plan does not know what the general engine would do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Surprise;
