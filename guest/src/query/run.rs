//! A program on the lines of a file, in each of its shapes.

use std::io::Read;
use std::ops::Range;

use super::filter::{Filter, compile};
use super::lines::Lines;
use super::page::{Added, Limits, Page, Position};
use super::values::{Value, members, parse};
use super::writer::{write_projection, write_result};
use super::{Program, Shape};
use crate::error::{Error, Problem};
use crate::settings::Settings;

/// So many failed records are named; the others are counted.
const MOST_FAILURES: usize = 5;

/// A longer line is not looked at: it would fill the memory.
const MOST_LINE_BYTES: usize = 512 * 1024 * 1024;

/// A record that a filter failed on, or that is not JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// Its line in the file.
    pub line: u32,
    /// Why.
    pub message: String,
}

/// A page, and how it ended.
#[derive(Debug)]
pub struct Outcome {
    /// The page.
    pub page: Page,
    /// Where the next one begins, when there is one.
    pub next: Option<Position>,
    /// How many results there are in all, where that is known.
    pub total: Option<u32>,
    /// How many records failed.
    pub failed: u32,
    /// The first of them.
    pub failures: Vec<Failure>,
}

/// Runs a program on the lines of `input`, whose first byte stands at `start.offset` in its file.
pub fn run(
    program: Program<'_>,
    variables: &[(String, Value)],
    input: impl Read,
    start: Position,
    limits: Limits,
    strict: bool,
    settings: &Settings,
) -> Result<Outcome, Error> {
    let filter = compile(program.filter, variables, settings)?;
    let run = Run {
        filter: &filter,
        program,
        settings,
        strict,
        start,
        page: Page::new(limits),
        records: 0,
        failed: 0,
        failures: Vec::new(),
    };
    let lines = Lines::new(input, start.offset);
    match program.shape {
        Shape::Each | Shape::Select | Shape::Project => run.stream(lines),
        Shape::Sort { descending } => run.sort(lines, descending),
        Shape::All => run.all(lines),
    }
}

struct Run<'a> {
    filter: &'a Filter,
    program: Program<'a>,
    settings: &'a Settings,
    strict: bool,
    start: Position,
    page: Page,
    records: u32,
    failed: u32,
    failures: Vec<Failure>,
}

impl Run<'_> {
    /// One record at a time.
    fn stream(mut self, mut lines: Lines<impl Read>) -> Result<Outcome, Error> {
        let mut line = self.start.line;
        while let Some(record) = lines.next(MOST_LINE_BYTES).map_err(unreadable)? {
            let here = Position { offset: record.offset, line, skip: 0, before: 0 };
            if self.page.is_chunk() {
                return self.ended(Some(here), None);
            }
            line += 1;
            if record.bytes.is_empty() {
                continue;
            }
            let skip = if here.offset == self.start.offset { self.start.skip } else { 0 };
            if let Some(taken) = self.record(record.bytes, here.line, skip)? {
                return self.ended(Some(Position { skip: taken, ..here }), None);
            }
        }
        let total = self.start.before.checked_add(self.page.count);
        self.ended(None, total)
    }

    /// Puts the results of one record on the page, but for the first `skip`. Answers how many of them were taken in all
    /// when the page is full.
    fn record(&mut self, bytes: &[u8], line: u32, skip: u32) -> Result<Option<u32>, Error> {
        self.records += 1;
        if self.program.shape == Shape::Project {
            return self.project(bytes, line);
        }
        let value = match self.value(bytes) {
            Ok(value) => value,
            Err(message) => return self.fail(line, message).map(|()| None),
        };
        let mut taken = 0;
        let filter = self.filter;
        for output in filter.run(value) {
            let output = match output {
                Ok(output) => output,
                Err(message) => return self.fail(line, message).map(|()| None),
            };
            let selects = self.program.shape == Shape::Select;
            if selects && matches!(output, Value::Null | Value::Bool(false)) {
                continue;
            }
            if taken < skip {
                taken += 1;
                continue;
            }
            let added = self.page.add(|out| match selects {
                true => out.extend(bytes),
                false => write_result(out, &output, self.program.raw),
            })?;
            if added == Added::No {
                return Ok(Some(taken));
            }
            taken += 1;
        }
        Ok(None)
    }

    /// A record reduced to the keys that are read: at most one result.
    fn project(&mut self, bytes: &[u8], line: u32) -> Result<Option<u32>, Error> {
        let keys = self.program.reads.unwrap_or_default();
        match text(bytes).and_then(|text| members(text, keys)) {
            Ok(None) => Ok(None),
            Ok(Some(members)) => match self.page.add(|out| write_projection(out, keys, &members))? {
                Added::Yes => Ok(None),
                Added::No => Ok(Some(0)),
            },
            Err(message) => self.fail(line, message).map(|()| None),
        }
    }

    /// The records by their keys. They are kept as bytes, in one buffer.
    fn sort(mut self, mut lines: Lines<impl Read>, descending: bool) -> Result<Outcome, Error> {
        let mut kept: Vec<u8> = Vec::new();
        let mut keyed: Vec<(Vec<Value>, Range<usize>)> = Vec::new();
        let mut line = self.start.line;
        while let Some(record) = lines.next(MOST_LINE_BYTES).map_err(unreadable)? {
            line += 1;
            if record.bytes.is_empty() {
                continue;
            }
            self.records += 1;
            let key = self.value(record.bytes).and_then(|value| self.filter.run(value).collect());
            match key {
                Ok(key) => {
                    let begin = kept.len();
                    kept.extend(record.bytes);
                    keyed.push((key, begin..kept.len()));
                }
                Err(message) => self.fail(line - 1, message)?,
            }
        }
        keyed.sort_by(|(a, _), (b, _)| a.cmp(b));
        if descending {
            // As in jq's `sort_by(…) | reverse`, equals too stand the other way round.
            keyed.reverse();
        }
        let total = keyed.len();
        let results = keyed.into_iter().map(|(_, range)| &kept[range]);
        self.slice(total, results, |out, record| out.extend(record))
    }

    /// All records at once.
    fn all(mut self, mut lines: Lines<impl Read>) -> Result<Outcome, Error> {
        let mut values = Vec::new();
        let mut line = self.start.line;
        while let Some(record) = lines.next(MOST_LINE_BYTES).map_err(unreadable)? {
            line += 1;
            if record.bytes.is_empty() {
                continue;
            }
            self.records += 1;
            match self.value(record.bytes) {
                Ok(value) => values.push(value),
                Err(message) => self.fail(line - 1, message)?,
            }
        }
        let set = values.into_iter().collect::<Value>();
        let outputs: Result<Vec<Value>, String> = self.filter.run(set).collect();
        let mut outputs = outputs.map_err(|message| {
            Error::invalid_query(
                format!("the filter failed on the whole set: {message}"),
                "guard against null and other types, for example with `.field // \"\"`",
            )
        })?;
        if let [Value::Array(values)] = &mut outputs[..] {
            outputs = std::mem::take(std::rc::Rc::make_mut(values));
        }
        let raw = self.program.raw;
        self.slice(outputs.len(), outputs.iter(), |out, value| write_result(out, value, raw))
    }

    /// The page of a set of results that is known whole.
    fn slice<T>(
        mut self,
        total: usize,
        results: impl Iterator<Item = T>,
        write: impl Fn(&mut Vec<u8>, T),
    ) -> Result<Outcome, Error> {
        let first = self.start.skip;
        let total = u32::try_from(total).unwrap_or(u32::MAX);
        for (index, result) in (first..).zip(results.skip(first as usize)) {
            if self.page.add(|out| write(out, result))? == Added::No {
                let next = Position { skip: index, ..self.start };
                return self.ended(Some(next), Some(total));
            }
        }
        self.ended(None, Some(total))
    }

    fn value(&self, bytes: &[u8]) -> Result<Value, String> {
        parse(text(bytes)?, self.program.reads, self.settings.max_record_nesting)
    }

    fn fail(&mut self, line: u32, message: String) -> Result<(), Error> {
        if self.strict {
            return Err(Error::invalid_query(
                format!("the filter failed on line {line}: {message}"),
                "leave out strict to get the results of the other records",
            ));
        }
        self.failed += 1;
        if self.failures.len() < MOST_FAILURES {
            self.failures.push(Failure { line, message });
        }
        Ok(())
    }

    fn ended(self, next: Option<Position>, total: Option<u32>) -> Result<Outcome, Error> {
        let before = self.start.before;
        if self.failed > 0 && self.failed == self.records && self.page.count == 0 && before == 0 && next.is_none() {
            let Failure { line, message } = &self.failures[0];
            return Err(Error::invalid_query(
                format!("the filter failed on every record; the first is line {line}: {message}"),
                "look at a record with `limit` 1 and the query `.`, then name fields that exist",
            ));
        }
        let next = next.map(|next| Position { before: before.saturating_add(self.page.count), ..next });
        Ok(Outcome { next, total, failed: self.failed, failures: self.failures, page: self.page })
    }
}

fn text(bytes: &[u8]) -> Result<&str, String> {
    std::str::from_utf8(bytes).map_err(|error| format!("not valid UTF-8: {error}"))
}

fn unreadable(error: std::io::Error) -> Error {
    Error::Io(Problem::new(format!("cannot read the file: {error}"), "offload the result again"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "{\"a\":2,\"b\": 1.0}\n{\"a\":1,\"b\":\"x\"}\n\nnot json\n{\"a\":2}\n";

    fn program(filter: &'static str, shape: Shape) -> Program<'static> {
        Program { filter, shape, reads: None, raw: false }
    }

    fn from(program: Program<'_>, start: Position, limits: Limits) -> Outcome {
        let rest = &FILE[usize::try_from(start.offset).unwrap()..];
        run(program, &[], rest.as_bytes(), start, limits, false, &Settings::default()).unwrap()
    }

    const START: Position = Position { offset: 0, line: 2, skip: 0, before: 0 };

    fn results(outcome: &Outcome) -> &str {
        std::str::from_utf8(&outcome.page.text).unwrap()
    }

    #[test]
    fn each_shape_gives_its_results() {
        let rows = [
            (".a, .b", Shape::Each, "2\n1.0\n1\n\"x\"\n2\nnull\n"),
            (
                ".a == 2, .b",
                Shape::Select,
                "{\"a\":2,\"b\": 1.0}\n{\"a\":2,\"b\": 1.0}\n{\"a\":1,\"b\":\"x\"}\n{\"a\":2}\n",
            ),
            (".a", Shape::Sort { descending: false }, "{\"a\":1,\"b\":\"x\"}\n{\"a\":2,\"b\": 1.0}\n{\"a\":2}\n"),
            (".a", Shape::Sort { descending: true }, "{\"a\":2}\n{\"a\":2,\"b\": 1.0}\n{\"a\":1,\"b\":\"x\"}\n"),
            ("length", Shape::All, "3\n"),
            ("map(.a) | unique", Shape::All, "1\n2\n"),
            ("[[1]], 2", Shape::All, "[[1]]\n2\n"),
        ];
        for (filter, shape, expected) in rows {
            let outcome = from(program(filter, shape), START, Limits::default());
            assert_eq!(results(&outcome), expected, "{filter}");
            assert_eq!(outcome.total, Some(outcome.page.count));
            assert_eq!((outcome.failed, outcome.failures[0].line), (1, 5), "the line that is not JSON");
        }
    }

    #[test]
    fn a_projection_keeps_the_bytes_of_its_values() {
        let project = Program { filter: ".", shape: Shape::Project, reads: Some(&["b", "a"]), raw: false };
        let outcome = from(project, START, Limits::default());
        assert_eq!(results(&outcome), "{\"b\":1.0,\"a\":2}\n{\"b\":\"x\",\"a\":1}\n{\"b\":null,\"a\":2}\n");
    }

    #[test]
    fn pages_put_together_are_the_whole() {
        let shapes = [(".a, .b", Shape::Each), (".a", Shape::Sort { descending: true }), ("map(.a)", Shape::All)];
        for (filter, shape) in shapes {
            let whole = from(program(filter, shape), START, Limits::default());
            for most in 1..=4 {
                let limits = Limits { results: Some(most), ..Limits::default() };
                let (mut start, mut pages) = (START, String::new());
                let total = loop {
                    let outcome = from(program(filter, shape), start, limits);
                    pages.push_str(results(&outcome));
                    match outcome.next {
                        Some(next) => start = Position::from_token(&next.to_token()).unwrap(),
                        None => break outcome.total,
                    }
                };
                assert_eq!(pages, results(&whole), "{filter} by {most}");
                assert_eq!(total, whole.total);
            }
        }
    }

    #[test]
    fn a_chunk_ends_between_records() {
        let limits = Limits { chunk_bytes: Some(1), ..Limits::default() };
        let first = from(program(".a, .b", Shape::Each), START, limits);
        assert_eq!(results(&first), "2\n1.0\n");
        let second = from(program(".a, .b", Shape::Each), first.next.unwrap(), limits);
        assert_eq!(results(&second), "1\n\"x\"\n");
    }

    #[test]
    fn strict_fails_on_the_first_and_all_failing_is_an_error() {
        let strict =
            run(program(".a", Shape::Each), &[], FILE.as_bytes(), START, Limits::default(), true, &Settings::default());
        assert!(strict.unwrap_err().message().contains("line 5"));
        let all = run(
            program(".a.c", Shape::Each),
            &[],
            FILE.as_bytes(),
            START,
            Limits::default(),
            false,
            &Settings::default(),
        );
        assert!(all.unwrap_err().message().contains("failed on every record; the first is line 2"));
    }
}
