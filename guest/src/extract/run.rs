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
    let strict = request.strict == Some(true);
    let input = Opened(&again, form);
    let limits = task::limits(request, settings);
    let (arena, bounds, variables) = (Arena::default(), settings.limits(), &task.variables);
    let continuation = task::continuation(request, &task)?;
    let query = Query::parse(task.filter(), &arena, &bounds);
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
    } else if is_first && is_whole {
        let found = search.remarks(&page, records);
        if !found.is_empty() {
            page.remarks = found;
        }
    }
    page.remarks.extend(differs);
    // Programs know that a missing parameter is the literal (decision 20); a model forgets it.
    page.remarks.extend(task.untold().filter(|_| is_first && request.stubs).map(str::to_owned));
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
        if let Some(first) = page.failures.first_mut() {
            first.hint = asked.noted(std::mem::take(&mut first.hint));
        }
        if looks_odd {
            page.remarks = asked.remarks(&fields, &page);
        }
    }
    Ok(page)
}
