//! What a call asks for: the keys of `wit/request.schema.json`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::error::Error;
use crate::keys::{IntoKey, keys};
use crate::sections::Section;
use crate::settings::{Descriptor, Mode};

keys! {
    /// A request of `offload` and `estimate`.
    pub struct OffloadRequest {
        /// The operation or tool that produced the payload, such as `recall`.
        operation: String,
        /// What was asked. It is stored in the header.
        query: String,
        /// Project the records to this level. Missing: nothing is projected.
        detail: Detail,
        /// Whether the records are at `detail` already.
        already_projected: bool,
        /// Whether the records are memories. Missing: true if and only if a detail is given.
        memories: bool,
        /// One score for each record, in their order.
        scores: Vec<Option<f64>>,
        /// The text to return if nothing is offloaded (inject).
        formatted: String,
        /// The caller's own count of tokens, instead of an estimate.
        tokens: u32,
        /// A folder below the output directory.
        session: String,
        /// MIF schema version of the records.
        schema_version: String,
        /// Where the records are in a JSON document, as a jq path such as `.data.items`.
        records: String,
        /// How many of the first records the response shows.
        preview: u32,
        /// The most characters of them.
        preview_characters: u32,
        /// What the response says.
        descriptor: Descriptor,
        /// Tokens that the model has read so far.
        input_tokens: u32,
        /// What happens to the result if it is too large.
        mode: Mode,
        /// What the response says of its lists, by their jq paths such as `.items`; `.` is the only list.
        sections: BTreeMap<String, Section>,
    }
}

impl OffloadRequest {
    /// A request for a result of `operation`, everything else at its default.
    pub fn of(operation: impl Into<String>) -> Self {
        Self::default().operation(operation.into())
    }

    /// Adds what the response says of the list at a jq path.
    #[must_use]
    pub fn section(mut self, path: impl Into<String>, section: Section) -> Self {
        self.sections.get_or_insert_default().insert(path.into(), section);
        self
    }
}

/// How much of a memory is kept.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Detail {
    /// What a list of titles needs.
    Light,
    /// A summary beside it.
    Medium,
    /// Everything.
    Full,
}

keys! {
    /// A request of `extract`. Exactly one of `recipe`, `query` and criteria: `conditions` and what is wanted of the
    /// records that meet them; or a `line` alone. `conditions` also select the records of a recipe or a query, and `sort_by`
    /// sorts those of a query.
    pub struct ExtractRequest {
        /// A recipe of the file's response, 1 to 10.
        recipe: u32,
        /// A jq filter, run once per record, or on the document.
        query: String,
        /// What the filter runs on. Missing: the records, or the document if the filter begins with the path of a list
        /// that records do not have.
        on: On,
        /// Conditions that records must meet, such as `namespace^=_semantic`. In JSON the key is `where`.
        "where" as conditions: Vec<Condition>,
        /// Return only these fields.
        select: Vec<Field>,
        /// Return how many records there are, or with a recipe or a query, how many results it has.
        count: bool,
        /// Return how many records there are for each value of this field, or of several: `state,user.name`.
        group_by: GroupBy,
        /// Compute these of all records, or of each group: `sum(size)`, `avg(size)`, `min(size)`, `max(size)`,
        /// `count_distinct(user.id)`, `count`.
        aggregate: Vec<String>,
        /// Return the first few records of each group instead.
        per_group: u32,
        /// Sort by this field; with a leading hyphen in descending order. Groups also by `count` or an aggregate.
        sort_by: String,
        /// Values for the recipe's parameter, or variables of the query.
        params: Map<String, Value>,
        /// Run the query once, on the array of all records.
        slurp: bool,
        /// Print strings without quotes and escapes. Missing: as the recipe does.
        raw: bool,
        /// At most this many results.
        limit: u32,
        /// At most this many bytes of results.
        max_bytes: u32,
        /// End a page after about this many bytes where that costs nothing.
        chunk_bytes: u32,
        /// The `next` of the previous page.
        next: String,
        /// Fail at the first record on which the filter fails.
        strict: bool,
        /// Put the results into a new offloaded file, and return its response.
        into: bool,
        /// Read only the records that begin in this part of the file.
        part: Part,
        /// Read something beside the records instead: its path in the document, such as `.relations`.
        records: String,
        /// Read only this line of the file: line 2 is the first record. Without a filter, the result is the record.
        line: u32,
        /// How many lines to read from `line` on. Missing: one.
        lines: u32,
    }
}

impl ExtractRequest {
    /// A request of a recipe of the file's response, 1 to 10.
    pub fn of_recipe(recipe: u32) -> Self {
        Self::default().recipe(recipe)
    }

    /// A request of a jq filter, run once per record.
    pub fn of_query(query: impl Into<String>) -> Self {
        Self::default().query(query.into())
    }

    /// Adds a value for the recipe's parameter, or a variable of the query.
    #[must_use]
    pub fn param(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.params.get_or_insert_default().insert(name.into(), value.into());
        self
    }

    /// True for an extraction that reads all records one by one, so that parts of the file can be read separately.
    pub(crate) fn is_divisible(&self) -> bool {
        let is = |flag: Option<bool>| flag == Some(true);
        let counts_results = is(self.count) && (self.recipe.is_some() || self.query.is_some());
        let is_bounded = self.limit.is_some() || self.max_bytes.is_some() || self.next.is_some();
        let is_elsewhere = self.part.is_some() || self.line.is_some() || self.records.is_some();
        let is_known = self.others.is_empty();
        is_known && !is_bounded && !is_elsewhere && !counts_results && !is(self.slurp) && !is(self.into)
    }

    /// True for an extraction that puts its results into a file: it needs the directory for writing.
    pub(crate) fn writes_a_file(&self) -> bool {
        self.into == Some(true) || self.others.get("into") == Some(&Value::Bool(true))
    }
}

/// What a filter runs on.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum On {
    /// Each record, or the array of all.
    Records,
    /// The document that the records came in: the results are those of jq.
    Document,
}

/// A condition that a record must meet.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq)]
#[serde(untagged)]
#[non_exhaustive]
pub enum Condition {
    /// As text: `namespace^=_semantic`, or several with `or` and `and` between them.
    Text(String),
    /// One of these is enough.
    #[non_exhaustive]
    Any {
        /// The alternatives.
        any: Vec<Condition>,
    },
    /// All of these must hold.
    #[non_exhaustive]
    All {
        /// The conditions.
        all: Vec<Condition>,
    },
    /// As field, operator and value.
    #[non_exhaustive]
    Parts {
        /// The field to compare.
        field: Field,
        /// How it is compared.
        op: Operator,
        /// What it is compared with.
        value: Value,
    },
}

impl Condition {
    /// A condition from field, operator and value.
    pub fn new(field: impl Into<Field>, op: Operator, value: impl Into<Value>) -> Self {
        Self::Parts { field: field.into(), op, value: value.into() }
    }

    /// A condition that holds if one of these does.
    pub fn any(conditions: impl IntoIterator<Item = impl Into<Self>>) -> Self {
        Self::Any { any: conditions.into_iter().map(Into::into).collect() }
    }

    /// A condition that holds if all of these do.
    pub fn all(conditions: impl IntoIterator<Item = impl Into<Self>>) -> Self {
        Self::All { all: conditions.into_iter().map(Into::into).collect() }
    }
}

impl<T: Into<String>> From<T> for Condition {
    fn from(text: T) -> Self {
        Self::Text(text.into())
    }
}

/// How a condition compares.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Operator {
    /// Equal.
    Eq,
    /// Not equal.
    Ne,
    /// Less, numbers with numbers and texts with texts.
    Lt,
    /// Less or equal.
    Le,
    /// Greater.
    Gt,
    /// Greater or equal.
    Ge,
    /// The text begins with the value.
    Prefix,
    /// The text contains the value, ignoring case.
    Contains,
    /// The text matches a regular expression, ignoring case.
    Matches,
    /// With true, the field exists and is not empty; with false, it does not exist or is empty.
    Exists,
    /// The field is one of an array.
    In,
    /// The field is in the range of an array of two, both ends included; null leaves an end open.
    Between,
}

/// A field of a record.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, Eq)]
#[serde(untagged)]
pub enum Field {
    /// By its path: `provenance.confidence`.
    Path(String),
    /// By its keys, for keys with a dot in them.
    Keys(Vec<String>),
}

impl<T: Into<String>> From<T> for Field {
    fn from(path: T) -> Self {
        Self::Path(path.into())
    }
}

/// What records are grouped by.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, Eq)]
#[serde(untagged)]
pub enum GroupBy {
    /// A field, or several with commas between them.
    Field(Field),
    /// Fields by their keys.
    Fields(Vec<Vec<String>>),
}

impl<T: Into<Field>> From<T> for GroupBy {
    fn from(field: T) -> Self {
        Self::Field(field.into())
    }
}

impl IntoKey<GroupBy> for &str {
    fn into_key(self) -> Option<GroupBy> {
        Some(self.into())
    }
}

impl IntoKey<GroupBy> for Field {
    fn into_key(self) -> Option<GroupBy> {
        Some(GroupBy::Field(self))
    }
}

impl IntoKey<GroupBy> for Option<String> {
    fn into_key(self) -> Option<GroupBy> {
        self.map(GroupBy::from)
    }
}

keys! {
    /// A range of bytes of a file.
    pub struct Part {
        /// Its first byte. Missing: the beginning of the file.
        from: u64,
        /// The byte after its last one. Missing: the end of the file.
        until: u64,
    }
}

keys! {
    /// A request of `cleanup`.
    pub struct CleanupRequest {
        /// Clean up only this folder.
        session: String,
        /// The TTL of files that have none of their own, used instead of the setting.
        ttl_seconds: u32,
        /// Keep at most this many files.
        max_files: u32,
        /// Keep at most this many bytes.
        max_bytes: u64,
        /// Report what would be deleted, and delete nothing.
        dry_run: bool,
        /// A purge: all files of ours go, whatever their age. With `session` and `dry_run` only.
        all: bool,
        /// A sweep beside a write: opens only some of the files whose names are old. With `session` and `dry_run` only.
        quick: bool,
    }
}

keys! {
    /// A request of `list`.
    pub struct ListRequest {
        /// List only this folder.
        session: String,
        /// At most this many files on a page.
        limit: u32,
        /// The `next` of the page before.
        next: String,
        /// Whether the files are read for their checksums. Missing: they are.
        sha256: bool,
    }
}

/// The text of a request, as the component takes it.
pub(crate) fn text(request: &impl Serialize) -> Result<String, Error> {
    serde_json::to_string(request)
        .map_err(|error| Error::invalid_argument(format!("cannot write the request: {error}")))
}
