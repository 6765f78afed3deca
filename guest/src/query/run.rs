//! A program on the lines of a file: what all shapes have in common.

use std::cell::{OnceCell, RefCell};
use std::io::{BufRead, Read};

use super::filter::{Filter, compile, within_limits};
use super::input::{Form, Input};
use super::lines::{Line, Lines, count_lines};
use super::page::{Added, Limits, Origin, Page, Position, Scope};
use super::plan::{Place, SetPlan, StreamPlan};
use super::rest::Rest;
use super::value::print_key;
use super::values::{Records, Value, text};
use super::{Program, Shape};
use crate::completeness::End;
use crate::error::{Error, Problem};
use crate::settings::Settings;

/// So many failed records are named; the others are counted.
const MOST_FAILURES: usize = 5;

/// A longer line is not looked at: it would fill the memory.
pub(super) const MOST_LINE_BYTES: usize = 512 * 1024 * 1024;

/// The line of the first record: the header's comes before it.
const FIRST_RECORD: u32 = 2;

/// A record that a filter failed on, or that is not JSON.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Failure {
    /// Its line in the file.
    pub line: u32,
    /// Why.
    pub message: String,
    /// What to do about it; empty when nothing comes to mind.
    pub hint: String,
}

/// A page, and how it ended.
#[derive(Debug)]
pub struct Outcome {
    /// The page.
    pub page: Page,
    /// Where the next one begins, when there is one.
    pub next: Option<Position>,
    /// What is on it and behind it, where that is known already.
    pub rest: Option<Rest>,
    /// How many results there are in all, where that is known.
    pub total: Option<u32>,
    /// How many records failed.
    pub failed: u32,
    /// The first of them.
    pub failures: Vec<Failure>,
    /// What looks wrong though nothing failed.
    pub remarks: Vec<String>,
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
    limits: Limits,
    strict: bool,
    settings: &Settings,
) -> Result<Outcome, Error> {
    within_limits(program.filter, settings)?;
    let general = General::new(program, variables, settings, input.form());
    let run = |scope| Run::new(&general, input, strict, scope, limits);
    if (program.shape.slurps() || limits.counts) && scope.is_later_part() {
        return Run::new(&general, input, strict, scope, Limits { counts: false, ..limits }).ended(None, None);
    }
    let whole = Scope::all(scope.start);
    if !program.shape.slurps() {
        let scope = if limits.counts { whole } else { scope };
        return match StreamPlan::of(program, variables, settings.max_record_nesting, input.form()) {
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
pub(super) struct General<'a> {
    pub(super) program: Program<'a>,
    variables: &'a [(String, Value)],
    settings: &'a Settings,
    form: Form,
    made: OnceCell<(Filter, RefCell<Records>)>,
}

impl<'a> General<'a> {
    pub(super) fn new(
        program: Program<'a>,
        variables: &'a [(String, Value)],
        settings: &'a Settings,
        form: Form,
    ) -> Self {
        Self { program, variables, settings, form, made: OnceCell::new() }
    }

    /// The program's filter.
    pub(super) fn filter(&self) -> Result<&Filter, Error> {
        self.made().map(|(filter, _)| filter)
    }

    fn made(&self) -> Result<&(Filter, RefCell<Records>), Error> {
        if let Some(made) = self.made.get() {
            return Ok(made);
        }
        let filter = self.compile(self.program.filter)?;
        let reads = match self.program.shape {
            Shape::All => self.program.reads.map(|keys| keys.iter().map(|key| (*key).to_owned()).collect()),
            _ => filter.reads.clone(),
        };
        let records = RefCell::new(Records::new(reads, self.settings.max_record_nesting));
        Ok(self.made.get_or_init(|| (filter, records)))
    }

    /// Another filter with the same variables.
    pub(super) fn compile(&self, filter: &str) -> Result<Filter, Error> {
        compile(filter, self.variables, self.settings)
    }

    /// A record as a value: as much of it as the program reads.
    pub(super) fn value(&self, bytes: &[u8]) -> Result<Value, String> {
        match self.made.get() {
            Some((_, records)) if self.form == Form::Json => records.borrow_mut().value(bytes),
            _ => self.whole_value(bytes),
        }
    }

    /// A record as a value, all of it.
    pub(super) fn whole_value(&self, bytes: &[u8]) -> Result<Value, String> {
        let text = text(bytes)?;
        match self.form {
            Form::Json => Value::parse(text, self.deepest()),
            Form::Text => Ok(Value::from(text)),
        }
    }

    /// Writes a record that is a result as it came: a line of text bare where that is asked for, else as JSON.
    pub(super) fn write_line(&self, out: &mut Vec<u8>, bytes: &[u8]) {
        match self.is_written() {
            true => print_key(out, &String::from_utf8_lossy(bytes)),
            false => out.extend_from_slice(bytes),
        }
    }

    /// Where a record stands, and how long it is as a result.
    pub(super) fn place_of(&self, line: &Line<'_>) -> Place {
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
    pub(super) fn is_written(&self) -> bool {
        self.form == Form::Text && !self.program.raw
    }

    /// What the records are.
    pub(super) fn form(&self) -> Form {
        self.form
    }

    /// How deep a record may be nested.
    pub(super) fn deepest(&self) -> u32 {
        self.settings.max_record_nesting
    }
}

/// A program at work.
pub(super) struct Run<'a> {
    pub(super) general: &'a General<'a>,
    pub(super) input: &'a dyn Input,
    strict: bool,
    pub(super) scope: Scope,
    pub(super) page: Page,
    pub(super) records: u32,
    failed: u32,
    failures: Vec<Failure>,
    end: Option<End>,
    /// So many lines come before those of the scope, where they are counted from its own first one.
    lines_before: OnceCell<u32>,
}

impl<'a> Run<'a> {
    pub(super) fn new(
        general: &'a General<'a>,
        input: &'a dyn Input,
        strict: bool,
        scope: Scope,
        limits: Limits,
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
            Shape::Sort { descending } => self.sort(descending),
            Shape::All => self.all(),
        }
    }

    /// The lines from the first one of the scope on.
    pub(super) fn lines(&self) -> Result<Lines<Box<dyn BufRead + 'a>>, Error> {
        let offset = self.scope.start.offset;
        let mut lines = Lines::new(self.input.open(offset)?, self.general.form, offset);
        if self.scope.cuts_a_line() {
            lines.next(MOST_LINE_BYTES).map_err(unreadable)?;
        }
        Ok(lines)
    }

    /// The program came to the end of the file; the line behind it would have this number.
    pub(super) fn at_end(&mut self, line: u32, is_open: bool) {
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
        let lines = 1 + count_lines(self.input.open(0)?.take(from - 1)).map_err(unreadable)?;
        Ok(*self.lines_before.get_or_init(|| lines))
    }

    /// The page of a set of results that is known whole.
    pub(super) fn slice<T>(
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
    pub(super) fn fail(&mut self, line: u32, message: String) -> Result<(), Error> {
        if !self.strict && self.failures.len() >= MOST_FAILURES {
            self.failed += 1;
            return Ok(());
        }
        let line = line.saturating_add(self.lines_before()?);
        if self.strict {
            return Err(Error::invalid_query(
                format!("the filter failed on line {line}: {message}"),
                "leave out strict to get the results of the other records",
            ));
        }
        self.failed += 1;
        self.failures.push(Failure { line, message, hint: String::new() });
        Ok(())
    }

    /// The answer.
    pub(super) fn ended(self, next: Option<Position>, total: Option<u32>) -> Result<Outcome, Error> {
        let before = self.scope.start.before;
        let is_all = !self.scope.is_part() && before == 0 && next.is_none();
        if is_all && self.failed > 0 && self.failed == self.records && self.page.count == 0 {
            let Failure { line, message, .. } = &self.failures[0];
            return Err(Error::invalid_query(
                format!("the filter failed on every record; the first is line {line}: {message}"),
                "look at a record with the query `.` and `limit` 1, then name fields that exist",
            ));
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
        Ok(Outcome { page, next, rest: None, total, failed, failures, remarks: Vec::new(), end })
    }
}

/// The error of a file that cannot be read on.
pub(super) fn unreadable(error: std::io::Error) -> Error {
    Error::Io(Problem::new(format!("cannot read the file: {error}"), "offload the result again"))
}

/// Runs a program with and without plans. For tests.
#[cfg(test)]
pub(super) fn both(
    program: Program<'_>,
    variables: &[(String, Value)],
    input: &dyn Input,
    limits: Limits,
) -> [Result<Outcome, Error>; 2] {
    let (settings, start) = (Settings::default(), Position { offset: 0, line: 2, skip: 0, before: 0 });
    let general = General::new(program, variables, &settings, input.form());
    let scope = Scope::all(start);
    let generally = Run::new(&general, input, false, scope, limits).generally();
    [run(program, variables, input, scope, limits, false, &settings), generally]
}

#[cfg(test)]
mod tests;
