//! The first records of a file, which decide what a filter runs on whose caller does not say it.
//!
//! Each page and each part of a file looks at the same bytes, so that all of them decide alike.

use std::io::BufRead;

use lro_query::{Arena, Elements, Error as Cause, Form, Input, On, Opened, PageLimits, Position, Scope};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::extract::look::value_of;
use crate::extract::task;
use crate::file::header::Header;
use crate::file::kind::Kind;
use crate::recipes;
use crate::settings::Settings;
use crate::settings::request::Extract;

/// So much of a list is looked at.
const SAMPLE_BYTES: u64 = 128 << 10;
const SAMPLE_RECORDS: usize = 100;

/// True if some of the first records have a value on this path; what lies in a list on the way counts as had.
pub fn have(path: &[String], records: impl BufRead) -> bool {
    values(records).any(|record| {
        let mut value = &record;
        for (depth, key) in path.iter().enumerate() {
            match value.get(key) {
                Some(inner) => value = inner,
                None => return depth > 0 && value.is_array(),
            }
        }
        true
    })
}

/// True if some of the first records have one of these fields.
pub fn have_any(fields: &[impl AsRef<str>], records: impl BufRead) -> bool {
    values(records).any(|record| fields.iter().any(|field| record.get(field.as_ref()).is_some()))
}

fn values(records: impl BufRead) -> impl Iterator<Item = Value> {
    let lines = records.take(SAMPLE_BYTES).split(b'\n').take(SAMPLE_RECORDS);
    lines.map_while(Result::ok).filter_map(|line| value_of(&line))
}

/// True if a filter that takes its input for an array means the first records by its elements, though it runs on each of
/// them: they have keys that it reads, and no member of theirs has one. Some of all members are never meant.
pub fn are_elements(elements: &Elements, records: impl BufRead) -> bool {
    if elements.keys.is_empty() && !elements.takes_some {
        return false;
    }
    let has_key = |value: &Value| elements.keys.iter().any(|key| value.get(key).is_some());
    let (mut have_keys, mut are_objects) = (false, true);
    for record in values(records) {
        let Value::Object(members) = &record else {
            are_objects = false;
            continue;
        };
        if members.values().any(has_key) {
            return false;
        }
        have_keys |= has_key(&record);
    }
    have_keys || elements.keys.is_empty() && are_objects
}

/// A filter on the first records.
pub struct Tried<'a> {
    /// The filter, and its variables.
    pub request: &'a Extract,
    /// The header of the file.
    pub header: &'a Header,
    /// What bounds it.
    pub settings: &'a Settings,
}

impl Tried<'_> {
    /// True if the filter fails on each of the first records.
    pub fn fails(&self, records: impl BufRead) -> bool {
        self.failing(records).is_some()
    }

    /// True if the filter fails on each of the first records, and may be one on the array of all. Only on records that are
    /// arrays it has to succeed there: of what else fails, the array's failure is the one to tell.
    pub fn is_for_all(&self, records: impl BufRead) -> bool {
        self.failing(records).is_some_and(|sample| {
            let has_arrays = sample.split(|byte| *byte == b'\n').any(|line| line.trim_ascii_start().starts_with(b"["));
            !has_arrays || self.run(&sample, true) == Some(Ran::Through)
        })
    }

    /// The first records, if the filter fails on each.
    fn failing(&self, records: impl BufRead) -> Option<Vec<u8>> {
        let form = self.form();
        // The last line may be cut off.
        let is_whole = |line: &Vec<u8>| form == Form::Text || serde_json::from_slice::<&RawValue>(line).is_ok();
        let lines = records.take(SAMPLE_BYTES).split(b'\n').take(SAMPLE_RECORDS).map_while(Result::ok);
        let mut sample = Vec::new();
        let mut lines = lines.filter(is_whole);
        // Most filters that succeed on some record do on the first one.
        sample.extend(lines.next()?);
        sample.push(b'\n');
        let fails = |sample: &[u8]| self.run(sample, false) == Some(Ran::FailedOnEach);
        if !fails(&sample) {
            return None;
        }
        let first = sample.len();
        for line in lines {
            sample.extend(line);
            sample.push(b'\n');
        }
        (sample.len() == first || fails(&sample)).then_some(sample)
    }

    fn form(&self) -> Form {
        if self.header.lro.kind == Kind::Text { Form::Text } else { Form::Json }
    }

    /// How the filter ran on these records; `None` if it is not a valid filter.
    fn run(&self, sample: &[u8], slurps: bool) -> Option<Ran> {
        let set = recipes::set(&self.header.lro, self.header.detail);
        let asked = Extract {
            query: self.request.query.clone(),
            params: self.request.params.clone(),
            slurp: Some(slurps),
            ..Extract::default()
        };
        let task = task::task(&asked, &set).ok()?;
        let open = |offset| sample.open(offset);
        let (arena, bounds, input) = (Arena::default(), self.settings.limits(), Opened(&open, self.form()));
        let query = task.parsed(&arena, &bounds).ok()?;
        let scope = Scope::all(Position { offset: 0, line: 1, skip: 0, before: 0 });
        let limits = PageLimits { results: Some(1), ..PageLimits::default() };
        let ran = lro_query::run(task.program(&query), &task.variables, &input, scope, limits, false, &bounds);
        Some(match ran {
            Ok(_) => Ran::Through,
            Err(Cause::Failed { on: On::EveryRecord(_), .. }) => Ran::FailedOnEach,
            Err(_) => Ran::Otherwise,
        })
    }
}

/// How a filter ran.
#[derive(Debug, PartialEq, Eq)]
enum Ran {
    /// It did not fail, or not everywhere.
    Through,
    /// It failed on each record.
    FailedOnEach,
    /// It could not run, or failed on all of them.
    Otherwise,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_counts_where_some_of_the_first_records_have_it() {
        let records = "{\"a\":{\"b\":1}}\n[2]\n{\"b\":null,\"c\":[{\"d\":1}]}\n";
        let rows =
            [("b", true), ("a", true), ("d", false), ("a.b", true), ("a.c", false), ("b.c", false), ("c.x", true)];
        for (path, expected) in rows {
            let keys: Vec<String> = path.split('.').map(str::to_owned).collect();
            assert_eq!(have(&keys, records.as_bytes()), expected, "{path}");
            assert!(!have(&keys, "".as_bytes()));
        }
    }

    #[test]
    fn records_are_the_elements_that_a_filter_means() {
        let commits = "{\"commit\":{\"n\":1}}\n{\"commit\":{\"n\":2}}\n";
        let rows = [
            ("map(.commit.n) | add", commits, true),
            (".[] | select(.commit.n == 1)", commits, true),
            // No record has it, and no member either.
            ("map(.x)", commits, false),
            ("map(.n) | add", commits, false),
            // Members of records may have it as well.
            ("map(.id)", "{\"id\":1,\"a\":{\"id\":2}}\n", false),
            ("map(select(type == \"object\") | .id)", "\"a remark\"\n{\"id\":1}\n", true),
            ("first(.[])", commits, true),
            ("first(.[])", "[1]\n[2]\n", false),
            ("add", "{\"a\":1}\n", false),
        ];
        for (filter, records, expected) in rows {
            let arena = Arena::default();
            let query = lro_query::Query::parse(filter, &arena, &lro_query::Limits::default()).unwrap();
            let elements = query.elements().unwrap();
            assert_eq!(are_elements(&elements, records.as_bytes()), expected, "{filter} on {records}");
        }
    }

    /// Whether a filter fails on each record, and whether it is for all of them.
    fn tried(kind: &str, query: &str, records: &str) -> (bool, bool) {
        let header = r#"{"type":"lro_header","operation":"x","query":null,"count":3,"schema_version":"1.0.0","timestamp":"","estimated_tokens":9,"detail":"full","lro":{"kind":"KIND"}}"#;
        let header = Header::parse(header.replace("KIND", kind).as_bytes(), "lro_header").unwrap();
        let json =
            serde_json::json!({"query": query, "on": "document", "next": "x", "part": {"from": 9}, "where": ["z=1"]});
        let request = Extract::parse(&json.to_string()).unwrap();
        let tried = Tried { request: &request, header: &header, settings: &Settings::default() };
        (tried.fails(records.as_bytes()), tried.is_for_all(records.as_bytes()))
    }

    #[test]
    fn a_filter_that_fails_on_each_of_the_first_records_is_recognised() {
        let rows = [
            (".[0]", "{\"a\":1}\n{\"a\":2}\n", true),
            (".[0]", "{\"a\":1}\n[2]\n", false),
            (".a", "{\"a\":1}\n{\"a\":2}\n", false),
            (".[0]", "[1]\n{\"a\":", false),
            (".[0]", "{\"a\":1}\n[2", true),
            (".[0", "{\"a\":1}\n", false),
            (".[0]", "", false),
        ];
        for (query, records, expected) in rows {
            assert_eq!(tried("records", query, records).0, expected, "{query} on {records}");
        }
    }

    #[test]
    fn a_filter_for_all_records_fails_on_each_and_succeeds_on_all_where_these_are_arrays() {
        let objects = "{\"id\":1,\"s\":\"a\"}\n{\"id\":2,\"s\":\"b\"}\n";
        let rows = [
            ("records", "map(.id)", objects, true),
            ("records", "group_by(.s) | map(.[0].s)", objects, true),
            // It fails there too, and the failure is about an element.
            ("records", "map(.s | contains([1]))", objects, true),
            ("records", "map(tostring)", objects, false),
            ("records", "add", "{\"a\":1,\"b\":2}\n", false),
            ("records", "add", "1\n2\n", true),
            ("records", ".[0] | test(\"a\")", "[1]\n[2]\n", false),
            ("records", "map(.[0].id)", "[1]\n[2]\n", false),
            ("records", "map(.[0] + 1)", "[1]\n[2]\n", true),
            ("text", "map(select(test(\"a\"))) | length", "a line\nanother", true),
            ("text", ".[0:5]", "a line\nanother", false),
        ];
        for (kind, query, records, expected) in rows {
            assert_eq!(tried(kind, query, records).1, expected, "{query} on {records}");
        }
    }
}
