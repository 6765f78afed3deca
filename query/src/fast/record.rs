//! Records as a plan sees them: a line, where its members are, and which of them the plan reads.

use std::borrow::Cow;

use simdutf8::basic::from_utf8;

use super::value::Val;
use super::{Bail, walk};
use crate::json::skip::{Kind, Marks, Member, Refused, Skipper};
use crate::run::input::Form;

/// A variable has no more values or letters of its own: they are copied for each use. What stands in the record is not.
const MOST_BOUND_VALUES: usize = 64;
const MOST_BOUND_BYTES: usize = 1 << 14;

/// Makes records of lines.
#[derive(Debug)]
pub(crate) struct Reader {
    skipper: Skipper,
    keys: Vec<Vec<u8>>,
    /// Where the keys are among those that the skipper knows, and at which version of these.
    places: Vec<Option<usize>>,
    version: u32,
    /// Which member of the last line has each of the keys.
    slots: Vec<Option<u32>>,
    deepest: u32,
    form: Form,
}

/// A line: of JSON, skipped, or of text, whose letters are known to be letters.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Record<'a, 'b> {
    /// Its text.
    pub(super) line: &'a [u8],
    pub(super) members: &'a [Member],
    slots: &'a [Option<u32>],
    /// What is out of the ordinary in it.
    pub(super) marks: Marks,
    /// How deep it may be nested.
    pub(super) deepest: u32,
    is_object: bool,
    /// The line is the text of a string, not JSON.
    pub(super) is_text: bool,
    /// The variables that are bound where the record is looked at, the last one first.
    bound: Option<&'b Bound<'a, 'b>>,
}

/// A variable, and those that were bound before it.
#[derive(Debug)]
pub(super) struct Bound<'a, 'b> {
    value: Val<'a>,
    before: Option<&'b Bound<'a, 'b>>,
}

impl Reader {
    /// A reader of records that are nested at most so deep, for a plan that reads these keys.
    pub(crate) fn new(keys: Vec<Vec<u8>>, deepest: u32, form: Form) -> Self {
        let (places, slots) = (vec![None; keys.len()], vec![None; keys.len()]);
        Self { skipper: Skipper::new(deepest), keys, places, version: 0, slots, deepest, form }
    }

    /// Reads a line. Refused is what is not JSON, and what has a key twice or written in an odd way.
    pub(crate) fn read<'a>(&'a mut self, line: &'a [u8]) -> Result<Record<'a, 'a>, Refused> {
        walk::begin(line.len());
        if self.form == Form::Text {
            return self.read_text(line);
        }
        let kind = self.skipper.skip(line)?;
        if kind == Kind::Object {
            if !self.skipper.has_clear_keys() {
                return Err(Refused);
            }
            if !self.skipper.has_same_keys() {
                self.find_keys(line);
            }
        }
        Ok(Record {
            line,
            members: self.skipper.members(),
            slots: &self.slots,
            marks: self.skipper.marks(),
            deepest: self.deepest,
            is_object: kind == Kind::Object,
            is_text: false,
            bound: None,
        })
    }

    fn read_text<'a>(&'a self, line: &'a [u8]) -> Result<Record<'a, 'a>, Refused> {
        if !line.is_ascii() {
            from_utf8(line).map_err(|_| Refused)?;
        }
        let (members, slots) = (self.skipper.members(), &*self.slots);
        let (marks, deepest) = (Marks::default(), self.deepest);
        Ok(Record { line, members, slots, marks, deepest, is_object: false, is_text: true, bound: None })
    }

    fn find_keys(&mut self, line: &[u8]) {
        let skipper = &self.skipper;
        if self.version != skipper.version() {
            self.version = skipper.version();
            self.places = self.keys.iter().map(|key| skipper.place(key)).collect();
        }
        for ((slot, key), place) in self.slots.iter_mut().zip(&self.keys).zip(&self.places) {
            *slot = skipper.member(key, *place, line);
        }
    }
}

impl<'a, 'b> Record<'a, 'b> {
    /// The record as a value.
    pub(crate) fn value(&self) -> Val<'a> {
        match (self.is_object, self.is_text) {
            (true, _) => Val::Record,
            (false, true) => Val::Text(self.line.into()),
            (false, false) => Val::of(self.line.trim_ascii()),
        }
    }

    /// One more variable, to be looked at [`with`](Self::with). It bails at one that is too large to be copied for each use.
    pub(super) fn bind(&self, value: Val<'a>) -> Result<Bound<'a, 'b>, Bail> {
        let is_small = match &value {
            Val::List(values) => values.len() <= MOST_BOUND_VALUES,
            Val::Object(members) => members.len() <= MOST_BOUND_VALUES,
            Val::Text(Cow::Owned(text)) => text.len() <= MOST_BOUND_BYTES,
            _ => true,
        };
        if is_small { Ok(Bound { value, before: self.bound }) } else { Err(Bail) }
    }

    /// The same record where this variable is bound.
    pub(super) fn with<'c>(&self, bound: &'c Bound<'a, 'c>) -> Record<'a, 'c>
    where
        'b: 'c,
    {
        Record { bound: Some(bound), ..*self }
    }

    /// The value of the variable after which so many were bound.
    pub(super) fn variable(&self, number: usize) -> Option<Val<'a>> {
        let bound = std::iter::successors(self.bound, |bound| bound.before);
        bound.into_iter().nth(number).map(|bound| bound.value.clone())
    }

    /// True for the text of the line itself, where the line is a text.
    pub(super) fn is_line(&self, text: &[u8]) -> bool {
        self.is_text && std::ptr::eq(self.line, text)
    }

    /// True for an object.
    pub(crate) fn is_object(&self) -> bool {
        self.is_object
    }

    /// The text of the member that has the key of this number.
    #[inline]
    pub(crate) fn member(&self, slot: usize) -> Option<&'a [u8]> {
        self.slots[slot].map(|member| self.members[member as usize].value(self.line))
    }
}
