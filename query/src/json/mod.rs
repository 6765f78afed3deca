//! JSON as text: scanned, sliced, quoted and written without building values. Everything here depends on JSON alone.
//!
//! There is one function for each job: [`Scan`] walks through a text that is known to be valid, [`Members`] takes an object
//! of unknown text apart, [`values`] and [`elements`] slice documents and arrays, [`Type::of`] tells what a value is,
//! [`quote`] and [`unquote`] turn text into a JSON string and back, [`array()`], [`object`] and [`Object`] write.

mod block;
mod bytes;
mod characters;
mod equal;
mod gathered;
mod kind;
mod literal;
mod members;
mod plain;
mod scan;
mod shorten;
pub(crate) mod simd;
pub(crate) mod skip;
mod surrogates;
mod values;
mod visible;
mod write;

pub use bytes::{compare, is_ascii, same};
pub use characters::characters;
pub use equal::is_same;
pub use kind::Type;
pub use literal::{Unquoted, end_of_literal, push_quoted, quote, start_of_literal, unquote, unquote_checked};
pub use members::Members;
pub(crate) use plain::plain_bytes;
pub use scan::Scan;
pub use shorten::{cut, middle_cut};
pub use simd::Lanes;
pub(crate) use surrogates::code_unit;
pub use surrogates::{has_half, without_halves};
pub use values::{array_elements, elements, is_json, on_one_line, place, values};
pub use visible::escape_hidden;
pub use write::{Object, array, object, object_with};
