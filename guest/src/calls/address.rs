//! What an address means in the document that a file belongs to.

use std::io::BufRead;

use lro_query::json::quote;

use super::documents::header_at;
use super::on_document::text_of;
use super::{Source, locate};
use crate::documents::address::{Origin, content, parsed, refused};
use crate::error::Error;
use crate::file::file_name::beside;
use crate::file::reading::{cannot_open, header_of};
use crate::settings::Settings;

/// Reads what an address means, in a document that a file belongs to. Without an address that is the file itself.
/// Errors begin with the `operation`.
pub(super) fn at<T>(
    operation: &str,
    source: Source<'_>,
    address: Option<&str>,
    settings: &Settings,
    read: impl FnOnce(Source<'_>) -> Result<T, Error>,
) -> Result<T, Error> {
    let Some(address) = address else { return read(source) };
    let address = parsed(operation, address)?;
    let path = address.path();
    let refused = |reason: &str, hint: &str| refused(operation, &address, reason, hint);
    let document = document_of(source, settings)?;
    if address.is_path() && document.is_at(&path) {
        return read(source);
    }
    if let Some(file) = document.file_of(&path).filter(|_| address.is_path()) {
        return match source {
            Source::File(known) => read(Source::File(&beside(known, file, settings)?)),
            Source::Content(_) => Err(refused("it is in another file", "pass the file_path of its section")),
        };
    }
    // What has lists in it is whole only where they are put back.
    let texts = match document.has_lists_at(&address) {
        true => vec![text_of(source, &document, settings)?],
        false => document.texts(|main| first_record(source, main, settings))?,
    };
    let Some(value) = texts.iter().find_map(|text| address.value_in(text)) else {
        // Who leaves the brackets of a list out means its elements.
        let whole = match document.has_list_before(&path) {
            true => text_of(source, &document, settings).ok().map(|text| vec![text]),
            false => None,
        };
        let meant = address.through_lists(whole.as_ref().unwrap_or(&texts));
        let hint =
            meant.map(|meant| format!("`[]` opens a list on the way: pass `records` {}", quote(&meant.to_string())));
        return Err(refused("nothing is there", &hint.unwrap_or_else(|| document.known(&texts))));
    };
    read(Source::Content(&content(path, &value, &document.header, settings)?))
}

pub(super) fn document_of(source: Source<'_>, settings: &Settings) -> Result<Origin, Error> {
    let header = match source {
        Source::File(path) => header_at(path, settings)?.0,
        Source::Content(text) => header_of("content", text.as_bytes(), settings)?.0,
    };
    match (source, header.lro.section.clone()) {
        (Source::File(path), Some(section)) => {
            let main = beside(path, &section.of, settings)?;
            let (header, _) = header_at(&main, settings)?;
            Ok(Origin::of_section(section.path, main, header))
        }
        _ => Ok(Origin::of(header)),
    }
}

/// The first record of a source, or of the file `main`.
fn first_record(source: Source<'_>, main: Option<&str>, settings: &Settings) -> Result<String, Error> {
    let mut line = String::new();
    match source {
        Source::Content(text) => line.push_str(text.lines().nth(1).unwrap_or_default()),
        Source::File(path) => {
            let path = main.unwrap_or(path);
            let (_, header_bytes) = header_at(path, settings)?;
            let (directory, name) = locate(path, settings)?;
            let failed = |error| cannot_open(path, &error);
            directory.read(&name, header_bytes).map_err(failed)?.read_line(&mut line).map_err(failed)?;
        }
    }
    Ok(line)
}
