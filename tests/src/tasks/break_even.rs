//! By size of the result and share that is needed: which strategy is the cheapest. All runs are real ones.

use std::fmt::Write;

use serde_json::{Value, json};

use super::conversation::tokens;
use super::documents::Place;
use super::player::{Outcome, Player};
use super::table::thousands;
use super::task::{Condition, Document, Get, Kind, Operator, Source, Task, Want};

/// Records of the synthetic memories, about 120 tokens each.
const SIZES: [usize; 8] = [4, 8, 16, 40, 80, 160, 400, 1000];

/// What is needed: a value of one record, or so many records of a thousand, whole.
const SHARES: [(&str, usize); 5] = [("one value", 0), ("1 %", 10), ("10 %", 100), ("50 %", 500), ("all", 1000)];

/// Strategies that always find the answer.
pub const COMPARED: [&str; 7] = ["inline", "chunks", "preview", "preview-1600", "full", "compact", "bare"];

/// Every result is offloaded, however small: the table says where that pays.
const ALWAYS: &str = "threshold_tokens = 0\nmin_saving = 0.0\n";

/// The cheapest strategy for each size and share, with its tokens.
pub struct Row {
    /// Records of the document.
    pub records: usize,
    /// Tokens of the whole result.
    pub size: usize,
    /// For each share the costs of all strategies.
    pub costs: Vec<Vec<(&'static str, usize)>>,
}

/// Plays all sizes and shares.
///
/// # Errors
/// One line that says what failed.
pub fn rows(strategies: &[&'static str]) -> Result<Vec<Row>, String> {
    let documents: Vec<Document> = SIZES.into_iter().map(document).collect();
    let place = Place::new(&documents)?;
    let raws = place.raws(&documents)?;
    let mut rows = Vec::new();
    for (records, document) in SIZES.into_iter().zip(&documents) {
        let size = tokens(&raws[&document.name].text);
        rows.push(Row { records, size, costs: vec![Vec::new(); SHARES.len()] });
    }
    for name in COMPARED.into_iter().filter(|name| strategies.contains(name)) {
        let mut player = Player::new(&place, name).with(ALWAYS);
        for (row, document) in rows.iter_mut().zip(&documents) {
            let raw = &raws[&document.name];
            for ((_, share), costs) in SHARES.into_iter().zip(&mut row.costs) {
                let mut task = task(document, row.records, share);
                task.answer = raw.answer(&task)?;
                let outcome = player.play(raw, &task)?;
                if !outcome.is_right {
                    return Err(format!("`{name}` has a wrong answer for `{}`: {}", task.id, outcome.log));
                }
                costs.push((name, cost(&outcome)));
            }
        }
    }
    Ok(rows)
}

fn cost(outcome: &Outcome) -> usize {
    outcome.read + outcome.written
}

fn document(records: usize) -> Document {
    Document {
        name: format!("memories-{records}"),
        about: String::new(),
        source: Source::Made("memories".into(), records),
        tool: "read_text_file".into(),
        records: ".".into(),
        is_text: false,
    }
}

/// A question that needs a share of the records, or one value of the middle one.
fn task(document: &Document, records: usize, share: usize) -> Task {
    let id = |number: usize| format!("mem-{number:05}");
    let needed = (records * share).div_ceil(1000);
    let (operator, value, get, kind, jq) = if share == 0 {
        let middle = id(records / 2);
        let jq = format!("map(select(.id == {middle:?})) | first | .author");
        (Operator::Equal, middle, Get::Value("author".into()), Kind::LookUp, jq)
    } else {
        let jq = format!("map(select(.id < {:?}))", id(needed));
        (Operator::Less, id(needed), Get::Records, Kind::Filter, jq)
    };
    Task {
        id: format!("{}-{share}", document.name),
        document: document.name.clone(),
        question: String::new(),
        kind,
        want: Want { list: None, conditions: vec![Condition("id".into(), operator, json!(value))], get },
        jq,
        answer: Value::Null,
        share: 0.0,
    }
}

/// The cheapest for each size and share; behind it the share of what everything inline costs.
pub fn table(rows: &[Row]) -> String {
    let mut out = String::from("| records | tokens inline |");
    SHARES.iter().for_each(|(share, _)| out.push_str(&format!(" {share} |")));
    out.push_str("\n|---:|---:|---|---|---|---|---|\n");
    for row in rows {
        write!(out, "| {} | {} |", thousands(row.records), thousands(row.size)).expect("a text takes all");
        for costs in &row.costs {
            let (name, cost) = costs.iter().min_by_key(|(_, cost)| *cost).copied().unwrap_or(("", 0));
            write!(out, " `{name}` {} |", thousands(cost)).expect("a text takes all");
        }
        out.push('\n');
    }
    out
}

/// What one strategy costs, for each size and share.
pub fn costs_of(rows: &[Row], name: &str) -> String {
    let mut out = String::from("| tokens inline |");
    SHARES.iter().for_each(|(share, _)| out.push_str(&format!(" {share} |")));
    out.push_str("\n|---:|---:|---:|---:|---:|---:|\n");
    for row in rows {
        write!(out, "| {} |", thousands(row.size)).expect("a text takes all");
        for costs in &row.costs {
            let cost = costs.iter().find(|(one, _)| *one == name).map_or(0, |(_, cost)| *cost);
            write!(out, " {} |", thousands(cost)).expect("a text takes all");
        }
        out.push('\n');
    }
    out
}
