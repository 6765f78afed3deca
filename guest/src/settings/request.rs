//! What one call requests, as the text of a JSON object; each key is explained in `wit/request.schema.json`.

mod asked;
mod range;
mod reading;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::error::Error;
use crate::payload::detail::Detail;
use crate::payload::path::Path;
use crate::settings::sections::Sections;
use crate::settings::{Descriptor, Mode, Settings};

pub use range::{Lines, Range, number};
pub use reading::{Encoding, MOST_PAGE_BYTES, MOST_PAGE_LINES, Read, Rebuild, Search};

/// The request of `estimate` and `offload`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Offload {
    /// The operation or tool that produced the payload.
    pub operation: String,
    /// What was asked.
    pub query: Option<String>,
    /// The level to project to, or the label of records that are projected already.
    pub detail: Option<Detail>,
    /// The records are at `detail` already.
    pub already_projected: Option<bool>,
    /// The records are memories, at the level of detail that they show.
    pub memories: Option<bool>,
    /// One score a record.
    pub scores: Option<Vec<Option<f64>>>,
    /// The text to return when nothing is offloaded.
    pub formatted: Option<String>,
    /// The caller's own count of tokens.
    pub tokens: Option<u32>,
    /// The same in characters, for an MCP result that contains its records twice. Not a key of a request.
    #[serde(skip)]
    pub characters: Option<u32>,
    /// Its bytes, which the gates count. Not a key of a request.
    #[serde(skip)]
    pub bytes: Option<u64>,
    /// When the result was made, in milliseconds since 1970, where its dates depend on that. Not a key of a request.
    #[serde(skip)]
    pub made: Option<u64>,
    /// A folder below the output directory.
    pub session: Option<String>,
    /// MIF schema version of the records.
    pub schema_version: Option<String>,
    /// Where the records are in the document.
    pub records: Option<Path>,
    /// How many records the response shows.
    pub preview: Option<u32>,
    /// The most characters of them.
    pub preview_characters: Option<u32>,
    /// What the response says.
    pub descriptor: Option<Descriptor>,
    /// Tokens that the model has read so far (GATE-04).
    pub input_tokens: Option<u32>,
    /// What happens to the result if it is too large.
    pub mode: Option<Mode>,
    /// What is said of its lists, in place of what is generated.
    pub sections: Option<Sections>,
    /// The payload is a file that the host shows, of this many bytes.
    pub payload_bytes: Option<u64>,
}

impl Offload {
    /// Reads and checks a request.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let request: Self = read("offload", text)?;
        if request.operation.is_empty() {
            return Err(Error::invalid_argument(
                "cannot read the offload request: `operation` is empty",
                "name the operation or tool that produced the payload",
            ));
        }
        if request.memories == Some(false) && request.detail.is_some() {
            return Err(Error::invalid_argument(
                "cannot read the offload request: `memories` is false and `detail` is given",
                "leave out one of them: `detail` applies to memories",
            ));
        }
        check_session("offload", request.session.as_deref())?;
        request.sections.as_ref().map_or(Ok(()), Sections::check)?;
        Ok(request)
    }

    /// The request for a payload that consists of its records, whatever they hold.
    pub fn of_records() -> Self {
        Self { records: Some(Path::default()), ..Self::default() }
    }

    /// True if the caller says that the records are memories, with `detail` or `memories`. Nothing else makes
    /// them memories, neither the name of the operation nor their fields.
    pub fn are_memories(&self) -> bool {
        self.memories.unwrap_or(self.detail.is_some())
    }

    /// True if records may be inside text in the payload, because the caller does not say that they are the payload
    /// itself.
    pub fn may_be_wrapped(&self) -> bool {
        !self.are_memories() && self.records.as_ref().is_none_or(|path| !path.0.is_empty())
    }

    /// True if a result that is too large is truncated instead of stored (GATE-07). Where nothing else is said, there is
    /// a way to read what is stored: the guidance names it.
    pub fn truncates(&self, settings: &Settings) -> bool {
        self.mode.unwrap_or(settings.mode) == Mode::Truncate
    }

    /// The level that records have to be brought to.
    pub fn projection(&self) -> Option<Detail> {
        self.detail.filter(|_| self.already_projected != Some(true))
    }
}

/// The request of `extract`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Extract {
    /// A recipe of the file's response, 1 to 10.
    pub recipe: Option<u32>,
    /// A jq filter.
    pub query: Option<String>,
    /// What the filter runs on.
    pub on: Option<On>,
    /// Conditions that records must meet.
    #[serde(rename = "where")]
    pub conditions: Option<Vec<Value>>,
    /// Fields of the records that meet them.
    pub select: Option<Vec<Value>>,
    /// How many records meet them.
    pub count: Option<bool>,
    /// How many for each value of this field, or of several.
    pub group_by: Option<Value>,
    /// What to compute of all of them, or of each group, such as `sum(size)`.
    pub aggregate: Option<Vec<Value>>,
    /// The first few of each group instead.
    pub per_group: Option<u32>,
    /// The field to sort by, after a hyphen for descending order.
    pub sort_by: Option<String>,
    /// Values for the recipe's parameter, or variables of the query.
    pub params: Option<Map<String, Value>>,
    /// Run the query once, on the array of all records.
    pub slurp: Option<bool>,
    /// String results are printed without quotes.
    pub raw: Option<bool>,
    /// At most this many results on a page.
    pub limit: Option<u32>,
    /// At most this many bytes of results on a page.
    pub max_bytes: Option<u32>,
    /// End a page of about this many bytes where that costs nothing.
    pub chunk_bytes: Option<u32>,
    /// The `next` of the page before.
    pub next: Option<String>,
    /// Fail on the first record that the filter fails on.
    pub strict: Option<bool>,
    /// Put the results into a file of their own, and answer its response.
    pub into: Option<bool>,
    /// Only the records that begin in this part of the file.
    pub part: Option<Part>,
    /// Look at something outside the records instead: its path in the document.
    pub records: Option<String>,
    /// Only this line of the file and those after it: the records themselves, where nothing else is asked.
    pub line: Option<u32>,
    /// So many lines from `line` on; one when missing.
    pub lines: Option<u32>,
    /// A stub replaces a result that is larger than a page. Not a key of a request: only a model can use stubs.
    #[serde(skip)]
    pub stubs: bool,
    /// The `records` that led to what is read. Not a key of a request: it has been followed.
    #[serde(skip)]
    pub address: Option<String>,
    /// How the filter is run on a document. Not a key of a request: what it runs on decides.
    #[serde(skip)]
    pub document: Option<Way>,
}

/// What a filter runs on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum On {
    /// Each record, or the array of all.
    Records,
    /// The document that the records came in.
    Document,
}

/// How a filter runs that is meant for a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// On each record of a list, or on each value of several.
    Each,
    /// Once, on the array of a list's records.
    Array,
    /// Once, on one record of a list.
    Record,
    /// Once, on the document itself.
    Document,
}

/// A range of bytes of a file.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Part {
    /// Its first byte; the front of the file when missing.
    pub from: Option<u64>,
    /// The byte after its last one; the end of the file if missing.
    pub until: Option<u64>,
}

impl Part {
    /// The part of what is looked at as a whole: all of it where it begins with the file, else nothing.
    pub fn of_the_undivided(self) -> Self {
        Self { from: None, until: self.from.filter(|from| *from > 0).map(|_| 0) }
    }
}

impl Extract {
    /// Reads a request.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let request: Self = read("extract", text)?;
        for (key, value) in [
            ("limit", request.limit),
            ("max_bytes", request.max_bytes),
            ("chunk_bytes", request.chunk_bytes),
            ("lines", request.lines),
            ("per_group", request.per_group),
        ] {
            if value == Some(0) {
                return Err(Error::invalid_argument(
                    format!("cannot read the extract request: `{key}` is 0"),
                    "give at least 1, or leave it out",
                ));
            }
        }
        Ok(request)
    }
}

/// The request of `cleanup`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cleanup {
    /// Only this folder.
    pub session: Option<String>,
    /// For files without a TTL of their own, instead of the setting.
    pub ttl_seconds: Option<u32>,
    /// Keep at most this many files.
    pub max_files: Option<u32>,
    /// Keep at most this many bytes.
    pub max_bytes: Option<f64>,
    /// Files of others live in the output directory.
    pub shared_directory: Option<bool>,
    /// Delete nothing.
    pub dry_run: Option<bool>,
    /// All files of ours go, whatever their age.
    pub all: Option<bool>,
    /// Open only some of the files whose names are old.
    pub quick: Option<bool>,
}

impl Cleanup {
    /// Reads and checks a request.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let request: Self = read("cleanup", text)?;
        check_session("cleanup", request.session.as_deref())?;
        let has_caps = request.max_files.is_some() || request.max_bytes.is_some();
        let bounds = has_caps || request.ttl_seconds.is_some();
        let (all, quick) = (request.all == Some(true), request.quick == Some(true));
        if (all && (bounds || quick)) || (quick && bounds) {
            let key = if all { "all" } else { "quick" };
            return Err(Error::invalid_argument(
                format!("cannot read the cleanup request: `{key}` is given with another key that says what goes"),
                format!("give `{key}` with `session` and `dry_run` only"),
            ));
        }
        Ok(request)
    }
}

/// The request of `list`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct List {
    /// Only this folder.
    pub session: Option<String>,
    /// At most this many files on a page.
    pub limit: Option<u32>,
    /// The `next` of the page before.
    pub next: Option<String>,
    /// Read all files and tell their checksums; true when missing.
    pub sha256: Option<bool>,
}

impl List {
    /// Reads and checks a request.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let request: Self = read("list", text)?;
        check_session("list", request.session.as_deref())?;
        if request.limit == Some(0) {
            return Err(Error::invalid_argument(
                "cannot read the list request: `limit` is 0",
                "give at least 1, or leave it out",
            ));
        }
        Ok(request)
    }
}

/// True for a name that can be a session's folder.
pub fn is_session(name: &str) -> bool {
    (1..=64).contains(&name.len())
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
        && !is_device(name)
}

/// True for a name that means a device on Windows, in any case. It is refused everywhere: a folder may be copied there.
fn is_device(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let port = name.strip_prefix("com").or_else(|| name.strip_prefix("lpt"));
    ["aux", "con", "nul", "prn"].contains(&name.as_str())
        || port.is_some_and(|number| number.len() == 1 && number.as_bytes()[0].is_ascii_digit())
}

fn check_session(call: &str, session: Option<&str>) -> Result<(), Error> {
    match session {
        Some(name) if !is_session(name) => Err(Error::invalid_argument(
            format!("cannot read the {call} request: `session` is not a valid folder name"),
            "give 1 to 64 characters of A-Z, a-z, 0-9, _ and -, and no name of a device such as CON",
        )),
        _ => Ok(()),
    }
}

fn read<T: DeserializeOwned>(call: &str, text: &str) -> Result<T, Error> {
    let text = if text.trim().is_empty() { "{}" } else { text };
    serde_json::from_str(text).map_err(|error| {
        let message = format!("cannot read the {call} request: {error}");
        Error::invalid_argument(message, format!("see request.schema.json, `{call}`, for every key"))
    })
}

fn read_arguments<T: DeserializeOwned>(call: &str, arguments: Map<String, Value>, hint: &str) -> Result<T, Error> {
    serde_json::from_value(arguments.into())
        .map_err(|error| Error::invalid_argument(format!("cannot read the {call} request: {error}"), hint))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_key_is_answered_with_the_known_ones() {
        let error = Extract::parse(r#"{"recipie": 1}"#).unwrap_err();
        assert!(error.message().contains("unknown field `recipie`, expected one of `recipe`, `query`"), "{error}");
    }

    #[test]
    fn null_is_the_same_as_a_missing_key() {
        let request = Offload::parse(r#"{"operation":"recall","query":null,"detail":null,"scores":null}"#).unwrap();
        assert!(request.query.is_none() && request.detail.is_none() && request.scores.is_none());
    }

    #[test]
    fn a_session_is_a_plain_folder_name() {
        for (name, fits) in
            [("a", true), ("A-b_9", true), ("", false), ("..", false), ("a/b", false), (&"x".repeat(65), false)]
        {
            assert_eq!(is_session(name), fits, "{name}");
        }
        for name in ["con", "CON", "nul", "Aux", "PRN", "com1", "COM0", "lpt9"] {
            assert!(!is_session(name), "{name}");
        }
        for name in ["c", "console", "com", "com10", "comx", "lpt", "null", "s-con"] {
            assert!(is_session(name), "{name}");
        }
        assert!(Offload::parse(r#"{"operation":"recall","session":"../x"}"#).is_err());
    }

    #[test]
    fn an_operation_is_required() {
        assert!(Offload::parse("").is_err());
        assert!(Offload::parse(r#"{"operation":""}"#).is_err());
    }
}
