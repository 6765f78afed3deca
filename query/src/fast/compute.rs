//! Running a filter on a value.

use jaq_core::ops::Cmp;
use memchr::memmem;

use super::Surprise;
use super::expression::{Expression, Key};
use super::print::print;
use super::record::Record;
use super::text::{decoded, letter_at, letters, part_of, pieces};
use super::value::{Type, Val};
use crate::functions::{Call, CallWith};
use crate::json::skip::{Items, has_unique_keys, parts};

/// Takes an output, and says whether there is need of more.
type Take<'t, 'a> = dyn FnMut(Val<'a>) -> Result<bool, Surprise> + 't;

impl Expression {
    /// Hands out the outputs one after the other. False when the taker wants no more.
    pub(crate) fn each<'a>(
        &'a self,
        input: &Val<'a>,
        record: &Record<'a>,
        take: &mut Take<'_, 'a>,
    ) -> Result<bool, Surprise> {
        match self {
            Self::Pipe(first, next) if first.is_single() => next.each(&first.one(input, record)?, record, take),
            Self::Pipe(first, next) => first.each(input, record, &mut |value| next.each(&value, record, take)),
            Self::Comma(a, b) => Ok(a.each(input, record, take)? && b.each(input, record, take)?),
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
            _ => take(self.one(input, record)?),
        }
    }

    /// The output of a filter that is single.
    pub(crate) fn one<'a>(&'a self, input: &Val<'a>, record: &Record<'a>) -> Result<Val<'a>, Surprise> {
        Ok(match self {
            Self::Id => input.clone(),
            Self::Key(key) => member(input, key, record)?,
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
            Self::Alternative(a, b) => match a.one(input, record)? {
                value if value.is_true() => value,
                _ => b.one(input, record)?,
            },
            Self::Any(generator, condition) => Val::Bool(some(generator, condition, true, input, record)?),
            Self::All(generator, condition) => Val::Bool(!some(generator, condition, false, input, record)?),
            Self::List(elements) => {
                let mut values = Vec::new();
                elements.each(input, record, &mut |value| {
                    values.push(value);
                    Ok(true)
                })?;
                Val::List(values)
            }
            Self::Object(members) => {
                let member = |(key, value): &'a (Vec<u8>, Self)| Ok((key.as_slice(), value.one(input, record)?));
                Val::Object(members.iter().map(member).collect::<Result<_, _>>()?)
            }
            Self::Interpolate(parts) => {
                let mut text = Vec::new();
                for part in parts {
                    match part.one(input, record)? {
                        Val::Json(part) => text.extend_from_slice(&decoded(part)),
                        Val::Text(part) => text.extend_from_slice(&part),
                        other => push_json(&mut text, &other, record)?,
                    }
                }
                Val::Text(text.into())
            }
            Self::Test(pattern) => Val::Bool(pattern.is_in(&input.text().ok_or(Surprise)?)),
            Self::Negate => Val::Negated(-input.number()?),
            Self::Call(function) => call(*function, input, record)?,
            Self::CallWith(function, argument) => call_with(*function, input, &argument.one(input, record)?, record)?,
            Self::Piece(separator, place) => piece(input, separator, *place)?,
            Self::Add(a, b) => add(a.one(input, record)?, b.one(input, record)?)?,
            Self::Iterate | Self::IterateAny | Self::Recurse | Self::Empty => return Err(Surprise),
            Self::Select(_) | Self::Only(_) | Self::Comma(..) => return Err(Surprise),
        })
    }
}

/// True when the condition is `wanted` of some output of the generator.
fn some<'a>(
    generator: &'a Expression,
    condition: &'a Expression,
    wanted: bool,
    input: &Val<'a>,
    record: &Record<'a>,
) -> Result<bool, Surprise> {
    let mut found = false;
    generator.each(input, record, &mut |value| {
        condition.each(&value, record, &mut |output| {
            found |= output.is_true() == wanted;
            Ok(!found)
        })
    })?;
    Ok(found)
}

fn member<'a>(input: &Val<'a>, key: &'a Key, record: &Record<'a>) -> Result<Val<'a>, Surprise> {
    let found = match input {
        Val::Record => record.member(key.slot),
        Val::Nested(text) => nested_member(text, &key.name, record)?,
        Val::Object(members) => {
            let member = members.iter().find(|(name, _)| *name == key.name);
            return Ok(member.map_or(Val::Null, |(_, value)| value.clone()));
        }
        Val::Null => None,
        _ => return Err(Surprise),
    };
    Ok(found.map_or(Val::Null, Val::of))
}

/// The value that a key has in an object that stands in the record. Of several the last one counts.
fn nested_member<'a>(text: &'a [u8], key: &[u8], record: &Record<'a>) -> Result<Option<&'a [u8]>, Surprise> {
    let mut found = None;
    for (known, value) in members(text)? {
        if known == key {
            found = Some(value);
        } else if record.marks.odd && known.contains(&b'\\') {
            return Err(Surprise);
        }
    }
    Ok(found)
}

fn members(text: &[u8]) -> Result<Items<'_>, Surprise> {
    match text.first() {
        Some(b'{') => Items::of(text).ok_or(Surprise),
        _ => Err(Surprise),
    }
}

fn elements(text: &[u8]) -> Result<impl Iterator<Item = Val<'_>>, Surprise> {
    match text.first() {
        Some(b'[') => Ok(Items::of(text).ok_or(Surprise)?.map(|(_, value)| Val::of(value))),
        _ => Err(Surprise),
    }
}

/// The keys and values of an object whose keys are different and what they look like.
fn clear_members<'a>(input: &Val<'a>, record: &Record<'a>) -> Result<Vec<(Val<'a>, Val<'a>)>, Surprise> {
    let pairs: Vec<(&[u8], &[u8])> = match input {
        Val::Record => record.members.iter().map(|m| (m.key(record.line), m.value(record.line))).collect(),
        Val::Nested(text) if has_unique_keys(text) => members(text)?.collect(),
        _ => return Err(Surprise),
    };
    if record.marks.odd && pairs.iter().any(|(key, _)| key.contains(&b'\\')) {
        return Err(Surprise);
    }
    Ok(pairs.into_iter().map(|(key, value)| (Val::Json(key), Val::of(value))).collect())
}

fn element<'a>(input: &Val<'a>, place: i64) -> Result<Val<'a>, Surprise> {
    fn nth<T>(mut values: impl Iterator<Item = T>, count: impl FnOnce() -> usize, place: i64) -> Option<T> {
        match usize::try_from(place) {
            Ok(place) => values.nth(place),
            Err(_) => values.nth(count().checked_sub(usize::try_from(place.unsigned_abs()).ok()?)?),
        }
    }
    let found = match input {
        Val::Null => None,
        Val::List(values) => nth(values.iter().cloned(), || values.len(), place),
        Val::Nested(text) => {
            let count = elements(text)?;
            nth(elements(text)?, || count.count(), place)
        }
        _ => return Err(Surprise),
    };
    Ok(found.unwrap_or(Val::Null))
}

fn slice<'a>(input: &Val<'a>, from: usize, to: Option<usize>) -> Result<Val<'a>, Surprise> {
    let most = to.map_or(usize::MAX, |to| to.saturating_sub(from));
    // What null gives differs from engine to engine.
    Ok(match input {
        Val::Nested(text) => Val::List(elements(text)?.skip(from).take(most).collect()),
        Val::List(values) => Val::List(values.iter().skip(from).take(most).cloned().collect()),
        Val::Json(_) | Val::Text(_) => {
            let text = input.text().ok_or(Surprise)?;
            let start = letter_at(&text, from);
            let end = to.map_or(text.len(), |to| letter_at(&text, to)).max(start);
            Val::Text(part_of(&text, start..end))
        }
        _ => return Err(Surprise),
    })
}

fn compare(a: &Val<'_>, operator: Cmp, b: &Val<'_>) -> Result<bool, Surprise> {
    Ok(match operator {
        Cmp::Eq => a.equals(b)?,
        Cmp::Ne => !a.equals(b)?,
        Cmp::Lt => a.compare(b)?.is_lt(),
        Cmp::Le => a.compare(b)?.is_le(),
        Cmp::Gt => a.compare(b)?.is_gt(),
        Cmp::Ge => a.compare(b)?.is_ge(),
    })
}

fn iterate<'a>(input: &Val<'a>, record: &Record<'a>, take: &mut Take<'_, 'a>) -> Result<bool, Surprise> {
    match input {
        Val::Nested(text @ [b'[', ..]) => {
            for value in elements(text)? {
                if !take(value)? {
                    return Ok(false);
                }
            }
        }
        Val::List(values) => {
            for value in values {
                if !take(value.clone())? {
                    return Ok(false);
                }
            }
        }
        _ => {
            for (_, value) in clear_members(input, record)? {
                if !take(value)? {
                    return Ok(false);
                }
            }
        }
    }
    Ok(true)
}

fn recurse<'a>(input: &Val<'a>, record: &Record<'a>, take: &mut Take<'_, 'a>) -> Result<bool, Surprise> {
    match input {
        Val::Nested(text) => every_part(text, record, take),
        Val::Record | Val::List(_) | Val::Object(_) => {
            Ok(take(input.clone())? && iterate(input, record, &mut |value| recurse(&value, record, take))?)
        }
        _ => take(input.clone()),
    }
}

fn every_part<'a>(text: &'a [u8], record: &Record<'a>, take: &mut Take<'_, 'a>) -> Result<bool, Surprise> {
    let parts = parts(text).ok_or(Surprise)?;
    if record.marks.odd && parts.has_escaped_keys {
        return Err(Surprise);
    }
    for part in parts.ranges {
        if !take(Val::of(&text[part.start as usize..part.end as usize]))? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn call<'a>(function: Call, input: &Val<'a>, record: &Record<'a>) -> Result<Val<'a>, Surprise> {
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
        Call::KeysUnsorted => Val::List(clear_members(input, record)?.into_iter().map(|(key, _)| key).collect()),
        Call::Keys => {
            let mut keys: Vec<_> = clear_members(input, record)?.into_iter().map(|(key, _)| key).collect();
            keys.sort_by_cached_key(Val::text);
            Val::List(keys)
        }
        Call::Tsv => row(input, record, b'\t')?,
        Call::Csv => row(input, record, b',')?,
    })
}

fn length(input: &Val<'_>, record: &Record<'_>) -> Result<usize, Surprise> {
    Ok(match input {
        Val::Null => 0,
        Val::Json(_) | Val::Text(_) => letters(&input.text().ok_or(Surprise)?),
        Val::Nested(text @ [b'[', ..]) => elements(text)?.count(),
        Val::List(values) => values.len(),
        Val::Record | Val::Nested(_) => clear_members(input, record)?.len(),
        _ => return Err(Surprise),
    })
}

fn change<'a>(input: &Val<'a>, concerns: fn(&u8) -> bool, changed: fn(&[u8]) -> Vec<u8>) -> Result<Val<'a>, Surprise> {
    let text = input.text().ok_or(Surprise)?;
    Ok(Val::Text(if text.iter().any(concerns) { changed(&text).into() } else { text }))
}

fn json<'a>(input: &Val<'a>, record: &Record<'a>) -> Result<Val<'a>, Surprise> {
    let mut text = Vec::new();
    push_json(&mut text, input, record)?;
    Ok(Val::Text(text.into()))
}

/// JSON in a text. Of what is odd the engine makes another text there than in a result.
fn push_json(out: &mut Vec<u8>, value: &Val<'_>, record: &Record<'_>) -> Result<(), Surprise> {
    if record.marks.odd {
        return Err(Surprise);
    }
    print(out, value, record, false)
}

fn row<'a>(input: &Val<'a>, record: &Record<'a>, separator: u8) -> Result<Val<'a>, Surprise> {
    let Val::List(fields) = input else { return Err(Surprise) };
    let mut row = Vec::with_capacity(64);
    for (i, field) in fields.iter().enumerate() {
        if i > 0 {
            row.push(separator);
        }
        match (field, separator) {
            (Val::Null, _) => {}
            (Val::Bool(_) | Val::Number(_) | Val::Count(_), _) => print(&mut row, field, record, false)?,
            (Val::Json(_) | Val::Text(_), b'\t') => push_tsv(&mut row, &field.text().ok_or(Surprise)?),
            (Val::Json(_) | Val::Text(_), _) => push_csv(&mut row, &field.text().ok_or(Surprise)?),
            _ => return Err(Surprise),
        }
    }
    Ok(Val::Text(row.into()))
}

fn push_tsv(row: &mut Vec<u8>, text: &[u8]) {
    let mut rest = text;
    while let Some(special) = rest.iter().position(|byte| matches!(byte, 0 | b'\t' | b'\n' | b'\r' | b'\\')) {
        row.extend_from_slice(&rest[..special]);
        row.push(b'\\');
        row.push(match rest[special] {
            0 => b'0',
            b'\t' => b't',
            b'\n' => b'n',
            b'\r' => b'r',
            backslash => backslash,
        });
        rest = &rest[special + 1..];
    }
    row.extend_from_slice(rest);
}

fn push_csv(row: &mut Vec<u8>, text: &[u8]) {
    row.push(b'"');
    for byte in text {
        if *byte == b'"' {
            row.push(b'"');
        }
        row.push(*byte);
    }
    row.push(b'"');
}

fn call_with<'a>(
    function: CallWith,
    input: &Val<'a>,
    argument: &Val<'a>,
    record: &Record<'a>,
) -> Result<Val<'a>, Surprise> {
    let both = || input.text().zip(argument.text()).ok_or(Surprise);
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
            let part = |range| Val::Text(part_of(&text, range));
            Val::List(pieces(&text, &separator)?.map(part).collect())
        }
        CallWith::Join => join(input, &argument.text().ok_or(Surprise)?)?,
    })
}

/// One of the pieces of a text; those behind it are not looked for.
fn piece<'a>(input: &Val<'a>, separator: &[u8], place: usize) -> Result<Val<'a>, Surprise> {
    let text = input.text().ok_or(Surprise)?;
    let found = pieces(&text, separator)?.nth(place);
    Ok(found.map_or(Val::Null, |range| Val::Text(part_of(&text, range))))
}

fn trimmed<'a>(input: &Val<'a>, rest: Option<&[u8]>) -> Val<'a> {
    rest.map_or_else(|| input.clone(), |rest| Val::Text(rest.to_vec().into()))
}

fn list<'a>(input: &Val<'a>) -> Result<Vec<Val<'a>>, Surprise> {
    match input {
        Val::Nested(text) => elements(text).map(Iterator::collect),
        Val::List(values) => Ok(values.clone()),
        _ => Err(Surprise),
    }
}

/// Texts contain their parts; an array contains another when each of its texts is part of one of the array's.
fn contains(input: &Val<'_>, part: &Val<'_>) -> Result<bool, Surprise> {
    if let Some((text, part)) = input.text().zip(part.text()) {
        return Ok(memmem::find(&text, &part).is_some());
    }
    let values = list(input)?;
    for part in list(part)? {
        let part = part.text().ok_or(Surprise)?;
        let found = values.iter().filter_map(Val::text).any(|text| memmem::find(&text, &part).is_some());
        if !found {
            return Ok(false);
        }
    }
    Ok(true)
}

fn index<'a>(input: &Val<'a>, wanted: &Val<'a>) -> Result<Val<'a>, Surprise> {
    if let Some((text, part)) = input.text().zip(wanted.text()) {
        // Letters are counted differently from version to version of jq.
        if part.is_empty() || !text.is_ascii() {
            return Err(Surprise);
        }
        return Ok(memmem::find(&text, &part).map_or(Val::Null, Val::Count));
    }
    if wanted.kind() >= Type::Array {
        return Err(Surprise);
    }
    let at = |values: &mut dyn Iterator<Item = Val<'a>>| -> Result<Val<'a>, Surprise> {
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
        _ => Err(Surprise),
    }
}

fn has_member(input: &Val<'_>, wanted: &Val<'_>) -> Result<bool, Surprise> {
    if let Some((text, part)) = input.text().zip(wanted.text()) {
        return Ok(!part.is_empty() && memmem::find(&text, &part).is_some());
    }
    match input {
        Val::Nested([b'[', ..]) | Val::List(_) => index(input, wanted).map(|place| place.is_true()),
        _ => Ok(false),
    }
}

fn has<'a>(input: &Val<'a>, key: &Val<'a>, record: &Record<'a>) -> Result<bool, Surprise> {
    let key = key.text().ok_or(Surprise)?;
    let mut found = false;
    for (known, _) in clear_members(input, record)? {
        found |= known.text().is_some_and(|known| known == key);
    }
    Ok(found)
}

/// Texts put together, as long as there is nothing else.
fn join<'a>(input: &Val<'a>, separator: &[u8]) -> Result<Val<'a>, Surprise> {
    let mut text = Vec::new();
    for (i, value) in list(input)?.iter().enumerate() {
        if i > 0 {
            text.extend_from_slice(separator);
        }
        text.extend_from_slice(&value.text().ok_or(Surprise)?);
    }
    Ok(Val::Text(text.into()))
}

fn add<'a>(a: Val<'a>, b: Val<'a>) -> Result<Val<'a>, Surprise> {
    match (a.text(), b.text()) {
        (Some(a), Some(b)) => Ok(Val::Text([a, b].concat().into())),
        _ => Err(Surprise),
    }
}
