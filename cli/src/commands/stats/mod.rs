//! `lro stats`: what a ledger says was saved and lost, by tool and by day.

mod plot;
mod sums;

use std::fs::File;
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use serde_json::{Value, json};

use self::sums::{Entry, Sums};
use crate::failure::Failure;
use crate::figures::{Table, grouped, signed};
use crate::ledger::line::Line;
use crate::output::{self, counted};
use crate::{chart, days, json_lines};

const EXAMPLES: &str = "\
Examples:
  lro stats --ledger ~/.local/state/lro/ledger.jsonl
  lro stats --by day --since 2026-11-01 --svg saved.svg
  lro stats --json

The ledger is off unless it is asked for: `lro hook`, `lro proxy` and `lro mcp` append to the file that their --ledger or
the variable LRO_LEDGER names. BEFORE is what the client would have shown, with its own cut; AFTER is what the model got
instead. Tokens are estimated by script (mixed), off by 5 % on average. Extractions count as costs.";

/// Print what offloading saved and lost, by tool or day, from a ledger
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Stats {
    /// The ledger
    #[arg(long, value_name = "FILE", env = "LRO_LEDGER", hide_env_values = true)]
    ledger: Option<PathBuf>,
    /// Print a line for each tool, or for each day
    #[arg(long, value_name = "tool|day", default_value = "tool", hide_possible_values = true)]
    by: By,
    /// Leave out what was before this day
    #[arg(long, value_name = "YYYY-MM-DD", value_parser = days::parse)]
    since: Option<u64>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// Write a chart by day and tool to this file, as SVG
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Write the chart as PNG
    #[arg(long, value_name = "FILE")]
    png: Option<PathBuf>,
}

/// What a line of the table is.
#[derive(Clone, Copy, Debug, PartialEq, ValueEnum)]
enum By {
    Tool,
    Day,
}

/// A longer line is not one of ours.
const MOST_LINE_BYTES: usize = 64 * 1024;

impl Stats {
    pub(super) fn run(self) -> Result<(), Failure> {
        let path = self.ledger.as_ref().ok_or_else(|| {
            Failure::Usage("name the ledger, with `--ledger FILE` or the variable LRO_LEDGER".to_owned())
        })?;
        let entries = self.entries(path)?;
        let drawing = || plot::drawing(&sums::by_day_and_tool(&entries));
        if let Some(file) = &self.svg {
            write(file, chart::svg::text(&drawing()).as_bytes())?;
        }
        if let Some(file) = &self.png {
            write(file, &chart::png::bytes(&drawing()))?;
        }
        match self.json {
            true => output::line(&json(&entries).to_string()),
            false if entries.is_empty() => output::line("The ledger has no results."),
            false => output::write(self.text(&entries).as_bytes()),
        }
    }

    /// The lines of the ledger that count.
    fn entries(&self, path: &Path) -> Result<Vec<Entry>, Failure> {
        let failure = |error: io::Error| Failure::file(format!("read the ledger `{}`", path.display()), error);
        let file = File::open(path).map_err(failure)?;
        if !file.metadata().map_err(failure)?.is_file() {
            return Err(failure(io::Error::other("it is not a regular file")));
        }
        let first_day = self.since.map(days::date).unwrap_or_default();
        let (mut sums, mut foreign) = (sums::Summing::default(), 0_u64);
        let skipped = json_lines::each(BufReader::new(file), MOST_LINE_BYTES, |text| -> io::Result<()> {
            match serde_json::from_str::<Line>(text) {
                Ok(line) if sums::day(&line).is_some_and(|day| day >= first_day.as_str()) => sums.add(&line),
                Ok(line) if sums::day(&line).is_some() => {}
                _ => foreign += 1,
            }
            Ok(())
        });
        let skipped = skipped.map_err(failure)?;
        let unread = foreign + skipped.not_json + skipped.too_long;
        if unread > 0 {
            output::remark(&format!("{} of the ledger are not ours, and were skipped", counted(unread, "line")));
        }
        Ok(sums.entries())
    }

    fn text(&self, entries: &[Entry]) -> String {
        let (first, rows) = match self.by {
            By::Tool => ("TOOL", sums::grouped_by(entries, |entry| entry.tool.clone())),
            By::Day => ("DAY", sums::grouped_by(entries, |entry| entry.day.clone())),
        };
        let mut table =
            Table::new([first, "RESULTS", "OFFLOADED", "BEFORE", "AFTER", "EXTRACTIONS", "THEIR TOKENS", "DIFFERENCE"]);
        let mut total = Sums::default();
        for (name, sums) in &rows {
            total.add(sums);
            table.row(cells(name, sums));
        }
        table.row(cells("all", &total));
        let explained = "Tokens, estimated by script. The difference is AFTER and extractions minus BEFORE: − is saved, + is lost.\n\
                         BEFORE is what the client would have shown of the results that were replaced.\n";
        format!("{}\n{explained}", table.text())
    }
}

fn cells(name: &str, sums: &Sums) -> [String; 8] {
    [
        name.to_owned(),
        grouped(sums.results),
        grouped(sums.offloaded),
        grouped(sums.before),
        grouped(sums.after),
        grouped(sums.extractions),
        grouped(sums.extractions_tokens),
        signed(sums.difference()),
    ]
}

fn json(entries: &[Entry]) -> Value {
    let rows = |name: &str, key: fn(&Entry) -> String| {
        let rows = sums::grouped_by(entries, key).into_iter().map(|(value, sums)| {
            let mut row = sums.to_json();
            row[name] = value.into();
            row
        });
        rows.collect::<Vec<_>>()
    };
    let mut total = Sums::default();
    entries.iter().for_each(|entry| total.add(&entry.sums));
    json!({
        "sign": "the difference is after and extractions minus before: negative is saved, positive is lost",
        "tools": rows("tool", |entry| entry.tool.clone()),
        "days": rows("day", |entry| entry.day.clone()),
        "total": total.to_json(),
    })
}

fn write(file: &Path, bytes: &[u8]) -> Result<(), Failure> {
    std::fs::write(file, bytes).map_err(|error| Failure::file(format!("write `{}`", file.display()), error))
}
