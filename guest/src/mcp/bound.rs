//! The bound on what is passed on: a result that is not offloaded, for whatever reason, is cut where it is too large to
//! be read (USER-17).

use std::borrow::Cow;

use lro_query::json::{self, Members, unquote, without_halves};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::answer::{is_word, resource_in};
use super::mark::Mark;
use super::{refine, text_block};
use crate::offload::budget::{Budget, Unit};
use crate::offload::truncate::{self, Ends, Passage};
use crate::settings::tokens::Tokenizer;

/// What clients show from base64, and do not read as text: the types of blocks, and how media types begin.
const SHOWN: [&str; 2] = ["image", "audio"];

/// What results of the protocol of 2024 had in place of content.
const EARLIER: &str = "toolResult";

/// What a model sees of a CallToolResult. Nothing is decoded.
#[derive(Debug, Default)]
struct VisibleText<'a> {
    /// The texts of its blocks, as JSON strings.
    texts: Vec<&'a str>,
    /// Its structured content, or content that is not an array of blocks.
    structured: Option<&'a str>,
    /// Blocks without a text.
    others: Vec<&'a str>,
}

/// Why a result may not be passed on, though it is not offloaded: it has more than this budget.
pub(super) fn excess(members: &Members<'_>, budget: Budget) -> Option<String> {
    let raw: usize = members.0.iter().map(|(_, value)| value.len()).sum();
    // Four bytes a token at least: most results need no further look.
    if raw <= budget.bytes() || VisibleText::of(members).cost(budget) <= budget.most {
        return None;
    }
    Some(match budget.unit {
        Unit::Bytes => format!("it has more than the {} bytes that a window of this size allows", budget.most),
        Unit::Tokens(_) => format!("it has more than {} tokens (`max_inline_tokens`)", budget.most),
    })
}

/// True if a result is not larger than a budget.
pub(super) fn is_small(members: &Members<'_>, budget: Budget) -> bool {
    VisibleText::of(members).cost(budget) <= budget.most
}

/// Returns the result with the two ends of its text, what cut it and, as `cause`, why: as the truncated answer, or as
/// plain text where it is an error. The `schema` names parameters that narrow the call. Blocks that are not text are kept if there is room.
pub(super) fn cut(
    members: &Members<'_>,
    budget: Budget,
    cause: &str,
    advice: Option<&str>,
    schema: Option<&Map<String, Value>>,
) -> String {
    let visible = VisibleText::of(members);
    let is_error = members.get("isError") == Some("true");
    let passages = visible.passages();
    let rendered = |most: u32| {
        let ends = Ends::of(&passages, budget.with(most));
        match is_error {
            true => [&ends.head, ends.advised_notice(advice).as_str(), &ends.tail].join("\n"),
            false => refine::with_names(truncate::render_ends(&ends, 1, cause, advice), schema),
        }
    };
    // What is around the ends counts too, where there is room for it.
    let whole = rendered(budget.most);
    let text = match budget.most.checked_sub(budget.measure(&whole).saturating_sub(budget.most)) {
        Some(most) if most >= budget.most / 2 => rendered(most),
        _ => whole,
    };
    let text = if is_error { Cow::from(text) } else { without_halves(&text) };
    let mut blocks = vec![text_block(&text)];
    let mut room = budget.bytes();
    blocks.extend(visible.others.iter().filter(|block| fits(block, &mut room)).map(|block| (*block).to_owned()));
    let (content, meta) = (json::array(&blocks), Mark::Truncated.meta(members));
    let kept =
        Members(members.0.iter().filter(|(key, _)| key != "structuredContent" && key != EARLIER).cloned().collect());
    let structured = (!is_error).then_some(("structuredContent", text.as_ref()));
    let replaced: Vec<(&str, &str)> = [("content", content.as_str())].into_iter().chain(structured).collect();
    json::object_with(&kept, &[&replaced[..], &[("_meta", &meta)]].concat())
}

/// Reserves the room for a block, if there is enough.
fn fits(block: &str, room: &mut usize) -> bool {
    let left = room.checked_sub(readable_bytes(block));
    *room = left.unwrap_or(*room);
    left.is_some()
}

impl<'a> VisibleText<'a> {
    fn of(members: &Members<'a>) -> Self {
        let mut visible = Self { structured: members.get("structuredContent"), ..Self::default() };
        let Some(content) = members.get("content") else {
            visible.structured = visible.structured.or_else(|| members.get(EARLIER));
            return visible;
        };
        match serde_json::from_str::<Vec<&RawValue>>(content) {
            Ok(blocks) => blocks.iter().for_each(|block| match text_in(block.get()) {
                Some(text) => visible.texts.push(text),
                None => visible.others.push(block.get()),
            }),
            Err(_) => visible.structured = Some(content),
        }
        visible
    }

    /// Texts and structured content mostly say the same: the larger of the two.
    fn passages(&self) -> Vec<Passage<'a>> {
        let texts: usize = self.texts.iter().map(|text| text.len()).sum();
        match self.structured {
            Some(structured) if structured.len() > texts => vec![Passage::Plain(structured)],
            _ => self.texts.iter().map(|text| Passage::Literal(text)).collect(),
        }
    }

    /// What it would cost to read, in the unit of a budget: tokens are counted by characters as they are written.
    fn cost(&self, budget: Budget) -> u32 {
        let budget = if budget.unit == Unit::Bytes { budget } else { Budget::tokens(Tokenizer::Chars, budget.most) };
        let cost = |text: &str| u64::from(budget.measure(text));
        let texts: u64 = self.texts.iter().map(|text| cost(text)).sum();
        let others: usize = self.others.iter().map(|block| readable_bytes(block)).sum();
        let others = if budget.unit == Unit::Bytes { others } else { others.div_ceil(4) };
        let words = texts.max(self.structured.map_or(0, cost));
        u32::try_from(words + others as u64).unwrap_or(u32::MAX)
    }
}

/// The JSON string of the text in a block: its own, or that of an embedded resource.
fn text_in(block: &str) -> Option<&str> {
    let members = Members::of(block)?;
    let holder = match is_word(members.get("type")?, "resource") {
        true => resource_in(&members)?,
        false => members,
    };
    holder.get("text").filter(|text| text.starts_with('"'))
}

/// Bytes of a block that are no image and no sound in base64.
fn readable_bytes(block: &str) -> usize {
    let shown = || {
        let members = Members::of(block)?;
        let begins_so = |json: &str| SHOWN.iter().any(|kind| unquote(json).starts_with(kind));
        match resource_in(&members) {
            Some(resource) => resource.get("mimeType").filter(|kind| begins_so(kind)).and(resource.get("blob")),
            None => members.get("type").filter(|kind| begins_so(kind)).and(members.get("data")),
        }
    };
    block.len() - shown().map_or(0, str::len)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(most: u32) -> Budget {
        Budget::tokens(Tokenizer::Chars, most)
    }

    fn members(result: &str) -> Members<'_> {
        Members::of(result).unwrap()
    }

    /// A resource of bytes.
    fn bytes(media_type: &str, blob: &str) -> String {
        let resource = format!(r#"{{"uri":"a","mimeType":"{media_type}","blob":"{blob}"}}"#);
        format!(r#"{{"content":[{{"type":"resource","resource":{resource}}}]}}"#)
    }

    /// Text of this many tokens.
    fn text(tokens: usize) -> String {
        "word".repeat(tokens)
    }

    #[test]
    fn what_would_be_read_is_bounded() {
        let long = text(1001);
        let rows = [
            (format!(r#"{{"content":[{{"type":"text","text":"{long}"}}],"isError":true}}"#), true),
            (format!(r#"{{"content":[{{"type":"resource","resource":{{"uri":"a","text":"{long}"}}}}]}}"#), true),
            (format!(r#"{{"content":[{{"type":"hologram","x":"{long}"}}]}}"#), true),
            (format!(r#"{{"content":"{long}"}}"#), true),
            (format!(r#"{{"content":[],"structuredContent":"{long}"}}"#), true),
            (format!(r#"{{"content":[{{"type":"hologram","x":"{}"}}]}}"#, text(990)), false),
            (format!(r#"{{"content":[{{"type":"image","data":"{long}"}}]}}"#), false),
            (format!(r#"{{"content":[{{"type":"video","data":"{long}"}}]}}"#), true),
            (format!(r#"{{"content":[{{"type":"resource","resource":{{"uri":"a","blob":"{long}"}}}}]}}"#), true),
            (bytes("image/png", &long), false),
            (bytes("application/json", &long), true),
            (format!(r#"{{"toolResult":["{long}"]}}"#), true),
            (format!(r#"{{"content":[],"_meta":{{"a":"{long}"}}}}"#), false),
            (format!(r#"{{"content":[{{"type":"text","text":"{}"}}]}}"#, text(990)), false),
        ];
        for (result, expected) in rows {
            assert_eq!(excess(&members(&result), tokens(1000)).is_some(), expected, "{}", &result[..60]);
        }
    }

    #[test]
    fn the_larger_of_texts_and_structured_content_is_cut() {
        let rows = [
            (r#"{"content":[{"type":"text","text":"abc"}],"structuredContent":{"a":1}}"#, r#"{"a":1}"#, true),
            (r#"{"content":[{"type":"text","text":"abcde"}],"structuredContent":{"a":1}}"#, r#""abcde""#, false),
            (r#"{"content":[{"type":"text","text":"abcdef"}],"structuredContent":{"a":1}}"#, r#""abcdef""#, false),
            (r#"{"content":[{"type":"resource","resource":{"uri":"a","text":"abc"}}]}"#, r#""abc""#, false),
        ];
        for (result, expected, is_plain) in rows {
            let members = members(result);
            let found = match VisibleText::of(&members).passages()[..] {
                [Passage::Plain(text)] => (text, true),
                [Passage::Literal(text)] => (text, false),
                _ => panic!("{result}"),
            };
            assert_eq!(found, (expected, is_plain), "{result}");
        }
    }

    #[test]
    fn an_error_stays_an_error() {
        let result =
            format!(r#"{{"content":[{{"type":"text","text":"{}THE END"}}],"isError":true,"x":1}}"#, text(2000));
        let cut = cut(&members(&result), tokens(500), "it is an error", Some("Ask for less."), None);
        let value: serde_json::Value = serde_json::from_str(&cut).unwrap();
        let text = value["content"][0]["text"].as_str().unwrap();
        assert!(text.starts_with("wordword") && text.ends_with("THE END") && text.contains("[lro cut "), "{text}");
        assert!(text.contains(" bytes here. Ask for less.] …"), "{text}");
        assert_eq!(
            (&value["isError"], &value["x"], &value["_meta"]["lro/result"]),
            (&true.into(), &1.into(), &"truncated".into())
        );
        assert!(value.get("structuredContent").is_none() && cut.len() < 4 * 600);
    }

    #[test]
    fn images_stay_beside_a_text_that_is_cut_and_blocks_without_end_do_not() {
        let image = format!(r#"{{"type":"image","data":"{}"}}"#, text(9000));
        let link = r#"{"type":"resource_link","uri":"file:///a/rather/long/path"}"#;
        let links = vec![link; 500].join(",");
        let result = format!(r#"{{"content":[{{"type":"text","text":"{}"}},{image},{links}]}}"#, text(2000));
        let cut = cut(&members(&result), tokens(500), "there is an image beside it", None, None);
        let value: serde_json::Value = serde_json::from_str(&cut).unwrap();
        let blocks = value["content"].as_array().unwrap();
        assert_eq!(blocks[1]["type"], "image");
        assert!(blocks.len() > 10 && blocks.len() < 60, "{}", blocks.len());
        assert_eq!(value["structuredContent"]["offloaded"], false);
        assert_eq!(value["structuredContent"]["results"].as_array().unwrap().len(), 3);
    }
}
