//! What a run says of each clause, and the level that is reached.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::case::Case;
use crate::engine::Engine;
use crate::run::{Verdict, run};
use crate::suite::{Claim, Clause, Gap};

/// The specification's levels by number.
const LEVELS: [(&str, &str); 3] = [("1", "Basic"), ("2", "Standard"), ("3", "Full")];

/// How a clause stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// Every case of it passed.
    Passed,
    /// A case of it failed, it has none, or the list does not know that it holds by now.
    Failed,
    /// The cases that fail are listed as gaps.
    Gap,
    /// No case can show it, as where it concerns the program that embeds a component.
    Host,
    /// What is there passed, and something is missing.
    Partly,
    /// It is not built yet.
    Missing,
}

/// What a missing clause gets whose cases pass.
const STALE: &str = "it is listed as missing, and its cases pass: change its state in tests/clauses.json";

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
    /// The first failure, the reason of a gap, or what is missing.
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
        let (mut run, mut passed, mut failure, mut gap) = (0, 0, None, None);
        for case in cases.iter().filter(|case| case.clauses.contains(&clause.clause)) {
            match verdicts.get(case.name.as_str()) {
                Some(Verdict::Passed) => (run, passed) = (run + 1, passed + 1),
                Some(Verdict::Failed(error)) => {
                    run += 1;
                    match gaps.iter().find(|gap| gap.case == case.name && gap.engine.is_none()) {
                        Some(listed) => gap = Some(listed.reason.clone()),
                        None => _ = failure.get_or_insert_with(|| format!("{}: {error}", case.name)),
                    }
                }
                _ => {}
            }
        }
        let (state, note) = match clause.state {
            Claim::Missing if run > 0 && passed == run => (State::Failed, Some(STALE.to_owned())),
            Claim::Missing => (State::Missing, clause.why),
            _ if failure.is_some() => (State::Failed, failure),
            _ if gap.is_some() => (State::Gap, gap),
            Claim::Host => (State::Host, None),
            Claim::Cases if run == 0 => (State::Failed, None),
            Claim::Cases => (State::Passed, None),
            Claim::Partly => (State::Partly, clause.why),
        };
        Self { clause: clause.clause, level: clause.level, state, passed, cases: run, note }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    /// The state of a clause with these members, whose cases end so.
    fn state(members: Value, verdicts: &[Verdict]) -> State {
        let mut clause = json!({"clause": "X-01", "level": "1", "text": "It holds."});
        clause.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
        let case = r#"{"description": "It holds.", "clauses": ["X-01"], "steps": []}"#;
        let cases: Vec<Case> = (0..verdicts.len()).map(|i| Case::parse(&i.to_string(), case).unwrap()).collect();
        let verdicts = cases.iter().map(|case| case.name.as_str()).zip(verdicts.iter().cloned()).collect();
        let gap = json!([{"clause": "X-01", "case": "1", "reason": "known"}]);
        Row::of(
            serde_json::from_value(clause).unwrap(),
            &cases,
            &verdicts,
            &serde_json::from_value::<Vec<_>>(gap).unwrap(),
        )
        .state
    }

    #[test]
    fn a_state_follows_from_the_claim_and_the_cases() {
        let (passed, failed) = (Verdict::Passed, Verdict::Failed("no".into()));
        let unable = Verdict::Unable("no flag".into());
        let test = json!([{"file": "x", "name": "y"}]);
        let rows = [
            (json!({}), vec![passed.clone(), passed.clone()], State::Passed),
            (json!({}), vec![failed.clone()], State::Failed),
            (json!({}), vec![passed.clone(), failed.clone()], State::Gap),
            (json!({}), vec![], State::Failed),
            (json!({}), vec![unable], State::Failed),
            (json!({"tests": test}), vec![], State::Failed),
            (json!({"state": "host", "tests": test}), vec![], State::Host),
            (json!({"state": "host", "tests": test}), vec![failed.clone()], State::Failed),
            (json!({"state": "partly", "why": "half"}), vec![passed.clone()], State::Partly),
            (json!({"state": "partly", "why": "half"}), vec![failed.clone()], State::Failed),
            (json!({"state": "missing", "why": "none"}), vec![], State::Missing),
            (json!({"state": "missing", "why": "none"}), vec![failed.clone()], State::Missing),
            (json!({"state": "missing", "why": "none"}), vec![passed], State::Failed),
        ];
        for (members, verdicts, expected) in rows {
            assert_eq!(state(members.clone(), &verdicts), expected, "{members} {verdicts:?}");
        }
    }
}
