//! What the calls return: the records of the contract, with a few conveniences.

pub use crate::bindings::exports::lro::offload::mcp::{Rewriting, Rewritten};
pub use crate::bindings::exports::lro::offload::offloader::{
    Cleaning, Extraction, Failure, Offloading, Outcome, Source, Stored, StoredSection,
};
pub use crate::bindings::exports::lro::offload::reader::{Findings, Hit, Passage};
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

    /// The last resort, if the component can neither offload a result nor truncate it. It contains nothing of the payload,
    /// which may be large.
    pub(crate) fn withheld(error: &Error) -> Self {
        let text = json!({
            "offloaded": false, "warning": withheld_because(error), "results": [], "returned": 0, "total": 0
        });
        Self { outcome: Outcome::Truncated(text.to_string()), estimated_tokens: 0, events: vec![failure_event(error)] }
    }
}

impl Rewritten {
    /// The last resort for a tool's result: an error of the tool in place of it.
    pub(crate) fn withheld(error: &Error) -> Self {
        let text = withheld_because(error);
        let message = json!({ "content": [{ "type": "text", "text": text }], "isError": true }).to_string();
        Self {
            message: Rewriting::Replaced(message),
            file_name: None,
            section_file_names: Vec::new(),
            events: vec![failure_event(error)],
        }
    }
}

fn withheld_because(error: &Error) -> String {
    format!("the result is withheld, because offloading it failed: {error}; ask for less at once")
}

/// Tells that a result could not be offloaded.
pub(crate) fn failure_event(error: &Error) -> Event {
    Event {
        name: OFFLOAD_FAILED.to_owned(),
        message: format!("offloading the result failed: {error}"),
        fields: error.to_json().to_string(),
    }
}

/// The event of a result that could not be offloaded.
pub(crate) const OFFLOAD_FAILED: &str = "OffloadFailed";

/// Adds the event of a failure unless it is there.
pub(crate) fn tell_failure(events: &mut Vec<Event>, error: &Error) {
    if !events.iter().any(|event| event.name == OFFLOAD_FAILED) {
        events.push(failure_event(error));
    }
}

impl Event {
    /// The event as one JSON object: `{"name": …, "message": …, "fields": {…}}`.
    pub fn to_json(&self) -> Value {
        let fields = serde_json::from_str(&self.fields).unwrap_or(Value::Null);
        json!({ "name": self.name, "message": self.message, "fields": fields })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::{Offloading, Rewriting, Rewritten};
    use crate::error::{Accident, Error};

    #[test]
    fn what_is_withheld_reads_as_in_every_host() {
        let path = format!("{}/../tests/hosts.json", env!("CARGO_MANIFEST_DIR"));
        let hosts: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
        let expected = &hosts["failed"];
        let error = Error::from(Accident::Trapped(expected["message"].as_str().unwrap().to_owned()));
        let json = |text: &str| -> Value { serde_json::from_str(text).unwrap() };
        let (result, tool_result) = (Offloading::withheld(&error), Rewritten::withheld(&error));
        assert_eq!(json(result.text("")), expected["result"]);
        let Rewriting::Replaced(message) = &tool_result.message else { panic!("it is replaced") };
        assert_eq!(json(message), expected["tool_result"]);
        for event in result.events.iter().chain(&tool_result.events) {
            assert_eq!(event.to_json(), expected["event"]);
        }
    }
}
