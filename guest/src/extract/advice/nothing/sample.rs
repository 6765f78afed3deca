//! A bounded part of the records of a file, and what a request would find among them.

use std::io::Read;

use lro_query::{Arena, Form, Input, Opened, PageLimits, Position, Scope};
use serde_json::Value;

use super::{Search, is_nothing};
use crate::extract::advice::Fields;
use crate::extract::advice::front::front;
use crate::extract::criteria::{Clause, Condition};
use crate::extract::look::value_of;
use crate::extract::task;
use crate::file::header::Header;
use crate::file::kind::Kind;
use crate::recipes::Set;
use crate::settings::Settings;
use crate::settings::request;

/// So much of a file is read where nothing was found in it, which takes some 30 ms.
pub(super) const MOST_RECORDS: Bounds = Bounds { bytes: 2 << 20, records: 12_000, lines: 2_000 };

/// So much where something was found, and may be wrong: two milliseconds.
pub(super) const FIRST_RECORDS: Bounds = Bounds { bytes: 128 << 10, records: 100, lines: 100 };

/// So much where most filters are as they should be: a few microseconds.
pub(super) const GLANCE: Bounds = Bounds { bytes: 16 << 10, records: 3, lines: 3 };

/// How much is read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bounds {
    bytes: u64,
    records: usize,
    lines: usize,
}

/// A longer filter is not repeated: an answer over MCP has room for 500 bytes of remarks.
pub(super) const MOST_FILTER_BYTES: usize = 240;

/// The first records of a file.
pub(super) struct Sample<'a> {
    /// The records.
    pub(super) records: Vec<Value>,
    /// The same as in the file, one a line.
    bytes: Vec<u8>,
    /// These are all records of the file.
    is_all: bool,
    pub(super) header: &'a Header,
    /// The records were asked for by this address.
    pub(super) address: Option<&'a str>,
    set: &'a Set,
    settings: &'a Settings,
}

impl<'a> Sample<'a> {
    /// Reads the first records, one a line.
    pub(super) fn take(input: impl Read, bounds: Bounds, search: Search<'a>) -> Self {
        let Search { asked, header, set, settings } = search;
        let address = asked.address.as_deref();
        // What cannot be read is not looked at.
        let (mut bytes, mut is_all) = front(input, bounds.bytes).unwrap_or_default();
        let is_text = set.kind == Kind::Text;
        let most = if is_text { bounds.lines } else { bounds.records };
        let mut records = Vec::new();
        let mut end = 0;
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            if records.len() == most {
                is_all = false;
                break;
            }
            // The last line may be cut off: then it is not a record.
            if let Some(record) = record_of(line, is_text) {
                records.push(record);
                end += line.len();
            } else if line.ends_with(b"\n") {
                end += line.len();
            }
        }
        bytes.truncate(end);
        Self { records, bytes, is_all, header, address, set, settings }
    }

    /// True if these are all records of the file.
    pub(super) fn is_all(&self) -> bool {
        self.is_all
    }

    /// What is said where the first record is too large to be looked at.
    pub(super) fn unseen(&self) -> Option<String> {
        (self.records.is_empty() && !self.is_all && !self.is_text()).then(|| {
            "nothing was found, and the first record is too large for a remark on why: the query `keys` lists its fields"
                .to_owned()
        })
    }

    /// True for lines of a text.
    pub(super) fn is_text(&self) -> bool {
        self.set.kind == Kind::Text
    }

    /// True for lines that end with a carriage return, which is a part of each.
    pub(super) fn has_returns(&self) -> bool {
        self.is_text() && self.records.iter().filter_map(Value::as_str).any(|line| line.ends_with('\r'))
    }

    /// For whom something does not hold: `no record`, or how many were looked at.
    pub(super) fn nobody(&self) -> String {
        let noun = if self.is_text() { "line" } else { "record" };
        match self.is_all {
            true => format!("no {noun}"),
            false => format!("none of the first {} {noun}s", self.records.len()),
        }
    }

    /// The same of what is known to hold nowhere, with how many were looked at for the rest of a remark.
    pub(super) fn nobody_at_all(&self) -> String {
        let noun = if self.is_text() { "line" } else { "record" };
        match self.is_all {
            true => format!("no {noun}"),
            false => format!("no {noun} (this remark looked at the first {})", self.records.len()),
        }
    }

    /// A number of records in words, which say so if not all were looked at.
    pub(super) fn times(&self, found: usize) -> String {
        if self.is_all { found.to_string() } else { format!("{found} of the first {}", self.records.len()) }
    }

    /// The same of what is in the records, of which one may have several.
    pub(super) fn times_in(&self, found: usize) -> String {
        let (first, noun) = (self.records.len(), if self.is_text() { "line" } else { "record" });
        match self.is_all {
            true => found.to_string(),
            false if first == 1 => format!("{found} in the first {noun}"),
            false => format!("{found} in the first {first} {noun}s"),
        }
    }

    /// How many records meet these conditions.
    pub(super) fn count(&self, conditions: &[Condition]) -> usize {
        self.count_of(conditions.iter().map(Condition::exact).collect())
    }

    /// How many records meet all of these.
    pub(super) fn count_clauses(&self, clauses: &[Clause]) -> usize {
        self.count_of(clauses.iter().map(Clause::exact).collect())
    }

    fn count_of(&self, conditions: Vec<Value>) -> usize {
        let asked = request::Extract { conditions: Some(conditions), count: Some(true), ..Default::default() };
        let text = self.results(&asked, None).unwrap_or_default();
        String::from_utf8_lossy(&text).trim().parse().unwrap_or_default()
    }

    /// How many records a filter has results for: one that selects.
    pub(super) fn count_filter(&self, filter: &str) -> usize {
        let query = format!("[.[] | {filter}] | length");
        let asked = request::Extract { query: Some(query), slurp: Some(true), ..Default::default() };
        let text = self.results(&asked, None).unwrap_or_default();
        String::from_utf8_lossy(&text).trim().parse().unwrap_or_default()
    }

    /// True if a request has a meaningful result here.
    pub(super) fn finds(&self, asked: &request::Extract) -> bool {
        let first = request::Extract { limit: None, next: None, part: None, into: None, ..asked.clone() };
        let Some(results) = self.results(&first, Some(1)) else { return false };
        let is_null_group =
            asked.group_by.is_some() && first_value(&results).is_some_and(|group| all_null(&group, true));
        let is_null_row = asked.select.is_some() && first_value(&results).is_some_and(|row| all_null(&row, false));
        // A count of 0 is nothing; a field that is 0 is something.
        let is_field = || results.trim_ascii() == b"0" && !may_count(asked);
        (!is_nothing(&results) || is_field()) && !is_null_group && !is_null_row
    }

    /// The same of a request with another filter.
    pub(super) fn finds_by(&self, asked: &request::Extract, query: &str) -> bool {
        self.finds(&request::Extract { query: Some(query.to_owned()), ..asked.clone() })
    }

    /// The fields of the first of these records.
    pub(super) fn fields(&self) -> Fields {
        Fields::sample(&self.bytes[..]).unwrap_or_default()
    }

    /// What a jq term makes of each of these values: its first output, if there is one.
    pub(super) fn each(&self, term: &str, values: &[Value]) -> Option<Vec<Option<Value>>> {
        let query = format!("[.[] | [{term}][:1]]");
        let asked = request::Extract { query: Some(query), ..Default::default() };
        let values = serde_json::to_vec(values).ok()?;
        let results = self.results_of(&asked, None, &values, Form::Json)?;
        let firsts: Vec<Vec<Value>> = serde_json::from_slice(&results).ok()?;
        Some(firsts.into_iter().map(|outputs| outputs.into_iter().next()).collect())
    }

    fn results(&self, asked: &request::Extract, most: Option<u32>) -> Option<Vec<u8>> {
        let form = if self.is_text() { Form::Text } else { Form::Json };
        self.results_of(asked, most, &self.bytes, form)
    }

    fn results_of(&self, asked: &request::Extract, most: Option<u32>, bytes: &[u8], form: Form) -> Option<Vec<u8>> {
        let task = task::task(asked, self.set).ok()?;
        let start = Position { offset: 0, line: 1, skip: 0, before: 0 };
        let limits = PageLimits { results: most, ..PageLimits::default() };
        let open = |offset| bytes.open(offset);
        let (arena, bounds, input) = (Arena::default(), self.settings.limits(), Opened(&open, form));
        let query = task.parsed(&arena, &bounds).ok()?;
        let program = task.program(&query);
        let outcome = lro_query::run(program, &task.variables, &input, Scope::all(start), limits, false, &bounds);
        Some(outcome.ok()?.page.text)
    }
}

/// True if a request may count.
fn may_count(asked: &request::Extract) -> bool {
    let counts = |query: &String| ["length", "add", "count"].iter().any(|word| query.contains(word));
    asked.recipe.is_some() || asked.count == Some(true) || asked.query.as_ref().is_none_or(counts)
}

/// Parses a line of a file; `None` if it is truncated.
fn record_of(line: &[u8], is_text: bool) -> Option<Value> {
    match is_text {
        true => String::from_utf8(line.strip_suffix(b"\n").unwrap_or(line).to_vec()).ok().map(Value::String),
        false => value_of(line),
    }
}

/// The first result.
pub(super) fn first_value(results: &[u8]) -> Option<Value> {
    value_of(results.split(|byte| *byte == b'\n').next()?)
}

/// True for an object that has null everywhere, but for the count of a group.
pub(super) fn all_null(value: &Value, is_group: bool) -> bool {
    let is_counted = |key: &str, value: &Value| is_group && key == "count" && value.is_number();
    value.as_object().is_some_and(|members| {
        !members.is_empty() && members.iter().all(|(key, value)| value.is_null() || is_counted(key, value))
    })
}
