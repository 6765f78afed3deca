//! The ten recipes of the specification's early version (EARLY-02), the same at every detail.

use std::borrow::Cow::Borrowed as Fixed;

use lro_query::Shape;

use super::memories::{FILTER_NAMESPACE, FILTER_TYPE, PROJECT_IDS, SEARCH_CONTENT, SEARCH_TITLES};
use super::{Complaint, Native, ROW, Recipe};
use crate::fields::literals::Literal;

/// Recipes 1 to 10.
pub(super) fn recipes() -> [Recipe; 10] {
    RECIPES
}

const RECIPES: [Recipe; 10] = [
    Recipe {
        description: Fixed("List all titles with scores"),
        options: "-r",
        filter: Fixed("[.title, .provenance.confidence] | @tsv"),
        label: Fixed("titles+scores"),
        pattern: Fixed("titles with scores"),
        native: Native {
            filter: Fixed("(objects, nulls) | [.title, (try .provenance.confidence catch null)] | @tsv"),
            shape: Shape::Each,
            reads: Some(&["title", "provenance"]),
            raw: true,
        },
        ..ROW
    },
    FILTER_NAMESPACE,
    SEARCH_TITLES,
    Recipe {
        description: Fixed("Sort by confidence (descending)"),
        options: "-s",
        filter: Fixed("sort_by(-.provenance.confidence)"),
        label: Fixed("sort by confidence"),
        native: Native { filter: Fixed(BY_CONFIDENCE), shape: Shape::All, reads: None, raw: false },
        complaint: Some(Complaint::FailsWithoutConfidence),
        ..ROW
    },
    PROJECT_IDS,
    FILTER_TYPE,
    Recipe {
        description: Fixed("Get memories with entities"),
        filter: Fixed("select(.entities | length > 0)"),
        label: Fixed("with entities"),
        literal: Some(Literal::Entities),
        native: Native {
            filter: Fixed(".entities? | (try length catch 0) > 0"),
            shape: Shape::Select,
            reads: Some(&["entities"]),
            raw: false,
        },
        ..ROW
    },
    Recipe {
        description: Fixed("Count by namespace"),
        options: "-s",
        filter: Fixed("group_by(.namespace) | map({namespace: .[0].namespace, count: length}) | sort_by(-.count)"),
        label: Fixed("count by namespace"),
        pattern: Fixed("count by namespace"),
        native: Native {
            filter: Fixed(
                "map(try .namespace catch null) | group_by(.) | map({namespace: .[0], count: length}) | sort_by(-.count)",
            ),
            shape: Shape::All,
            reads: Some(&["namespace"]),
            raw: false,
        },
        ..ROW
    },
    Recipe {
        description: Fixed("Get top N by score"),
        options: "-s",
        filter: Fixed("sort_by(-.provenance.confidence) | .[:10]"),
        label: Fixed("top 10 by score"),
        native: Native { filter: Fixed(TOP_BY_CONFIDENCE), shape: Shape::All, reads: None, raw: false },
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
