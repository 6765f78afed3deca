//! `lro conformance`: tests this or any other component against the contract, clause by clause.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use lro_conformance::{
    AdapterEngine, Case, ComponentEngine, Engine, Failure as Failed, Gap, Patience, Report, Row, State, Verdict, cases,
    clauses, gaps, run,
};

use crate::commands::extract::seconds;
use crate::failure::Failure;
use crate::output::{self, counted};
use crate::progress::Progress;

/// Test a component against the contract, or a host of one, clause by clause
#[derive(Args)]
#[command(after_help = "Examples:
  lro conformance
  lro conformance --component other.wasm --level 2 --json
  lro conformance --engine \"node adapter.js\" --gaps known-gaps.json
  lro conformance --engine ./adapter --case level-1/threshold")]
pub(super) struct Conformance {
    /// The component to test [default: the embedded one]
    #[arg(long, value_name = "FILE")]
    component: Option<PathBuf>,
    /// Test this adapter instead: a command that reads calls and writes answers, one JSON object a line (docs/CONFORMANCE.md)
    #[arg(long, value_name = "COMMAND", conflicts_with = "component")]
    engine: Option<String>,
    /// Cases that are known to fail, with the reason: a JSON array of objects with `case` and `reason`
    #[arg(long, value_name = "FILE")]
    gaps: Option<PathBuf>,
    /// Let the adapter take this long for each call [default: 60]
    #[arg(long, value_name = "SECONDS", value_parser = seconds, requires = "engine")]
    timeout: Option<Duration>,
    /// Run only this case
    #[arg(long, value_name = "NAME", conflicts_with_all = ["level", "json"])]
    case: Option<String>,
    /// The level that must be reached: 1 Basic, 2 Standard, 3 Full [default: 3, and with --engine all clauses]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=3))]
    level: Option<u8>,
    /// Print the report as one JSON object
    #[arg(long)]
    json: bool,
}

impl Conformance {
    pub(super) fn run(self) -> Result<(), Failure> {
        let cases = cases().map_err(Failure::NotConforming)?;
        let gaps = self.gaps(&cases)?;
        let Some(command) = &self.engine else {
            let component = self.component.as_deref().map(read).transpose()?;
            return self.judge(&ComponentEngine::open(component)?, &cases, &gaps);
        };
        let standard = Patience::default();
        let patience = Patience { reply: self.timeout.unwrap_or(standard.reply), ..standard };
        let engine = AdapterEngine::start(command, patience).map_err(Failure::NotConforming)?;
        self.judge(&engine, &cases, &gaps)
    }

    /// The listed gaps, with those of the user. A gap of a case that does not exist would never be found to be closed.
    fn gaps(&self, cases: &[Case]) -> Result<Vec<Gap>, Failure> {
        let mut gaps = gaps().map_err(Failure::NotConforming)?;
        if let Some(file) = &self.gaps {
            let wrong = |reason: String| Failure::NotConforming(format!("cannot use `{}`: {reason}", file.display()));
            let listed: Vec<Gap> = serde_json::from_slice(&read(file)?).map_err(|error| wrong(error.to_string()))?;
            if let Some(gap) = listed.iter().find(|gap| !cases.iter().any(|case| case.name == gap.case)) {
                return Err(wrong(format!("there is no case `{}`", gap.case)));
            }
            gaps.extend(listed);
        }
        Ok(gaps)
    }

    fn judge(&self, engine: &dyn Engine, cases: &[Case], gaps: &[Gap]) -> Result<(), Failure> {
        if let Some(name) = &self.case {
            return one(name, engine, cases);
        }
        let clauses = clauses().map_err(Failure::NotConforming)?;
        let far = lro::Progress::default();
        far.expect(cases.len() as u64);
        let progress = Progress::through_steps("running cases", far.clone());
        let report = Report::telling(engine, cases, clauses, gaps, || far.add(1));
        drop(progress);
        if let Some(fault) = engine.fault() {
            return Err(Failure::NotConforming(fault));
        }
        if self.json {
            output::line(&serde_json::to_string_pretty(&report).expect("a report of texts and numbers is JSON"))?;
        } else {
            report.clauses.iter().try_for_each(|row| output::line(&line(row)))?;
            output::line(&summary(&report))?;
        }
        match (self.level, &self.engine) {
            (None, Some(_)) if report.is_clean() => Ok(()),
            (None, Some(_)) => {
                let failed = report.clauses.iter().filter(|row| row.state == State::Failed).count();
                Err(Failure::NotConforming(format!("not shown: {}", counted(failed as u64, "clause"))))
            }
            (level, _) => match level.unwrap_or(3) {
                level if report.level >= usize::from(level) => Ok(()),
                level => Err(Failure::NotConforming(format!("level {level} is not reached"))),
            },
        }
    }
}

/// Runs one case and says how it ends.
fn one(name: &str, engine: &dyn Engine, cases: &[Case]) -> Result<(), Failure> {
    let found = cases.iter().find(|case| case.name == name);
    let case = found.ok_or_else(|| Failure::NotConforming(format!("there is no case `{name}`")))?;
    match run(case, engine) {
        Verdict::Passed => output::line(&format!("{name}: passed")),
        Verdict::Failed(difference) => Err(Failure::NotConforming(format!("{name}: {difference}"))),
        Verdict::Unable(reason) => Err(Failure::NotConforming(format!("{name} was not run: {reason}"))),
    }
}

fn read(file: &Path) -> Result<Vec<u8>, Failure> {
    fs::read(file).map_err(|error| Failure::file(format!("read `{}`", file.display()), error))
}

/// `LRO-05      level 1     passed  4/4`, and below it what went wrong.
fn line(row: &Row) -> String {
    let state = match row.state {
        State::Passed => "passed",
        State::Failed => "FAILED",
        State::Gap => "gap",
        State::Host => "host",
        State::Partly => "partly",
        State::Missing => "missing",
    };
    let level = if row.level.len() == 1 { format!("level {}", row.level) } else { row.level.clone() };
    let line = format!("{:<12}{level:<12}{state:<8}{}/{}", row.clause, row.passed, row.cases);
    match &row.note {
        Some(note) => format!("{line}\n            {note}"),
        None if row.cases == 0 && row.state == State::Failed => format!("{line}\n            no case could be run"),
        None => line,
    }
}

fn summary(report: &Report) -> String {
    let count = |state| report.clauses.iter().filter(|row| row.state == state).count();
    let failure = |Failed { case, difference }: &Failed| format!("{case}\n            {difference}\n");
    let mut failures: String = report.failures.iter().map(failure).collect();
    if !failures.is_empty() {
        failures.insert_str(0, "\nFailed cases:\n");
    }
    let more = match report.unable {
        0 => String::new(),
        unable => format!(" ({unable} more that the engine has no way to run)"),
    };
    format!(
        "{failures}\n{}{more} and {}: {} passed, {} failed, {} listed as gaps, {} for the embedding host, {} there in part, {} missing.\n\
         Level reached: {} ({}){}.",
        counted(report.cases as u64, "case"),
        counted(report.clauses.len() as u64, "clause"),
        count(State::Passed),
        count(State::Failed),
        count(State::Gap),
        count(State::Host),
        count(State::Partly),
        count(State::Missing),
        report.level,
        report.level_name(),
        reservations(report),
    )
}

/// The clauses of the reached levels that are implemented in part, or have gaps.
fn reservations(report: &Report) -> String {
    let level = |row: &Row| row.level.parse::<usize>().ok();
    let named = |(state, words)| {
        let is_named = |row: &&Row| row.state == state && level(row).is_some_and(|level| level <= report.level);
        let names: Vec<&str> = report.clauses.iter().filter(is_named).map(|row| row.clause.as_str()).collect();
        if names.is_empty() { String::new() } else { format!(", {words}: {}", names.join(", ")) }
    };
    [(State::Partly, "in part"), (State::Gap, "with gaps")].map(named).concat()
}
