//! Tasks and documents as the files of `tests/tasks` hold them.

use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A document: what a real server returns for one call.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Document {
    /// Its name, which tasks use.
    pub name: String,
    /// What it is, in a few words.
    pub about: String,
    /// Where its data comes from.
    pub source: Source,
    /// The tool of the server that returns it.
    #[serde(default = "read_text_file")]
    pub tool: String,
    /// A jq filter that makes an array of records of the result, for the oracle and for tools that run jq.
    #[serde(default = "identity")]
    pub records: String,
    /// True when the result is not JSON: the filter gets it as one text.
    #[serde(default)]
    pub is_text: bool,
}

/// Where the data of a document comes from.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Source {
    /// A file below `tests/fixtures`.
    Fixture(String),
    /// A file below the folder that the packages of `tests/questions/npm` are installed in.
    Package(String),
    /// A folder there, which is copied.
    Folder(String),
    /// A document that `made.rs` makes, with so many records.
    Made(String, usize),
}

fn read_text_file() -> String {
    "read_text_file".into()
}

fn identity() -> String {
    ".".into()
}

/// A question to a document, with its answer.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Task {
    /// Its name, unique.
    pub id: String,
    /// The name of its document.
    pub document: String,
    /// What is asked, in words.
    pub question: String,
    /// The kind of question, for the table.
    pub kind: Kind,
    /// What a model would want, in terms of the document.
    pub want: Want,
    /// A filter over the array of records that computes the answer with the real jq.
    pub jq: String,
    /// The answer.
    #[serde(default)]
    pub answer: Value,
    /// The share of the records that the answer needs.
    #[serde(default)]
    pub share: f64,
}

/// Kinds of questions.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq, Eq, PartialOrd, Ord)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// A value of the record with an id.
    LookUp,
    /// The same, with an id that does not exist.
    Missing,
    /// Which records meet one to three conditions.
    Filter,
    /// How many do.
    Count,
    /// How many there are of each value.
    Group,
    /// A sum, a mean, the largest or the smallest value.
    Aggregate,
    /// The first records of an order.
    Top,
    /// Which records lie between two times, or how many.
    Range,
    /// The whole record with an id.
    Record,
    /// The lines around a match.
    Around,
    /// How many records there are, and which fields they have.
    Overview,
}

impl Kind {
    /// True when criteria can say such a question.
    pub fn is_for_criteria(self) -> bool {
        !matches!(self, Self::Around | Self::Overview)
    }
}

/// What a model would want, in terms of the document.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Want {
    /// The list that is asked, when it is not the document's main list: its path in the document.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub list: Option<String>,
    /// Conditions that records must meet, all of them.
    #[serde(default, rename = "where", skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<Condition>,
    /// What is wanted of the records that meet them.
    pub get: Get,
}

/// A field, an operator and a value. The field `line` is the line of a text itself.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Condition(pub String, pub Operator, pub Value);

/// How a field is compared.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq, Eq)]
pub enum Operator {
    /// It is equal, or one of its elements is.
    #[serde(rename = "=")]
    Equal,
    /// It is not.
    #[serde(rename = "!=")]
    Differs,
    /// It is smaller.
    #[serde(rename = "<")]
    Less,
    /// It is smaller, or equal.
    #[serde(rename = "<=")]
    AtMost,
    /// It is larger.
    #[serde(rename = ">")]
    Greater,
    /// It is larger, or equal.
    #[serde(rename = ">=")]
    AtLeast,
    /// It begins with a text.
    #[serde(rename = "begins")]
    Begins,
    /// It contains a text, in any letter case.
    #[serde(rename = "contains")]
    Contains,
}

/// What is wanted of records.
#[derive(Clone, Debug, Deserialize, Serialize, PartialEq)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Get {
    /// The values of a field, in the order of another.
    Values {
        /// The field.
        field: String,
        /// What is sorted by; a hyphen before it means descending order.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        sort: Option<String>,
        /// Only so many of them.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        limit: Option<usize>,
    },
    /// How many.
    Count,
    /// How many of each value of this field.
    Groups(String),
    /// One number of a field's values.
    Aggregate {
        /// `sum`, `avg`, `min`, `max` or `count_distinct`.
        function: String,
        /// Of this field.
        of: String,
        /// For each value of this field.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<String>,
    },
    /// The value of a field of the only record, or null.
    Value(String),
    /// The only record.
    Record,
    /// All of the records that meet the conditions, whole.
    Records,
    /// The line that matches, with so many lines before it and after it.
    Around(usize),
    /// How many records there are, and the names of their fields.
    Overview,
}

impl Want {
    /// The fields that a call must name.
    pub fn fields(&self) -> Vec<&str> {
        let mut fields: Vec<&str> = self.conditions.iter().map(|condition| condition.0.as_str()).collect();
        match &self.get {
            Get::Values { field, sort, .. } => {
                fields.push(field);
                fields.extend(sort.as_deref().map(|sort| sort.trim_start_matches('-')));
            }
            Get::Groups(field) | Get::Value(field) => fields.push(field),
            Get::Aggregate { of, by, .. } => fields.extend([of.as_str()].into_iter().chain(by.as_deref())),
            Get::Count | Get::Record | Get::Records | Get::Around(_) | Get::Overview => {}
        }
        fields
    }
}

/// The folder with the tasks.
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tasks")
}

/// All documents.
///
/// # Errors
/// One line that says what is wrong with the file.
pub fn documents() -> Result<Vec<Document>, String> {
    read(&folder().join("documents.json"))
}

/// All tasks: a file for each kind of document.
///
/// # Errors
/// One line that says what is wrong with a file.
pub fn tasks() -> Result<Vec<Task>, String> {
    let mut tasks = Vec::new();
    for file in files()? {
        tasks.extend(read::<Vec<Task>>(&file)?);
    }
    Ok(tasks)
}

/// The files with tasks, in their order.
///
/// # Errors
/// One line that says why the folder cannot be read.
pub fn files() -> Result<Vec<PathBuf>, String> {
    let folder = folder().join("questions");
    let entries = fs::read_dir(&folder).map_err(|error| format!("cannot read `{}`: {error}", folder.display()))?;
    let mut files: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.sort();
    Ok(files)
}

/// Writes the tasks of a file with their answers and shares.
///
/// # Errors
/// One line that names the file.
pub fn write(path: &Path, tasks: &[Task]) -> Result<(), String> {
    let json = |value: Value| value.to_string();
    let entry = |task: &Task| {
        let head = serde_json::json!({
            "id": task.id, "document": task.document, "kind": task.kind, "question": task.question,
        });
        let head = json(head);
        let want = serde_json::to_string(&task.want).expect("a task is JSON");
        let (jq, share) = (json(task.jq.as_str().into()), (task.share * 10_000.0).round() / 10_000.0);
        format!(
            "  {},\n   \"want\": {want},\n   \"jq\": {jq},\n   \"answer\": {}, \"share\": {share}}}",
            head.trim_end_matches('}'),
            task.answer
        )
    };
    let entries: Vec<String> = tasks.iter().map(entry).collect();
    let text = format!("[\n{}\n]\n", entries.join(",\n"));
    fs::write(path, text).map_err(|error| format!("cannot write `{}`: {error}", path.display()))
}

/// A file of JSON.
///
/// # Errors
/// One line that names the file.
pub fn read<T: for<'a> Deserialize<'a>>(path: &Path) -> Result<T, String> {
    let text = fs::read_to_string(path).map_err(|error| format!("cannot read `{}`: {error}", path.display()))?;
    serde_json::from_str(&text).map_err(|error| format!("`{}` is not valid: {error}", path.display()))
}
