//! Arithmetic: numbers as the general engine counts them, and what `+` does to other values.

use jaq_core::ops::Math;

use super::Bail;
use super::functions::list;
use super::members::merged;
use super::record::Record;
use super::value::{Type, Val};
use super::walk::walk;
use crate::{Value, budget};

/// `a + b` and the like.
pub(super) fn arithmetic<'a>(a: Val<'a>, operator: Math, b: Val<'a>, record: &Record<'a, '_>) -> Result<Val<'a>, Bail> {
    match (a.kind(), b.kind()) {
        (Type::Number, Type::Number) => numbers(a.number()?, operator, b.number()?),
        _ if operator == Math::Add => sum_of_two(a, b, record),
        _ => Err(Bail),
    }
}

fn numbers<'a>(a: f64, operator: Math, b: f64) -> Result<Val<'a>, Bail> {
    let result: Result<Value, _> = operator.run(Value::from(a), Value::from(b));
    match result.map_err(|_| Bail)?.as_f64() {
        Some(number) if number.is_finite() => Ok(Val::Float(number)),
        _ => Err(Bail),
    }
}

fn sum_of_two<'a>(a: Val<'a>, b: Val<'a>, record: &Record<'a, '_>) -> Result<Val<'a>, Bail> {
    Ok(match (a.kind(), b.kind()) {
        (Type::Null, _) => b,
        (_, Type::Null) => a,
        (Type::String, Type::String) => {
            let (a, b) = (a.text().ok_or(Bail)?, b.text().ok_or(Bail)?);
            room(a.len() + b.len())?;
            Val::Text([a, b].concat().into())
        }
        (Type::Array, Type::Array) => {
            let (mut a, b) = (list(&a)?, list(&b)?);
            room((a.len() + b.len()) * size_of::<Val<'_>>())?;
            a.extend(b);
            Val::List(a)
        }
        (Type::Object, Type::Object) => merged(&a, &b, record)?,
        _ => return Err(Bail),
    })
}

/// The steps of making something of so many bytes.
pub(super) fn room(bytes: usize) -> Result<(), Bail> {
    if budget::room(bytes) { Ok(()) } else { Err(Bail) }
}

/// `add`, of numbers or of texts.
pub(super) fn sum<'a>(input: &Val<'a>) -> Result<Val<'a>, Bail> {
    let values = list(input)?;
    let [first, rest @ ..] = values.as_slice() else { return Ok(Val::Null) };
    if let Some(first) = first.text() {
        let mut text = first.into_owned();
        for value in rest {
            let value = value.text().ok_or(Bail)?;
            walk(value.len())?;
            text.extend_from_slice(&value);
        }
        return Ok(Val::Text(text.into()));
    }
    if rest.is_empty() {
        return Ok(first.clone());
    }
    let mut sum = first.number()?;
    for value in rest {
        sum += value.number()?;
    }
    if sum.is_finite() { Ok(Val::Float(sum)) } else { Err(Bail) }
}
