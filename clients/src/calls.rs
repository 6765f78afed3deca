//! The library as a module of WebAssembly: texts go in, one JSON text comes out.
//!
//! A caller asks for room (`room`), writes the lengths of its texts as a JSON array, a line feed and the texts, and calls
//! `call`, which returns the length of the answer; `answer` is its place. The first text names the function. An answer is
//! `{"ok": …}`, `{"error": TEXT}`, or `{"problem": …}`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::hook::{Client, Event, Held, Holding, Saved, is_of_ours, is_tool, is_worth_an_answer, result_of};
use crate::setup::{Problem, Request, Seen, candidates, prepare};

static INPUT: Mutex<Vec<u8>> = Mutex::new(Vec::new());
static ANSWER: Mutex<Vec<u8>> = Mutex::new(Vec::new());

/// Makes room for so many bytes of input, and returns its place.
#[expect(unsafe_code, reason = "the caller knows this name")]
#[unsafe(no_mangle)]
pub(crate) extern "C" fn room(bytes: usize) -> *const u8 {
    let mut input = locked(&INPUT);
    *input = vec![0; bytes];
    input.as_ptr()
}

/// Runs the call in the input, and returns the length of its answer in bytes.
#[expect(unsafe_code, reason = "the caller knows this name")]
#[unsafe(no_mangle)]
pub(crate) extern "C" fn call() -> usize {
    let input = std::mem::take(&mut *locked(&INPUT));
    let answer = answered(&input).unwrap_or_else(|error| json!({ "error": error }));
    let mut kept = locked(&ANSWER);
    *kept = answer.to_string().into_bytes();
    kept.len()
}

/// The place of the answer.
#[expect(unsafe_code, reason = "the caller knows this name")]
#[unsafe(no_mangle)]
pub(crate) extern "C" fn answer() -> *const u8 {
    locked(&ANSWER).as_ptr()
}

fn locked(bytes: &Mutex<Vec<u8>>) -> MutexGuard<'_, Vec<u8>> {
    bytes.lock().unwrap_or_else(PoisonError::into_inner)
}

fn answered(input: &[u8]) -> Result<Value, String> {
    let texts = texts(input)?;
    match texts[..] {
        ["hook-held", client, prefix, event] => {
            let event = event_of(client, event)?;
            let held =
                event.held()?.filter(|held| !is_tool(&held.tool, Some(prefix).filter(|prefix| !prefix.is_empty())));
            Ok(json!({ "ok": held.map(|held| what_is_held(&held)) }))
        }
        ["hook-saved", saved, bytes, text] => {
            let saved: Saved = value(saved)?;
            let is_expected = saved.check.fits(value(bytes)?, text);
            let result = is_expected.then(|| result_of(text, saved.may_be_blocks));
            result.map(|result| json!({ "ok": result })).ok_or_else(|| "it is not what the event says".to_owned())
        }
        ["hook-is-ours", result, arguments, output_dir] => {
            Ok(json!({ "ok": is_of_ours(result, arguments, output_dir) }))
        }
        ["hook-answer", client, event, result_bytes, events, message] => {
            let events: Vec<String> = value(events)?;
            if !is_worth_an_answer(value(result_bytes)?, events.iter().map(String::as_str)) {
                return Ok(json!({ "ok": null }));
            }
            Ok(json!({ "ok": event_of(client, event)?.answer(message)? }))
        }
        ["hook-in-mcp", client] => Ok(json!({ "ok": client_of(client)?.as_in_mcp() })),
        ["setup-candidates", request] => {
            let request: Request = value(request)?;
            Ok(match candidates(&request) {
                Ok(paths) => json!({ "ok": paths }),
                Err(problem) => json!({ "problem": problem }),
            })
        }
        ["setup-prepare", request, looked] => {
            let (request, looked): (Request, BTreeMap<PathBuf, Looked>) = (value(request)?, value(looked)?);
            Ok(match prepare(&request, &|path| seen(&looked, path)) {
                Ok(prepared) => json!({ "ok": prepared }),
                Err(problem) => json!({ "problem": problem }),
            })
        }
        _ => Err(format!("unknown function `{}` with {} texts", texts.first().unwrap_or(&""), texts.len())),
    }
}

/// What a caller has found at a path.
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Looked {
    Seen(Seen),
    Problem(Problem),
}

fn seen(looked: &BTreeMap<PathBuf, Looked>, path: &Path) -> Result<Seen, Problem> {
    match looked.get(path) {
        Some(Looked::Seen(seen)) => Ok(seen.clone()),
        Some(Looked::Problem(problem)) => Err(problem.clone()),
        None => Err(Problem::Io { message: format!("nobody has looked at `{}`", path.display()) }),
    }
}

fn what_is_held(held: &Held<'_>) -> Value {
    let (result, saved) = match &held.result {
        Holding::Here(result) => (Some(&**result), None),
        Holding::Saved(saved) => (None, Some(saved)),
    };
    json!({
        "tool": held.tool, "arguments": held.arguments, "result": result, "saved": saved, "leastBytes": held.least_bytes(),
        "isPrinted": held.is_printed,
    })
}

fn client_of(name: &str) -> Result<Client, String> {
    Client::named(name).ok_or_else(|| format!("`{name}` is not a client with a hook"))
}

fn event_of<'a>(client: &str, text: &'a str) -> Result<Event<'a>, String> {
    Event::of(client_of(client)?, text)
}

fn value<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    serde_json::from_str(text).map_err(|error| error.to_string())
}

/// The texts of an input.
fn texts(input: &[u8]) -> Result<Vec<&str>, String> {
    let text = std::str::from_utf8(input).map_err(|error| error.to_string())?;
    let (lengths, mut rest) = text.split_once('\n').ok_or("the input has no lengths")?;
    let lengths: Vec<usize> = value(lengths)?;
    let mut texts = Vec::new();
    for length in lengths {
        let (text, after) = rest.split_at_checked(length).ok_or("the input is shorter than its lengths")?;
        texts.push(text);
        rest = after;
    }
    Ok(texts)
}
