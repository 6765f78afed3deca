//! Programs that look at the whole set before there is a result.

use std::collections::{BTreeMap, BTreeSet};
use std::io::BufRead;
use std::ops::Range;

use jaq_core::load::parse::Term;

use crate::budget;
use crate::compile::compile_tree;
use crate::error::{Error, On};
use crate::failure::Failure;
use crate::fast::{Found, Place, SetPlan, SetRun};
use crate::run::continuation::Continuation;
use crate::run::lines::{Line, Lines};
use crate::run::page::{Added, Origin, Position, Scope};
use crate::run::records::from_json;
use crate::run::write::write_result;
use crate::run::{General, MOST_LINE_BYTES, Outcome, Run};
use crate::value::sort;
use crate::{Shape, Value};

/// So much of large lines is in memory for the sake of their stubs; those that follow are on the next page.
const MOST_LARGE_BYTES: usize = 16 << 20;

impl Run<'_> {
    /// The outcome of a plan; nothing when it bailed.
    pub(crate) fn planned(mut self, plan: &SetPlan<'_>) -> Result<Option<Outcome>, Error> {
        let general = self.general;
        let mut work = SetRun::new(plan, general.deepest(), general.form());
        let mut lines = self.lines()?;
        let mut line = self.scope.start.line;
        while let Some(record) = lines.next(MOST_LINE_BYTES)? {
            line = line.saturating_add(1);
            if record.is_blank {
                continue;
            }
            self.records += 1;
            budget::record(record.bytes.len())?;
            let taken = match work.take(record.bytes, Some(record.offset)) {
                Ok(taken) => taken,
                // The general engine says whether it is JSON, and how it is written plainly.
                Err(_) => match general.whole_value(record.bytes) {
                    Ok(value) => {
                        let mut plain = Vec::new();
                        write_result(&mut plain, &value, false);
                        match work.take_for(record.bytes, &plain, record.offset) {
                            Ok(taken) => taken,
                            Err(_) => return Ok(None),
                        }
                    }
                    Err(failure) => {
                        self.fail(line - 1, failure)?;
                        continue;
                    }
                },
            };
            if taken.is_err() {
                return Ok(None);
            }
        }
        self.at_end(line, lines.is_open);
        let first = self.scope.start.skip as usize;
        let wanted = |results, bytes| {
            let window = self.page.window(first, results, bytes);
            // What the next page has is put in order as well, and goes with its token.
            if self.page.goes_on(&window, results) { first..results } else { window }
        };
        let Ok(found) = work.finish(wanted) else { return Ok(None) };
        match plan.rest {
            Some(rest) => self.run_rest(rest, &found),
            None => self.fetch(&found).map(Some),
        }
    }

    /// Runs the rest of the filter on what the plan found.
    fn run_rest(self, rest: &Term<&str>, found: &Found) -> Result<Option<Outcome>, Error> {
        let rest = compile_tree(rest, self.general.variables)?;
        let outputs: Option<Vec<Value>> = match found.is_array {
            true => from_json(&found.array()).ok().and_then(|array| rest.run(array).collect::<Result<_, _>>().ok()),
            false => {
                let inputs =
                    found.places.iter().map(|place| from_json(found.text(*place)).map(|input| rest.run(input)));
                inputs
                    .collect::<Result<Vec<_>, _>>()
                    .ok()
                    .and_then(|runs| runs.into_iter().flatten().collect::<Result<_, _>>().ok())
            }
        };
        outputs.map(|outputs| self.outputs(outputs)).transpose()
    }

    /// The page of results, some of which are lines of the file.
    fn fetch(self, found: &Found) -> Result<Outcome, Error> {
        let window = self.page.window(self.scope.start.skip as usize, found.places.len(), bytes(&found.places));
        self.fetch_part(found, 0, window)
    }

    /// The page of what is left of a set.
    pub(crate) fn continued(self, continuation: &Continuation) -> Result<Outcome, Error> {
        let found = continuation.found();
        let window = 0..self.page.limit(0, found.places.len());
        let first = self.scope.start.skip as usize;
        self.fetch_part(&found, first, window)
    }

    /// The page of these results of those found, the first of which is result number `first` of the set. Room is made for
    /// lines in the order of the results, and filled in the order of the file, so that only one page of text is in memory.
    fn fetch_part(mut self, found: &Found, first: usize, window: Range<usize>) -> Result<Outcome, Error> {
        if self.page.counts() {
            self.page.count = u32::try_from(found.places.len()).unwrap_or(u32::MAX);
            return self.ended(None, None);
        }
        let number = |place: usize| u32::try_from(first + place).unwrap_or(u32::MAX);
        let Scope { start, .. } = self.scope;
        let (places, results) = (&found.places, &found.places[window.clone()]);
        let mut next = (window.end < places.len()).then_some(Position { skip: number(window.end), ..start });
        let mut continuation =
            if self.page.goes_on(&window, places.len()) { Continuation::of(&places[window.end..]) } else { None };
        let mut wanted = Vec::new();
        let large = self.large_lines(results)?;
        self.page.expect(bytes(results) + results.len());
        for (index, place) in (window.start..).zip(results) {
            let to = self.page.text.len();
            let here = Position { skip: number(index), ..start };
            let whole = Origin { position: here, record: None, is_of_set: true };
            let added = match *place {
                Place::Kept { .. } => {
                    self.page.add(whole, |out| out.extend_from_slice(found.text(*place).as_bytes()))?
                }
                Place::File { offset, .. } => match large.get(&offset) {
                    Some((line, text)) => {
                        let origin =
                            Origin { position: Position { line: *line, ..here }, record: Some(text), is_of_set: true };
                        self.page.add(origin, |out| out.extend_from_slice(text))?
                    }
                    None if self.page.changes(place.bytes()) => Added::No,
                    None => self.page.add(whole, |out| out.resize(to + place.bytes(), 0))?,
                },
            };
            if added == Added::No {
                next = Some(Position { skip: number(index), ..start });
                continuation = None;
                break;
            }
            if let Place::File { offset, .. } = *place
                && !large.contains_key(&offset)
            {
                wanted.push((offset, to..to + place.bytes()));
            }
        }
        if !wanted.is_empty() {
            wanted.sort_unstable_by_key(|(offset, _)| *offset);
            let lines = self.lines()?;
            fill(self.general, &mut self.page.text, lines, wanted)?;
        }
        Ok(Outcome { continuation, ..self.ended(next, Some(number(places.len())))? })
    }

    /// The lines among these results that do not go on the page as they are, with their numbers, by their offsets: as many
    /// as can be on it, and at least the first.
    fn large_lines(&self, results: &[Place]) -> Result<BTreeMap<u64, (u32, Vec<u8>)>, Error> {
        let reach = self.page.reach(results.iter().map(Place::bytes));
        let mut bytes = 0;
        let offset = |place: &Place| match *place {
            Place::File { offset, .. } if self.page.changes(place.bytes()) => Some((offset, place.bytes())),
            _ => None,
        };
        let fits = |(_, length): &(u64, usize)| {
            let is_first = bytes == 0;
            bytes += length;
            is_first || bytes <= MOST_LARGE_BYTES
        };
        let mut wanted: BTreeSet<u64> =
            results[..reach].iter().filter_map(offset).take_while(fits).map(|(offset, _)| offset).collect();
        let mut found = BTreeMap::new();
        if wanted.is_empty() {
            return Ok(found);
        }
        let (mut lines, mut number) = (self.lines()?, self.scope.start.line);
        while let Some(line) = lines.next(MOST_LINE_BYTES)? {
            if wanted.remove(&line.offset) {
                let mut text = Vec::with_capacity(line.bytes.len());
                self.general.write_line(&mut text, line.bytes);
                found.insert(line.offset, (number, text));
                if wanted.is_empty() {
                    break;
                }
            }
            number += 1;
        }
        Ok(found)
    }

    /// The records by their keys. Only these are kept.
    pub(crate) fn sort(mut self, descending: bool, selects: bool) -> Result<Outcome, Error> {
        let mut keyed = Vec::new();
        let filter = self.general.filter()?;
        self.each_record(|general, record| {
            let key: Vec<Value> = filter.run(general.value(record.bytes)?).collect::<Result<_, _>>()?;
            if !(selects && key.is_empty()) {
                keyed.push((key, general.place_of(record)));
            }
            Ok(())
        })?;
        sort(&mut keyed);
        if descending {
            // As in jq's `sort_by(…) | reverse`, equals too stand the other way round.
            keyed.reverse();
        }
        let places = keyed.into_iter().map(|(_, place)| place).collect();
        self.fetch(&Found { places, kept: Vec::new(), is_array: true })
    }

    /// Hands every record to the general engine; one that fails is told with its line, and the others go on.
    fn each_record(
        &mut self,
        mut take: impl FnMut(&General<'_>, &Line<'_>) -> Result<(), Failure>,
    ) -> Result<(), Error> {
        let mut lines = self.lines()?;
        let mut line = self.scope.start.line;
        while let Some(record) = lines.next(MOST_LINE_BYTES)? {
            if !record.is_blank {
                self.records += 1;
                budget::record(record.bytes.len())?;
                if let Err(failure) = take(self.general, &record) {
                    self.fail(line, failure)?;
                }
            }
            line = line.saturating_add(1);
        }
        self.at_end(line, lines.is_open);
        Ok(())
    }

    /// All records at once.
    pub(crate) fn all(mut self) -> Result<Outcome, Error> {
        let mut values = Vec::new();
        self.each_record(|general, record| {
            values.push(general.value(record.bytes)?);
            Ok(())
        })?;
        let set = values.into_iter().collect::<Value>();
        let outputs: Result<Vec<Value>, Failure> = self.general.filter()?.run(set).collect();
        budget::check()?;
        self.outputs(outputs.map_err(|failure| Error::Failed { on: On::WholeSet, failure })?)
    }

    /// The page of what a filter said of the whole set. One output that is an array stands for its elements, unless the
    /// outputs are wanted as they are.
    fn outputs(self, mut outputs: Vec<Value>) -> Result<Outcome, Error> {
        if self.general.program.shape == Shape::All
            && let [Value::Array(values)] = &mut outputs[..]
        {
            outputs = std::mem::take(&mut **std::rc::Rc::make_mut(values));
        }
        let raw = self.general.program.raw;
        self.slice(outputs.len(), outputs.iter(), |out, value| write_result(out, value, raw))
    }
}

impl Found {
    /// A result that is in memory.
    fn text(&self, place: Place) -> &str {
        match place {
            Place::Kept { start, bytes } => {
                simdutf8::basic::from_utf8(&self.kept[start..start + bytes as usize]).expect("a plan prints text")
            }
            Place::File { .. } => "",
        }
    }

    /// The results as the JSON text of an array.
    fn array(&self) -> String {
        let mut text = String::with_capacity(self.kept.len() + self.places.len() + 2);
        text.push('[');
        for (i, place) in self.places.iter().enumerate() {
            text.push_str(if i == 0 { "" } else { "," });
            text.push_str(self.text(*place));
        }
        text.push(']');
        text
    }
}

/// How long the texts of results are together.
fn bytes(places: &[Place]) -> usize {
    places.iter().map(Place::bytes).sum()
}

/// Fills places in a text with lines of the file, both in the order of the file.
fn fill(
    general: &General<'_>,
    text: &mut [u8],
    mut lines: Lines<impl BufRead>,
    wanted: Vec<(u64, Range<usize>)>,
) -> Result<(), Error> {
    let mut written = Vec::new();
    let mut latest: Option<(u64, Range<usize>)> = None;
    for (offset, place) in wanted {
        if let Some((_, copy)) = latest.as_ref().filter(|(known, copy)| *known == offset && copy.len() == place.len()) {
            text.copy_within(copy.clone(), place.start);
            continue;
        }
        loop {
            match lines.next(MOST_LINE_BYTES)? {
                Some(line) if line.offset < offset => {}
                Some(line) if line.offset == offset => {
                    let bytes = match general.is_written() {
                        true => {
                            written.clear();
                            general.write_line(&mut written, line.bytes);
                            &written
                        }
                        false => line.bytes,
                    };
                    if bytes.len() != place.len() {
                        return Err(Error::Changed);
                    }
                    text[place.clone()].copy_from_slice(bytes);
                    break;
                }
                _ => return Err(Error::Changed),
            }
        }
        latest = Some((offset, place));
    }
    Ok(())
}
