//! Elements of an array in the order of their keys.

use super::Bail;
use super::arithmetic::room;
use super::expression::Expression;
use super::functions::list;
use super::record::Record;
use super::repeat::gathered;
use super::value::{Key, Val};
use crate::functions::Whole;

/// An element with its key.
type Keyed<'a> = (Key<'a>, Val<'a>);

/// `sort_by`, `group_by` and the like, on an array that is in a record.
#[inline(never)]
pub(super) fn by_key<'a>(
    function: Whole,
    key: &'a Expression,
    input: &Val<'a>,
    record: &Record<'a, '_>,
) -> Result<Val<'a>, Bail> {
    let keyed = list(input)?.into_iter().map(|value| Ok((key_of(key, &value, record)?, value)));
    let mut keyed = keyed.collect::<Result<Vec<Keyed<'a>>, Bail>>()?;
    room(keyed.len() * size_of::<Keyed<'_>>())?;
    // Of equal ones, jq takes the first as the smallest and the last as the largest.
    match function {
        Whole::Smallest => return Ok(best(keyed, |best, new| new < best)),
        Whole::Largest => return Ok(best(keyed, |best, new| new >= best)),
        Whole::Sort | Whole::Unique | Whole::Group => keyed.sort_by(|a, b| a.0.cmp(&b.0)),
        Whole::Length => return Err(Bail),
    }
    let values = |keyed: Vec<Keyed<'a>>| Val::List(keyed.into_iter().map(|(_, value)| value).collect());
    Ok(match function {
        Whole::Unique => {
            keyed.dedup_by(|later, first| later.0 == first.0);
            values(keyed)
        }
        Whole::Group => Val::List(keyed.chunk_by(|a, b| a.0 == b.0).map(|group| values(group.to_vec())).collect()),
        _ => values(keyed),
    })
}

/// A key of several outputs, or none, is their array.
fn key_of<'a>(key: &'a Expression, value: &Val<'a>, record: &Record<'a, '_>) -> Result<Key<'a>, Bail> {
    match key.is_single() {
        true => Key::of(&key.one(value, record)?),
        false => Key::of(&Val::List(gathered(key, value, record)?)),
    }
}

fn best<'a>(keyed: Vec<Keyed<'a>>, replaces: impl Fn(&Key<'a>, &Key<'a>) -> bool) -> Val<'a> {
    let best = keyed.into_iter().reduce(|best, new| if replaces(&best.0, &new.0) { new } else { best });
    best.map_or(Val::Null, |(_, value)| value)
}
