//! jq over JSON Lines, on bytes: a filter runs on the records of a file, and its results come a page at a time.
//!
//! A filter is parsed once into a [`Query`]. A [`Program`] says how it is run: on each record, as a condition, as a sort key,
//! or once on all of them. [`run()`] reads lines, holds no more than one record where the program needs no more, and fills a
//! [`Page`], which knows where the next one begins. Common filters run on the bytes of a record (`fast`), all others on
//! values; a selected or sorted record leaves as the bytes that it came as.
//!
//! A filter sees its record and the variables that the caller binds, and nothing else: no file, clock, environment or
//! network. [`Limits`] bound filters and records before they are read. Errors are types that carry what is needed to explain
//! them, and display in jq's words.
//!
//! ```
//! use lro_query::{Arena, Limits, PageLimits, Position, Program, Query, Scope, Shape, run};
//!
//! let file: &[u8] = b"{\"id\":1,\"tags\":[\"a\"]}\n{\"id\":2,\"tags\":[]}\n{\"id\":3,\"tags\":[\"a\",\"b\"]}\n";
//! let (arena, limits) = (Arena::default(), Limits::default());
//! let query = Query::parse("select(.tags | length > 0) | .id", &arena, &limits)?;
//! let program = Program { query: &query, shape: Shape::Each, reads: None, raw: false };
//! let start = Scope::all(Position { offset: 0, line: 1, skip: 0, before: 0 });
//! let outcome = run(program, &[], &file, start, PageLimits::default(), false, &limits)?;
//! assert_eq!(outcome.page.text, b"1\n3\n");
//! # Ok::<(), lro_query::Error>(())
//! ```

mod compile;
mod error;
mod failure;
mod fast;
mod functions;
mod limits;
mod program;
mod query;
mod run;
mod syntax;
#[cfg(test)]
mod testing;
mod value;

pub mod json;
pub mod tree;

pub use compile::{Filter, compile, outputs};
pub use error::{Error, Fault, Found, On, PageLimit, Unknown, Why, Withheld};
pub use failure::{Failure, Index, Shown};
pub use fast::is_planned;
pub use functions::table::function_names;
pub use jaq_core::load::Arena;
pub use limits::Limits;
pub use program::{Program, Shape};
pub use query::{Query, words};
pub use run::continuation::{Rest, go_on};
pub use run::input::{Form, Input, Opened};
pub use run::page::{Oversize, Page, PageLimits, Position, Scope};
pub use run::piece::Piece;
pub use run::records::from_json;
#[doc(hidden)]
pub use run::run_without_plans;
pub use run::trial::Trial;
pub use run::{End, FailedRecord, Outcome, run};
pub use value::Value;
