//! A place in a text that goes on over values, and tells those that are no JSON.
//!
//! What takes the time stands in functions of its own that get a place and return one: a cursor whose address nobody has stays
//! in registers, of which compiled WebAssembly has few.

use std::ops::Range;

use super::passed::Passed;
use super::{Marks, Refused, number, string};
use crate::json::simd::Lanes;

/// A place in a text, and what was seen on the way there.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cursor<'a> {
    pub(super) text: &'a [u8],
    pub(super) at: usize,
    pub(super) marks: Marks,
}

impl<'a> Cursor<'a> {
    /// At the front of a text.
    pub(crate) fn new(text: &'a [u8]) -> Self {
        Self { text, at: 0, marks: Marks::default() }
    }

    pub(super) fn place(&self) -> Result<u32, Refused> {
        u32::try_from(self.at).map_err(|_| Refused)
    }

    #[inline(always)]
    pub(super) fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    #[inline(always)]
    pub(super) fn next(&mut self) -> Result<u8, Refused> {
        let byte = self.peek().ok_or(Refused)?;
        self.at += 1;
        Ok(byte)
    }

    #[inline(always)]
    pub(super) fn eat(&mut self, byte: u8) -> bool {
        let is_there = self.peek() == Some(byte);
        self.at += usize::from(is_there);
        is_there
    }

    #[inline(always)]
    pub(super) fn space(&mut self) {
        while let Some(b' ' | b'\t' | b'\r' | b'\n') = self.peek() {
            self.at += 1;
            self.marks.spaced = true;
        }
    }

    /// True when only space is left, which is skipped.
    pub(crate) fn is_at_end(&mut self) -> bool {
        self.space();
        self.at == self.text.len()
    }

    /// The array or object that comes next, nested at most this deep. Space before it is skipped.
    pub(crate) fn container(&mut self, deepest: u32) -> Result<Range<usize>, Refused> {
        self.space();
        let start = self.at;
        match self.peek() {
            Some(b'[' | b'{') => self.value(deepest)?,
            _ => return Err(Refused),
        }
        Ok(start..self.at)
    }

    /// Where the elements of the array that comes next stand, each nested at most this deep. Space before it is skipped.
    pub(crate) fn elements(&mut self, deepest: u32, mut each: impl FnMut(Range<usize>)) -> Result<(), Refused> {
        self.listed(b'[', |cursor| {
            let start = cursor.at;
            cursor.value(deepest)?;
            each(start..cursor.at);
            Ok(())
        })
    }

    /// The same for the members of an object: where each key stands, quotes included, and its value.
    pub(crate) fn members(
        &mut self,
        deepest: u32,
        mut each: impl FnMut(Range<usize>, Range<usize>),
    ) -> Result<(), Refused> {
        self.listed(b'{', |cursor| {
            let quote = cursor.at;
            let key = quote..quote + cursor.key()? as usize + 2;
            let start = cursor.at;
            cursor.value(deepest)?;
            each(key, start..cursor.at);
            Ok(())
        })
    }

    /// What is between this bracket and the one that closes it, with commas between the items.
    #[inline(always)]
    fn listed(&mut self, open: u8, mut item: impl FnMut(&mut Self) -> Result<(), Refused>) -> Result<(), Refused> {
        // Both brackets close two places after they open.
        let close = open + 2;
        self.space();
        if !self.eat(open) {
            return Err(Refused);
        }
        self.space();
        if self.eat(close) {
            return Ok(());
        }
        loop {
            item(self)?;
            self.space();
            match self.next()? {
                b',' => self.space(),
                byte if byte == close => return Ok(()),
                _ => return Err(Refused),
            }
        }
    }

    /// A key, its colon, and the space around that. Returns the bytes between the quotes.
    #[inline(always)]
    pub(super) fn key(&mut self) -> Result<u32, Refused> {
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
    #[inline(always)]
    pub(super) fn value(&mut self, deepest: u32) -> Result<(), Refused> {
        match self.peek() {
            Some(b'"') => {
                self.at += 1;
                self.string()
            }
            Some(b'-' | b'0'..=b'9') => self.pass(number::end(self.text, self.at)),
            _ => self.pass(end_of_value(self.text, self.at, deepest)),
        }
    }

    /// The rest of a string, its opening quote having been read. Most end within sixteen bytes, or not soon.
    #[inline(always)]
    pub(super) fn string(&mut self) -> Result<(), Refused> {
        if let Some(chunk) = self.text[self.at..].first_chunk() {
            let lanes = Lanes::load(chunk);
            let stops = lanes.stops();
            let end = self.at + stops.trailing_zeros() as usize;
            if stops != 0 && self.text[end] == b'"' {
                self.marks.beyond_ascii |= lanes.is_beyond_ascii();
                self.at = end + 1;
                return Ok(());
            }
        }
        self.pass(string::end(self.text, self.at))
    }

    /// Goes on to where something ends.
    #[inline(always)]
    fn pass(&mut self, end: Passed) -> Result<(), Refused> {
        self.at = end.place()?;
        self.marks = self.marks.and(end.marks());
        Ok(())
    }

    /// A value of any kind.
    #[inline(always)]
    fn any_value(&mut self, deepest: u32) -> Result<(), Refused> {
        // One bit for each open bracket, the innermost lowest: is it an object's?
        let (mut open, mut depth) = (0_u128, 0_u32);
        'value: loop {
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    self.string()?;
                }
                Some(bracket @ (b'{' | b'[')) => {
                    if depth == deepest.min(u128::BITS) {
                        return Err(Refused);
                    }
                    self.at += 1;
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
                Some(b't') => self.word(*b"true")?,
                Some(b'f') => self.word(*b"false")?,
                Some(b'n') => self.word(*b"null")?,
                _ => self.pass(number::end(self.text, self.at))?,
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

    #[inline(always)]
    fn word<const N: usize>(&mut self, word: [u8; N]) -> Result<(), Refused> {
        match self.text[self.at..].first_chunk() {
            Some(chunk) if *chunk == word => {
                self.at += N;
                Ok(())
            }
            _ => Err(Refused),
        }
    }
}

/// Where the value that begins at a place ends.
#[inline(never)]
fn end_of_value(text: &[u8], at: usize, deepest: u32) -> Passed {
    let mut cursor = Cursor { text, at, marks: Marks::default() };
    match cursor.any_value(deepest) {
        Ok(()) => Passed::to(cursor.at, cursor.marks),
        Err(Refused) => Passed::REFUSED,
    }
}
