//! What goes back to a client.

use serde::Serialize;

use crate::store::Parts;

/// A response.
pub struct Answer {
    /// Its status.
    pub status: u16,
    /// Its headers, without the length of the body.
    pub headers: Vec<(&'static str, String)>,
    /// Its body.
    pub body: Body,
}

/// The body of a response.
pub enum Body {
    /// All of it.
    Whole(Vec<u8>),
    /// A text that is passed on as it comes.
    Parts(Parts),
}

impl Answer {
    /// A body of some media type. An empty type is left out.
    pub fn of(status: u16, media_type: &str, body: impl Into<Vec<u8>>) -> Self {
        let headers = match media_type {
            "" => Vec::new(),
            _ => vec![("content-type", media_type.to_owned())],
        };
        Self { status, headers, body: Body::Whole(body.into()) }
    }

    /// A JSON body.
    pub fn json(status: u16, value: &impl Serialize) -> Self {
        let body = serde_json::to_vec(value).expect("what is answered has text keys only");
        Self::of(status, "application/json", body)
    }

    /// The same with one more header.
    pub fn with(mut self, name: &'static str, value: impl ToString) -> Self {
        self.headers.push((name, value.to_string()));
        self
    }
}
