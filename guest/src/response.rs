//! The OffloadResponse (LRO-17): what a model reads instead of the records.

use serde::Serialize;
use serde_json::Value;

use crate::guidance;
use crate::header::Header;
use crate::recipes::{self, quoted};
use crate::schema;
use crate::settings::{Profile, Settings};
use crate::survey::{ScoreRange, Survey};
use crate::tokens::{Tokenizer, estimate};

/// A response never costs more than this, whatever the records look like.
pub const MOST_TOKENS: u32 = 1200;

/// Properties in the schema of a response: the first of these that keeps it small enough.
const BREADTHS: [usize; 6] = [40, 28, 20, 12, 6, 0];

/// The six fields, in the specification's order.
#[derive(Debug, Serialize)]
struct Response<'a> {
    offloaded: bool,
    summary: Summary<'a>,
    file_path: &'a str,
    line_schema: Value,
    jq_recipes: &'a [JqRecipe],
    guidance: &'a str,
}

/// LRO-18.
#[derive(Debug, Serialize)]
struct Summary<'a> {
    count: u32,
    estimated_tokens: u32,
    operation: &'a str,
    top_namespaces: &'a [String],
    score_range: Option<ScoreRange>,
    /// Absent in the early version (EARLY-04).
    #[serde(skip_serializing_if = "Option::is_none")]
    detail: Option<&'static str>,
}

#[derive(Debug, Serialize)]
struct JqRecipe {
    description: String,
    command: String,
}

/// Renders the response for a file.
pub fn render(
    settings: &Settings,
    header: &Header,
    survey: &Survey,
    scores: Option<ScoreRange>,
    file_path: &str,
) -> String {
    let set = recipes::set(header.lro.profile, header.lro.kind, header.detail);
    let word = quoted(file_path);
    let jq_recipes =
        set.recipes.map(|recipe| JqRecipe { description: recipe.described(survey), command: recipe.command(&word) });
    let guidance = guidance::render(settings, header, &set, file_path);
    let top_namespaces = survey.top_namespaces();
    let with_schema_of = |breadth| {
        let response = Response {
            offloaded: true,
            summary: Summary {
                count: header.count,
                estimated_tokens: header.estimated_tokens,
                operation: &header.operation,
                top_namespaces: &top_namespaces,
                score_range: scores,
                detail: (header.lro.profile == Profile::Current).then(|| header.detail.name()),
            },
            file_path,
            line_schema: schema::render(survey, header.lro.kind, breadth),
            jq_recipes: &jq_recipes,
            guidance: &guidance,
        };
        serde_json::to_string(&response).expect("a response of strings, finite numbers and a schema is written as JSON")
    };
    let mut text = String::new();
    for breadth in BREADTHS {
        text = with_schema_of(breadth);
        if estimate(Tokenizer::Chars, &text) <= MOST_TOKENS {
            break;
        }
    }
    text
}
