//! The requests that have no answer yet. An answer is passed on to the client only if its request is listed here, and takes
//! it out: so each request gets exactly one.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;

use super::super::envelope::{Envelope, key};
use super::super::parts;

/// A request's id.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Id {
    /// Of equal ids the same text, however they are written.
    pub(super) key: String,
    /// As the client wrote it.
    pub(super) text: String,
}

/// The ids of the requests in a line: one, none, or those of a batch.
pub(super) fn ids(line: &[u8]) -> Vec<Id> {
    let of = |message: &[u8]| {
        let envelope = Envelope::of(message).filter(|envelope| envelope.method.is_some())?;
        let written: Written<'_> = serde_json::from_slice(message).ok()?;
        Some(Id { key: envelope.id()?, text: written.id?.get().to_owned() })
    };
    let mut ids = Vec::new();
    each_message(line, |message| ids.extend(of(message)));
    ids
}

/// Passes each message in a line to `take`: the line itself, or the messages of a batch. A batch that breaks off has none.
pub(super) fn each_message(line: &[u8], mut take: impl FnMut(&[u8])) {
    if line.trim_ascii_start().first() != Some(&b'[') {
        return take(line);
    }
    let Ok(batch) = std::str::from_utf8(line) else { return };
    if serde_json::from_str::<Vec<IgnoredAny>>(batch).is_ok() {
        // It is a list.
        let _ = parts::each(batch, |message| take(message.as_bytes()));
    }
}

#[derive(Deserialize)]
struct Written<'a> {
    #[serde(borrow)]
    id: Option<&'a RawValue>,
}

/// The key of the request that a notification cancels.
pub(super) fn cancelled(line: &[u8]) -> Option<String> {
    let envelope =
        Envelope::of(line).filter(|envelope| envelope.method.as_deref() == Some("notifications/cancelled"))?;
    key(envelope.param_text("requestId")?)
}

/// Requests by their ids. A client that uses an id twice gets two answers.
#[derive(Default)]
pub(super) struct Unanswered(Mutex<HashMap<String, Open>>);

/// Requests with one id.
struct Open {
    /// The id as the client wrote it.
    text: String,
    count: usize,
    /// Nobody waits for an answer any more.
    is_cancelled: bool,
}

impl Unanswered {
    pub(super) fn add(&self, ids: &[Id]) {
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for id in ids {
            let new = || Open { text: id.text.clone(), count: 0, is_cancelled: false };
            open.entry(id.key.clone()).or_insert_with(new).count += 1;
        }
    }

    /// The client has cancelled a request. A server need not answer it.
    pub(super) fn cancel(&self, key: &str) {
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(open) = open.get_mut(key) {
            open.is_cancelled = true;
        }
    }

    /// True while somebody waits for an answer to one of these requests.
    pub(super) fn has_any(&self, ids: &[Id]) -> bool {
        let open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        ids.iter().any(|id| open.get(&id.key).is_some_and(|open| !open.is_cancelled))
    }

    /// True when there was such a request: it is answered now.
    pub(super) fn take(&self, key: &str) -> bool {
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(found) = open.get_mut(key) else { return false };
        found.count -= 1;
        if found.count == 0 {
            open.remove(key);
        }
        true
    }

    /// Takes all that are left: their ids as the client wrote them.
    pub(super) fn take_all(&self) -> Vec<String> {
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        open.drain().flat_map(|(_, open)| std::iter::repeat_n(open.text, open.count)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::{Unanswered, cancelled, ids};

    #[test]
    fn requests_have_ids() {
        let rows: [(&str, &[&str]); 7] = [
            (r#"{"id":1e2,"method":"ping"}"#, &["1e2"]),
            (r#"{"id":18446744073709551617,"method":"ping"}"#, &["18446744073709551617"]),
            (
                r#"[{"id":1,"method":"ping"},{"method":"n"},{"id":"b","method":"ping"},{"id":3,"result":{}}]"#,
                &["1", "\"b\""],
            ),
            (r#"{"method":"notifications/initialized"}"#, &[]),
            (r#"{"id":1,"result":{}}"#, &[]),
            ("[]", &[]),
            ("garbage", &[]),
        ];
        for (line, expected) in rows {
            let texts: Vec<String> = ids(line.as_bytes()).into_iter().map(|id| id.text).collect();
            assert_eq!(texts, expected, "{line}");
        }
    }

    #[test]
    fn each_is_answered_once() {
        let unanswered = Unanswered::default();
        let id = ids(br#"{"id":"a","method":"ping"}"#);
        unanswered.add(&id);
        unanswered.add(&id);
        assert!(unanswered.has_any(&id));
        let cancels = br#"{"method":"notifications/cancelled","params":{"requestId":"\u0061"}}"#;
        unanswered.cancel(&cancelled(cancels).unwrap());
        assert!(!unanswered.has_any(&id));
        assert!(unanswered.take("\"a\""));
        assert_eq!(unanswered.take_all(), ["\"a\""]);
        assert!(!unanswered.take("\"a\""));
    }
}
