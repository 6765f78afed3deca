//! Texts: slices of a shared buffer.

use std::ops::Deref;
use std::rc::Rc;

use crate::json::compare;

/// A text, often a part of a larger one.
#[derive(Clone)]
pub struct Text {
    buffer: Rc<String>,
    start: u32,
    end: u32,
}

impl Text {
    /// A part of a buffer.
    pub(in crate::query) fn part(buffer: &Rc<String>, start: usize, end: usize) -> Self {
        Self { buffer: Rc::clone(buffer), start: offset(start), end: offset(end) }
    }

    /// The part of this text that begins and ends at these bytes.
    pub(in crate::query) fn slice(&self, start: usize, end: usize) -> Self {
        let first = self.start as usize;
        Self::part(&self.buffer, first + start, first + end)
    }

    /// Its bytes, which are in the same order as its letters.
    fn bytes(&self) -> &[u8] {
        &self.buffer.as_bytes()[self.start as usize..self.end as usize]
    }

    /// Appends to the text, in place where nobody else holds it.
    pub(in crate::query) fn push(&mut self, more: &str) {
        let (start, end) = (self.start as usize, self.end as usize);
        match Rc::get_mut(&mut self.buffer) {
            Some(buffer) if end == buffer.len() => buffer.push_str(more),
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
        &self.buffer[self.start as usize..self.end as usize]
    }
}

impl From<String> for Text {
    fn from(text: String) -> Self {
        let end = offset(text.len());
        Self { buffer: Rc::new(text), start: 0, end }
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
