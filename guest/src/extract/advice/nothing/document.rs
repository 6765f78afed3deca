//! A field or a filter that is meant for the document whose list the records were.

use lro_query::json::quote;
use serde_json::Value;

use super::sample::{MOST_FILTER_BYTES, Sample};
use crate::documents::address::Address;
use crate::file::header::Header;
use crate::payload::frame::Form;
use crate::payload::path::Path;
use crate::settings::request::Extract;

/// A larger frame is not read for a remark.
const MOST_FRAME_BYTES: usize = 256 << 10;

/// So many other lists are named.
const MOST_LISTS: usize = 4;

/// A value outside the records is quoted if it is this short.
const SAID_BYTES: usize = 80;

/// Where the records were in their document; `None` if they were all of it.
pub(super) fn place(header: &Header) -> Option<&Path> {
    let lro = &header.lro;
    let own = || lro.document.as_ref()?.lists.iter().find(|list| list.file.is_none()).map(|list| &list.path);
    lro.section.as_ref().map(|section| &section.path).or_else(own).filter(|path| !path.0.is_empty())
}

/// The address in the document of what is at a path in each of the records, which were asked for by an address or not;
/// `None` where none can be written.
pub(super) fn address(header: &Header, asked: Option<&str>, path: &str) -> Option<String> {
    if let (Some(asked), None, None) = (asked, &header.lro.document, &header.lro.section) {
        return below(&Address::parse(asked)?, header, path);
    }
    match place(header) {
        // The only record is a place by itself.
        _ if header.count == 1 => Some(path.to_owned()),
        Some(place) => Some(format!("{place}[]{path}")),
        None if header.lro.document.as_ref().is_none_or(|frame| frame.form == Form::Array) => {
            Some(format!(".[]{path}"))
        }
        None => None,
    }
}

/// The address of what is at a path in each of the records that an address leads to. It is known where the address
/// leads to one list or map, which several records show: one record may be the value itself, as may the records of an
/// address with `[]`. An entry of a map may be in a record made for it.
fn below(address: &Address, header: &Header, path: &str) -> Option<String> {
    let is_made = [".key", ".value"].iter().any(|made| path.starts_with(made));
    (header.count > 1 && address.leads_to_one() && !is_made).then(|| match address.to_string().as_str() {
        "." => format!(".[]{path}"),
        address => format!("{address}[]{path}"),
    })
}

/// A place as it is written in full, and as its last key alone.
pub(super) fn names(place: &Path) -> Vec<String> {
    let last = Path(place.0.last().cloned().into_iter().collect());
    let mut names = vec![place.to_string(), last.to_string()];
    names.dedup();
    names
}

/// What to run instead of a filter that goes to the records by their place in the document.
pub(super) fn remark(sample: &Sample<'_>, asked: &Extract, header: &Header, filter: &str) -> Option<String> {
    let place = place(header)?;
    let named = names(place).into_iter().flat_map(|name| candidates(filter.trim(), &name));
    let (query, slurps) = named.into_iter().find(|(query, slurps)| {
        let run = Extract { query: Some(query.clone()), slurp: Some(*slurps), raw: None, ..asked.clone() };
        sample.finds(&run)
    })?;
    let slurping = if slurps { " with `slurp`" } else { "" };
    let call = match query.len() <= MOST_FILTER_BYTES {
        true => format!("run the query `{query}`{slurping}"),
        false => format!("leave `{place}` out, and go on{slurping}"),
    };
    Some(format!("the records are the value at `{place}` of the document: {call}, or this one `on` \"document\""))
}

/// Filters of the records that could do the same, and whether they are run once on all records.
fn candidates(filter: &str, place: &str) -> Vec<(String, bool)> {
    let mut all = Vec::new();
    if let Some(rest) = filter.strip_prefix(place).filter(|rest| !goes_on(rest)) {
        let rest = rest.trim_start();
        match (rest.strip_prefix("[]"), rest.strip_prefix('|')) {
            (Some(each), _) => {
                let each = each.trim_start_matches('?').trim_start();
                all.push((each_of(each), false));
            }
            (None, Some(then)) => all.push((then.trim().to_owned(), true)),
            (None, None) if rest.is_empty() => all.push((".".to_owned(), false)),
            (None, None) => all.push((format!(".{rest}"), true)),
        }
    }
    let replaced = replaced(filter, place);
    if replaced != filter {
        all.push((replaced, true));
    }
    all
}

/// The filter of each element after `.results[]`.
fn each_of(rest: &str) -> String {
    match rest.strip_prefix('|') {
        Some(then) => then.trim().to_owned(),
        None if rest.is_empty() => ".".to_owned(),
        None if rest.starts_with('[') => format!(".{rest}"),
        None => rest.to_owned(),
    }
}

/// The filter with all records in place of the list.
fn replaced(filter: &str, place: &str) -> String {
    let mut text = String::new();
    let mut rest = filter;
    while let Some(at) = rest.find(place) {
        let after = &rest[at + place.len()..];
        text.push_str(&rest[..at]);
        let is_inside = text.ends_with(|c: char| c.is_alphanumeric() || "_\"])".contains(c));
        text.push_str(if is_inside || goes_on(after) { place } else { "." });
        rest = after;
    }
    text + rest
}

/// True if a name continues here.
fn goes_on(rest: &str) -> bool {
    rest.starts_with(|c: char| c.is_alphanumeric() || c == '_')
}

/// A remark on the value at a path outside the records: the value, or how to get it.
pub(super) fn beside(header: &Header, path: &[String]) -> Option<String> {
    let frame = header.lro.document.as_ref().filter(|frame| frame.form == Form::Object)?;
    if let Some(list) = frame.lists.iter().find(|list| list.path.0 == path) {
        let file = list.file.as_ref()?;
        return Some(format!("`{}` is a list of its own, in the file `{file}`", list.path));
    }
    let document = around(header)?;
    let (place, value) =
        [path].into_iter().chain(within(&document, path).iter().map(Vec::as_slice)).find_map(|path| {
            let value = path.iter().try_fold(&document, |value, key| value.get(key))?;
            Some((Path(path.to_vec()), value))
        })?;
    let text = value.to_string();
    Some(match value {
        Value::Array(_) | Value::Object(_) => {
            format!("`{place}` is in the document, outside the records: pass `records` \"{place}\"")
        }
        _ if text.len() <= SAID_BYTES => format!("`{place}` is in the document, outside the records: {text}"),
        _ => format!("`{place}` is in the document, outside the records: pass `records` \"{place}\""),
    })
}

/// What to say of the other lists of a document, which may have what these records lack; empty if there are none.
pub(super) fn other_lists(header: &Header) -> String {
    let lists = header.lro.document.iter().flat_map(|frame| &frame.lists).filter(|list| list.file.is_some());
    let lists: Vec<String> = lists.take(MOST_LISTS).map(|list| list.path.to_string()).collect();
    match &lists[..] {
        [] => String::new(),
        [list] => format!("; those of `{list}` are another list: pass `records` {}", quote(list)),
        [first, ..] => format!(
            "; the document has other lists, {}: pass `records` {} for the first",
            lists.iter().map(|list| format!("`{list}`")).collect::<Vec<_>>().join(", "),
            quote(first)
        ),
    }
}

/// The same path below the objects that a document has.
fn within(document: &Value, path: &[String]) -> Vec<Vec<String>> {
    let objects = document.as_object().into_iter().flatten().filter(|(_, value)| value.is_object());
    objects.map(|(key, _)| std::iter::once(key).chain(path).cloned().collect()).collect()
}

/// The document with its lists empty.
pub(super) fn around(header: &Header) -> Option<Value> {
    let frame = header.lro.document.as_ref().filter(|frame| frame.form == Form::Object)?;
    if frame.texts().map(str::len).sum::<usize>() > MOST_FRAME_BYTES {
        return None;
    }
    serde_json::from_str(&frame.texts().collect::<String>()).ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::documents::header;

    #[test]
    fn what_is_below_an_address_has_an_address_where_it_is_sure() {
        let rows = [
            (".runs[0].results", 2, ".a", Some(".runs[0].results[].a")),
            ("rel", 2, ".a[].b", Some(".rel[].a[].b")),
            (".", 2, ".a", Some(".[].a")),
            (".[0]", 2, ".a", Some(".[0][].a")),
            (r#".m["1.0"]"#, 2, ".a", Some(r#".m."1.0"[].a"#)),
            // One record, or one of several lists, may be the value itself.
            (".runs[0]", 1, ".a", None),
            (".runs[].tool", 2, ".rules", None),
            (".m[]", 2, ".a", None),
            (".m", 2, ".value", None),
        ];
        for (asked, count, path, expected) in rows {
            let header = header(count, json!({"kind": "records"}));
            assert_eq!(address(&header, Some(asked), path).as_deref(), expected, "{asked} {count} {path}");
        }
    }

    #[test]
    fn a_filter_of_the_document_becomes_one_of_the_records() {
        let rows = [
            (".results[]", ".", false),
            (".results[] | .id", ".id", false),
            (".results[].id", ".id", false),
            (".results[]?.id", ".id", false),
            (".results[0]", ".[0]", true),
            (".results[0:5]", ".[0:5]", true),
            (".results | length", "length", true),
            (".results", ".", false),
            ("[.results[] | select(.a == 1)] | length", "[.[] | select(.a == 1)] | length", true),
        ];
        for (filter, expected, slurps) in rows {
            assert_eq!(candidates(filter, ".results").first(), Some(&(expected.to_owned(), slurps)), "{filter}");
        }
        for filter in [".resultsx[]", ".a.results[]", ".id"] {
            assert_eq!(candidates(filter, ".results"), [], "{filter}");
        }
    }
}
