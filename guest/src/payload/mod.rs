//! The text of a result: what surrounded it, and records written again in the form in which they came.

pub mod detail;
pub mod document;
pub mod frame;
pub mod growth;
pub mod keyed;
pub mod lists;
pub mod memories;
pub mod notation;
pub mod path;
pub mod plain_text;
pub mod rows;
pub mod shown;
pub mod texts;
pub mod tree;
pub mod wrapping;

use std::borrow::Cow;

use lro_query::json::{Unquoted, is_json, unquote_checked};

use crate::payload::frame::{Around, Form, Frame};
use crate::payload::wrapping::Wrapped;

/// The text of a result, unescaped if it was in a JSON string (USER-06).
#[derive(Debug)]
pub struct Payload<'a> {
    text: Cow<'a, str>,
    wrapping: Option<Wrapping>,
    as_it_came: &'a str,
}

/// What surrounded a text.
#[derive(Debug)]
struct Wrapping {
    around: Option<Around>,
    inline: Option<String>,
    /// Escaping the text again gives the very same string.
    is_exact: bool,
}

impl<'a> Payload<'a> {
    /// Looks at a result; the text that is the bulk of an object is taken out of it.
    pub fn of(text: &'a str) -> Self {
        let as_it_came = text;
        let Some(Wrapped { text, around, is_exact, inline }) = wrapping::text_in(text) else {
            return Self::whole(as_it_came);
        };
        let around = Some(around).filter(|around| *around != Around::default());
        Self { text: text.into(), wrapping: Some(Wrapping { around, inline, is_exact }), as_it_came }
    }

    /// Looks at a result that is known to hold the records itself: only a document in a JSON string is unescaped.
    pub fn whole(text: &'a str) -> Self {
        let plain = Self { text: text.into(), wrapping: None, as_it_came: text };
        let string = text.trim_ascii();
        let Some(Unquoted { text: inner, is_exact }) = unquote_checked(string) else { return plain };
        if !inner.trim_start().starts_with(['[', '{']) || !is_json(&inner) {
            return plain;
        }
        let is_exact = is_exact && string == text;
        Self { text: inner, wrapping: Some(Wrapping { around: None, inline: None, is_exact }), as_it_came: text }
    }

    /// Its text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The whole, as it came.
    pub fn as_it_came(&self) -> &'a str {
        self.as_it_came
    }

    /// Members of the object that the text was in, as the text of an object.
    pub fn beside(&self) -> Option<&str> {
        self.wrapping.as_ref()?.inline.as_deref()
    }

    /// Escaping the text again gives exactly the string that it was in.
    pub fn is_exact(&self) -> bool {
        self.wrapping.as_ref().is_none_or(|wrapping| wrapping.is_exact)
    }

    /// Adds to the frame of this text what surrounded the text.
    pub fn framed(&self, frame: Frame) -> Frame {
        match &self.wrapping {
            Some(Wrapping { around, is_exact, .. }) => {
                Frame { quoted: true, around: around.clone(), exact: frame.exact && *is_exact, ..frame }
            }
            None => frame,
        }
    }
}

/// Writes records: each on a line of its own for JSON Lines, as one array for anything else.
pub fn write(form: Form, records: impl Iterator<Item = impl AsRef<str>> + Clone) -> String {
    let (open, separator, close) = if form == Form::Lines { ("", "\n", "\n") } else { ("[", ",", "]") };
    let bytes: usize = records.clone().map(|record| record.as_ref().len() + 1).sum();
    let mut text = String::with_capacity(bytes + 2);
    text.push_str(open);
    for (i, record) in records.enumerate() {
        if i > 0 {
            text.push_str(separator);
        }
        text.push_str(record.as_ref());
    }
    text.push_str(close);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_written_in_the_form_they_came_in() {
        assert_eq!(write(Form::Array, ["1", "2"].iter()), "[1,2]");
        assert_eq!(write(Form::Lines, ["1", "2"].iter()), "1\n2\n");
    }

    #[test]
    fn json_in_a_string_is_read_and_any_other_text_stays() {
        let rows = [
            (r#""[1,2]""#, "[1,2]", true),
            (r#" "{\"a\":1}""#, r#"{"a":1}"#, false),
            (r#""\u005b1]""#, "[1]", false),
            (r#""words""#, r#""words""#, true),
            (r#""[1,""#, r#""[1,""#, true),
            (r#""[1]"#, r#""[1]"#, true),
            ("[1]", "[1]", true),
            ("7", "7", true),
        ];
        for (text, inner, is_exact) in rows {
            let payload = Payload::whole(text);
            assert_eq!((payload.text(), payload.is_exact(), payload.as_it_came()), (inner, is_exact, text));
            let frame = payload.framed(Frame::array());
            assert_eq!((frame.quoted, frame.exact), (inner != text, is_exact), "{text}");
        }
    }
}
