//! Where regular expressions match: what is made of the matches in a text.

use std::borrow::Cow;
use std::ops::Range;

use simdutf8::basic::from_utf8;

use super::Bail;
use super::arithmetic::room;
use super::compute::{Take, step};
use super::expression::Expression;
use super::record::Record;
use super::text::{letters, part_of};
use super::value::Val;
use crate::functions::Matching;
use crate::functions::matches::Found;
use crate::functions::patterns::Search;

/// A text in which something is looked for.
struct Subject<'a> {
    text: Cow<'a, [u8]>,
}

impl<'a> Subject<'a> {
    fn of(input: &Val<'a>) -> Result<Self, Bail> {
        Ok(Self { text: input.text().ok_or(Bail)? })
    }

    /// The text, after the steps of matching it are taken.
    fn begin(&self, search: &Search) -> Result<&str, Bail> {
        let text = from_utf8(&self.text).map_err(|_| Bail)?;
        search.begin(text).map_err(|_| Bail)?;
        Ok(text)
    }

    fn part(&self, range: Range<usize>) -> Val<'a> {
        Val::Text(part_of(&self.text, range))
    }

    fn group(&self, range: Option<Range<usize>>) -> Val<'a> {
        range.map_or(Val::Null, |range| self.part(range))
    }

    /// The named groups as `capture` gives them.
    fn named(&self, search: &'a Search, found: &Found<'_>) -> Val<'a> {
        let groups = found.groups(search.regex());
        Val::Object(groups.filter_map(|(name, group)| Some((name?.as_bytes(), self.group(group)))).collect())
    }

    /// The groups as `scan` gives them: the match itself where there are none.
    fn scanned(&self, search: &'a Search, found: &Found<'_>) -> Val<'a> {
        match found.len() {
            1 => self.part(found.whole()),
            _ => Val::List(found.groups(search.regex()).map(|(_, group)| self.group(group)).collect()),
        }
    }

    /// A match as `match` gives it.
    fn whole(&self, search: &'a Search, found: &Found<'_>, before: &mut Before) -> Val<'a> {
        let mut place = |range: Range<usize>| {
            let offset = Val::Count(before.letters(&self.text, range.start));
            let length = Val::Count(letters(&self.text[range.clone()]));
            vec![(b"offset".as_slice(), offset), (b"length", length), (b"string", self.part(range))]
        };
        let mut object = place(found.whole());
        let captures = found.groups(search.regex()).map(|(name, group)| {
            let mut capture = match group {
                Some(group) => place(group),
                None => {
                    vec![(b"offset".as_slice(), Val::Float(-1.0)), (b"length", Val::Count(0)), (b"string", Val::Null)]
                }
            };
            let name = name.map_or(Val::Null, |name| Val::Text(name.as_bytes().into()));
            capture.push((b"name", name));
            Val::Object(capture)
        });
        let captures = Val::List(captures.collect());
        object.push((b"captures", captures));
        Val::Object(object)
    }
}

/// How many letters come before a byte. Matches come one after the other, so little is counted twice.
#[derive(Default)]
struct Before {
    byte: usize,
    count: usize,
}

impl Before {
    fn letters(&mut self, text: &[u8], byte: usize) -> usize {
        let between = letters(&text[self.byte.min(byte)..self.byte.max(byte)]);
        self.count = if byte < self.byte { self.count - between } else { self.count + between };
        self.byte = byte;
        self.count
    }
}

/// `match`, `capture` and `scan`
#[inline(never)]
pub(super) fn matches<'a>(
    matching: Matching,
    search: &'a Search,
    input: &Val<'a>,
    take: &mut Take<'_, 'a>,
) -> Result<bool, Bail> {
    let subject = Subject::of(input)?;
    let text = subject.begin(search)?;
    let mut before = Before::default();
    for found in search.matches(text) {
        step()?;
        let value = match matching {
            Matching::Match => subject.whole(search, &found, &mut before),
            Matching::Capture => subject.named(search, &found),
            Matching::Scan => subject.scanned(search, &found),
        };
        if !take(value)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// `sub` and `gsub`
#[inline(never)]
pub(super) fn replaced<'a>(
    search: &'a Search,
    made: &'a Expression,
    input: &Val<'a>,
    record: &Record<'a, '_>,
) -> Result<Val<'a>, Bail> {
    let subject = Subject::of(input)?;
    let text = subject.begin(search)?;
    let (mut out, mut start) = (Vec::new(), 0);
    for found in search.matches(text) {
        let place = found.whole();
        let new = made.one(&subject.named(search, &found), record)?;
        let new = new.text().ok_or(Bail)?;
        room(new.len())?;
        out.extend_from_slice(&subject.text[start..place.start]);
        out.extend_from_slice(&new);
        start = place.end;
    }
    if start == 0 && out.is_empty() {
        return Ok(Val::Text(subject.text));
    }
    out.extend_from_slice(&subject.text[start..]);
    Ok(Val::Text(out.into()))
}
