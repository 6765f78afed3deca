//! Which text of an answer is offloaded.
//!
//! Servers say the same twice: as structured content for programs, and as text for clients that do not know it. So the
//! two are not added up: the larger one counts, and one of them goes into the file. What is not said twice is not lost
//! either: it stays next to the response, or goes into the file too.

use std::borrow::Cow;

use lro_query::json::{self, Members, Type, characters, is_json};

use super::answer::Answer;
use super::resources;
use super::text_block;
use crate::gate::Gates;
use crate::payload::wrapping;
use crate::settings::Settings;
use crate::settings::tokens::estimate;

/// The bulk of an answer is so many times as long as the rest.
const BULK: usize = 4;

/// What is to be offloaded.
#[derive(Debug, PartialEq)]
pub(super) struct Subject<'a> {
    /// The payload.
    pub(super) payload: Cow<'a, str>,
    /// What it costs, where its own text does not tell.
    pub(super) tokens: Option<u32>,
    /// The same in characters.
    pub(super) characters: Option<u32>,
    /// The same in bytes.
    pub(super) bytes: Option<u64>,
    /// Text blocks that stay next to the response.
    pub(super) beside: Vec<String>,
}

impl<'a> Subject<'a> {
    pub(super) fn of(answer: &'a Answer<'_>, settings: &Settings) -> Self {
        let alone = |payload| Self { payload, tokens: None, characters: None, bytes: None, beside: Vec::new() };
        if !answer.resources.is_empty() {
            let (payload, beside) = resources::offloaded(answer, settings);
            return Self { beside, ..alone(payload) };
        }
        if answer.structured.is_none()
            && let Some((document, others)) = only_document(answer)
        {
            if are_few(others.iter().map(|(_, text)| text.as_str()), settings) {
                let beside = others.iter().map(|(block, _)| (*block).to_owned()).collect();
                return Self { beside, ..alone(document.into()) };
            }
            if others.iter().all(|(_, text)| !is_json(text)) {
                // As one text, of which the document is a part.
                return alone(answer.texts.join("\n").into());
            }
        }
        let text = joined(&answer.texts);
        let Some(structured) = answer.structured else { return alone(unwrapped(text)) };
        if answer.texts.is_empty() {
            return alone(core(structured));
        }
        if is_same(structured, &answer.texts) {
            let larger = |count: &dyn Fn(&str) -> u32| Some(count(structured).max(count(&text)));
            let tokens = larger(&|text| estimate(settings.tokenizer, text));
            let characters = larger(&|text| u32::try_from(characters(text)).unwrap_or(u32::MAX));
            let bytes = Some(structured.len().max(text.len()) as u64);
            return Self { tokens, characters, bytes, ..alone(core(structured)) };
        }
        let (structured_cost, text_cost) = (settings.cost(structured), settings.cost(&text));
        let are_both_large = match Gates::of(settings, settings.call.input_tokens) {
            Some(gates) => gates.fired(structured.len().min(text.len()) as u64).is_some(),
            None => structured_cost.min(text_cost) > settings.threshold().value(),
        };
        if are_both_large {
            let lines = [structured.to_owned()].into_iter().chain(answer.texts.iter().map(|text| as_json(text)));
            return alone(lines.collect::<Vec<_>>().join("\n").into());
        }
        if structured_cost >= text_cost {
            let beside = answer.blocks.iter().map(|block| (*block).to_owned()).collect();
            return Self { beside, ..alone(core(structured)) };
        }
        Self { beside: vec![text_block(structured)], ..alone(unwrapped(text)) }
    }
}

/// True for texts that may stay beside a response.
pub(super) fn are_few<'a>(texts: impl Iterator<Item = &'a str>, settings: &Settings) -> bool {
    let words = texts.collect::<Vec<_>>().join("\n");
    match Gates::of(settings, settings.call.input_tokens) {
        Some(gates) => gates.fired(words.len() as u64).is_none(),
        None => settings.cost(&words) <= settings.threshold().value(),
    }
}

/// The only text that is a list for the most part, where the others say something about it, with those others and their
/// blocks. Others that are JSON may be records of their own: beside them, a text or a list must be the bulk of the answer.
fn only_document<'a>(answer: &'a Answer<'_>) -> Option<(&'a str, Vec<(&'a str, &'a String)>)> {
    if answer.texts.len() < 2 {
        return None;
    }
    let documents = || answer.texts.iter().filter(|text| is_list(text));
    let texts = || answer.texts.iter().filter(|text| !is_json(text));
    let document = alone(documents()).or_else(|| alone(texts()).filter(|_| documents().next().is_none()))?;
    let others = answer.blocks.iter().copied().zip(&answer.texts).filter(|(_, text)| !std::ptr::eq(*text, document));
    let others: Vec<_> = others.collect();
    let are_words = is_list(document) && others.iter().all(|(_, text)| !is_json(text));
    let bytes: usize = others.iter().map(|(_, text)| text.len()).sum();
    (are_words || bytes * BULK <= document.len()).then_some((document, others))
}

/// The only one of several.
fn alone<T>(mut several: impl Iterator<Item = T>) -> Option<T> {
    several.next().filter(|_| several.next().is_none())
}

/// True for a list, or for an object that is one for the most part.
fn is_list(text: &str) -> bool {
    match text.trim_start().as_bytes().first() {
        Some(b'[') => is_json(text),
        Some(b'{') => Members::of(text).is_some_and(|members| {
            members.0.iter().any(|(_, value)| value.starts_with('[') && value.len() > text.len() / 2)
        }),
        _ => false,
    }
}

/// Several text blocks as one payload: texts as lines; where some of them are JSON, each as a record.
pub(super) fn joined(texts: &[String]) -> Cow<'_, str> {
    match texts {
        [text] => text.into(),
        texts if texts.iter().any(|text| is_json(text)) && !texts.iter().all(|text| is_json(text)) => {
            texts.iter().map(|text| as_json(text)).collect::<Vec<_>>().join("\n").into()
        }
        texts => texts.join("\n").into(),
    }
}

/// A text as it is where it is JSON, else as a JSON string.
pub(super) fn as_json(text: &str) -> String {
    if is_json(text) { text.to_owned() } else { json::quote(text) }
}

/// The document in a JSON string, or the text as it is (USER-06).
pub(super) fn unwrapped(text: Cow<'_, str>) -> Cow<'_, str> {
    document_in(text.trim()).map_or(text, Cow::Owned)
}

/// The document that a JSON string holds.
fn document_in(json: &str) -> Option<String> {
    if !json.starts_with('"') {
        return None;
    }
    let text: String = serde_json::from_str(json).ok()?;
    let is_document = text.trim_start().starts_with(['{', '[']) && is_json(&text);
    is_document.then_some(text)
}

/// Structured content had to be an object in older versions of the protocol, so SDKs wrap other values: `{"result":
/// …}`. Text in it, under any name, is the result, and may be a document itself.
fn core(structured: &str) -> Cow<'_, str> {
    let members = Members::of(structured).map(|members| members.0).unwrap_or_default();
    let [(key, value)] = &members[..] else { return structured.into() };
    match Type::of(value) {
        Type::Object | Type::Array if key == "result" => (*value).into(),
        _ => wrapping::text_in(structured).map_or(structured.into(), |wrapped| wrapped.text.into()),
    }
}

/// True if the text blocks say the same as the structured content: all of it, its only member, or one element of that
/// each.
fn is_same(structured: &str, texts: &[String]) -> bool {
    let members = Members::of(structured).map(|members| members.0).unwrap_or_default();
    let only = match &members[..] {
        [(_, value)] => Some(*value),
        _ => None,
    };
    [Some(structured), only].into_iter().flatten().any(|value| match texts {
        [text] => says(value, text),
        texts if Type::of(value) == Type::Array => {
            let elements = json::elements(value);
            elements.len() == texts.len() && elements.iter().zip(texts).all(|(element, text)| says(element, text))
        }
        _ => false,
    })
}

/// True if a text is that JSON value, however it is written, or the text of that JSON string.
fn says(json: &str, text: &str) -> bool {
    let decoded = || (Type::of(json) == Type::String).then(|| serde_json::from_str::<String>(json).ok()).flatten();
    json::is_same(json, text)
        || decoded().is_some_and(|decoded| decoded == text)
        || with_nulls(text).is_some_and(|text| json::is_same(json, &text))
}

/// A text of Python with null for NaN and infinities: SDKs write these into the text, and null into structured content.
/// `None` if it has none.
fn with_nulls(text: &str) -> Option<String> {
    if !text.contains("NaN") && !text.contains("Infinity") {
        return None;
    }
    let (mut written, mut rest, mut in_string) = (String::with_capacity(text.len()), text, false);
    while let Some(quote) = rest.find('"') {
        let (before, behind) = rest.split_at(quote + 1);
        let backslashes = before[..quote].bytes().rev().take_while(|byte| *byte == b'\\').count();
        match in_string {
            true => written.push_str(before),
            false => written.push_str(&without_nan(before)),
        }
        in_string = !in_string || backslashes % 2 == 1;
        rest = behind;
    }
    written.push_str(&without_nan(rest));
    Some(written)
}

fn without_nan(json: &str) -> String {
    ["-Infinity", "Infinity", "NaN"].iter().fold(json.to_owned(), |json, name| json.replace(name, "null"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_may_say_a_value_in_other_words() {
        let rows = [
            (r#"{"a":[1,2.0]}"#, "{\n  \"a\": [1, 2.0]\n}", true),
            (r#"{"a":"é😀/\"\n"}"#, r#"{"a": "\u00e9\ud83d\ude00\/\u0022\u000a"}"#, true),
            (r#""two lines\nof text""#, "two lines\nof text", true),
            (r#"{"a":"b c"}"#, r#"{"a":"bc"}"#, false),
            (r#"["a","b"]"#, r#"["a\",\"b"]"#, false),
            (r#"["\\n"]"#, r#"["\n"]"#, false),
            (r#"{"a":1}"#, r#"{"a":1.0}"#, false),
            (r#"{"a":1}"#, "a summary", false),
            (r#"[{"a\"NaN":null,"b":"NaN"},null]"#, r#"[{"a\"NaN": NaN, "b": "NaN"}, -Infinity]"#, true),
            (r#"["null"]"#, r#"["NaN"]"#, false),
        ];
        for (json, text, expected) in rows {
            assert_eq!(says(json, text), expected, "{json} {text}");
        }
    }

    #[test]
    fn texts_may_be_the_wrapped_value_or_its_elements() {
        let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        assert!(is_same(r#"{"result":[1,2]}"#, &texts(&["[1, 2]"])));
        assert!(is_same(r#"{"result":["a",{"b":2}]}"#, &texts(&["a", r#"{"b": 2}"#])));
        assert!(is_same(r#"{"content":"long\ntext"}"#, &texts(&["long\ntext"])));
        assert!(!is_same(r#"{"result":["a","b"]}"#, &texts(&["a"])));
        assert!(!is_same(r#"{"result":["a","b"]}"#, &texts(&["a", "c"])));
        assert!(!is_same(r#"{"result":{"a":1}}"#, &[]));
        assert!(!is_same(r#"{"result":[1,2],"total":9}"#, &texts(&["[1,2]"])));
    }

    const LONG: &str = r#"{"content":"a long text\nof several\nlines that is\nthe bulk of it\nby far"}"#;

    #[test]
    fn the_core_is_what_an_sdk_wraps() {
        let rows = [
            (r#"{"result":[1]}"#, "[1]"),
            (r#"{"result":7}"#, r#"{"result":7}"#),
            (r#"{"items":[1]}"#, r#"{"items":[1]}"#),
            (r#"{"content":"[1,2]"}"#, "[1,2]"),
            (r#"{"content":"plain"}"#, r#"{"content":"plain"}"#),
            (LONG, "a long text\nof several\nlines that is\nthe bulk of it\nby far"),
            (r#"{"result":[1],"next":null}"#, r#"{"result":[1],"next":null}"#),
            ("[1]", "[1]"),
        ];
        for (structured, expected) in rows {
            assert_eq!(core(structured), expected);
        }
    }

    #[test]
    fn one_text_may_be_the_bulk() {
        let list = format!("[{}]", ["1"; 99].join(","));
        let (table, meta) = ("id,name\n1,anna\n".repeat(20), r#"{"total":3}"#);
        let rows: [(&[&str], Option<&str>); 9] = [
            (&["Found 99:", &list], Some(&list)),
            (&[&list, meta], Some(&list)),
            (&[&table, meta], Some(&table)),
            (&[meta, &table, r#"{"next":null}"#], Some(&table)),
            (&[&list, &list], None),
            (&[&table, &table, meta], None),
            (&["short", meta], None),
            (&[meta, meta], None),
            (&[&list], None),
        ];
        for (texts, expected) in rows {
            let blocks: Vec<String> = texts.iter().map(|text| text_block(text)).collect();
            let result = format!(r#"{{"content":{}}}"#, json::array(&blocks));
            let members = Members::of(&result).unwrap();
            let answer = Answer::of(&members).unwrap();
            assert_eq!(only_document(&answer).map(|(document, _)| document), expected, "{texts:?}");
        }
    }

    #[test]
    fn several_texts_are_lines_or_records() {
        let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        let rows = [
            (texts(&["a"]), "a"),
            (texts(&["a", "b"]), "a\nb"),
            (texts(&["{\"a\":1}", "[2]"]), "{\"a\":1}\n[2]"),
            (texts(&["{\"a\":1}", "b"]), "{\"a\":1}\n\"b\""),
        ];
        for (texts, expected) in rows {
            assert_eq!(joined(&texts), expected);
        }
    }

    #[test]
    fn a_string_may_hold_a_document() {
        let rows = [
            (r#""{\"a\":1}""#, Some(r#"{"a":1}"#)),
            (r#"" [1]""#, Some(" [1]")),
            (r#""{broken""#, None),
            (r#""7""#, None),
            (r#""plain""#, None),
            (r#"{"a":1}"#, None),
        ];
        for (json, expected) in rows {
            assert_eq!(document_in(json).as_deref(), expected, "{json}");
        }
    }

    #[test]
    fn what_is_said_twice_counts_as_the_larger_of_both() {
        let text = "{\n  \"found\": [1, 2, 3]\n}";
        let structured = r#"{"found":[1,2,3]}"#;
        let answer =
            Answer { blocks: vec![], texts: vec![text.to_owned()], resources: vec![], structured: Some(structured) };
        let subject = Subject::of(&answer, &Settings::default());
        assert_eq!((subject.payload.as_ref(), subject.characters, subject.bytes), (structured, Some(24), Some(24)));
        assert_eq!(subject.tokens, Some(estimate(Settings::default().tokenizer, text)));
    }

    #[test]
    fn words_about_a_document_stay_beside_it() {
        let subject = |texts: &[&str], threshold_tokens| {
            let blocks: Vec<String> = texts.iter().map(|text| text_block(text)).collect();
            let answer = Answer {
                blocks: blocks.iter().map(String::as_str).collect(),
                texts: texts.iter().map(|text| (*text).to_owned()).collect(),
                resources: vec![],
                structured: None,
            };
            let subject = Subject::of(&answer, &Settings { threshold_tokens, ..Settings::default() });
            (subject.payload.into_owned(), subject.beside)
        };
        let (words, rows) = ("Found 2 rows:", r#"[{"a":1},{"a":2}]"#);
        assert_eq!(subject(&[words, rows], 100), (rows.to_owned(), vec![text_block(words)]));
        assert_eq!(subject(&[rows, words, words], 100), (rows.to_owned(), vec![text_block(words), text_block(words)]));
        assert_eq!(subject(&[words, rows], 1), (format!("{words}\n{rows}"), vec![]));
        assert_eq!(subject(&[rows, rows], 100), (format!("{rows}\n{rows}"), vec![]));
        assert_eq!(subject(&[rows, "7"], 100), (rows.to_owned(), vec![text_block("7")]));
        assert_eq!(subject(&[rows, r#"{"a":3}"#], 100), (format!("{rows}\n{{\"a\":3}}"), vec![]));
        let object = format!(r#"{{"n":2,"rows":{rows}}}"#);
        assert_eq!(subject(&[words, &object], 100), (object.clone(), vec![text_block(words)]));
        let record = r#"{"id":1}"#;
        assert_eq!(subject(&[words, record], 100), (format!("\"{words}\"\n{record}"), vec![]));
    }

    #[test]
    fn what_is_said_only_once_is_kept() {
        let settings = |threshold_tokens| Settings { threshold_tokens, ..Settings::default() };
        let (block, text) = (r#"{"type":"text","text":"3 found"}"#, "3 found".to_owned());
        let structured = r#"{"found":[1,2,3]}"#;
        let answer = Answer { blocks: vec![block], texts: vec![text], resources: vec![], structured: Some(structured) };
        let large = Subject::of(&answer, &settings(2));
        assert_eq!((large.payload.as_ref(), large.beside), (structured, vec![block.to_owned()]));
        let in_characters = Settings { threshold_characters: Some(7), ..settings(1) };
        assert_eq!(Subject::of(&answer, &in_characters).beside.len(), 1);
        let both = Subject::of(&answer, &settings(1));
        assert_eq!((both.payload.as_ref(), both.beside.len()), ("{\"found\":[1,2,3]}\n\"3 found\"", 0));
    }
}
