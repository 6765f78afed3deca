//! A place in a text that goes on over values, and tells those that are no JSON.

use std::ops::Range;

use super::{Marks, Refused, is_simple_number};
use crate::json::simd::Lanes;

/// A place in a text, and what was seen on the way there.
#[derive(Debug)]
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
    #[inline]
    pub(super) fn value(&mut self, deepest: u32) -> Result<(), Refused> {
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

    pub(super) fn word(&mut self, rest: &[u8]) -> Result<(), Refused> {
        if !self.text[self.at..].starts_with(rest) {
            return Err(Refused);
        }
        self.at += rest.len();
        Ok(())
    }

    pub(super) fn number(&mut self, first: u8) -> Result<(), Refused> {
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

    pub(super) fn digits(&mut self) -> Result<(), Refused> {
        match self.next()? {
            b'0'..=b'9' => {
                self.some_digits();
                Ok(())
            }
            _ => Err(Refused),
        }
    }

    pub(super) fn some_digits(&mut self) {
        while let Some(b'0'..=b'9') = self.peek() {
            self.at += 1;
        }
    }

    /// The rest of a string, its opening quote having been read.
    #[inline(always)]
    pub(super) fn string(&mut self) -> Result<(), Refused> {
        let mut seen = Lanes::load(&[0; 16]);
        loop {
            if let Some(chunk) = self.text[self.at..].first_chunk() {
                let lanes = Lanes::load(chunk);
                seen = seen.or(lanes);
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
                b'"' => {
                    self.marks.beyond_ascii |= seen.is_beyond_ascii();
                    return Ok(());
                }
                b'\\' => match self.next()? {
                    b'"' | b'\\' | b'b' | b'f' | b'n' | b'r' | b't' => {}
                    escape => self.odd_escape(escape)?,
                },
                0x7f => self.marks.odd = true,
                _ => return Err(Refused),
            }
        }
    }

    /// The rest of an escape that may be printed differently.
    #[inline(never)]
    fn odd_escape(&mut self, first: u8) -> Result<(), Refused> {
        self.marks.odd = true;
        match first {
            b'/' => Ok(()),
            b'u' => match self.unit()? {
                // The first half of a pair, which must be followed by the second.
                0xd800..=0xdbff => {
                    self.word(b"\\u")?;
                    if (0xdc00..=0xdfff).contains(&self.unit()?) { Ok(()) } else { Err(Refused) }
                }
                0xdc00..=0xdfff => Err(Refused),
                _ => Ok(()),
            },
            _ => Err(Refused),
        }
    }

    /// Four hexadecimal digits.
    fn unit(&mut self) -> Result<u32, Refused> {
        let digits: &[u8; 4] = self.text[self.at..].first_chunk().ok_or(Refused)?;
        self.at += digits.len();
        digits.iter().try_fold(0, |unit, digit| Some(unit << 4 | char::from(*digit).to_digit(16)?)).ok_or(Refused)
    }
}

fn is_stop(byte: u8) -> bool {
    matches!(byte, b'"' | b'\\' | 0..=0x1f | 0x7f)
}
