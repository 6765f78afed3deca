//! The tables, as Markdown.

use std::fmt::Write;

use super::player::Outcome;
use super::strategies::about;

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
        if place > 0 && (digits.len() - place) % 3 == 0 {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// All strategies: answers, calls and tokens.
pub fn strategies(rows: &[Row]) -> String {
    let mut out = String::from(
        "| strategy | right | calls, mean | of criteria | read, median | read, mean | written, mean | sent, mean | definitions |\n\
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
