//! Words and calls: constants, dates, decimals, and objects that print themselves as they are made.

use lro_query::json::push_quoted;

use super::Parser;
use crate::payload::notation::columns::is_number;
use crate::payload::notation::moments::of_python;

/// What these are called with is their value; of several arguments it is the last.
const WRAPPERS: [&str; 28] = [
    "ChainMap",
    "Counter",
    "Decimal",
    "Int64",
    "Markup",
    "ObjectId",
    "OrderedDict",
    "Path",
    "PosixPath",
    "PurePath",
    "PurePosixPath",
    "SafeString",
    "Timestamp",
    "UUID",
    "WindowsPath",
    "array",
    "bool_",
    "bytearray",
    "datetime64",
    "defaultdict",
    "deque",
    "float32",
    "float64",
    "frozenset",
    "int32",
    "int64",
    "mappingproxy",
    "str_",
];

/// A longer word is not a name.
const MOST_WORD_BYTES: usize = 200;

/// A longer text in angle brackets does not name an object.
const MOST_ANGLE_BYTES: usize = 1000;

impl Parser<'_> {
    /// A constant, a string with a prefix, or a call.
    pub(super) fn word(&mut self) -> Option<()> {
        let text = self.text;
        let rest = &text[self.place..];
        let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || *byte == b'.';
        let word = &rest[..rest.bytes().take_while(is_part).take(MOST_WORD_BYTES).count()];
        self.place += word.len();
        let constant = match word {
            "true" | "True" => "true",
            "false" | "False" => "false",
            "null" | "None" | "nan" | "NaN" | "NaT" | "inf" | "Infinity" | "undefined" => "null",
            _ => "",
        };
        self.has_no_number |= matches!(word, "nan" | "NaN" | "inf" | "Infinity");
        self.is_python |= matches!(word, "True" | "False" | "None");
        if !constant.is_empty() {
            self.json.push_str(constant);
            return Some(());
        }
        self.is_python = true;
        match (word, self.peek()?) {
            ("b" | "B", b'"' | b'\'') => self.byte_string(),
            ("r" | "R", b'"' | b'\'') => self.raw_string(),
            ("u" | "U", b'"' | b'\'') => self.string(),
            (_, b'(') => self.call(word),
            _ => None,
        }
    }

    fn call(&mut self, word: &str) -> Option<()> {
        self.place += 1;
        let name = word.rsplit('.').next().unwrap_or(word);
        match name {
            "datetime" | "date" | "DateTime" => self.moment(),
            "set" if self.is_next(b')') => {
                self.place += 1;
                self.json.push_str("[]");
                Some(())
            }
            _ if WRAPPERS.binary_search(&name).is_ok() => self.wrapper(name),
            _ => self.object(word),
        }
    }

    /// Writes the last argument that has no name.
    fn wrapper(&mut self, name: &str) -> Option<()> {
        let start = self.json.len();
        let mut end = start;
        self.arguments(|parser, keyword| {
            // Of what is written, the argument before this one is dropped; that costs nothing but its place.
            let place = parser.json.len();
            if keyword.is_none() {
                parser.json.truncate(start);
                parser.value()?;
                end = parser.json.len();
            } else {
                parser.argument()?;
                parser.json.truncate(place);
            }
            Some(())
        })?;
        if name == "Decimal" {
            let number = self.json[start..end].trim_matches('"').to_owned();
            if is_number(&number) {
                self.json.truncate(start);
                self.json.push_str(&number);
            }
        }
        if end == start {
            self.json.push_str("null");
        }
        Some(())
    }

    /// `User(id=1)` becomes `{"class":"User","id":1}`.
    fn object(&mut self, word: &str) -> Option<()> {
        if self.in_key {
            return None;
        }
        self.json.push_str("{\"class\":");
        push_quoted(&mut self.json, word);
        let mut count = 0;
        self.arguments(|parser, keyword| {
            parser.json.push(',');
            match keyword {
                Some(keyword) => push_quoted(&mut parser.json, keyword),
                None => parser.json.push_str(&format!("\"{count}\"")),
            }
            parser.json.push(':');
            count += 1;
            parser.argument()
        })?;
        self.json.push('}');
        Some(())
    }

    /// A date or a moment, with the offset where it is simple.
    fn moment(&mut self) -> Option<()> {
        let start = self.json.len();
        let mut numbers = Vec::new();
        let mut zone = "";
        self.arguments(|parser, keyword| {
            let place = parser.place;
            parser.argument()?;
            let written = &parser.text[place..parser.place];
            if keyword.is_none() && numbers.len() < 8 {
                numbers.push(written.trim().parse().ok()?);
            } else if keyword == Some("tzinfo") && written.to_ascii_lowercase().contains("utc") {
                zone = "Z";
            }
            parser.json.truncate(start);
            Some(())
        })?;
        push_quoted(&mut self.json, &of_python(&numbers, zone)?);
        Some(())
    }

    /// Reads arguments up to the bracket that closes them.
    fn arguments(&mut self, mut each: impl FnMut(&mut Self, Option<&str>) -> Option<()>) -> Option<()> {
        let text = self.text;
        // A call is written in parts that may be dropped: no list in it is the outermost one.
        self.lists += 1;
        let mut is_first = true;
        while !self.is_next(b')') {
            if !is_first {
                self.expect(b',')?;
                self.skip_space();
            }
            is_first = false;
            let rest = &text[self.place..];
            let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
            let keyword = &rest[..rest.bytes().take_while(is_part).take(MOST_WORD_BYTES).count()];
            if !keyword.is_empty() && rest[keyword.len()..].starts_with('=') {
                self.place += keyword.len() + 1;
                each(self, Some(keyword))?;
            } else {
                each(self, None)?;
            }
        }
        self.lists -= 1;
        self.place += 1;
        Some(())
    }

    /// The value of an argument; a word that is not a literal is a name.
    fn argument(&mut self) -> Option<()> {
        let text = self.text;
        let rest = &text[self.place..];
        let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || *byte == b'.';
        let word = &rest[..rest.bytes().take_while(is_part).take(MOST_WORD_BYTES).count()];
        let is_name = word.starts_with(|first: char| first.is_ascii_alphabetic())
            && rest[word.len()..].starts_with([',', ')'])
            && !matches!(word, "True" | "False" | "None" | "nan" | "inf");
        if is_name {
            self.place += word.len();
            push_quoted(&mut self.json, word);
            return Some(());
        }
        self.value()
    }

    /// An object that shows only its type and value: `<Color.RED: 1>`, on one line.
    pub(super) fn angle(&mut self) -> Option<()> {
        let rest = &self.text[self.place..];
        let mut depth = 0;
        for (place, byte) in rest.bytes().enumerate().take(MOST_ANGLE_BYTES) {
            match byte {
                b'<' => depth += 1,
                b'>' => depth -= 1,
                b'\n' => return None,
                _ => {}
            }
            if depth == 0 {
                self.place += place + 1;
                self.is_python = true;
                push_quoted(&mut self.json, &rest[..=place]);
                return Some(());
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrappers_are_in_order() {
        assert!(WRAPPERS.is_sorted());
    }
}
