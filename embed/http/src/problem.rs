//! Why a request gets no result: the contract's errors, and the few of our own, as a status and a JSON body.

use serde::Serialize;

use crate::answer::Answer;
use crate::bindings::lro::offload::types;

/// The body of an error (`application/problem+json`): which case of the contract's `error` it is, and what that carries.
#[derive(Debug, Serialize)]
pub struct Problem {
    status: u16,
    case: &'static str,
    message: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    hint: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    known: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    limit: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<u32>,
    #[serde(skip)]
    allow: Option<(&'static str, &'static str)>,
}

impl Problem {
    fn new(status: u16, case: &'static str, message: impl Into<String>, hint: impl Into<String>) -> Self {
        let (message, hint) = (message.into(), hint.into());
        Self { status, case, message, hint, known: Vec::new(), limit: None, value: None, allow: None }
    }

    /// The request makes no sense.
    pub fn invalid(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::new(400, "invalid-argument", message, hint)
    }

    /// There is no such thing.
    pub fn not_found(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::new(404, "not-found", message, hint)
    }

    /// The name is none that a result could have.
    pub fn outside(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::new(403, "outside", message, hint)
    }

    /// The path exists, the method does not fit.
    pub fn method(message: impl Into<String>, allow: &'static str) -> Self {
        Self { allow: Some(("allow", allow)), ..Self::new(405, "invalid-argument", message, format!("Use {allow}.")) }
    }

    /// The body is larger than what is read.
    pub fn too_large(what: &str, most: usize) -> Self {
        let message = format!("cannot read {what}: it has more than {most} bytes");
        Self {
            limit: Some("body_bytes".into()),
            value: u32::try_from(most).ok(),
            ..Self::new(413, "limit-reached", message, "Send less at a time.")
        }
    }

    /// The store, or the connection, refused.
    pub fn io(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::new(503, "io", message, hint)
    }

    /// The application is set up wrongly: nothing that a client could mend.
    pub fn misconfigured(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::new(500, "other", message, hint)
    }

    /// Nobody is let in without a token.
    pub fn unauthorized(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { allow: Some(("www-authenticate", "Bearer")), ..Self::new(401, "other", message, hint) }
    }

    /// What to do about it; empty if there is nothing to add.
    pub fn hint(&self) -> &str {
        &self.hint
    }

    /// Names that exist and could have been meant.
    pub(crate) fn known(&self) -> &[String] {
        &self.known
    }

    /// In one line.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// As a response.
    pub fn answer(&self) -> Answer {
        let body = serde_json::to_vec(self).expect("a problem has text keys only");
        let answer = Answer::of(self.status, "application/problem+json", body);
        match self.allow {
            Some((name, value)) => answer.with(name, value),
            None => answer,
        }
    }
}

impl From<types::Error> for Problem {
    fn from(error: types::Error) -> Self {
        use types::Error;
        let of = |status, case, problem: types::Problem| Self::new(status, case, problem.message, problem.hint);
        match error {
            Error::InvalidArgument(problem) => of(400, "invalid-argument", problem),
            Error::InvalidQuery(problem) => {
                Self { known: problem.known, ..Self::new(422, "invalid-query", problem.message, problem.hint) }
            }
            Error::NotFound(problem) => of(404, "not-found", problem),
            Error::Outside(problem) => of(403, "outside", problem),
            Error::NotAnOffload(problem) => of(422, "not-an-offload", problem),
            Error::LimitReached(problem) => Self {
                limit: Some(problem.limit),
                value: Some(problem.value),
                ..Self::new(422, "limit-reached", problem.message, problem.hint)
            },
            Error::Io(problem) => of(503, "io", problem),
            Error::Other(message) => Self::new(500, "other", message, ""),
        }
    }
}
