//! Embedded resources: a text, and where it comes from.

use std::borrow::Cow;

use lro_query::json::{self, Members};

use super::answer::{Answer, resource_in};
use super::subject::{are_few, as_json, joined, unwrapped};
use crate::settings::Settings;

/// The text of an embedded resource, or several resources as records, and the blocks that stay. A single resource stays
/// without its text, so that nobody has to guess where the file comes from.
pub(super) fn offloaded<'a>(answer: &'a Answer<'_>, settings: &Settings) -> (Cow<'a, str>, Vec<String>) {
    let is_resource = |at: &usize| answer.resources.contains(at);
    let words = || answer.texts.iter().enumerate().filter(|(at, _)| !is_resource(at)).map(|(_, text)| text.as_str());
    let stay = are_few(words(), settings);
    let only = if let [only] = answer.resources[..] { Some(only) } else { None };
    let blocks = answer.blocks.iter().enumerate().filter_map(|(at, block)| match is_resource(&at) {
        true => (only == Some(at)).then(|| without_text(block)),
        false => stay.then(|| (*block).to_owned()),
    });
    let payload = match only {
        Some(only) if stay => unwrapped(answer.texts[only].as_str().into()),
        Some(_) => joined(&answer.texts),
        None => {
            let lines = answer.blocks.iter().zip(&answer.texts).enumerate().filter_map(|(at, (block, text))| {
                if is_resource(&at) { Some(record_of(block).to_owned()) } else { (!stay).then(|| as_json(text)) }
            });
            lines.collect::<Vec<_>>().join("\n").into()
        }
    };
    (payload, blocks.collect())
}

/// A block with a resource as a record: the resource, or the block where it says more.
fn record_of(block: &str) -> &str {
    let members = Members::of(block).unwrap_or_default();
    members.get("resource").filter(|_| members.0.len() == 2).unwrap_or(block)
}

/// A block with a resource whose text is in a file.
fn without_text(block: &str) -> String {
    let members = Members::of(block).unwrap_or_default();
    let resource = resource_in(&members).unwrap_or_default();
    let text = json::quote("(the response above stands for this text)");
    json::object_with(&members, &[("resource", &json::object_with(&resource, &[("text", &text)]))])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(blocks: &[&str], threshold_tokens: u32) -> (String, Vec<String>) {
        let result = format!(r#"{{"content":{}}}"#, json::array(blocks));
        let members = Members::of(&result).unwrap();
        let answer = Answer::of(&members).unwrap();
        let (payload, beside) = offloaded(&answer, &Settings { threshold_tokens, ..Settings::default() });
        (payload.into_owned(), beside)
    }

    const WORDS: &str = r#"{"type":"text","text":"read it"}"#;
    const FILE: &str = r#"{"type":"resource","resource":{"uri":"u","text":"a\nb","mimeType":"m"},"annotations":{}}"#;
    const KEPT: &str = r#"{"type":"resource","resource":{"uri":"u","text":"(the response above stands for this text)","mimeType":"m"},"annotations":{}}"#;
    const OTHER: &str = r#"{"type":"resource","resource":{"uri":"v","text":"[1]"}}"#;

    #[test]
    fn a_single_resource_stays_without_its_text() {
        assert_eq!(of(&[FILE], 100), ("a\nb".to_owned(), vec![KEPT.to_owned()]));
        assert_eq!(of(&[WORDS, FILE], 100), ("a\nb".to_owned(), vec![WORDS.to_owned(), KEPT.to_owned()]));
        assert_eq!(of(&[WORDS, FILE], 1), ("read it\na\nb".to_owned(), vec![KEPT.to_owned()]));
    }

    #[test]
    fn several_resources_are_records() {
        let records = format!("{FILE}\n{}", r#"{"uri":"v","text":"[1]"}"#);
        assert_eq!(of(&[FILE, WORDS, OTHER], 100), (records, vec![WORDS.to_owned()]));
        let records = format!("{}\n\"read it\"\n{FILE}", r#"{"uri":"v","text":"[1]"}"#);
        assert_eq!(of(&[OTHER, WORDS, FILE], 1), (records, vec![]));
    }
}
