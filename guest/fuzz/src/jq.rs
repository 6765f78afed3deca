//! Filters from a grammar on a record from a grammar: what ours gives is what the jq of this machine gives.
//!
//! jq starts once for several filters. What jq itself has changed between its versions, and where ours is the newer one on
//! purpose, is left out of the grammar or named in [`differs`].

use std::io::Write;
use std::process::{Command, Stdio};

use arbitrary::{Result, Unstructured};
use lro_query::{Limits, from_json, outputs};
use serde_json::Value;

use crate::grammar;

/// So many filters are compared at a time.
const FILTERS: usize = 12;

/// Runs the target.
pub fn run(data: &[u8]) {
    _ = compare(&mut Unstructured::new(data));
}

fn compare(bytes: &mut Unstructured<'_>) -> Result<()> {
    // jq 1.6 knows doubles alone; ours keeps the digits and the exponent, also in texts that are made of a number.
    let record = grammar::record(bytes)?.replace(EXPONENT, "1000");
    let mut filters = Vec::new();
    while filters.len() < FILTERS && (filters.is_empty() || !bytes.is_empty()) {
        let filter = grammar::filter(bytes, 3)?;
        if !differs(&filter) {
            filters.push(filter);
        }
    }
    for (filter, theirs) in filters.iter().zip(theirs(&filters, &record)) {
        let ours = ours(filter, &record);
        assert!(ours == theirs, "{filter} on {record}:\nours  {ours:?}\njq's  {theirs:?}");
    }
    Ok(())
}

/// What ours gives: nothing for a filter that fails.
fn ours(filter: &str, record: &str) -> Option<Vec<Value>> {
    let value = from_json(record).expect("a record is JSON");
    match outputs(filter, value, &Limits::default()) {
        Ok((outputs, None)) => Some(outputs.iter().map(|output| read(output)).collect()),
        Ok((_, Some(_))) => None,
        Err(error) => panic!("{filter}: {error:?}"),
    }
}

/// What jq gives: nothing for a filter that fails.
fn theirs(filters: &[String], record: &str) -> Vec<Option<Vec<Value>>> {
    let tried: Vec<String> =
        filters.iter().map(|filter| format!("(. as $record | try [{filter}] catch null)")).collect();
    let mut jq = Command::new("jq")
        .args(["-c", &tried.join(", ")])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("jq is installed");
    jq.stdin.take().expect("it is piped").write_all(record.as_bytes()).expect("jq reads its input");
    let printed = jq.wait_with_output().expect("jq ends");
    let text = String::from_utf8_lossy(&printed.stdout);
    assert!(printed.status.success(), "jq: {} for {}", String::from_utf8_lossy(&printed.stderr), tried.join(", "));
    text.lines().map(|line| read(line).as_array().cloned()).collect()
}

/// A value as doubles, which jq 1.6 makes of all numbers.
fn read(text: &str) -> Value {
    fn doubles(value: Value) -> Value {
        match value {
            Value::Number(number) => number.as_f64().map_or(Value::Null, Value::from),
            Value::Array(elements) => elements.into_iter().map(doubles).collect(),
            Value::Object(members) => members.into_iter().map(|(key, value)| (key, doubles(value))).collect(),
            other => other,
        }
    }
    doubles(serde_json::from_str(text).unwrap_or_else(|error| panic!("not JSON: {error}: {text}")))
}

/// Where jq 1.6, 1.7 and 1.8 differ from each other, and ours follows a later one.
fn differs(filter: &str) -> bool {
    filter.contains(EXPONENT) || NEWER.iter().any(|word| filter.contains(word))
}

/// The one number of the grammar that jq 1.6 writes in another way.
const EXPONENT: &str = "1e3";

/// jq 1.6 catches what fails behind `try` too, takes `error` of null for no result, makes null of what is updated to nothing,
/// and has no such functions.
const NEWER: [&str; 6] = ["try (", ")?)", "error", "|=", "ind", "trimstr"];
