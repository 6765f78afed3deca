//! What a call asks for: the keys of `wit/request.schema.json` as fields.
//!
//! The methods of [`Lro`](crate::Lro) take anything that serialises to such an object, so a `serde_json::Value` serves
//! as well, and new keys need no new version of this crate.

use serde::Serialize;
use serde_json::{Map, Value};

use crate::error::Error;

/// A request of `offload` and `estimate`.
#[derive(Clone, Debug, Default, Serialize)]
pub struct OffloadRequest {
    /// The operation or tool that produced the payload, such as `recall`.
    pub operation: String,
    /// What was asked, for the header.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
    /// Project the records to this level: `light`, `medium` or `full`. `None`: nothing is projected.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// The records are at `detail` already.
    pub already_projected: bool,
    /// The records are memories. `None`: if and only if a detail is given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memories: Option<bool>,
    /// One score a record, in their order.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scores: Option<Vec<Option<f64>>>,
    /// The text to return when nothing is offloaded (inject).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub formatted: Option<String>,
    /// The caller's own count of tokens, instead of an estimate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u32>,
    /// A folder below the output directory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// MIF schema version of the records.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schema_version: Option<String>,
    /// Where the records are in a JSON document, as a path of jq: `.data.items`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub records: Option<String>,
    /// So many of the first records stand in the response.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preview: Option<u32>,
}

impl OffloadRequest {
    /// A request for a result of `operation`, everything else at its default.
    pub fn of(operation: &str) -> Self {
        Self { operation: operation.to_owned(), ..Self::default() }
    }
}

/// A request of `extract`. Exactly one of `recipe`, `query` and criteria: `conditions` and what is wanted of the records
/// that meet them; or a `line` alone.
#[derive(Clone, Debug, Default, Serialize)]
pub struct ExtractRequest {
    /// A recipe of the file's response, 1 to 10.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recipe: Option<u32>,
    /// A jq filter, run once per record.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
    /// Conditions that records must meet, such as `namespace^=_semantic`.
    #[serde(rename = "where", skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<Value>,
    /// Only these fields of them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub select: Vec<String>,
    /// How many there are; with a recipe or a query, how many results it has.
    pub count: bool,
    /// How many there are for each value of this field.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group_by: Option<String>,
    /// In the order of this field; after a hyphen the other way round.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sort_by: Option<String>,
    /// Values for the recipe's parameter, or variables of the query.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub params: Map<String, Value>,
    /// Run the query once, on the array of all records.
    pub slurp: bool,
    /// Strings among the results stand bare. False leaves it to the recipe.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub raw: bool,
    /// At most this many results.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// At most this many bytes of results.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_bytes: Option<u32>,
    /// End a page of about this many bytes where that costs nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chunk_bytes: Option<u32>,
    /// The `next` of the page before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
    /// Fail on the first record that the filter fails on.
    pub strict: bool,
    /// Put the results into a new offloaded file, and answer its response.
    pub into: bool,
    /// Only the records that begin in this part of the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub part: Option<Part>,
    /// Look at what stands beside the records instead: its path in the document, such as `.relations`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub records: Option<String>,
    /// Only this line of the file: line 2 is the first record. Alone it reads the record.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// So many lines from `line` on; one when missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lines: Option<u32>,
}

/// A range of bytes of a file.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Part {
    /// Its first byte; the front of the file when missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<u64>,
    /// The byte behind its last one; the end of the file when missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<u64>,
}

/// A request of `cleanup`.
#[derive(Clone, Debug, Default, Serialize)]
pub struct CleanupRequest {
    /// Only this folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Seconds for files without a TTL of their own, instead of the setting.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ttl_seconds: Option<u32>,
    /// Keep at most this many files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_files: Option<u32>,
    /// Keep at most this many bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_bytes: Option<u64>,
    /// Say what would be deleted and delete nothing.
    pub dry_run: bool,
}

/// True for an extraction that puts its results into a file: it needs the directory for writing.
pub(crate) fn writes_a_file(text: &str) -> bool {
    #[derive(serde::Deserialize)]
    struct Into {
        into: Option<bool>,
    }
    text.contains("\"into\"") && serde_json::from_str(text).is_ok_and(|Into { into }| into == Some(true))
}

impl ExtractRequest {
    /// True for what looks at all records of the file one by one, so that parts of the file can be looked at apart.
    pub(crate) fn is_divisible(&self) -> bool {
        let counts_results = self.count && (self.recipe.is_some() || self.query.is_some());
        let is_bounded = self.limit.is_some() || self.max_bytes.is_some() || self.next.is_some();
        let is_elsewhere = self.part.is_some() || self.line.is_some() || self.records.is_some();
        !is_bounded && !is_elsewhere && !counts_results && !self.slurp && !self.into
    }
}

/// The text of a request, as the component takes it.
pub(crate) fn text(request: &impl Serialize) -> Result<String, Error> {
    serde_json::to_string(request)
        .map_err(|error| Error::invalid_argument(format!("cannot write the request: {error}")))
}
