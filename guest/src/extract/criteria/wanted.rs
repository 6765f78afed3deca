//! What is wanted of the records that meet the conditions.

use serde_json::Value;

use super::aggregate::{self, Aggregate};
use super::{Field, Order, fields, order, quotes, refused, tell_apart};
use crate::error::Error;
use crate::settings::request;

/// A record counts in a group for each combination of the elements of its arrays.
const MOST_GROUP_FIELDS: usize = 5;

/// What is wanted of the records that meet the conditions.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Wanted {
    /// The records themselves.
    Records,
    /// These fields of them.
    Fields(Vec<Field>),
    /// How many there are.
    Count,
    /// These values of all of them.
    Totals(Vec<Aggregate>),
    /// How many there are for each value of one field or several, and values of them.
    Groups(Groups),
    /// The first few of each group, or fields of these.
    Firsts {
        /// What they are grouped by.
        by: Vec<Field>,
        /// So many of each group.
        most: u32,
        /// Only these fields.
        select: Option<Vec<Field>>,
    },
}

/// Groups of records.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Groups {
    /// The fields whose values make a group.
    pub(crate) by: Vec<Field>,
    /// What is computed for each, besides its count.
    pub(crate) totals: Vec<Aggregate>,
    /// How they are sorted, by the part that counts most first; without it, the largest group first.
    pub(super) order: Vec<GroupOrder>,
}

/// What groups are sorted by.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct GroupOrder {
    pub(super) key: GroupKey,
    pub(super) descending: bool,
}

/// A part of a group.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum GroupKey {
    /// How many records it has.
    Count,
    /// One of the fields.
    Field(usize),
    /// One of the aggregates.
    Total(usize),
}

impl Wanted {
    /// What a request wants, and the order of the records.
    pub(super) fn of(request: &request::Extract, counts: bool) -> Result<(Self, Vec<Order>), Error> {
        let request::Extract { select, group_by, aggregate, per_group, sort_by, .. } = request;
        let orders = || sort_by.as_deref().map_or_else(|| Ok(Vec::new()), Order::read_all);
        let select = select.as_deref().map(fields).transpose()?;
        let by = group_by.as_ref().map(group_fields).transpose()?;
        let totals = aggregate.as_deref().map(aggregate::read_all).transpose()?;
        if let Some(most) = *per_group {
            let Some(by) = by else {
                return Err(refused(
                    "`per_group` is given without `group_by`",
                    r#"add the field, {"group_by": "state", "per_group": 3}"#,
                ));
            };
            if totals.is_some() || counts {
                let given = if counts { "count" } else { "aggregate" };
                return Err(refused(
                    &format!("both `per_group` and `{given}` are given"),
                    "`per_group` returns records, without it groups are counted",
                ));
            }
            return Ok((Self::Firsts { by, most, select }, orders()?));
        }
        // Groups have the fields that they are grouped by, and their count.
        let select = select.filter(|select| !by.as_deref().is_some_and(|by| is_of_groups(select, by)));
        match (select, by, totals) {
            (Some(_), Some(_), _) => Err(refused(
                "both `select` and `group_by` are given",
                "groups have the field and its count; for the first records of each group, add `per_group`",
            )),
            (Some(_), None, Some(_)) => {
                Err(refused("both `select` and `aggregate` are given", "an aggregate names its field: sum(FIELD)"))
            }
            (Some(_), None, None) if counts => {
                Err(refused("both `select` and `count` are given", "a count has no fields"))
            }
            (None, Some(by), totals) => {
                let mut groups = Groups { by, totals: totals.unwrap_or_default(), order: Vec::new() };
                groups.totals.retain(|total| total.name != "count");
                if let Some(text) = sort_by {
                    for (name, descending) in order::keys(text)? {
                        let order = groups.order(name, descending)?;
                        groups.order.push(order);
                    }
                }
                Ok((Self::Groups(groups), Vec::new()))
            }
            (None, None, Some(_)) if sort_by.is_some() => Err(refused(
                "both `aggregate` and `sort_by` are given",
                "the result is one object; to sort groups, add `group_by`",
            )),
            (None, None, Some(mut totals)) => {
                let has_count = totals.iter().any(|total| total.name == "count");
                if counts && !has_count {
                    totals.insert(0, Aggregate::count());
                }
                Ok((Self::Totals(totals), Vec::new()))
            }
            // A count is the same in every order.
            (None, None, None) if counts => Ok((Self::Count, Vec::new())),
            (select, None, None) => Ok((select.map_or(Self::Records, Self::Fields), orders()?)),
        }
    }

    /// The fields that are named, in their order.
    pub(crate) fn fields(&self) -> Vec<&Field> {
        match self {
            Self::Records | Self::Count => Vec::new(),
            Self::Fields(fields) => fields.iter().collect(),
            Self::Totals(totals) => of_totals(totals).collect(),
            Self::Groups(groups) => groups.by.iter().chain(of_totals(&groups.totals)).collect(),
            Self::Firsts { by, select, .. } => by.iter().chain(select.iter().flatten()).collect(),
        }
    }

    /// What is computed.
    pub(crate) fn totals(&self) -> &[Aggregate] {
        match self {
            Self::Totals(totals) => totals,
            Self::Groups(groups) => &groups.totals,
            _ => &[],
        }
    }
}

fn of_totals(totals: &[Aggregate]) -> impl Iterator<Item = &Field> {
    totals.iter().filter_map(|total| total.field.as_ref())
}

impl Groups {
    /// Reads the order of groups. An aggregate that is not asked for is computed as well.
    fn order(&mut self, name: &str, descending: bool) -> Result<GroupOrder, Error> {
        let of = |key| Ok(GroupOrder { key, descending });
        let field = Field::of(name).ok();
        if let Some(place) = self.by.iter().position(|one| field.as_ref().is_some_and(|field| field.parts == one.parts))
        {
            return of(GroupKey::Field(place));
        }
        match Aggregate::read(name) {
            Ok(total) if total.name == "count" => of(GroupKey::Count),
            Ok(total) => {
                let place = self.totals.iter().position(|known| known.is_like(&total));
                let place = place.unwrap_or_else(|| {
                    self.totals.push(total);
                    self.totals.len() - 1
                });
                of(GroupKey::Total(place))
            }
            Err(_) => {
                let names: Vec<String> = self.by.iter().map(|field| format!("`{}`", field.name)).collect();
                let names = names.join(" or ");
                Err(refused(
                    &format!("groups cannot be sorted by `{name}`"),
                    &format!(
                        "sort groups by `count`, {names} or an aggregate such as `sum(size)`, with a hyphen before it for descending order"
                    ),
                ))
            }
        }
    }
}

/// True for all fields that are grouped by and no others, except the count.
fn is_of_groups(select: &[Field], by: &[Field]) -> bool {
    let has = |fields: &[Field], field: &Field| fields.iter().any(|one| one.parts == field.parts);
    by.iter().all(|field| has(select, field)) && select.iter().all(|field| field.name == "count" || has(by, field))
}

/// The fields to group by: one, or several as a text with commas or as a list with a list in it.
fn group_fields(value: &Value) -> Result<Vec<Field>, Error> {
    let mut list: Vec<Field> = match value {
        Value::String(text) => quotes::names(text).into_iter().map(Field::of).collect::<Result<_, _>>()?,
        Value::Array(parts) if parts.iter().any(Value::is_array) => {
            parts.iter().map(Field::read).collect::<Result<_, _>>()?
        }
        one => vec![Field::read(one)?],
    };
    if list.len() > MOST_GROUP_FIELDS {
        return Err(refused("`group_by` names too many fields", &format!("name 1 to {MOST_GROUP_FIELDS}")));
    }
    if let Some(at) = (1..list.len()).find(|at| list[..*at].iter().any(|before| before.parts == list[*at].parts)) {
        let name = &list[at].name;
        return Err(refused(&format!("`group_by` names `{name}` twice"), "name each field once: \"state,user.name\""));
    }
    tell_apart(&mut list);
    Ok(list)
}
