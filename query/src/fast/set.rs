//! Running a plan over the whole set: record after record is taken, then there is an outcome.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

use super::Bail;
use super::expression::Expression;
use super::lower_set::{Piece, SetPlan, Step};
use super::print::{is_printed_as_it_stands, print};
use super::record::{Reader, Record};
use super::sorting::{Order, Sorting};
use super::value::{Key, Val};
use crate::json::skip::Refused;
use crate::run::input::Form;

/// Where the text of a result is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// In the file: it is a line.
    File {
        /// Where it begins.
        offset: u64,
        /// How long it is.
        bytes: u32,
    },
    /// In memory.
    Kept {
        /// Where it begins.
        start: usize,
        /// How long it is.
        bytes: u32,
    },
}

impl Place {
    /// A line of the file.
    pub(crate) fn line(line: &[u8], offset: u64) -> Self {
        Self::File { offset, bytes: u32::try_from(line.len()).expect("a line is shorter than its limit") }
    }

    /// How long its text is.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Self::File { bytes, .. } | Self::Kept { bytes, .. } => *bytes as usize,
        }
    }
}

/// What came of the set.
#[derive(Debug)]
pub(crate) struct Found {
    /// The results.
    pub(crate) places: Vec<Place>,
    /// The text of those that are in memory.
    pub(crate) kept: Vec<u8>,
    /// They are the elements of one array, not outputs.
    pub(crate) is_array: bool,
}

/// A plan at work.
#[derive(Debug)]
pub(crate) struct SetRun<'p> {
    plan: &'p SetPlan<'p>,
    reader: Reader,
    state: State,
}

#[derive(Debug, Default)]
struct State {
    count: usize,
    places: Vec<Place>,
    kept: Vec<u8>,
    sorting: Sorting,
    /// The key of the best one so far.
    best: Option<Key<'static>>,
    groups: BTreeMap<Key<'static>, usize>,
    /// The size and the texts of the pieces of each group.
    sizes: Vec<usize>,
    pieces: Vec<Vec<Place>>,
    /// The elements of the arrays of each group, with commas between them.
    lists: Vec<Vec<Vec<u8>>>,
}

impl<'p> SetRun<'p> {
    /// Begins with the first record.
    pub(crate) fn new(plan: &'p SetPlan<'p>, deepest: u32, form: Form) -> Self {
        let mut state = State::default();
        // Something is said of no elements, too.
        if let Step::Pieces(pieces) = &plan.step {
            state.sizes.push(0);
            state.lists.push(vec![Vec::new(); pieces.len()]);
        }
        Self { reader: plan.reader(deepest, form), plan, state }
    }

    /// Takes a record that begins at this offset, or that has no place in the file as it is. Refused is what is not clear
    /// as it stands.
    pub(crate) fn take(&mut self, line: &[u8], offset: Option<u64>) -> Result<Result<(), Bail>, Refused> {
        let Self { plan, reader, state } = self;
        let record = reader.read(line)?;
        let taken = plan.elements.each(&record.value(), &record, &mut |element| {
            state.element(plan, &element, &record, offset).map(|()| true)
        });
        Ok(taken.map(|_| ()))
    }

    /// Takes the readable form of a record that leaves as the line that it came as.
    pub(crate) fn take_for(&mut self, line: &[u8], text: &[u8], offset: u64) -> Result<Result<(), Bail>, Refused> {
        if !self.plan.as_they_came {
            return self.take(text, None);
        }
        let Self { plan, reader, state } = self;
        let record = reader.read(text)?;
        let Step::Sort { key, .. } = &plan.step else { return Ok(Err(Bail)) };
        let taken = self.plan.elements.each(&record.value(), &record, &mut |element| {
            let key = Key::of(&key.one(&element, &record)?)?;
            state.sorting.add(&key, Place::line(line, offset)).map(|()| true).ok_or(Bail)
        });
        Ok(taken.map(|_| ()))
    }

    /// All records have been taken. `window` says which results are wanted of so many results with so many bytes; others
    /// are found too, but need not be in their order.
    pub(crate) fn finish(self, window: impl FnOnce(usize, usize) -> Range<usize>) -> Result<Found, Bail> {
        let Self { plan, mut state, .. } = self;
        let (places, is_array) = match &plan.step {
            Step::Length => (vec![state.text(state.count.to_string().as_bytes())?], false),
            Step::Collect => (std::mem::take(&mut state.places), true),
            Step::Spread => (std::mem::take(&mut state.places), false),
            Step::Sort { descending, most, spread, .. } => {
                let sorting = std::mem::take(&mut state.sorting);
                let results = most.map_or(sorting.len(), |most| most.min(sorting.len()));
                let wanted = match plan.rest {
                    Some(_) => 0..results,
                    None => window(results, sorting.bytes()),
                };
                let mut places = sorting.arranged(*descending, wanted);
                places.truncate(results);
                (places, !spread)
            }
            Step::Unique { .. } => {
                let groups = std::mem::take(&mut state.groups);
                (groups.into_values().map(|group| state.places[group]).collect(), true)
            }
            Step::Pieces(pieces) => (state.pieces_of_all(pieces)?, true),
            Step::Group { members, .. } => (state.group_objects(members)?, true),
            Step::Best { .. } => match state.places.pop() {
                Some(best) => (vec![best], false),
                None => (vec![state.text(b"null")?], false),
            },
        };
        // A single output that is an array stands for its elements, and these are not known here.
        if let ([Place::Kept { start, .. }], false) = (&places[..], is_array)
            && state.kept.get(*start) == Some(&b'[')
        {
            return Err(Bail);
        }
        Ok(Found { places, kept: state.kept, is_array })
    }
}

impl State {
    fn element<'a>(
        &mut self,
        plan: &'a SetPlan,
        element: &Val<'a>,
        record: &Record<'a, '_>,
        offset: Option<u64>,
    ) -> Result<(), Bail> {
        match &plan.step {
            Step::Length => self.count += 1,
            Step::Collect | Step::Spread => {
                let place = self.place(plan, element, record, offset)?;
                self.places.push(place);
            }
            Step::Sort { key, then, descending, most, .. } => {
                let key = Key::of(&key.one(element, record)?)?;
                let order = Order { descending: *descending, most: *most };
                if !self.sorting.wants(&key, order) {
                    return Ok(());
                }
                let place = match then {
                    Expression::Id => self.place(plan, element, record, offset)?,
                    then => self.place(plan, &then.one(element, record)?, record, offset)?,
                };
                self.sorting.add(&key, place).ok_or(Bail)?;
                if self.sorting.is_due(order) {
                    self.sorting.drop_others(order, &mut self.kept);
                }
            }
            Step::Unique { key } => {
                let key = Key::of(&key.one(element, record)?)?;
                if known(&self.groups, &key).is_none() {
                    let place = self.place(plan, element, record, offset)?;
                    self.groups.insert(key.into_owned(), self.places.len());
                    self.places.push(place);
                }
            }
            Step::Pieces(pieces) => {
                self.sizes[0] += 1;
                self.extend_lists(0, pieces.iter(), element, record)?;
            }
            Step::Group { key, members } => {
                let key = Key::of(&key.one(element, record)?)?;
                let group = match known(&self.groups, &key) {
                    Some(group) => group,
                    None => {
                        let pieces = members.iter().map(|(_, piece)| match piece {
                            Piece::Count | Piece::Map(_) => Ok(Place::Kept { start: 0, bytes: 0 }),
                            Piece::First(first) => self.print(&first.one(element, record)?, record, false),
                        });
                        let pieces = pieces.collect::<Result<_, _>>()?;
                        self.groups.insert(key.into_owned(), self.sizes.len());
                        self.sizes.push(0);
                        self.pieces.push(pieces);
                        self.lists.push(vec![Vec::new(); members.len()]);
                        self.sizes.len() - 1
                    }
                };
                self.sizes[group] += 1;
                self.extend_lists(group, members.iter().map(|(_, piece)| piece), element, record)?;
            }
            Step::Best { key, largest } => {
                let key = key_of(key, element, record)?;
                // Of equals, jq's min_by takes the first and its max_by the last.
                let is_better = self.best.as_ref().is_none_or(|best| match largest {
                    true => key >= *best,
                    false => key < *best,
                });
                if is_better {
                    self.kept.clear();
                    let place = self.print(element, record, plan.raw && plan.rest.is_none())?;
                    self.best = Some(key);
                    self.places = vec![place];
                }
            }
        }
        Ok(())
    }

    /// Where the text of an element is: in the file, if it is there as it will be printed.
    fn place(
        &mut self,
        plan: &SetPlan,
        element: &Val<'_>,
        record: &Record<'_, '_>,
        offset: Option<u64>,
    ) -> Result<Place, Bail> {
        match (element, offset) {
            (Val::Text(Cow::Borrowed(text)), Some(offset)) if plan.rest.is_none() && record.is_line(text) => {
                self.text_line(record, offset, plan.raw)
            }
            (_, Some(offset)) if plan.as_they_came => Ok(Place::line(record.line, offset)),
            (Val::Record, Some(offset)) if plan.rest.is_none() && is_printed_as_it_stands(record) => {
                Ok(Place::line(record.line, offset))
            }
            _ => self.print(element, record, plan.raw && plan.rest.is_none()),
        }
    }

    /// The place of a line of text, and how long it is as it will be printed.
    fn text_line(&mut self, record: &Record<'_, '_>, offset: u64, raw: bool) -> Result<Place, Bail> {
        let start = self.kept.len();
        print(&mut self.kept, &record.value(), record, raw)?;
        let bytes = u32::try_from(self.kept.len() - start).map_err(|_| Bail)?;
        self.kept.truncate(start);
        Ok(Place::File { offset, bytes })
    }

    fn print(&mut self, value: &Val<'_>, record: &Record<'_, '_>, raw: bool) -> Result<Place, Bail> {
        let start = self.kept.len();
        print(&mut self.kept, value, record, raw)?;
        Ok(Place::Kept { start, bytes: u32::try_from(self.kept.len() - start).map_err(|_| Bail)? })
    }

    fn text(&mut self, text: &[u8]) -> Result<Place, Bail> {
        let start = self.kept.len();
        self.kept.extend_from_slice(text);
        Ok(Place::Kept { start, bytes: u32::try_from(text.len()).map_err(|_| Bail)? })
    }

    /// Adds to the arrays of a group what they have of an element.
    fn extend_lists<'a>(
        &mut self,
        group: usize,
        pieces: impl Iterator<Item = &'a Piece>,
        element: &Val<'a>,
        record: &Record<'a, '_>,
    ) -> Result<(), Bail> {
        for (piece, list) in pieces.zip(&mut self.lists[group]) {
            let Piece::Map(each) = piece else { continue };
            each.each(element, record, &mut |value| {
                if !list.is_empty() {
                    list.push(b',');
                }
                print(list, &value, record, false).map(|()| true)
            })?;
        }
        Ok(())
    }

    fn pieces_of_all(&mut self, pieces: &[Piece]) -> Result<Vec<Place>, Bail> {
        let (size, lists) = (self.sizes[0].to_string(), std::mem::take(&mut self.lists));
        let texts = pieces.iter().zip(lists.into_iter().flatten()).map(|(piece, list)| match piece {
            Piece::Map(_) => self.array(&list),
            Piece::Count | Piece::First(_) => self.text(size.as_bytes()),
        });
        texts.collect()
    }

    /// The text of an array, of the text of its elements.
    fn array(&mut self, elements: &[u8]) -> Result<Place, Bail> {
        let start = self.kept.len();
        for part in [b"[", elements, b"]"] {
            self.kept.extend_from_slice(part);
        }
        Ok(Place::Kept { start, bytes: u32::try_from(self.kept.len() - start).map_err(|_| Bail)? })
    }

    fn group_objects(&mut self, members: &[(Vec<u8>, Piece)]) -> Result<Vec<Place>, Bail> {
        let groups = std::mem::take(&mut self.groups);
        let mut places = Vec::with_capacity(groups.len());
        for group in groups.into_values() {
            let mut object = Vec::new();
            for (i, (name, piece)) in members.iter().enumerate() {
                object.push(if i == 0 { b'{' } else { b',' });
                let name = std::str::from_utf8(name).map_err(|_| Bail)?;
                serde_json::to_writer(&mut object, name).map_err(|_| Bail)?;
                object.push(b':');
                match (piece, self.pieces[group][i]) {
                    (Piece::First(_), Place::Kept { start, bytes }) => {
                        object.extend_from_slice(&self.kept[start..start + bytes as usize]);
                    }
                    (Piece::Map(_), _) => {
                        object.push(b'[');
                        object.append(&mut self.lists[group][i]);
                        object.push(b']');
                    }
                    _ => object.extend(self.sizes[group].to_string().bytes()),
                }
            }
            if members.is_empty() {
                object.push(b'{');
            }
            object.push(b'}');
            places.push(self.text(&object)?);
        }
        Ok(places)
    }
}

fn key_of<'a>(key: &'a Expression, element: &Val<'a>, record: &Record<'a, '_>) -> Result<Key<'static>, Bail> {
    Ok(Key::of(&key.one(element, record)?)?.into_owned())
}

/// The number of a group. (A map of owned keys is one of borrowed keys, as long as it is only looked at.)
fn known<'k>(groups: &BTreeMap<Key<'k>, usize>, key: &Key<'k>) -> Option<usize> {
    groups.get(key).copied()
}
