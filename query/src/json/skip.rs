//! JSON that is checked without being read: where values begin and end, and what about their text is out of the ordinary.
//!
//! Grammar, UTF-8, escapes and depth are checked in all that is skipped, so that a line is JSON or refused, whatever a
//! program reads of it. Refused does not mean wrong: the general engine looks at the line and has the last word.

use std::ops::Range;

use crate::json::compare;
use crate::json::simd::Lanes;

#[cfg(test)]
mod differential;
mod parts;

pub(crate) use parts::{has_unique_keys, parts};

/// More members than this are sorted to find those that are equal.
const MANY_MEMBERS: usize = 32;

/// A line that the skipper does not take: it is no JSON, or nested too deep.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Refused;

/// What is out of the ordinary in a text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Marks {
    /// There is space between tokens, which is not printed.
    pub spaced: bool,
    /// It may be printed differently from how it stands: `\u` or `\/`, DEL, an exponent, a long number, `-0`.
    pub odd: bool,
    /// A byte may be beyond ASCII.
    pub beyond_ascii: bool,
}

impl Marks {
    fn and(self, other: Self) -> Self {
        Self {
            spaced: self.spaced | other.spaced,
            odd: self.odd | other.odd,
            beyond_ascii: self.beyond_ascii | other.beyond_ascii,
        }
    }
}

/// A member of an object: places in its line. The key's is that of the text between its quotes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Member {
    key: Range<u32>,
    value: Range<u32>,
}

impl Member {
    /// The key as it stands in the line, without its quotes.
    pub(crate) fn key<'a>(&self, line: &'a [u8]) -> &'a [u8] {
        &line[self.key.start as usize..self.key.end as usize]
    }

    /// The value as it stands in the line.
    pub(crate) fn value<'a>(&self, line: &'a [u8]) -> &'a [u8] {
        &line[self.value.start as usize..self.value.end as usize]
    }
}

/// What a line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// An object whose members are known.
    Object,
    /// Other JSON.
    Other,
}

/// Skips line after line. Records of a file mostly have the same keys in the same order, so the keys of the last line
/// are tried first on the next.
#[derive(Debug)]
pub(crate) struct Skipper {
    deepest: u32,
    heads: Vec<Head>,
    members: Vec<Member>,
    marks: Marks,
    /// The heads are those of the last line, which was understood.
    knows_heads: bool,
    /// Members of the last line have the keys of the line before, in the same order.
    same_keys: bool,
    /// No two members of the last line have the same key, and no key is written in an odd way.
    clear_keys: bool,
}

/// The text before a value: key, colon, and the space around it.
#[derive(Debug)]
struct Head {
    text: Vec<u8>,
    /// The beginning of the text, for comparing sixteen bytes at once, and a bit for each of them that counts.
    front: [u8; 16],
    counts: u32,
    key_bytes: u32,
    marks: Marks,
    odd: bool,
}

impl Head {
    fn new(text: &[u8], key_bytes: u32, marks: Marks) -> Self {
        let mut front = [0; 16];
        let length = text.len().min(front.len());
        front[..length].copy_from_slice(&text[..length]);
        Self { text: text.to_vec(), front, counts: (1 << length) - 1, key_bytes, marks, odd: marks.odd }
    }

    /// True when the text begins with this. (Comparing slices is slow in WebAssembly.)
    #[inline(always)]
    fn begins(&self, text: &[u8]) -> bool {
        match text.first_chunk() {
            Some(chunk) if Lanes::load(chunk).same(Lanes::load(&self.front)) & self.counts != self.counts => false,
            Some(_) if self.text.len() <= self.front.len() => true,
            _ => text.starts_with(&self.text),
        }
    }
}

impl Skipper {
    /// A skipper of lines that are nested at most this deep.
    pub(crate) fn new(deepest: u32) -> Self {
        let marks = Marks::default();
        Self {
            deepest,
            heads: Vec::new(),
            members: Vec::new(),
            marks,
            knows_heads: false,
            same_keys: false,
            clear_keys: true,
        }
    }

    /// The members of the last line, if it was an object.
    pub(crate) fn members(&self) -> &[Member] {
        &self.members
    }

    /// What is out of the ordinary in the last line.
    pub(crate) fn marks(&self) -> Marks {
        self.marks
    }

    /// True when the keys of the last line are those of the line before, in the same order.
    pub(crate) fn has_same_keys(&self) -> bool {
        self.same_keys
    }

    /// True when the keys of the last line differ from one another, and are what they look like.
    pub(crate) fn has_clear_keys(&self) -> bool {
        self.clear_keys
    }

    /// Looks at a line.
    pub(crate) fn skip(&mut self, line: &[u8]) -> Result<Kind, Refused> {
        let mut cursor = Cursor::new(line);
        self.members.clear();
        cursor.space();
        let kind = if cursor.peek() == Some(b'{') {
            self.same_keys = std::mem::take(&mut self.knows_heads);
            self.object(&mut cursor)?;
            Kind::Object
        } else {
            cursor.value(self.deepest)?;
            Kind::Other
        };
        cursor.space();
        self.marks = cursor.marks;
        let is_text = !cursor.marks.beyond_ascii || std::str::from_utf8(line).is_ok();
        if cursor.at < line.len() || !is_text {
            return Err(Refused);
        }
        self.knows_heads |= kind == Kind::Object;
        Ok(kind)
    }

    fn object(&mut self, cursor: &mut Cursor<'_>) -> Result<(), Refused> {
        let deepest = self.deepest.checked_sub(1).ok_or(Refused)?;
        cursor.at += 1;
        cursor.space();
        if !cursor.eat(b'}') {
            loop {
                let key = self.key(cursor)?;
                let start = cursor.place()?;
                cursor.value(deepest)?;
                self.members.push(Member { key, value: start..cursor.place()? });
                cursor.space();
                match cursor.next()? {
                    b',' => cursor.space(),
                    b'}' => break,
                    _ => return Err(Refused),
                }
            }
        }
        if self.members.len() != self.heads.len() {
            self.heads.truncate(self.members.len());
            self.same_keys = false;
        }
        if !self.same_keys {
            self.clear_keys = self.heads.iter().all(|head| !head.odd) && are_different(&self.members, cursor.text);
        }
        Ok(())
    }

    /// A key and what stands before its value.
    #[inline(always)]
    fn key(&mut self, cursor: &mut Cursor<'_>) -> Result<Range<u32>, Refused> {
        let start = cursor.place()? + 1;
        if let Some(head) = self.heads.get(self.members.len())
            && head.begins(&cursor.text[cursor.at..])
        {
            cursor.at += head.text.len();
            cursor.marks = cursor.marks.and(head.marks);
            cursor.space();
            return Ok(start..start + head.key_bytes);
        }
        self.new_key(cursor)
    }

    #[cold]
    fn new_key(&mut self, cursor: &mut Cursor<'_>) -> Result<Range<u32>, Refused> {
        let before = std::mem::take(&mut cursor.marks);
        let (begin, start) = (cursor.at, cursor.place()? + 1);
        let key = start..start + cursor.key()?;
        let text = &cursor.text[begin..cursor.at];
        let marks = cursor.marks;
        cursor.marks = before.and(marks);
        let head = Head::new(text, key.end - key.start, marks);
        match self.heads.get_mut(self.members.len()) {
            Some(known) => *known = head,
            None => self.heads.push(head),
        }
        self.same_keys = false;
        Ok(key)
    }
}

fn are_different(members: &[Member], line: &[u8]) -> bool {
    if members.len() > MANY_MEMBERS {
        let mut keys: Vec<&[u8]> = members.iter().map(|member| member.key(line)).collect();
        keys.sort_unstable_by(|a, b| compare(a, b));
        return keys.windows(2).all(|pair| pair[0] != pair[1]);
    }
    let keys = || members.iter().map(|member| member.key(line));
    keys().enumerate().all(|(i, key)| !keys().take(i).any(|other| other == key))
}

/// A place in a text, and what was seen on the way there.
#[derive(Debug)]
pub(crate) struct Cursor<'a> {
    text: &'a [u8],
    at: usize,
    marks: Marks,
}

impl<'a> Cursor<'a> {
    /// At the front of a text.
    pub(crate) fn new(text: &'a [u8]) -> Self {
        Self { text, at: 0, marks: Marks::default() }
    }

    fn place(&self) -> Result<u32, Refused> {
        u32::try_from(self.at).map_err(|_| Refused)
    }

    #[inline(always)]
    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    #[inline(always)]
    fn next(&mut self) -> Result<u8, Refused> {
        let byte = self.peek().ok_or(Refused)?;
        self.at += 1;
        Ok(byte)
    }

    #[inline(always)]
    fn eat(&mut self, byte: u8) -> bool {
        let is_there = self.peek() == Some(byte);
        self.at += usize::from(is_there);
        is_there
    }

    #[inline(always)]
    fn space(&mut self) {
        while let Some(b' ' | b'\t' | b'\r' | b'\n') = self.peek() {
            self.at += 1;
            self.marks.spaced = true;
        }
    }

    /// A key, its colon, and the space around that. Answers the bytes between the quotes.
    fn key(&mut self) -> Result<u32, Refused> {
        if !self.eat(b'"') {
            return Err(Refused);
        }
        let start = self.place()?;
        self.string()?;
        let bytes = self.place()? - 1 - start;
        self.space();
        if !self.eat(b':') {
            return Err(Refused);
        }
        self.space();
        Ok(bytes)
    }

    /// One value, with all that is in it. Space before it has been skipped.
    #[inline]
    fn value(&mut self, deepest: u32) -> Result<(), Refused> {
        // One bit for each open bracket, the innermost lowest: is it an object's?
        let (mut open, mut depth) = (0_u128, 0_u32);
        'value: loop {
            match self.next()? {
                b'"' => self.string()?,
                bracket @ (b'{' | b'[') => {
                    if depth == deepest.min(u128::BITS) {
                        return Err(Refused);
                    }
                    self.space();
                    // Both brackets close two places after they open.
                    if !self.eat(bracket + 2) {
                        let is_object = bracket == b'{';
                        depth += 1;
                        open = open << 1 | u128::from(is_object);
                        if is_object {
                            self.key()?;
                        }
                        continue;
                    }
                }
                b't' => self.word(b"rue")?,
                b'f' => self.word(b"alse")?,
                b'n' => self.word(b"ull")?,
                first @ (b'-' | b'0'..=b'9') => self.number(first)?,
                _ => return Err(Refused),
            }
            loop {
                if depth == 0 {
                    return Ok(());
                }
                self.space();
                match (self.next()?, open & 1 == 1) {
                    (b',', is_object) => {
                        self.space();
                        if is_object {
                            self.key()?;
                        }
                        continue 'value;
                    }
                    (b'}', true) | (b']', false) => {
                        open >>= 1;
                        depth -= 1;
                    }
                    _ => return Err(Refused),
                }
            }
        }
    }

    fn word(&mut self, rest: &[u8]) -> Result<(), Refused> {
        if !self.text[self.at..].starts_with(rest) {
            return Err(Refused);
        }
        self.at += rest.len();
        Ok(())
    }

    fn number(&mut self, first: u8) -> Result<(), Refused> {
        let start = self.at - 1;
        let leading = if first == b'-' { self.next()? } else { first };
        match leading {
            b'0' => {}
            b'1'..=b'9' => self.some_digits(),
            _ => return Err(Refused),
        }
        if self.eat(b'.') {
            self.digits()?;
        }
        if let Some(b'e' | b'E') = self.peek() {
            self.at += 1;
            if let Some(b'+' | b'-') = self.peek() {
                self.at += 1;
            }
            self.digits()?;
        }
        self.marks.odd |= !is_simple_number(&self.text[start..self.at]);
        Ok(())
    }

    fn digits(&mut self) -> Result<(), Refused> {
        match self.next()? {
            b'0'..=b'9' => {
                self.some_digits();
                Ok(())
            }
            _ => Err(Refused),
        }
    }

    fn some_digits(&mut self) {
        while let Some(b'0'..=b'9') = self.peek() {
            self.at += 1;
        }
    }

    /// The rest of a string, its opening quote having been read.
    #[inline(always)]
    fn string(&mut self) -> Result<(), Refused> {
        loop {
            if let Some(chunk) = self.text[self.at..].first_chunk() {
                let lanes = Lanes::load(chunk);
                self.marks.beyond_ascii |= lanes.is_beyond_ascii();
                let stops = lanes.stops();
                if stops == 0 {
                    self.at += chunk.len();
                    continue;
                }
                self.at += stops.trailing_zeros() as usize;
            } else {
                let rest = &self.text[self.at..];
                self.marks.beyond_ascii |= !rest.is_ascii();
                self.at += rest.iter().position(|byte| is_stop(*byte)).ok_or(Refused)?;
            }
            match self.next()? {
                b'"' => return Ok(()),
                b'\\' => self.escape()?,
                0x7f => self.marks.odd = true,
                _ => return Err(Refused),
            }
        }
    }

    fn escape(&mut self) -> Result<(), Refused> {
        match self.next()? {
            b'"' | b'\\' | b'b' | b'f' | b'n' | b'r' | b't' => Ok(()),
            b'/' => {
                self.marks.odd = true;
                Ok(())
            }
            b'u' => {
                self.marks.odd = true;
                match self.unit()? {
                    // The first half of a pair, which must be followed by the second.
                    0xd800..=0xdbff => {
                        self.word(b"\\u")?;
                        if (0xdc00..=0xdfff).contains(&self.unit()?) { Ok(()) } else { Err(Refused) }
                    }
                    0xdc00..=0xdfff => Err(Refused),
                    _ => Ok(()),
                }
            }
            _ => Err(Refused),
        }
    }

    fn unit(&mut self) -> Result<u32, Refused> {
        let mut unit = 0;
        for _ in 0..4 {
            unit = unit << 4 | char::from(self.next()?).to_digit(16).ok_or(Refused)?;
        }
        Ok(unit)
    }
}

fn is_stop(byte: u8) -> bool {
    matches!(byte, b'"' | b'\\' | 0..=0x1f | 0x7f)
}

/// True for a number that every engine prints as it stands and compares as it looks: no exponent, and so short that a
/// double tells it from its neighbours.
pub(crate) fn is_simple_number(text: &[u8]) -> bool {
    text.len() <= 15
        && !text.starts_with(b"-0")
        && !text.starts_with(b"0.0000")
        && !text.iter().any(|byte| matches!(byte, b'e' | b'E'))
}

/// The elements of an array, or the members of an object, in a text that has been skipped.
pub(crate) struct Items<'a> {
    cursor: Cursor<'a>,
    is_object: bool,
}

impl<'a> Items<'a> {
    /// Those of this array or object; `None` for anything else.
    pub(crate) fn of(text: &'a [u8]) -> Option<Self> {
        let is_object = match text.first()? {
            b'{' => true,
            b'[' => false,
            _ => return None,
        };
        let mut cursor = Cursor::new(text);
        cursor.at = 1;
        Some(Self { cursor, is_object })
    }
}

impl<'a> Iterator for Items<'a> {
    /// The key as it stands, empty in an array, and the value.
    type Item = (&'a [u8], &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        let cursor = &mut self.cursor;
        cursor.space();
        if cursor.at > 1 && cursor.eat(b',') {
            cursor.space();
        }
        let mut key = 0..0;
        if self.is_object {
            let start = cursor.at + 1;
            key = start..start + cursor.key().ok()? as usize;
        }
        let start = cursor.at;
        // At the closing bracket there is no value.
        cursor.value(u32::MAX).ok()?;
        Some((&cursor.text[key], &cursor.text[start..cursor.at]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn skipped(line: &str) -> Option<Vec<(String, String)>> {
        let mut skipper = Skipper::new(128);
        skipper.skip(line.as_bytes()).ok()?;
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        let members = skipper.members().iter();
        Some(members.map(|m| (text(m.key(line.as_bytes())), text(m.value(line.as_bytes())))).collect())
    }

    #[test]
    fn members_are_found_as_they_stand() {
        let row = |pairs: &[(&str, &str)]| Some(pairs.iter().map(|(k, v)| ((*k).into(), (*v).into())).collect());
        assert_eq!(
            skipped(r#" {"a" : [1, {"b":"]}"}] ,"é\n":"x\"y"} "#),
            row(&[("a", r#"[1, {"b":"]}"}]"#), (r"é\n", r#""x\"y""#)])
        );
        assert_eq!(skipped("{}"), row(&[]));
        assert_eq!(skipped("[1]"), row(&[]));
    }

    #[test]
    fn what_serde_json_refuses_is_refused() {
        let long = "x".repeat(40);
        let rows = [
            "",
            "{",
            "}",
            "[",
            "[1,]",
            "{\"a\":1,}",
            "{\"a\"}",
            "{a:1}",
            "01",
            "1.",
            ".5",
            "+1",
            "-",
            "1e",
            "1e+",
            "NaN",
            "nul",
            "truee",
            "\"",
            "\"\\\"",
            "\"\\x\"",
            "\"\\u12\"",
            "\"\\ud800\"",
            "\"\\udc00\"",
            "\"\\ud800\\u0041\"",
            "\"\t\"",
            "1 2",
            "[1}",
            "{\"a\":1]",
            "[\"a\" \"b\"]",
            "[1 2]",
            "{\"a\":1 \"b\":2}",
        ];
        for line in rows.iter().map(|row| (*row).to_owned()).chain([format!("\"{long}"), format!("\"{long}\n\"")]) {
            assert!(serde_json::from_str::<serde_json::Value>(&line).is_err(), "{line}");
            assert!(skipped(&line).is_none(), "{line}");
        }
        assert_eq!(Skipper::new(128).skip(b"\"\xff\""), Err(Refused));
        assert_eq!(Skipper::new(2).skip(b"[[1]]"), Ok(Kind::Other));
        assert_eq!(Skipper::new(2).skip(b"[[[1]]]"), Err(Refused));
        assert_eq!(Skipper::new(2).skip(b"{\"a\":{\"b\":[]}}"), Err(Refused));
    }

    #[test]
    fn what_is_out_of_the_ordinary_is_marked() {
        let marks = |line: &str| {
            let mut skipper = Skipper::new(128);
            skipper.skip(line.as_bytes()).unwrap();
            let Marks { spaced, odd, beyond_ascii } = skipper.marks();
            [(spaced, 's'), (odd, 'o'), (beyond_ascii, 'b')]
                .iter()
                .filter_map(|(is, letter)| is.then_some(*letter))
                .collect::<String>()
        };
        let rows = [
            (r#"{"a":"b\n","c":[1.50,-2,true]}"#, ""),
            (r#"{"a": 1}"#, "s"),
            (r#"{"a":1}  "#, "s"),
            (r#"{"a":"\/"}"#, "o"),
            (r#"{"a":"\u0041"}"#, "o"),
            ("{\"a\":\"\u{7f}\"}", "o"),
            (r#"{"\u0061":1}"#, "o"),
            ("1e3", "o"),
            ("-0", "o"),
            ("12345678901234567", "o"),
            (r#"{"é":"é"}"#, "b"),
        ];
        for (line, expected) in rows {
            assert_eq!(marks(line), expected, "{line}");
        }
    }

    #[test]
    fn keys_are_compared_with_the_line_before_and_with_each_other() {
        let mut skipper = Skipper::new(128);
        let rows = [
            (r#"{"a":1,"b":2}"#, false, true),
            (r#"{"a":3,"b":4}"#, true, true),
            (r#"{"a":3}"#, false, true),
            (r#"{"a":3,"b":4,"a":5}"#, false, false),
            (r#"{"a":3,"b":4,"a":5}"#, true, false),
            (r#"{"a":3,"b":4,"c":5}"#, false, true),
            (r#"{"a":3,"b":4,"\u0061":5}"#, false, false),
            (r#"{}"#, false, true),
            (r#"{}"#, true, true),
            (r#"{"a":1}"#, false, true),
            (r#"{"a": 1}"#, true, true),
        ];
        for (line, same, clear) in rows {
            assert_eq!(skipper.skip(line.as_bytes()), Ok(Kind::Object));
            assert_eq!((skipper.has_same_keys(), skipper.has_clear_keys()), (same, clear), "{line}");
        }
        assert_eq!(skipper.skip(br#"{"a":1}x"#), Err(Refused));
        assert_eq!(skipper.skip(br#"{"a":1}"#), Ok(Kind::Object));
        assert!(!skipper.has_same_keys(), "nothing is known after a line that was refused");
    }
}
