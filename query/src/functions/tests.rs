//! The table says of every function what is so.

use std::collections::BTreeSet;
use std::process::Command;

use super::row::Runs;
use super::table::{functions, row, rows, withheld};
use super::{Reads, prelude};
use crate::from_json;
use crate::testing::compiled;

/// What jq 1.6 alone has, as some systems build it: from the system's library of mathematics, or for its own use.
const OF_JQ_1_6: [&str; 4] = ["erf/0", "erfc/0", "isfinite/0", "scalars_or_empty/0"];

/// What is ours alone: jq has no such function.
const OURS: [&str; 2] = ["has_member/1", "error_empty/0"];

/// A call with this argument at each place.
fn call(name: &str, arity: usize, argument: &str) -> String {
    if arity == 0 { name.to_owned() } else { format!("{name}({})", vec![argument; arity].join("; ")) }
}

#[test]
fn no_function_has_two_rows_and_none_that_runs_is_withheld() {
    let mut seen = BTreeSet::new();
    for row in rows() {
        assert!(seen.insert((row.name, row.arity)), "{} stands twice", row.name);
        let is_withheld = matches!(row.runs, Runs::Withheld(_));
        assert_eq!(withheld(row.name).is_some(), is_withheld, "{}", row.name);
        assert_eq!(compiled(&call(row.name, row.arity, "."), &[]).is_err(), is_withheld, "{}/{}", row.name, row.arity);
    }
}

#[test]
fn every_definition_of_the_prelude_has_a_row_and_every_row_a_definition() {
    let preludes = rows().iter().filter(|row| matches!(row.runs, Runs::Prelude));
    let listed: BTreeSet<(&str, usize)> = preludes.map(|row| (row.name, row.arity)).collect();
    assert!(listed.into_iter().eq(prelude::definitions().keys().copied()));
}

#[test]
fn what_jq_has_is_in_the_table() {
    let Ok(jq) = Command::new("jq").args(["-nr", "builtins[]"]).output() else {
        println!("jq is not at hand: nothing was compared");
        return;
    };
    let names = String::from_utf8(jq.stdout).unwrap();
    let missing: Vec<&str> = names
        .lines()
        .filter(|name| {
            let (name, arity) = name.split_once('/').unwrap();
            row(name, arity.parse().unwrap()).is_none() && withheld(name).is_none()
        })
        .filter(|name| !OF_JQ_1_6.contains(name))
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
    for name in OURS {
        assert!(!names.lines().any(|known| known == name), "{name}");
        assert!(functions().any(|function| format!("{}/{}", function.name, function.arity) == name), "{name}");
    }
}

/// Values of every type.
const INPUTS: [&str; 19] = [
    "null",
    "true",
    "0",
    "-1.5",
    "1e3",
    r#""""#,
    r#""a""#,
    r#""é, b""#,
    r#""1""#,
    r#""true""#,
    r#""2015-03-05T23:51:47Z""#,
    "[]",
    "[0]",
    "[2015, 2, 5, 23, 51, 47, 4, 63]",
    r#"["a", "b"]"#,
    r#"[[1, 2], [3]]"#,
    r#"[{"key": "a", "value": 1}]"#,
    "{}",
    r#"{"a": [1], "b": null}"#,
];

#[test]
fn a_function_of_one_output_has_one_or_fails() {
    let mut failing = Vec::new();
    for row in rows().iter().filter(|row| row.one) {
        let mut outputs = 0;
        for argument in [".", "0", "\"a\"", "\"json\"", "\"%Y-%m-%dT%H:%M:%SZ\"", "[0]", "null", "{}"] {
            let filter = compiled(&call(row.name, row.arity, argument), &[]).unwrap();
            for input in INPUTS {
                let found: Vec<_> = filter.run(from_json(input).unwrap()).collect();
                assert!(found.len() == 1, "{}/{} of {argument} on {input}: {}", row.name, row.arity, found.len());
                outputs += usize::from(found[0].is_ok());
            }
        }
        if outputs == 0 {
            failing.push(row.name);
        }
    }
    assert_eq!(failing, ["error"]);
}

#[test]
fn a_function_sees_no_more_of_its_input_than_its_row_says() {
    let arguments = [".a", "\"a\"", ".a == 1", ".a[]?", "1"];
    for row in rows().iter().filter(|row| row.reads != Reads::All) {
        for argument in arguments {
            let text = call(row.name, row.arity, argument);
            // What is read of the output is read of the record too, where that may be the output.
            for text in [text.clone(), format!("[limit(3; {text})] | length"), format!("{text} | objects | .c")] {
                let Some(keys) = crate::testing::query(&text).reads().map(<[String]>::to_vec) else { continue };
                let filter = compiled(&text, &[]).unwrap();
                for (whole, keys) in [(r#"{"a":1,"b":2,"c":3}"#, &keys), (r#"{"a":[1,2],"b":[2],"c":"x"}"#, &keys)] {
                    let outputs = |json: &str| {
                        let found = filter.run(from_json(json).unwrap()).take(9);
                        found.map(|output| output.map(|value| value.to_json())).collect::<Vec<_>>()
                    };
                    let members: serde_json::Map<String, serde_json::Value> = serde_json::from_str(whole).unwrap();
                    let kept = members.into_iter().filter(|(key, _)| keys.contains(key)).collect();
                    assert_eq!(outputs(&serde_json::Value::Object(kept).to_string()), outputs(whole), "{text}");
                }
            }
        }
    }
}

/// The table as a page.
fn page() -> String {
    let mut rows: Vec<&super::Row> = rows().iter().collect();
    rows.sort_by_key(|row| (row.name, row.arity));
    let listed = |what: &dyn Fn(&super::Row) -> bool| {
        let names = rows.iter().filter(|row| row.is_public() || row.name.starts_with('@')).filter(|row| what(row));
        let names: Vec<String> = names
            .map(|row| if row.arity == 0 { format!("`{}`", row.name) } else { format!("`{}/{}`", row.name, row.arity) })
            .collect();
        names.join(", ")
    };
    let mut page = format!(
        "# Functions\n\nRendered from the table of functions (`src/functions/table.rs`) by its tests; `BLESS=1` writes it. \
         `name/2` takes two arguments, `name` none.\n\n## In Rust\n\n{}\n\n## In jq\n\n{}\n\n## With a fast form\n\n\
         On the bytes of a record:\n{}\n\nOn the array of all records:\n{}\n\n## Withheld\n\n| Name | Why |\n|---|---|\n",
        listed(&|row| matches!(row.runs, Runs::Native(_))),
        listed(&|row| matches!(row.runs, Runs::Prelude)),
        listed(&|row| row.fast.is_some()),
        listed(&|row| row.whole.is_some()),
    );
    for row in &rows {
        if let Runs::Withheld(why) = row.runs {
            page += &format!("| `{}` | {} |\n", row.name, why.reason());
        }
    }
    page
}

#[test]
fn the_page_of_functions_is_the_table() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/FUNCTIONS.md");
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(file, page()).unwrap();
    }
    assert_eq!(std::fs::read_to_string(file).unwrap_or_default(), page(), "BLESS=1 writes the page");
}
