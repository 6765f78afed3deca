//! What the records of a list have in common: their fields, and what these are good for.

pub mod inference;
pub mod literals;
pub mod memory;
pub mod roles;
pub mod schema;
pub mod sorted;
pub mod survey;
pub mod words;
