//! A filter on the document that records came in: on the records of a list if it begins with that list, else on the
//! document as one value.

use std::borrow::Cow;
use std::io::{BufRead, Read};

use lro_query::Head;

use super::documents::{header_at, open_content, open_list};
use super::extraction::page_of;
use super::{Page, Source, address, locate, on_map};
use crate::documents::address::Origin;
use crate::documents::queried::{FoundList, Shape, have_key, header_of_values, lines_of, not_json};
use crate::documents::rebuild::text_from;
use crate::error::Error;
use crate::extract::first_records::{self, Tried};
use crate::extract::on::{self, Beginning, Listed};
use crate::extract::run::extract_from;
use crate::file::file_name::beside;
use crate::file::header::Header;
use crate::file::kind::Kind;
use crate::file::reading::{cannot_open, header_of};
use crate::settings::request::{Extract, On, Way};
use crate::settings::{Settings, ToolNames};

/// The page of a request about the records of a file, or about the document that they came in.
pub(super) fn page(source: Source<'_>, request: &Extract, settings: &Settings) -> Result<Page, Error> {
    if request.on == Some(On::Document) {
        on::check(request)?;
        let origin = address::document_of(source, settings)?;
        if let Some(notation) = origin.text() {
            return Err(on::of_a_text(notation.as_deref()));
        }
        let head = request.query.as_deref().and_then(|filter| on::head_of(filter, settings));
        return Asked { source, request, settings, origin }.page(head.as_ref());
    }
    if says_what_it_runs_on(request) {
        return page_of(source, request, settings, records_note(request, settings));
    }
    let beginning = request.query.as_deref().map(|filter| Beginning::of(filter, settings)).unwrap_or_default();
    match meant_for_a_document(source, request, settings, &beginning) {
        Some((asked, remark)) => Ok(remarked(asked.page(beginning.head.as_ref())?, request, remark)),
        None => on_records(source, request, settings, &beginning, records_note(request, settings)),
    }
}

/// The page of a request on a list beside the records of the file. Its filter has no document to run on.
pub(super) fn page_beside(source: Source<'_>, request: &Extract, settings: &Settings) -> Result<Page, Error> {
    if says_what_it_runs_on(request) {
        return page_of(source, request, settings, "");
    }
    let beginning = request.query.as_deref().map(|filter| Beginning::of(filter, settings)).unwrap_or_default();
    on_records(source, request, settings, &beginning, "")
}

/// The page of a filter on each record, or on the array of all if it was written for one. The `note` says what one on
/// each record runs on.
fn on_records(
    source: Source<'_>,
    request: &Extract,
    settings: &Settings,
    beginning: &Beginning,
    note: &str,
) -> Result<Page, Error> {
    let Some(kind) = meant_for_all(source, request, settings, beginning) else {
        return page_of(source, request, settings, note);
    };
    let on_all = Extract { slurp: Some(true), ..request.clone() };
    let page = page_of(source, &on_all, settings, records_note(&on_all, settings))?;
    Ok(remarked(page, request, on::remark_on_all(kind)))
}

/// A page with a remark, which the first one of a request has.
fn remarked(mut page: Page, request: &Extract, remark: String) -> Page {
    if is_first(request) {
        page.remarks.insert(0, remark);
    }
    page
}

/// True for a request for a first page.
fn is_first(request: &Extract) -> bool {
    request.next.is_none() && request.part.and_then(|part| part.from).is_none_or(|from| from == 0)
}

/// True if a request has no filter, or says what its filter runs on.
fn says_what_it_runs_on(request: &Extract) -> bool {
    request.query.is_none() || request.on.is_some() || request.slurp == Some(true)
}

/// True if what came in was a text: there is no document to run a filter on, only its records or lines.
pub(crate) fn is_of_text(source: Source<'_>, settings: &Settings) -> Result<bool, Error> {
    source.found(settings, |source| Ok(address::document_of(source, settings)?.text().is_some()))
}

fn records_note(request: &Extract, settings: &Settings) -> &'static str {
    match (request.slurp == Some(true), has_on(settings)) {
        (true, true) => on::ON_ALL_RECORDS,
        (true, false) => on::ALL_RECORDS,
        (false, true) => on::ON_RECORDS,
        (false, false) => on::EACH_RECORD,
    }
}

/// True if a caller can say what a filter runs on: the tools of other systems have no argument for it.
pub(super) fn has_on(settings: &Settings) -> bool {
    settings.tool_names == ToolNames::Lro
}

/// A request whose filter begins with a list of the document, or with a key beside it, and makes no sense for the
/// records; and what is said of that.
fn meant_for_a_document<'a>(
    source: Source<'a>,
    request: &'a Extract,
    settings: &'a Settings,
    beginning: &Beginning,
) -> Option<(Asked<'a>, String)> {
    let Beginning { head, path, keys, .. } = beginning;
    let asks_for_keys = request.query.as_deref().is_some_and(on::asks_for_keys);
    if head.is_none() && path.is_empty() && keys.is_empty() && !asks_for_keys {
        return None;
    }
    // What cannot be read is told by the extraction.
    let origin = address::document_of(source, settings).ok().filter(|origin| origin.text().is_none())?;
    if !keys.is_empty() {
        let is_meant = keys.iter().all(|key| origin.has_key(key)) && !has_any(source, keys, settings)?;
        return is_meant.then(|| (Asked { source, request, settings, origin }, on::remark_on_key(&keys[0])));
    }
    let within_map = || (1..path.len()).rev().filter_map(|keys| origin.list_at(&path[..keys])).find(|list| list.is_map);
    let list = head.as_ref().and_then(|head| origin.list_at(&head.path)).or_else(within_map);
    // `.[]` is the array of all records as well as a map of them.
    let list = list.filter(|list| !list.keys.is_empty() || !list.is_map);
    // A key beside the list is looked for before any record is read.
    let (keys, remark) = match (&list, path.first()) {
        (Some(list), _) => (&list.keys[..], list.remark()),
        (None, Some(key)) if origin.has_key(key) => (&path[..1], on::remark_on_key(key)),
        (None, Some(key)) if origin.is_map() => (&path[..1], on::remark_on_key(key)),
        (None, None) if origin.is_map() && asks_for_keys => (&[][..], on::FAILS_ON_RECORDS.to_owned()),
        _ => return None,
    };
    let (header, records) = records_of(source, settings).ok()?;
    let is_meant = match keys {
        [key] if list.is_none() && origin.is_map() => {
            !first_records::have(keys, records) && have_key(key, records_of(source, settings).ok()?.1)
        }
        [_, ..] => !first_records::have(keys, records),
        // `.` and `.[]` mean something for a record as well.
        [] => {
            let is_whole = head.as_ref().is_some_and(Head::is_whole);
            !is_whole && !request.selects_for_a_query() && Tried { request, header: &header, settings }.fails(records)
        }
    };
    is_meant.then(|| (Asked { source, request, settings, origin }, remark))
}

/// True if one of the first records has one of these fields.
fn has_any(source: Source<'_>, keys: &[String], settings: &Settings) -> Option<bool> {
    let (_, records) = records_of(source, settings).ok()?;
    Some(first_records::have_any(keys, records))
}

/// The kind of the records, if the filter was written for the array of all of them.
fn meant_for_all(source: Source<'_>, request: &Extract, settings: &Settings, beginning: &Beginning) -> Option<Kind> {
    let elements = beginning.elements.as_ref()?;
    let (header, records) = records_of(source, settings).ok()?;
    // A document that is one value is in no array.
    if header.count == 1 && address::document_of(source, settings).is_ok_and(|origin| origin.own_list().is_none()) {
        return None;
    }
    let is_for_all = Tried { request, header: &header, settings }.is_for_all(records)
        || first_records::are_elements(elements, records_of(source, settings).ok()?.1);
    is_for_all.then_some(header.lro.kind)
}

/// The header of a file, and its records.
pub(super) fn records_of<'a>(
    source: Source<'a>,
    settings: &Settings,
) -> Result<(Header, Box<dyn BufRead + 'a>), Error> {
    match source {
        Source::File(path) => {
            let (header, header_bytes) = header_at(path, settings)?;
            let (directory, name) = locate(path, settings)?;
            let reader = directory.read(&name, header_bytes).map_err(|error| cannot_open(path, &error))?;
            Ok((header, Box::new(reader)))
        }
        Source::Content(text) => {
            let (header, header_bytes) = header_of("content", text.as_bytes(), settings)?;
            let body = &text.as_bytes()[usize::try_from(header_bytes).unwrap_or(text.len())..];
            Ok((header, Box::new(body)))
        }
    }
}

/// A request about a document.
pub(super) struct Asked<'a> {
    pub(super) source: Source<'a>,
    pub(super) request: &'a Extract,
    pub(super) settings: &'a Settings,
    pub(super) origin: Origin,
}

impl Asked<'_> {
    fn page(&self, head: Option<&Head>) -> Result<Page, Error> {
        if let Some(head) = head
            && let Some(list) = self.origin.list_at(&head.path).filter(|list| list.is_as_it_came)
            && let Some(page) = self.on_list(head, &list)?
        {
            return Ok(page);
        }
        let is_as_it_came = || Ok::<_, Error>(header_of_source(self.source, self.settings)?.lro.taken.is_none());
        match self.origin.shape() {
            Shape::Array if is_as_it_came()? => {
                on::without_lines(self.request)?;
                self.on_records(Way::Array)
            }
            Shape::Values if is_as_it_came()? => self.on_records(Way::Each),
            _ => match head.filter(|_| is_first(self.request)) {
                Some(head) => on_map::explained(self.on_value(), self, head),
                None => self.on_value(),
            },
        }
    }

    /// The filter on the records of the file, which are all of the document.
    fn on_records(&self, way: Way) -> Result<Page, Error> {
        let request = Extract { on: None, document: Some(way), ..self.request.clone() };
        page_of(self.source, &request, self.settings, &self.note())
    }

    /// What is left of the filter on the records of a list; `None` if these are not as they came.
    fn on_list(&self, head: &Head, list: &FoundList) -> Result<Option<Page>, Error> {
        self.with_file_of(list, |source| {
            let header = header_of_source(source, self.settings)?;
            if header.lro.taken.is_some() {
                return Ok(None);
            }
            // A part is one of the file that was asked for.
            let is_other = list.file.is_some();
            let part = if is_other { self.request.part.map(|part| part.of_the_undivided()) } else { self.request.part };
            let request = Extract { part, ..self.request.clone() };
            let note = on::on_list(&list.path, head.taken, has_on(self.settings));
            match on::listed(&request, head, header.count)? {
                Listed::Records(request) => page_of(source, &request, self.settings, &note).map(Some),
                Listed::Value(value, request) => {
                    let lines = format!("{value}\n").into_bytes();
                    self.on_lines(&lines, &request, &note).map(Some)
                }
            }
        })
    }

    /// Calls a function with the file that has the records of a list; `None` where none can be opened beside a content.
    pub(super) fn with_file_of<T>(
        &self,
        list: &FoundList,
        call: impl FnOnce(Source<'_>) -> Result<Option<T>, Error>,
    ) -> Result<Option<T>, Error> {
        match (self.source, &list.file) {
            (source, None) => call(source),
            (Source::File(known), Some(file)) => call(Source::File(&beside(known, file, self.settings)?)),
            // The document is in several files: putting it together says so.
            (Source::Content(_), Some(_)) => Ok(None),
        }
    }

    /// The filter on the document as one value, or on each of several.
    fn on_value(&self) -> Result<Page, Error> {
        let part = self.request.part.map(|part| part.of_the_undivided());
        if part.is_some_and(|part| part.until == Some(0)) {
            return Ok(Page::default());
        }
        let frame = self.origin.frame();
        let is_one = !self.origin.has_values();
        if is_one {
            on::without_lines(self.request)?;
        }
        let lines = lines_of(text_of(self.source, &self.origin, self.settings)?, &frame).ok_or_else(not_json)?;
        let way = if is_one { Way::Document } else { Way::Each };
        let request = Extract { on: None, document: Some(way), part, ..self.request.clone() };
        self.on_lines(&lines, &request, &self.note())
    }

    /// A filter on lines in memory, each a value.
    fn on_lines(&self, lines: &[u8], request: &Extract, note: &str) -> Result<Page, Error> {
        let count = lines.iter().filter(|byte| **byte == b'\n').count();
        let header = header_of_values(&self.origin.header, count).to_line() + "\n";
        let header = header.as_bytes();
        let open = |offset: u64| {
            let offset = usize::try_from(offset).unwrap_or(usize::MAX);
            Ok(match header.get(offset..).filter(|rest| !rest.is_empty()) {
                Some(rest) => Box::new(rest.chain(lines)) as Box<dyn BufRead>,
                // All of it is one block, which is read where it is.
                None => Box::new(lines.get(offset - header.len()..).unwrap_or_default()),
            })
        };
        extract_from("the document", open, request, self.settings, note)
    }

    fn note(&self) -> String {
        on::on_document(self.origin.own_list().as_deref(), has_on(self.settings))
    }
}

/// The text of a document, without a string that it was in.
pub(super) fn text_of(source: Source<'_>, origin: &Origin, settings: &Settings) -> Result<String, Error> {
    let (frame, most) = (origin.frame(), settings.max_document_bytes.into());
    match source {
        Source::File(path) => {
            let main = match origin.main() {
                Some(main) => Cow::Owned(beside(path, main, settings)?),
                None => Cow::Borrowed(path),
            };
            text_from(&main, &frame, most, |place, offset| open_list(&main, place, offset, settings))
        }
        Source::Content(text) => {
            let (_, header_bytes) = header_of("content", text.as_bytes(), settings)?;
            text_from("content", &frame, most, |place, offset| {
                open_content(text, &origin.header, header_bytes + offset, place)
            })
        }
    }
}

fn header_of_source(source: Source<'_>, settings: &Settings) -> Result<Header, Error> {
    Ok(match source {
        Source::File(path) => header_at(path, settings)?.0,
        Source::Content(text) => header_of("content", text.as_bytes(), settings)?.0,
    })
}
