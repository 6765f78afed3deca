//! What a run says of each clause, and the level that is reached.

use std::collections::BTreeMap;

use serde::Serialize;

use super::case::Case;
use super::engine::Engine;
use super::run::{Verdict, run};
use super::suite::{Clause, Gap};

/// The specification's levels by number.
const LEVELS: [(&str, &str); 3] = [("1", "Basic"), ("2", "Standard"), ("3", "Full")];

/// How a clause stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// Every case of it passed.
    Passed,
    /// A case of it failed, or it has none.
    Failed,
    /// It is listed as a gap.
    Gap,
    /// It concerns the server that embeds a component.
    Host,
}

/// A clause with what the run says of it.
#[derive(Debug, Serialize)]
pub struct Row {
    /// `LRO-05`.
    pub clause: String,
    /// The level that needs it.
    pub level: String,
    /// How it stands.
    pub state: State,
    /// Cases that passed.
    pub passed: usize,
    /// Cases that were run.
    pub cases: usize,
    /// The first failure, or the reason of a gap.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// The whole run.
#[derive(Debug, Serialize)]
pub struct Report {
    /// Clause by clause.
    pub clauses: Vec<Row>,
    /// Cases that were run.
    pub cases: usize,
    /// The highest level all of whose clauses, and those of the levels below, stand: 0 to 3.
    pub level: usize,
}

impl Report {
    /// Runs all cases on an engine.
    pub fn of(engine: &dyn Engine, cases: &[Case], clauses: Vec<Clause>, gaps: &[Gap]) -> Self {
        let verdicts: BTreeMap<&str, Verdict> =
            cases.iter().map(|case| (case.name.as_str(), run(case, engine))).collect();
        let rows = clauses.into_iter().map(|clause| Row::of(clause, cases, &verdicts, gaps)).collect();
        Self::from_rows(rows, verdicts.len())
    }

    fn from_rows(clauses: Vec<Row>, cases: usize) -> Self {
        let stands = |level: &str| clauses.iter().all(|row| row.level != level || row.state != State::Failed);
        let level = LEVELS.iter().take_while(|(level, _)| stands(level)).count();
        Self { clauses, cases, level }
    }

    /// The name of the level: `Basic`, `Standard`, `Full`, or nothing.
    pub fn level_name(&self) -> &'static str {
        self.level.checked_sub(1).map_or("none", |index| LEVELS[index].1)
    }

    /// True when no clause failed.
    pub fn is_clean(&self) -> bool {
        self.clauses.iter().all(|row| row.state != State::Failed)
    }
}

impl Row {
    fn of(clause: Clause, cases: &[Case], verdicts: &BTreeMap<&str, Verdict>, gaps: &[Gap]) -> Self {
        let named = cases.iter().filter(|case| case.clauses.contains(&clause.clause));
        let (mut run, mut passed, mut note) = (0, 0, None);
        for case in named {
            match verdicts.get(case.name.as_str()) {
                Some(Verdict::Passed) => {
                    run += 1;
                    passed += 1;
                }
                Some(Verdict::Failed(error)) => {
                    run += 1;
                    note.get_or_insert_with(|| format!("{}: {error}", case.name));
                }
                _ => {}
            }
        }
        let gap = gaps.iter().find(|gap| gap.clause == clause.clause && gap.engine.is_none());
        let state = match gap {
            _ if clause.host => State::Host,
            _ if run > 0 && passed == run => State::Passed,
            Some(gap) => {
                note = Some(gap.reason.clone());
                State::Gap
            }
            None => State::Failed,
        };
        Self { clause: clause.clause, level: clause.level, state, passed, cases: run, note }
    }
}
