//! Plans of several programs that look at each record together.

use super::Bail;
use super::expression::Expression;
use super::lower::Lowering;
use super::lower_set::{SetPlan, Step};
use super::record::{Reader, Record};
use crate::Value;
use crate::run::input::Form;
use crate::{Program, Shape};

/// Programs, lowered together: they share what is read of a record.
#[derive(Debug)]
pub(crate) struct Trial<'p> {
    /// What each does with one record; `None` for those that have no plan.
    works: Vec<Option<Work<'p>>>,
    reader: Reader,
}

#[derive(Debug)]
enum Work<'p> {
    Each(Expression),
    Set(Box<SetPlan<'p>>),
}

impl<'p> Trial<'p> {
    /// The plans of these programs.
    pub(crate) fn of(programs: &[Program<'p>], variables: &[(String, Value)], deepest: u32) -> Self {
        let mut lowering = Lowering::new(variables);
        let work = |program: &Program<'p>| match program.shape {
            Shape::Each | Shape::Select => lowering.lower(program.query.tree()).map(Work::Each),
            Shape::Sort { .. } | Shape::SortSelected { .. } | Shape::All | Shape::Whole => {
                SetPlan::with(&mut lowering, *program).map(Box::new).map(Work::Set)
            }
            Shape::Project => None,
        };
        let works = programs.iter().map(work).collect();
        Self { works, reader: Reader::new(lowering.keys, deepest, Form::Json) }
    }

    /// Which of the programs are known to do well on a record. The others may.
    pub(crate) fn record(&mut self, line: &[u8]) -> Vec<bool> {
        let Self { works, reader } = self;
        let Ok(record) = reader.read(line) else { return vec![false; works.len()] };
        works.iter().map(|work| work.as_ref().is_some_and(|work| work.does(&record).is_ok())).collect()
    }
}

impl Work<'_> {
    fn does(&self, record: &Record<'_, '_>) -> Result<(), Bail> {
        match self {
            Self::Each(expression) => expression.each(&record.value(), record, &mut |_| Ok(true)).map(|_| ()),
            Self::Set(plan) => {
                let element = |element| {
                    match &plan.step {
                        Step::Sort { key, .. } | Step::Unique { key } | Step::Best { key, .. } => {
                            key.one(&element, record)?;
                        }
                        Step::Group { key, .. } => {
                            key.one(&element, record)?;
                        }
                        Step::Length | Step::Collect | Step::Spread | Step::Pieces(_) => {}
                    }
                    Ok(true)
                };
                plan.elements.each(&record.value(), record, &mut { element }).map(|_| ())
            }
        }
    }
}
