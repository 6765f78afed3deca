//! The content of a tool's result: lists of records with text around them, or plain text.

use std::borrow::Cow;

use lro_query::json::{Members, Scan, characters, unquote};

use crate::error::Error;
use crate::fields::survey::score_range;
use crate::offload::records::Records;
use crate::payload::Payload;
use crate::payload::document::Document;
use crate::payload::frame::{Form, Frame};
use crate::payload::notation::{self, Reading};
use crate::payload::path::Path;
use crate::payload::plain_text::Text;
use crate::payload::rows;
use crate::payload::texts::Texts;
use crate::payload::tree;
use crate::settings::Settings;
use crate::settings::request;
use crate::settings::tokens::Tally;
use crate::settings::tools::Threshold;

/// Keys under which servers hand out where the next page begins.
pub(super) const CURSORS: [&str; 5] = ["next_cursor", "nextCursor", "cursor", "next_page_token", "nextPageToken"];

/// Keys with which servers say that there is more.
const MORE: [&str; 4] = ["has_more", "hasMore", "hasNextPage", "incomplete_results"];

/// Cursors are searched this deep: next to the list, or in an object of their own.
const CURSOR_DEPTH: u32 = 2;

/// A result.
#[derive(Debug)]
pub enum Contents<'a> {
    /// It is JSON.
    Lists(Lists<'a>),
    /// It is not.
    Text(Text<'a>),
}

/// A JSON document, taken apart.
#[derive(Debug)]
pub struct Lists<'a> {
    /// The text around the lists.
    pub frame: Frame,
    /// Other members of an object, as the text of an object.
    pub inline: Option<String>,
    /// The lists, in the order of the document; there is one at least.
    pub lists: Vec<Records<'a>>,
    /// The place of the one with the most bytes, which the six fields of a response describe.
    pub main: usize,
    /// The key of a cursor that leads on.
    pub cursor: Option<&'static str>,
    /// The tool has more than this.
    pub is_partial: bool,
    /// The list that was asked for is not there.
    pub not_found: bool,
    /// The text that records were made of, where they are not simply parts of it. It gets a file of its own.
    pub original: Option<&'a str>,
}

impl<'a> Contents<'a> {
    /// Takes a payload apart and brings its records to the form that a file would have.
    pub fn read(payload: &'a Payload<'_>, request: &request::Offload) -> Result<Self, Error> {
        Self::read_by(|text| notation::read(text, request.made), payload, request)
    }

    /// The same as far as the estimate depends on it: a text whose lines would be made records costs what the text
    /// costs. Scores that a caller gave are checked against the records.
    pub fn read_to_estimate(payload: &'a Payload<'_>, request: &request::Offload) -> Result<Self, Error> {
        match request.scores {
            None => Self::read_by(notation::read_values, payload, request),
            Some(_) => Self::read(payload, request),
        }
    }

    fn read_by(
        read: impl FnOnce(&'a str) -> Option<Reading<'a>>,
        payload: &'a Payload<'_>,
        request: &request::Offload,
    ) -> Result<Self, Error> {
        // A single memory is one record, whatever lists it has.
        let whole = || (request.are_memories() && is_memory(payload.text())).then(Path::default);
        let chosen = request.records.clone().or_else(whole);
        if let Some(document) = Document::read(payload, chosen.as_ref()) {
            return Lists::of(document, payload, request).map(Self::Lists);
        }
        let reading = if request.may_be_wrapped() { read(payload.text()) } else { None };
        match reading.and_then(|reading| Document::of_notation(reading, payload, chosen.as_ref())) {
            Some(document) => Lists::of(document, payload, request).map(Self::Lists),
            None => Ok(Self::Text(text_of(payload))),
        }
    }

    /// Returns the tokens of all records, and of the text around them in an object.
    pub fn tokens(&self, request: &request::Offload, settings: &Settings) -> u32 {
        // Decision 19: an empty set costs nothing, whoever counts.
        match request.tokens {
            _ if self.is_empty() => 0,
            Some(tokens) => tokens,
            None => self.own_tokens(settings),
        }
    }

    /// The same by the estimator of the settings.
    pub fn own_tokens(&self, settings: &Settings) -> u32 {
        let mut tally = Tally::new(settings.tokenizer);
        self.each_text(|text| tally.add(text));
        tally.tokens()
    }

    /// What is compared with the threshold, in its unit: these tokens, or the characters that they are of (SECTION-06).
    pub fn cost(&self, tokens: u32, request: &request::Offload, settings: &Settings) -> u32 {
        match settings.threshold() {
            Threshold::Tokens(_) => tokens,
            Threshold::Characters(_) if self.is_empty() => 0,
            Threshold::Characters(_) => request.characters.unwrap_or_else(|| {
                let mut count = 0;
                self.each_text(|text| count += characters(text));
                u32::try_from(count).unwrap_or(u32::MAX)
            }),
        }
    }

    fn is_empty(&self) -> bool {
        match self {
            Self::Lists(lists) => lists.lists.iter().all(|list| list.texts.is_empty()),
            Self::Text(text) => text.text.trim().is_empty(),
        }
    }

    /// The text that counts: all records, and the text around them in an object.
    fn each_text(&self, mut count: impl FnMut(&str)) {
        let frame = match self {
            Self::Text(text) => text.frame.as_ref(),
            Self::Lists(lists) => Some(&lists.frame),
        };
        if let Some(around) = frame.and_then(|frame| frame.around.as_ref()) {
            count(&around.before);
            count(&around.after);
        }
        match self {
            Self::Text(text) => count(text.text),
            Self::Lists(Lists { original: Some(text), .. }) => count(text),
            Self::Lists(lists) => {
                lists.lists.iter().flat_map(|list| list.texts.iter()).for_each(|text| count(&text));
                if lists.frame.form == Form::Object {
                    lists.frame.texts().for_each(count);
                }
            }
        }
    }
}

/// A payload that has no records.
fn text_of<'a>(payload: &'a Payload<'_>) -> Text<'a> {
    let frame = payload.framed(Frame::text());
    let frame = Some(frame).filter(|frame| frame.quoted);
    Text { frame, inline: payload.beside().map(str::to_owned), ..Text::of(payload.text()) }
}

impl<'a> Lists<'a> {
    fn of(document: Document<'a>, payload: &'a Payload<'_>, request: &request::Offload) -> Result<Self, Error> {
        let Document { mut frame, mut lists, inline, not_found } = document;
        let alone = match &lists[..] {
            [list] if frame.form == Form::Lines && list.len() == 1 => Some(list.at(0)),
            _ => None,
        };
        let around = inline.as_deref().or(alone.as_deref()).unwrap_or_default();
        let (cursor, is_partial) = cursors(around, inline.is_some());
        let mut is_made = frame.notation.is_some() || frame.lists.iter().any(|place| place.keyed);
        if !request.are_memories() {
            lists.iter_mut().for_each(|records| is_made |= made(records));
        }
        let original = is_made.then(|| payload.text());
        let paths: Vec<Path> = frame.lists.iter().map(|place| place.path.clone()).collect();
        let text = payload.text();
        let mut lists: Vec<Records<'a>> =
            lists.into_iter().zip(paths).map(|(texts, path)| Records::of(path, texts, text, request)).collect();
        let largest = (0..lists.len()).max_by_key(|place| (lists[*place].texts.bytes(), std::cmp::Reverse(*place)));
        let main = largest.unwrap_or_default();
        if let (Some(scores), Some(list)) = (&request.scores, lists.get_mut(main)) {
            list.scores = score_range(given_scores(scores, list.texts.len())?);
        }
        frame.exact = match original {
            Some(_) => payload.is_exact(),
            None => frame.exact && lists.iter().all(|list| list.are_exact),
        };
        // LRO-22 is about memories; a cursor of anything else is data.
        let cursor = cursor.filter(|_| request.are_memories());
        Ok(Self { frame, inline, lists, main, cursor, is_partial, not_found, original })
    }

    /// The list that a response describes.
    pub fn main(&self) -> &Records<'a> {
        &self.lists[self.main]
    }
}

/// Makes records of what is a list of something else: the nodes of a tree, or rows under names. False for any other
/// list.
fn made(texts: &mut Texts<'_>) -> bool {
    if texts.are_rows() {
        return false;
    }
    let records = texts.records();
    let Some(made) = tree::nodes(records).or_else(|| rows::records(records)) else { return false };
    *records = made.into_iter().map(Cow::Owned).collect();
    true
}

/// True for the text of one object that has a type of memory.
fn is_memory(text: &str) -> bool {
    let members = text.trim_start().starts_with('{').then(|| Members::of(text)).flatten();
    members.is_some_and(|members| members.get("memory_type").is_some())
}

/// The caller's scores; as many as there are records.
fn given_scores(scores: &[Option<f64>], count: usize) -> Result<impl Iterator<Item = f64>, Error> {
    if scores.len() != count {
        return Err(Error::invalid_argument(
            format!("cannot read the offload request: `scores` has {} entries for {count} records", scores.len()),
            "give one score or null for each record, in their order",
        ));
    }
    Ok(scores.iter().copied().flatten())
}

/// LRO-22: the key of a cursor to the next page, and whether a result says that there is more. Only next to a list that
/// was found, a cursor may be in an object of its own: elsewhere that is data.
fn cursors(object: &str, beside_a_list: bool) -> (Option<&'static str>, bool) {
    let mut found = (None, false);
    look_for_cursors(object, if beside_a_list { CURSOR_DEPTH } else { 1 }, &mut found);
    (found.0, found.0.is_some() || (beside_a_list && found.1))
}

fn look_for_cursors(object: &str, depth: u32, found: &mut (Option<&'static str>, bool)) {
    let mut scan = Scan::of(object);
    if depth == 0 || scan.peek() != b'{' {
        return;
    }
    scan.members(|scan, key| {
        let (key, value) = (unquote(key), scan.value());
        if let Some(cursor) = CURSORS.into_iter().find(|cursor| *cursor == key)
            && !matches!(value, "null" | "\"\"" | "false")
        {
            found.0 = found.0.or(Some(cursor));
        }
        found.1 |= MORE.contains(&&*key) && value == "true";
        look_for_cursors(value, depth - 1, found);
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_leads_on_beside_a_list_or_in_an_object_of_its_own() {
        let rows = [
            (r#"{"next_cursor":"x"}"#, (Some("next_cursor"), true)),
            (r#"{"page":{"nextCursor":"x"}}"#, (Some("nextCursor"), true)),
            (r#"{"next_cursor":null,"cursor":""}"#, (None, false)),
            (r#"{"pageInfo":{"hasNextPage":true}}"#, (None, true)),
            (r#"{"a":{"b":{"cursor":"x"}}}"#, (None, false)),
            ("7", (None, false)),
            (r#"{"ok":true,"has_more":false}"#, (None, false)),
        ];
        for (object, expected) in rows {
            assert_eq!(cursors(object, true), expected, "{object}");
        }
        assert_eq!(cursors(r#"{"page":{"cursor":"x"},"has_more":true}"#, false), (None, false));
    }

    fn read(payload: &str) -> Contents<'static> {
        let request = request::Offload::parse(r#"{"operation":"recall","memories":true}"#).unwrap();
        Contents::read(Box::leak(Box::new(Payload::of(Box::leak(payload.into())))), &request).unwrap()
    }

    #[test]
    fn one_memory_is_one_record_and_its_cursor_is_data_in_an_array() {
        let rows = [
            (r#"{"memory_type":"semantic","tags":["aaaaaa","bbbbbb","cccccc","dddddd","eeeeee","ffffff"]}"#, 1, None),
            (r#"{"tags":["a","b","c","d","e","f"]}"#, 6, None),
            (r#"{"id":"a","cursor":"x"}"#, 1, Some("cursor")),
            (r#"[{"id":"a","cursor":"x"}]"#, 1, None),
            ("{\"id\":\"a\",\"cursor\":\"x\"}\n{\"id\":\"b\"}", 2, None),
        ];
        for (payload, count, cursor) in rows {
            let Contents::Lists(lists) = read(payload) else { panic!("{payload}") };
            assert_eq!((lists.main().count(), lists.cursor), (count, cursor), "{payload}");
        }
    }

    #[test]
    fn an_empty_list_costs_nothing_in_characters_either() {
        let settings = Settings { threshold_characters: Some(0), ..Settings::default() };
        let request = request::Offload { characters: Some(900), ..request::Offload::default() };
        assert_eq!((read("[]").cost(5, &request, &settings), read("[1]").cost(5, &request, &settings)), (0, 900));
    }
}
