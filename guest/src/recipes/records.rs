//! Recipes for records of any shape: they name no field, so that they hold for every record, and never fail on null.

use super::{Parameter, ROW, Recipe};
use crate::query::{Program, Shape};

/// A native program that selects records by a condition.
const fn select(condition: &'static str) -> Program<'static> {
    Program { filter: condition, shape: Shape::Select, reads: None, raw: false }
}

/// A native program over the array of all records.
const fn all(filter: &'static str) -> Program<'static> {
    Program { filter, shape: Shape::All, reads: None, raw: false }
}

pub(super) static RECIPES: [Recipe; 10] = [
    Recipe {
        description: "List records, one a line",
        options: "-c",
        filter: ".",
        label: "records",
        pattern: "records, one a line",
        native: select("true"),
        ..ROW
    },
    Recipe {
        description: "Filter by the beginning of a field's text",
        filter: r#"select(any(.[]?; strings | startswith("prefix")))"#,
        label: "filter by prefix",
        pattern: "by the beginning of a text",
        parameter: Some(Parameter { name: "prefix", alias: None, default: "prefix" }),
        native: select("any(.[]?; strings | startswith($prefix))"),
        ..ROW
    },
    Recipe {
        description: "Search whole records by keyword",
        filter: r#"select(tostring | test("keyword"; "i"))"#,
        label: "search records",
        pattern: "by keyword",
        parameter: Some(Parameter { name: "keyword", alias: None, default: "keyword" }),
        native: select(r#"tostring | test($keyword; "i")"#),
        ..ROW
    },
    Recipe {
        description: "List the fields of each record",
        options: "-c",
        filter: r#"if type == "object" then keys_unsorted else [] end"#,
        label: "fields",
        native: Program {
            filter: r#"if type == "object" then keys_unsorted else [] end"#,
            shape: Shape::Each,
            reads: None,
            raw: false,
        },
        ..ROW
    },
    Recipe {
        description: "Filter by a field's value",
        filter: r#"select(any(.[]?; . == "value"))"#,
        label: "filter by value",
        parameter: Some(Parameter { name: "value", alias: None, default: "value" }),
        native: select("any(.[]?; . == $value)"),
        ..ROW
    },
    Recipe {
        description: "Count by type of record",
        options: "-s",
        filter: "group_by(type) | map({type: (.[0] | type), count: length})",
        label: "count by type",
        pattern: "count by type of record",
        native: all("group_by(type) | map({type: (.[0] | type), count: length})"),
        ..ROW
    },
    Recipe {
        description: "Filter by a member of a list field",
        filter: r#"select(any(.[]?; arrays | index("member")))"#,
        label: "filter by member",
        parameter: Some(Parameter { name: "member", alias: None, default: "member" }),
        native: select("any(.[]?; arrays | index($member))"),
        ..ROW
    },
    Recipe {
        description: "Sort by the first field",
        options: "-s",
        filter: "sort_by([.[]?] | .[0])",
        label: "sort by first field",
        native: Program { filter: "[.[]?] | .[0]", shape: Shape::Sort { descending: false }, reads: None, raw: false },
        ..ROW
    },
    Recipe {
        description: "Count records",
        options: "-s",
        filter: "length",
        label: "count",
        native: all("length"),
        ..ROW
    },
    Recipe {
        description: "Full-text search in every text, at any depth",
        filter: r#"select(any(..; strings | test("pattern"; "i")))"#,
        label: "full-text search",
        parameter: Some(Parameter { name: "pattern", alias: Some("keyword"), default: "pattern" }),
        native: select(r#"any(..; strings | test($pattern; "i"))"#),
        ..ROW
    },
];
