//! What the calls answer: the records of the contract, with a few conveniences.

pub use crate::bindings::exports::lro::offload::mcp::{Rewriting, Rewritten};
pub use crate::bindings::exports::lro::offload::offloader::{
    Cleaning, Extraction, Failure, Offloading, Outcome, Source, Stored, StoredSection,
};
pub use crate::bindings::lro::offload::types::Event;

use serde_json::{Value, json};

use crate::error::Error;

impl Offloading {
    /// The text to return to the client in place of `payload`: the payload itself, the inline text, the response, or the
    /// truncated result with its warning.
    pub fn text<'a>(&'a self, payload: &'a str) -> &'a str {
        match &self.outcome {
            Outcome::Unchanged => payload,
            Outcome::Inline(text) | Outcome::Truncated(text) => text,
            Outcome::Offloaded(stored) => &stored.response,
        }
    }

    /// The payload as it is, because offloading it failed: nothing is lost, and an `OffloadFailed` event says why.
    pub(crate) fn failed(error: &Error) -> Self {
        Self { outcome: Outcome::Unchanged, estimated_tokens: 0, events: vec![failure_event(error)] }
    }
}

/// Tells that a result is passed on because offloading it failed.
pub(crate) fn failure_event(error: &Error) -> Event {
    Event {
        name: "OffloadFailed".to_owned(),
        message: format!("the result is returned unchanged, because offloading it failed: {error}"),
        fields: error.to_json().to_string(),
    }
}

impl Event {
    /// The event as one JSON object: `{"name": …, "message": …, "fields": {…}}`.
    pub fn to_json(&self) -> Value {
        let fields = serde_json::from_str(&self.fields).unwrap_or(Value::Null);
        json!({ "name": self.name, "message": self.message, "fields": fields })
    }
}
