//! Why a call failed: one case for each way in which a caller would act differently.

use std::fmt;

use serde::ser::{Serialize, SerializeMap, Serializer};

/// What went wrong, in words for a person or a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// One lower-case line: the operation, the thing, the reason.
    pub message: String,
    /// What to do about it; empty when there is nothing to add.
    pub hint: String,
}

impl Problem {
    /// A problem with a way out.
    pub fn new(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { message: message.into(), hint: hint.into() }
    }
}

/// The cases of the contract's `error`, see `wit/types.wit`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Error {
    /// An argument is missing, unknown, of the wrong type, or contradicts another one.
    InvalidArgument(Problem),
    /// The filter cannot be compiled, uses something withheld, or failed.
    InvalidQuery {
        /// What is wrong and how to mend it.
        problem: Problem,
        /// Names that exist and could have been meant.
        known: Vec<String>,
    },
    /// No such file.
    NotFound(Problem),
    /// The path leads out of the output directory, or is not a regular file.
    Outside(Problem),
    /// A file, but not an offloaded one.
    NotAnOffload(Problem),
    /// A limit was reached.
    LimitReached {
        /// What was stopped and how to stay below the limit.
        problem: Problem,
        /// The limit as a setting or request key spells it, unit included.
        limit: &'static str,
        /// Its value in that unit.
        value: u32,
    },
    /// The file system refused.
    Io(Problem),
    /// Anything else.
    Other(String),
}

impl Error {
    /// An `invalid-argument`.
    pub fn invalid_argument(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::InvalidArgument(Problem::new(message, hint))
    }

    /// An `invalid-query` without suggestions.
    pub fn invalid_query(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::InvalidQuery { problem: Problem::new(message, hint), known: Vec::new() }
    }

    /// The case as the contract spells it.
    pub fn case(&self) -> &'static str {
        match self {
            Self::InvalidArgument(_) => "invalid-argument",
            Self::InvalidQuery { .. } => "invalid-query",
            Self::NotFound(_) => "not-found",
            Self::Outside(_) => "outside",
            Self::NotAnOffload(_) => "not-an-offload",
            Self::LimitReached { .. } => "limit-reached",
            Self::Io(_) => "io",
            Self::Other(_) => "other",
        }
    }

    /// The line that says what went wrong.
    pub fn message(&self) -> &str {
        self.words().0
    }

    /// What to do about it; empty when there is nothing to add.
    pub fn hint(&self) -> &str {
        self.words().1
    }

    fn words(&self) -> (&str, &str) {
        match self {
            Self::InvalidArgument(problem)
            | Self::InvalidQuery { problem, .. }
            | Self::NotFound(problem)
            | Self::Outside(problem)
            | Self::NotAnOffload(problem)
            | Self::LimitReached { problem, .. }
            | Self::Io(problem) => (&problem.message, &problem.hint),
            Self::Other(message) => (message, ""),
        }
    }
}

/// One object, as every host has it: the case, its words, and what it carries besides.
impl Serialize for Error {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_map(None)?;
        object.serialize_entry("case", self.case())?;
        object.serialize_entry("message", self.message())?;
        object.serialize_entry("hint", self.hint())?;
        match self {
            Self::InvalidQuery { known, .. } => object.serialize_entry("known", known)?,
            Self::LimitReached { limit, value, .. } => {
                object.serialize_entry("limit", limit)?;
                object.serialize_entry("value", value)?;
            }
            _ => {}
        }
        object.end()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.message())
    }
}

impl std::error::Error for Error {}
