//! The tables, as Markdown.

use std::fmt::Write;

use super::player::Outcome;
use super::strategies::about;
use super::task::Kind;

/// A strategy with what came out of its tasks.
pub struct Row {
    /// The strategy.
    pub name: &'static str,
    /// Tokens of the definitions of its tools.
    pub definitions: usize,
    /// What came out.
    pub outcomes: Vec<Outcome>,
}

impl Row {
    /// How many answers are right.
    pub fn right(&self) -> usize {
        self.outcomes.iter().filter(|outcome| outcome.is_right).count()
    }

    /// Calls a task, on average, of the tasks that meet a condition.
    pub fn calls(&self, counts: impl Fn(&Outcome) -> bool) -> f64 {
        mean(self.outcomes.iter().filter(|outcome| counts(outcome)).map(|outcome| outcome.calls))
    }

    /// Tokens that are read and written for a task, on average.
    pub fn cost(&self) -> f64 {
        mean(self.outcomes.iter().map(|outcome| outcome.read + outcome.written))
    }

    /// The middle one of a figure of all tasks.
    pub fn median(&self, figure: impl Fn(&Outcome) -> usize) -> usize {
        let mut figures: Vec<usize> = self.outcomes.iter().map(figure).collect();
        figures.sort_unstable();
        figures.get(figures.len() / 2).copied().unwrap_or_default()
    }
}

fn mean(figures: impl Iterator<Item = usize>) -> f64 {
    let (mut sum, mut count) = (0, 0);
    for figure in figures {
        sum += figure;
        count += 1;
    }
    if count == 0 { 0.0 } else { sum as f64 / count as f64 }
}

/// A number as a person reads it.
pub fn thousands(number: usize) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// All strategies: answers, calls and tokens.
pub fn strategies(rows: &[Row]) -> String {
    let mut out = String::from(
        "| strategy | right | calls, mean | of criteria | read, median | read, mean | written, mean | sent, mean \
         | definitions |\n\
         |---|---:|---:|---:|---:|---:|---:|---:|---:|\n",
    );
    for row in rows {
        let of = |figure: fn(&Outcome) -> usize| thousands(mean(row.outcomes.iter().map(figure)).round() as usize);
        writeln!(
            out,
            "| {} | {} of {} | {:.2} | {:.2} | {} | {} | {} | {} | {} |",
            about(row.name),
            row.right(),
            row.outcomes.len(),
            row.calls(|_| true),
            row.calls(|outcome| outcome.kind.is_for_criteria()),
            thousands(row.median(|outcome| outcome.read)),
            of(|outcome| outcome.read),
            of(|outcome| outcome.written),
            of(|outcome| outcome.sent),
            thousands(row.definitions),
        )
        .expect("a text takes all");
    }
    out
}

/// Tokens of the response of each descriptor, for each document.
pub fn responses(names: &[&str], documents: &[(String, usize, Vec<usize>)]) -> String {
    let mut out = format!("| document | tokens inline | {} |\n", names.join(" | "));
    out.push_str(&format!("|---|---:|{}\n", "---:|".repeat(names.len())));
    for (document, size, responses) in documents {
        let cells: Vec<String> = responses.iter().map(|tokens| thousands(*tokens)).collect();
        writeln!(out, "| {document} | {} | {} |", thousands(*size), cells.join(" | ")).expect("a text takes all");
    }
    for (label, choose) in [("median", median as fn(Vec<usize>) -> usize), ("maximum", largest)] {
        let column = |place: usize| thousands(choose(documents.iter().map(|document| document.2[place]).collect()));
        let cells: Vec<String> = (0..names.len()).map(column).collect();
        let size = thousands(choose(documents.iter().map(|document| document.1).collect()));
        writeln!(out, "| **{label}** | {size} | {} |", cells.join(" | ")).expect("a text takes all");
    }
    out
}

fn median(mut figures: Vec<usize>) -> usize {
    figures.sort_unstable();
    figures.get(figures.len() / 2).copied().unwrap_or_default()
}

fn largest(figures: Vec<usize>) -> usize {
    figures.into_iter().max().unwrap_or_default()
}

/// Answers and calls of each strategy for each kind of question.
pub fn kinds(rows: &[Row]) -> String {
    let mut kinds: Vec<Kind> = rows.iter().flat_map(|row| &row.outcomes).map(|outcome| outcome.kind).collect();
    kinds.sort_unstable();
    kinds.dedup();
    let mut out = String::from("| kind | questions |");
    rows.iter().for_each(|row| out.push_str(&format!(" `{}` |", row.name)));
    out.push_str(&format!("\n|---|---:|{}\n", "---:|".repeat(rows.len())));
    for kind in kinds {
        let of = |row: &Row| row.outcomes.iter().filter(|outcome| outcome.kind == kind).cloned().collect::<Vec<_>>();
        let name = serde_json::to_value(kind).unwrap_or_default();
        let count = rows.first().map_or(0, |row| of(row).len());
        write!(out, "| {} | {count} |", name.as_str().unwrap_or_default()).expect("a text takes all");
        for row in rows {
            let outcomes = of(row);
            let cost = mean(outcomes.iter().map(|outcome| outcome.read + outcome.written)).round() as usize;
            write!(out, " {} |", thousands(cost)).expect("a text takes all");
        }
        out.push('\n');
    }
    out
}
