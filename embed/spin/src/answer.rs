//! What goes back to a client.

use serde::Serialize;

/// A response: its status, its headers, and its body.
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(&'static str, String)>,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    /// A body of some media type. An empty type is left out.
    pub(crate) fn of(status: u16, media_type: &str, body: impl Into<Vec<u8>>) -> Self {
        let headers = match media_type {
            "" => Vec::new(),
            _ => vec![("content-type", media_type.to_owned())],
        };
        Self { status, headers, body: body.into() }
    }

    /// A JSON body.
    pub(crate) fn json(status: u16, value: &impl Serialize) -> Self {
        let body = serde_json::to_vec(value).expect("what is answered has text keys only");
        Self::of(status, "application/json", body)
    }

    /// The same with one more header.
    pub(crate) fn with(mut self, name: &'static str, value: impl ToString) -> Self {
        self.headers.push((name, value.to_string()));
        self
    }
}
