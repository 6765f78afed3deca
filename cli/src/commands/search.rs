//! `lro search`: prints the lines of an offloaded file that match, as grep does.

use clap::Args;
use lro::{Findings, Hit, SearchRequest};
use serde_json::json;

use crate::continuation;
use crate::failure::Failure;
use crate::flags::with_flags;
use crate::global::{Global, open};
use crate::output::{self, counted};
use crate::source::SourceFlags;

const EXAMPLES: &str = "\
Examples:
  lro search FILE 'ERROR|FATAL'
  lro search FILE 'disk full' -i -C 5
  lro search FILE 'f(x)' --literal --limit 10
  lro search FILE error --json | jq .line

A line that matches is printed as LINE:CHARACTER:TEXT, a line around it as LINE-TEXT, and -- where lines are left
out. Lines and characters are counted from 1, and line 1 is the first record, or the first line of a text. With
--header the header is line 1, as in an editor and for lro extract --line. A line of more than 400 characters is cut.";

/// Print the lines of an offloaded file that match a regular expression
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Search {
    #[command(flatten)]
    source: SourceFlags,
    /// The regular expression; write -- before one that begins with a hyphen
    pattern: String,
    /// Let small and capital letters match each other
    #[arg(long, short)]
    ignore_case: bool,
    /// Take the pattern for a plain text
    #[arg(long, short = 'F', visible_alias = "fixed-strings")]
    literal: bool,
    /// Print this many lines before and after each hit, at most 20 [default: 2]
    #[arg(long, short = 'C', value_name = "N")]
    context: Option<u32>,
    /// Print this many lines before each hit
    #[arg(long, short = 'B', value_name = "N")]
    before: Option<u32>,
    /// Print this many lines after each hit
    #[arg(long, short = 'A', value_name = "N")]
    after: Option<u32>,
    /// Print at most this many hits, 50 at most
    #[arg(long, value_name = "N")]
    limit: Option<u32>,
    /// Continue where a cut page ended
    #[arg(long, value_name = "TOKEN")]
    next: Option<String>,
    /// Count the header as line 1, and search it too
    #[arg(long)]
    header: bool,
    /// Print each hit as a JSON object
    #[arg(long)]
    json: bool,
}

impl Search {
    pub(super) fn run(self, global: &Global) -> Result<(), Failure> {
        let source = self.source.source()?;
        let lro = open(self.source.options(global)?)?;
        let findings = lro.search(&source, &self.request()).map_err(|error| self.source.told(error))?;
        let lines = if self.json { findings.hits.iter().map(object).collect() } else { lines(&findings) };
        output::write(lines.as_bytes())?;
        for remark in &findings.remarks {
            output::remark(&with_flags(remark));
        }
        if let Some(token) = &findings.next {
            let hits = counted(findings.hits.len() as u64, "hit");
            let all = findings.total.map(|total| format!(" of {total}")).unwrap_or_default();
            output::remark(&format!("cut after {hits}{all}; go on with: {}", continuation::command(token)));
        }
        Ok(())
    }

    fn request(&self) -> SearchRequest {
        SearchRequest::of(self.pattern.clone())
            .ignore_case(self.ignore_case)
            .literal(self.literal)
            .context(self.context)
            .before(self.before)
            .after(self.after)
            .limit(self.limit)
            .header(self.header)
            .next(self.next.clone())
    }
}

fn object(hit: &Hit) -> String {
    let Hit { line, character, length, text, start, before, after } = hit;
    let object = json!({
        "line": line, "character": character, "length": length, "text": text, "start": start, "before": before, "after": after
    });
    format!("{object}\n")
}

/// The lines as `grep -n` prints them, each hit with its character.
fn lines(findings: &Findings) -> String {
    let mut text = String::new();
    let mut latest = None;
    for hit in &findings.hits {
        let first = hit.line.saturating_sub(u32::try_from(hit.before.len()).unwrap_or(u32::MAX));
        if latest.is_some_and(|latest| first > latest + 1) {
            text.push_str("--\n");
        }
        for (number, line) in (first..).zip(&hit.before) {
            text.push_str(&format!("{number}-{line}\n"));
        }
        text.push_str(&format!("{}:{}:{}\n", hit.line, hit.character, hit.text));
        for (number, line) in (hit.line.saturating_add(1)..).zip(&hit.after) {
            text.push_str(&format!("{number}-{line}\n"));
        }
        latest = Some(hit.line.saturating_add(u32::try_from(hit.after.len()).unwrap_or(u32::MAX)));
    }
    text
}
