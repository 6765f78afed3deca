//! The ten recipes of the specification's early version (EARLY-02), the same at every detail.

use super::memories::{FILTER_NAMESPACE, FILTER_TYPE, PROJECT_IDS, SEARCH_CONTENT, SEARCH_TITLES};
use super::{Complaint, ROW, Recipe};
use crate::query::{Program, Shape};

pub(super) static RECIPES: [Recipe; 10] = [
    Recipe {
        description: "List all titles with scores",
        options: "-r",
        filter: "[.title, .provenance.confidence] | @tsv",
        label: "titles+scores",
        pattern: "titles with scores",
        native: Program {
            filter: "(objects, nulls) | [.title, (try .provenance.confidence catch null)] | @tsv",
            shape: Shape::Each,
            reads: Some(&["title", "provenance"]),
            raw: true,
        },
        ..ROW
    },
    FILTER_NAMESPACE,
    SEARCH_TITLES,
    Recipe {
        description: "Sort by confidence (descending)",
        options: "-s",
        filter: "sort_by(-.provenance.confidence)",
        label: "sort by confidence",
        native: Program { filter: BY_CONFIDENCE, shape: Shape::All, reads: None, raw: false },
        complaint: Some(Complaint::FailsWithoutConfidence),
        ..ROW
    },
    PROJECT_IDS,
    FILTER_TYPE,
    Recipe {
        description: "Get memories with entities",
        filter: "select(.entities | length > 0)",
        label: "with entities",
        native: Program {
            filter: ".entities? | (try length catch 0) > 0",
            shape: Shape::Select,
            reads: Some(&["entities"]),
            raw: false,
        },
        ..ROW
    },
    Recipe {
        description: "Count by namespace",
        options: "-s",
        filter: "group_by(.namespace) | map({namespace: .[0].namespace, count: length}) | sort_by(-.count)",
        label: "count by namespace",
        pattern: "count by namespace",
        native: Program {
            filter: "map(try .namespace catch null) | group_by(.) | map({namespace: .[0], count: length}) | sort_by(-.count)",
            shape: Shape::All,
            reads: Some(&["namespace"]),
            raw: false,
        },
        ..ROW
    },
    Recipe {
        description: "Get top N by score",
        options: "-s",
        filter: "sort_by(-.provenance.confidence) | .[:10]",
        label: "top 10 by score",
        native: Program { filter: TOP_BY_CONFIDENCE, shape: Shape::All, reads: None, raw: false },
        complaint: Some(Complaint::FailsWithoutConfidence),
        ..ROW
    },
    SEARCH_CONTENT,
];

/// Ascending on the negated confidence, as in the specification; what has none comes last instead of failing.
const BY_CONFIDENCE: &str = "[.[] | {r: ., c: (try .provenance.confidence catch null)}]
    | sort_by(if (.c | type) == \"number\" then [0, -.c] else [1] end) | map(.r)";

/// The first ten of these.
const TOP_BY_CONFIDENCE: &str = "[.[] | {r: ., c: (try .provenance.confidence catch null)}]
    | sort_by(if (.c | type) == \"number\" then [0, -.c] else [1] end) | .[:10] | map(.r)";
