//! Strings of Python and JSON, with the escapes of both.

use lro_query::json::push_quoted;

use super::Parser;

/// The replacement of half a surrogate pair, which is not a character.
const NO_CHARACTER: char = '\u{fffd}';

impl Parser<'_> {
    /// Writes the string here, with those that follow it on lines of their own: `pprint` takes long ones apart.
    pub(super) fn string(&mut self) -> Option<()> {
        let mut plain = String::new();
        loop {
            self.one(&mut plain)?;
            let end = self.place;
            self.skip_space();
            let has_line = self.text[end..self.place].contains('\n');
            if !(has_line && self.lists > 0 && matches!(self.peek(), Some(b'"' | b'\''))) {
                self.place = end;
                break;
            }
        }
        push_quoted(&mut self.json, &plain);
        Some(())
    }

    /// Reads what is between quotes.
    fn one(&mut self, plain: &mut String) -> Option<()> {
        let quote = self.peek()?;
        self.is_python |= quote == b'\'';
        self.place += 1;
        loop {
            let rest = &self.text[self.place..];
            let place = rest.bytes().position(|byte| byte == quote || byte == b'\\' || byte == b'\n');
            let Some(place) = place else {
                self.place = self.text.len();
                return None;
            };
            plain.push_str(&rest[..place]);
            self.place += place + 1;
            match rest.as_bytes()[place] {
                b'\\' => plain.push_str(&self.escape()?),
                // A string ends on its line.
                b'\n' => return None,
                _ => return Some(()),
            }
        }
    }

    /// Returns what an escape means, after its backslash; an unknown one is kept.
    fn escape(&mut self) -> Option<String> {
        let letter = self.text[self.place..].chars().next()?;
        self.place += letter.len_utf8();
        let plain = match letter {
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            'b' => '\u{8}',
            'f' => '\u{c}',
            'a' => '\u{7}',
            'v' => '\u{b}',
            '\\' | '\'' | '"' | '/' => letter,
            '\n' => return Some(String::new()),
            'x' => char::from(u8::try_from(self.hexadecimal(2)?).ok()?),
            'u' => self.unit()?,
            'U' => char::from_u32(self.hexadecimal(8)?).unwrap_or(NO_CHARACTER),
            '0'..='7' => self.octal(letter),
            _ => return Some(format!("\\{letter}")),
        };
        Some(plain.to_string())
    }

    fn hexadecimal(&mut self, digits: usize) -> Option<u32> {
        let written = self.text.get(self.place..self.place + digits)?;
        self.place += digits;
        u32::from_str_radix(written, 16).ok()
    }

    /// A UTF-16 unit, or two that are a pair.
    fn unit(&mut self) -> Option<char> {
        let first = self.hexadecimal(4)?;
        let start = self.place;
        if (0xD800..0xDC00).contains(&first) && self.text[start..].starts_with("\\u") {
            self.place += 2;
            match self.hexadecimal(4)? {
                second @ 0xDC00..=0xDFFF => {
                    return char::from_u32(0x10000 + ((first - 0xD800) << 10) + second - 0xDC00);
                }
                _ => self.place = start,
            }
        }
        Some(char::from_u32(first).unwrap_or(NO_CHARACTER))
    }

    fn octal(&mut self, first: char) -> char {
        let more = self.text[self.place..].bytes().take(2).take_while(|byte| (b'0'..=b'7').contains(byte)).count();
        let digits = format!("{first}{}", &self.text[self.place..self.place + more]);
        self.place += more;
        u32::from_str_radix(&digits, 8).ok().and_then(char::from_u32).unwrap_or(NO_CHARACTER)
    }

    /// Bytes: text where they are UTF-8, and as they are written where they are not.
    pub(super) fn byte_string(&mut self) -> Option<()> {
        let start = self.place + 1;
        let mut plain = String::new();
        self.one(&mut plain)?;
        let bytes: Option<Vec<u8>> = plain.chars().map(|letter| u8::try_from(letter).ok()).collect();
        let text = bytes.and_then(|bytes| String::from_utf8(bytes).ok());
        push_quoted(&mut self.json, text.as_deref().unwrap_or(&self.text[start..self.place - 1]));
        Some(())
    }

    /// A string in which a backslash is one.
    pub(super) fn raw_string(&mut self) -> Option<()> {
        let start = self.place + 1;
        self.one(&mut String::new())?;
        push_quoted(&mut self.json, &self.text[start..self.place - 1]);
        Some(())
    }
}
