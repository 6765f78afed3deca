//! The machine that the command runs on: many processes, many files, odd clocks, little of everything, a damaged cache.

pub mod cache;
pub mod cleaning;
pub mod clocks;
pub mod crowd;
mod payload;
mod place;
mod process;
mod random;
pub mod scarcity;
