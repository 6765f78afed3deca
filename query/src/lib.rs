//! The extraction engine: bytes of a file in, results out.
//!
//! A [`Program`] is a jq filter and the way it is run: on each record, as a condition that selects records, as a key to
//! sort by, or once on all of them. [`run`] reads lines, never holds more than one record where the program does not need
//! more, and hands each result to a [`Page`], which says when to stop.
//!
//! Where a recipe says which top-level keys it reads, only those are parsed, and a selected or sorted record leaves as
//! the bytes that it came in.

mod compile;
mod error;
mod failure;
mod functions;
mod input;
mod lanes;
mod limits;
mod lines;
mod natives;
mod page;
mod pattern;
mod piece;
mod plan;
mod query;
mod reads;
mod rest;
mod run;
mod skipper;
mod stream;
mod stub;
mod syntax;
#[cfg(test)]
mod testing;
mod trial;
mod value;
mod values;
mod whole;
mod writer;

pub mod json;
pub mod tree;

pub use compile::{Filter, compile};
pub use error::{Error, Fault, Found, On, PageLimit, Unknown, Why, Withheld};
pub use failure::{Failure, Index, Shown};
pub use functions::function_names;
pub use input::{Form, Input, Opened};
pub use jaq_core::load::Arena;
pub use limits::Limits;
pub use page::{Oversize, Page, PageLimits, Position, Scope};
pub use piece::Piece;
pub use query::{Query, words};
pub use rest::{Rest, go_on};
pub use run::{End, FailedRecord, Outcome, run};
pub use trial::Trial;
pub use values::{Value, from_json};

/// Runs a filter on one value: the outputs as JSON, and the failure that ended them.
pub fn outputs(filter: &str, input: Value, limits: &Limits) -> Result<(Vec<String>, Option<Failure>), Error> {
    let arena = Arena::default();
    let filter = compile(&Query::parse(filter, &arena, limits)?, &[])?;
    let mut outputs = Vec::new();
    for output in filter.run(input) {
        match output {
            Ok(value) => outputs.push(value.to_json()),
            Err(failure) => return Ok((outputs, Some(failure))),
        }
    }
    Ok((outputs, None))
}

/// True for a program that a plan runs.
pub fn is_planned(program: Program<'_>, variables: &[(String, Value)]) -> bool {
    match program.shape.slurps() {
        true => plan::SetPlan::of(program, variables).is_some(),
        false => plan::StreamPlan::of(program, variables, 128, Form::Json).is_some(),
    }
}

/// A filter and how it is run.
#[derive(Debug, Clone, Copy)]
pub struct Program<'a> {
    /// The jq filter, condition or key.
    pub query: &'a Query<'a>,
    /// How it is run.
    pub shape: Shape,
    /// The only top-level keys that it reads; all of them where that is not known.
    pub reads: Option<&'static [&'static str]>,
    /// Strings among the results stand bare.
    pub raw: bool,
}

/// How a filter is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// Once per record; its outputs are the results.
    Each,
    /// Once per record; for every output but false and null the record itself is a result.
    Select,
    /// No filter is run: each record that is an object or null, reduced to the keys that the program reads, null where it
    /// lacks one, their values being the bytes that they came as.
    Project,
    /// Once per record; the records are the results, in the stable order of its outputs.
    Sort {
        /// The other way round.
        descending: bool,
    },
    /// Once on the array of all records; if it has one output, an array, that array's elements are the results.
    All,
}

impl Shape {
    /// True when the whole set has to be read before there is a result.
    pub fn slurps(self) -> bool {
        matches!(self, Self::Sort { .. } | Self::All)
    }
}
