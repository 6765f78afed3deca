//! Recipes for lines of text: logs, Markdown, CSV. jq reads each line as a string with `-R`.

use std::borrow::Cow::Borrowed as Fixed;

use lro_query::Shape;

use super::{Native, Parameter, ROW, Recipe};
use crate::fields::roles::Words;

/// Recipes 1 to 10, with words of the text where they are known.
pub(super) fn recipes(words: &Words) -> [Recipe; 10] {
    let looked_for = [
        (2, "prefix", &words.prefix),
        (3, "keyword", &words.keyword),
        (5, "value", &words.value),
        (7, "member", &words.member),
        (10, "pattern", &words.pattern),
    ];
    let mut recipes = RECIPES;
    for (number, name, value) in looked_for {
        let recipe = &mut recipes[number - 1];
        let alias = (number == 10).then_some("keyword");
        let parameter = Parameter { alias, ..Parameter::known(name, value.as_deref()) };
        recipe.filter = recipe.filter.replace("LITERAL", &parameter.default).into();
        recipe.parameter = Some(parameter);
    }
    recipes
}

/// A native program that is run on each line.
const fn each(filter: &'static str) -> Native {
    Native { filter: Fixed(filter), shape: Shape::Each, reads: None, raw: true }
}

/// A native program over the array of all lines.
const fn all(filter: &'static str) -> Native {
    Native { filter: Fixed(filter), shape: Shape::All, reads: None, raw: true }
}

/// The rows. `LITERAL` stands for the literal of the parameter, which is a plain word: it needs no escapes.
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
        filter: Fixed(r#"select(startswith("LITERAL"))"#),
        label: Fixed("filter by prefix"),
        pattern: Fixed("by prefix"),
        native: each("select(startswith($prefix))"),
        ..ROW
    },
    Recipe {
        description: Fixed("Search lines by keyword, in any case"),
        options: "-Rr",
        filter: Fixed(r#"select(test("LITERAL"; "i"))"#),
        label: Fixed("search lines"),
        pattern: Fixed("by keyword"),
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
        filter: Fixed(r#"select(contains("LITERAL"))"#),
        label: Fixed("filter by text"),
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
        filter: Fixed(r#"select(" " + . + " " | contains(" LITERAL "))"#),
        label: Fixed("filter by word"),
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
        filter: Fixed(r#"select(test("LITERAL"))"#),
        label: Fixed("full-text search"),
        native: each("select(test($pattern))"),
        ..ROW
    },
];
