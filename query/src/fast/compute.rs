//! Running a filter on a value.

use jaq_core::ops::Cmp;

use super::Bail;
use super::arithmetic::arithmetic;
use super::by_key::by_key;
use super::engine::called;
use super::expression::{Expression, Key};
use super::functions::{call, call_with, piece, push_json};
use super::matching::{matches, replaced};
use super::members::{clear_members, delete, each_member, members_of, update};
use super::record::Record;
use super::repeat::{gathered, limit, range, reduce};
use super::text::{decoded, letter_at, part_of};
use super::value::{Type, Val};
use super::walk::walk;
use crate::budget;
use crate::json::skip::{Items, parts};

/// Takes an output, and says whether there is need of more.
pub(super) type Take<'t, 'a> = dyn FnMut(Val<'a>) -> Result<bool, Bail> + 't;

impl Expression {
    /// Hands out the outputs one after the other. False when the taker wants no more.
    pub(crate) fn each<'a>(
        &'a self,
        input: &Val<'a>,
        record: &Record<'a, '_>,
        take: &mut Take<'_, 'a>,
    ) -> Result<bool, Bail> {
        match self {
            Self::Pipe(first, next) if first.is_single() => next.each(&first.one(input, record)?, record, take),
            Self::Pipe(first, next) => first.each(input, record, &mut |value| next.each(&value, record, take)),
            Self::Comma(a, b) => {
                step()?;
                Ok(a.each(input, record, take)? && b.each(input, record, take)?)
            }
            Self::Iterate => iterate(input, record, take),
            Self::IterateAny if input.kind() < Type::Array => Ok(true),
            Self::IterateAny => iterate(input, record, take),
            Self::Recurse => recurse(input, record, take),
            Self::Empty => Ok(true),
            Self::Select(condition) => condition.each(input, record, &mut |output| match output.is_true() {
                true => take(input.clone()),
                false => Ok(true),
            }),
            Self::Only(types) if types.has(input.kind()) => take(input.clone()),
            Self::Only(_) => Ok(true),
            Self::If(condition, a, b) => match condition.one(input, record)?.is_true() {
                true => a.each(input, record, take),
                false => b.each(input, record, take),
            },
            Self::Bind(source, body) => source.each(input, record, &mut |value| {
                let bound = record.bind(value)?;
                body.each(input, &record.with(&bound), take)
            }),
            Self::Limit(most, several) => limit(*most, several, input, record, take),
            Self::Range(from, to) => range(&from.one(input, record)?, &to.one(input, record)?, take),
            Self::Matches(matching, search) => matches(*matching, search, input, take),
            _ => take(self.one(input, record)?),
        }
    }

    /// The output of a filter that is single.
    pub(crate) fn one<'a>(&'a self, input: &Val<'a>, record: &Record<'a, '_>) -> Result<Val<'a>, Bail> {
        Ok(match self {
            Self::Id => input.clone(),
            Self::Key(key) => member(input, key, record)?,
            Self::KeyOrNull(key) if matches!(input.kind(), Type::Null | Type::Object) => member(input, key, record)?,
            // Nothing else has keys. An array that is asked for one fails as a text does.
            Self::KeyOrNull(_) => Val::Null,
            Self::At(place) => element(input, *place)?,
            Self::Slice(from, to) => slice(input, *from, *to)?,
            Self::Literal(literal) => literal.value(),
            Self::Pipe(first, next) => next.one(&first.one(input, record)?, record)?,
            Self::Compare(a, operator, b) => {
                Val::Bool(compare(&a.one(input, record)?, *operator, &b.one(input, record)?)?)
            }
            Self::And(a, b) => Val::Bool(a.one(input, record)?.is_true() && b.one(input, record)?.is_true()),
            Self::Or(a, b) => Val::Bool(a.one(input, record)?.is_true() || b.one(input, record)?.is_true()),
            Self::Not => Val::Bool(!input.is_true()),
            Self::If(condition, a, b) => match condition.one(input, record)?.is_true() {
                true => a.one(input, record)?,
                false => b.one(input, record)?,
            },
            Self::Alternative(a, b) => {
                let mut found = None;
                a.each(input, record, &mut |value| {
                    found = value.is_true().then_some(value);
                    Ok(found.is_none())
                })?;
                found.map_or_else(|| b.one(input, record), Ok)?
            }
            Self::Any(generator, condition) => Val::Bool(some(generator, condition, true, input, record)?),
            Self::All(generator, condition) => Val::Bool(!some(generator, condition, false, input, record)?),
            Self::Sole(several) => {
                let mut sole = None;
                let is_one = several.each(input, record, &mut |value| Ok(sole.replace(value).is_none()))?;
                sole.filter(|_| is_one).ok_or(Bail)?
            }
            Self::List(elements) => Val::List(gathered(elements, input, record)?),
            Self::Object(members) => {
                let member = |(key, value): &'a (Vec<u8>, Self)| Ok((key.as_slice(), value.one(input, record)?));
                Val::Object(members.iter().map(member).collect::<Result<_, _>>()?)
            }
            Self::Interpolate(parts) => {
                let mut text = Vec::new();
                for part in parts {
                    let before = text.len();
                    match part.one(input, record)? {
                        Val::Json(part) => text.extend_from_slice(&decoded(part)),
                        Val::Text(part) => text.extend_from_slice(&part),
                        other => push_json(&mut text, &other, record)?,
                    }
                    walk(text.len() - before)?;
                }
                Val::Text(text.into())
            }
            Self::Test(pattern) => Val::Bool(pattern.is_in(&input.text().ok_or(Bail)?)),
            Self::Negate => Val::Negated(-input.number()?),
            Self::Call(function) => call(*function, input, record)?,
            Self::CallWith(function, argument) => call_with(*function, input, &argument.one(input, record)?, record)?,
            Self::By(function, key) => by_key(*function, key, input, record)?,
            Self::Plain(function, argument) => {
                let argument = argument.as_ref().map(|argument| argument.one(input, record)).transpose()?;
                called(*function, input, argument.as_ref(), record)?
            }
            Self::Piece(separator, place) => piece(input, separator, *place)?,
            Self::Arithmetic(a, operator, b) => {
                arithmetic(a.one(input, record)?, *operator, b.one(input, record)?, record)?
            }
            Self::Bind(source, body) => {
                let bound = record.bind(source.one(input, record)?)?;
                body.one(input, &record.with(&bound))?
            }
            Self::Variable(number) => record.variable(*number).ok_or(Bail)?,
            Self::Element(index) => element_at(input, &index.one(input, record)?, record)?,
            Self::Reduce(parts) => reduce(parts, input, record)?,
            Self::Update(path, change) => update(input, path, change, record)?.ok_or(Bail)?,
            Self::Delete(gone) => delete(input, gone, record)?,
            Self::Replace(search, made) => replaced(search, made, input, record)?,
            Self::Iterate | Self::IterateAny | Self::Recurse | Self::Empty => return Err(Bail),
            Self::Select(_) | Self::Only(_) | Self::Comma(..) => return Err(Bail),
            Self::Limit(..) | Self::Range(..) | Self::Matches(..) => return Err(Bail),
        })
    }
}

/// True when the condition is `wanted` of some output of the generator.
fn some<'a>(
    generator: &'a Expression,
    condition: &'a Expression,
    wanted: bool,
    input: &Val<'a>,
    record: &Record<'a, '_>,
) -> Result<bool, Bail> {
    let mut found = false;
    generator.each(input, record, &mut |value| {
        condition.each(&value, record, &mut |output| {
            found |= output.is_true() == wanted;
            Ok(!found)
        })
    })?;
    Ok(found)
}

fn member<'a>(input: &Val<'a>, key: &'a Key, record: &Record<'a, '_>) -> Result<Val<'a>, Bail> {
    let found = match input {
        Val::Record => record.member(key.slot),
        Val::Nested(text) => nested_member(text, &key.name, record)?,
        Val::Object(members) => {
            let member = members.iter().find(|(name, _)| *name == key.name);
            return Ok(member.map_or(Val::Null, |(_, value)| value.clone()));
        }
        Val::Null => None,
        _ => return Err(Bail),
    };
    Ok(found.map_or(Val::Null, Val::of))
}

/// The value that a key has in an object that stands in the record. Of several the last one counts.
fn nested_member<'a>(text: &'a [u8], key: &[u8], record: &Record<'a, '_>) -> Result<Option<&'a [u8]>, Bail> {
    let mut found = None;
    for (known, value) in members_of(text)? {
        if known == key {
            found = Some(value);
        } else if record.marks.odd && known.contains(&b'\\') {
            return Err(Bail);
        }
    }
    Ok(found)
}

pub(super) fn elements(text: &[u8]) -> Result<impl Iterator<Item = Val<'_>>, Bail> {
    match text.first() {
        Some(b'[') => {
            walk(text.len())?;
            Ok(Items::of(text).ok_or(Bail)?.map(|(_, value)| Val::of(value)))
        }
        _ => Err(Bail),
    }
}

/// What stands in a record is walked through for each index. More than this the general engine finds faster: it has values.
const MOST_WALKED_BYTES: usize = 1024;
const MOST_WALKED_MEMBERS: usize = 64;

/// The element or member that an index says which is a value.
fn element_at<'a>(input: &Val<'a>, index: &Val<'a>, record: &Record<'a, '_>) -> Result<Val<'a>, Bail> {
    match input {
        Val::Nested(text) if text.len() > MOST_WALKED_BYTES => return Err(Bail),
        Val::Record if record.members.len() > MOST_WALKED_MEMBERS => return Err(Bail),
        Val::Object(members) if members.len() > MOST_WALKED_MEMBERS => return Err(Bail),
        _ => {}
    }
    match index.text() {
        Some(_) if matches!(input, Val::Null) => Ok(Val::Null),
        Some(key) => {
            let mut members = clear_members(input, record)?.into_iter();
            Ok(members.find(|(known, _)| **known == *key).map_or(Val::Null, |(_, value)| value))
        }
        None => match index.number()? {
            place if place.fract() == 0.0 && place.abs() < f64::from(u32::MAX) => element(input, place as i64),
            _ => Err(Bail),
        },
    }
}

fn element<'a>(input: &Val<'a>, place: i64) -> Result<Val<'a>, Bail> {
    let from_start = |count: &dyn Fn() -> usize| match usize::try_from(place) {
        Ok(place) => Some(place),
        Err(_) => count().checked_sub(usize::try_from(place.unsigned_abs()).ok()?),
    };
    let found = match input {
        Val::Null => None,
        Val::List(values) => from_start(&|| values.len()).and_then(|place| values.get(place).cloned()),
        Val::Nested(text) => {
            let mut values = elements(text)?;
            let count = || elements(text).map_or(0, Iterator::count);
            from_start(&count).and_then(|place| values.nth(place))
        }
        _ => return Err(Bail),
    };
    Ok(found.unwrap_or(Val::Null))
}

fn slice<'a>(input: &Val<'a>, from: usize, to: Option<usize>) -> Result<Val<'a>, Bail> {
    let most = to.map_or(usize::MAX, |to| to.saturating_sub(from));
    // What null gives differs from engine to engine.
    Ok(match input {
        Val::Nested(text) => Val::List(elements(text)?.skip(from).take(most).collect()),
        Val::List(values) => Val::List(values.iter().skip(from).take(most).cloned().collect()),
        Val::Json(_) | Val::Text(_) => {
            let text = input.text().ok_or(Bail)?;
            let start = letter_at(&text, from);
            let end = to.map_or(text.len(), |to| letter_at(&text, to)).max(start);
            Val::Text(part_of(&text, start..end))
        }
        _ => return Err(Bail),
    })
}

fn compare(a: &Val<'_>, operator: Cmp, b: &Val<'_>) -> Result<bool, Bail> {
    Ok(match operator {
        Cmp::Eq => a.equals(b)?,
        Cmp::Ne => !a.equals(b)?,
        Cmp::Lt => a.compare(b)?.is_lt(),
        Cmp::Le => a.compare(b)?.is_le(),
        Cmp::Gt => a.compare(b)?.is_gt(),
        Cmp::Ge => a.compare(b)?.is_ge(),
    })
}

/// The step of a value of a generator. Without steps the general engine is asked, which says that there are none.
pub(super) fn step() -> Result<(), Bail> {
    if budget::steps(1) { Ok(()) } else { Err(Bail) }
}

fn iterate<'a>(input: &Val<'a>, record: &Record<'a, '_>, take: &mut Take<'_, 'a>) -> Result<bool, Bail> {
    match input {
        Val::Nested(text @ [b'[', ..]) => {
            for value in elements(text)? {
                step()?;
                if !take(value)? {
                    return Ok(false);
                }
            }
        }
        Val::List(values) => {
            for value in values {
                step()?;
                if !take(value.clone())? {
                    return Ok(false);
                }
            }
        }
        _ => {
            for (_, value) in each_member(input, record)? {
                step()?;
                if !take(value)? {
                    return Ok(false);
                }
            }
        }
    }
    Ok(true)
}

fn recurse<'a>(input: &Val<'a>, record: &Record<'a, '_>, take: &mut Take<'_, 'a>) -> Result<bool, Bail> {
    match input {
        Val::Nested(text) => every_part(text, record, take),
        Val::Record | Val::List(_) | Val::Object(_) => {
            Ok(take(input.clone())? && iterate(input, record, &mut |value| recurse(&value, record, take))?)
        }
        _ => take(input.clone()),
    }
}

fn every_part<'a>(text: &'a [u8], record: &Record<'a, '_>, take: &mut Take<'_, 'a>) -> Result<bool, Bail> {
    walk(text.len())?;
    let parts = parts(text).ok_or(Bail)?;
    if record.marks.odd && parts.has_escaped_keys {
        return Err(Bail);
    }
    for part in parts.ranges {
        step()?;
        if !take(Val::of(&text[part.start as usize..part.end as usize]))? {
            return Ok(false);
        }
    }
    Ok(true)
}
