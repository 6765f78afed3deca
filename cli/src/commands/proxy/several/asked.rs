//! Requests of servers, which the client sees under other ids: those of two servers may be equal.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::super::envelope::{self, Envelope, key};
use super::switch::with_id;

/// The most requests that wait for the client, and the bytes of their ids; the oldest are forgotten for the next one.
const MOST: usize = 1000;
const MOST_BYTES: usize = 4 << 20;

/// Requests by the numbers that the client sees.
#[derive(Default)]
pub(super) struct Asked {
    open: BTreeMap<u64, Request>,
    count: u64,
}

struct Request {
    server: usize,
    /// The id and the token of progress as the server wrote them.
    id: String,
    token: Option<String>,
}

impl Request {
    fn bytes(&self) -> usize {
        self.id.len() + self.token.as_ref().map_or(0, String::len)
    }
}

#[derive(Deserialize)]
struct Meta<'a> {
    #[serde(borrow, rename = "progressToken")]
    token: Option<&'a RawValue>,
}

impl Asked {
    /// Returns a request as the client should see it.
    pub(super) fn ask(&mut self, server: usize, id: &str, envelope: &Envelope<'_>, line: &[u8]) -> Vec<u8> {
        self.count += 1;
        let number = self.count;
        let meta: Option<Meta<'_>> = envelope.param_text("_meta").and_then(|meta| serde_json::from_str(meta).ok());
        let token = meta.and_then(|meta| meta.token).map(RawValue::get);
        let request = Request { server, id: id.to_owned(), token: token.map(str::to_owned) };
        while self.open.len() >= MOST || self.bytes() + request.bytes() > MOST_BYTES {
            if self.open.pop_first().is_none() {
                break;
            }
        }
        self.open.insert(number, request);
        let line = token.map_or_else(|| line.to_owned(), |token| envelope::with(line, token, &number.to_string()));
        match Envelope::of(&line) {
            Some(envelope) => with_id(&line, &envelope, &shown(number)),
            None => line,
        }
    }

    fn bytes(&self) -> usize {
        self.open.values().map(Request::bytes).sum()
    }

    /// The client has answered: whom, and under which id.
    pub(super) fn answered(&mut self, id: &str) -> Option<(usize, String)> {
        let request = self.open.remove(&number(id)?)?;
        Some((request.server, request.id))
    }

    /// Whose progress a token of the client's is about, and what the server calls it.
    pub(super) fn token(&self, token: &str) -> Option<(usize, String)> {
        let request = self.open.get(&token.parse().ok()?)?;
        Some((request.server, request.token.clone()?))
    }

    /// A server no longer wants an answer. Returns what the client calls the request.
    pub(super) fn withdrawn(&mut self, server: usize, id: &str) -> Option<String> {
        let is_it = |request: &Request| request.server == server && key(&request.id) == key(id);
        let number = self.open.iter().find(|(_, request)| is_it(request)).map(|(number, _)| *number)?;
        self.open.remove(&number);
        Some(shown(number))
    }

    /// Forgets the requests of a server. Returns what the client calls them.
    pub(super) fn forget(&mut self, server: usize) -> Vec<String> {
        let of_server: Vec<u64> =
            self.open.iter().filter(|(_, request)| request.server == server).map(|(number, _)| *number).collect();
        of_server.into_iter().filter_map(|number| self.open.remove(&number).map(|_| format!("lro:{number}"))).collect()
    }
}

/// The id of a request as the client sees it.
fn shown(number: u64) -> String {
    format!("\"lro:{number}\"")
}

fn number(id: &str) -> Option<u64> {
    let id: String = serde_json::from_str(id).ok()?;
    id.strip_prefix("lro:")?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::{Asked, Envelope};

    #[test]
    fn equal_ids_of_two_servers_are_apart() {
        let mut asked = Asked::default();
        let line = br#"{"id":1,"method":"sampling/createMessage","params":{"_meta":{"progressToken":1},"x":1}}"#;
        let seen: Vec<String> = (0..2)
            .map(|server| {
                let line = asked.ask(server, "1", &Envelope::of(line).unwrap(), line);
                String::from_utf8(line).unwrap()
            })
            .collect();
        assert_eq!(
            seen[1],
            r#"{"id":"lro:2","method":"sampling/createMessage","params":{"_meta":{"progressToken":2},"x":1}}"#
        );
        assert_eq!(asked.token("2"), Some((1, "1".to_owned())));
        assert_eq!(asked.answered("\"lro:2\""), Some((1, "1".to_owned())));
        assert_eq!((asked.answered("\"lro:2\""), asked.answered("1")), (None, None));
        assert_eq!(asked.withdrawn(1, "1"), None);
        assert_eq!(asked.withdrawn(0, "1").as_deref(), Some("\"lro:1\""));
        asked.ask(1, "\"a\"", &Envelope::of(line).unwrap(), line);
        assert_eq!(asked.forget(1), ["lro:3"]);
    }
}
