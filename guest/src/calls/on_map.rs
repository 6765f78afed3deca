//! A filter on a map of the document whose values are the records of a file. It runs on the document; where it finds
//! nothing, or fails, the records know why.

use lro_query::{Head, Taken};

use super::extraction::page_of;
use super::on_document::{Asked, has_on, records_of};
use super::{Page, Source};
use crate::documents::queried::field_of_keys;
use crate::error::{Error, Problem};
use crate::extract::advice::{is_nothing, jq_path};
use crate::extract::on;
use crate::file::file_name::beside;

/// The first page of a filter on the document, with what its records explain.
pub(super) fn explained(answer: Result<Page, Error>, asked: &Asked<'_>, head: &Head) -> Result<Page, Error> {
    let is_clear = match &answer {
        Ok(page) => !is_nothing(&page.text),
        Err(error) => !matches!(error, Error::InvalidQuery { .. }),
    };
    let of_records = if is_clear { None } else { of_records(asked, head) };
    match (answer, of_records) {
        (Ok(page), Some(Ok(same))) if !same.remarks.is_empty() => Ok(Page { remarks: same.remarks, ..page }),
        (Err(Error::InvalidQuery { .. }), Some(Err(error @ Error::InvalidQuery { .. }))) => Err(error),
        (Err(Error::InvalidQuery { problem, known }), Some(Ok(same))) => {
            let hint = same.failures.into_iter().next().map(|failure| failure.hint);
            let hint = hint.or_else(|| of_values(asked, head)).unwrap_or(problem.hint);
            Err(Error::InvalidQuery { problem: Problem { hint, ..problem }, known })
        }
        (answer, _) => answer,
    }
}

/// A filter that was written for an array, on the values of the map.
fn of_values(asked: &Asked<'_>, head: &Head) -> Option<String> {
    let map = jq_path(&head.path);
    let is_all = head.taken == Taken::All && asked.origin.list_at(&head.path).is_some();
    is_all
        .then(|| format!("`{map}` is an object: write `[{map}[]] | {}` for the array of its values", head.rest.trim()))
}

/// What the same filter has on the records; `None` if they are of no map that it begins with, or it asks for what they
/// do not have.
fn of_records(asked: &Asked<'_>, head: &Head) -> Option<Result<Page, Error>> {
    let settings = asked.settings;
    let found = |keys: usize| Some((keys, asked.origin.list_at(&head.path[..keys])?));
    let (keys, map) = (0..=head.path.len()).rev().find_map(found).filter(|(_, list)| list.is_map)?;
    let path = match (asked.source, &map.file) {
        (Source::File(known), Some(file)) => Some(beside(known, file, settings).ok()?),
        (Source::Content(_), Some(_)) => return None,
        (_, None) => None,
    };
    let source = path.as_deref().map_or(asked.source, Source::File);
    let field = field_of_keys(records_of(source, settings).ok()?.1)?;
    let request = on::on_values(asked.request, head, keys, &field)?;
    Some(page_of(source, &request, settings, &on::on_list(&map.path, head.taken, has_on(settings))))
}
