//! The functions that have a fast form, on values of a plan.

use memchr::memmem;

use super::Bail;
use super::arithmetic::sum;
use super::by_key::by_key;
use super::expression::Expression;
use super::members::{Members, clear_members, each_member, from_entries, key_of, to_entries};
use super::parts::elements;
use super::print::print;
use super::record::Record;
use super::text::{letters, part_of};
use super::value::{Type, Val};
use super::walk::walk;
use crate::functions::formats::{push_csv, push_tsv};
use crate::functions::{Call, CallWith, Whole};
use crate::json::is_ascii;
use crate::value::pieces;

#[inline(never)]
pub(super) fn call<'a>(function: Call, input: &Val<'a>, record: &Record<'a, '_>) -> Result<Val<'a>, Bail> {
    Ok(match function {
        Call::Length => Val::Count(length(input, record)?),
        Call::Type => Val::Text(input.kind().name().into()),
        Call::Downcase => change(input, u8::is_ascii_uppercase, <[u8]>::to_ascii_lowercase)?,
        Call::Upcase => change(input, u8::is_ascii_lowercase, <[u8]>::to_ascii_uppercase)?,
        Call::ToString => match input {
            Val::Json(_) | Val::Text(_) => input.clone(),
            _ => json(input, record)?,
        },
        Call::ToJson => json(input, record)?,
        Call::KeysUnsorted => keys(input, each_member(input, record)?),
        Call::Keys => {
            let mut members = clear_members(input, record)?;
            members.sort_unstable_by_key(|(key, _)| *key);
            keys(input, members)
        }
        Call::Tsv => row(input, record, b'\t')?,
        Call::Csv => row(input, record, b',')?,
        Call::Add => sum(input)?,
        Call::ToEntries => to_entries(input, record)?,
        Call::FromEntries => from_entries(input)?,
        Call::Sort => by_key(Whole::Sort, &Expression::Id, input, record)?,
        Call::Unique => by_key(Whole::Unique, &Expression::Id, input, record)?,
        Call::Reverse => Val::List(list(input)?.into_iter().rev().collect()),
    })
}

fn keys<'a>(input: &Val<'a>, members: Members<'a>) -> Val<'a> {
    Val::List(members.into_iter().map(|(key, _)| key_of(input, key)).collect())
}

fn length(input: &Val<'_>, record: &Record<'_, '_>) -> Result<usize, Bail> {
    Ok(match input {
        Val::Null => 0,
        Val::Json(_) | Val::Text(_) => letters(&input.text().ok_or(Bail)?),
        Val::Nested(text @ [b'[', ..]) => elements(text)?.count(),
        Val::List(values) => values.len(),
        Val::Record | Val::Nested(_) | Val::Object(_) => each_member(input, record)?.len(),
        _ => return Err(Bail),
    })
}

fn change<'a>(input: &Val<'a>, concerns: fn(&u8) -> bool, changed: fn(&[u8]) -> Vec<u8>) -> Result<Val<'a>, Bail> {
    let text = input.text().ok_or(Bail)?;
    Ok(Val::Text(if text.iter().any(concerns) { changed(&text).into() } else { text }))
}

fn json<'a>(input: &Val<'a>, record: &Record<'a, '_>) -> Result<Val<'a>, Bail> {
    let mut text = Vec::new();
    push_json(&mut text, input, record)?;
    Ok(Val::Text(text.into()))
}

/// JSON in a text. Of what is odd the engine makes another text there than in a result.
pub(super) fn push_json(out: &mut Vec<u8>, value: &Val<'_>, record: &Record<'_, '_>) -> Result<(), Bail> {
    if record.marks.odd {
        return Err(Bail);
    }
    print(out, value, record, false)
}

fn row<'a>(input: &Val<'a>, record: &Record<'a, '_>, separator: u8) -> Result<Val<'a>, Bail> {
    let Val::List(fields) = input else { return Err(Bail) };
    let mut row = Vec::with_capacity(64);
    for (i, field) in fields.iter().enumerate() {
        let before = row.len();
        if i > 0 {
            row.push(separator);
        }
        match (field, separator) {
            (Val::Null, _) => {}
            (Val::Bool(_) | Val::Number(_) | Val::Count(_) | Val::Float(_), _) => {
                print(&mut row, field, record, false)?
            }
            (Val::Json(_) | Val::Text(_), b'\t') => push_tsv(&mut row, &field.text().ok_or(Bail)?),
            (Val::Json(_) | Val::Text(_), _) => push_csv(&mut row, &field.text().ok_or(Bail)?),
            _ => return Err(Bail),
        }
        walk(row.len() - before)?;
    }
    Ok(Val::Text(row.into()))
}

#[inline(never)]
pub(super) fn call_with<'a>(
    function: CallWith,
    input: &Val<'a>,
    argument: &Val<'a>,
    record: &Record<'a, '_>,
) -> Result<Val<'a>, Bail> {
    let both = || input.text().zip(argument.text()).ok_or(Bail);
    Ok(match function {
        CallWith::StartsWith => both().map(|(text, part)| Val::Bool(text.starts_with(&part)))?,
        CallWith::EndsWith => both().map(|(text, part)| Val::Bool(text.ends_with(&part)))?,
        CallWith::Contains => Val::Bool(contains(input, argument)?),
        CallWith::Index => index(input, argument)?,
        CallWith::Has => Val::Bool(has(input, argument, record)?),
        CallWith::HasMember => Val::Bool(has_member(input, argument)?),
        CallWith::TrimStart => {
            let (text, part) = both()?;
            trimmed(input, text.strip_prefix(part.as_ref()))
        }
        CallWith::TrimEnd => {
            let (text, part) = both()?;
            trimmed(input, text.strip_suffix(part.as_ref()))
        }
        CallWith::Split => {
            let (text, separator) = both()?;
            without_empty(&separator)?;
            let part = |range| Val::Text(part_of(&text, range));
            Val::List(pieces(&text, &separator).map(part).collect())
        }
        CallWith::Join => join(input, &argument.text().ok_or(Bail)?)?,
    })
}

/// An empty separator would part a text into letters.
fn without_empty(separator: &[u8]) -> Result<(), Bail> {
    if separator.is_empty() { Err(Bail) } else { Ok(()) }
}

/// One of the pieces of a text; those behind it are not looked for.
pub(super) fn piece<'a>(input: &Val<'a>, separator: &[u8], place: usize) -> Result<Val<'a>, Bail> {
    let text = input.text().ok_or(Bail)?;
    without_empty(separator)?;
    let found = pieces(&text, separator).nth(place);
    Ok(found.map_or(Val::Null, |range| Val::Text(part_of(&text, range))))
}

fn trimmed<'a>(input: &Val<'a>, rest: Option<&[u8]>) -> Val<'a> {
    rest.map_or_else(|| input.clone(), |rest| Val::Text(rest.to_vec().into()))
}

pub(super) fn list<'a>(input: &Val<'a>) -> Result<Vec<Val<'a>>, Bail> {
    match input {
        Val::Nested(text) => elements(text).map(Iterator::collect),
        Val::List(values) => Ok(values.clone()),
        _ => Err(Bail),
    }
}

/// Texts contain their parts; an array contains another when each of its texts is part of one of the array's.
fn contains(input: &Val<'_>, part: &Val<'_>) -> Result<bool, Bail> {
    if let Some((text, part)) = input.text().zip(part.text()) {
        return Ok(memmem::find(&text, &part).is_some());
    }
    let values = list(input)?;
    for part in list(part)? {
        let part = part.text().ok_or(Bail)?;
        let found = values.iter().filter_map(Val::text).any(|text| memmem::find(&text, &part).is_some());
        if !found {
            return Ok(false);
        }
    }
    Ok(true)
}

fn index<'a>(input: &Val<'a>, wanted: &Val<'a>) -> Result<Val<'a>, Bail> {
    if let Some((text, part)) = input.text().zip(wanted.text()) {
        // Letters are counted differently from version to version of jq.
        if part.is_empty() || !is_ascii(&text) {
            return Err(Bail);
        }
        return Ok(memmem::find(&text, &part).map_or(Val::Null, Val::Count));
    }
    if wanted.kind() >= Type::Array {
        return Err(Bail);
    }
    let at = |values: &mut dyn Iterator<Item = Val<'a>>| -> Result<Val<'a>, Bail> {
        for (i, value) in values.enumerate() {
            if value.equals(wanted)? {
                return Ok(Val::Count(i));
            }
        }
        Ok(Val::Null)
    };
    match input {
        Val::Nested(text) => at(&mut elements(text)?),
        Val::List(values) => at(&mut values.iter().cloned()),
        _ => Err(Bail),
    }
}

fn has_member(input: &Val<'_>, wanted: &Val<'_>) -> Result<bool, Bail> {
    if let Some((text, part)) = input.text().zip(wanted.text()) {
        return Ok(!part.is_empty() && memmem::find(&text, &part).is_some());
    }
    match input {
        Val::Nested([b'[', ..]) | Val::List(_) => index(input, wanted).map(|place| place.is_true()),
        _ => Ok(false),
    }
}

fn has<'a>(input: &Val<'a>, key: &Val<'a>, record: &Record<'a, '_>) -> Result<bool, Bail> {
    if let Val::Null = input {
        return Ok(false);
    }
    let key = key.text().ok_or(Bail)?;
    Ok(clear_members(input, record)?.iter().any(|(known, _)| **known == *key))
}

/// Texts put together, as long as there is nothing else.
fn join<'a>(input: &Val<'a>, separator: &[u8]) -> Result<Val<'a>, Bail> {
    let mut text = Vec::new();
    for (i, value) in list(input)?.iter().enumerate() {
        if i > 0 {
            text.extend_from_slice(separator);
        }
        let value = value.text().ok_or(Bail)?;
        walk(value.len())?;
        text.extend_from_slice(&value);
    }
    Ok(Val::Text(text.into()))
}
