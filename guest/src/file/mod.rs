//! An offloaded file: its name, its first line, and how long it lives.

pub mod cleanup;
pub mod completeness;
pub mod events;
pub mod file_name;
pub mod header;
pub mod instant;
pub mod kind;
pub mod metered;
pub mod naming;
pub mod reading;
pub mod remnant;
pub mod sought;
pub mod windows;
