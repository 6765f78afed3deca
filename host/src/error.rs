//! Why a call gave no answer: the cases of the contract, and the accidents of this host.

use std::fmt;
use std::time::Duration;

use serde_json::{Value, json};

use crate::bindings::lro::offload::types::Error as Case;
pub use crate::bindings::lro::offload::types::{LimitProblem, Problem, QueryProblem};

/// Why a call gave no answer. A caller acts differently on each case; the texts are for people and models.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Error {
    /// An argument is missing, unknown, of the wrong type, or contradicts another one.
    InvalidArgument(Problem),
    /// The jq filter cannot be compiled, uses something withheld, or failed where failing was asked for.
    InvalidQuery(QueryProblem),
    /// No such file: it never was, has expired, or has been deleted.
    NotFound(Problem),
    /// The path leads out of the output directory, or is not a regular file.
    Outside(Problem),
    /// A file, but not one of ours.
    NotAnOffload(Problem),
    /// A limit on time, memory, input or output was reached.
    LimitReached(LimitProblem),
    /// The file system refused.
    Io(Problem),
    /// The component cannot be compiled or instantiated. Trying again does not help.
    Unusable(String),
    /// Anything else.
    Other(String),
}

impl Error {
    /// The case's name as the contract spells it: `invalid-query`. A component that cannot be used is `unusable`.
    pub fn case(&self) -> &'static str {
        match self {
            Self::InvalidArgument(_) => "invalid-argument",
            Self::InvalidQuery(_) => "invalid-query",
            Self::NotFound(_) => "not-found",
            Self::Outside(_) => "outside",
            Self::NotAnOffload(_) => "not-an-offload",
            Self::LimitReached(_) => "limit-reached",
            Self::Io(_) => "io",
            Self::Unusable(_) => "unusable",
            Self::Other(_) => "other",
        }
    }

    /// One lower-case line that names the operation, the thing and the reason.
    pub fn message(&self) -> &str {
        match self {
            Self::InvalidArgument(problem)
            | Self::NotFound(problem)
            | Self::Outside(problem)
            | Self::NotAnOffload(problem)
            | Self::Io(problem) => &problem.message,
            Self::InvalidQuery(problem) => &problem.message,
            Self::LimitReached(problem) => &problem.message,
            Self::Unusable(message) | Self::Other(message) => message,
        }
    }

    /// What to do about it, as one sentence; empty when there is nothing to add.
    pub fn hint(&self) -> &str {
        match self {
            Self::InvalidArgument(problem)
            | Self::NotFound(problem)
            | Self::Outside(problem)
            | Self::NotAnOffload(problem)
            | Self::Io(problem) => &problem.hint,
            Self::InvalidQuery(problem) => &problem.hint,
            Self::LimitReached(problem) => &problem.hint,
            Self::Unusable(_) | Self::Other(_) => "",
        }
    }

    /// The error as one JSON object: `error` is the case; `message`, `hint`, and what the case carries besides.
    pub fn to_json(&self) -> Value {
        let mut object = json!({ "error": self.case(), "message": self.message(), "hint": self.hint() });
        match self {
            Self::InvalidQuery(problem) => object["known"] = json!(problem.known),
            Self::LimitReached(problem) => {
                object["limit"] = json!(problem.limit);
                object["value"] = json!(problem.value);
            }
            _ => {}
        }
        object
    }

    /// `operation` (a noun) ran into its time limit.
    pub fn too_slow(operation: &str, limit: Duration) -> Self {
        let milliseconds = u32::try_from(limit.as_millis()).unwrap_or(u32::MAX);
        Self::LimitReached(LimitProblem {
            message: format!("{operation} stopped: it ran longer than {milliseconds} ms"),
            hint: "look at less data, or raise the time limit (`--timeout` of the command)".to_owned(),
            limit: "timeout_ms".to_owned(),
            value: milliseconds,
        })
    }

    /// `operation` (a noun) asked for more memory than it may have.
    pub(crate) fn too_large(operation: &str, limit_bytes: u64) -> Self {
        let mebibytes = u32::try_from(limit_bytes >> 20).unwrap_or(u32::MAX);
        Self::LimitReached(LimitProblem {
            message: format!("{operation} stopped: it needs more than {mebibytes} MiB of memory"),
            hint: "collect less at once, or raise the memory limit (`--max-memory` of the command)".to_owned(),
            limit: "max_memory_mib".to_owned(),
            value: mebibytes,
        })
    }

    /// `operation` (a noun) got no more memory from the system.
    pub(crate) fn no_memory(operation: &str) -> Self {
        Self::Io(Problem {
            message: format!("{operation} stopped: the system has no memory left for it"),
            hint: "free memory, or raise the limit on this process's address space (`ulimit -v`)".to_owned(),
        })
    }

    /// `operation` (a noun) called itself too often.
    pub(crate) fn too_deep(operation: &str, limit_bytes: usize) -> Self {
        Self::LimitReached(LimitProblem {
            message: format!("{operation} stopped: its calls nest too deep for a stack of {} KiB", limit_bytes >> 10),
            hint: "the filter probably recurses without end: give its recursion a case that ends it".to_owned(),
            limit: "max_stack_bytes".to_owned(),
            value: u32::try_from(limit_bytes).unwrap_or(u32::MAX),
        })
    }

    /// An argument that cannot be passed on, seen before the component was called.
    pub(crate) fn invalid_argument(message: String) -> Self {
        Self::InvalidArgument(Problem { message, hint: String::new() })
    }

    /// `thing` cannot be opened for this reason.
    pub(crate) fn cannot_open(thing: &str, reason: &str) -> Self {
        let hint = "try again; if it happens often, allow the process more open files".to_owned();
        Self::Io(Problem { message: format!("cannot open {thing}: {reason}"), hint })
    }

    /// `action` (a verb and its object, such as "read `x.toml`") failed in the file system.
    pub(crate) fn io(action: &str, error: &std::io::Error) -> Self {
        Self::Io(Problem { message: format!("cannot {action}: {error}"), hint: String::new() })
    }
}

impl From<Case> for Error {
    fn from(case: Case) -> Self {
        match case {
            Case::InvalidArgument(problem) => Self::InvalidArgument(problem),
            Case::InvalidQuery(problem) => Self::InvalidQuery(problem),
            Case::NotFound(problem) => Self::NotFound(problem),
            Case::Outside(problem) => Self::Outside(problem),
            Case::NotAnOffload(problem) => Self::NotAnOffload(problem),
            Case::LimitReached(problem) => Self::LimitReached(problem),
            Case::Io(problem) => Self::Io(problem),
            Case::Other(message) => Self::Other(message),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.message())
    }
}

impl std::error::Error for Error {}
