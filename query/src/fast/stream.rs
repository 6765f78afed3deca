//! The plan of a program that looks at one record at a time.

use super::expression::Expression;
use super::lower::Lowering;
use super::print::print;
use super::record::{Reader, Record};
use super::walk::{is_too_far, keep};
use super::{Bail, value::Val};
use crate::Value;
use crate::error::Error;
use crate::run::input::Form;
use crate::run::page::{Added, Origin, Page, Position};
use crate::run::write::write_projection;
use crate::{Program, Shape};

/// After so many records a plan that knows too few of them is given up.
const TRIAL: u32 = 128;

/// A program on each record, with room for the results of one.
#[derive(Debug)]
pub(crate) struct StreamPlan<'p> {
    program: Program<'p>,
    expression: Expression,
    reader: Reader,
    /// The results of a record, one after the other, and where each ends.
    results: Vec<u8>,
    ends: Vec<usize>,
    seen: u32,
    bails: u32,
    /// It has walked too far through a record, which took long.
    is_slow: bool,
}

impl<'p> StreamPlan<'p> {
    /// The plan of a program, if all of it is known.
    pub(crate) fn of(program: Program<'p>, variables: &[(String, Value)], deepest: u32, form: Form) -> Option<Self> {
        let mut lowering = Lowering::new(variables);
        let expression = match program.shape {
            Shape::Each | Shape::Select => lowering.lower(program.query.tree())?,
            Shape::Project => {
                for key in program.reads.unwrap_or_default() {
                    lowering.slot(key.as_bytes());
                }
                Expression::Id
            }
            Shape::Sort { .. } | Shape::SortSelected { .. } | Shape::All | Shape::Whole => return None,
        };
        let reader = Reader::new(lowering.keys, deepest, form);
        Some(Self {
            program,
            expression,
            reader,
            results: Vec::new(),
            ends: Vec::new(),
            seen: 0,
            bails: 0,
            is_slow: false,
        })
    }

    /// Puts the results of a record on the page, but for those before its position. Returns how many of them were taken
    /// in all when the page is full. After it bails there is nothing of the record on the page.
    pub(crate) fn record(
        &mut self,
        line: &[u8],
        here: Position,
        page: &mut Page,
    ) -> Result<Result<Option<u32>, Bail>, Error> {
        self.seen += 1;
        self.results.clear();
        self.ends.clear();
        let Ok(copies) = self.results_of(line) else {
            self.bails += 1;
            self.is_slow |= is_too_far();
            return Ok(Err(Bail));
        };
        let mut start = 0;
        for taken in 0..copies {
            let end = self.ends.get(taken).copied();
            let result = end.map_or(line, |end| &self.results[start..end]);
            start = end.unwrap_or_default();
            let taken = u32::try_from(taken).unwrap_or(u32::MAX);
            let origin = Origin { position: Position { skip: taken, ..here }, record: Some(line), is_of_set: false };
            if taken >= here.skip && page.add(origin, |out| out.extend_from_slice(result))? == Added::No {
                return Ok(Ok(Some(taken)));
            }
        }
        Ok(Ok(None))
    }

    /// True for a plan that costs more than it saves.
    pub(crate) fn is_useless(&self) -> bool {
        (self.seen >= TRIAL || self.is_slow) && self.bails > self.seen / 2
    }

    /// True for a record of which it knows what the general engine says.
    #[cfg(test)]
    pub(super) fn knows(&mut self, line: &[u8]) -> bool {
        self.results.clear();
        self.ends.clear();
        self.results_of(line).is_ok()
    }

    /// How many results the record has. Their texts have been kept, unless they are the line itself.
    fn results_of(&mut self, line: &[u8]) -> Result<usize, Bail> {
        let Self { program, expression, reader, results, ends, .. } = self;
        let record = reader.read(line).map_err(|_| Bail)?;
        match program.shape {
            Shape::Select => {
                let copies = count(expression, &record)?;
                if record.is_text && !program.raw {
                    for _ in 0..copies {
                        print(results, &record.value(), &record, false)?;
                        ends.push(results.len());
                    }
                }
                Ok(copies)
            }
            Shape::Project if !record.is_object() => Err(Bail),
            Shape::Project => {
                project(program.reads.unwrap_or_default(), &record, results)?;
                ends.push(results.len());
                Ok(1)
            }
            _ => {
                expression.each(&record.value(), &record, &mut |value| {
                    print(results, &value, &record, program.raw)?;
                    ends.push(results.len());
                    keep(ends.len(), results.len(), line.len()).map(|()| true)
                })?;
                Ok(ends.len())
            }
        }
    }
}

/// How often a condition holds.
fn count(condition: &Expression, record: &Record<'_, '_>) -> Result<usize, Bail> {
    let (mut times, line) = (0, record.line.len());
    condition.each(&record.value(), record, &mut |value: Val<'_>| {
        times += usize::from(value.is_true());
        keep(times, times * line, line).map(|()| true)
    })?;
    Ok(times)
}

fn project(keys: &[&str], record: &Record<'_, '_>, out: &mut Vec<u8>) -> Result<(), Bail> {
    let mut members = Vec::with_capacity(keys.len());
    for (slot, key) in keys.iter().enumerate() {
        if let Some(value) = record.member(slot) {
            members.push((*key, simdutf8::basic::from_utf8(value).map_err(|_| Bail)?));
        }
    }
    write_projection(out, keys, &members);
    Ok(())
}
