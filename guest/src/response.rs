//! The OffloadResponse (LRO-17): what a model reads instead of the result.

use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::contents::Lists;
use crate::frame::Form;
use crate::guidance;
use crate::header::Header;
use crate::inline;
use crate::recipes::{self, Recipe, quoted};
use crate::records::{Look, Records};
use crate::schema;
use crate::settings::{Profile, Settings};
use crate::survey::{ScoreRange, Survey};
use crate::text::Text;
use crate::tokens::{Tokenizer, estimate};

/// A response never costs more than this, whatever the records look like.
pub const MOST_TOKENS: u32 = 1200;

/// A text's response shows so many of its lines unless more are asked for, each cut to so many characters.
const PREVIEW_LINES: u32 = 3;
const PREVIEW_CHARACTERS: usize = 120;

/// How much a response says: the first of these that keeps it small enough.
const LEVELS: [Level; 9] = [
    Level { breadth: 40, examples: true, inline_bytes: 800, sections: Sections::Commands, preview: true },
    Level { breadth: 40, examples: false, inline_bytes: 600, sections: Sections::Filters, preview: true },
    Level { breadth: 28, examples: false, inline_bytes: 400, sections: Sections::Filters, preview: true },
    Level { breadth: 20, examples: false, inline_bytes: 400, sections: Sections::Labels, preview: true },
    Level { breadth: 12, examples: false, inline_bytes: 240, sections: Sections::Labels, preview: true },
    Level { breadth: 12, examples: false, inline_bytes: 160, sections: Sections::Labels, preview: false },
    Level { breadth: 6, examples: false, inline_bytes: 100, sections: Sections::Files, preview: false },
    Level { breadth: 0, examples: false, inline_bytes: 100, sections: Sections::Files, preview: false },
    Level { breadth: 0, examples: false, inline_bytes: 0, sections: Sections::None, preview: false },
];

#[derive(Debug, Clone, Copy)]
struct Level {
    /// Properties in the schema.
    breadth: usize,
    examples: bool,
    inline_bytes: usize,
    sections: Sections,
    preview: bool,
}

/// What is said of further lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sections {
    /// Schema, and recipes as commands.
    Commands,
    /// A small schema, and recipes as filters.
    Filters,
    /// The names of the recipes.
    Labels,
    /// Where they are.
    Files,
    /// Nothing: the header of the file knows them.
    None,
}

/// A list and its file.
#[derive(Debug, Clone, Copy)]
pub struct Part<'a> {
    /// The file's header.
    pub header: &'a Header,
    /// What is in it.
    pub records: &'a Records<'a>,
    /// Where it is.
    pub file_path: &'a str,
}

/// The six fields, in the specification's order, and what may follow.
#[derive(Debug, Serialize)]
struct Response<'a> {
    offloaded: bool,
    summary: Summary<'a>,
    file_path: &'a str,
    line_schema: Value,
    jq_recipes: &'a [JqRecipe],
    guidance: &'a str,
    /// How the result was written down, and where the records were in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    document: Option<Value>,
    /// Members of the document that are none of its lists.
    #[serde(skip_serializing_if = "Option::is_none")]
    inline: Option<Box<RawValue>>,
    /// All lists, where there are several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    sections: Vec<Value>,
    /// The first records, or lines.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    preview: Vec<Box<RawValue>>,
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
    /// True when the tool has more than this; absent otherwise.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    partial: bool,
    /// Of text: characters of its longest line.
    #[serde(skip_serializing_if = "Option::is_none")]
    longest_line: Option<u32>,
}

#[derive(Debug, Serialize)]
struct JqRecipe {
    description: String,
    command: String,
}

/// Renders the response for a document's lists, one part each.
pub fn of_lists(settings: &Settings, lists: &Lists<'_>, parts: &[Part<'_>], preview: u32) -> String {
    let part = &parts[lists.main];
    let Part { header, records, file_path } = *part;
    let survey = match &records.look {
        Look::Memories(survey) => survey,
        Look::Records { .. } => &Survey::default(),
    };
    let set = recipes::set(&header.lro, header.detail);
    let word = quoted(file_path);
    let jq_recipes = commands(&set.recipes, survey, &word);
    let guidance = guidance::render(settings, header, &set, file_path);
    let top_namespaces = survey.top_namespaces();
    let document = document(lists, header);
    smallest_of(|level| Response {
        offloaded: true,
        summary: Summary { partial: lists.is_partial, ..summary(header, &top_namespaces, records.scores) },
        file_path,
        line_schema: schema_of(records, level.breadth, level.examples),
        jq_recipes: &jq_recipes,
        guidance: &guidance,
        document: document.clone(),
        inline: lists
            .inline
            .as_deref()
            .filter(|_| level.inline_bytes > 0)
            .and_then(|object| RawValue::from_string(inline::bounded(object, level.inline_bytes).0).ok()),
        sections: match parts.len() {
            1 => Vec::new(),
            _ => parts.iter().filter_map(|part| section(part, lists.main().path == part.records.path, level)).collect(),
        },
        preview: match level.preview {
            true => first(records, preview),
            false => Vec::new(),
        },
    })
}

/// Renders the response for a text.
pub fn of_text(settings: &Settings, header: &Header, text: &Text<'_>, file_path: &str, preview: u32) -> String {
    let set = recipes::set(&header.lro, header.detail);
    let jq_recipes = commands(&set.recipes, &Survey::default(), &quoted(file_path));
    let guidance = guidance::render(settings, header, &set, file_path);
    let lines = text.preview(preview.max(PREVIEW_LINES) as usize, PREVIEW_CHARACTERS);
    smallest_of(|level| Response {
        offloaded: true,
        summary: Summary { longest_line: Some(text.longest), ..summary(header, &[], None) },
        file_path,
        line_schema: json!({"$schema": schema::DIALECT, "type": "string"}),
        jq_recipes: &jq_recipes,
        guidance: &guidance,
        document: Some(json!({"form": Form::Text})),
        inline: None,
        sections: Vec::new(),
        preview: match level.preview {
            true => lines.iter().filter_map(|line| RawValue::from_string(json!(line).to_string()).ok()).collect(),
            false => Vec::new(),
        },
    })
}

fn smallest_of<'a>(response: impl Fn(&Level) -> Response<'a>) -> String {
    let mut text = String::new();
    for level in &LEVELS {
        text = serde_json::to_string(&response(level))
            .expect("a response of strings, finite numbers and a schema is written as JSON");
        if estimate(Tokenizer::Chars, &text) <= MOST_TOKENS {
            break;
        }
    }
    text
}

fn commands(recipes: &[Recipe], survey: &Survey, word: &str) -> Vec<JqRecipe> {
    let command = |recipe: &Recipe| JqRecipe { description: recipe.described(survey), command: recipe.command(word) };
    recipes.iter().map(command).collect()
}

fn summary<'a>(header: &'a Header, top_namespaces: &'a [String], score_range: Option<ScoreRange>) -> Summary<'a> {
    Summary {
        count: header.count,
        estimated_tokens: header.estimated_tokens,
        operation: &header.operation,
        top_namespaces,
        score_range,
        detail: (header.lro.profile == Profile::Current).then(|| header.detail.name()),
        partial: false,
        longest_line: None,
    }
}

fn schema_of(records: &Records<'_>, breadth: usize, examples: bool) -> Value {
    match &records.look {
        Look::Memories(survey) => schema::of_memories(survey, breadth),
        Look::Records { inference, .. } => schema::of_records(inference, breadth, examples),
    }
}

/// What was taken for the records; nothing for memories that came as they always do.
fn document(lists: &Lists<'_>, header: &Header) -> Option<Value> {
    let frame = &lists.frame;
    let plain = matches!(&lists.main().look, Look::Memories(_)) && header.lro.document.is_none();
    (!plain).then(|| {
        let mut document = json!({"form": frame.form, "records": lists.main().path});
        if frame.quoted {
            document["quoted"] = true.into();
        }
        document["rebuilds"] = if frame.exact { "exactly" } else { "as equal JSON" }.into();
        document
    })
}

/// A list among several. What the six fields say of the main one is not said again.
fn section(part: &Part<'_>, is_main: bool, level: &Level) -> Option<Value> {
    let Part { header, records, file_path } = part;
    let mut section = json!({"records": records.path, "file_path": file_path});
    if level.sections == Sections::None {
        return None;
    }
    section["summary"] = json!({"count": header.count, "estimated_tokens": header.estimated_tokens});
    if is_main || level.sections == Sections::Files {
        return Some(section);
    }
    let set = recipes::set(&header.lro, header.detail);
    let (breadth, recipes): (usize, Value) = match level.sections {
        Sections::Commands => {
            let word = quoted(file_path);
            (level.breadth / 2, set.recipes.iter().map(|recipe| recipe.command(&word)).collect())
        }
        Sections::Filters => (level.breadth / 4, set.recipes.iter().map(Recipe::invocation).collect()),
        _ => (0, set.recipes.iter().map(|recipe| &*recipe.label).collect()),
    };
    section["line_schema"] = schema_of(records, breadth, false);
    section["jq_recipes"] = recipes;
    Some(section)
}

/// The first records, as many as are asked for and are not longer than a record should be (USER-12).
fn first(records: &Records<'_>, most: u32) -> Vec<Box<RawValue>> {
    let first = records.texts.iter().take(most as usize);
    first.filter_map(|text| RawValue::from_string(text.clone().into_owned()).ok()).collect()
}
