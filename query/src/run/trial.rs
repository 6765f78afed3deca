//! Programs tried on records before anybody is told of them : what they say is dropped, and whether they fail is
//! kept. All of them look at a record while it is at hand, so that trying ten costs little more than reading once.

use crate::Limits;
use crate::Value;
use crate::compile::{Filter, compile};
use crate::fast::Trial as Plan;
use crate::run::records::from_json;
use crate::{Program, Shape};

/// Programs on trial, with their variables.
pub struct Trial<'a> {
    programs: &'a [Program<'a>],
    variables: &'a [(String, Value)],
    plan: Plan<'a>,
    filters: Vec<Option<Filter>>,
    /// Whether each of them has failed.
    failed: Vec<bool>,
    /// So much the general engine may still do.
    left: usize,
}

/// The general engine does so much and no more, counted in bytes of records, once for each program: a tenth of a second to
/// a quarter. Recipes read only what all records have, so that one at which every plan bails is seldom one that fails.
const MOST_BYTES: usize = 1 << 20;

/// A run of a program costs as much as so many bytes of its record.
const RUN_BYTES: usize = 256;

impl<'a> Trial<'a> {
    /// Programs that nothing is known of.
    pub fn new(programs: &'a [Program<'a>], variables: &'a [(String, Value)], limits: &Limits) -> Self {
        Self {
            programs,
            variables,
            plan: Plan::of(programs, variables, limits.record_nesting),
            filters: programs.iter().map(|_| None).collect(),
            failed: vec![false; programs.len()],
            left: MOST_BYTES,
        }
    }

    /// Runs those that have not failed yet on a record.
    pub fn record(&mut self, record: &str) {
        let known = self.plan.record(record.as_bytes());
        let open = |(number, is_fine): (usize, bool)| (!is_fine && !self.failed[number]).then_some(number);
        let open: Vec<usize> = known.into_iter().enumerate().filter_map(open).collect();
        if !open.is_empty() {
            self.generally(&open, record);
        }
    }

    /// Where a plan bails, the general engine decides. It reads the record once for all programs.
    fn generally(&mut self, open: &[usize], record: &str) {
        let cost = record.len() + RUN_BYTES;
        if self.left < cost {
            return;
        }
        // A record that is nested too deep is no recipe's fault: extraction tells of it.
        let Ok(value) = from_json(record) else { return };
        for number in open {
            let Some(left) = self.left.checked_sub(cost) else { return };
            self.left = left;
            self.failed[*number] = self.fails(*number, &value);
        }
    }

    /// Which of them have failed on some record.
    pub fn failed(self) -> Vec<bool> {
        self.failed
    }

    fn fails(&mut self, number: usize, value: &Value) -> bool {
        let program = self.programs[number];
        let filter = match &mut self.filters[number] {
            Some(filter) => filter,
            none => match compile(program.query, self.variables) {
                Ok(filter) => none.insert(filter),
                Err(_) => return true,
            },
        };
        let value = value.clone();
        let input = if matches!(program.shape, Shape::All | Shape::Whole) { Value::from_iter([value]) } else { value };
        filter.run(input).any(|output| output.is_err())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::program;

    #[test]
    fn what_fails_on_a_record_is_told_and_where_only_a_plan_bails_is_not() {
        let programs = [
            program(".a | startswith($x)", Shape::Select),
            program(".a | strings | startswith($x)", Shape::Select),
            program("[.a, .b] | @tsv", Shape::Each),
            program("group_by(.a) | map({a: .[0].a, count: length})", Shape::All),
            program("map(.b.c) | unique", Shape::All),
            program(".b.c", Shape::Sort { descending: false }),
            program(".a | no_such_function", Shape::Each),
        ];
        let variables = [("x".to_owned(), from_json("\"t\"").unwrap())];
        let mut trial = Trial::new(&programs, &variables, &Limits::default());
        for record in [r#"{"a":"text","b":null}"#, r#"{"a":1e400,"b":{"c":1}}"#, r#"{"\u0061":"twice","a":null}"#] {
            trial.record(record);
        }
        assert_eq!(trial.failed, [true, false, false, false, false, false, true]);
        trial.record(r#"{"b":"text"}"#);
        assert_eq!(trial.failed(), [true, false, false, false, true, true, true]);
    }
}
