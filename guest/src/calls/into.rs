//! Results that become an offloaded file of their own, so that an agent refines in steps and the data does not pass
//! through its context (USER-11).

use std::io;

use serde_json::Value;

use super::{Outcome, Page, Stored, store};
use crate::error::Error;
use crate::file::events::Event;
use crate::file::instant::Instant;
use crate::offload::{self, Decision};
use crate::settings::request;
use crate::settings::tools::Threshold;
use crate::settings::{Mode, Settings, Store};

/// What the operation of such a file is called.
const OPERATION: &str = "extract";

/// Refuses what makes no sense for results that go into a file.
pub(super) fn check(request: &request::Extract, settings: &Settings) -> Result<(), Error> {
    let refused =
        |reason: &str, hint: &str| Err(Error::invalid_argument(format!("cannot extract into a file: {reason}"), hint));
    if request.raw == Some(true) {
        return refused("`raw` is given", "leave it out: the lines of a file are JSON");
    }
    if request.max_bytes.is_some() {
        return refused("`max_bytes` is given", "bound the results with `limit`");
    }
    if settings.store == Store::Content {
        return refused("the setting `store` is `content`", "take the results, and offload them");
    }
    Ok(())
}

/// All results of a request, page after page.
pub(super) fn all_pages(
    request: &request::Extract,
    extract: impl Fn(&request::Extract) -> Result<Page, Error>,
) -> Result<Page, Error> {
    let mut all = extract(request)?;
    while let Some(next) = all.next.take() {
        let limit = request.limit.map(|limit| limit - all.count);
        if limit == Some(0) {
            all.next = Some(next);
            break;
        }
        let page = extract(&request::Extract { next: Some(next), limit, ..request.clone() })?;
        all.text.extend(page.text);
        all.count += page.count;
        all.next = page.next;
        all.failed += page.failed;
        all.remarks.extend(page.remarks);
        if all.failures.is_empty() {
            all.failures = page.failures;
        }
    }
    Ok(all)
}

/// Writes the results to a file and puts its response, or what is answered when the write fails, in their place. No
/// results stay none, and nothing is written.
pub(super) fn stored(
    results: Page,
    request_text: &str,
    session: Option<String>,
    settings: &Settings,
    instant: impl FnOnce() -> io::Result<Instant>,
) -> Result<Page, Error> {
    if results.count == 0 {
        return Ok(results);
    }
    let mut page = results;
    let lines = String::from_utf8(std::mem::take(&mut page.text)).map_err(|error| Error::Other(error.to_string()))?;
    // A single line would be looked into; as an array it is one record, whatever it holds.
    let payload = if page.count == 1 { format!("[{}]", lines.trim_end()) } else { lines };
    let request = request::Offload {
        operation: OPERATION.to_owned(),
        query: Some(asked(request_text)),
        session,
        ..request::Offload::of_records()
    };
    // Who asks for a file gets one, whatever a window holds.
    let (mode, context_tokens) = (Mode::Artifact, None);
    let always = Settings { enabled: true, min_saving: None, mode, context_tokens, ..settings.clone() };
    let always = always.with_threshold(Threshold::Tokens(0));
    let payload = offload::payload_of(&payload, &request);
    let Decision::Offload(draft) = offload::decide(&payload, &request, &always)?.decision else {
        return Err(Error::Other("cannot extract into a file: the results are not JSON Lines".to_owned()));
    };
    let (outcome, event) = store(&draft, settings, instant);
    // An extraction has no events: what could not be written is told like anything else that looks wrong.
    page.remarks.extend(event.filter(Event::is_failure).map(|event| event.message));
    let text = match outcome {
        Outcome::Offloaded(Stored { response, .. }) => response,
        Outcome::Truncated(text) | Outcome::Inline(text) => text,
        Outcome::Unchanged => String::new(),
    };
    page.text = (text + "\n").into_bytes();
    page.count = 1;
    page.total = Some(1);
    page.next = None;
    Ok(page)
}

/// What was asked, for the header: the filter, or the request without what does not belong to the question.
fn asked(request_text: &str) -> String {
    let Ok(Value::Object(mut keys)) = serde_json::from_str(request_text) else { return String::new() };
    match keys.get("query").and_then(Value::as_str) {
        Some(filter) => filter.to_owned(),
        None => {
            let apart = ["into", "next", "limit", "chunk_bytes", "strict", "slurp", "raw"];
            keys.retain(|key, value| {
                !apart.contains(&key.as_str()) && !matches!(value, Value::Null | Value::Bool(false))
            });
            Value::Object(keys).to_string()
        }
    }
}
