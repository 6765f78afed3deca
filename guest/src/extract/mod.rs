//! Extraction: what a request asks of a file, and advice where it asks amiss.

pub mod advice;
pub mod criteria;
pub mod task;

pub use task::{Task, limits, lines, rest, scope, task};
