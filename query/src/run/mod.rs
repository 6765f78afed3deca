//! A program on the lines of a file: what all shapes have in common.

pub(crate) mod continuation;
mod each;
pub(crate) mod input;
pub(crate) mod lines;
pub(crate) mod page;
pub(crate) mod piece;
pub(crate) mod records;
mod set;
mod stub;
pub(crate) mod trial;
pub(crate) mod write;

use std::cell::{OnceCell, RefCell};
use std::io::{self, BufRead, Read};

use crate::Limits;
use crate::Value;
use crate::budget;
use crate::compile::{Filter, compile};
use crate::error::{Error, On};
use crate::failure::Failure;
use crate::fast::{Place, SetPlan, StreamPlan};
use crate::run::continuation::Continuation;
use crate::run::input::{Form, Input};
use crate::run::lines::{Line, Lines, count_lines};
use crate::run::page::{Added, Origin, Page, PageLimits, Position, Scope};
use crate::run::records::{Records, text};
use crate::value::print_key;
use crate::{Program, Shape};

/// So many failed records are named; the others are counted.
const MOST_FAILURES: usize = 5;

/// A longer line is not looked at: it would fill the memory.
pub(crate) const MOST_LINE_BYTES: usize = 512 * 1024 * 1024;

/// The line of the first record: the header's comes before it.
const FIRST_RECORD: u32 = 2;

/// A record that a filter failed on, or that is not JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailedRecord {
    /// Its line in the file.
    pub line: u32,
    /// Why.
    pub failure: Failure,
}

/// The end of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct End {
    /// Lines after the first one of the file.
    pub lines: u32,
    /// The last of them lacks its end.
    pub is_open: bool,
}

impl End {
    /// Looks for the end of what follows a header.
    pub fn of(mut input: impl BufRead) -> io::Result<Self> {
        let (mut ends, mut last) = (0_usize, b'\n');
        loop {
            let block = input.fill_buf()?;
            let Some(byte) = block.last() else { break };
            last = *byte;
            ends += memchr::memchr_iter(b'\n', block).count();
            let bytes = block.len();
            input.consume(bytes);
        }
        let is_open = last != b'\n';
        Ok(Self { lines: u32::try_from(ends + usize::from(is_open)).unwrap_or(u32::MAX), is_open })
    }
}

/// A page, and how it ended.
#[derive(Debug)]
pub struct Outcome {
    /// The page.
    pub page: Page,
    /// Where the next one begins, when there is one.
    pub next: Option<Position>,
    /// What is on it and behind it, where that is known already.
    pub continuation: Option<Continuation>,
    /// How many results there are in all, where that is known.
    pub total: Option<u32>,
    /// How many records failed.
    pub failed: u32,
    /// The first of them.
    pub failures: Vec<FailedRecord>,
    /// The end of the file, where the program came to it and knows how many lines it has.
    pub end: Option<End>,
}

/// Runs a program on the records of `input` that are in `scope`.
///
/// The results of the parts of a file, one after the other, are those of the whole file: a program that looks at the
/// whole set gives all of them to the part that begins with the file.
pub fn run(
    program: Program<'_>,
    variables: &[(String, Value)],
    input: &dyn Input,
    scope: Scope,
    limits: PageLimits,
    strict: bool,
    bounds: &Limits,
) -> Result<Outcome, Error> {
    let general = General::new(program, variables, bounds, input.form());
    let run = |scope| Run::new(&general, input, strict, scope, limits);
    if (program.shape.slurps() || limits.counts) && scope.is_later_part() {
        return Run::new(&general, input, strict, scope, PageLimits { counts: false, ..limits }).ended(None, None);
    }
    let whole = Scope::all(scope.start);
    if !program.shape.slurps() {
        let scope = if limits.counts { whole } else { scope };
        return match StreamPlan::of(program, variables, bounds.record_nesting, input.form()) {
            Some(plan) => run(scope).stream(Some(plan)),
            None => run(scope).generally(),
        };
    }
    if let Some(plan) = SetPlan::of(program, variables)
        && let Some(outcome) = run(whole).planned(&plan)?
    {
        return Ok(outcome);
    }
    run(whole).generally()
}

/// The general engine: it knows every filter, and is made when it is needed.
pub(crate) struct General<'a> {
    pub(crate) program: Program<'a>,
    pub(crate) variables: &'a [(String, Value)],
    bounds: &'a Limits,
    form: Form,
    made: OnceCell<(Filter, RefCell<Records>)>,
}

impl<'a> General<'a> {
    pub(crate) fn new(program: Program<'a>, variables: &'a [(String, Value)], bounds: &'a Limits, form: Form) -> Self {
        Self { program, variables, bounds, form, made: OnceCell::new() }
    }

    /// The program's filter.
    pub(crate) fn filter(&self) -> Result<&Filter, Error> {
        self.made().map(|(filter, _)| filter)
    }

    fn made(&self) -> Result<&(Filter, RefCell<Records>), Error> {
        if let Some(made) = self.made.get() {
            return Ok(made);
        }
        let filter = compile(self.program.query, self.variables)?;
        let reads = match self.program.shape {
            Shape::All | Shape::Whole => {
                self.program.reads.map(|keys| keys.iter().map(|key| (*key).to_owned()).collect())
            }
            _ => self.program.query.reads().map(<[String]>::to_vec),
        };
        let records = RefCell::new(Records::new(reads, self.bounds.record_nesting));
        Ok(self.made.get_or_init(|| (filter, records)))
    }

    /// A record as a value: as much of it as the program reads.
    pub(crate) fn value(&self, bytes: &[u8]) -> Result<Value, Failure> {
        match self.made.get() {
            Some((_, records)) if self.form == Form::Json => records.borrow_mut().value(bytes),
            _ => self.whole_value(bytes),
        }
    }

    /// A record as a value, all of it.
    pub(crate) fn whole_value(&self, bytes: &[u8]) -> Result<Value, Failure> {
        let text = text(bytes)?;
        match self.form {
            Form::Json => Value::parse(text, self.deepest()),
            Form::Text => Ok(Value::from(text)),
        }
    }

    /// Writes a record that is a result as it came: a line of text bare where that is asked for, else as JSON.
    pub(crate) fn write_line(&self, out: &mut Vec<u8>, bytes: &[u8]) {
        match self.is_written() {
            true => print_key(out, &String::from_utf8_lossy(bytes)),
            false => out.extend_from_slice(bytes),
        }
    }

    /// Where a record stands, and how long it is as a result.
    pub(crate) fn place_of(&self, line: &Line<'_>) -> Place {
        let mut written = Vec::new();
        match self.is_written() {
            true => {
                self.write_line(&mut written, line.bytes);
                Place::line(&written, line.offset)
            }
            false => Place::line(line.bytes, line.offset),
        }
    }

    /// A record that is a result is written in another way than it came.
    pub(crate) fn is_written(&self) -> bool {
        self.form == Form::Text && !self.program.raw
    }

    /// What the records are.
    pub(crate) fn form(&self) -> Form {
        self.form
    }

    /// How deep a record may be nested.
    pub(crate) fn deepest(&self) -> u32 {
        self.bounds.record_nesting
    }
}

/// A program at work.
pub(crate) struct Run<'a> {
    pub(crate) general: &'a General<'a>,
    pub(crate) input: &'a dyn Input,
    strict: bool,
    pub(crate) scope: Scope,
    pub(crate) page: Page,
    pub(crate) records: u32,
    failed: u32,
    failures: Vec<FailedRecord>,
    end: Option<End>,
    /// So many lines come before those of the scope, where they are counted from its own first one.
    lines_before: OnceCell<u32>,
}

impl<'a> Run<'a> {
    pub(crate) fn new(
        general: &'a General<'a>,
        input: &'a dyn Input,
        strict: bool,
        scope: Scope,
        limits: PageLimits,
    ) -> Self {
        let (mut page, lines_before) = (Page::new(limits), OnceCell::new());
        // Recipes and criteria bind what they look for last. A text that is no pattern is not found, which does no harm.
        page.sought = general.variables.iter().rev().find_map(|(_, value)| value.as_str().map(str::to_owned));
        let failures = Vec::new();
        Self { general, input, strict, scope, page, records: 0, failed: 0, failures, end: None, lines_before }
    }

    /// Runs the program in the general engine.
    fn generally(self) -> Result<Outcome, Error> {
        self.general.filter()?;
        match self.general.program.shape {
            Shape::Each | Shape::Select | Shape::Project => self.stream(None),
            Shape::Sort { descending } => self.sort(descending, false),
            Shape::SortSelected { descending } => self.sort(descending, true),
            Shape::All | Shape::Whole => self.all(),
        }
    }

    /// The lines from the first one of the scope on.
    pub(crate) fn lines(&self) -> Result<Lines<Box<dyn BufRead + 'a>>, Error> {
        let offset = self.scope.start.offset;
        let mut lines = Lines::new(self.input.open(offset)?, self.general.form, offset);
        if self.scope.cuts_a_line() {
            lines.next(MOST_LINE_BYTES)?;
        }
        Ok(lines)
    }

    /// The program came to the end of the file; the line behind it would have this number.
    pub(crate) fn at_end(&mut self, line: u32, is_open: bool) {
        if self.scope.from.is_none() {
            self.end = Some(End { lines: line.saturating_sub(FIRST_RECORD), is_open });
        }
    }

    /// How many lines come before those that are counted. They are looked at only when somebody has to know.
    fn lines_before(&self) -> Result<u32, Error> {
        let Some(from) = self.scope.from else { return Ok(0) };
        if let Some(lines) = self.lines_before.get() {
            return Ok(*lines);
        }
        let lines = 1 + count_lines(self.input.open(0)?.take(from - 1))?;
        Ok(*self.lines_before.get_or_init(|| lines))
    }

    /// The page of a set of results that is known whole.
    pub(crate) fn slice<T>(
        mut self,
        total: usize,
        results: impl Iterator<Item = T>,
        write: impl Fn(&mut Vec<u8>, T),
    ) -> Result<Outcome, Error> {
        let first = self.scope.start.skip;
        let total = u32::try_from(total).unwrap_or(u32::MAX);
        if self.page.counts() {
            self.page.count = total;
            return self.ended(None, None);
        }
        for (index, result) in (first..).zip(results.skip(first as usize)) {
            let position = Position { skip: index, ..self.scope.start };
            if self.page.add(Origin { position, record: None, is_of_set: true }, |out| write(out, result))? == Added::No
            {
                return self.ended(Some(position), Some(total));
            }
        }
        self.ended(None, Some(total))
    }

    /// A record failed. Its line is counted as those of the scope are.
    pub(crate) fn fail(&mut self, line: u32, failure: Failure) -> Result<(), Error> {
        budget::check()?;
        if !self.strict && self.failures.len() >= MOST_FAILURES {
            self.failed += 1;
            return Ok(());
        }
        let line = line.saturating_add(self.lines_before()?);
        if self.strict {
            return Err(Error::Failed { on: On::Line(line), failure });
        }
        self.failed += 1;
        self.failures.push(FailedRecord { line, failure });
        Ok(())
    }

    /// The answer.
    pub(crate) fn ended(mut self, next: Option<Position>, total: Option<u32>) -> Result<Outcome, Error> {
        budget::check()?;
        let before = self.scope.start.before;
        let is_all = !self.scope.is_part() && before == 0 && next.is_none();
        if is_all && self.failed > 0 && self.failed == self.records && self.page.count == 0 {
            let FailedRecord { line, failure } = self.failures.swap_remove(0);
            return Err(Error::Failed { on: On::EveryRecord(line), failure });
        }
        let next = next.map(|next| Position { before: before.saturating_add(self.page.count), ..next });
        let Self { mut page, failed, failures, end, .. } = self;
        let (next, total) = match page.piece {
            // A result is read to its end, and then there is nothing more.
            Some((_, rest)) => (rest.map(|_| self.scope.start), None),
            None if page.counts() => {
                page.count_alone();
                (None, Some(1))
            }
            None => (next, total),
        };
        Ok(Outcome { page, next, continuation: None, total, failed, failures, end })
    }
}

/// Runs a program on all records without plans, in the general engine alone: what plans are measured against.
#[doc(hidden)]
pub fn run_without_plans(
    program: Program<'_>,
    variables: &[(String, Value)],
    input: &dyn Input,
    start: Position,
    limits: PageLimits,
    bounds: &Limits,
) -> Result<Outcome, Error> {
    let general = General::new(program, variables, bounds, input.form());
    Run::new(&general, input, false, Scope::all(start), limits).generally()
}

/// Runs a program with and without plans. For tests.
#[cfg(test)]
pub(crate) fn both(
    program: Program<'_>,
    variables: &[(String, Value)],
    input: &dyn Input,
    limits: PageLimits,
) -> [Result<Outcome, Error>; 2] {
    let (bounds, start) = (Limits::default(), Position { offset: 0, line: 2, skip: 0, before: 0 });
    [
        run(program, variables, input, Scope::all(start), limits, false, &bounds),
        run_without_plans(program, variables, input, start, limits, &bounds),
    ]
}

#[cfg(test)]
mod tests;
