//! What a run says of each clause, and the level that is reached.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::case::Case;
use crate::engine::Engine;
use crate::run::{Verdict, run};
use crate::suite::{Claim, Clause, Gap};

/// The specification's levels by number.
const LEVELS: [(&str, &str); 3] = [("1", "Basic"), ("2", "Standard"), ("3", "Full")];

/// The state of a clause.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// Every case of it passed.
    Passed,
    /// A case of it failed, it has none, or the list does not know that it holds by now.
    Failed,
    /// The cases that fail are listed as gaps, or the engine has no way to run any case.
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

/// A case that did not end as it must.
#[derive(Debug, Serialize)]
pub struct Failure {
    /// Its name.
    pub case: String,
    /// What differs.
    pub difference: String,
}

/// A clause with what the run says of it.
#[derive(Debug, Serialize)]
pub struct Row {
    /// `LRO-05`.
    pub clause: String,
    /// The level that needs it.
    pub level: String,
    /// Its state.
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
    /// Cases that the engine has no way to run.
    pub unable: usize,
    /// Cases that failed without being listed as gaps, and gaps that passed.
    pub failures: Vec<Failure>,
    /// The highest level whose clauses hold, together with those of all levels below: 0 to 3.
    pub level: usize,
}

impl Report {
    /// Runs all cases on an engine.
    pub fn of(engine: &dyn Engine, cases: &[Case], clauses: Vec<Clause>, gaps: &[Gap]) -> Self {
        Self::telling(engine, cases, clauses, gaps, || {})
    }

    /// Runs all cases on an engine, and calls `after` after each.
    pub fn telling(engine: &dyn Engine, cases: &[Case], clauses: Vec<Clause>, gaps: &[Gap], after: impl Fn()) -> Self {
        let ended = |case: &Case| {
            let concerns =
                |gap: &&Gap| gap.case == case.name && gap.engine.as_deref().is_none_or(|name| name == engine.name());
            let end = Ended::of(run(case, engine), gaps.iter().find(concerns));
            after();
            end
        };
        let ends: BTreeMap<&str, Ended> = cases.iter().map(|case| (case.name.as_str(), ended(case))).collect();
        let rows = clauses.into_iter().map(|clause| Row::of(clause, cases, &ends)).collect();
        Self::from_rows(rows, &ends)
    }

    fn from_rows(clauses: Vec<Row>, ends: &BTreeMap<&str, Ended>) -> Self {
        let stands = |level: &str| clauses.iter().all(|row| row.level != level || row.state != State::Failed);
        let level = LEVELS.iter().take_while(|(level, _)| stands(level)).count();
        let failure = |(case, end): (&&str, &Ended)| match end {
            Ended::Failed(difference) => Some(Failure { case: (*case).to_owned(), difference: difference.clone() }),
            _ => None,
        };
        let unable = ends.values().filter(|end| matches!(end, Ended::Unable(_))).count();
        let failures = ends.iter().filter_map(failure).collect();
        Self { clauses, cases: ends.len() - unable, unable, failures, level }
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
    fn of(clause: Clause, cases: &[Case], ends: &BTreeMap<&str, Ended>) -> Self {
        let (mut run, mut passed, mut failure, mut gap, mut unable) = (0, 0, None, None, None);
        for case in cases.iter().filter(|case| case.clauses.contains(&clause.clause)) {
            match &ends[case.name.as_str()] {
                Ended::Unable(reason) => {
                    unable = Some(reason.clone());
                    continue;
                }
                Ended::Passed => passed += 1,
                Ended::Gap(reason) => gap = Some(reason.clone()),
                Ended::Failed(difference) => {
                    failure.get_or_insert_with(|| format!("{}: {difference}", case.name));
                }
            }
            run += 1;
        }
        if run == 0 {
            gap = unable;
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

/// How a case ended, gaps considered.
enum Ended {
    Passed,
    Failed(String),
    Gap(String),
    Unable(String),
}

impl Ended {
    fn of(verdict: Verdict, gap: Option<&Gap>) -> Self {
        match (verdict, gap) {
            (Verdict::Passed, None) => Self::Passed,
            (Verdict::Passed, Some(gap)) => Self::Failed(format!("it passes, but is listed as a gap: {}", gap.reason)),
            (Verdict::Failed(difference), None) => Self::Failed(difference),
            (Verdict::Failed(_), Some(gap)) => Self::Gap(gap.reason.clone()),
            (Verdict::Unable(reason), _) => Self::Unable(reason),
        }
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
        let gap: Gap = serde_json::from_value(json!({"case": "1", "reason": "known"})).unwrap();
        let ended = |(case, verdict): (&Case, &Verdict)| Ended::of(verdict.clone(), (case.name == "1").then_some(&gap));
        let names = cases.iter().map(|case| case.name.as_str());
        let ends = names.zip(cases.iter().zip(verdicts).map(ended)).collect();
        Row::of(serde_json::from_value(clause).unwrap(), &cases, &ends).state
    }

    #[test]
    fn a_state_follows_from_the_claim_and_the_cases() {
        let (passed, failed) = (Verdict::Passed, Verdict::Failed("no".into()));
        let unable = Verdict::Unable("no flag".into());
        let test = json!([{"file": "x", "name": "y"}]);
        let rows = [
            (json!({}), vec![passed.clone()], State::Passed),
            (json!({}), vec![passed.clone(), passed.clone()], State::Failed),
            (json!({}), vec![failed.clone()], State::Failed),
            (json!({}), vec![passed.clone(), failed.clone()], State::Gap),
            (json!({}), vec![], State::Failed),
            (json!({}), vec![unable.clone()], State::Gap),
            (json!({}), vec![passed.clone(), unable.clone()], State::Passed),
            (json!({}), vec![failed.clone(), unable], State::Failed),
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
