//! The response as an artifact of the platform that calls offloading so (GATE-09 to 12): an id, a size, the shape of
//! the whole document, and how to get at it.

use lro_query::json::{Scan, Type, cut, escape_hidden, unquote};
use serde::Serialize;
use serde_json::{Map, Value};

use super::{Size, written};
use crate::file::header::Header;
use crate::file::sought::artifact_id;
use crate::offload::contents::Lists;
use crate::offload::guidance;
use crate::offload::records::{Findings, Records};
use crate::payload::frame::Form;
use crate::payload::shown;
use crate::settings::names::Access;
use crate::settings::{GuidanceKind, Settings, ToolNames};

/// More members are counted, not named.
const MOST_MEMBERS: usize = 20;

/// Longer keys are data.
const KEY_CHARACTERS: usize = 64;

/// What the tools of an artifact do, in the words of their platform.
const ARTIFACT: [(Access, &str); 3] = [
    (Access::Read, "Read full content or a line range (start_line/end_line)"),
    (Access::Search, "Search for patterns with grep"),
    (Access::Query, "Query with jq expressions, e.g. '.results[0]', '.[] | select(.score > 0.5)'"),
];

#[derive(Debug, Serialize)]
struct Envelope<'a> {
    offloaded: bool,
    artifact_id: String,
    file_path: &'a str,
    size_bytes: u64,
    line_count: u32,
    shape: Value,
    how_to_access: Map<String, Value>,
}

/// Renders the envelope of a document.
pub(super) fn of_lists(settings: &Settings, lists: &Lists<'_>, header: &Header, file_path: &str, size: Size) -> String {
    rendered(settings, header, file_path, size, shape_of(lists))
}

/// Renders the envelope of a text.
pub(super) fn of_text(settings: &Settings, header: &Header, file_path: &str, size: Size) -> String {
    rendered(settings, header, file_path, size, shape_of_text(header))
}

/// `text(2 lines)`
pub(super) fn shape_of_text(header: &Header) -> Value {
    format!("text({} lines)", header.count).into()
}

fn rendered(settings: &Settings, header: &Header, file_path: &str, size: Size, shape: Value) -> String {
    escape_hidden(written(&Envelope {
        offloaded: true,
        artifact_id: artifact_id(file_path, &header.operation),
        file_path,
        size_bytes: size.bytes,
        line_count: size.lines,
        shape,
        how_to_access: how_to_access(settings, header),
    }))
}

/// The tools that are there (GATE-12).
fn how_to_access(settings: &Settings, header: &Header) -> Map<String, Value> {
    let what = header.lro.kind.noun();
    if settings.guidance == GuidanceKind::Shell {
        let how =
            format!("The first line of the file is a header; {what} follow, one a line: tail -n +2 FILE | jq FILTER");
        return Map::from_iter([("shell".to_owned(), how.into())]);
    }
    let said = match settings.tool_names {
        ToolNames::Lro => vec![
            (
                Access::Query,
                format!(
                    "Read {what} with `file_path`: conditions as `where`, a jq filter as `query`, or lines from `line` on"
                ),
            ),
            (Access::Describe, "Fields with types, values and examples".to_owned()),
            (Access::Read, "Read lines or characters".to_owned()),
            (Access::Search, "Search lines with a regular expression".to_owned()),
        ],
        ToolNames::Artifact => ARTIFACT.map(|(access, how)| (access, how.to_owned())).to_vec(),
        ToolNames::LargeOutput | ToolNames::Unified => vec![(Access::Query, guidance::accesses(settings))],
    };
    said.into_iter().filter_map(|(access, how)| Some((settings.tool_name(access)?, how.into()))).collect()
}

/// GATE-11: a hint, such as `{"rows": "array(500) of object(6 keys)", "next_cursor": "string"}`.
pub(super) fn shape_of(lists: &Lists<'_>) -> Value {
    if lists.frame.form != Form::Object {
        return listed(lists.main(), false).into();
    }
    let mut shape = Map::new();
    for (records, place) in lists.lists.iter().zip(&lists.frame.lists).take(MOST_MEMBERS) {
        let name = shown::path(&records.path);
        shape.insert(name.trim_start_matches('.').to_owned(), listed(records, place.keyed).into());
    }
    let (mut all, room) = (0, MOST_MEMBERS - shape.len());
    if let Some(inline) = &lists.inline {
        Scan::of(inline).members(|scan, key| {
            let value = scan.value();
            if all < room {
                shape.insert(cut(&unquote(key), KEY_CHARACTERS), one(value).into());
            }
            all += 1;
        });
    }
    if all > room {
        shape.insert("…".to_owned(), format!("{} more", all - room).into());
    }
    shape.into()
}

/// `array(500) of object(6 keys)`
fn listed(records: &Records<'_>, keyed: bool) -> String {
    let count = records.count();
    let what = match &records.findings {
        Findings::Memories(survey) => keys(survey.fields.len(), false),
        Findings::Records { inference, .. } => {
            let root = &inference.root;
            let keys =
                |name: &str| if name == "object" { keys(root.fields.len(), root.is_open) } else { name.to_owned() };
            root.types.names().map(keys).collect::<Vec<_>>().join("|")
        }
    };
    match (keyed, what.as_str()) {
        (_, "") => format!("array({count})"),
        (true, _) => format!("object({count} keys) of {what}"),
        (false, _) => format!("array({count}) of {what}"),
    }
}

fn keys(count: usize, is_open: bool) -> String {
    let keys = if count == 1 && !is_open { "key" } else { "keys" };
    format!("object({count}{} {keys})", if is_open { "+" } else { "" })
}

/// A value by its type and its size.
fn one(value: &str) -> String {
    let mut count = 0;
    match Type::of(value) {
        Type::Object => {
            Scan::of(value).members(|scan, _| {
                scan.value();
                count += 1;
            });
            keys(count, false)
        }
        Type::Array => {
            Scan::of(value).elements(|scan| {
                scan.value();
                count += 1;
            });
            format!("array({count})")
        }
        Type::String => "string".into(),
        Type::Number => "number".into(),
        Type::Boolean => "boolean".into(),
        Type::Null => "null".into(),
    }
}
