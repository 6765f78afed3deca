//! `lro conformance`: clause by clause, for this or any component of the contract.

use std::path::PathBuf;

use clap::Args;
use lro_conformance::{ComponentEngine, Report, Row, State, cases, clauses, gaps};

use crate::failure::Failure;
use crate::output::{self, counted};

/// Prove a component of the contract, clause by clause
#[derive(Args)]
#[command(after_help = "Examples:\n  lro conformance\n  lro conformance --component other.wasm --level 2 --json")]
pub(super) struct Conformance {
    /// The component [default: the embedded one]
    #[arg(long, value_name = "FILE")]
    component: Option<PathBuf>,
    /// The level that must be reached: 1 Basic, 2 Standard, 3 Full
    #[arg(long, value_name = "N", default_value = "3", value_parser = clap::value_parser!(u8).range(1..=3))]
    level: u8,
    /// Print the report as one JSON object
    #[arg(long)]
    json: bool,
}

impl Conformance {
    pub(super) fn run(self) -> Result<(), Failure> {
        let component = self.component.as_deref().map(std::fs::read).transpose().map_err(|error| {
            let file = self.component.as_deref().unwrap_or_else(|| "".as_ref());
            Failure::file(format!("read `{}`", file.display()), error)
        })?;
        let engine = ComponentEngine::open(component)?;
        let suite = || Ok((cases()?, clauses()?, gaps()?));
        let (cases, clauses, gaps) = suite().map_err(Failure::NotConforming)?;
        let report = Report::of(&engine, &cases, clauses, &gaps);
        if self.json {
            output::line(&serde_json::to_string_pretty(&report).expect("a report of texts and numbers is JSON"))?;
        } else {
            report.clauses.iter().try_for_each(|row| output::line(&line(row)))?;
            output::line(&summary(&report))?;
        }
        if report.level < usize::from(self.level) {
            return Err(Failure::NotConforming(format!("level {} is not reached", self.level)));
        }
        Ok(())
    }
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
    format!(
        "\n{} and {}: {} passed, {} failed, {} listed as gaps, {} for the embedding host, {} there in part, {} missing.\n\
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

/// The clauses of the reached levels that are there in part.
fn reservations(report: &Report) -> String {
    let level = |row: &Row| row.level.parse::<usize>().ok();
    let partly = |row: &&Row| row.state == State::Partly && level(row).is_some_and(|level| level <= report.level);
    let names: Vec<&str> = report.clauses.iter().filter(partly).map(|row| row.clause.as_str()).collect();
    if names.is_empty() { String::new() } else { format!(", in part: {}", names.join(", ")) }
}
