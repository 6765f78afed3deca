//! JSON texts as values.
//!
//! Strict: what serde_json refuses is refused, but for half of a surrogate pair, which is U+FFFD as in jq from 1.7 on. The
//! text is copied once; texts without escapes are slices of that copy.

use std::rc::Rc;

use serde::de::IgnoredAny;

use super::text::Buffer;
use super::{Map, Number, Text, Value};
use crate::failure::Failure;
use crate::json::{Lanes, plain_bytes};

/// Reads one value, which must be all there is.
pub(super) fn read(text: &str, most_nesting: u32) -> Result<Value, Failure> {
    let mut reader = Reader { buffer: Rc::new(Buffer::from(text.to_owned())), at: 0, left: most_nesting };
    match reader.whole() {
        Ok(value) => Ok(value),
        Err(Fault::TooDeep) => Err(Failure::TooDeep(most_nesting)),
        // The fault is looked up only now, with the words of the parser that the rest of the component uses.
        Err(Fault::NotJson) => {
            let words =
                serde_json::from_str::<IgnoredAny>(text).map_or_else(|error| error.to_string(), |_| String::new());
            Err(Failure::NotJson(words))
        }
    }
}

enum Fault {
    NotJson,
    TooDeep,
}

struct Reader {
    buffer: Rc<Buffer>,
    at: usize,
    left: u32,
}

impl Reader {
    fn whole(&mut self) -> Result<Value, Fault> {
        let value = self.value()?;
        self.space();
        if self.at == self.buffer.len() { Ok(value) } else { Err(Fault::NotJson) }
    }

    fn peek(&self) -> Option<u8> {
        self.buffer.as_bytes().get(self.at).copied()
    }

    fn space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\n' | b'\t' | b'\r')) {
            self.at += 1;
        }
    }

    /// The next byte that is no space.
    fn next(&mut self) -> Result<u8, Fault> {
        self.space();
        let byte = self.peek().ok_or(Fault::NotJson)?;
        self.at += 1;
        Ok(byte)
    }

    fn value(&mut self) -> Result<Value, Fault> {
        match self.next()? {
            b'"' => self.text().map(Value::Text),
            b'{' => self.nested(Self::object),
            b'[' => self.nested(Self::array),
            b'n' => self.word("ull", Value::Null),
            b't' => self.word("rue", Value::Bool(true)),
            b'f' => self.word("alse", Value::Bool(false)),
            b'-' | b'0'..=b'9' => {
                self.at -= 1;
                self.number()
            }
            _ => Err(Fault::NotJson),
        }
    }

    fn word(&mut self, rest: &str, value: Value) -> Result<Value, Fault> {
        let bytes = &self.buffer.as_bytes()[self.at..];
        if !bytes.starts_with(rest.as_bytes()) {
            return Err(Fault::NotJson);
        }
        self.at += rest.len();
        Ok(value)
    }

    fn nested(&mut self, read: fn(&mut Self) -> Result<Value, Fault>) -> Result<Value, Fault> {
        self.left = self.left.checked_sub(1).ok_or(Fault::TooDeep)?;
        let value = read(self)?;
        self.left += 1;
        Ok(value)
    }

    fn array(&mut self) -> Result<Value, Fault> {
        let mut values = Vec::new();
        self.space();
        if self.peek() == Some(b']') {
            self.at += 1;
            return Ok(Value::array(values));
        }
        loop {
            values.push(self.value()?);
            match self.next()? {
                b',' => {}
                b']' => return Ok(Value::array(values)),
                _ => return Err(Fault::NotJson),
            }
        }
    }

    fn object(&mut self) -> Result<Value, Fault> {
        self.space();
        if self.peek() == Some(b'}') {
            self.at += 1;
            return Ok(Value::object(Map::default()));
        }
        let mut members = Vec::with_capacity(8);
        loop {
            let b'"' = self.next()? else { return Err(Fault::NotJson) };
            let key = self.text()?;
            let b':' = self.next()? else { return Err(Fault::NotJson) };
            let value = self.value()?;
            members.push((key, value));
            match self.next()? {
                b',' => {}
                b'}' => return Ok(Value::object(Map::of(members))),
                _ => return Err(Fault::NotJson),
            }
        }
    }

    fn number(&mut self) -> Result<Value, Fault> {
        let start = self.at;
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        let whole = self.at;
        self.digits()?;
        if self.buffer.as_bytes()[whole] == b'0' && self.at - whole > 1 {
            return Err(Fault::NotJson);
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.digits()?;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            self.digits()?;
        }
        Ok(Value::Number(Number::from_literal(&self.buffer[start..self.at])))
    }

    fn digits(&mut self) -> Result<(), Fault> {
        let start = self.at;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        if self.at > start { Ok(()) } else { Err(Fault::NotJson) }
    }

    /// What follows an opening quote.
    fn text(&mut self) -> Result<Text, Fault> {
        let start = self.at;
        let end = self.plain()?;
        if self.buffer.as_bytes()[end] == b'"' {
            self.at = end + 1;
            return Ok(Text::part(&self.buffer, start, end));
        }
        let mut text = self.buffer[start..end].to_owned();
        self.at = end;
        loop {
            self.at += 1;
            text.push(self.escape()?);
            let start = self.at;
            let end = self.plain()?;
            text.push_str(&self.buffer[start..end]);
            self.at = end;
            if self.buffer.as_bytes()[end] == b'"' {
                self.at += 1;
                return Ok(Text::from(text));
            }
        }
    }

    /// Where the next quote or backslash stands; no control character may come before it.
    /// A loop of its own: through the search that quoting has, reading takes 2 to 4 % more instructions.
    fn plain(&self) -> Result<usize, Fault> {
        let rest = &self.buffer.as_bytes()[self.at..];
        let stops = |lanes: Lanes| lanes.equal(b'"').or(lanes.equal(b'\\')).or(lanes.below(0x20)).bits();
        let plain = plain_bytes(rest, stops, |byte| byte < 0x20 || matches!(byte, b'"' | b'\\'));
        if matches!(rest.get(plain), Some(b'"' | b'\\')) { Ok(self.at + plain) } else { Err(Fault::NotJson) }
    }

    /// What follows a backslash.
    fn escape(&mut self) -> Result<char, Fault> {
        let byte = self.peek().ok_or(Fault::NotJson)?;
        self.at += 1;
        Ok(match byte {
            b'"' | b'\\' | b'/' => char::from(byte),
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => return self.unicode(),
            _ => return Err(Fault::NotJson),
        })
    }

    fn unicode(&mut self) -> Result<char, Fault> {
        let first = self.unit()?;
        let behind = self.at;
        if (0xD800..0xDC00).contains(&first) && self.buffer.as_bytes()[behind..].starts_with(b"\\u") {
            self.at += 2;
            if let Some(Ok(pair)) = char::decode_utf16([first, self.unit()?]).next() {
                return Ok(pair);
            }
            // What follows a half is an escape of its own.
            self.at = behind;
        }
        Ok(char::from_u32(first.into()).unwrap_or(char::REPLACEMENT_CHARACTER))
    }

    fn unit(&mut self) -> Result<u16, Fault> {
        let digits = self.buffer.as_bytes().get(self.at..self.at + 4).ok_or(Fault::NotJson)?;
        self.at += 4;
        digits.iter().try_fold(0_u16, |unit, digit| {
            let digit = char::from(*digit).to_digit(16).ok_or(Fault::NotJson)?;
            Ok(unit << 4 | u16::try_from(digit).expect("a hexadecimal digit is small"))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_leave_as_they_came() {
        let texts = [
            "null",
            r#"{"b":1.0,"a":[true,false,{}],"é":"☆"}"#,
            "-0",
            "[]",
            "123456789012345678901234567890",
            r#""a\n\"\\\u0001""#,
        ];
        for text in texts {
            assert_eq!(read(text, 8).unwrap().to_json(), text);
        }
        assert_eq!(
            read(r#" { "a" : "\u0041\ud83d\ude00\/" , "a":2, "b": [ ] } "#, 8).unwrap().to_json(),
            r#"{"a":2,"b":[]}"#
        );
    }

    #[test]
    fn half_of_a_surrogate_pair_is_replaced() {
        let rows = [
            (r#""\ud800""#, "\"\u{fffd}\""),
            (r#""\ud800x""#, "\"\u{fffd}x\""),
            (r#""\ud800\u0041""#, "\"\u{fffd}A\""),
            (r#""\udc00\ud800\ud83d\ude00""#, "\"\u{fffd}\u{fffd}😀\""),
            (r#"{"\ud800":1}"#, "{\"\u{fffd}\":1}"),
        ];
        for (text, expected) in rows {
            assert_eq!(read(text, 8).unwrap().to_json(), expected, "{text}");
        }
        assert!(read(r#""\ud800\u12""#, 8).is_err());
    }

    #[test]
    fn what_is_not_json_is_refused_as_serde_json_refuses_it() {
        let texts = [
            "",
            " ",
            "{",
            "}",
            "[1,]",
            "[,1]",
            "{\"a\"}",
            "{\"a\":1,}",
            "{a:1}",
            "01",
            "-",
            "1.",
            ".5",
            "+1",
            "1e",
            "NaN",
            "nul",
            "truex",
            "\"",
            "\"\\x\"",
            "\"\\u12\"",
            "\"\u{1}\"",
            "1 2",
            "[1}",
            "# c",
            "Infinity",
            "'a'",
        ];
        for text in texts {
            assert!(serde_json::from_str::<serde_json::Value>(text).is_err(), "{text}");
            assert!(matches!(read(text, 8), Err(Failure::NotJson(_))), "{text}");
        }
        assert_eq!(read("[[[1]]]", 2).unwrap_err(), Failure::TooDeep(2));
        assert!(read("[[1],[2]]", 2).is_ok());
    }
}
