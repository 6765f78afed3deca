//! Lines of a ledger added up, by day and tool.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::ledger::line::{Line, Outcome};

/// Sums of some lines.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Sums {
    pub(super) results: u64,
    pub(super) offloaded: u64,
    pub(super) truncated: u64,
    pub(super) bytes: u64,
    /// Tokens of the replaced results as the client would have shown them.
    pub(super) before: u64,
    /// Tokens of what took their place.
    pub(super) after: u64,
    pub(super) extractions: u64,
    pub(super) extractions_tokens: u64,
}

/// The sums of a day and a tool.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Entry {
    pub(super) day: String,
    pub(super) tool: String,
    pub(super) sums: Sums,
}

impl Sums {
    /// With offloading, minus without: what is saved is negative.
    pub(super) fn difference(&self) -> i64 {
        (self.after + self.extractions_tokens).cast_signed() - self.before.cast_signed()
    }

    pub(super) fn add(&mut self, other: &Self) {
        let pairs = [
            (&mut self.results, other.results),
            (&mut self.offloaded, other.offloaded),
            (&mut self.truncated, other.truncated),
            (&mut self.bytes, other.bytes),
            (&mut self.before, other.before),
            (&mut self.after, other.after),
            (&mut self.extractions, other.extractions),
            (&mut self.extractions_tokens, other.extractions_tokens),
        ];
        for (sum, more) in pairs {
            *sum = sum.saturating_add(more);
        }
    }

    fn take(&mut self, line: &Line) {
        let figure = |figure: Option<u64>| figure.unwrap_or(0).min(MOST_FIGURE);
        if line.outcome == Outcome::Extracted {
            self.extractions += 1;
            self.extractions_tokens += figure(line.after);
            return;
        }
        self.results += 1;
        self.offloaded += u64::from(line.outcome == Outcome::Offloaded);
        self.truncated += u64::from(line.outcome == Outcome::Truncated);
        self.bytes += figure(line.bytes);
        self.before += figure(line.before);
        self.after += figure(line.after);
    }

    pub(super) fn to_json(&self) -> Value {
        json!({
            "results": self.results,
            "offloaded": self.offloaded,
            "truncated": self.truncated,
            "bytes": self.bytes,
            "before": self.before,
            "after": self.after,
            "extractions": self.extractions,
            "extractions_tokens": self.extractions_tokens,
            "difference": self.difference(),
        })
    }
}

/// A figure of a line that was made up must not overflow a sum.
const MOST_FIGURE: u64 = 1 << 40;

/// The day of a line, if it begins with one.
pub(super) fn day(line: &Line) -> Option<&str> {
    line.time.get(..10).filter(|day| crate::days::parse(day).is_ok())
}

/// Days and tools that are told apart.
const MOST_ENTRIES: usize = 100_000;

/// Adds up the lines of a ledger.
#[derive(Debug, Default)]
pub(super) struct Summing(BTreeMap<(String, String), Sums>);

impl Summing {
    /// Adds a line, which has a day.
    pub(super) fn add(&mut self, line: &Line) {
        let key = (day(line).unwrap_or_default().to_owned(), line.tool.clone());
        if self.0.len() < MOST_ENTRIES || self.0.contains_key(&key) {
            self.0.entry(key).or_default().take(line);
        }
    }

    /// The sums by day and tool. An extraction knows its tool as the name of a file spells it.
    pub(super) fn entries(self) -> Vec<Entry> {
        let spelled: BTreeMap<String, String> = self
            .0
            .iter()
            .filter(|(_, sums)| sums.results > 0)
            .map(|((_, tool), _)| (as_in_files(tool), tool.clone()))
            .collect();
        let mut entries: BTreeMap<(String, String), Sums> = BTreeMap::new();
        for ((day, tool), sums) in self.0 {
            let tool = spelled.get(&as_in_files(&tool)).cloned().unwrap_or(tool);
            entries.entry((day, tool)).or_default().add(&sums);
        }
        entries.into_iter().map(|((day, tool), sums)| Entry { day, tool, sums }).collect()
    }
}

/// The name of a tool as it is in names of files (LRO-16), as far as that tells names apart.
fn as_in_files(tool: &str) -> String {
    let operation = match tool {
        "recall_memories" => "recall",
        "list_memories" => "list",
        "inject_context" => "inject",
        _ if tool.starts_with("search") => "search",
        _ => tool,
    };
    operation.chars().take(64).filter(char::is_ascii_alphanumeric).map(|letter| letter.to_ascii_lowercase()).collect()
}

/// The sums of entries with the same key, in its order.
pub(super) fn grouped_by(entries: &[Entry], key: impl Fn(&Entry) -> String) -> BTreeMap<String, Sums> {
    let mut groups: BTreeMap<String, Sums> = BTreeMap::new();
    for entry in entries {
        groups.entry(key(entry)).or_default().add(&entry.sums);
    }
    groups
}

/// The differences by day, and in each day by tool.
pub(super) fn by_day_and_tool(entries: &[Entry]) -> BTreeMap<String, BTreeMap<String, i64>> {
    let mut days: BTreeMap<String, BTreeMap<String, i64>> = BTreeMap::new();
    for entry in entries {
        let difference = entry.sums.difference();
        *days.entry(entry.day.clone()).or_default().entry(entry.tool.clone()).or_default() += difference;
    }
    days
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> Line {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn what_is_extracted_counts_against_what_is_saved() {
        let mut summing = Summing::default();
        for text in [
            r#"{"time":"2026-11-23T07:00:00Z","client":"claude","tool":"mcp__a__list","outcome":"offloaded","bytes":9000,"before":2000,"after":300}"#,
            r#"{"time":"2026-11-23T07:00:01Z","client":"claude","tool":"mcp__a__list","outcome":"inline","bytes":90}"#,
            r#"{"time":"2026-11-24T07:00:00Z","client":"lro","tool":"mcp-a-list","outcome":"extracted","after":2100}"#,
        ] {
            summing.add(&line(text));
        }
        let entries = summing.entries();
        let tools = grouped_by(&entries, |entry| entry.tool.clone());
        assert_eq!(tools.len(), 1);
        let list = &tools["mcp__a__list"];
        assert_eq!((list.results, list.offloaded, list.extractions, list.difference()), (2, 1, 1, 400));
        let days = by_day_and_tool(&entries);
        assert_eq!(days["2026-11-23"]["mcp__a__list"], -1700);
        assert_eq!(days["2026-11-24"]["mcp__a__list"], 2100);
    }

    #[test]
    fn a_line_without_a_day_counts_nowhere() {
        for time in ["", "yesterday", "2026-13-01T00:00:00Z"] {
            let text = format!(r#"{{"time":"{time}","client":"","tool":"","outcome":"inline"}}"#);
            assert_eq!(day(&line(&text)), None, "{time}");
        }
    }
}
