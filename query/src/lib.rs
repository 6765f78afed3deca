#![doc = include_str!("../README.md")]

mod budget;
mod compile;
mod effort;
mod error;
mod failure;
mod fast;
mod first_keys;
mod functions;
mod head;
mod limits;
mod needles;
mod of_array;
mod program;
mod query;
mod run;
mod syntax;
#[cfg(test)]
mod testing;
mod value;

pub mod json;
pub mod tree;

pub use budget::{Budget, Gauge, Spent};
pub use compile::{Filter, compile, outputs};
pub use effort::Effort;
pub use error::{Error, Fault, Found, On, PageLimit, Unknown, Why, Withheld};
pub use failure::{Failure, Index, Shown};
pub use fast::is_planned;
pub use functions::table::{Function, functions};
pub use head::{Head, Taken};
pub use jaq_core::load::Arena;
pub use limits::Limits;
pub use needles::Needles;
pub use of_array::{Elements, may_be_of_array};
pub use program::{Program, Shape};
pub use query::{Query, words};
pub use run::continuation::{Continuation, go_on};
pub use run::input::{Form, Input, Opened};
pub use run::page::{Oversize, Page, PageLimits, Position, Scope};
pub use run::piece::{Piece, written_in};
pub use run::records::from_json;
#[doc(hidden)]
pub use run::run_without_plans;
pub use run::trial::Trial;
pub use run::{End, FailedRecord, Outcome, run};
pub use value::Value;
