//! A piece of a result that is larger than a page: so much of its text as there is room for, and where the next one begins.
//!
//! A result that is a text is cut as the text, any other one as its JSON: the pieces put together are the result.

use std::borrow::Cow;

use serde_json::Value;

use crate::error::Error;
use crate::json::unquote;
use crate::run::page::Origin;

/// Room for the keys and numbers around a piece.
const FRAME_BYTES: usize = 120;

/// Where a piece begins: which result of its record or set, and at which byte of its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Piece {
    /// So many results of the record, or of the whole set, come before.
    pub result: u32,
    /// Its first byte.
    pub from: u32,
}

impl Piece {
    /// The token that a caller passes back.
    pub fn to_token(self) -> String {
        format!("{}@{}", self.result, self.from)
    }

    /// Reads a token; nothing for one that leads to a page.
    pub fn of(token: &str) -> Option<Self> {
        let (result, from) = token.split_once('@')?;
        Some(Self { result: result.parse().ok()?, from: from.parse().ok()? })
    }
}

/// The piece of a result from this byte on, as JSON, for a page of so many bytes; and where the next one begins.
///
/// Errors: [`Error::PastEnd`] when the result is not that long.
pub(crate) fn of(
    origin: Origin<'_>,
    result: &[u8],
    from: u32,
    page_bytes: usize,
) -> Result<(String, Option<u32>), Error> {
    let json = String::from_utf8_lossy(result);
    let (text, form) = match json.starts_with('"') {
        true => (unquote(&json), "text"),
        false => (Cow::Borrowed(json.as_ref()), "json"),
    };
    let Some(rest) = usize::try_from(from).ok().and_then(|from| text.get(from..)).filter(|rest| !rest.is_empty())
    else {
        return Err(Error::PastEnd { from, bytes: text.len() });
    };
    let piece = written_in(rest, page_bytes.saturating_sub(FRAME_BYTES));
    let end = from as usize + piece.len();
    let line = origin.record.map(|_| format!(r#""line":{},"#, origin.position.line)).unwrap_or_default();
    let written = format!(
        r#"{{"piece":{{{line}"form":"{form}","from":{from},"to":{end},"of":{},"text":{}}}}}"#,
        text.len(),
        Value::from(piece)
    );
    let next = u32::try_from(end).ok().filter(|_| end < text.len());
    Ok((written, next))
}

/// As much of a text as is written as a JSON string in so many bytes, and one character at least.
pub fn written_in(text: &str, mut room: usize) -> &str {
    for (place, character) in text.char_indices() {
        let bytes = match character {
            '"' | '\\' | '\n' | '\r' | '\t' | '\u{8}' | '\u{c}' => 2,
            '\0'..='\u{1f}' => 6,
            _ => character.len_utf8(),
        };
        if bytes > room && place > 0 {
            return &text[..place];
        }
        room = room.saturating_sub(bytes);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Position;

    /// The pieces of a result put together.
    fn together(result: &str, page_bytes: usize) -> String {
        let position = Position { offset: 0, line: 17, skip: 0, before: 0 };
        let (mut all, mut from) = (String::new(), Some(0));
        while let Some(start) = from {
            let origin = Origin { position, record: Some(b""), is_of_set: false };
            let (text, next) = of(origin, result.as_bytes(), start, page_bytes).unwrap();
            assert!(text.len() <= page_bytes, "{} > {page_bytes}", text.len());
            let piece: Value = serde_json::from_str(&text).unwrap();
            assert_eq!((&piece["piece"]["line"], &piece["piece"]["from"]), (&17.into(), &start.into()));
            all.push_str(piece["piece"]["text"].as_str().unwrap());
            from = next;
        }
        all
    }

    #[test]
    fn pieces_put_together_are_the_result() {
        let text = "é\"\\\n\u{1}日 word 😀 ".repeat(50);
        let record = serde_json::json!({"a": text, "b": [1, 2.50, null]}).to_string();
        for page_bytes in [200, 301, 1000, 100_000] {
            assert_eq!(together(&record, page_bytes), record);
            assert_eq!(together(&Value::from(text.as_str()).to_string(), page_bytes), text);
        }
    }

    #[test]
    fn tokens_lead_into_a_result() {
        let piece = Piece { result: 3, from: 6000 };
        assert_eq!(piece.to_token(), "3@6000");
        assert_eq!(Piece::of("3@6000"), Some(piece));
        for token in ["", "1.2.3.4", "@", "3@", "@6", "a@1", "3@6@1", "-1@0"] {
            assert_eq!(Piece::of(token), None, "{token}");
        }
        let origin =
            Origin { position: Position { offset: 0, line: 2, skip: 0, before: 0 }, record: None, is_of_set: false };
        for from in [5, 6, u32::MAX] {
            assert!(of(origin, "[1,2]".as_bytes(), from, 500).is_err());
        }
        assert!(of(origin, "\"é\"".as_bytes(), 1, 500).is_err(), "inside of a character");
    }
}
