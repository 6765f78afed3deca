//! The bound on what is passed on: a result that is not offloaded, for whatever reason, is cut where it is too large to
//! be read (USER-17).

use lro_query::json::{self, Members};
use serde_json::value::RawValue;

use super::mark::Mark;
use super::refine;
use super::text_block;
use crate::offload::truncate::{self, Ends, Passage};
use crate::settings::Settings;
use crate::settings::tokens::{Tokenizer, estimate};

/// What is kept of a result that is cut, where the threshold is lower: enough to see what it was.
const LEAST_TOKENS: u32 = 400;

/// Members of a block that hold data in base64, which clients show as images or sounds and never as text.
const BINARY: [&str; 2] = ["data", "blob"];

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

/// True if more than may ever be passed on would be read.
pub(super) fn is_too_large(members: &Members<'_>, settings: &Settings) -> bool {
    let most = settings.max_inline_tokens;
    let raw: usize = members.0.iter().map(|(_, value)| value.len()).sum();
    // Four bytes a token at least: most results need no further look.
    raw / 4 > most as usize && VisibleText::of(members).tokens() > most
}

/// True if a result is not larger than the threshold.
pub(super) fn is_small(members: &Members<'_>, settings: &Settings) -> bool {
    VisibleText::of(members).tokens() <= settings.threshold_in_tokens()
}

/// Returns the result with the two ends of its text, what cut it and, as `cause`, why: as the truncated answer, or as
/// plain text where it is an error. Blocks that are not text are kept if there is room.
pub(super) fn cut(members: &Members<'_>, settings: &Settings, cause: &str) -> String {
    let visible = VisibleText::of(members);
    let budget = settings.threshold_in_tokens().clamp(LEAST_TOKENS, settings.max_inline_tokens.max(LEAST_TOKENS));
    let ends = Ends::of(&visible.passages(), settings.tokenizer, budget);
    let is_error = members.get("isError") == Some("true");
    let text = match is_error {
        true => format!("{}\n{}\n{}", ends.head, ends.notice(), ends.tail),
        false => refine::with_names(truncate::render_ends(&ends, 1, cause), settings.call.input_schema.as_ref()),
    };
    let mut blocks = vec![text_block(&text)];
    let mut room = 4 * budget as usize;
    blocks.extend(visible.others.iter().filter(|block| fits(block, &mut room)).map(|block| (*block).to_owned()));
    let (content, meta) = (json::array(&blocks), Mark::Truncated.meta(members));
    let kept = Members(members.0.iter().filter(|(key, _)| key != "structuredContent").cloned().collect());
    let structured = (!is_error).then_some(("structuredContent", text.as_str()));
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
        let Some(content) = members.get("content") else { return visible };
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

    /// What it would cost to read, by characters as they are written.
    fn tokens(&self) -> u32 {
        let cost = |text: &str| u64::from(estimate(Tokenizer::Chars, text));
        let texts: u64 = self.texts.iter().map(|text| cost(text)).sum();
        let others: u64 = self.others.iter().map(|block| readable_bytes(block).div_ceil(4) as u64).sum();
        let words = texts.max(self.structured.map_or(0, cost));
        u32::try_from(words + others).unwrap_or(u32::MAX)
    }
}

/// The JSON string of the text in a block: its own, or that of an embedded resource.
fn text_in(block: &str) -> Option<&str> {
    let members = Members::of(block)?;
    let holder = match members.get("type")? {
        "\"resource\"" => Members::of(members.get("resource")?)?,
        _ => members,
    };
    holder.get("text").filter(|text| text.starts_with('"'))
}

/// Bytes of a block that are not base64.
fn readable_bytes(block: &str) -> usize {
    let members = Members::of(block).unwrap_or_default();
    let resource = members.get("resource").and_then(Members::of).unwrap_or_default();
    let all = members.0.iter().chain(&resource.0);
    let binary: usize = all.filter(|(key, _)| BINARY.contains(&key.as_ref())).map(|(_, value)| value.len()).sum();
    block.len().saturating_sub(binary)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings() -> Settings {
        Settings { threshold_tokens: 500, max_inline_tokens: 1000, ..Settings::default() }
    }

    fn members(result: &str) -> Members<'_> {
        Members::of(result).unwrap()
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
            (format!(r#"{{"content":[{{"type":"image","data":"{long}"}}]}}"#), false),
            (format!(r#"{{"content":[{{"type":"resource","resource":{{"uri":"a","blob":"{long}"}}}}]}}"#), false),
            (format!(r#"{{"content":[],"_meta":{{"a":"{long}"}}}}"#), false),
            (format!(r#"{{"content":[{{"type":"text","text":"{}"}}]}}"#, text(990)), false),
        ];
        for (result, expected) in rows {
            assert_eq!(is_too_large(&members(&result), &settings()), expected, "{}", &result[..60]);
        }
    }

    #[test]
    fn an_error_stays_an_error() {
        let result =
            format!(r#"{{"content":[{{"type":"text","text":"{}THE END"}}],"isError":true,"x":1}}"#, text(2000));
        let cut = cut(&members(&result), &settings(), "it is an error");
        let value: serde_json::Value = serde_json::from_str(&cut).unwrap();
        let text = value["content"][0]["text"].as_str().unwrap();
        assert!(text.starts_with("wordword") && text.ends_with("THE END") && text.contains("[lro cut "), "{text}");
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
        let cut = cut(&members(&result), &settings(), "there is an image beside it");
        let value: serde_json::Value = serde_json::from_str(&cut).unwrap();
        let blocks = value["content"].as_array().unwrap();
        assert_eq!(blocks[1]["type"], "image");
        assert!(blocks.len() > 10 && blocks.len() < 60, "{}", blocks.len());
        assert_eq!(value["structuredContent"]["offloaded"], false);
        assert_eq!(value["structuredContent"]["results"].as_array().unwrap().len(), 3);
    }
}
