//! JSON that is checked without being read: where values begin and end, and what about their text is out of the ordinary.
//!
//! Grammar, UTF-8, escapes and depth are checked in all that is skipped, so that a line is JSON or refused, whatever a
//! program reads of it. Refused does not mean wrong: the general engine looks at the line and has the last word.

use std::ops::Range;

use simdutf8::basic::from_utf8;

use crate::json::compare;

mod cursor;
#[cfg(test)]
mod differential;
mod heads;
mod items;
mod parts;

pub(crate) use cursor::Cursor;
use heads::Head;
pub(crate) use heads::Heads;
pub(crate) use items::Items;
pub(crate) use parts::{has_unique_keys, parts};

/// Values that are nested deeper are refused: the brackets that are open fit into a number.
pub(crate) const DEEPEST: u32 = u128::BITS;

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

/// Skips line after line. The keys that are known are tried first, in the order in which lines have them.
#[derive(Debug)]
pub(crate) struct Skipper {
    deepest: u32,
    heads: Heads,
    members: Vec<Member>,
    marks: Marks,
    /// The places of the last line's keys among those that are known.
    order: Vec<usize>,
    /// That line was understood.
    knows_order: bool,
    /// Members of the last line have the keys of the line before, in the same order.
    same_keys: bool,
    /// No two members of the last line have the same key, and no key is written in an odd way.
    clear_keys: bool,
}

impl Skipper {
    /// A skipper of lines that are nested at most this deep.
    pub(crate) fn new(deepest: u32) -> Self {
        Self {
            deepest,
            heads: Heads::default(),
            members: Vec::new(),
            marks: Marks::default(),
            order: Vec::new(),
            knows_order: false,
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

    /// The keys that are known: those of the last line among them, if they are clear.
    pub(crate) fn heads(&self) -> &Heads {
        &self.heads
    }

    /// Which member of the last line has the key at a place among those that are known.
    pub(crate) fn member(&self, place: usize) -> Option<u32> {
        self.order.iter().position(|known| *known == place).and_then(|member| u32::try_from(member).ok())
    }

    /// Looks at a line.
    pub(crate) fn skip(&mut self, line: &[u8]) -> Result<Kind, Refused> {
        let mut cursor = Cursor::new(line);
        self.members.clear();
        cursor.space();
        let kind = if cursor.peek() == Some(b'{') {
            self.same_keys = std::mem::take(&mut self.knows_order);
            self.object(&mut cursor)?;
            Kind::Object
        } else {
            cursor.value(self.deepest)?;
            Kind::Other
        };
        cursor.space();
        self.marks = cursor.marks;
        let is_text = !cursor.marks.beyond_ascii || from_utf8(line).is_ok();
        if cursor.at < line.len() || !is_text {
            return Err(Refused);
        }
        self.knows_order |= kind == Kind::Object;
        Ok(kind)
    }

    fn object(&mut self, cursor: &mut Cursor<'_>) -> Result<(), Refused> {
        let deepest = self.deepest.checked_sub(1).ok_or(Refused)?;
        self.heads.begin();
        self.clear_keys = true;
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
        if self.heads.is_unsorted() {
            self.clear_keys = self.heads.replace(&self.members, cursor.text);
            self.order.clear();
            self.order.extend(0..self.members.len());
            self.same_keys = false;
        } else if self.members.len() != self.order.len() {
            self.order.truncate(self.members.len());
            self.same_keys = false;
        }
        Ok(())
    }

    /// A key and what stands before its value.
    #[inline(always)]
    fn key(&mut self, cursor: &mut Cursor<'_>) -> Result<Range<u32>, Refused> {
        let (start, member) = (cursor.place()? + 1, self.members.len());
        let Some((place, head)) = self.heads.next(&cursor.text[cursor.at..]) else {
            return self.new_key(cursor);
        };
        cursor.at += head.bytes();
        cursor.marks = cursor.marks.and(head.marks);
        let key = start..start + head.key_bytes;
        self.note(member, place);
        cursor.space();
        Ok(key)
    }

    #[cold]
    fn new_key(&mut self, cursor: &mut Cursor<'_>) -> Result<Range<u32>, Refused> {
        let (start, member) = (cursor.place()? + 1, self.members.len());
        let head = Head::of(&cursor.text[cursor.at..]).ok_or(Refused)?;
        cursor.at += head.bytes();
        cursor.marks = cursor.marks.and(head.marks);
        let key = start..start + head.key_bytes;
        let place = self.heads.add(head);
        self.same_keys = false;
        self.note(member, place);
        Ok(key)
    }

    /// A member has the key at this place.
    #[inline(always)]
    fn note(&mut self, member: usize, place: usize) {
        if self.order.get(member) != Some(&place) {
            self.same_keys = false;
            self.order.truncate(member);
            self.order.push(place);
        }
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

/// True for a number that every engine prints as it stands and compares as it looks: no exponent, and so short that a
/// double tells it from its neighbours.
pub(crate) fn is_simple_number(text: &[u8]) -> bool {
    text.len() <= 15
        && !text.starts_with(b"-0")
        && !text.starts_with(b"0.0000")
        && !text.iter().any(|byte| matches!(byte, b'e' | b'E'))
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
            (r#"{"a":3,"b":4,"a":5}"#, false, false),
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
