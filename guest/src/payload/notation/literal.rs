//! Literals as Python prints them, written as JSON. JSON is among them, and so are `NaN` and a comma before a bracket.

mod call;
mod number;
mod string;

use lro_query::json::push_quoted;

/// serde_json reads no deeper values, and each level takes some of the stack.
const DEEPEST: usize = 127;

/// Reads literals from a text, one after the other, and writes them in the same order.
#[derive(Debug)]
pub(super) struct Parser<'a> {
    text: &'a str,
    place: usize,
    /// What is written so far.
    pub(super) json: String,
    most: usize,
    depth: usize,
    /// How many of the values around are lists, sets or calls.
    lists: usize,
    /// It reads a key, which cannot be a dictionary. (Its JSON is quoted, and quotes in quotes in quotes would double.)
    in_key: bool,
    /// Something was no JSON, but Python.
    pub(super) is_python: bool,
    /// Something was NaN or an infinity, which JSON has no number for.
    pub(super) has_no_number: bool,
    /// Closing brackets of what is open.
    open: String,
    /// The end of the last element of the outermost list.
    whole: Option<Whole>,
}

/// What of a value that breaks off is whole.
#[derive(Debug, Clone)]
pub(super) struct Whole {
    /// Where it ends in the text.
    pub(super) end: usize,
    /// Where it ends in the JSON.
    pub(super) json: usize,
    /// What closes it.
    pub(super) close: String,
    /// Some of it is not JSON, but Python.
    pub(super) is_python: bool,
}

impl<'a> Parser<'a> {
    /// A parser that writes at most this many bytes.
    pub(super) fn of(text: &'a str, most: usize) -> Self {
        Self {
            text,
            place: 0,
            json: String::new(),
            most,
            depth: 0,
            lists: 0,
            in_key: false,
            is_python: false,
            has_no_number: false,
            open: String::new(),
            whole: None,
        }
    }

    /// Reads the list, dictionary or tuple at a place, and returns where it ends. Otherwise returns where it breaks
    /// off, with what is whole; nothing is written then, but the JSON can still be cut there.
    pub(super) fn read(&mut self, place: usize) -> Result<usize, (usize, Option<Whole>)> {
        (self.place, self.depth, self.lists, self.in_key) = (place, 0, 0, false);
        self.open.clear();
        self.whole = None;
        match self.value() {
            Some(()) => Ok(self.place),
            None => Err((self.place, self.whole.take())),
        }
    }

    /// True if more was written than may be.
    pub(super) fn is_full(&self) -> bool {
        self.json.len() > self.most
    }

    fn value(&mut self) -> Option<()> {
        self.skip_space();
        if self.depth >= DEEPEST || self.is_full() {
            return None;
        }
        self.depth += 1;
        match self.peek()? {
            b'[' => self.list(b'[', b']')?,
            b'(' => self.list(b'(', b')')?,
            b'{' => self.dictionary_or_set()?,
            b'"' | b'\'' => self.string()?,
            b'-' | b'+' | b'.' | b'0'..=b'9' => self.number()?,
            b'<' => self.angle()?,
            b'_' | b'a'..=b'z' | b'A'..=b'Z' => self.word()?,
            _ => return None,
        }
        self.depth -= 1;
        Some(())
    }

    /// A list, or a tuple: `(1)` is not one, but `(1,)` is.
    fn list(&mut self, open: u8, close: u8) -> Option<()> {
        let start = self.json.len();
        let is_outermost = self.lists == 0;
        self.enter('[', ']');
        self.lists += 1;
        self.is_python |= open == b'(';
        let mut count = 0;
        let mut has_comma = false;
        while !self.is_next(close) {
            if count > 0 {
                self.expect(b',')?;
                has_comma = true;
                if self.is_next(close) {
                    break;
                }
                self.json.push(',');
            }
            self.value()?;
            count += 1;
            if is_outermost && !self.in_key {
                let close = self.open.chars().rev().collect();
                let (end, json, is_python) = (self.place, self.json.len(), self.is_python);
                self.whole = Some(Whole { end, json, close, is_python });
            }
        }
        self.place += 1;
        self.lists -= 1;
        self.leave();
        if open == b'(' && count == 1 && !has_comma {
            // JSON may have a space there.
            self.json.replace_range(start..=start, " ");
            self.json.pop();
        }
        Some(())
    }

    fn dictionary_or_set(&mut self) -> Option<()> {
        if self.in_key {
            return None;
        }
        let start = self.json.len();
        self.enter('{', '}');
        let mut is_set = false;
        let mut count = 0;
        while !self.is_next(b'}') {
            if count > 0 {
                self.expect(b',')?;
                if self.is_next(b'}') {
                    break;
                }
                self.json.push(',');
            }
            let key = self.json.len();
            if is_set {
                self.value()?;
            } else {
                self.key()?;
                if count == 0 && !self.is_next(b':') {
                    is_set = true;
                    self.lists += 1;
                } else {
                    self.expect(b':')?;
                    self.quote(key);
                    self.json.push(':');
                    self.value()?;
                }
            }
            count += 1;
        }
        self.place += 1;
        self.leave();
        if is_set {
            self.lists -= 1;
            self.is_python = true;
            self.json.replace_range(start..=start, "[");
            self.json.pop();
            self.json.push(']');
        }
        Some(())
    }

    /// A key, or the first element of a set. A word is a key too, as JavaScript prints it.
    fn key(&mut self) -> Option<()> {
        self.skip_space();
        let rest = &self.text[self.place..];
        let word = rest.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count();
        if word > 0 && !rest.starts_with(|first: char| first.is_ascii_digit()) && rest[word..].starts_with(':') {
            push_quoted(&mut self.json, &rest[..word]);
            self.place += word;
            self.is_python = true;
            return Some(());
        }
        self.in_key = true;
        self.value()?;
        self.in_key = false;
        Some(())
    }

    /// Makes a string of what is written from here on.
    fn quote(&mut self, start: usize) {
        if !self.json[start..].starts_with('"') {
            let key = self.json.split_off(start);
            push_quoted(&mut self.json, &key);
            self.is_python = true;
        }
    }

    fn enter(&mut self, open: char, close: char) {
        self.place += 1;
        self.json.push(open);
        self.open.push(close);
    }

    fn leave(&mut self) {
        self.json.extend(self.open.pop());
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.place).copied()
    }

    fn is_next(&mut self, byte: u8) -> bool {
        self.skip_space();
        self.peek() == Some(byte)
    }

    fn expect(&mut self, byte: u8) -> Option<()> {
        let is_next = self.is_next(byte);
        self.place += usize::from(is_next);
        is_next.then_some(())
    }

    fn skip_space(&mut self) {
        let rest = &self.text.as_bytes()[self.place..];
        self.place += rest.iter().take_while(|byte| matches!(byte, b' ' | b'\n' | b'\r' | b'\t')).count();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<String> {
        let mut parser = Parser::of(text, 1 << 20);
        let end = parser.read(0).ok()?;
        assert_eq!(end, text.trim_end().len());
        let value: serde_json::Value = serde_json::from_str(&parser.json).unwrap();
        Some(value.to_string())
    }

    #[test]
    fn literals_become_json() {
        let rows = [
            ("[{'a': 1, 'b': None}, ]", r#"[{"a":1,"b":null}]"#),
            (r#"[1, -2.50, 1e5, .5, 1., 1_000, 10j, +3]"#, r#"[1,-2.5,100000.0,0.5,1.0,1000,"10j",3]"#),
            (
                "[True, False, None, nan, -inf, NaN, Infinity, true, null]",
                "[true,false,null,null,null,null,null,true,null]",
            ),
            ("[(1, 'x'), (2,), (3), ()]", r#"[[1,"x"],[2],3,[]]"#),
            ("{1, 2}", "[1,2]"),
            ("{}", "{}"),
            ("{(1, 'a'): 'x', 2: 'y', None: 1}", r#"{"[1,\"a\"]":"x","2":"y","None":1}"#),
            (r#"['it\'s', "a 'b'", '"', 'a\n\x41\u00e9\U0001F600\101\d']"#, r#"["it's","a 'b'","\"","a\nAé😀A\\d"]"#),
            (r#"["\ud83d\ude00 \ud83d \/"]"#, "[\"😀 \u{fffd} /\"]"),
            (r"[b'ab\xc3\xa9', b'\xff', r'\n', u'x']", r#"["abé","\\xff","\\n","x"]"#),
            ("[('ab'\n  'cd')]", r#"["abcd"]"#),
            (
                "[datetime.datetime(2020, 1, 2, 3, 4), datetime.date(2020, 1, 2)]",
                r#"["2020-01-02T03:04:00","2020-01-02"]"#,
            ),
            ("[datetime.datetime(2020, 1, 2, 3, 4, tzinfo=datetime.timezone.utc)]", r#"["2020-01-02T03:04:00Z"]"#),
            ("[Decimal('1.20'), Decimal('NaN'), UUID('a-b'), PosixPath('/x')]", r#"[1.2,"NaN","a-b","/x"]"#),
            (
                "[OrderedDict([('a', 1)]), defaultdict(<class 'list'>, {'a': [1]}), set()]",
                r#"[[["a",1]],{"a":[1]},[]]"#,
            ),
            ("[array([1, 2], dtype=float32), np.int64(5)]", "[[1,2],5]"),
            (
                "[User(id=1, name='x'), Point(1, 2)]",
                r#"[{"class":"User","id":1,"name":"x"},{"class":"Point","0":1,"1":2}]"#,
            ),
            (r#"[<git.Actor "A <a@b>">, <Color.RED: 1>]"#, r#"["<git.Actor \"A <a@b>\">","<Color.RED: 1>"]"#),
            ("[ { id: 1, name: 'x' } ]", r#"[{"id":1,"name":"x"}]"#),
        ];
        for (text, expected) in rows {
            assert_eq!(read(text).as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn other_text_is_no_literal() {
        let texts = [
            "[1 2]",
            "[,]",
            "[a]",
            "['a",
            "['a\nb']",
            "{1: 2, 3}",
            "[2024-01-01]",
            "[007]",
            "{{}: 1}",
            "[1",
            "[[1]",
            "[x=1]",
        ];
        for text in texts {
            assert_eq!(read(text), None, "{text}");
        }
        assert_eq!(read(&"[".repeat(1 << 20)), None);
        assert_eq!(read(&format!("{}{}", "[".repeat(200), "]".repeat(200))), None);
        assert!(read(&format!("{}{}", "[".repeat(DEEPEST), "]".repeat(DEEPEST))).is_some());
        // A list may be much longer than deep.
        assert!(read(&format!("[{}]", "[{'a': {1, 2}}], ".repeat(2 * DEEPEST))).is_some());
    }

    #[test]
    fn what_breaks_off_is_whole_up_to_an_element() {
        let text = r#"{"n":2,"l":[{"a":[1,2]},{"b":[3,4"#;
        let mut parser = Parser::of(text, 1 << 20);
        let (place, whole) = parser.read(0).unwrap_err();
        let whole = whole.unwrap();
        assert_eq!((place, &text[..whole.end], whole.close.as_str()), (text.len(), r#"{"n":2,"l":[{"a":[1,2]}"#, "]}"));
        assert_eq!(&parser.json[..whole.json], &text[..whole.end]);
        // Lists, sets and tuples in its elements are whole.
        for (text, end) in [("[[1],(2, 3),[4", 11), ("[{1, 2},{3},{4", 11), ("[[1],2,3", 8), ("[1,(2),x", 6)] {
            let (_, whole) = Parser::of(text, 1 << 20).read(0).unwrap_err();
            assert_eq!(whole.map(|whole| whole.end), Some(end), "{text}");
        }
        // What is still to be rewritten cannot be cut.
        for text in ["{1, [2, 3", "{(1, 2", "[x([1,", "{'a': defaultdict([1, 2], ["] {
            let (_, whole) = Parser::of(text, 1 << 20).read(0).unwrap_err();
            assert!(whole.is_none(), "{text}");
        }
    }
}
