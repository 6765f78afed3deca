//! Injects faults, and checks after each that the promises hold: `cargo run -p lro-tests --bin faults -- [SUITE…]`.
//!
//! `--long` tries much more often, `--bless` keeps what was found and writes the table of docs/RELIABILITY.md, `--page` writes
//! the table alone, `--seed N` repeats a run. `faults serve` is the server that suites put behind the proxy.

use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use lro_tests::command;
use lro_tests::faults::row::Row;
use lro_tests::faults::{Bench, Scale, Suite, report, speaks, suites};

/// Failures of a row that are printed.
const SHOWN: usize = 20;

fn main() -> ExitCode {
    if let Some(code) = speaks() {
        return code;
    }
    match command::copied() {
        Ok(None) => {}
        // The suites start this program and the command all the time, and a build beside them may replace both.
        Ok(Some(copy)) => return in_its_place(&copy),
        Err(error) => {
            eprintln!("faults: cannot copy the programs: {error}");
            return ExitCode::FAILURE;
        }
    }
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("faults: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Runs another program with these arguments.
fn in_its_place(program: &Path) -> ExitCode {
    match Command::new(program).args(std::env::args_os().skip(1)).status() {
        Ok(status) if status.success() => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("faults: cannot start `{}`: {error}", program.display());
            ExitCode::FAILURE
        }
    }
}

/// True when every promise held.
fn run() -> Result<bool, String> {
    let arguments = Arguments::read(std::env::args().skip(1))?;
    if arguments.is_page {
        report::bless()?;
        return Ok(true);
    }
    let bench = Bench { scale: arguments.scale, seed: arguments.seed };
    println!("the seed is {}", bench.seed);
    let (mut tries, mut failures) = (0, 0);
    for suite in arguments.suites {
        let start = Instant::now();
        let rows = match (suite.run)(&bench) {
            Ok(rows) => rows,
            Err(error) => {
                println!("{}: FAILED: it cannot be run: {error}", suite.name);
                failures += 1;
                continue;
            }
        };
        rows.iter().for_each(print);
        let tried = rows.iter().map(|row| row.tries).sum::<u64>();
        let failed = rows.iter().map(|row| row.failures.len()).sum::<usize>();
        println!("{}: {tried} tries, {failed} failed, {:.1} s", suite.name, start.elapsed().as_secs_f32());
        tries += tried;
        failures += failed;
        if arguments.is_blessed {
            report::keep(suite.name, bench.scale, rows)?;
        }
    }
    if arguments.is_blessed {
        report::bless()?;
    }
    println!("faults: {tries} tries, {failures} failed");
    Ok(failures == 0)
}

fn print(row: &Row) {
    let Row { promise, fault, tries, failures, seen } = row;
    println!("  {promise} | {fault} | {} failures in {tries} tries | {seen}", failures.len());
    failures.iter().take(SHOWN).for_each(|failure| println!("    FAILED: {failure}"));
}

struct Arguments {
    scale: Scale,
    seed: u64,
    is_blessed: bool,
    is_page: bool,
    suites: Vec<Suite>,
}

impl Arguments {
    fn read(mut given: impl Iterator<Item = String>) -> Result<Self, String> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(1, |now| now.as_secs());
        let mut arguments =
            Self { scale: Scale::Short, seed: now, is_blessed: false, is_page: false, suites: Vec::new() };
        let all = suites();
        while let Some(argument) = given.next() {
            match argument.as_str() {
                "--long" => arguments.scale = Scale::Long,
                "--bless" => arguments.is_blessed = true,
                "--page" => arguments.is_page = true,
                "--seed" => {
                    let number = given.next().and_then(|number| number.parse().ok());
                    arguments.seed = number.ok_or("--seed needs a number")?;
                }
                name => {
                    let suite = all.iter().find(|suite| suite.name == name);
                    let known = || all.iter().map(|suite| suite.name).collect::<Vec<_>>().join(", ");
                    arguments
                        .suites
                        .push(*suite.ok_or_else(|| format!("no suite is `{name}`; there are {}", known()))?);
                }
            }
        }
        if arguments.suites.is_empty() {
            arguments.suites = all;
        }
        Ok(arguments)
    }
}
