//! The specification's recipes for memories: eight that hold everywhere, two that follow the detail (LRO-27, LRO-28).

use super::{Complaint, Parameter, ROW, Recipe};
use crate::detail::Detail;
use crate::query::{Program, Shape};

/// Recipes 1 to 10 at a level of detail.
pub(super) fn recipes(detail: Detail) -> [&'static Recipe; 10] {
    let [one, two, three, four, five, six, seven, eight] = UNIVERSAL.each_ref();
    let [nine, ten] = match detail {
        Detail::Light => LIGHT.each_ref(),
        Detail::Medium => MEDIUM.each_ref(),
        Detail::Full => FULL.each_ref(),
    };
    [one, two, three, four, five, six, seven, eight, nine, ten]
}

static UNIVERSAL: [Recipe; 8] = [
    Recipe {
        description: "List titles with namespaces",
        options: "-r",
        filter: "[.title, .namespace] | @tsv",
        label: "titles+namespaces",
        pattern: "titles with namespaces",
        native: Program {
            filter: "(objects, nulls) | [.title, .namespace] | @tsv",
            shape: Shape::Each,
            reads: Some(&["title", "namespace"]),
            raw: true,
        },
        ..ROW
    },
    FILTER_NAMESPACE,
    SEARCH_TITLES,
    PROJECT_IDS,
    FILTER_TYPE,
    Recipe {
        description: "Count by namespace",
        options: "-s",
        filter: "group_by(.namespace) | map({namespace: .[0].namespace, count: length})",
        label: "count by namespace",
        pattern: "count by namespace",
        native: Program {
            filter: "map(try .namespace catch null) | group_by(.) | map({namespace: .[0], count: length})",
            shape: Shape::All,
            reads: Some(&["namespace"]),
            raw: false,
        },
        ..ROW
    },
    Recipe {
        description: "Filter by tag",
        filter: r#"select(.tags | index("TAG"))"#,
        label: "filter tag",
        parameter: Some(Parameter { name: "tag", alias: None, default: "TAG" }),
        native: Program {
            filter: ".tags? | has_member($tag)",
            shape: Shape::Select,
            reads: Some(&["tags"]),
            raw: false,
        },
        ..ROW
    },
    Recipe {
        description: "Sort by created date",
        options: "-s",
        filter: "sort_by(.created)",
        label: "sort by date",
        native: Program {
            filter: "try .created catch null",
            shape: Shape::Sort { descending: false },
            reads: Some(&["created"]),
            raw: false,
        },
        ..ROW
    },
];

static LIGHT: [Recipe; 2] = [
    Recipe {
        description: "List unique namespaces",
        options: "-s",
        filter: "map(.namespace) | unique",
        label: "unique namespaces",
        native: Program {
            filter: "map(try .namespace catch null) | unique",
            shape: Shape::All,
            reads: Some(&["namespace"]),
            raw: false,
        },
        ..ROW
    },
    Recipe {
        description: "Count by memory_type",
        options: "-s",
        filter: "group_by(.memory_type) | map({memory_type: .[0].memory_type, count: length})",
        label: "count by memory_type",
        native: Program {
            filter: "map(try .memory_type catch null) | group_by(.) | map({memory_type: .[0], count: length})",
            shape: Shape::All,
            reads: Some(&["memory_type"]),
            raw: false,
        },
        ..ROW
    },
];

static MEDIUM: [Recipe; 2] = [
    Recipe {
        filter: "sort_by(.confidence) | reverse",
        native: Program {
            filter: "try .confidence catch null",
            shape: Shape::Sort { descending: true },
            reads: Some(&["confidence"]),
            raw: false,
        },
        ..BY_CONFIDENCE
    },
    SEARCH_CONTENT,
];

static FULL: [Recipe; 2] = [
    Recipe {
        filter: "sort_by(.provenance.confidence) | reverse",
        native: Program {
            filter: "try .provenance.confidence catch null",
            shape: Shape::Sort { descending: true },
            reads: Some(&["provenance"]),
            raw: false,
        },
        ..BY_CONFIDENCE
    },
    SEARCH_CONTENT,
];

const BY_CONFIDENCE: Recipe =
    Recipe { description: "Sort by confidence desc", options: "-s", label: "sort by confidence desc", ..ROW };

pub(super) const FILTER_NAMESPACE: Recipe = Recipe {
    description: "Filter by namespace prefix",
    filter: r#"select(.namespace | startswith("_semantic"))"#,
    label: "filter namespace",
    pattern: "by namespace",
    parameter: Some(Parameter { name: "namespace", alias: None, default: "_semantic" }),
    native: Program {
        filter: ".namespace? | strings | startswith($namespace)",
        shape: Shape::Select,
        reads: Some(&["namespace"]),
        raw: false,
    },
    complaint: Some(Complaint::ReportsWithout("namespace")),
    ..ROW
};

pub(super) const SEARCH_TITLES: Recipe = Recipe {
    description: "Search titles by keyword",
    filter: r#"select(.title | test("keyword"; "i"))"#,
    label: "search titles",
    pattern: "by keyword",
    parameter: Some(Parameter { name: "keyword", alias: None, default: "keyword" }),
    native: Program {
        filter: r#".title? | strings | test($keyword; "i")"#,
        shape: Shape::Select,
        reads: Some(&["title"]),
        raw: false,
    },
    complaint: Some(Complaint::ReportsWithout("title")),
    ..ROW
};

pub(super) const PROJECT_IDS: Recipe = Recipe {
    description: "Extract IDs and titles only",
    filter: "{id, title, namespace}",
    label: "IDs+titles",
    native: Program { filter: ".", shape: Shape::Project, reads: Some(&["id", "title", "namespace"]), raw: false },
    ..ROW
};

pub(super) const FILTER_TYPE: Recipe = Recipe {
    description: "Filter by memory type",
    filter: r#"select(.memory_type == "semantic")"#,
    label: "filter type",
    parameter: Some(Parameter { name: "memory_type", alias: None, default: "semantic" }),
    native: Program {
        filter: ".memory_type? == $memory_type",
        shape: Shape::Select,
        reads: Some(&["memory_type"]),
        raw: false,
    },
    ..ROW
};

pub(super) const SEARCH_CONTENT: Recipe = Recipe {
    description: "Full-text search in content",
    filter: r#"select(.content | test("pattern"; "i"))"#,
    label: "full-text search in content",
    parameter: Some(Parameter { name: "pattern", alias: Some("keyword"), default: "pattern" }),
    native: Program {
        filter: r#".content? | strings | test($pattern; "i")"#,
        shape: Shape::Select,
        reads: Some(&["content"]),
        raw: false,
    },
    complaint: Some(Complaint::ReportsWithout("content")),
    ..ROW
};
