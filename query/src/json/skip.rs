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
mod number;
mod parts;
mod passed;
mod string;
#[cfg(test)]
mod tests;

pub(crate) use cursor::Cursor;
use heads::{Found, Heads};
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
    /// The places of the last line's keys among those that are known; none if one of them is not.
    order: Vec<usize>,
    /// One of the line's keys has no place.
    is_unknown: bool,
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
            is_unknown: false,
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

    /// Changes when [`Self::place`] says something else of a key.
    pub(crate) fn version(&self) -> u32 {
        self.heads.version()
    }

    /// Where a key is among those that are known.
    pub(crate) fn place(&self, key: &[u8]) -> Option<usize> {
        self.heads.place(key)
    }

    /// Which member of the last line has this key, which is at this place.
    pub(crate) fn member(&self, key: &[u8], place: Option<usize>, line: &[u8]) -> Option<u32> {
        let member = match place {
            _ if self.is_unknown => self.members.iter().position(|member| member.key(line) == key),
            place => self.order.iter().position(|known| Some(*known) == place),
        };
        member.and_then(|member| u32::try_from(member).ok())
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
        self.knows_order |= kind == Kind::Object && !self.is_unknown;
        Ok(kind)
    }

    fn object(&mut self, cursor: &mut Cursor<'_>) -> Result<(), Refused> {
        let deepest = self.deepest.checked_sub(1).ok_or(Refused)?;
        self.is_unknown = false;
        let mut has_odd_key = false;
        cursor.at += 1;
        cursor.space();
        if !cursor.eat(b'}') {
            loop {
                let key = self.key(cursor, &mut has_odd_key)?;
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
        if self.is_unknown {
            self.order.clear();
        }
        if self.members.len() != self.order.len() {
            self.order.truncate(self.members.len());
            self.same_keys = false;
        }
        if self.same_keys {
            self.heads.restore_patience();
            return Ok(());
        }
        // What is known is all different.
        let are_different = !self.is_unknown && self.order.is_sorted_by(|one, next| one < next)
            || are_different(&self.members, cursor.text);
        self.clear_keys = are_different && !has_odd_key;
        if self.is_unknown && self.clear_keys && self.heads.learn_all(&self.members, cursor.text) {
            self.is_unknown = false;
            self.order.extend(0..self.members.len());
        }
        Ok(())
    }

    /// A key and what stands before its value.
    #[inline(always)]
    fn key(&mut self, cursor: &mut Cursor<'_>, is_odd: &mut bool) -> Result<Range<u32>, Refused> {
        let start = cursor.place()? + 1;
        let (member, text) = (self.members.len(), &cursor.text[cursor.at..]);
        let likely = self.order.get(member).and_then(|place| self.heads.at(*place, text));
        let Some(head) = likely.or_else(|| self.other_head(text)) else {
            let (key, after) = self.new_key(*cursor, is_odd)?;
            *cursor = after;
            return Ok(key);
        };
        let key = start..start + head.key_bytes;
        cursor.at += head.bytes;
        cursor.marks = cursor.marks.and(head.marks);
        cursor.space();
        Ok(key)
    }

    /// A head that is known, but not the one that the line before has here.
    #[inline(never)]
    fn other_head(&mut self, text: &[u8]) -> Option<Found> {
        self.same_keys = false;
        self.order.truncate(self.members.len());
        let (place, head) = self.heads.find(self.order.last().map_or(0, |last| last + 1), text)?;
        self.order.push(place);
        Some(head)
    }

    /// The same for a key that is not known, and where the cursor is then.
    #[cold]
    fn new_key<'a>(&mut self, mut cursor: Cursor<'a>, is_odd: &mut bool) -> Result<(Range<u32>, Cursor<'a>), Refused> {
        let before = std::mem::take(&mut cursor.marks);
        let (begin, start) = (cursor.at, cursor.place()? + 1);
        let key = start..start + cursor.key()?;
        let text = &cursor.text[begin..cursor.at];
        // The cursor has looked further than that.
        let marks = Marks { beyond_ascii: !text.is_ascii(), ..cursor.marks };
        cursor.marks = before.and(marks);
        *is_odd |= marks.odd;
        match self.heads.learn(text, key.end - key.start, marks, &self.order) {
            Some(place) => self.order.push(place),
            None => {
                // All may have been forgotten.
                self.order.clear();
                self.is_unknown = true;
            }
        }
        Ok((key, cursor))
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
