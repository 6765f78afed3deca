//! The OffloadResponse of the specification (LRO-17).

use std::borrow::Cow;

use lro_query::json::{cut, escape_hidden};
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::{MOST_TOKENS, Part, Wanted, bound, cost, document, on_top, with_preview, written};
use crate::fields::schema;
use crate::fields::survey::{ScoreRange, Survey};
use crate::file::file_name::is_in_a_store;
use crate::file::header::Header;
use crate::gate::Gate;
use crate::offload::contents::Lists;
use crate::offload::given;
use crate::offload::guidance::{self, Mentions, Remarks};
use crate::offload::preview;
use crate::offload::records::{Findings, Records};
use crate::payload::path::Path;
use crate::payload::plain_text::Text;
use crate::payload::shown::{self, is_word};
use crate::recipes::{self, Recipe, Set, shell_quote};
use crate::settings::sections::Section;
use crate::settings::{Profile, Settings};

/// Recipes whose filters and descriptions cost more leave no room for anything else. Those of records with names of
/// usual length cost some 320.
pub const RECIPES_TOKENS: u32 = 520;

/// How much a response says: the first of these that keeps it small enough. Commands hold the path ten times: where
/// they leave no room for a schema of twelve fields, the filters alone are said, and the schema has more fields
/// again.
const LEVELS: [Level; 14] = [
    Level { breadth: 40, examples: true, inline_bytes: 800, sections: Sections::Commands, ..WHOLE },
    Level { breadth: 40, examples: false, inline_bytes: 600, sections: Sections::Filters, ..WHOLE },
    Level { breadth: 28, examples: false, inline_bytes: 400, sections: Sections::Filters, ..WHOLE },
    Level { breadth: 20, examples: false, inline_bytes: 400, sections: Sections::Labels, name_characters: 40, ..WHOLE },
    Level { breadth: 12, examples: false, inline_bytes: 240, sections: Sections::Labels, name_characters: 40, ..WHOLE },
    Level { breadth: 10, examples: false, inline_bytes: 160, sections: Sections::Files, name_characters: 40, ..WHOLE },
    Level { breadth: 8, examples: false, inline_bytes: 100, sections: Sections::Files, name_characters: 40, ..WHOLE },
    Level { breadth: 40, inline_bytes: 240, sections: Sections::Labels, ..SHORT },
    Level { breadth: 20, inline_bytes: 240, sections: Sections::Files, ..SHORT },
    Level { breadth: 12, inline_bytes: 160, sections: Sections::Files, ..SHORT },
    Level { breadth: 12, inline_bytes: 100, sections: Sections::Files, name_characters: 24, ..SHORTEST },
    Level { breadth: 6, inline_bytes: 100, sections: Sections::None, ..SHORTEST },
    // Where names are too long for any schema, commands are worth more than their filters.
    Level { mentions: Mentions::Each, ..SHORTEST },
    SHORTEST,
];

/// The last level whose commands name the path.
const LAST_NAMED: usize = 6;

const WHOLE: Level = Level {
    breadth: 40,
    examples: true,
    inline_bytes: 800,
    sections: Sections::Commands,
    mentions: Mentions::Each,
    name_characters: 80,
};
const SHORT: Level = Level { examples: false, mentions: Mentions::Once, name_characters: 40, ..WHOLE };

/// What always fits: its parts are bounded one by one.
const SHORTEST: Level = Level {
    breadth: 0,
    examples: false,
    inline_bytes: 0,
    sections: Sections::None,
    mentions: Mentions::None,
    name_characters: 12,
};

/// A property of a schema is written in so many bytes.
const SCHEMA_BYTES: usize = 40;

/// A summary of the caller's has at least so much room, where other things have none.
const LEAST_GIVEN_BYTES: usize = 80;

#[derive(Debug, Clone, Copy)]
pub(super) struct Level {
    /// Properties in the schema.
    pub(super) breadth: usize,
    pub(super) examples: bool,
    pub(super) inline_bytes: usize,
    pub(super) sections: Sections,
    /// How often the path is mentioned. If it is not in each command, the commands are filters only.
    pub(super) mentions: Mentions,
    /// Characters of a namespace, and of a path in the document.
    pub(super) name_characters: usize,
}

impl Level {
    /// The room for a summary of the caller's.
    fn given_bytes(&self) -> usize {
        self.inline_bytes.max(LEAST_GIVEN_BYTES)
    }
}

/// What is shown of further lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sections {
    /// Schema, and recipes as commands.
    Commands,
    /// A small schema, and recipes as filters.
    Filters,
    /// A small schema, and the names of the recipes.
    Labels,
    /// Where they are.
    Files,
    /// Nothing: the header of the file knows them.
    None,
}

impl Sections {
    /// True if more is said of a list than where it is.
    fn are_described(self) -> bool {
        matches!(self, Self::Commands | Self::Filters | Self::Labels)
    }
}

/// The six fields, in the specification's order, and what may follow.
#[derive(Debug, Serialize)]
struct Response<'a> {
    offloaded: bool,
    summary: Summary<'a>,
    file_path: &'a str,
    line_schema: Value,
    jq_recipes: Vec<JqRecipe>,
    guidance: String,
    /// How the result was written down, and where the records were in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    document: Option<Value>,
    /// Members of the document other than its lists.
    #[serde(skip_serializing_if = "Option::is_none")]
    inline: Option<Box<RawValue>>,
    /// All lists, where there are several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    sections: Vec<Value>,
}

/// LRO-18.
#[derive(Debug, Serialize)]
pub(super) struct Summary<'a> {
    pub(super) count: u32,
    pub(super) estimated_tokens: u32,
    pub(super) operation: &'a str,
    pub(super) top_namespaces: Vec<String>,
    pub(super) score_range: Option<ScoreRange>,
    /// Absent in the early version (EARLY-04).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) detail: Option<&'static str>,
    /// True if the tool has more than this; absent otherwise.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(super) partial: bool,
    /// Of text: characters of its longest line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) longest_line: Option<u32>,
    /// The gate that made the result too large; absent where the threshold did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) gate: Option<Gate>,
    /// What the caller says of the records.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) given: Option<Value>,
}

#[derive(Debug, Serialize)]
pub(super) struct JqRecipe {
    description: String,
    command: String,
}

/// A file and its recipes, summarised at more or less length.
struct FileSummary<'a> {
    settings: &'a Settings,
    header: &'a Header,
    file_path: &'a str,
    set: Set,
    survey: &'a Survey,
    top_namespaces: Vec<String>,
    remarks: Remarks,
    /// What the caller says of it.
    given: Option<&'a Section>,
}

impl<'a> FileSummary<'a> {
    /// How often the path may be said at most: a command is one line, and reads a file.
    fn mentions(&self, level: &Level) -> Mentions {
        let fits = !self.file_path.contains(char::is_control) && !is_in_a_store(self.file_path);
        if fits { level.mentions } else { Mentions::None }
    }

    fn recipes(&self, level: &Level) -> Vec<JqRecipe> {
        let word = (self.mentions(level) == Mentions::Each).then(|| shell_quote(self.file_path));
        jq_recipes(&self.set, self.survey, word.as_deref())
    }

    fn guidance(&self, level: &Level) -> String {
        let mentions = self.mentions(level);
        guidance::render(self.settings, self.header, &self.set, self.file_path, mentions, &self.remarks)
    }

    fn summary(&self, score_range: Option<ScoreRange>, level: &Level) -> Summary<'a> {
        let shown = |name: &String| cut(name, level.name_characters);
        let top_namespaces = self.top_namespaces.iter().map(shown).collect();
        let given = given::summary(self.given, level.given_bytes());
        Summary { top_namespaces, score_range, given, ..of_header(self.header) }
    }
}

/// Renders the response for a document's lists, one part each. `text_path` has the text that they were made of.
pub(super) fn of_lists(
    settings: &Settings,
    lists: &Lists<'_>,
    parts: &[Part<'_>],
    text_path: Option<&str>,
    wanted: &Wanted,
) -> String {
    let part = &parts[lists.main];
    let Part { header, records, file_path } = *part;
    let no_survey = Survey::default();
    let survey = match &records.findings {
        Findings::Memories(survey) => survey,
        Findings::Records { .. } => &no_survey,
    };
    let halves = parts.iter().map(|part| part.records.halves).sum();
    let odd_names = parts.iter().any(|part| has_odd_names(part.records));
    let beside = lists.inline.as_deref().and_then(document::shortened);
    let remarks = Remarks { odd_names, halves, beside, memory: survey.literals.example().cloned() };
    let (set, top_namespaces) = (recipes::set(&header.lro, header.detail), survey.top_namespaces());
    let given = wanted.sections.of(&records.path, parts.len() == 1);
    let summary = FileSummary { settings, header, file_path, set, survey, top_namespaces, remarks, given };
    let response = |level: &Level| Response {
        offloaded: true,
        summary: Summary { partial: lists.is_partial, gate: wanted.gate, ..summary.summary(records.scores, level) },
        file_path,
        line_schema: schema_of(records, given, level.breadth, level.examples),
        jq_recipes: summary.recipes(level),
        guidance: summary.guidance(level),
        document: document::of_lists(lists, header, text_path, level),
        inline: lists.inline.as_deref().and_then(|object| document::beside(object, level.inline_bytes)),
        sections: match parts.len() {
            1 => Vec::new(),
            _ => {
                let section = |part| section(part, lists.main().path == part.records.path, level, wanted);
                parts.iter().filter_map(section).collect()
            }
        },
    };
    fitted(settings, (file_path, parts.len()), response, super::first_records(records, wanted), wanted)
}

/// Renders the response for a text.
pub(super) fn of_text(
    settings: &Settings,
    header: &Header,
    text: &Text<'_>,
    file_path: &str,
    wanted: &Wanted,
) -> String {
    let survey = &Survey::default();
    let set = recipes::set(&header.lro, header.detail);
    let (top_namespaces, remarks) = (Vec::new(), Remarks::default());
    let given = wanted.sections.of(&Path::default(), true);
    let summary = FileSummary { settings, header, file_path, set, survey, top_namespaces, remarks, given };
    let response = |level: &Level| Response {
        offloaded: true,
        summary: Summary { longest_line: Some(text.longest), gate: wanted.gate, ..summary.summary(None, level) },
        file_path,
        line_schema: given::schema(given, SCHEMA_BYTES * level.breadth)
            .unwrap_or_else(|| json!({"$schema": schema::DIALECT, "type": "string"})),
        jq_recipes: summary.recipes(level),
        guidance: summary.guidance(level),
        document: Some(document::of_text(text)),
        inline: text.inline.as_deref().and_then(|object| document::beside(object, level.inline_bytes)),
        sections: Vec::new(),
    };
    fitted(settings, (file_path, 1), response, super::shown_lines(text, wanted), wanted)
}

/// The last step of every response, and the only place that bounds it: the first level that fits, with as much of a
/// preview as there is room for.
fn fitted<'a, 'p>(
    settings: &Settings,
    (file_path, lists): (&str, usize),
    response: impl Fn(&Level) -> Response<'a>,
    preview: impl Iterator<Item = Cow<'p, str>> + Clone,
    wanted: &Wanted,
) -> String {
    // A preview that was asked for comes on top, and shortens nothing.
    let kept = if wanted.records() > 0 { 0 } else { preview::wanted(preview.clone()) };
    let mut chosen: Option<(&Level, String, u32)> = None;
    for (number, level) in LEVELS.iter().enumerate() {
        if chosen.as_ref().is_some_and(|(chosen, ..)| chosen.mentions != level.mentions) {
            break;
        }
        // The specification's commands and examples are worth more than a bound that only they exceed.
        let lists = if level.sections.are_described() { lists } else { 1 };
        let most = match number {
            LAST_NAMED => bound(settings.guidance, file_path, lists),
            _ => MOST_TOKENS + on_top(file_path, lists),
        };
        let text = escape_hidden(written(&response(level)));
        let tokens = cost(&text);
        if tokens <= most || number + 1 == LEVELS.len() {
            chosen = Some((level, text, most.saturating_sub(tokens)));
        }
        if tokens + kept <= most {
            break;
        }
    }
    let (_, text, room) = chosen.expect("the last level is chosen if no other is");
    with_preview(text, preview, room, wanted)
}

/// The recipes of a set; as filters where no command fits.
pub(super) fn jq_recipes(set: &Set, survey: &Survey, word: Option<&str>) -> Vec<JqRecipe> {
    let recipe = |recipe: &Recipe| JqRecipe {
        description: recipe.described(survey),
        command: word.map_or_else(|| recipe.invocation(), |word| recipe.command(word)),
    };
    set.recipes.iter().map(recipe).collect()
}

/// The summary as far as the header tells.
pub(super) fn of_header(header: &Header) -> Summary<'_> {
    Summary {
        count: header.count,
        estimated_tokens: header.estimated_tokens,
        operation: &header.operation,
        top_namespaces: Vec::new(),
        score_range: None,
        detail: (header.lro.profile != Profile::Early).then(|| header.detail.name()),
        partial: false,
        longest_line: None,
        gate: None,
        given: None,
    }
}

/// Whether some name might be read as anything but a name.
pub(super) fn has_odd_names(records: &Records<'_>) -> bool {
    match &records.findings {
        Findings::Memories(survey) => survey.fields.iter().any(|field| !is_word(&field.key)),
        Findings::Records { inference, .. } => inference.root.any_key(&|key| !is_word(key)),
    }
}

/// The caller's schema if there is room for it, else the generated one.
fn schema_of(records: &Records<'_>, given: Option<&Section>, breadth: usize, examples: bool) -> Value {
    if let Some(schema) = given::schema(given, SCHEMA_BYTES * breadth) {
        return schema;
    }
    match &records.findings {
        Findings::Memories(survey) => schema::of_memories(survey, breadth),
        Findings::Records { inference, .. } => schema::of_records(inference, breadth, examples),
    }
}

/// A list among several. What the six fields say of the main one is not said again.
fn section(part: &Part<'_>, is_main: bool, level: &Level, wanted: &Wanted) -> Option<Value> {
    let Part { header, records, file_path } = part;
    if level.sections == Sections::None {
        return None;
    }
    let mut section = json!({"records": shown::path(&records.path), "file_path": file_path});
    section["summary"] = json!({"count": header.count, "estimated_tokens": header.estimated_tokens});
    if is_main {
        return Some(section);
    }
    let given = wanted.sections.of(&records.path, false);
    if let Some(summary) = given::summary(given, level.given_bytes() / 2) {
        section["summary"]["given"] = summary;
    }
    if level.sections == Sections::Files {
        return Some(section);
    }
    let set = recipes::set(&header.lro, header.detail);
    let (breadth, recipes): (usize, Value) = match level.sections {
        Sections::Commands => {
            let word = shell_quote(file_path);
            (level.breadth / 2, set.recipes.iter().map(|recipe| recipe.command(&word)).collect())
        }
        Sections::Filters => (level.breadth / 4, set.recipes.iter().map(Recipe::invocation).collect()),
        _ => (level.breadth / 4, set.recipes.iter().map(|recipe| &*recipe.label).collect()),
    };
    let mut schema = schema_of(records, given, breadth, false);
    // The dialect is said of the main list.
    schema.as_object_mut().and_then(|schema| schema.shift_remove("$schema"));
    section["line_schema"] = schema;
    section["jq_recipes"] = recipes;
    Some(section)
}
