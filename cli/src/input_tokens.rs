//! How many tokens the model of a conversation has read, as far as is known here: the sum of the results that it has got,
//! or what its client says (GATE-04).

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

/// The member of `_meta` in a request with which a client says how many tokens its model has read.
const INPUT_TOKENS_KEY: &str = "lro/inputTokens";

/// The formula of the source: four bytes are a token.
const BYTES_OF_A_TOKEN: u64 = 4;

/// The count of a conversation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct InputTokens {
    /// False if the settings have no context window: there are no gates then.
    is_counted: bool,
    tokens: u64,
}

impl Default for InputTokens {
    /// Counts until it is known that there is no context window.
    fn default() -> Self {
        Self { is_counted: true, tokens: 0 }
    }
}

impl InputTokens {
    /// Learns whether there is a context window.
    pub(crate) fn learn(&mut self, context_tokens: Option<u32>) {
        self.is_counted = context_tokens.is_some();
    }

    /// Reads what the client says in the `_meta` of a request, given as its text: it is stronger than the sum so far.
    pub(crate) fn said(&mut self, meta: &str) {
        if self.is_counted
            && meta.contains(INPUT_TOKENS_KEY)
            && let Ok(Meta { tokens: Some(tokens) }) = serde_json::from_str(meta)
        {
            self.tokens = tokens;
        }
    }

    /// Adds a result that the model gets, given as the text of a CallToolResult.
    pub(crate) fn add(&mut self, result: &str) {
        if self.is_counted {
            self.tokens = self.tokens.saturating_add(tokens_of(result));
        }
    }

    /// What the component is told.
    pub(crate) fn get(&self) -> Option<u32> {
        self.is_counted.then(|| u32::try_from(self.tokens).unwrap_or(u32::MAX))
    }
}

#[derive(Deserialize)]
struct Meta {
    #[serde(rename = "lro/inputTokens")]
    tokens: Option<u64>,
}

/// The members of a result that a model reads.
#[derive(Deserialize)]
struct Content<'a> {
    #[serde(borrow, default)]
    content: Vec<&'a RawValue>,
    #[serde(borrow, rename = "structuredContent")]
    structured: Option<&'a RawValue>,
}

/// A block of content, or the resource in one.
#[derive(Deserialize)]
struct Block<'a> {
    #[serde(borrow)]
    text: Option<Cow<'a, str>>,
    #[serde(borrow)]
    resource: Option<Box<Block<'a>>>,
}

impl Block<'_> {
    fn bytes(&self) -> usize {
        self.text.as_ref().map_or(0, |text| text.len()) + self.resource.as_ref().map_or(0, |resource| resource.bytes())
    }
}

/// What a model reads of a result: its texts, or its structured content where that is longer. Images do not count.
fn tokens_of(result: &str) -> u64 {
    let Ok(Content { content, structured }) = serde_json::from_str(result) else { return 0 };
    let bytes = |block: &&RawValue| serde_json::from_str::<Block<'_>>(block.get()).map_or(0, |block| block.bytes());
    let texts = content.iter().map(bytes).sum::<usize>();
    let bytes = texts.max(structured.map_or(0, |value| value.get().len()));
    u64::try_from(bytes).unwrap_or(u64::MAX).div_ceil(BYTES_OF_A_TOKEN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_counted_once_and_images_not_at_all() {
        let rows = [
            (r#"{"content":[{"type":"text","text":"12345"}]}"#, 2),
            (r#"{"content":[{"type":"text","text":"\u00e9\n"}]}"#, 1),
            (
                r#"{"content":[{"type":"text","text":"1234"},{"type":"text","text":"5678"}],"structuredContent":{"a":1}}"#,
                2,
            ),
            (r#"{"content":[],"structuredContent":{"a":[1,2,3]}}"#, 4),
            (r#"{"content":[{"type":"image","data":"AAAAAAAAAAAA"},{"text":7}]}"#, 0),
            (r#"{"content":[{"type":"resource","resource":{"uri":"u","text":"12345678"}}]}"#, 2),
            (r#"{"task":{"taskId":"t"}}"#, 0),
            ("[]", 0),
            ("garbage", 0),
        ];
        for (result, tokens) in rows {
            assert_eq!(tokens_of(result), tokens, "{result}");
        }
    }

    #[test]
    fn what_a_client_says_takes_the_place_of_the_sum() {
        let mut count = InputTokens::default();
        let result = r#"{"content":[{"type":"text","text":"12345678"}]}"#;
        count.add(result);
        assert_eq!(count.get(), Some(2));
        for ignored in ["", "garbage", "{}", r#"{"lro/inputTokens":-1}"#, r#"{"lro/inputTokens":"9"}"#] {
            count.said(ignored);
            assert_eq!(count.get(), Some(2), "{ignored}");
        }
        count.said(r#"{"a":[],"lro/inputTokens":1000}"#);
        count.add(result);
        assert_eq!(count.get(), Some(1002));
        count.said(r#"{"lro/inputTokens":99999999999}"#);
        assert_eq!(count.get(), Some(u32::MAX));
        count.learn(None);
        assert_eq!(count.get(), None);
    }
}
