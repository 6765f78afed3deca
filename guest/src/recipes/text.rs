//! Recipes for lines of text: logs, Markdown, CSV. jq reads each line as a string with `-R`.

use std::borrow::Cow::Borrowed as Fixed;

use lro_query::Shape;

use super::{Native, Parameter, ROW, Recipe};

/// Recipes 1 to 10.
pub(super) fn recipes() -> [Recipe; 10] {
    RECIPES
}

/// A native program that is run on each line.
const fn each(filter: &'static str) -> Native {
    Native { filter: Fixed(filter), shape: Shape::Each, reads: None, raw: true }
}

/// A native program over the array of all lines.
const fn all(filter: &'static str) -> Native {
    Native { filter: Fixed(filter), shape: Shape::All, reads: None, raw: true }
}

const fn parameter(name: &'static str) -> Option<Parameter> {
    Some(Parameter { name, alias: None, default: Fixed(name) })
}

const RECIPES: [Recipe; 10] = [
    Recipe {
        description: Fixed("List the first 120 characters of each line"),
        options: "-Rr",
        filter: Fixed(".[0:120]"),
        label: Fixed("lines"),
        pattern: Fixed("the beginning of each line"),
        native: each(".[0:120]"),
        ..ROW
    },
    Recipe {
        description: Fixed("Filter by the beginning of a line"),
        options: "-Rr",
        filter: Fixed(r#"select(startswith("prefix"))"#),
        label: Fixed("filter by prefix"),
        pattern: Fixed("by prefix"),
        parameter: parameter("prefix"),
        native: each("select(startswith($prefix))"),
        ..ROW
    },
    Recipe {
        description: Fixed("Search lines by keyword, in any case"),
        options: "-Rr",
        filter: Fixed(r#"select(test("keyword"; "i"))"#),
        label: Fixed("search lines"),
        pattern: Fixed("by keyword"),
        parameter: parameter("keyword"),
        native: each(r#"select(test($keyword; "i"))"#),
        ..ROW
    },
    Recipe {
        description: Fixed("List each line's length and first 40 characters"),
        options: "-Rc",
        filter: Fixed("{length: length, start: .[0:40]}"),
        label: Fixed("lengths"),
        native: each("{length: length, start: .[0:40]}"),
        ..ROW
    },
    Recipe {
        description: Fixed("Filter lines that contain a text, in this case"),
        options: "-Rr",
        filter: Fixed(r#"select(contains("value"))"#),
        label: Fixed("filter by text"),
        parameter: parameter("value"),
        native: each("select(contains($value))"),
        ..ROW
    },
    Recipe {
        description: Fixed("Count lines by level of severity"),
        options: "-Rnc",
        filter: Fixed(
            r#"[inputs | if test("error|fatal|critical"; "i") then "error" elif test("warn"; "i") then "warning" elif test("info|notice"; "i") then "info" elif test("debug|trace"; "i") then "debug" else "none" end] | group_by(.) | map({level: .[0], count: length})"#,
        ),
        label: Fixed("count by level"),
        pattern: Fixed("count by level of severity"),
        native: all(
            r#"map(if test("error|fatal|critical"; "i") then "error" elif test("warn"; "i") then "warning" elif test("info|notice"; "i") then "info" elif test("debug|trace"; "i") then "debug" else "none" end) | group_by(.) | map({level: .[0], count: length})"#,
        ),
        ..ROW
    },
    Recipe {
        description: Fixed("Filter by a whole word, between spaces"),
        options: "-Rr",
        filter: Fixed(r#"select(" " + . + " " | contains(" member "))"#),
        label: Fixed("filter by word"),
        parameter: parameter("member"),
        native: each(r#"select(" " + . + " " | contains(" " + $member + " "))"#),
        ..ROW
    },
    Recipe {
        description: Fixed("Sort lines"),
        options: "-Rn",
        filter: Fixed("[inputs] | sort"),
        label: Fixed("sort"),
        native: all("sort"),
        ..ROW
    },
    Recipe {
        description: Fixed("List the ten longest lines, each cut to 400 characters"),
        options: "-Rn",
        filter: Fixed("[inputs] | sort_by(length) | reverse | .[:10] | map(.[0:400])"),
        label: Fixed("longest lines"),
        native: all("sort_by(length) | reverse | .[:10] | map(.[0:400])"),
        ..ROW
    },
    Recipe {
        description: Fixed("Search lines by a regular expression"),
        options: "-Rr",
        filter: Fixed(r#"select(test("pattern"))"#),
        label: Fixed("full-text search"),
        parameter: Some(Parameter { name: "pattern", alias: Some("keyword"), default: Fixed("pattern") }),
        native: each("select(test($pattern))"),
        ..ROW
    },
];
