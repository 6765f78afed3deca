//! What a model reads instead of the result: the specification's OffloadResponse (LRO-17), or a shorter descriptor.

mod compact;
mod document;
mod envelope;
mod full;
mod message;

use std::borrow::Cow;

use lro_query::json::{cut, escape_hidden};
use serde::Serialize;
use serde_json::json;

use crate::fields::survey::Survey;
use crate::file::header::Header;
use crate::gate::Gate;
use crate::offload::contents::Lists;
use crate::offload::preview;
use crate::offload::records::Records;
use crate::payload::plain_text::{Text, line_count};
use crate::recipes::Set;
use crate::settings::sections::Sections;
use crate::settings::tokens::{Tally, Tokenizer};
use crate::settings::{Descriptor, GuidanceKind, Settings};

pub use full::RECIPES_TOKENS;

/// A response never costs more than this, whatever the records and their names look like: [`bound`] has the
/// exceptions.
pub const MOST_TOKENS: u32 = 1200;

/// The full response for the tool may have this many: the path is in each command and in each of five examples
/// (EXTRACT-09, EXTRACT-10).
const MOST_TOOL_TOKENS: u32 = 1500;

/// What a path costs above this comes on top of the bound: a directory is the host's, and its path has to stay
/// whole. It is room for some 700 characters.
const PATH_TOKENS: u32 = 200;

/// A preview that was asked for has at least this much room, on top of the bound.
pub const ASKED_PREVIEW_TOKENS: u32 = 400;

/// What a document with several lists may cost on top: each has a file, a schema and recipes (SECTION-01 to 05).
const LISTS_TOKENS: u32 = 150;

/// A word of at least so many letters and digits is an id.
const ID_CHARACTERS: usize = 16;

/// Hundredths of a token that one of its characters costs: 31 by script, on average of the characters of a ULID, and 40
/// more.
const ID_HUNDREDTHS: usize = 71;

/// A response for text shows this many of its first and of its last lines unless lines are requested, each cut to this many
/// characters.
const END_LINES: usize = 2;
const PREVIEW_CHARACTERS: usize = 120;

/// Stands between them.
const GAP: &str = "\"…\"";

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

/// What a caller wants of a response.
#[derive(Debug, Clone)]
pub struct Wanted {
    /// Its form.
    pub descriptor: Descriptor,
    /// How many records or lines it shows.
    pub preview: u32,
    /// The most characters of them, on top of what there is room for.
    pub preview_characters: Option<u32>,
    /// The result as it came.
    pub size: Size,
    /// What it says of the lists in the caller's words.
    pub sections: Sections,
    /// The gate that made it too large.
    pub gate: Option<Gate>,
}

impl Wanted {
    /// How many records or lines are shown if there is room: a number of characters alone asks for all that they hold.
    fn records(&self) -> usize {
        match (self.preview, self.preview_characters) {
            (0, Some(_)) => usize::MAX,
            (preview, _) => preview as usize,
        }
    }
}

/// How large a result is (GATE-09).
#[derive(Debug, Clone, Copy)]
pub struct Size {
    /// Its bytes.
    pub bytes: u64,
    /// Its lines.
    pub lines: u32,
}

impl Size {
    /// The size of a result.
    pub fn of(text: &str) -> Self {
        Self { bytes: text.len() as u64, lines: line_count(text) }
    }
}

/// Renders the response for a document's lists, one part each. `text_path` has the text that they were made of.
pub fn of_lists(
    settings: &Settings,
    lists: &Lists<'_>,
    parts: &[Part<'_>],
    text_path: Option<&str>,
    wanted: &Wanted,
) -> String {
    let Part { header, file_path, .. } = parts[lists.main];
    match wanted.descriptor {
        Descriptor::Full => full::of_lists(settings, lists, parts, text_path, wanted),
        Descriptor::Compact => compact::of_lists(settings, lists, parts, wanted),
        Descriptor::Bare => bare(header, file_path),
        Descriptor::Envelope => envelope::of_lists(settings, lists, header, file_path, wanted.size),
        Descriptor::Message => message::of_lists(settings, lists, parts, wanted),
    }
}

/// Renders the response for a text.
pub fn of_text(settings: &Settings, header: &Header, text: &Text<'_>, file_path: &str, wanted: &Wanted) -> String {
    match wanted.descriptor {
        Descriptor::Full => full::of_text(settings, header, text, file_path, wanted),
        Descriptor::Compact => compact::of_text(settings, header, text, file_path, wanted),
        Descriptor::Bare => bare(header, file_path),
        Descriptor::Envelope => envelope::of_text(settings, header, file_path, wanted.size),
        Descriptor::Message => message::of_text(settings, header, text, file_path, wanted),
    }
}

/// Path and count: for models that look at the file themselves.
fn bare(header: &Header, file_path: &str) -> String {
    #[derive(Serialize)]
    struct Bare<'a> {
        offloaded: bool,
        count: u32,
        file_path: &'a str,
    }
    escape_hidden(written(&Bare { offloaded: true, count: header.count, file_path }))
}

/// The most that a response with this path may cost.
pub fn bound(guidance: GuidanceKind, file_path: &str, lists: usize) -> u32 {
    let most = if guidance == GuidanceKind::Tool { MOST_TOOL_TOKENS } else { MOST_TOKENS };
    most + on_top(file_path, lists)
}

/// What a long path and several lists cost on top of the bound.
fn on_top(file_path: &str, lists: usize) -> u32 {
    let tokens = cost(&escape_hidden(json!(file_path).to_string()));
    tokens.saturating_sub(PATH_TOKENS) + if lists > 1 { LISTS_TOKENS } else { 0 }
}

/// Tokens of a response: by script, and more for ids. The sum is a little high for what a response consists of; with a
/// twentieth less, o200k has 0.80 to 1.06 times as many for the responses that were measured.
///
/// Ids of one length cost the same, so that the ULID of a file does not decide how much its response says.
pub fn cost(text: &str) -> u32 {
    let mut tally = Tally::new(Tokenizer::Mixed);
    let mut id_characters = 0;
    for piece in text.split_inclusive(|character: char| !character.is_ascii_alphanumeric()) {
        let word = piece.trim_end_matches(|character: char| !character.is_ascii_alphanumeric());
        if is_id(word) {
            id_characters += word.len();
            tally.add(&piece[word.len()..]);
        } else {
            tally.add(piece);
        }
    }
    let of_ids = u32::try_from(id_characters * ID_HUNDREDTHS / 100).unwrap_or(u32::MAX);
    let tokens = tally.tokens().saturating_add(of_ids);
    tokens - tokens / 20
}

/// True for a word such as the ULID in each path: its letters form no words, so a token has one or two of them.
fn is_id(word: &str) -> bool {
    word.len() >= ID_CHARACTERS
        && word.bytes().any(|byte| byte.is_ascii_digit())
        && word.bytes().any(|byte| byte.is_ascii_alphabetic())
}

/// What the recipes of a set cost without the path.
pub fn cost_of_recipes(set: &Set) -> u32 {
    cost(&written(&full::jq_recipes(set, &Survey::default(), None)))
}

/// The records that a response may show.
fn first_records<'a>(records: &'a Records<'_>, wanted: &Wanted) -> impl Iterator<Item = Cow<'a, str>> + Clone {
    records.texts.iter().take(wanted.records())
}

/// The lines that a response may show. A few of both ends are shown even if nobody asks for them: the first ones tell what a
/// text is, and the last ones how a command has ended.
fn shown_lines<'a>(text: &Text<'a>, wanted: &Wanted) -> impl Iterator<Item = Cow<'a, str>> + Clone + use<'a> {
    let asked = wanted.records();
    let room = wanted.preview_characters.unwrap_or(4 * MOST_TOKENS) as usize;
    let characters = if asked > 0 { room } else { PREVIEW_CHARACTERS };
    let shown = move |line: &str| Cow::Owned(json!(cut(line, characters)).to_string());
    let last = if asked > 0 { Vec::new() } else { last_lines(text) };
    let gap = Some(Cow::Borrowed(GAP)).filter(|_| text.lines as usize > 2 * END_LINES && !last.is_empty());
    let first = if asked > 0 { asked } else { END_LINES };
    text.text.lines().take(first).map(shown).chain(gap).chain(last.into_iter().map(shown))
}

/// The last lines that are not blank, without those that stand first.
fn last_lines<'a>(text: &Text<'a>) -> Vec<&'a str> {
    let rest = (text.lines as usize).saturating_sub(END_LINES);
    let mut last: Vec<&str> =
        text.text.lines().rev().take(rest).filter(|line| !line.trim().is_empty()).take(END_LINES).collect();
    last.reverse();
    last
}

/// A response with as many of the first records or lines as `room` tokens hold, and as many characters of them as were
/// asked for.
fn with_preview<'p>(
    text: String,
    preview: impl Iterator<Item = Cow<'p, str>> + Clone,
    room: u32,
    wanted: &Wanted,
) -> String {
    let room = if wanted.records() > 0 { room.max(ASKED_PREVIEW_TOKENS) } else { room };
    let shown = preview::fitting(preview, room.saturating_sub(preview::FRAME_TOKENS), wanted.preview_characters);
    match (shown.is_empty(), text.strip_suffix('}')) {
        (false, Some(members)) => format!("{members},\"preview\":[{}]}}", shown.join(",")),
        _ => text,
    }
}

fn written(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("a response of strings, finite numbers and a schema is written as JSON")
}

#[cfg(test)]
mod tests;
