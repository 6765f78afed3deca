//! Extraction: what a request asks for, and advice if the request is wrong.

pub mod advice;
pub mod criteria;
pub mod first_records;
mod line;
mod look;
pub mod on;
pub mod page;
pub mod run;
pub mod task;
