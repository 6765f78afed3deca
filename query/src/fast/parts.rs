//! Parts of a value: its members, its elements, and those of its parts.

use super::Bail;
use super::compute::{Take, step};
use super::expression::Key;
use super::members::{clear_members, each_member, members_of};
use super::record::Record;
use super::text::{letter_at, part_of};
use super::value::Val;
use super::walk::walk;
use crate::json::skip::{Items, parts};

pub(super) fn member<'a>(input: &Val<'a>, key: &'a Key, record: &Record<'a, '_>) -> Result<Val<'a>, Bail> {
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
#[inline(never)]
pub(super) fn element_at<'a>(input: &Val<'a>, index: &Val<'a>, record: &Record<'a, '_>) -> Result<Val<'a>, Bail> {
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

pub(super) fn element<'a>(input: &Val<'a>, place: i64) -> Result<Val<'a>, Bail> {
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

#[inline(never)]
pub(super) fn slice<'a>(input: &Val<'a>, from: usize, to: Option<usize>) -> Result<Val<'a>, Bail> {
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

#[inline(never)]
pub(super) fn iterate<'a>(input: &Val<'a>, record: &Record<'a, '_>, take: &mut Take<'_, 'a>) -> Result<bool, Bail> {
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

#[inline(never)]
pub(super) fn recurse<'a>(input: &Val<'a>, record: &Record<'a, '_>, take: &mut Take<'_, 'a>) -> Result<bool, Bail> {
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
