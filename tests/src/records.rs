//! Records that are no memories, to measure with, and a log: each corpus is the same one every time.

use std::fmt::Write;

use crate::corpus::Chance;

const WORDS: [&str; 20] = [
    "cache", "index", "retry", "deploy", "token", "session", "metric", "shard", "queue", "parser", "schema", "vector",
    "prompt", "latency", "budget", "model", "trace", "user", "error", "timeout",
];

/// Issues as an API gives them, about 550 bytes each: nested objects, a list, null, and a long text.
pub fn issues(count: usize) -> String {
    let labels = ["[]", r#"["bug"]"#, r#"["docs","perf"]"#, r#"["bug","question","infra"]"#];
    array(count, |out, number, chance| {
        let assignee = if number % 3 == 0 { r#"{"login":"amy"}"# } else { "null" };
        let (state, labels) = (chance.pick(&["open", "closed"]), chance.pick(&labels));
        let (login, comments) = (format!("{}{}", chance.pick(&WORDS), chance.below(40)), chance.below(40));
        let (title, body) = (words(chance, 5), words(chance, 60));
        let created = day(chance);
        write!(
            out,
            r#"{{"number":{number},"title":"{title}","state":"{state}","labels":{labels},"user":{{"login":"{login}","id":{number}}},"comments":{comments},"created_at":"{created}T08:30:00Z","body":"{body}","assignee":{assignee}}}"#,
        )
    })
}

/// Rows of a table, about 130 bytes each: eight narrow columns.
pub fn rows(count: usize) -> String {
    array(count, |out, number, chance| {
        let Row { customer, amount, currency, paid, created, country } = Row::of(chance);
        let note = if has_note(number) { r#""call back""# } else { "null" };
        write!(
            out,
            r#"{{"id":{number},"customer":"c{customer}","amount":{amount},"currency":"{currency}","paid":{paid},"created_at":"{created}","country":"{country}","note":{note}}}"#,
        )
    })
}

/// The same rows as CSV, about 45 bytes each.
pub fn csv(count: usize) -> String {
    let (mut out, mut chance) = (String::from("id,customer,amount,currency,paid,created_at,country,note\n"), Chance(7));
    for number in 0..count {
        let Row { customer, amount, currency, paid, created, country } = Row::of(&mut chance);
        let note = if has_note(number) { "call back" } else { "" };
        writeln!(out, "{number},c{customer},{amount},{currency},{paid},{created},{country},{note}")
            .expect("a text can be written to");
    }
    out
}

/// What is random in a row.
struct Row {
    customer: usize,
    amount: f64,
    currency: &'static str,
    paid: bool,
    created: String,
    country: &'static str,
}

impl Row {
    fn of(chance: &mut Chance) -> Self {
        let (customer, cents, paid) = (chance.below(9000), chance.below(100_000), chance.one_in(2));
        let (amount, created) = (cents as f64 / 100.0, day(chance));
        let (currency, country) = (chance.pick(&["EUR", "USD", "GBP"]), chance.pick(&["DE", "FR", "US", "GB"]));
        Self { customer, amount, currency, paid, created, country }
    }
}

fn has_note(number: usize) -> bool {
    number.is_multiple_of(3)
}

/// Lines of an access log, about 100 bytes each, in the order of their times; some are empty.
pub fn log(count: usize) -> String {
    let (mut out, mut chance) = (String::new(), Chance(7));
    for number in 0..count {
        if number % 1000 != 999 {
            log_line(&mut out, number, &mut chance).expect("a text can be written to");
        }
        out.push('\n');
    }
    out
}

fn log_line(out: &mut String, number: usize, chance: &mut Chance) -> std::fmt::Result {
    let paths = ["/", "/api/v1/items", "/static/app.js", "/login", "/search?q=", "/error", "/admin/debug", "/img/"];
    let agents = ["Mozilla/5.0", "curl/8.1", "python-requests/2.31", "Googlebot/2.1"];
    let (a, b) = (1 + chance.below(200), chance.below(20));
    let (hour, minute, second) = (number / 3600 % 24, number / 60 % 60, number % 60);
    let (path, id, bytes) = (chance.pick(&paths), chance.below(5000), 100 + chance.below(90_000));
    let (status, agent) = (chance.pick(&[200, 200, 200, 304, 404, 500]), chance.pick(&agents));
    write!(
        out,
        r#"{a}.{b}.17.4 - - [22/Nov/2026:{hour:02}:{minute:02}:{second:02} +0000] "GET {path}{id} HTTP/1.1" {status} {bytes} "{agent}""#
    )
}

fn array(count: usize, mut record: impl FnMut(&mut String, usize, &mut Chance) -> std::fmt::Result) -> String {
    let (mut out, mut chance) = (String::from("["), Chance(7));
    for number in 0..count {
        out.push_str(if number == 0 { "" } else { "," });
        record(&mut out, number, &mut chance).expect("a text can be written to");
    }
    out + "]"
}

fn words(chance: &mut Chance, count: usize) -> String {
    (0..count).map(|_| chance.pick(&WORDS)).collect::<Vec<_>>().join(" ")
}

fn day(chance: &mut Chance) -> String {
    format!("2026-{:02}-{:02}", 1 + chance.below(12), 1 + chance.below(28))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn corpora_are_json() {
        for (text, fields) in [(issues(50), 9), (rows(50), 8), (rows(0), 0)] {
            let records: Vec<serde_json::Map<String, serde_json::Value>> = serde_json::from_str(&text).unwrap();
            assert!(records.iter().all(|record| record.len() == fields), "{text}");
        }
    }

    #[test]
    fn csv_has_the_same_rows() {
        let rows: Vec<serde_json::Value> = serde_json::from_str(&rows(20)).unwrap();
        let text = csv(20);
        assert_eq!(text.lines().count(), 21);
        for (line, row) in text.lines().skip(1).zip(&rows) {
            let cells: Vec<String> = row
                .as_object()
                .unwrap()
                .values()
                .map(|cell| match cell {
                    serde_json::Value::Null => String::new(),
                    serde_json::Value::String(text) => text.clone(),
                    other => other.to_string(),
                })
                .collect();
            assert_eq!(line, cells.join(","));
        }
    }

    #[test]
    fn a_log_has_lines_of_text() {
        let text = log(1000);
        assert_eq!(text.lines().count(), 1000);
        assert!(text.lines().any(str::is_empty) && text.lines().any(|line| line.contains("error")));
    }
}
