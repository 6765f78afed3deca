//! Offloading: from a tool's result to files and a response.

pub mod budget;
pub mod contents;
pub mod decide;
pub mod draft;
mod examples;
pub mod excess;
mod given;
pub mod guidance;
pub mod inline;
pub mod preview;
pub mod records;
pub mod response;
mod saving;
mod shortening;
pub mod truncate;

pub use decide::{Assessment, Decision, decide, estimate, needs_moment, payload_of};
pub use shortening::LEAST_TOKENS;
