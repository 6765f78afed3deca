//! Extraction: what a request asks of a file, and advice where it asks amiss.

pub mod advice;
pub mod criteria;
mod line;
pub mod page;
pub mod run;
pub mod task;
