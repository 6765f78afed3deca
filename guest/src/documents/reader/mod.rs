//! The interface `reader`: passages of a file, and the lines of it that match a regular expression.
//!
//! Lines and characters are counted from 1, without the header unless a request counts it.

mod base64;
mod blocks;
mod characters;
mod clip;
mod findings;
mod passage;
mod pattern;
mod required;
mod search;
#[cfg(test)]
mod tests;
pub(super) mod token;
mod tried;
mod written;

pub use findings::{Findings, Hit};
pub use passage::{Passage, read_from};
pub use search::search_from;

use crate::file::header::Header;

/// Where the lines of a request begin in a file, and how many there are.
#[derive(Debug, Clone, Copy)]
struct Origin {
    /// The byte of line 1.
    offset: u64,
    /// How many lines the header promises, from line 1 on.
    lines: u32,
}

impl Origin {
    fn of(header: &Header, header_bytes: u64, counts_header: bool) -> Self {
        match counts_header {
            true => Self { offset: 0, lines: header.count.saturating_add(1) },
            false => Self { offset: header_bytes, lines: header.count },
        }
    }
}

/// A number with its noun: `1 line`, `3 lines`.
fn counted(number: u64, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}
