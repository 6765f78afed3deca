//! Why the engine returns no page: one case for each way in which a caller would act differently.

use std::{fmt, io};

use crate::budget::Spent;
use crate::failure::Failure;

/// Why there is no page of results.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The filter has more bytes than [`Limits::filter_bytes`](crate::Limits::filter_bytes).
    TooLong {
        /// Its bytes.
        bytes: usize,
        /// The limit.
        most: u32,
    },
    /// The filter may be nested deeper than [`Limits::filter_nesting`](crate::Limits::filter_nesting).
    TooDeep {
        /// The limit.
        most: u32,
    },
    /// The text is not a jq filter; the first three places where it is not.
    Syntax(Vec<Fault>),
    /// The filter uses names that do not exist or are withheld; the first three.
    Unknown(Vec<Unknown>),
    /// The filter failed.
    Failed {
        /// On what.
        on: On,
        /// Why.
        failure: Failure,
    },
    /// The call has used up what it may use. There is no page, whatever the filter made of it.
    Spent(Spent),
    /// A single result is larger than a page.
    TooLarge {
        /// Its bytes, with a newline.
        bytes: usize,
        /// Which limit it exceeds.
        limit: PageLimit,
        /// The limit's value, in bytes.
        most: u32,
    },
    /// The token that a page was to begin at is none of this engine's.
    Token(String),
    /// A page was to begin inside of a result, but the result is not that long.
    PastEnd {
        /// The byte.
        from: u32,
        /// How many bytes the result has.
        bytes: usize,
    },
    /// The file is not as it was when an earlier page put its records in order.
    Changed,
    /// The file cannot be read.
    Io(io::Error),
}

/// A place where a text stops being a filter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// What would have been right there.
    pub expected: String,
    /// What is there; nothing at the end of the text.
    pub found: Option<Found>,
}

/// What was found in a filter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The number of its first character, from 1.
    pub column: usize,
    /// Its first characters.
    pub text: String,
}

/// A name that a filter uses and that means nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unknown {
    /// The name; that of a variable begins with a dollar sign.
    pub name: String,
    /// Why it means nothing.
    pub why: Why,
}

/// Why a name means nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    /// There is no function of this name with so many arguments.
    Function(usize),
    /// There is no such variable.
    Variable,
    /// There is no such thing, of the kind that jaq names.
    Thing(&'static str),
    /// jq has it, and filters here must not reach it.
    Withheld(Withheld),
}

/// Why a name of jq's is withheld from filters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Withheld {
    /// It reads the environment.
    Environment,
    /// It reads other inputs than the record.
    Input,
    /// It ends the run.
    Halt,
    /// It writes elsewhere.
    Output,
    /// It reads the clock or the time zone.
    Clock,
    /// It reads files.
    Files,
    /// It reads modules.
    Modules,
}

impl Withheld {
    /// The reason, as a sentence.
    pub fn reason(self) -> &'static str {
        match self {
            Self::Environment => "a filter cannot see the environment",
            Self::Input => "a filter sees one record, or all of them as an array when it slurps",
            Self::Halt => "a filter cannot end the run",
            Self::Output => "a filter has no output but its results",
            Self::Clock => "a filter gives the same results at any time and place",
            Self::Files | Self::Modules => "a filter cannot see files or modules",
        }
    }

    /// What to write instead, where something can be.
    pub fn instead(self) -> Option<&'static str> {
        match self {
            Self::Halt => Some("use `empty` or `limit`"),
            Self::Clock => Some("compare with a date as text"),
            Self::Modules => Some("write all definitions into the filter itself"),
            Self::Environment | Self::Input | Self::Output | Self::Files => None,
        }
    }
}

/// What a filter failed on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum On {
    /// The record on this line, where no failure is allowed.
    Line(u32),
    /// Every record, the first of which is on this line.
    EveryRecord(u32),
    /// The array of all records.
    WholeSet,
    /// The document that the records came in.
    Document,
}

/// The limit that a single result exceeds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PageLimit {
    /// The page's own, [`PageLimits::bytes`](crate::PageLimits::bytes).
    Asked,
    /// That of any page, [`PageLimits::page_bytes`](crate::PageLimits::page_bytes).
    AnyPage,
}

impl From<io::Error> for Error {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io(error) => Some(error),
            _ => None,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLong { bytes, most } => {
                write!(f, "cannot compile the filter: it has {bytes} bytes, more than {most}")
            }
            Self::TooDeep { most } => write!(f, "cannot compile the filter: it is nested deeper than {most} levels"),
            Self::Syntax(faults) => write!(f, "cannot compile the filter: {}", listed(faults)),
            Self::Unknown(names) => write!(f, "cannot compile the filter: {}", listed(names)),
            Self::Spent(spent) => write!(f, "extraction stopped: {spent}"),
            Self::Failed { on, failure } => write!(f, "the filter failed on {on}: {failure}"),
            Self::TooLarge { bytes, most, .. } => {
                write!(f, "a single result has {bytes} bytes, and a page may have {most}")
            }
            Self::Token(token) => write!(f, "cannot continue from `{token}`: it is not the `next` of a page"),
            Self::PastEnd { from, bytes } => {
                write!(f, "cannot continue at byte {from}: the result has {bytes} bytes")
            }
            Self::Changed => f.write_str("cannot read the file: it has changed since its records were put in order"),
            Self::Io(error) => write!(f, "cannot read the file: {error}"),
        }
    }
}

fn listed<T: fmt::Display>(things: &[T]) -> String {
    things.iter().map(T::to_string).collect::<Vec<_>>().join("; ")
}

impl fmt::Display for On {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line(line) => write!(f, "line {line}"),
            Self::EveryRecord(first) => write!(f, "every record; the first is line {first}"),
            Self::WholeSet => f.write_str("the whole set"),
            Self::Document => f.write_str("the document"),
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.found {
            None => write!(f, "expected {} at the end", self.expected),
            Some(Found { column, text }) => {
                write!(f, "expected {} at character {column}, before `{text}`", self.expected)
            }
        }
    }
}

impl fmt::Display for Unknown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = &self.name;
        match self.why {
            Why::Function(arity) => write!(f, "function `{name}/{arity}` is not defined"),
            Why::Variable => write!(f, "variable `{name}` is not defined"),
            Why::Thing(kind) => write!(f, "{kind} `{name}` is not defined"),
            Why::Withheld(withheld) => write!(f, "`{name}` is withheld: {}", withheld.reason()),
        }
    }
}
