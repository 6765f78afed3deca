//! Every fast form against the function that it stands for: each row of the table that has one, on values of all types.

use proptest::prelude::*;
use proptest::sample::select;

use super::{SetPlan, StreamPlan, agree, program, variables};
use crate::Shape;
use crate::functions::Row;
use crate::functions::table::rows;
use crate::run::input::Form;
use crate::run::page::PageLimits;

/// Values of all types, the odd ones too.
const VALUES: [&str; 40] = [
    "null",
    "true",
    "false",
    "0",
    "-0",
    "1",
    "1.50",
    "-3",
    "1e3",
    "12345678901234567890",
    r#""""#,
    r#""a""#,
    r#""A""#,
    r#""b/a/b""#,
    r#""é""#,
    r#""\u00e9b""#,
    r#""\u212a""#,
    r#""a\tb\\\"c\n""#,
    r#""\u0000""#,
    r#""😀 a""#,
    r#""2015-03-05T23:51:47Z""#,
    r#""YQ==""#,
    r#"" 12 ""#,
    r#""[1]""#,
    "[]",
    "[null]",
    "[1, 2, 1]",
    r#"["a"]"#,
    r#"["b", "a", "ab"]"#,
    r#"["\u0061", "é"]"#,
    r#"["a", 1, null, true]"#,
    r#"[["a"], {"a": 1}]"#,
    r#"[{"a": null}, {"a": false}]"#,
    "[false, null]",
    "{}",
    r#"{"a": 1}"#,
    r#"{"b": "a", "a": "b"}"#,
    r#"{"\u0061": [1], "b": {"c": true}}"#,
    r#"{"a": 1, "a": 2}"#,
    r#"{"é": "a", "c\n": 1}"#,
];

/// Arguments: values of all types, and filters with one output, none or many.
const ARGUMENTS: [&str; 19] = [
    "\"a\"",
    "\"\"",
    "\"é\"",
    "\"/\"",
    "\"i\"",
    "0",
    "null",
    "[\"a\"]",
    "[]",
    "2",
    "{}",
    ".",
    ".a",
    ".a, .b.c",
    ".a?",
    ".[]?",
    ". == \"a\"",
    "$v",
    "strings",
];

/// What a function is called on.
const BEFORE: [&str; 6] = [
    "",
    ".a | ",
    "[.a, .b] | ",
    "{a, b: 1} | ",
    "(\"x\" + .a) | ",
    "[{key: \"a\", value: .a}, {key: \"b\", value: 1}] | ",
];

/// Functions whose outputs no plan has: objects, NaN and infinities. The general engine is always asked.
const SILENT: [&str; 2] = ["infinite", "nan"];

/// True for a function that a plan can call.
fn has_form(row: &Row) -> bool {
    row.fast.is_some() || (row.plain.is_some() && !row.name.starts_with('_'))
}

/// Every call of a function with these arguments.
fn calls(row: &Row) -> Vec<String> {
    let mut calls = vec![String::new()];
    for place in 0..row.arity {
        let open = if place == 0 { "(" } else { "; " };
        // A second argument goes with every third of the first ones.
        let calls_so_far = calls.iter().step_by(if place == 0 { 1 } else { 3 });
        calls = calls_so_far.flat_map(|call| ARGUMENTS.map(|argument| format!("{call}{open}{argument}"))).collect();
    }
    let close = if row.arity == 0 { "" } else { ")" };
    calls.into_iter().map(|call| bounded(row.name, format!("{}{call}{close}", row.name))).collect()
}

/// A call that ends: a range to one of the larger numbers would not.
fn bounded(name: &str, call: String) -> String {
    if name == "range" { format!("limit(9; {call})") } else { call }
}

/// The values, each as a record and as a member of one.
fn records() -> Vec<String> {
    let member = |(i, value): (usize, &&str)| format!("{{\"a\":{value},\"b\":{}}}", VALUES[(i * 7 + 3) % VALUES.len()]);
    VALUES.iter().map(|value| (*value).to_owned()).chain(VALUES.iter().enumerate().map(member)).collect()
}

#[test]
fn every_fast_form_says_what_its_function_says() {
    let lines = records();
    let text = lines.join("\n");
    let mut silent = Vec::new();
    for row in rows().iter().filter(|row| has_form(row)) {
        let mut known = 0;
        for call in calls(row) {
            for before in BEFORE {
                let program = program(&format!("{before}{call}"), Shape::Each);
                // A call that is not lowered has no fast form to compare.
                let Some(mut plan) = StreamPlan::of(program, &variables(), 128, Form::Json) else { continue };
                known += lines.iter().filter(|line| plan.knows(line.as_bytes())).count();
                agree(program, &text, PageLimits::default()).unwrap_or_else(|error| panic!("{before}{call}: {error}"));
            }
        }
        if known == 0 {
            silent.push(row.name);
        }
    }
    assert_eq!(silent, SILENT);
}

#[test]
fn every_form_on_the_whole_set_says_what_its_function_says() {
    let sets = [records(), vec!["{\"a\":2}".to_owned(), "{\"a\":1}".to_owned(), "{\"b\":1}".to_owned()], Vec::new()];
    let alone = sets.iter().map(|lines| lines.join("\n"));
    // Values of one type are what a form can put in order.
    let texts: Vec<String> =
        VALUES.iter().map(|value| format!("{{\"a\":{value}}}\n\"x\"\n{value}")).chain(alone).collect();
    for row in rows().iter().filter(|row| row.whole.is_some()) {
        let mut planned = 0;
        for call in calls(row).into_iter().chain([format!("{}(.a)", row.name)]) {
            for after in ["", " | map({n: length, a: .[0].a?})", " | reverse", " | .[:2]"] {
                let filter = format!("{call}{after}");
                let Ok(query) = crate::testing::parsed(&filter) else { continue };
                if crate::compile(query, &variables()).is_err() {
                    continue;
                }
                let program = program(&filter, Shape::All);
                let Some(plan) = SetPlan::of(program, &variables()) else { continue };
                planned += usize::from(plan.is_stepped());
                for text in &texts {
                    let limits = PageLimits { chunk_bytes: None, ..PageLimits::default() };
                    agree(program, text, limits).unwrap_or_else(|error| panic!("{filter} on {text}: {error}"));
                }
            }
        }
        assert!(planned > 0, "{}/{}: its form is never planned", row.name, row.arity);
    }
}

/// A call of a function that has a fast form.
pub(super) fn any_call() -> impl Strategy<Value = String> {
    let fast = rows().iter().filter(|row| has_form(row));
    let functions: Vec<(&str, usize)> = fast.map(|row| (row.name, row.arity)).collect();
    let argument = || select(&ARGUMENTS[..]);
    (select(functions), argument(), argument()).prop_map(|((name, arity), first, second)| match arity {
        0 => name.to_owned(),
        1 => bounded(name, format!("{name}({first})")),
        _ => bounded(name, format!("{name}({first}; {second})")),
    })
}
