//! Extraction from an open file: a page of results, with advice on what looks wrong.

use std::io::{self, BufRead, Read};

use lro_query::{Arena, End, Form, On, Opened, Outcome, Position, Query};

use crate::error::Error;
use crate::extract::advice::{AskedFilter, Fields, Search, explained};
use crate::extract::page::Page;
use crate::extract::{line, task};
use crate::file::completeness;
use crate::file::kind::Kind;
use crate::file::reading::{cannot_open, header_of};
use crate::recipes;
use crate::settings::Settings;
use crate::settings::request::{self, Way};

/// At most this many lines of text are listed by number: with so few matches, a reader may want the lines around them.
const MOST_NUMBERS: usize = 20;

/// The line that stands for a document in failures: that of the header, which has what is around the records.
const DOCUMENT_LINE: u32 = 1;

/// Extracts from what `open` opens at a byte offset. The `note` says what a filter runs on, for hints on its failure.
pub fn extract_from<R: BufRead>(
    name: &str,
    open: impl Fn(u64) -> Result<R, Error>,
    request: &request::Extract,
    settings: &Settings,
    note: &str,
) -> Result<Page, Error> {
    let (header, header_bytes) = header_of(name, open(0)?, settings)?;
    let set = recipes::set(&header.lro, header.detail);
    let form = if header.lro.kind == Kind::Text { Form::Text } else { Form::Json };
    // A text has no document for a filter, and criteria are not one.
    let note = if form == Form::Text || request.query.is_none() { "" } else { note };
    let is_document = request.document == Some(Way::Document);
    let task = match request.reads_lines() {
        true => task::lines(request, form == Form::Text),
        false => task::task(request, &set)?,
    };
    let range = line::range(request, header_bytes, || open(header_bytes))?;
    let again = |offset| {
        let input = open(offset).map_err(io::Error::other)?;
        Ok(match range {
            Some(range) => Box::new(range.bound(input, offset)) as Box<dyn BufRead>,
            None => Box::new(input),
        })
    };
    let front = Position { offset: header_bytes, line: 2, skip: 0, before: 0 };
    let front = range.map_or(front, |range| range.first);
    let scope = task::scope(request, range.is_none(), front, |offset| byte_of(open(offset - 1).ok()?))?;
    // What is made of all of them begins with the first.
    let begins_in_front = task.slurps() || request.counts_results() || is_document;
    let is_beyond = range.is_some_and(|range| scope.start.offset >= range.until);
    if request.next.is_some() && (is_beyond || begins_in_front && scope.start.offset != front.offset) {
        return Err(task::of_another_call());
    }
    let strict = request.strict == Some(true);
    let input = Opened(&again, form);
    let limits = task::limits(request, settings);
    let (arena, bounds, variables) = (Arena::default(), settings.limits(), &task.variables);
    let continuation = task::continuation(request, &task)?;
    let query = task.parsed(&arena, &bounds);
    let run = |query: &Query<'_>| {
        let program = task.program(query);
        let answer = match &continuation {
            Some(continuation) => lro_query::go_on(continuation, program, variables, &input, scope, limits, &bounds),
            None => lro_query::run(program, variables, &input, scope, limits, strict, &bounds),
        };
        answer.map_err(|error| if is_document { of_the_document(error) } else { error })
    };
    let (query, mut answer) = match query {
        Ok(query) => {
            let answer = run(&query);
            (Some(query), answer)
        }
        Err(error) => (None, Err(error)),
    };
    if let Ok(outcome) = &mut answer
        && (form != Form::Text || range.is_some() || outcome.page.lines.len() > MOST_NUMBERS)
    {
        outcome.page.lines.clear();
    }
    let is_first = request.next.is_none() && scope.from.is_none();
    // The end of some lines is not that of the file.
    let mut end = answer.as_ref().ok().and_then(|outcome| outcome.end).filter(|_| range.is_none());
    if end.is_none() && range.is_none() && is_first && scope.until.is_some() && answer.is_ok() {
        // The parts of a file do not know of each other: the first one counts for all.
        end = Some(End::of(open(header_bytes)?).map_err(|error| cannot_open(name, &error))?);
    }
    // Every page of a program that looks at the whole set comes to the end; the first one tells.
    let tells = is_first || !task.slurps();
    let differs = end.filter(|_| tells).and_then(|end| completeness::difference(end, &header));
    let fields = || {
        let input = open(header_bytes).ok()?;
        if is_document { Fields::of_document(input).ok() } else { Fields::sample(input).ok() }
    };
    let answer = match task.asked(query.as_ref(), note) {
        // Advice on a file that cannot be read any more does without it.
        Some(asked) => advised(answer, asked, is_first, || fields().unwrap_or_default()),
        None => answer.map(Page::from).map_err(|cause| explained(cause, task.filter())),
    };
    let search = Search { asked: request, header: &header, set: &set, settings };
    let records = || again(header_bytes).ok();
    let mut page = match is_document {
        true => answer?,
        false => answer.map_err(|error| search.mend(error, records))?,
    };
    // A part of a file does not know of the others, which may have what it lacks; with a limit it is asked for itself.
    let is_whole = scope.until.is_none() || task.slurps() || request.limit.is_some();
    if is_document {
        page.failures.iter_mut().for_each(|failure| failure.line = DOCUMENT_LINE);
    } else if !is_whole && page.count == 0 {
        page.remarks.clear();
    } else if is_first {
        let found = search.remarks(&page, records);
        if !found.is_empty() {
            page.remarks = found;
        }
    } else if request.next.is_none() {
        // The parts before may have found nothing.
        page.remarks.extend(search.example(&page));
    }
    page.remarks.extend(differs);
    Ok(page)
}

/// A failure on the only record there is, as one on the document.
fn of_the_document(error: lro_query::Error) -> lro_query::Error {
    match error {
        lro_query::Error::Failed { failure, .. } => lro_query::Error::Failed { on: On::Document, failure },
        error => error,
    }
}

/// The first byte of an input.
fn byte_of(mut input: impl Read) -> Option<u8> {
    let mut byte = [0];
    input.read_exact(&mut byte).ok().map(|()| byte[0])
}

/// An answer with what would mend it. The records are looked at only where that can help.
fn advised(
    answer: Result<Outcome, lro_query::Error>,
    asked: AskedFilter<'_>,
    is_first: bool,
    sample: impl Fn() -> Fields,
) -> Result<Page, Error> {
    let outcome = answer.map_err(|cause| asked.mend(cause, &sample))?;
    let failures: Vec<_> = outcome.failures.iter().map(|record| record.failure.clone()).collect();
    let mut page = Page::from(outcome);
    let looks_odd = is_first && asked.looks_odd(&page);
    if !page.failures.is_empty() || looks_odd {
        let fields = sample();
        for (told, failure) in page.failures.iter_mut().zip(&failures) {
            told.hint = asked.hint(failure, &fields);
        }
        if let (Some(first), Some(failure)) = (page.failures.first_mut(), failures.first()) {
            first.hint = asked.noted(std::mem::take(&mut first.hint), failure);
        }
        if looks_odd {
            page.remarks = asked.remarks(&fields, &page);
        }
    }
    Ok(page)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    /// A file whose header says so many records or lines.
    fn file(kind: &str, count: u32, text: &str) -> String {
        let header = json!({"type": "lro_header", "operation": "list", "query": null, "count": count,
            "schema_version": "1.0.0", "timestamp": "2026-01-01T00:00:00.000Z", "estimated_tokens": 1,
            "detail": "full", "lro": {"kind": kind}});
        format!("{header}\n{text}")
    }

    fn extracted(file: &str, request: &request::Extract) -> Page {
        let open = |offset: u64| Ok(&file.as_bytes()[(offset as usize).min(file.len())..]);
        extract_from("file", open, request, &Settings::default(), "it ran on each record").unwrap()
    }

    fn page(file: &str, request: &Value) -> Page {
        extracted(file, &request::Extract::parse(&request.to_string()).unwrap())
    }

    #[test]
    fn a_few_lines_of_a_text_are_listed_by_number() {
        let lines = |kind: &str, hits: usize, request: Value| {
            let text = format!("\"miss\"\n{}\"miss\"\n", "\"hit\"\n".repeat(hits));
            let asked = request::Extract::parse(&request.to_string()).unwrap();
            extracted(&file(kind, hits as u32 + 2, &text), &request::Extract { stubs: true, ..asked }).lines
        };
        let hit = || json!({"where": ["line~=hit"]});
        assert_eq!(lines("text", 2, hit()), [3, 4]);
        assert_eq!([20, 21].map(|hits| lines("text", hits, hit()).len()), [20, 0]);
        assert_eq!(lines("text", 2, json!({"line": 3, "lines": 2})), [0; 0]);
        assert_eq!(lines("records", 2, json!({"query": "."})), [0; 0]);
    }

    #[test]
    fn a_file_that_was_cut_is_told_once() {
        let records: String = (0..4).map(|n| format!("{{\"n\":{n}}}\n")).collect();
        let file = file("records", 5, &records);
        let middle = file.find("{\"n\":2}").unwrap();
        let rows = [
            (json!({"query": "."}), vec![true]),
            (json!({"query": ".", "limit": 2}), vec![false, true]),
            (json!({"query": ".[]", "slurp": true, "limit": 3}), vec![true, false]),
            (json!({"line": 2, "lines": 9}), vec![false]),
            (json!({"query": ".", "part": {"from": 0, "until": middle}}), vec![true]),
            (json!({"query": ".", "part": {"from": middle}}), vec![false]),
        ];
        for (mut request, expected) in rows {
            let mut told = Vec::new();
            loop {
                let page = page(&file, &request);
                let cut = "the file was cut: it has 4 of 5 records".to_owned();
                told.push(page.remarks.contains(&cut));
                request["next"] = page.next.into();
                if request["next"].is_null() {
                    break;
                }
            }
            assert_eq!(told, expected, "{request}");
        }
    }

    #[test]
    fn nothing_found_is_told_where_all_records_were_looked_at() {
        let records: String = (0..4).map(|n| format!("{{\"n\":{n}}}\n")).collect();
        let file = file("records", 4, &records);
        let middle = file.find("{\"n\":2}").unwrap();
        let rows = [
            (json!({}), true),
            (json!({"part": {"until": middle}}), false),
            (json!({"part": {"from": middle}}), false),
            (json!({"part": {"until": middle}, "limit": 5}), true),
            (json!({"part": {"until": middle}, "count": true}), true),
        ];
        for (mut request, is_told) in rows {
            request["where"] = json!(["n=9"]);
            assert_eq!(!page(&file, &request).remarks.is_empty(), is_told, "{request}");
        }
    }

    #[test]
    fn a_model_is_told_that_a_recipe_ran_with_its_example() {
        let memories: String = (0..4).map(|n| format!("{{\"id\":\"{n}\",\"namespace\":\"_semantic\"}}\n")).collect();
        let file = file("memories", 4, &memories);
        let mut request = request::Extract::parse(r#"{"recipe":2,"limit":3}"#).unwrap();
        let told = |request: &request::Extract| {
            extracted(&file, request).remarks.concat().matches("recipe 2 ran without `namespace`").count()
        };
        assert_eq!(told(&request), 0);
        request.stubs = true;
        assert_eq!(told(&request), 1);
        request.next = extracted(&file, &request).next;
        assert!(request.next.is_some() && told(&request) == 0);
    }

    #[test]
    fn a_part_with_results_tells_of_an_example_and_one_without_does_not() {
        let memories = ["{\"namespace\":\"_other\"}\n", "{\"namespace\":\"_semantic\"}\n"].map(|line| line.repeat(3));
        let file = file("memories", 6, &memories.concat());
        let until = file.find("{\"namespace\":\"_semantic\"}").unwrap();
        let remarks = |request: Value| {
            let asked = request::Extract::parse(&request.to_string()).unwrap();
            extracted(&file, &request::Extract { stubs: true, ..asked }).remarks
        };
        let of_part = |part: Value| remarks(json!({"recipe": 2, "part": part}));
        assert_eq!(of_part(json!({"until": until})), [""; 0]);
        let rest = of_part(json!({"from": until}));
        assert!(rest.len() == 1 && rest == remarks(json!({"recipe": 2})), "{rest:?}");
        assert_eq!(remarks(json!({"where": ["zz=1"], "part": {"until": until}})), [""; 0]);
    }

    #[test]
    fn a_note_is_for_filters_on_records() {
        let hints = |kind: &str| -> String {
            let page = page(&file(kind, 2, "\"{}\"\n{\"a\":1}\n"), &json!({"query": "fromjson | .a"}));
            page.failures.iter().map(|failure| failure.hint.as_str()).collect()
        };
        assert!(hints("records").contains("it ran on each record"), "{}", hints("records"));
        assert!(!hints("text").contains("it ran on each record"), "{}", hints("text"));
    }
}
