//! `POST /results/NAME`: one page of an extraction, as one JSON document.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::value::RawValue;

use crate::Call;
use crate::answer::Answer;
use crate::bindings::lro::offload::offloader::{self, Extraction};
use crate::bindings::lro::offload::types::Source;
use crate::name::Name;
use crate::problem::Problem;

/// The contract's page. Each result has the bytes that the component gave it.
#[derive(Serialize)]
struct Page<'a> {
    results: Vec<&'a RawValue>,
    count: u32,
    total: Option<u32>,
    truncated: bool,
    next: Option<&'a str>,
    failed: u32,
    failures: Vec<Failure<'a>>,
    remarks: &'a [String],
}

#[derive(Serialize)]
struct Failure<'a> {
    line: u32,
    message: &'a str,
    hint: &'a str,
}

/// Extracts from a stored result what the body asks for.
pub(crate) fn extract(name: &Name, call: &Call<'_>) -> Result<Answer, Problem> {
    let asked = as_values(&call.request.body)?;
    let source = match call.settings.keep_files() {
        true => Source::File(name.to_string()),
        false => Source::Content((call.open)()?.get(name)?),
    };
    page(&offloader::extract(&source, &asked, &call.settings.text())?)
        .map(|page| Answer::of(200, "application/json", page))
}

/// The request, asking for JSON values: bare strings could not be told apart in a document.
pub(crate) fn as_values(body: &str) -> Result<String, Problem> {
    // What is no object is the component's to refuse.
    let Ok(mut asked) = serde_json::from_str::<BTreeMap<String, &RawValue>>(body) else { return Ok(body.to_owned()) };
    if asked.get("raw").is_some_and(|raw| raw.get() == "true") {
        return Err(Problem::invalid(
            "cannot extract: `raw` is true, and results are JSON values here",
            "Leave `raw` out: a string is answered as a JSON string.",
        ));
    }
    let values = RawValue::from_string("false".into()).expect("false is JSON");
    asked.insert("raw".into(), &values);
    Ok(serde_json::to_string(&asked).expect("an object has text keys"))
}

/// A page as the text of one JSON object.
pub(crate) fn page(extraction: &Extraction) -> Result<String, Problem> {
    let results = extraction.results.lines().map(serde_json::from_str).collect::<Result<Vec<&RawValue>, _>>();
    let results = results.map_err(|error| {
        Problem::misconfigured(format!("cannot answer the results: the component gave no JSON Lines: {error}"), "")
    })?;
    let failures = extraction.failures.iter();
    Ok(serde_json::to_string(&Page {
        results,
        count: extraction.count,
        total: extraction.total,
        truncated: extraction.truncated,
        next: extraction.next.as_deref(),
        failed: extraction.failed,
        failures: failures
            .map(|failure| Failure { line: failure.line, message: &failure.message, hint: &failure.hint })
            .collect(),
        remarks: &extraction.remarks,
    })
    .expect("a page has text keys only"))
}
