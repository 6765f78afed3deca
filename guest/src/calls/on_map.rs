//! A filter on a map of the document whose values are the records of a file. It runs on the document; where it finds
//! nothing, or fails, the records know why.

use lro_query::{Head, Taken};

use super::Page;
use super::extraction::page_of;
use super::on_document::{Asked, has_on, records_of};
use crate::documents::queried::field_of_keys;
use crate::error::{Error, Problem};
use crate::extract::advice::{is_nothing, jq_path};
use crate::extract::on;

/// The first page of a filter on the document, with what its records explain.
pub(super) fn explained(answer: Result<Page, Error>, asked: &Asked<'_>, head: &Head) -> Result<Page, Error> {
    let is_clear = match &answer {
        Ok(page) => !is_nothing(&page.text),
        Err(error) => !matches!(error, Error::InvalidQuery { .. }),
    };
    let of_records = if is_clear { Ok(None) } else { of_records(asked, head) };
    match (answer, of_records) {
        (Ok(page), Ok(Some(same))) if !same.remarks.is_empty() => Ok(Page { remarks: same.remarks, ..page }),
        (Err(Error::InvalidQuery { .. }), Err(error @ Error::InvalidQuery { .. })) => Err(error),
        (Err(Error::InvalidQuery { problem, known }), Ok(Some(same))) => {
            let hint = same.failures.into_iter().map(|failure| failure.hint).find(|hint| !hint.is_empty());
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
fn of_records(asked: &Asked<'_>, head: &Head) -> Result<Option<Page>, Error> {
    let settings = asked.settings;
    let found = |keys: usize| Some((keys, asked.origin.list_at(&head.path[..keys])?));
    let found = (0..=head.path.len()).rev().find_map(found);
    let Some((keys, map)) = found.filter(|(_, list)| list.is_map) else { return Ok(None) };
    asked.with_file_of(&map, |source| {
        let field = field_of_keys(records_of(source, settings)?.1);
        let request = field.and_then(|field| on::on_values(asked.request, head, keys, &field));
        let note = on::on_list(&map.path, head.taken, has_on(settings));
        request.map(|request| page_of(source, &request, settings, &note)).transpose()
    })
}
