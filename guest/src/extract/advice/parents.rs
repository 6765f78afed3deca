//! Fields of the record that a filter reads behind a pipe, where its input is a value in the record: `.items[] | {id, sku}`.

use super::fields::{Fields, jq};
use super::{AskedFilter, shown};

/// A remark on such fields, with the filter as it was meant. `read` has the path to a value and a key that is read of it, for
/// each.
pub(super) fn lost(asked: AskedFilter<'_>, read: &[(Vec<String>, String)], fields: &Fields) -> Option<String> {
    let is_lost = |(path, key): &&(Vec<String>, String)| {
        let place: Vec<&str> = path.iter().map(String::as_str).collect();
        let inner = [&place[..], &[key]].concat();
        let is_known = fields.below(&place).next().is_some();
        is_known && fields.get(&inner).is_none() && fields.get(&[key]).is_some()
    };
    let lost: Vec<&str> = read.iter().filter(is_lost).map(|(_, key)| key.as_str()).collect();
    let first = jq(&[lost.first()?]);
    // The record is the input of the filter.
    let filter = Some(asked.filter).filter(|_| !asked.slurps)?;
    let meant = lost.iter().try_fold(filter.to_owned(), |filter, key| of_the_record(&filter, key))?;
    Some(format!("behind a pipe, `{first}` is not that of the record: write `. as $record | {}`", shown(&meant)))
}

/// The filter with a key of the record in the object behind a pipe.
fn of_the_record(filter: &str, key: &str) -> Option<String> {
    let is_object = |at: &usize| filter[*at..].trim_start().starts_with('{');
    let at = filter.match_indices('|').map(|(at, _)| at + 1).find(is_object)?;
    let (before, object) = filter.split_at(at);
    // In a function, or behind another pipe, it may be the input no more.
    if before.contains('(') || before.matches('|').count() > 1 {
        return None;
    }
    object.match_indices(key).find_map(|(start, _)| {
        let (left, right) = (&object[..start], &object[start + key.len()..]);
        let is_name = left.trim_end().ends_with(['{', ',']) && right.trim_start().starts_with([',', '}']);
        let is_path = || left.ends_with('.') && !right.starts_with(|c: char| c.is_alphanumeric() || c == '_');
        let path = jq(&[key]);
        match is_name {
            true => Some(format!("{before}{left}{key}: $record{path}{right}")),
            false if is_path() => Some(format!("{before}{}$record{path}{right}", left.strip_suffix('.')?)),
            false => None,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_the_record_are_bound_before_the_pipe() {
        let rows = [
            (".items[] | {id, sku}", "id", Some(".items[] | {id: $record.id, sku}")),
            (".items[] | {sku, id}", "id", Some(".items[] | {sku, id: $record.id}")),
            (".items[] | {sku, order: .id}", "id", Some(".items[] | {sku, order: $record.id}")),
            (".items[]|{idle, id}", "id", Some(".items[]|{idle, id: $record.id}")),
            (".items[] | .id", "id", None),
            ("map(.items[] | {id, sku})", "id", None),
            (".list[] | .items[] | {id, sku}", "id", None),
            (".items[] | {\"id\"}", "id", None),
        ];
        for (filter, key, expected) in rows {
            assert_eq!(of_the_record(filter, key).as_deref(), expected, "{filter}");
        }
    }
}
