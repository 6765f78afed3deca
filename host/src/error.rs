//! Why a call failed: the cases of the contract, which a caller can cause or handle, and accidents, which should
//! not happen.

use std::fmt;
use std::time::Duration;

use serde_json::{Value, json};

pub use crate::bindings::lro::offload::types::{Error as Case, LimitProblem, Problem, QueryProblem};

/// Why a call failed.
///
/// ```
/// use lro::{Case, Error, ExtractRequest, Lro, Source};
///
/// fn titles(lro: &Lro, file: &str) -> Result<String, Error> {
///     match lro.extract(&Source::File(file.to_owned()), &ExtractRequest::of_query(".title")) {
///         Ok(page) => Ok(page.results),
///         // An answer: files expire, and this caller knows what to do then.
///         Err(Error::Case(Case::NotFound(_))) => Ok(String::new()),
///         Err(other) => Err(other),
///     }
/// }
/// ```
#[derive(Clone, Debug)]
pub enum Error {
    /// A case of the contract. Callers act differently on each; the texts are for people and models. This host uses the
    /// same cases: a limit that it sets is `limit-reached`, a file that it cannot open is `io`.
    Case(Case),
    /// What should not happen. A caller can only report it.
    Accident(Accident),
}

/// What should not happen, as one line that names the operation, the thing and the reason.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Accident {
    /// The component cannot be compiled or instantiated. Trying again does not help.
    Unusable(String),
    /// The component stopped in the middle of a call, and none of the limits was the reason.
    Trapped(String),
    /// The component's answer breaks the contract.
    Broken(String),
}

impl Error {
    /// The case's name as the contract spells it: `invalid-query`. A component that cannot be used is `unusable`, and
    /// another accident `other`.
    pub fn case(&self) -> &'static str {
        match self {
            Self::Case(case) => match case {
                Case::InvalidArgument(_) => "invalid-argument",
                Case::InvalidQuery(_) => "invalid-query",
                Case::NotFound(_) => "not-found",
                Case::Outside(_) => "outside",
                Case::NotAnOffload(_) => "not-an-offload",
                Case::LimitReached(_) => "limit-reached",
                Case::Io(_) => "io",
                Case::Other(_) => "other",
            },
            Self::Accident(Accident::Unusable(_)) => "unusable",
            Self::Accident(_) => "other",
        }
    }

    /// One lower-case line that names the operation, the thing and the reason.
    pub fn message(&self) -> &str {
        self.texts().0
    }

    /// What to do about it, as one sentence; empty if there is nothing to add.
    pub fn hint(&self) -> &str {
        self.texts().1
    }

    fn texts(&self) -> (&str, &str) {
        match self {
            Self::Case(
                Case::InvalidArgument(problem)
                | Case::NotFound(problem)
                | Case::Outside(problem)
                | Case::NotAnOffload(problem)
                | Case::Io(problem),
            ) => (&problem.message, &problem.hint),
            Self::Case(Case::InvalidQuery(problem)) => (&problem.message, &problem.hint),
            Self::Case(Case::LimitReached(problem)) => (&problem.message, &problem.hint),
            Self::Case(Case::Other(message))
            | Self::Accident(Accident::Unusable(message) | Accident::Trapped(message) | Accident::Broken(message)) => {
                (message, "")
            }
        }
    }

    /// The error as one JSON object: `case`, `message`, `hint`, and what the case carries besides.
    pub fn to_json(&self) -> Value {
        let mut object = json!({ "case": self.case(), "message": self.message(), "hint": self.hint() });
        match self {
            Self::Case(Case::InvalidQuery(problem)) => object["known"] = json!(problem.known),
            Self::Case(Case::LimitReached(problem)) => {
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
        Case::LimitReached(LimitProblem {
            message: format!("{operation} stopped: it ran longer than {milliseconds} ms"),
            hint: "look at less data, or raise the time limit (`--timeout` of the command)".to_owned(),
            limit: "timeout_ms".to_owned(),
            value: milliseconds,
        })
        .into()
    }

    /// `operation` (a noun) asked for more memory than it may have.
    pub(crate) fn too_large(operation: &str, limit_bytes: u64) -> Self {
        let mebibytes = u32::try_from(limit_bytes >> 20).unwrap_or(u32::MAX);
        Case::LimitReached(LimitProblem {
            message: format!("{operation} stopped: it needs more than {mebibytes} MiB of memory"),
            hint: "collect less at once, or raise the memory limit (`--max-memory` of the command)".to_owned(),
            limit: "max_memory_mib".to_owned(),
            value: mebibytes,
        })
        .into()
    }

    /// `operation` (a noun) got no more memory from the system.
    pub(crate) fn no_memory(operation: &str) -> Self {
        Case::Io(Problem {
            message: format!("{operation} stopped: the system has no memory left for it"),
            hint: "free memory, or raise the limit on this process's address space (`ulimit -v`)".to_owned(),
        })
        .into()
    }

    /// `operation` (a noun) called itself too often.
    pub(crate) fn too_deep(operation: &str, limit_bytes: usize) -> Self {
        Case::LimitReached(LimitProblem {
            message: format!("{operation} stopped: its calls nest too deep for a stack of {} KiB", limit_bytes >> 10),
            hint: "the filter probably recurses without end: give its recursion a case that ends it".to_owned(),
            limit: "max_stack_bytes".to_owned(),
            value: u32::try_from(limit_bytes).unwrap_or(u32::MAX),
        })
        .into()
    }

    /// An argument that cannot be passed on, seen before the component was called.
    pub(crate) fn invalid_argument(message: String) -> Self {
        Case::InvalidArgument(Problem { message, hint: String::new() }).into()
    }

    /// The same with what to do about it.
    pub(crate) fn invalid_argument_with(message: String, hint: &str) -> Self {
        Case::InvalidArgument(Problem { message, hint: hint.to_owned() }).into()
    }

    /// `thing` cannot be opened for this reason.
    pub(crate) fn cannot_open(thing: &str, reason: &str) -> Self {
        let hint = "try again; if it happens often, allow the process more open files".to_owned();
        Case::Io(Problem { message: format!("cannot open {thing}: {reason}"), hint }).into()
    }

    /// The same error of a file, with what a store says instead of what WASI's codes can.
    pub(crate) fn because(self, reason: &str) -> Self {
        match self {
            Self::Case(Case::Io(Problem { message, .. })) => {
                let end = message.rfind(": ").unwrap_or(message.len());
                Self::store(&message[..end], reason)
            }
            error => error,
        }
    }

    /// A store did not do something (`cannot …`), and says why.
    pub(crate) fn store(what: &str, reason: &str) -> Self {
        let hint = "try again; if it lasts, whoever runs this server has to look at its store".to_owned();
        Case::Io(Problem { message: format!("{what}: {reason}"), hint }).into()
    }

    /// `action` (a verb and its object, such as "read `x.toml`") failed in the file system.
    pub(crate) fn io(action: &str, error: &std::io::Error) -> Self {
        Case::Io(Problem { message: format!("cannot {action}: {error}"), hint: String::new() }).into()
    }
}

impl From<Case> for Error {
    fn from(case: Case) -> Self {
        Self::Case(case)
    }
}

impl From<Accident> for Error {
    fn from(accident: Accident) -> Self {
        Self::Accident(accident)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.message())
    }
}

impl std::error::Error for Error {}
