//! Programs that look at one record at a time.

use crate::Shape;
use crate::Value;
use crate::budget;
use crate::error::Error;
use crate::fast::StreamPlan;
use crate::run::input::Form;
use crate::run::page::{Added, Origin, Position, Scope};
use crate::run::records::{members, text};
use crate::run::write::{write_projection, write_result};
use crate::run::{MOST_LINE_BYTES, Outcome, Run};

impl Run<'_> {
    /// One record at a time: by the plan, and where that bails by the general engine.
    pub(crate) fn stream(mut self, mut plan: Option<StreamPlan<'_>>) -> Result<Outcome, Error> {
        let mut lines = self.lines()?;
        let Scope { start, .. } = self.scope;
        let mut line = start.line;
        while let Some(record) = lines.next(MOST_LINE_BYTES)? {
            if self.scope.ends_before(record.offset) {
                return self.ended(None, None);
            }
            let here = Position { offset: record.offset, line, skip: 0, before: 0 };
            if self.page.is_chunk() {
                return self.ended(Some(here), None);
            }
            // A token may be forged: no line goes beyond the last number.
            line = line.saturating_add(1);
            if record.is_blank {
                continue;
            }
            let skip = if here.offset == start.offset { start.skip } else { 0 };
            self.records += 1;
            budget::record(record.bytes.len())?;
            let planned = match &mut plan {
                Some(plan) => plan.record(record.bytes, Position { skip, ..here }, &mut self.page)?.ok(),
                None => None,
            };
            let full = match planned {
                Some(full) => full,
                None => {
                    plan = plan.filter(|plan| !plan.is_useless());
                    self.record(record.bytes, Position { skip, ..here })?
                }
            };
            if let Some(taken) = full {
                return self.ended(Some(Position { skip: taken, ..here }), None);
            }
        }
        self.at_end(line, lines.is_open);
        let total = if self.scope.is_part() { None } else { start.before.checked_add(self.page.count) };
        self.ended(None, total)
    }

    /// Puts the results of one record on the page, but for those before its position. Returns how many of them were
    /// taken in all when the page is full.
    fn record(&mut self, bytes: &[u8], here: Position) -> Result<Option<u32>, Error> {
        let program = self.general.program;
        if program.shape == Shape::Project {
            return self.project(bytes, here);
        }
        let line = here.line;
        let value = match self.general.value(bytes) {
            Ok(value) => value,
            Err(failure) => return self.fail(line, failure).map(|()| None),
        };
        let mut taken = 0;
        for output in self.general.filter()?.run(value) {
            let output = match output {
                Ok(output) => output,
                Err(failure) => return self.fail(line, failure).map(|()| None),
            };
            let selects = program.shape == Shape::Select;
            if selects && matches!(output, Value::Null | Value::Bool(false)) {
                continue;
            }
            if taken < here.skip {
                taken += 1;
                continue;
            }
            let origin = Origin { position: Position { skip: taken, ..here }, record: Some(bytes), is_of_set: false };
            let added = self.page.add(origin, |out| match selects {
                true => self.general.write_line(out, bytes),
                false => write_result(out, &output, program.raw),
            })?;
            if added == Added::No {
                return Ok(Some(taken));
            }
            taken += 1;
        }
        Ok(None)
    }

    /// A record reduced to the keys that are read: at most one result.
    fn project(&mut self, bytes: &[u8], here: Position) -> Result<Option<u32>, Error> {
        let origin = Origin { position: here, record: Some(bytes), is_of_set: false };
        let keys = self.general.program.reads.unwrap_or_default();
        if self.general.form() == Form::Text {
            return Ok(None);
        }
        match text(bytes).and_then(|text| members(text, keys)) {
            Ok(None) => Ok(None),
            Ok(Some(members)) => match self.page.add(origin, |out| write_projection(out, keys, &members))? {
                Added::Yes => Ok(None),
                Added::No => Ok(Some(0)),
            },
            Err(failure) => self.fail(here.line, failure).map(|()| None),
        }
    }
}
