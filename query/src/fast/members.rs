//! Objects that a filter takes apart, changes and makes.

use super::Bail;
use super::expression::{Expression, Gone, PathPart};
use super::parts::elements;
use super::record::Record;
use super::value::Val;
use super::walk::walk;
use crate::json::skip::{Items, has_unique_keys};

/// Members of an object: their keys as they are meant, and their values.
pub(super) type Members<'a> = Vec<(&'a [u8], Val<'a>)>;

/// More members are left to the general engine, which has an index of their keys.
const MOST: usize = 64;

/// The members of an object that stands in the record, with their keys as they stand.
pub(super) fn members_of(text: &[u8]) -> Result<Items<'_>, Bail> {
    match text.first() {
        Some(b'{') => {
            walk(text.len())?;
            Items::of(text).ok_or(Bail)
        }
        _ => Err(Bail),
    }
}

/// The members of an object whose keys are different. Those that stand in the record are as they stand: see [`key_of`].
pub(super) fn each_member<'a>(input: &Val<'a>, record: &Record<'a, '_>) -> Result<Members<'a>, Bail> {
    let pairs: Vec<(&[u8], &[u8])> = match input {
        Val::Record => record.members.iter().map(|m| (m.key(record.line), m.value(record.line))).collect(),
        Val::Nested(text) if has_unique_keys(text) => members_of(text)?.collect(),
        Val::Object(members) => return Ok(members.clone()),
        _ => return Err(Bail),
    };
    if record.marks.odd && pairs.iter().any(|(key, _)| is_escaped(key)) {
        return Err(Bail);
    }
    Ok(pairs.into_iter().map(|(key, value)| (key, Val::of(value))).collect())
}

/// The same of an object whose keys stand as they are meant.
pub(super) fn clear_members<'a>(input: &Val<'a>, record: &Record<'a, '_>) -> Result<Members<'a>, Bail> {
    let members = each_member(input, record)?;
    match input {
        Val::Record | Val::Nested(_) if members.iter().any(|(key, _)| is_escaped(key)) => Err(Bail),
        _ => Ok(members),
    }
}

fn is_escaped(key: &[u8]) -> bool {
    key.contains(&b'\\')
}

/// A key of [`each_member`] as a value. One that stands in the record needs no look at its letters when it is printed.
pub(super) fn key_of<'a>(object: &Val<'a>, key: &'a [u8]) -> Val<'a> {
    match object {
        Val::Object(_) => Val::Text(key.into()),
        _ => Val::Json(key),
    }
}

/// Where both have a key, the value of the second stands in the place of the first.
pub(super) fn merged<'a>(a: &Val<'a>, b: &Val<'a>, record: &Record<'a, '_>) -> Result<Val<'a>, Bail> {
    let (mut members, more) = (clear_members(a, record)?, clear_members(b, record)?);
    if members.len() + more.len() > MOST {
        return Err(Bail);
    }
    for (key, value) in more {
        put(&mut members, key, value);
    }
    Ok(Val::Object(members))
}

fn put<'a>(members: &mut Members<'a>, key: &'a [u8], value: Val<'a>) {
    match members.iter_mut().find(|(known, _)| *known == key) {
        Some((_, old)) => *old = value,
        None => members.push((key, value)),
    }
}

/// A value without what is gone.
pub(super) fn delete<'a>(input: &Val<'a>, gone: &[Gone], record: &Record<'a, '_>) -> Result<Val<'a>, Bail> {
    if matches!(input, Val::Null) {
        return Ok(Val::Null);
    }
    let mut left = Vec::new();
    for (key, value) in clear_members(input, record)? {
        match gone.iter().find(|gone| gone.key == key) {
            None => left.push((key, value)),
            Some(gone) if gone.inside.is_empty() => {}
            Some(gone) => left.push((key, delete(&value, &gone.inside, record)?)),
        }
    }
    Ok(Val::Object(left))
}

/// A value with what stands at a path changed; nothing where the change has no output and nothing is left of the value.
pub(super) fn update<'a>(
    input: &Val<'a>,
    path: &'a [PathPart],
    change: &'a Expression,
    record: &Record<'a, '_>,
) -> Result<Option<Val<'a>>, Bail> {
    let Some((part, rest)) = path.split_first() else {
        let mut first = None;
        change.each(input, record, &mut |value| {
            first = Some(value);
            Ok(false)
        })?;
        return Ok(first);
    };
    let changed = |value: &Val<'a>| update(value, rest, change, record);
    Ok(Some(match (part, input) {
        (PathPart::Key(_), Val::Null) => with_key(Vec::new(), part, changed)?,
        (PathPart::Key(_), _) => with_key(clear_members(input, record)?, part, changed)?,
        (PathPart::Each, Val::List(values)) => Val::List(each(values.iter().cloned(), changed)?),
        (PathPart::Each, Val::Nested(text @ [b'[', ..])) => Val::List(each(elements(text)?, changed)?),
        (PathPart::Each, _) => {
            let mut members = Vec::new();
            for (key, value) in clear_members(input, record)? {
                members.extend(changed(&value)?.map(|value| (key, value)));
            }
            Val::Object(members)
        }
    }))
}

fn each<'a>(
    values: impl Iterator<Item = Val<'a>>,
    changed: impl Fn(&Val<'a>) -> Result<Option<Val<'a>>, Bail>,
) -> Result<Vec<Val<'a>>, Bail> {
    values.filter_map(|value| changed(&value).transpose()).collect()
}

fn with_key<'a>(
    mut members: Members<'a>,
    part: &'a PathPart,
    changed: impl Fn(&Val<'a>) -> Result<Option<Val<'a>>, Bail>,
) -> Result<Val<'a>, Bail> {
    let PathPart::Key(key) = part else { return Err(Bail) };
    let place = members.iter().position(|(known, _)| known == key);
    let old = place.map_or(Val::Null, |place| members[place].1.clone());
    match (changed(&old)?, place) {
        (Some(new), Some(place)) => members[place].1 = new,
        (Some(new), None) => members.push((key, new)),
        (None, Some(place)) => drop(members.remove(place)),
        (None, None) => {}
    }
    Ok(Val::Object(members))
}

/// `to_entries`
pub(super) fn to_entries<'a>(input: &Val<'a>, record: &Record<'a, '_>) -> Result<Val<'a>, Bail> {
    let entry = |(key, value): (&'a [u8], Val<'a>)| {
        Val::Object(vec![(b"key".as_slice(), key_of(input, key)), (b"value".as_slice(), value)])
    };
    Ok(Val::List(each_member(input, record)?.into_iter().map(entry).collect()))
}

/// `from_entries`, of entries as `to_entries` makes them.
pub(super) fn from_entries<'a>(input: &Val<'a>) -> Result<Val<'a>, Bail> {
    let Val::List(entries) = input else { return Err(Bail) };
    let mut members = Vec::with_capacity(entries.len());
    for entry in entries {
        let Val::Object(entry) = entry else { return Err(Bail) };
        let [(b"key", key), (b"value", value)] = entry.as_slice() else { return Err(Bail) };
        let key = match key {
            Val::Json(key) if !is_escaped(key) => *key,
            Val::Text(std::borrow::Cow::Borrowed(key)) => *key,
            _ => return Err(Bail),
        };
        members.push((key, value.clone()));
    }
    let mut keys: Vec<&[u8]> = members.iter().map(|(key, _)| *key).collect();
    keys.sort_unstable();
    match keys.windows(2).any(|pair| pair[0] == pair[1]) {
        true => Err(Bail),
        false => Ok(Val::Object(members)),
    }
}
