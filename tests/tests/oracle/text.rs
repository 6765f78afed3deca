//! The ten recipes of a text against the real jq, line by line (READ-23).

use lro_tests::{jq, records};
use serde_json::{Value, json};

use super::offloaded::{Case, Offloaded, Recipe};

/// Lines in which the printed literals stand, odd ones, equal ones, and ones of the same length.
const LINES: [&str; 24] = [
    "prefix one",
    "",
    "PREFIX two keyword",
    "KEYWORD value",
    "a member stands alone",
    "amember",
    "member",
    "pattern here",
    "ERROR: value lost",
    "Fatal: the end",
    "warning: pattern",
    "Info prefix",
    "trace of a keyword",
    "{\"json\": [1, \"value\"]}",
    "\"quoted\"\\",
    "tab\tmember \u{1}\u{7f}",
    "ends with a return\r",
    "é中😀 keyword",
    "\u{212a}eyword of another sign",
    "prefix one",
    "zz",
    "aa",
    "Zz",
    "no end of the file: prefix",
];

fn given(lines: &[&str]) -> Vec<String> {
    let long = "a long line with a keyword, é ".repeat(30);
    lines.iter().map(|line| (*line).to_owned()).chain([long.clone(), long + "."]).collect()
}

#[test]
fn recipes_of_a_text_give_what_jq_gives() {
    let odd = given(&LINES).join("\n");
    let upside_down: Vec<&str> = LINES.iter().rev().copied().collect();
    let texts = [odd.clone(), odd + "\n", given(&upside_down).join("\n"), records::log(500)];
    for text in texts {
        let file = Case::new("a text", &text, json!({"operation": "read_log"}), json!({})).offload();
        for recipe in &file.recipes {
            let (ours, theirs) = (file.ours(recipe.number, json!({})).unwrap(), theirs(&file, recipe));
            match recipe.options.contains('r') || matches!(recipe.number, 8 | 9) {
                true => assert_eq!(ours, theirs, "{}", recipe.command),
                false => assert_eq!(values(&ours), values(&theirs), "{}", recipe.command),
            }
        }
    }
}

/// The lines that a printed command gives. An array stands for its elements, and its strings stand bare.
fn theirs(file: &Offloaded, recipe: &Recipe) -> Vec<String> {
    let printed = jq::command(&recipe.command, file.folder.path());
    assert_eq!((printed.status, &*printed.stderr), (Some(0), ""), "{}", recipe.command);
    if !recipe.options.contains('n') {
        return printed.stdout.split_terminator('\n').map(str::to_owned).collect();
    }
    let elements: Vec<Value> = serde_json::from_str(&printed.stdout).unwrap();
    elements.iter().map(|element| element.as_str().map_or_else(|| element.to_string(), str::to_owned)).collect()
}

fn values(lines: &[String]) -> Vec<Value> {
    lines.iter().map(|line| serde_json::from_str(line).unwrap()).collect()
}
