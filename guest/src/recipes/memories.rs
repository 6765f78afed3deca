//! The specification's recipes for memories: eight that hold everywhere, two that follow the detail (LRO-27, LRO-28).

use std::borrow::Cow::Borrowed as Fixed;

use lro_query::Shape;

use super::{Complaint, Native, Parameter, ROW, Recipe};
use crate::fields::literals::Literal;
use crate::payload::detail::Detail;

/// Recipes 1 to 10 at a level of detail.
pub(super) fn recipes(detail: Detail) -> [Recipe; 10] {
    let [one, two, three, four, five, six, seven, eight] = UNIVERSAL;
    let [nine, ten] = match detail {
        Detail::Light => LIGHT,
        Detail::Medium => MEDIUM,
        Detail::Full => FULL,
    };
    [one, two, three, four, five, six, seven, eight, nine, ten]
}

const UNIVERSAL: [Recipe; 8] = [
    Recipe {
        description: Fixed("List titles with namespaces"),
        options: "-r",
        filter: Fixed("[.title, .namespace] | @tsv"),
        label: Fixed("titles+namespaces"),
        pattern: Fixed("titles with namespaces"),
        native: Native {
            filter: Fixed("(objects, nulls) | [.title, .namespace] | @tsv"),
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
        description: Fixed("Count by namespace"),
        options: "-s",
        filter: Fixed("group_by(.namespace) | map({namespace: .[0].namespace, count: length})"),
        label: Fixed("count by namespace"),
        pattern: Fixed("count by namespace"),
        native: Native {
            filter: Fixed("map(try .namespace catch null) | group_by(.) | map({namespace: .[0], count: length})"),
            shape: Shape::All,
            reads: Some(&["namespace"]),
            raw: false,
        },
        ..ROW
    },
    Recipe {
        description: Fixed("Filter by tag"),
        filter: Fixed(r#"select(.tags | index("TAG"))"#),
        label: Fixed("filter tag"),
        parameter: Some(Parameter::fixed("tag", "TAG")),
        literal: Some(Literal::Tag),
        native: Native {
            filter: Fixed(".tags? | has_member($tag)"),
            shape: Shape::Select,
            reads: Some(&["tags"]),
            raw: false,
        },
        ..ROW
    },
    Recipe {
        description: Fixed("Sort by created date"),
        options: "-s",
        filter: Fixed("sort_by(.created)"),
        label: Fixed("sort by date"),
        native: Native {
            filter: Fixed("try .created catch null"),
            shape: Shape::Sort { descending: false },
            reads: Some(&["created"]),
            raw: false,
        },
        ..ROW
    },
];

const LIGHT: [Recipe; 2] = [
    Recipe {
        description: Fixed("List unique namespaces"),
        options: "-s",
        filter: Fixed("map(.namespace) | unique"),
        label: Fixed("unique namespaces"),
        native: Native {
            filter: Fixed("map(try .namespace catch null) | unique"),
            shape: Shape::All,
            reads: Some(&["namespace"]),
            raw: false,
        },
        ..ROW
    },
    Recipe {
        description: Fixed("Count by memory_type"),
        options: "-s",
        filter: Fixed("group_by(.memory_type) | map({memory_type: .[0].memory_type, count: length})"),
        label: Fixed("count by memory_type"),
        native: Native {
            filter: Fixed("map(try .memory_type catch null) | group_by(.) | map({memory_type: .[0], count: length})"),
            shape: Shape::All,
            reads: Some(&["memory_type"]),
            raw: false,
        },
        ..ROW
    },
];

const MEDIUM: [Recipe; 2] = [
    Recipe {
        filter: Fixed("sort_by(.confidence) | reverse"),
        native: Native {
            filter: Fixed("try .confidence catch null"),
            shape: Shape::Sort { descending: true },
            reads: Some(&["confidence"]),
            raw: false,
        },
        ..BY_CONFIDENCE
    },
    SEARCH_CONTENT,
];

const FULL: [Recipe; 2] = [
    Recipe {
        filter: Fixed("sort_by(.provenance.confidence) | reverse"),
        native: Native {
            filter: Fixed("try .provenance.confidence catch null"),
            shape: Shape::Sort { descending: true },
            reads: Some(&["provenance"]),
            raw: false,
        },
        ..BY_CONFIDENCE
    },
    SEARCH_CONTENT,
];

const BY_CONFIDENCE: Recipe = Recipe {
    description: Fixed("Sort by confidence desc"),
    options: "-s",
    label: Fixed("sort by confidence desc"),
    ..ROW
};

pub(super) const FILTER_NAMESPACE: Recipe = Recipe {
    description: Fixed("Filter by namespace prefix"),
    filter: Fixed(r#"select(.namespace | startswith("_semantic"))"#),
    label: Fixed("filter namespace"),
    pattern: Fixed("by namespace"),
    parameter: Some(Parameter::fixed("namespace", "_semantic")),
    literal: Some(Literal::Namespace),
    native: Native {
        filter: Fixed(".namespace? | strings | startswith($namespace)"),
        shape: Shape::Select,
        reads: Some(&["namespace"]),
        raw: false,
    },
    complaint: Some(Complaint::ReportsWithout("namespace")),
    ..ROW
};

pub(super) const SEARCH_TITLES: Recipe = Recipe {
    description: Fixed("Search titles by keyword"),
    filter: Fixed(r#"select(.title | test("keyword"; "i"))"#),
    label: Fixed("search titles"),
    pattern: Fixed("by keyword"),
    parameter: Some(Parameter::fixed("keyword", "keyword")),
    literal: Some(Literal::Title),
    native: Native {
        filter: Fixed(r#".title? | strings | test($keyword; "i")"#),
        shape: Shape::Select,
        reads: Some(&["title"]),
        raw: false,
    },
    complaint: Some(Complaint::ReportsWithout("title")),
    ..ROW
};

pub(super) const PROJECT_IDS: Recipe = Recipe {
    description: Fixed("Extract IDs and titles only"),
    filter: Fixed("{id, title, namespace}"),
    label: Fixed("IDs+titles"),
    native: Native {
        filter: Fixed("."),
        shape: Shape::Project,
        reads: Some(&["id", "title", "namespace"]),
        raw: false,
    },
    ..ROW
};

pub(super) const FILTER_TYPE: Recipe = Recipe {
    description: Fixed("Filter by memory type"),
    filter: Fixed(r#"select(.memory_type == "semantic")"#),
    label: Fixed("filter type"),
    parameter: Some(Parameter::fixed("memory_type", "semantic")),
    literal: Some(Literal::MemoryType),
    native: Native {
        filter: Fixed(".memory_type? == $memory_type"),
        shape: Shape::Select,
        reads: Some(&["memory_type"]),
        raw: false,
    },
    ..ROW
};

pub(super) const SEARCH_CONTENT: Recipe = Recipe {
    description: Fixed("Full-text search in content"),
    filter: Fixed(r#"select(.content | test("pattern"; "i"))"#),
    label: Fixed("full-text search in content"),
    parameter: Some(Parameter {
        name: "pattern",
        alias: Some("keyword"),
        default: Fixed("pattern"),
        is_placeholder: false,
    }),
    literal: Some(Literal::Content),
    native: Native {
        filter: Fixed(r#".content? | strings | test($pattern; "i")"#),
        shape: Shape::Select,
        reads: Some(&["content"]),
        raw: false,
    },
    complaint: Some(Complaint::ReportsWithout("content")),
    ..ROW
};
