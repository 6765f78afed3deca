//! `lro_extract`: one page of an extraction, small enough that nobody puts it aside again (EXTRACT-01, USER-04).

use lro_query::json::{self, middle_cut};
use serde_json::{Map, Value, json};

use super::indented::indented;
use super::{Answer, file_path, fitting, more, remarks};
use crate::calls::{self, Failure, Page, Source};
use crate::error::Error;
use crate::settings::Settings;
use crate::settings::request;

/// Room for all of an answer but its results: counts, a token, failures and remarks.
const FRAME_BYTES: u32 = 1536;

/// Room for failures within the frame.
const FAILURES_BYTES: usize = 480;

/// A message may quote a record: both of its ends say what is wrong.
const MESSAGE_CHARACTERS: usize = 200;

/// So many results are shown where all of them are null.
const MOST_NULLS: usize = 3;

/// So many records are shown to who names only the file.
const LOOK_RECORDS: u32 = 5;

/// What the `next` of such a look begins with: it needs no other arguments.
const LOOK: &str = "look-";

/// What to do about stubs.
const STUBS: &str = "a `stub` replaces a result that is too large: call again with the same arguments and those of its `read` to get it in pieces, or ask for less: `{id}`, `.content[:2000]`";

/// What to do about pieces.
const PIECE: &str =
    "part of the text of one result: joined together, the parts are the result, as JSON if `form` is `json`";

/// What is said where indented results are too long.
const NOT_INDENTED: &str = "compact: indented, the results would not fit an answer";

/// How results are printed as text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Form {
    /// Strings without quotes.
    pub(super) raw: bool,
    /// On several lines.
    pub(super) indented: bool,
}

/// Handles a call. The arguments are a `file_path` and the keys of an extract request.
pub(super) fn answer(arguments: Map<String, Value>, settings: &Settings) -> Result<String, Error> {
    let (page, is_count) = page(arguments, settings)?;
    Ok(render(&page, is_count))
}

/// Handles a call whose answer is the text that jq prints. What there is to say about it is a text of its own.
pub(super) fn printed(arguments: Map<String, Value>, form: Form, settings: &Settings) -> Result<Answer, Error> {
    let (page, _) = page(arguments, settings)?;
    let lines = String::from_utf8_lossy(&page.text);
    let text = |form: Form| lines.lines().map(|line| form.print(line) + "\n").collect::<String>();
    let mut said = said(&page);
    let mut printed = text(form);
    // Deep brackets make long lines of blanks.
    if form.indented && printed.len() > settings.max_answer_bytes as usize {
        printed = text(Form { indented: false, ..form });
        said.push(("form", json::quote(NOT_INDENTED)));
    }
    let notes = (page.next.is_some() || !said.is_empty()).then(|| {
        let members = counted(&page).into_iter().chain(said).collect::<Vec<_>>();
        json::object(members.iter().map(|(key, value)| (*key, value.as_str())))
    });
    Ok(Answer::Texts([printed].into_iter().chain(notes).collect()))
}

impl Form {
    /// A result as jq prints it.
    fn print(self, json: &str) -> String {
        match json.starts_with('"') {
            true if self.raw => json::unquote(json).into_owned(),
            false if self.indented => indented(json),
            _ => json.to_owned(),
        }
    }
}

/// The page that is asked for, and whether it is a number of results. Results stand in a JSON array, so bare strings
/// would only have to be quoted again.
fn page(mut arguments: Map<String, Value>, settings: &Settings) -> Result<(Page, bool), Error> {
    let path = file_path(&mut arguments)?;
    let is_look = looks(&mut arguments)?;
    let asked = request::Extract::parse(&Value::Object(arguments).to_string())?;
    let most = settings.max_answer_bytes - FRAME_BYTES;
    let request = request::Extract { raw: Some(false), max_bytes: Some(most), stubs: true, ..asked };
    let mut page = calls::extract_page(Source::File(&path), &request, settings)?;
    if is_look {
        page.next = page.next.map(|next| format!("{LOOK}{next}"));
    }
    Ok((with_few_nulls(page), request.answers_a_count()))
}

/// Turns a call that names nothing but the file into a look at its first records, and the call with the `next` of that
/// look into one at those that follow (decision 361). Returns whether it is one.
///
/// Errors: `invalid-argument` for a `next` of another call without that call's arguments.
fn looks(arguments: &mut Map<String, Value>) -> Result<bool, Error> {
    let next = arguments.get("next").and_then(Value::as_str);
    let rest = next.and_then(|next| next.strip_prefix(LOOK)).map(str::to_owned);
    let is_alone = arguments.keys().all(|key| key == "next");
    match (is_alone, next, rest) {
        (true, Some(_), None) => Err(Error::invalid_argument(
            "cannot extract: `next` is given without the arguments of its call",
            "repeat the call that returned this `next`, with all of its arguments, and add `next`",
        )),
        (true, _, rest) => {
            if let Some(rest) = rest {
                arguments.insert("next".to_owned(), rest.into());
            }
            arguments.insert("limit".to_owned(), LOOK_RECORDS.into());
            Ok(true)
        }
        (false, _, Some(rest)) => {
            arguments.insert("next".to_owned(), rest.into());
            Ok(false)
        }
        (false, _, None) => Ok(false),
    }
}

/// Leaves most results out where all of them are null: a field that no record has says so once.
fn with_few_nulls(mut page: Page) -> Page {
    let lines = page.text.split_inclusive(|byte| *byte == b'\n');
    let is_flood = page.count as usize > MOST_NULLS && lines.clone().all(|line| line.trim_ascii_end() == b"null");
    if is_flood {
        page.text.truncate(lines.take(MOST_NULLS).map(<[u8]>::len).sum());
        let remark = format!("all {} results are null: {MOST_NULLS} of them are shown", page.count);
        page.remarks.insert(0, remark);
    }
    page
}

/// Renders the answer as JSON, with everything about the results before them. A count is the answer itself, so the
/// number of results is left out.
fn render(page: &Page, is_count: bool) -> String {
    let lines = String::from_utf8_lossy(&page.text);
    let results: Vec<&str> = lines.lines().collect();
    let mut members = Vec::new();
    match results[..] {
        [number] if is_count => members.push(("answer", number.to_owned())),
        _ => members.extend(counted(page)),
    }
    members.extend(said(page));
    members.push(("results", json::array(&results)));
    json::object(members.iter().map(|(key, value)| (*key, value.as_str())))
}

/// How many results there are.
fn counted(page: &Page) -> Vec<(&'static str, String)> {
    let mut members = vec![("count", page.count.to_string())];
    members.extend(page.total.map(|total| ("total", total.to_string())));
    members.extend(more(page.next.as_deref()));
    members
}

/// What there is to say about them.
fn said(page: &Page) -> Vec<(&'static str, String)> {
    let mut members = Vec::new();
    if !page.lines.is_empty() {
        members.push(("lines", json::array(&page.lines.iter().map(u32::to_string).collect::<Vec<_>>())));
    }
    // Only lines of a text are numbered. The number is that of the argument `line`, and of failures.
    if let Some(line) = page.lines.first() {
        let numbering = format!("line {line} of the file is line {} of the text, as read and search count", line - 1);
        members.push(("numbering", json::quote(&numbering)));
    }
    if page.stubs > 0 {
        members.push(("stubs", json::quote(STUBS)));
    }
    if page.is_piece {
        members.push(("piece", json::quote(PIECE)));
    }
    members.extend(remarks(&page.remarks));
    if page.failed > 0 {
        members.extend([("failed", page.failed.to_string()), ("failures", failures(&page.failures))]);
    }
    members
}

/// The first failures, as far as there is room: a message may quote a record.
fn failures(failures: &[Failure]) -> String {
    let text = |failure: &Failure| {
        let message = middle_cut(&failure.message, MESSAGE_CHARACTERS);
        let mut object = json!({"line": failure.line, "message": message});
        if !failure.hint.is_empty() {
            object["hint"] = json::cut(&failure.hint, MESSAGE_CHARACTERS).into();
        }
        object.to_string()
    };
    fitting(failures.iter().map(text), FAILURES_BYTES)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_with_the_file_alone_is_a_look() {
        let rows = [
            (json!({}), Ok((true, json!({"limit": 5})))),
            (json!({"next": "look-9@0"}), Ok((true, json!({"limit": 5, "next": "9@0"})))),
            (json!({"next": "look-9@0", "limit": 2}), Ok((false, json!({"limit": 2, "next": "9@0"})))),
            (json!({"next": "9@0", "query": "."}), Ok((false, json!({"next": "9@0", "query": "."})))),
            (json!({"line": 2}), Ok((false, json!({"line": 2})))),
            (json!({"next": "9@0"}), Err("without the arguments of its call")),
        ];
        for (given, expected) in rows {
            let mut arguments = given.as_object().unwrap().clone();
            match (looks(&mut arguments), expected) {
                (Ok(is_look), Ok(expected)) => assert_eq!((is_look, Value::Object(arguments)), expected, "{given}"),
                (Err(error), Err(part)) => assert!(error.message().contains(part), "{given}: {error}"),
                (found, expected) => panic!("{given}: {found:?} {expected:?}"),
            }
        }
    }
}
