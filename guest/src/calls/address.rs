//! What stands beside the records of a file, by its address in the document that they came in: `.relations` is a list of
//! records like any other.

use std::borrow::Cow;
use std::io::BufRead;

use lro_query::json::{Scan, Type, elements, unquote};
use serde_json::value::RawValue;

use super::documents::{beside, header_at};
use super::{Source, cannot_open, header_of, locate};
use crate::error::Error;
use crate::file::header::{Deviations, Header};
use crate::offload::records::Records;
use crate::payload::frame::Frame;
use crate::payload::keyed;
use crate::payload::lists::value_at;
use crate::payload::path::Path;
use crate::payload::shown;
use crate::recipes::Kind;
use crate::settings::Settings;
use crate::settings::request;

/// An error names so many addresses.
const MOST_NAMED: usize = 12;

/// Reads what an address means, in a document that a file belongs to. Without an address that is the file itself. Errors
/// begin with the `operation`.
pub(super) fn at<T>(
    operation: &str,
    source: Source<'_>,
    address: Option<&str>,
    settings: &Settings,
    read: impl FnOnce(Source<'_>) -> Result<T, Error>,
) -> Result<T, Error> {
    let Some(address) = address else { return read(source) };
    let path = parsed(operation, address)?;
    let refused = |reason: &str, hint: &str| refused(operation, &path, reason, hint);
    let document = Document::of(source, settings)?;
    if document.path == path || (path.0.is_empty() && document.path.0.is_empty()) {
        return read(source);
    }
    if let Some(file) = document.file_of(&path) {
        return match source {
            Source::File(known) => read(Source::File(&beside(known, file, settings)?)),
            Source::Content(_) => Err(refused("it is in another file", "pass the file_path of its section")),
        };
    }
    let texts = document.texts(settings)?;
    let Some(value) = texts.iter().find_map(|text| value_at(text, &path)) else {
        return Err(refused("nothing is there", &document.known(&texts)));
    };
    read(Source::Content(&content(path, value, &document.header, settings)?))
}

/// Reads an address. What models add to a path is taken off it: `relations`, `.relations[]`.
fn parsed(operation: &str, address: &str) -> Result<Path, Error> {
    let text = address.trim().trim_end_matches("[]");
    let text = if text.starts_with('.') { Cow::Borrowed(text) } else { Cow::Owned(format!(".{text}")) };
    Path::parse(&text).ok_or_else(|| {
        Error::invalid_argument(
            format!("cannot {operation}: `records` is `{}`, which is not a path", shown::name(address)),
            "give the keys that lead to a list, such as `.relations` or `.data.users`",
        )
    })
}

fn refused(operation: &str, path: &Path, reason: &str, hint: &str) -> Error {
    Error::invalid_argument(format!("cannot {operation}: `records` is `{}`, and {reason}", shown::path(path)), hint)
}

/// What is known of the document that a file belongs to.
struct Document<'a> {
    source: Source<'a>,
    /// The header of the file that knows the document.
    header: Header,
    /// The file that knows it, where that is not the source.
    main: Option<String>,
    /// Where the source's own records were.
    path: Path,
    frame: Option<Frame>,
}

impl<'a> Document<'a> {
    fn of(source: Source<'a>, settings: &Settings) -> Result<Self, Error> {
        let header = match source {
            Source::File(path) => header_at(path, settings)?.0,
            Source::Content(text) => header_of("content", text.as_bytes(), settings)?.0,
        };
        let (main, header, path) = match (source, header.lro.section.clone()) {
            (Source::File(path), Some(section)) => {
                let main = beside(path, &section.of, settings)?;
                let (header, _) = header_at(&main, settings)?;
                (Some(main), header, Some(section.path))
            }
            _ => (None, header, None),
        };
        let frame = header.lro.document.clone();
        let own = || frame.as_ref()?.lists.iter().find(|list| list.file.is_none()).map(|list| list.path.clone());
        let path = path.or_else(own).unwrap_or_default();
        Ok(Self { source, header, main, path, frame })
    }

    /// The file that has the list at a path.
    fn file_of(&self, path: &Path) -> Option<&str> {
        let place = self.frame.as_ref()?.lists.iter().find(|list| list.path == *path)?;
        place.file.as_deref().or(self.main.as_deref())
    }

    /// The JSON texts in which an address may lead somewhere: what stands around the lists, what all of it stood in, and
    /// a record that is alone.
    fn texts(&self, settings: &Settings) -> Result<Vec<String>, Error> {
        let around = |frame: &Frame| frame.around.as_ref().map(|around| around.wrapped("null"));
        let mut texts: Vec<String> =
            self.frame.iter().flat_map(|frame| [Some(frame.hollow()), around(frame)]).flatten().collect();
        if self.header.count == 1 && self.header.lro.kind != Kind::Text {
            texts.push(self.first_record(settings)?);
        }
        texts.retain(|text| serde_json::from_str::<&RawValue>(text).is_ok());
        Ok(texts)
    }

    fn first_record(&self, settings: &Settings) -> Result<String, Error> {
        let mut line = String::new();
        match (self.source, &self.main) {
            (Source::Content(text), _) => line.push_str(text.lines().nth(1).unwrap_or_default()),
            (Source::File(path), main) => {
                let path = main.as_deref().unwrap_or(path);
                let (_, header_bytes) = header_at(path, settings)?;
                let (directory, name) = locate(path, settings)?;
                let failed = |error| cannot_open(path, &error);
                directory.read(&name, header_bytes).map_err(failed)?.read_line(&mut line).map_err(failed)?;
            }
        }
        Ok(line)
    }

    /// A sentence on where something is.
    fn known(&self, texts: &[String]) -> String {
        let lists = self.frame.iter().flat_map(|frame| &frame.lists).map(|list| list.path.clone());
        let mut paths: Vec<Path> = lists.collect();
        for text in texts.iter().filter(|text| text.trim_start().starts_with('{')) {
            Scan::of(text).members(|scan, key| {
                let path = Path::default().then(&unquote(key));
                if scan.value().starts_with(['{', '[']) && !paths.contains(&path) {
                    paths.push(path);
                }
            });
        }
        let shown: Vec<String> = paths.iter().take(MOST_NAMED).map(|path| format!("`{}`", shown::path(path))).collect();
        format!("the document has {}; leave `records` out for the records of the file", shown.join(", "))
    }
}

/// A value as the content of a file: the elements of an array, the members of a map, or the value as one record.
fn content(path: Path, value: &str, of: &Header, settings: &Settings) -> Result<String, Error> {
    let texts = match Type::of(value) {
        Type::Array => elements(value),
        Type::Object if keyed::is_map(value) => keyed::records(value),
        _ => vec![value.into()],
    };
    let mut records = Records::of(path, texts, &request::Offload::default());
    records.infer(settings);
    let lro = Deviations { kind: Kind::Records, roles: records.roles(), ..Deviations::default() };
    let header = Header { count: records.count(), lro, ..of.clone() };
    let mut content = header.to_line();
    for record in &records.texts {
        content.push('\n');
        content.push_str(record);
    }
    content.push('\n');
    Ok(content)
}
