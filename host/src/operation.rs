//! Offloading around what a program has already: values, functions and stretches of work (SECTION-10, SECTION-12).

use std::fmt;
use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;

use crate::answer::{Cleaning, Offloading};
use crate::error::Error;
use crate::offloader::Lro;
use crate::request::{CleanupRequest, OffloadRequest};

/// What became of a value.
#[derive(Clone, Debug)]
pub enum Offloaded<T> {
    /// Nothing was done: the value itself.
    Unchanged(T),
    /// It is in a file, or was cut; [`Offloading::text`] is what to return in its place.
    Replaced(Offloading),
}

impl<T: Serialize> Offloaded<T> {
    /// What to return to the client, as JSON: the value, the response, or a text.
    ///
    /// # Errors
    /// `invalid-argument` for a value that has no JSON form.
    pub fn to_json(&self) -> Result<Value, Error> {
        match self {
            Self::Unchanged(value) => serde_json::to_value(value).map_err(|error| no_json(&error)),
            Self::Replaced(answer) => {
                let text = answer.text("");
                Ok(serde_json::from_str(text).unwrap_or_else(|_| Value::from(text)))
            }
        }
    }
}

type Summary = Arc<dyn Fn(&Value) -> Value + Send + Sync>;

/// An operation whose results go through offloading. [`Lro::operation`] makes one.
#[derive(Clone)]
pub struct Operation {
    lro: Lro,
    request: OffloadRequest,
    summaries: Vec<(String, Summary)>,
}

impl Operation {
    /// Lets a function say what the list at a jq path is about; `.` is the whole result. It is called with the list,
    /// only for a result that is above the threshold: that is estimated first, which reads the result once more.
    #[must_use]
    pub fn summarise<S: Into<Value>>(
        mut self,
        path: impl Into<String>,
        summary: impl Fn(&Value) -> S + Send + Sync + 'static,
    ) -> Self {
        self.summaries.push((path.into(), Arc::new(move |list| summary(list).into())));
        self
    }

    /// Offloads a value if it is above the threshold; otherwise it is returned as it came. A string is a text, anything
    /// else is written as JSON.
    ///
    /// # Errors
    /// Those of [`Lro::offload`], and `invalid-argument` for a value that has no JSON form.
    pub fn offload<T: Serialize>(&self, value: T) -> Result<Offloaded<T>, Error> {
        let payload = text_of(&value)?;
        let answer = self.lro.offload(&payload, &self.with_summaries(&payload)?)?;
        Ok(match answer.outcome {
            crate::Outcome::Unchanged => Offloaded::Unchanged(value),
            _ => Offloaded::Replaced(answer),
        })
    }

    /// The function, with what it returns going through [`Operation::offload`].
    pub fn wrap<A, T: Serialize, F: Fn(A) -> T>(
        &self,
        function: F,
    ) -> impl Fn(A) -> Result<Offloaded<T>, Error> + use<A, T, F> {
        let operation = self.clone();
        move |argument| operation.offload(function(argument))
    }

    /// The request with what the functions say of this result.
    fn with_summaries(&self, payload: &str) -> Result<OffloadRequest, Error> {
        let mut request = self.request.clone();
        if self.summaries.is_empty() || !self.may_be_offloaded(payload)? {
            return Ok(request);
        }
        let document: Value = serde_json::from_str(payload).unwrap_or_else(|_| Value::from(payload));
        for (path, summary) in &self.summaries {
            if let Some(list) = at(&document, path) {
                let section = request.sections.get_or_insert_default().entry(path.clone()).or_default();
                section.summary = Some(summary(list));
            }
        }
        Ok(request)
    }

    fn may_be_offloaded(&self, payload: &str) -> Result<bool, Error> {
        let settings = self.lro.settings();
        let threshold = settings.threshold_characters.or(settings.threshold_tokens).unwrap_or_default();
        // The gates of a context window look at more than a threshold.
        Ok(settings.context_tokens.is_some() || self.lro.estimate(payload, &self.request)? > threshold)
    }
}

impl fmt::Debug for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Operation").field("request", &self.request).finish_non_exhaustive()
    }
}

/// A folder of its own for the files of a stretch of work, emptied when it is dropped (SECTION-03, SECTION-09).
/// [`Lro::session`] makes one.
#[must_use = "the session ends when it is dropped"]
pub struct Session {
    lro: Lro,
    name: String,
    is_open: bool,
}

impl Session {
    /// The name of the folder.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// An operation whose files are in this session.
    pub fn operation(&self, request: OffloadRequest) -> Operation {
        self.lro.operation(request.session(self.name.as_str()))
    }

    /// Offloads a text into this session.
    ///
    /// # Errors
    /// Those of [`Lro::offload`].
    pub fn offload(&self, payload: &str, request: &OffloadRequest) -> Result<Offloading, Error> {
        self.lro.offload(payload, &request.clone().session(self.name.as_str()))
    }

    /// Ends the session and says what was deleted.
    ///
    /// # Errors
    /// Those of [`Lro::cleanup`].
    pub fn close(mut self) -> Result<Cleaning, Error> {
        self.is_open = false;
        self.emptied()
    }

    fn emptied(&self) -> Result<Cleaning, Error> {
        self.lro.cleanup(&CleanupRequest::default().session(self.name.as_str()).max_files(0_u32))
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        if self.is_open {
            // What stays is deleted when it expires.
            _ = self.emptied();
        }
    }
}

impl Lro {
    /// An operation whose results, as values, go through offloading: a call, or a wrapper for functions.
    ///
    /// ```
    /// use lro::{Lro, OffloadRequest, Offloaded, Options, Settings};
    /// use serde_json::{Value, json};
    ///
    /// # fn main() -> Result<(), lro::Error> {
    /// # let folder = std::env::temp_dir().join(format!("lro-operation-{}", std::process::id()));
    /// let lro = Lro::open(&Options::of(&folder).settings(Settings::default().threshold_tokens(50)))?;
    /// let operation = lro
    ///     .operation(OffloadRequest::of("list_orders"))
    ///     .summarise(".orders", |orders| format!("{} orders", orders.as_array().map_or(0, Vec::len)));
    /// let list_orders = operation.wrap(|count: usize| {
    ///     json!({ "orders": (0..count).map(|n| json!({ "id": n, "state": "open" })).collect::<Vec<_>>() })
    /// });
    ///
    /// assert!(matches!(list_orders(1)?, Offloaded::Unchanged(_))); // The very value.
    /// let response = list_orders(90)?.to_json()?;
    /// assert_eq!(response["summary"]["given"], "90 orders");
    /// # std::fs::remove_dir_all(folder).ok();
    /// # Ok(())
    /// # }
    /// ```
    pub fn operation(&self, request: OffloadRequest) -> Operation {
        Operation { lro: self.clone(), request, summaries: Vec::new() }
    }

    /// A folder of its own for the files of a stretch of work, emptied when the session is dropped.
    ///
    /// ```
    /// use lro::{Lro, OffloadRequest, Options, Settings};
    ///
    /// # fn main() -> Result<(), lro::Error> {
    /// # let folder = std::env::temp_dir().join(format!("lro-session-{}", std::process::id()));
    /// let lro = Lro::open(&Options::of(&folder).settings(Settings::default().threshold_tokens(10)))?;
    /// let session = lro.session("run-7");
    /// session.operation(OffloadRequest::of("list")).offload(vec!["one value of many"; 40])?;
    /// assert_eq!(std::fs::read_dir(folder.join("run-7")).unwrap().count(), 1);
    /// drop(session);
    /// assert!(!folder.join("run-7").exists());
    /// # std::fs::remove_dir_all(folder).ok();
    /// # Ok(())
    /// # }
    /// ```
    pub fn session(&self, name: impl Into<String>) -> Session {
        Session { lro: self.clone(), name: name.into(), is_open: true }
    }
}

/// A value as the text of a result: a string is that text.
fn text_of(value: &impl Serialize) -> Result<String, Error> {
    let text = serde_json::to_string(value).map_err(|error| no_json(&error))?;
    match text.starts_with('"') {
        true => serde_json::from_str(&text).map_err(|error| no_json(&error)),
        false => Ok(text),
    }
}

fn no_json(error: &serde_json::Error) -> Error {
    Error::invalid_argument(format!("the result is not text and cannot be written as JSON: {error}"))
}

/// The value at a jq path of keys: `.data."odd key"`.
fn at<'v>(document: &'v Value, path: &str) -> Option<&'v Value> {
    let mut rest = path.trim();
    let mut value = document;
    if rest == "." {
        return Some(value);
    }
    while !rest.is_empty() {
        rest = rest.strip_prefix('.')?;
        let key = if rest.starts_with('"') {
            let mut strings = serde_json::Deserializer::from_str(rest).into_iter::<String>();
            let key = strings.next()?.ok()?;
            rest = &rest[strings.byte_offset()..];
            key
        } else {
            let (key, after) = rest.split_at(rest.find(['.', '"']).unwrap_or(rest.len()));
            rest = after;
            key.to_owned()
        };
        value = value.get(&key)?;
    }
    Some(value)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{at, text_of};

    #[test]
    fn lists_are_found_by_their_paths() {
        let document = json!({"a": {"b c": [1]}, "d": [2]});
        let rows = [
            (".", Some(document.clone())),
            (".d", Some(json!([2]))),
            (r#".a."b c""#, Some(json!([1]))),
            (".a.x", None),
            ("d", None),
        ];
        for (path, expected) in rows {
            assert_eq!(at(&document, path).cloned(), expected, "{path}");
        }
    }

    #[test]
    fn a_string_is_its_text() {
        assert_eq!(text_of(&"a \"text\"\n").unwrap(), "a \"text\"\n");
        assert_eq!(text_of(&[1, 2]).unwrap(), "[1,2]");
    }
}
