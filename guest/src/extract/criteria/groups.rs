//! Groups and aggregates as filters.

use super::Field;
use super::aggregate::{Aggregate, Function};
use super::filter::{Bound, OPEN};
use super::wanted::{GroupKey, GroupOrder, Groups};

impl Bound {
    /// One object with values of all records.
    pub(super) fn totals(&mut self, kept: &str, totals: &[Aggregate]) -> String {
        let members: Vec<String> = totals
            .iter()
            .map(|total| {
                let name = self.bind(&total.name.as_str().into());
                format!("({name}): ({})", self.total(total, ".[]"))
            })
            .collect();
        format!("map({kept}) | {{{}}}", members.join(", "))
    }

    /// A value of the `records`, which is a filter that gives each of them.
    fn total(&mut self, total: &Aggregate, records: &str) -> String {
        let Some(field) = &total.field else { return "length".to_owned() };
        let values = format!("{records} | {} | {OPEN}", self.reached(field));
        let (numbers, present) =
            (format!("[{values} | select(type == \"number\")]"), format!("[{values} | select(. != null)]"));
        match total.function {
            Function::Count => format!("{present} | length"),
            Function::Sum => format!("{numbers} | add"),
            Function::Avg => format!("{numbers} | if length == 0 then null else add / length end"),
            Function::Min => format!("{present} | min"),
            Function::Max => format!("{present} | max"),
            Function::CountDistinct => format!("{present} | unique | length"),
        }
    }

    /// The largest group first, and of equal ones the smaller value, unless an order is given.
    pub(super) fn groups(&mut self, kept: &str, groups: &Groups) -> String {
        match &groups.by[..] {
            [field] if groups.totals.is_empty() && groups.order.len() < 2 => {
                self.counts(kept, field, groups.order.first().copied())
            }
            by => self.of_several(kept, by, groups),
        }
    }

    /// Counts of the values of one field: a filter that plans know. Records without the field come last (EXTRACT-23).
    fn counts(&mut self, kept: &str, field: &Field, order: Option<GroupOrder>) -> String {
        let reached = self.reached(field);
        let name = self.bind(&group_name(field, std::slice::from_ref(field)).into());
        let order = match order {
            None => "sort_by(-.count)",
            Some(GroupOrder { key, descending }) => match (key == GroupKey::Count, descending) {
                (true, true) => "sort_by(-.count)",
                (true, false) => "sort_by(.count)",
                (false, true) => "sort_by(.value) | reverse",
                (false, false) => "sort_by([.value == null, .value])",
            },
        };
        format!(
            "map({kept} | {reached} | {OPEN}) | group_by(.) | map({{value: .[0], count: length}}) | {order} | map({{({name}): .value, count: .count}})"
        )
    }

    /// Groups of several fields, or with values of their records.
    fn of_several(&mut self, kept: &str, by: &[Field], groups: &Groups) -> String {
        let keyed = self.keyed(&format!("map({kept})"), by);
        let totals: Vec<String> =
            groups.totals.iter().map(|total| format!("({})", self.total(total, ".[] | .record"))).collect();
        let order = sorted(&groups.order);
        let mut members: Vec<String> = Vec::new();
        for (place, field) in by.iter().enumerate() {
            members.push(format!("({}): .key[{place}]", self.bind(&group_name(field, by).into())));
        }
        members.push("count: .count".to_owned());
        for (place, total) in groups.totals.iter().enumerate() {
            members.push(format!("({}): .totals[{place}]", self.bind(&total.name.as_str().into())));
        }
        format!(
            "{keyed} | map({{key: .[0].key, count: length, totals: [{}]}}) | {order} | map({{{}}})",
            totals.join(", "),
            members.join(", ")
        )
    }

    /// The first few records of each group, which come by the values that they are grouped by.
    pub(super) fn firsts(&mut self, sorted: &str, by: &[Field], most: u32) -> String {
        let keyed = self.keyed(sorted, by);
        let most = self.bind(&most.into());
        format!("{keyed} | map(.[:{most}] | .[] | .record)")
    }

    /// Groups of records with their keys. A record is in one for each combination of the elements of its arrays.
    fn keyed(&mut self, records: &str, by: &[Field]) -> String {
        let mut names = Vec::new();
        let mut keys = String::new();
        for (place, field) in by.iter().enumerate() {
            keys.push_str(&format!("({} | {OPEN}) as $key{place} | ", self.reached(field)));
            names.push(format!("$key{place}"));
        }
        let names = names.join(", ");
        format!("{records} | map(. as $record | {keys}{{key: [{names}], record: $record}}) | group_by(.key)")
    }
}

/// The key of a field in a group, which has a count besides.
fn group_name<'a>(field: &'a Field, all: &[Field]) -> &'a str {
    match field.name.as_str() {
        "count" if all.iter().any(|other| other.name == "value") => ".count",
        "count" => "value",
        name => name,
    }
}

/// Sorts groups: of equal ones the smaller key first, and those without the value last, whichever way round. Each sort
/// leaves those that are equal in their order, so what counts most comes last.
fn sorted(orders: &[GroupOrder]) -> String {
    if orders.is_empty() {
        return "sort_by(-.count)".to_owned();
    }
    orders.iter().rev().map(sorted_by).collect::<Vec<_>>().join(" | ")
}

fn sorted_by(order: &GroupOrder) -> String {
    let GroupOrder { key, descending } = *order;
    let value = match key {
        GroupKey::Count if descending => return "sort_by(-.count)".to_owned(),
        GroupKey::Count => return "sort_by(.count)".to_owned(),
        GroupKey::Field(place) => format!(".key[{place}]"),
        GroupKey::Total(place) => format!(".totals[{place}]"),
    };
    match descending {
        true => format!("reverse | sort_by([{value} != null, {value}]) | reverse"),
        false => format!("sort_by([{value} == null, {value}])"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_has_another_key_than_the_count() {
        let rows = [
            (vec!["state"], vec!["state"]),
            (vec!["count"], vec!["value"]),
            (vec!["count", "state"], vec!["value", "state"]),
            (vec!["count", "value"], vec![".count", "value"]),
        ];
        for (names, expected) in rows {
            let by: Vec<Field> = names.iter().map(|name| Field::of_path(&[(*name).to_owned()])).collect();
            let keys: Vec<&str> = by.iter().map(|field| group_name(field, &by)).collect();
            assert_eq!(keys, expected);
        }
    }
}
