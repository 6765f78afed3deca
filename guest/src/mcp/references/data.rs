//! What a reference means, and the form in which it is put in (decision 233).

use lro_query::json::{self, Type, is_json};
use serde_json::{Map, Value};

use super::wanted::{Wanted, allows};
use crate::calls::{self, Document, Source};
use crate::error::{Error, Problem};
use crate::mcp::tools;
use crate::settings::{Settings, request};

/// What a reference means.
#[derive(Debug)]
pub(super) enum Data {
    /// A document as it came; `is_json` if it is JSON and came so, `prefers_text` if it stands in the place of a text.
    Document { text: String, is_json: bool, prefers_text: bool },
    /// Results, one JSON text each. `is_one` if what was asked for is one value and no list; `are_lines` if they are lines
    /// of a text.
    Results { results: Vec<String>, is_one: bool, are_lines: bool },
}

impl Data {
    /// The document that a file's records came in.
    pub(super) fn whole(file: &str, room: usize, settings: &Settings) -> Result<Self, Error> {
        let Document { text, is_text } = calls::document(file, room as u64, settings).map_err(|error| match error {
            Error::LimitReached { .. } => {
                let bytes = calls::size_of(file, settings).unwrap_or_default();
                limited(format!("its file has {bytes} bytes"), room, settings)
            }
            error => error,
        })?;
        let is_json = !is_text && is_json(&text);
        Ok(Self::Document { text, is_json, prefers_text: true })
    }

    /// What `{"$lro": reference}` means.
    pub(super) fn part(reference: &str, room: usize, settings: &Settings) -> Result<Self, Error> {
        let given: Map<String, Value> = serde_json::from_str(reference).map_err(|_| {
            Error::invalid_argument(
                "`$lro` is not an object",
                r#"for example: {"$lro": {"file_path": "…", "where": ["state=open"]}}"#,
            )
        })?;
        let (path, asked) = tools::extraction(given)?;
        let Some(asked) = asked else {
            return Ok(match Self::whole(&path, room, settings)? {
                Self::Document { text, is_json, .. } => Self::Document { text, is_json, prefers_text: false },
                results => results,
            });
        };
        Self::results(&path, &asked, room, settings)
    }

    fn results(path: &str, asked: &request::Extract, room: usize, settings: &Settings) -> Result<Self, Error> {
        let most = u32::try_from(room).unwrap_or(u32::MAX).max(1);
        let request = request::Extract { raw: Some(false), max_bytes: Some(most), ..asked.clone() };
        let too_many = || limited(format!("its data have more than {room} bytes"), room, settings);
        let page = calls::extract_page(Source::File(path), &request, settings).map_err(|error| match error {
            Error::LimitReached { limit: "max_bytes", .. } => too_many(),
            error => error,
        })?;
        if let Some(first) = page.failures.first() {
            let what = format!("it fails on {} records, on line {} first: {}", page.failed, first.line, first.message);
            let hint = if first.hint.is_empty() { "select the records that it works on" } else { &first.hint };
            return Err(Error::invalid_query(what, hint));
        }
        let is_cut = page.next.is_some() && asked.limit.is_none_or(|limit| page.count < limit);
        if is_cut || page.is_piece {
            return Err(too_many());
        }
        let text = calls::results_text(page.text);
        let results: Vec<String> = text.lines().map(str::to_owned).collect();
        // Nobody will see that nothing has arrived.
        if results.iter().all(|result| result == "null") {
            let what = if results.is_empty() { "there are no results" } else { "there are no results but null" };
            let remarks = page.remarks.join("; ");
            let hint = if remarks.is_empty() { "try the same with lro_extract first".to_owned() } else { remarks };
            return Err(Error::invalid_argument(what, hint));
        }
        let is_number = asked.answers_a_count() || (asked.aggregate.is_some() && asked.group_by.is_none());
        let is_one = is_number || asked.slurp == Some(true) || asked.recipe.is_some();
        let are_lines = calls::is_text(path, settings)?;
        Ok(Self::Results { results, is_one, are_lines })
    }

    /// The JSON text to put in where this is wanted.
    pub(super) fn fitting(self, wanted: &Wanted<'_>) -> Result<String, Error> {
        let types = wanted.types();
        let takes_text = allows(&types, "\"\"");
        let natural = self.natural();
        // Where a schema says nothing, `lro://FILE` stands in the place of a text, and `$lro` in that of a value.
        let is_text = matches!(self, Self::Document { prefers_text: true, .. }) || natural.is_none();
        if takes_text && is_text {
            return Ok(json::quote(&self.text()));
        }
        let only = match &self {
            Self::Results { results, .. } => results.first().filter(|_| results.len() == 1).cloned(),
            Self::Document { .. } => None,
        };
        let list = match &self {
            Self::Results { results, .. } => Some(json::array(results)),
            Self::Document { .. } => None,
        };
        let fits = |json: &Option<String>| json.as_deref().is_some_and(|json| allows(&types, json));
        match [natural, list, only].into_iter().find(fits).flatten() {
            Some(json) => Ok(json),
            None if takes_text => Ok(json::quote(&self.text())),
            None => Err(self.unfitting(&types.join(" or "))),
        }
    }

    /// It as JSON; `None` for text.
    fn natural(&self) -> Option<String> {
        match self {
            // A message is a line.
            Self::Document { text, is_json, .. } => is_json.then(|| json::on_one_line(text.trim()).into_owned()),
            Self::Results { results, is_one: true, .. } if results.len() == 1 => Some(results[0].clone()),
            Self::Results { results, .. } => Some(json::array(results)),
        }
    }

    /// It as text: a document as it came, lines as lines, a single string without quotes, anything else as JSON.
    fn text(&self) -> String {
        match self {
            Self::Document { text, .. } => text.clone(),
            Self::Results { results, are_lines, .. } => {
                let is_string = |result: &String| Type::of(result) == Type::String;
                let is_plain = (*are_lines || results.len() == 1) && results.iter().all(is_string);
                match is_plain {
                    true => results.iter().map(|result| json::unquote(result)).collect::<Vec<_>>().join("\n"),
                    false => self.natural().unwrap_or_default(),
                }
            }
        }
    }

    /// The error of data that have no form that is wanted.
    fn unfitting(&self, wanted: &str) -> Error {
        let (what, hint) = match self {
            Self::Document { text, is_json: true, .. } => (
                format!("the document is of type {}", Type::of(text.trim()).name()),
                r#"ask for what is wanted: {"$lro": {"file_path": "…", "query": "."}} is an array of all records, and "limit": 1 the first"#,
            ),
            Self::Document { .. } => (
                "the document is text".to_owned(),
                r#"{"$lro": {"file_path": "…", "query": "."}} is an array of its lines"#,
            ),
            Self::Results { results, .. } => match &results[..] {
                [result] => (
                    format!("the result is of type {}", Type::of(result).name()),
                    "ask for what is wanted, with `select` or another `query`",
                ),
                results => (
                    format!("there are {} results", results.len()),
                    r#"ask for one: with "limit": 1, a `where` that only one record meets, or a `query` with "slurp": true"#,
                ),
            },
        };
        Error::invalid_argument(format!("{what}, and the tool takes {wanted} here"), hint)
    }
}

/// The error for a reference that stands for that many bytes.
pub(super) fn too_large(bytes: usize, room: usize, settings: &Settings) -> Error {
    limited(format!("its data have {bytes} bytes"), room, settings)
}

/// The error for a reference that stands for more bytes than there is room for.
fn limited(what: String, room: usize, settings: &Settings) -> Error {
    let most = settings.max_argument_bytes;
    let left = if room < most as usize { format!("; those before leave {room}") } else { String::new() };
    Error::LimitReached {
        problem: Problem::new(
            format!("{what}, and all references of a call may have {most} (`max_argument_bytes`){left}"),
            r#"hand over less: {"$lro": {"file_path": "…", "where": […], "select": […], "limit": 100}}, then the rest in further calls"#,
        ),
        limit: "max_argument_bytes",
        value: settings.max_argument_bytes,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_result_stands_alone_where_one_was_asked_for() {
        let rows = [
            (vec!["1"], true, "1"),
            (vec!["1"], false, "[1]"),
            (vec!["1", "2"], true, "[1,2]"),
            (vec!["1", "2"], false, "[1,2]"),
        ];
        for (results, is_one, expected) in rows {
            let results = results.into_iter().map(str::to_owned).collect();
            let data = Data::Results { results, is_one, are_lines: false };
            assert_eq!(data.natural().as_deref(), Some(expected));
        }
    }

    #[test]
    fn an_error_says_what_those_before_leave() {
        let settings = Settings { max_argument_bytes: 100, ..Settings::default() };
        let message = |room| too_large(500, room, &settings).to_string();
        assert!(message(100).ends_with("may have 100 (`max_argument_bytes`)"), "{}", message(100));
        assert!(message(99).ends_with("; those before leave 99"), "{}", message(99));
    }
}
