//! Running a filter on a value.

use jaq_core::ops::Cmp;

use super::Bail;
use super::arithmetic::arithmetic;
use super::by_key::by_key;
use super::engine::called;
use super::expression::Expression;
use super::functions::{call, call_with, piece, push_json};
use super::matching::{matches, replaced};
use super::members::{delete, update};
use super::parts::{element, element_at, iterate, member, recurse, slice};
use super::record::Record;
use super::repeat::{gathered, limit, range, reduce};
use super::text::decoded;
use super::value::{Type, Val};
use super::walk::walk;
use crate::budget;
use crate::functions::Plain;

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
            Self::Pipe(first, next) => pipe(first, next, input, record, take),
            Self::Comma(a, b) => {
                step()?;
                Ok(a.each(input, record, take)? && b.each(input, record, take)?)
            }
            Self::Iterate => iterate(input, record, take),
            Self::IterateAny if input.kind() < Type::Array => Ok(true),
            Self::IterateAny => iterate(input, record, take),
            Self::Recurse => recurse(input, record, take),
            Self::Empty => Ok(true),
            Self::Select(condition) => select(condition, input, record, take),
            Self::Only(types) if types.has(input.kind()) => take(input.clone()),
            Self::Only(_) => Ok(true),
            Self::If(condition, a, b) => match condition.one(input, record)?.is_true() {
                true => a.each(input, record, take),
                false => b.each(input, record, take),
            },
            Self::Bind(source, body) => with_each(source, body, input, record, take),
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
            Self::Alternative(a, b) => alternative(a, b, input, record)?,
            Self::Any(generator, condition) => Val::Bool(some(generator, condition, true, input, record)?),
            Self::All(generator, condition) => Val::Bool(!some(generator, condition, false, input, record)?),
            Self::Sole(several) => sole(several, input, record)?,
            Self::List(elements) => Val::List(gathered(elements, input, record)?),
            Self::Object(members) => object(members, input, record)?,
            Self::Interpolate(parts) => interpolated(parts, input, record)?,
            Self::Test(pattern) => Val::Bool(pattern.is_in(&input.text().ok_or(Bail)?)),
            Self::Negate => Val::Negated(-input.number()?),
            Self::Call(function) => call(*function, input, record)?,
            Self::CallWith(function, argument) => call_with(*function, input, &argument.one(input, record)?, record)?,
            Self::By(function, key) => by_key(*function, key, input, record)?,
            Self::Plain(function, argument) => plain(*function, argument.as_deref(), input, record)?,
            Self::Piece(separator, place) => piece(input, separator, *place)?,
            Self::Arithmetic(a, operator, b) => {
                arithmetic(a.one(input, record)?, *operator, b.one(input, record)?, record)?
            }
            Self::Bind(source, body) => with_one(source, body, input, record)?,
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

// The two functions above call themselves for each level of a filter. Arms that need room on the stack are functions, so that
// not every level needs it.

#[inline(never)]
fn pipe<'a>(
    first: &'a Expression,
    next: &'a Expression,
    input: &Val<'a>,
    record: &Record<'a, '_>,
    take: &mut Take<'_, 'a>,
) -> Result<bool, Bail> {
    first.each(input, record, &mut |value| next.each(&value, record, take))
}

#[inline(never)]
fn select<'a>(
    condition: &'a Expression,
    input: &Val<'a>,
    record: &Record<'a, '_>,
    take: &mut Take<'_, 'a>,
) -> Result<bool, Bail> {
    condition.each(input, record, &mut |output| match output.is_true() {
        true => take(input.clone()),
        false => Ok(true),
    })
}

/// `source as $name | body`
#[inline(never)]
fn with_each<'a>(
    source: &'a Expression,
    body: &'a Expression,
    input: &Val<'a>,
    record: &Record<'a, '_>,
    take: &mut Take<'_, 'a>,
) -> Result<bool, Bail> {
    source.each(input, record, &mut |value| {
        let bound = record.bind(value)?;
        body.each(input, &record.with(&bound), take)
    })
}

/// The same with one output.
#[inline(never)]
fn with_one<'a>(
    source: &'a Expression,
    body: &'a Expression,
    input: &Val<'a>,
    record: &Record<'a, '_>,
) -> Result<Val<'a>, Bail> {
    let bound = record.bind(source.one(input, record)?)?;
    body.one(input, &record.with(&bound))
}

#[inline(never)]
fn alternative<'a>(
    a: &'a Expression,
    b: &'a Expression,
    input: &Val<'a>,
    record: &Record<'a, '_>,
) -> Result<Val<'a>, Bail> {
    let mut found = None;
    a.each(input, record, &mut |value| {
        found = value.is_true().then_some(value);
        Ok(found.is_none())
    })?;
    found.map_or_else(|| b.one(input, record), Ok)
}

/// The only output of a filter that may have several.
#[inline(never)]
fn sole<'a>(several: &'a Expression, input: &Val<'a>, record: &Record<'a, '_>) -> Result<Val<'a>, Bail> {
    let mut sole = None;
    let is_one = several.each(input, record, &mut |value| Ok(sole.replace(value).is_none()))?;
    sole.filter(|_| is_one).ok_or(Bail)
}

#[inline(never)]
fn object<'a>(members: &'a [(Vec<u8>, Expression)], input: &Val<'a>, record: &Record<'a, '_>) -> Result<Val<'a>, Bail> {
    let member = |(key, value): &'a (Vec<u8>, Expression)| Ok((key.as_slice(), value.one(input, record)?));
    Ok(Val::Object(members.iter().map(member).collect::<Result<_, _>>()?))
}

#[inline(never)]
fn interpolated<'a>(parts: &'a [Expression], input: &Val<'a>, record: &Record<'a, '_>) -> Result<Val<'a>, Bail> {
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
    Ok(Val::Text(text.into()))
}

/// A function of the general engine.
#[inline(never)]
fn plain<'a>(
    function: Plain,
    argument: Option<&'a Expression>,
    input: &Val<'a>,
    record: &Record<'a, '_>,
) -> Result<Val<'a>, Bail> {
    let argument = argument.map(|argument| argument.one(input, record)).transpose()?;
    called(function, input, argument.as_ref(), record)
}

/// True when the condition is `wanted` of some output of the generator.
#[inline(never)]
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
