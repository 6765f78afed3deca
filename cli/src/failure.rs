//! How a subcommand fails, as a person and as a program reads it.

use std::io;
use std::process::ExitCode;

use lro::Case;
use serde_json::{Value, json};

use crate::flags::with_flags;
use crate::{output, remarks};

/// Why a subcommand ended early.
#[derive(Debug)]
pub(super) enum Failure {
    /// A call failed.
    Lro(lro::Error),
    /// The command line is not valid.
    Usage(String),
    /// A file of the user's cannot be read or written; the action is a verb and its object.
    File { action: String, error: io::Error },
    /// The same, with the whole message.
    Unusable(String),
    /// A client's configuration cannot be changed; with the way out.
    Configuration { message: String, hint: String },
    /// A component does not conform.
    NotConforming(String),
    /// The server that a proxy wraps ended with this exit status, and has said why.
    Status(u8),
    /// Standard output was closed. That is not an error.
    ReaderGone,
}

impl Failure {
    pub(super) fn file(action: impl Into<String>, error: io::Error) -> Self {
        Self::File { action: action.into(), error }
    }

    /// Prints one line on standard error, or one JSON object, and returns the exit status: 2 for a wrong command line, 1
    /// for anything else.
    pub(super) fn report(&self, as_json: bool) -> ExitCode {
        match (self, as_json) {
            (Self::ReaderGone, _) => return ExitCode::SUCCESS,
            (Self::Status(status), _) => return ExitCode::from(*status),
            (_, true) => remarks::write(format!("{}\n", self.to_json())),
            (_, false) => output::remark(&self.to_text()),
        }
        ExitCode::from(if matches!(self, Self::Usage(_)) { 2 } else { 1 })
    }

    /// One line: the message, and the hint in parentheses.
    pub(super) fn to_text(&self) -> String {
        match self {
            Self::Lro(error) if error.hint().is_empty() => one_line(error.message()),
            Self::Lro(error) => {
                let hint = with_flags(error.hint().trim_end_matches('.'));
                one_line(&format!("{} ({hint})", error.message()))
            }
            Self::Usage(message) | Self::NotConforming(message) | Self::Unusable(message) => one_line(message),
            Self::Configuration { message, hint } => one_line(&format!("{message} ({hint})")),
            Self::File { action, error } => one_line(&format!("cannot {action}: {error}")),
            Self::ReaderGone | Self::Status(_) => String::new(),
        }
    }

    fn to_json(&self) -> Value {
        match self {
            Self::Lro(error) => error.to_json(),
            Self::Usage(_) => json!({ "case": "usage", "message": self.to_text(), "hint": "" }),
            Self::NotConforming(_) => json!({ "case": "not-conforming", "message": self.to_text(), "hint": "" }),
            Self::Configuration { message, hint } => {
                json!({ "case": "configuration", "message": one_line(message), "hint": hint })
            }
            Self::File { .. } | Self::Unusable(_) | Self::ReaderGone | Self::Status(_) => {
                json!({ "case": "io", "message": self.to_text(), "hint": "" })
            }
        }
    }
}

impl From<lro::Error> for Failure {
    fn from(mut error: lro::Error) -> Self {
        if let lro::Error::Case(Case::InvalidArgument(problem)) = &mut error {
            problem.message = without_place(std::mem::take(&mut problem.message));
        }
        Self::Lro(error)
    }
}

/// The message without a place in the JSON of a request: the command has written that.
fn without_place(message: String) -> String {
    let is_of_request = message.starts_with("cannot read the ") && message.contains(" request: ");
    let place = message.rfind(" at line ").filter(|place| is_of_request && message[*place..].contains(" column "));
    place.map_or_else(|| message.clone(), |place| message[..place].to_owned())
}

/// Joins the lines of a message: it may quote a filter with line breaks, but an error is one line.
fn one_line(text: &str) -> String {
    text.split(['\n', '\r']).map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
}
