//! A program: a query, and how it is run on the records of a file.

use crate::Query;

/// A filter and how it is run.
#[derive(Debug, Clone, Copy)]
pub struct Program<'a> {
    /// The jq filter, condition or key.
    pub query: &'a Query<'a>,
    /// How it is run.
    pub shape: Shape,
    /// The only top-level keys that it reads; all of them where that is not known.
    pub reads: Option<&'static [&'static str]>,
    /// Strings among the results stand bare.
    pub raw: bool,
}

/// How a filter is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// Once per record; its outputs are the results.
    Each,
    /// Once per record; for every output but false and null the record itself is a result.
    Select,
    /// No filter is run: each record that is an object or null, reduced to the keys that the program reads, null where it
    /// lacks one, their values being the bytes that they came as.
    Project,
    /// Once per record; the records are the results, in the stable order of its outputs.
    Sort {
        /// The other way round.
        descending: bool,
    },
    /// The same, of the records that a filter `select(…) | KEY` selects.
    SortSelected {
        /// The other way round.
        descending: bool,
    },
    /// Once on the array of all records; if it has one output, an array, that array's elements are the results.
    All,
    /// Once on the array of all records; its outputs are the results, as they are for jq.
    Whole,
}

impl Shape {
    /// True when the whole set has to be read before there is a result.
    pub fn slurps(self) -> bool {
        matches!(self, Self::Sort { .. } | Self::SortSelected { .. } | Self::All | Self::Whole)
    }
}
