//! JSON text, read without values of it: scanned, sliced, unquoted.

mod members;
mod scan;

pub use members::Members;
pub use scan::{Scan, unquoted};
