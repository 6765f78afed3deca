//! What repeats itself: loops over the outputs of a filter.

use super::Bail;
use super::compute::{Take, step};
use super::expression::Expression;
use super::record::Record;
use super::value::Val;
use crate::budget;

/// More values are made with a look at the memory that they need.
const FEW: usize = 64;

/// A longer text is copied too often when one is put together piece by piece.
const MOST_STATE_BYTES: usize = 4096;

/// Floats tell whole numbers apart up to here.
const MOST_WHOLE: f64 = (1_u64 << 53) as f64;

/// `[f]`
#[inline(never)]
pub(super) fn gathered<'a>(
    elements: &'a Expression,
    input: &Val<'a>,
    record: &Record<'a, '_>,
) -> Result<Vec<Val<'a>>, Bail> {
    let mut values: Vec<Val<'a>> = Vec::new();
    elements.each(input, record, &mut |value| {
        if values.len() == values.capacity() && values.len() >= FEW {
            match budget::has_room(values.len() * 2 * size_of::<Val<'_>>()) {
                true => values.reserve(values.len()),
                false => return Err(Bail),
            }
        }
        values.push(value);
        Ok(true)
    })?;
    Ok(values)
}

/// `limit(n; f)`. What comes after is not looked for.
#[inline(never)]
pub(super) fn limit<'a>(
    most: usize,
    several: &'a Expression,
    input: &Val<'a>,
    record: &Record<'a, '_>,
    take: &mut Take<'_, 'a>,
) -> Result<bool, Bail> {
    let (mut left, mut goes_on) = (most, true);
    several.each(input, record, &mut |value| {
        left -= 1;
        goes_on = take(value)?;
        Ok(goes_on && left > 0)
    })?;
    Ok(goes_on)
}

/// `range(a; b)`
#[inline(never)]
pub(super) fn range<'a>(from: &Val<'a>, to: &Val<'a>, take: &mut Take<'_, 'a>) -> Result<bool, Bail> {
    let (mut number, to) = (from.number()?, to.number()?);
    if number.abs().max(to.abs()) >= MOST_WHOLE {
        return Err(Bail);
    }
    // The first output is the bound as it was written.
    let mut next = from.clone();
    while number < to {
        step()?;
        if !take(next)? {
            return Ok(false);
        }
        number += 1.0;
        next = Val::Float(number);
    }
    Ok(true)
}

/// `reduce f as $name (g; h)`. It bails where the state is an array or an object: the general engine changes these in place.
#[inline(never)]
pub(super) fn reduce<'a>(
    [source, start, update]: &'a [Expression; 3],
    input: &Val<'a>,
    record: &Record<'a, '_>,
) -> Result<Val<'a>, Bail> {
    let mut state = start.one(input, record)?;
    source.each(input, record, &mut |value| {
        step()?;
        let bound = record.bind(value)?;
        state = update.one(&state, &record.with(&bound))?;
        match &state {
            Val::List(_) | Val::Object(_) => Err(Bail),
            Val::Text(text) if text.len() > MOST_STATE_BYTES => Err(Bail),
            _ => Ok(true),
        }
    })?;
    Ok(state)
}
