//! Texts: slices of a shared buffer.

use std::ops::Deref;
use std::rc::Rc;

use crate::failure::Failure;
use crate::json::compare;

/// A text, often a part of a larger one.
#[derive(Clone)]
pub struct Text {
    buffer: Rc<Buffer>,
    start: u32,
    end: u32,
}

/// Letters that texts are slices of.
pub(crate) struct Buffer {
    letters: String,
    /// What the letters are the words of, where they are those of an error: an error that is caught and raised again is
    /// still the same one.
    failure: Option<Box<Failure>>,
}

impl Text {
    /// The words of an error.
    pub(crate) fn of_failure(failure: Failure) -> Self {
        let letters = failure.to_string();
        let end = offset(letters.len());
        Self { buffer: Rc::new(Buffer { letters, failure: Some(Box::new(failure)) }), start: 0, end }
    }

    /// The error whose words these are.
    pub(crate) fn failure(&self) -> Option<&Failure> {
        let is_whole = self.start == 0 && self.end as usize == self.buffer.letters.len();
        self.buffer.failure.as_deref().filter(|_| is_whole)
    }

    /// A part of a buffer.
    pub(crate) fn part(buffer: &Rc<Buffer>, start: usize, end: usize) -> Self {
        Self { buffer: Rc::clone(buffer), start: offset(start), end: offset(end) }
    }

    /// The part of this text that begins and ends at these bytes.
    pub(crate) fn slice(&self, start: usize, end: usize) -> Self {
        let first = self.start as usize;
        Self::part(&self.buffer, first + start, first + end)
    }

    /// Its bytes, which are in the same order as its letters.
    fn bytes(&self) -> &[u8] {
        &self.buffer.letters.as_bytes()[self.start as usize..self.end as usize]
    }

    /// How many bytes are written when so much is appended to it.
    pub(crate) fn grows_by(&self, more: &str) -> usize {
        let is_shared = Rc::strong_count(&self.buffer) > 1 || self.end as usize != self.buffer.letters.len();
        let is_full = self.buffer.letters.capacity() - self.buffer.letters.len() < more.len();
        more.len() + if is_shared || is_full { self.len() } else { 0 }
    }

    /// Appends to the text, in place where nobody else holds it.
    pub(crate) fn push(&mut self, more: &str) {
        let (start, end) = (self.start as usize, self.end as usize);
        match Rc::get_mut(&mut self.buffer) {
            Some(buffer) if end == buffer.letters.len() => buffer.letters.push_str(more),
            _ => {
                let mut buffer = String::with_capacity((end - start + more.len()) * 2);
                buffer.push_str(self);
                buffer.push_str(more);
                *self = Self::from(buffer);
                return;
            }
        }
        self.end = offset(end + more.len());
    }
}

fn offset(bytes: usize) -> u32 {
    u32::try_from(bytes).expect("no text has 4 GiB: lines and repetitions are limited")
}

impl Deref for Text {
    type Target = str;

    fn deref(&self) -> &str {
        &self.buffer.letters[self.start as usize..self.end as usize]
    }
}

impl From<String> for Buffer {
    fn from(letters: String) -> Self {
        Self { letters, failure: None }
    }
}

impl Deref for Buffer {
    type Target = str;

    fn deref(&self) -> &str {
        &self.letters
    }
}

impl From<String> for Text {
    fn from(text: String) -> Self {
        let end = offset(text.len());
        Self { buffer: Rc::new(Buffer::from(text)), start: 0, end }
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        Self::from(text.to_owned())
    }
}

impl std::fmt::Debug for Text {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Debug::fmt(&**self, f)
    }
}

impl PartialEq for Text {
    fn eq(&self, other: &Self) -> bool {
        self.bytes() == other.bytes()
    }
}

impl Eq for Text {}

impl PartialOrd for Text {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Text {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        compare(self.bytes(), other.bytes())
    }
}

impl std::borrow::Borrow<str> for Text {
    fn borrow(&self) -> &str {
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_slices_and_pushing_leaves_others_alone() {
        let mut text = Text::from("hello");
        let part = text.slice(1, 3);
        assert_eq!(&*part, "el");
        text.push("!");
        text.push("?");
        assert_eq!((&*text, &*part), ("hello!?", "el"));
        let mut grown = part;
        grown.push("f");
        assert_eq!((&*grown, &*text), ("elf", "hello!?"));
    }
}
