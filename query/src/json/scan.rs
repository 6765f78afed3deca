//! JSON text that is known to be valid, walked from its front to its end without building anything.

use crate::json::block::{BLOCK_BYTES, Block, Escapes};
use crate::json::same;
use crate::json::simd::Lanes;

/// A place in a JSON text.
#[derive(Debug, Clone)]
pub struct Scan<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Scan<'a> {
    /// Begins in front of a value. The text must be valid JSON: of other text the answers mean nothing, but
    /// nothing panics, and every walk ends.
    pub fn of(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    /// The first byte of what comes next; 0 at the end.
    pub fn peek(&mut self) -> u8 {
        while matches!(self.byte(), b' ' | b'\t' | b'\n' | b'\r') {
            self.at += 1;
        }
        self.byte()
    }

    /// Goes behind the next value, and returns its text.
    pub fn value(&mut self) -> &'a str {
        let first = self.peek();
        let start = self.at;
        match first {
            b'"' => self.skip_string(),
            b'{' | b'[' => self.skip_container(),
            _ => {
                while !matches!(self.byte(), 0 | b',' | b']' | b'}' | b':' | b' ' | b'\t' | b'\n' | b'\r') {
                    self.at += 1;
                }
            }
        }
        // Ends lie behind ASCII characters, or at the end of the text.
        self.text.get(start..self.at.min(self.text.len())).unwrap_or_default()
    }

    /// Goes behind this text, such as `"key":`, if it comes next, without space before it.
    #[inline]
    pub fn eat(&mut self, text: &str) -> bool {
        let end = self.at + text.len();
        let is_next = self.text.as_bytes().get(self.at..end).is_some_and(|next| same(next, text.as_bytes()));
        if is_next {
            self.at = end;
        }
        is_next
    }

    /// Goes behind the next key and its colon, and returns the key's text, quotes included.
    pub fn any_key(&mut self) -> &'a str {
        let key = self.value();
        self.peek();
        self.at += 1;
        key
    }

    /// Goes through the members of the object that comes next. `each` gets the text of a key, quotes included, and must
    /// go behind its value.
    pub fn members(&mut self, mut each: impl FnMut(&mut Self, &'a str)) {
        self.members_by(|scan| {
            let key = scan.any_key();
            each(scan, key);
        });
    }

    /// The same, but `each` begins in front of the key, and must go behind it as well.
    pub fn members_by(&mut self, mut each: impl FnMut(&mut Self)) {
        self.at += 1;
        while self.peek() == b'"' {
            each(self);
            if self.peek() == b',' {
                self.at += 1;
            }
        }
        self.at += 1;
    }

    /// Goes through the elements of the array that comes next. `each` must go behind one value.
    pub fn elements(&mut self, mut each: impl FnMut(&mut Self)) {
        self.at += 1;
        while !matches!(self.peek(), b']' | 0) {
            let before = self.at;
            each(self);
            if self.peek() == b',' {
                self.at += 1;
            }
            // No value begins here: the text is not JSON, and going on would not end.
            if self.at == before {
                break;
            }
        }
        self.at += 1;
    }

    /// What `walk` goes over, and what it returns.
    pub(super) fn walked<T>(&mut self, walk: impl FnOnce(&mut Self) -> T) -> (&'a str, T) {
        let start = self.at;
        let found = walk(self);
        (self.text.get(start..self.at.min(self.text.len())).unwrap_or_default(), found)
    }

    #[inline]
    fn byte(&self) -> u8 {
        self.text.as_bytes().get(self.at).copied().unwrap_or_default()
    }

    #[inline(always)]
    fn skip_string(&mut self) {
        self.at += 1;
        let bytes = self.text.as_bytes();
        while let Some(chunk) = bytes.get(self.at..).and_then(<[u8]>::first_chunk) {
            let lanes = Lanes::load(chunk);
            let stops = lanes.equal(b'"').or(lanes.equal(b'\\')).bits();
            if stops == 0 {
                self.at += chunk.len();
                continue;
            }
            self.at += stops.trailing_zeros() as usize;
            let is_behind_end = match self.byte() {
                b'\\' if bytes.len() - self.at >= BLOCK_BYTES => self.skip_escapes(),
                _ => self.is_behind_stop(),
            };
            if is_behind_end {
                return;
            }
        }
        // The last bytes of a text.
        while self.at < bytes.len() {
            match self.byte() {
                b'"' | b'\\' if self.is_behind_stop() => return,
                b'"' | b'\\' => {}
                _ => self.at += 1,
            }
        }
    }

    /// Goes on from a backslash in a string. True if that went behind the string's end.
    #[inline(never)]
    fn skip_escapes(&mut self) -> bool {
        let mut escapes = Escapes::default();
        while let Some(block) = Block::at(self.text.as_bytes(), self.at) {
            let escaped = escapes.of(block.bits(|lanes| lanes.equal(b'\\')));
            let ends = block.bits(|lanes| lanes.equal(b'"')) & !escaped;
            if ends != 0 {
                self.at += ends.trailing_zeros() as usize + 1;
                return true;
            }
            self.at += BLOCK_BYTES;
        }
        self.at -= escapes.open_bytes();
        false
    }

    /// Goes behind a quote or an escape. True if it was the quote.
    #[inline(always)]
    fn is_behind_stop(&mut self) -> bool {
        let is_quote = self.byte() == b'"';
        self.at += if is_quote { 1 } else { 2 };
        is_quote
    }

    fn skip_container(&mut self) {
        let mut depth = 0_u32;
        loop {
            match self.byte() {
                b'"' => {
                    self.skip_string();
                    continue;
                }
                b'{' | b'[' => depth += 1,
                b'}' | b']' => depth -= 1,
                0 if self.at >= self.text.len() => return,
                _ => {}
            }
            self.at += 1;
            if depth == 0 {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_told_apart() {
        let mut seen = Vec::new();
        let text = r#" [ 1.5e3 ,"a\"]", {"x":[{}] , "y":null},[ ],true ] "#;
        let mut scan = Scan::of(text);
        assert_eq!(scan.peek(), b'[');
        scan.elements(|scan| seen.push(scan.value()));
        assert_eq!(seen, ["1.5e3", r#""a\"]""#, r#"{"x":[{}] , "y":null}"#, "[ ]", "true"]);
        assert_eq!(scan.peek(), 0);
    }

    #[test]
    fn a_walk_through_what_is_not_json_ends() {
        for text in
            ["[}", "[:", "[1}", "[[}]", "[\"a\":1]", "{}", "{\"", "{\"a\"", "{\"a\":}", "{\"a\"]", "[\0", "", "[", "{"]
        {
            Scan::of(text).elements(|scan| _ = scan.value());
            Scan::of(text).members(|scan, _| _ = scan.value());
        }
    }

    #[test]
    fn members_have_their_keys() {
        let mut seen = Vec::new();
        Scan::of(r#"{"a" : 1,"b\"": {"c":[2]} }"#).members(|scan, key| seen.push((key, scan.value())));
        assert_eq!(seen, [(r#""a""#, "1"), (r#""b\"""#, r#"{"c":[2]}"#)]);
        Scan::of("{}").members(|_, _| panic!("there is none"));
        let mut scan = Scan::of(r#""ab":1"#);
        assert!(!scan.eat(r#""a":"#) && !scan.eat(r#""ab":12"#) && scan.eat(r#""ab":"#));
        assert_eq!(scan.value(), "1");
    }
}
