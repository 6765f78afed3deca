//! What a filter runs on (GATE-15, READ-11): the records, or the document that they came in.
//!
//! A filter that begins with the path of a list is one on the records of that list, so the document need not be put
//! together: `.results[] | f` is `f` on each record, `.results | f` is `f` on the array of all.

use lro_query::json::quote;
use lro_query::{Arena, Elements, Head, Query, Taken};

use crate::error::Error;
use crate::extract::advice::jq_path;
use crate::extract::task;
use crate::file::kind::Kind;
use crate::settings::Settings;
use crate::settings::request::{Extract, Way};

/// The line of the first record.
const FIRST_RECORD: u32 = 2;

/// What a filter on records is told when it fails.
pub const ON_RECORDS: &str = "it ran on each record; `on` \"document\" runs it on the document";

/// The same for one that slurps.
pub const ON_ALL_RECORDS: &str = "it ran on the array of all records; `on` \"document\" runs it on the document";

/// What a filter on records is told where its caller cannot say what it runs on.
pub const EACH_RECORD: &str = "it ran on each record";

/// The same for one that slurps.
pub const ALL_RECORDS: &str = "it ran on the array of all records or lines";

/// Says that a filter ran on the document because it begins with a key that only this has.
pub fn remark_on_key(key: &str) -> String {
    format!("no record has `{}`, so the filter ran on the document, which has it", jq_path(&[key.to_owned()]))
}

/// Says that a filter ran on a document that is a map because it makes no sense for the records, which its values are.
pub const FAILS_ON_RECORDS: &str = "the filter fails on each record, so it ran on the document, which has their keys";

/// Says that a filter ran on all records because it was written for an array.
pub fn remark_on_all(kind: Kind) -> String {
    let records = if kind == Kind::Text { "lines" } else { "records" };
    format!("the filter was written for an array, so it ran on the array of all {records}")
}

/// What a filter on the document is told when it fails. The `list` is where the records of the file were. Only a caller
/// that `has_on` can say what a filter runs on.
pub fn on_document(list: Option<&str>, has_on: bool) -> String {
    let each = match (list, has_on) {
        (Some(list), true) => format!("; begin with `{list}[] | …` for each record, or pass `on` \"records\""),
        (Some(list), false) => format!("; begin with `{list}[] | …` for each record"),
        (None, true) => "; pass `on` \"records\" to run it on each record".to_owned(),
        (None, false) => String::new(),
    };
    format!("it ran on the document{each}")
}

/// What a filter on a list of the document is told when it fails.
pub fn on_list(list: &str, taken: Taken, has_on: bool) -> String {
    let what = match taken {
        Taken::Each | Taken::EachOf(..) => format!("each record of `{list}`"),
        Taken::At(_) => format!("one record of `{list}`"),
        Taken::All | Taken::Slice(..) => format!("the array `{list}`"),
    };
    let otherwise = if has_on { format!("; with `on` \"records\" leave `{list}` out") } else { String::new() };
    format!("it ran on {what} in the document{otherwise}")
}

/// The head of a filter; `None` for one that is not jq, which says so when it is run.
pub fn head_of(filter: &str, settings: &Settings) -> Option<Head> {
    Beginning::of(filter, settings).head
}

/// What a filter does with its input first.
#[derive(Debug, Default)]
pub struct Beginning {
    /// Its head, if it has one.
    pub head: Option<Head>,
    /// The keys of the path that it begins with.
    pub path: Vec<String>,
    /// The keys of its input that it reads, where it begins with no path: those of `{next, total: .page.total}`.
    pub keys: Vec<String>,
    /// What it takes the elements of its input for, if it takes that for an array.
    pub elements: Option<Elements>,
}

impl Beginning {
    /// The beginning of a filter; nothing of one that is not jq.
    pub fn of(filter: &str, settings: &Settings) -> Self {
        // Most filters of records begin with a path too, and most others are not of arrays: the others are not parsed.
        let may_have_path = filter.trim_start().starts_with(['.', '[', '#']);
        let may_have_keys = filter.trim_start().starts_with(['.', '[', '{', '(', '"']);
        if !may_have_path && !may_have_keys && !lro_query::may_be_of_array(filter) {
            return Self::default();
        }
        let arena = Arena::default();
        let Ok(query) = Query::parse(filter, &arena, &settings.limits()) else { return Self::default() };
        let (head, path) = if may_have_path { (query.head(), query.first_path()) } else { Default::default() };
        let has_path = !path.is_empty() || head.as_ref().is_some_and(|head| !head.is_whole());
        let keys = if may_have_keys && !has_path { query.first_keys() } else { Vec::new() };
        Self { head, path, keys, elements: query.elements() }
    }
}

/// A request for the records of a list that asks for the same, or the value to run it on.
#[derive(Debug, Clone)]
pub enum Listed {
    /// Run this on the file of the list.
    Records(Extract),
    /// Run this on a value: the list has no such records.
    Value(&'static str, Extract),
}

/// What a filter with this head asks of a list of `count` records.
///
/// Errors: `invalid-argument` for a line beside a filter that is not about each record.
pub fn listed(request: &Extract, head: &Head, count: u32) -> Result<Listed, Error> {
    let asked = |way: Way| Extract {
        query: Some(head.rest.clone()),
        on: None,
        slurp: None,
        document: Some(way),
        ..request.clone()
    };
    if matches!(head.taken, Taken::Each | Taken::EachOf(..)) && request.line.is_some() {
        // A stub leads back to the line of its record.
        return Ok(Listed::Records(asked(Way::Each)));
    }
    // What is taken of a list is taken of what is selected, which `slurp` says.
    if request.selects_for_a_query() && !matches!(head.taken, Taken::Each | Taken::All) {
        return Err(task::not_on_records());
    }
    without_lines(request)?;
    let from_line = |way: Way, first: u32, lines: u32| {
        Listed::Records(Extract { line: Some(first.saturating_add(FIRST_RECORD)), lines: Some(lines), ..asked(way) })
    };
    Ok(match head.taken {
        Taken::Each => Listed::Records(asked(Way::Each)),
        Taken::All => Listed::Records(asked(Way::Array)),
        Taken::At(place) => match index(place, count) {
            Some(place) => from_line(Way::Record, place, 1),
            None => Listed::Value("null", asked(Way::Document)),
        },
        Taken::Slice(from, to) => match range(from, to, count) {
            Some((first, lines)) => from_line(Way::Array, first, lines),
            None => Listed::Value("[]", asked(Way::Document)),
        },
        Taken::EachOf(from, to) => match range(from, to, count) {
            Some((first, lines)) => from_line(Way::Each, first, lines),
            None => {
                let query = Some(format!(".[] | {}", head.rest));
                Listed::Value("[]", Extract { query, ..asked(Way::Document) })
            }
        },
    })
}

/// The words of a filter that asks for the keys of a map as keys, which records have as values.
const OF_KEYS: [&str; 3] = ["keys", "entries", "has("];

/// True for a filter that asks for the keys of an object as keys.
pub fn asks_for_keys(filter: &str) -> bool {
    OF_KEYS.iter().any(|word| filter.contains(word))
}

/// What a filter with this head asks of a map, as a request for the records that the values of the map have become. The
/// path to the map has so many `keys`, and each record has its own key in the field `name`. `None` for what no record has.
pub fn on_values(request: &Extract, head: &Head, keys: usize, name: &str) -> Option<Extract> {
    let (way, query) = match (&head.path[keys..], head.taken) {
        ([], Taken::Each) => (Way::Each, head.rest.clone()),
        ([], Taken::All) if !asks_for_keys(&head.rest) => (Way::Array, head.rest.clone()),
        ([], Taken::All) => (Way::Array, of_entries(&head.rest, name)?),
        ([key, below @ ..], taken @ (Taken::All | Taken::Each)) => {
            let each = if taken == Taken::Each { "[]" } else { "" };
            let path = format!("{}{each}", jq_path(below));
            let path = if path.starts_with('[') { format!(".{path}") } else { path };
            let select = format!("select({} == {})", jq_path(&[name.to_owned()]), quote(key));
            let parts = [select, path, head.rest.clone()];
            let parts: Vec<&str> =
                parts.iter().map(|part| part.trim()).filter(|part| !matches!(*part, "" | ".")).collect();
            (Way::Each, parts.join(" | "))
        }
        _ => return None,
    };
    Some(Extract { query: Some(query), on: None, slurp: None, document: Some(way), part: None, ..request.clone() })
}

/// A filter on the entries of a map as one on its records; `None` if it asks for more than their keys and fields.
fn of_entries(filter: &str, name: &str) -> Option<String> {
    let rest = filter.trim_start().strip_prefix("to_entries")?.trim_start();
    let rest = rest.strip_prefix('|').map_or_else(|| format!(".{rest}"), |rest| rest.trim_start().to_owned());
    let own = [(".value.", "."), (".value[", ".["), (".key", &jq_path(&[name.to_owned()]))];
    let query = own.iter().fold(rest, |text, (of_entry, of_record)| text.replace(of_entry, of_record));
    (!query.contains(".value") && !asks_for_keys(&query)).then_some(query)
}

/// The place of an element that is counted from the end if the number is negative.
fn index(place: i64, count: u32) -> Option<u32> {
    let place = if place < 0 { place + i64::from(count) } else { place };
    u32::try_from(place).ok().filter(|place| *place < count)
}

/// The first element of a slice, and how many there are; `None` for an empty one.
fn range(from: Option<i64>, to: Option<i64>, count: u32) -> Option<(u32, u32)> {
    let bound = |bound: i64| {
        let bound = if bound < 0 { bound + i64::from(count) } else { bound };
        u32::try_from(bound.max(0)).unwrap_or(count).min(count)
    };
    let (from, to) = (from.map_or(0, bound), to.map_or(count, bound));
    (from < to).then(|| (from, to - from))
}

/// Refuses what makes no sense for a filter on a document.
pub fn check(request: &Extract) -> Result<(), Error> {
    if request.query.is_none() {
        return Err(refused(
            "`on` is \"document\" without a `query`",
            "write a jq filter as `query`; recipes and criteria read records: leave `on` out for them",
        ));
    }
    if request.recipe.is_some() {
        return Err(refused("both `recipe` and `query` are given", "give exactly one of them"));
    }
    if request.selects_for_a_query() {
        return Err(task::not_on_records());
    }
    if request.slurp == Some(true) {
        return Err(refused(
            "`slurp` is given with `on` \"document\"",
            "leave `slurp` out: the filter runs once on the document; or leave `on` out, then it runs on the array of \
             all records",
        ));
    }
    if request.records.is_some() {
        return Err(refused(
            "`records` is given with `on` \"document\"",
            "leave `records` out, and begin the filter with that path",
        ));
    }
    Ok(())
}

/// Refuses lines for a filter that sees the document, or all of a list.
pub fn without_lines(request: &Extract) -> Result<(), Error> {
    match request.line.or(request.lines) {
        None => Ok(()),
        Some(_) => Err(refused(
            "`line` is given, and the filter runs on the document",
            "leave `line` out, or pass `on` \"records\": lines are records",
        )),
    }
}

/// The error of a document that is text.
pub fn of_a_text(notation: Option<&str>) -> Error {
    let kind = notation.map_or_else(String::new, |notation| format!(" ({notation})"));
    refused(
        &format!("`on` is \"document\", and the document is a text{kind}, not JSON"),
        "leave `on` out: the filter then runs on each record or line; or read and search the text itself",
    )
}

fn refused(reason: &str, hint: &str) -> Error {
    Error::invalid_argument(format!("cannot extract: {reason}"), hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_element_and_a_slice_are_those_of_jq() {
        assert_eq!([0, 4, -1, -5].map(|place| index(place, 5)), [Some(0), Some(4), Some(4), Some(0)]);
        assert_eq!([5, -6, i64::from(u32::MAX) + 1].map(|place| index(place, 5)), [None; 3]);
        let rows = [
            (Some(1), Some(3), Some((1, 2))),
            (Some(0), Some(2), Some((0, 2))),
            (Some(2), Some(0), None),
            (None, Some(-1), Some((0, 4))),
            (Some(-2), None, Some((3, 2))),
            (Some(-9), Some(9), Some((0, 5))),
            (Some(3), Some(3), None),
            (Some(7), None, None),
            (None, Some(-9), None),
        ];
        for (from, to, expected) in rows {
            assert_eq!(range(from, to, 5), expected, "{from:?}:{to:?}");
        }
        assert_eq!(range(None, None, 0), None);
    }

    #[test]
    fn a_filter_on_a_map_becomes_one_on_its_records() {
        let rows = [
            (".m[] | .a", Some("Each .a")),
            (".m | map(.a)", Some("Array map(.a)")),
            (".m[\"x.y\"]", Some("Each select(.map_key == \"x.y\")")),
            (".m.x.a[].b | length", Some("Each select(.map_key == \"x\") | .a[] | .b | length")),
            (".m.x[]", Some("Each select(.map_key == \"x\") | .[]")),
            (".m | to_entries[] | select(.value.a > 1) | .key", Some("Array .[] | select(.a > 1) | .map_key")),
            (".m | to_entries | map(.value[\"a\"])", Some("Array map(.[\"a\"])")),
            (".m | to_entries | map(.value)", None),
            (".m | keys | length", None),
            (".m | has(\"x\")", None),
            (".m[0]", None),
        ];
        for (filter, expected) in rows {
            let head = head_of(filter, &Settings::default()).unwrap();
            let request = on_values(&Extract::default(), &head, 1, "map_key");
            let said = request.map(|asked| format!("{:?} {}", asked.document.unwrap(), asked.query.unwrap()));
            assert_eq!(said.as_deref(), expected, "{filter}");
        }
    }

    #[test]
    fn a_filter_on_a_list_becomes_one_on_its_records() {
        let rows = [
            (".l[] | .a", "records Each .a None None"),
            (".l | length", "records Array length None None"),
            (".l[1] | .a", "records Record .a Some(3) Some(1)"),
            (".l[9] | .a", "value null Document .a None None"),
            (".l[1:3] | length", "records Array length Some(3) Some(2)"),
            (".l[3:3] | length", "value [] Document length None None"),
            (".l[1:3][] | .a", "records Each .a Some(3) Some(2)"),
            (".l[7:][] | .a", "value [] Document .[] | .a None None"),
        ];
        for (filter, expected) in rows {
            let json = serde_json::json!({"query": filter, "on": "document", "slurp": true}).to_string();
            let (request, head) = (Extract::parse(&json).unwrap(), head_of(filter, &Settings::default()).unwrap());
            let (what, asked) = match listed(&request, &head, 5).unwrap() {
                Listed::Records(asked) => ("records".to_owned(), asked),
                Listed::Value(value, asked) => (format!("value {value}"), asked),
            };
            let Extract { document: Some(way), query: Some(query), line, lines, on: None, slurp: None, .. } = asked
            else {
                panic!("{asked:?}")
            };
            assert_eq!(format!("{what} {way:?} {query} {line:?} {lines:?}"), expected, "{filter}");
        }
        let with_line = |filter: &str| {
            let json = serde_json::json!({"query": filter, "line": 4}).to_string();
            listed(&Extract::parse(&json).unwrap(), &head_of(filter, &Settings::default()).unwrap(), 5).is_ok()
        };
        // A line is one of the records, not of an array.
        assert_eq!(
            [".l[] | .a", ".l[1:3][] | .a", ".l | length", ".l[1] | .a"].map(with_line),
            [true, true, false, false]
        );
    }
}
