//! Groups and aggregates as filters.

use super::Field;
use super::aggregate::{Aggregate, Function};
use super::filter::{Bound, OPEN};
use super::wanted::{GroupKey, GroupOrder, Groups};

impl Bound {
    /// One object with values of all records. A plan makes an array of each field's values in one pass.
    pub(super) fn totals(&mut self, kept: &str, totals: &[Aggregate]) -> String {
        let values: Vec<String> =
            totals.iter().map(|total| self.values(total).map_or("length".to_owned(), mapped)).collect();
        let members: Vec<String> = totals
            .iter()
            .enumerate()
            .map(|(place, total)| {
                format!("({}): (.[{place}]{})", self.bind(&total.name.as_str().into()), of_values(total))
            })
            .collect();
        format!("map({kept}) | [{}] | {{{}}}", values.join(", "), members.join(", "))
    }

    /// What a record adds to a value; none where records are counted.
    fn values(&mut self, total: &Aggregate) -> Option<String> {
        let values = format!("{} | {OPEN}", self.reached(total.field.as_ref()?));
        Some(match total.function {
            Function::Sum | Function::Avg => format!("{values} | select(type == \"number\")"),
            Function::Count | Function::Min | Function::Max | Function::CountDistinct => {
                format!("{values} | select(. != null)")
            }
        })
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

    /// Groups of several fields, or with values of their records. A record is in one for each combination of the elements of
    /// its arrays.
    fn of_several(&mut self, kept: &str, by: &[Field], groups: &Groups) -> String {
        let (mut record, mut group, mut result) = (Vec::new(), Vec::new(), Vec::new());
        for (place, field) in by.iter().enumerate() {
            record.push(format!("k{place}: ({} | {OPEN})", self.reached(field)));
            group.push(format!("k{place}: .[0].k{place}"));
            result.push(format!("({}): .k{place}", self.bind(&group_name(field, by).into())));
        }
        group.push("count: length".to_owned());
        result.push("count: .count".to_owned());
        let mut totals = Vec::new();
        for (place, total) in groups.totals.iter().enumerate() {
            let value = match self.values(total) {
                None => ".count".to_owned(),
                Some(values) => {
                    record.push(format!("v{place}: [{values}]"));
                    group.push(format!("v{place}: map(.v{place}[])"));
                    format!("(.v{place}{})", of_values(total))
                }
            };
            result.push(format!("({}): {value}", self.bind(&total.name.as_str().into())));
            totals.push(value);
        }
        let key = (0..by.len()).map(|place| format!(".k{place}")).collect::<Vec<_>>().join(", ");
        format!(
            "map({kept} | {{{}}}) | group_by([{key}]) | map({{{}}}) | {} | map({{{}}})",
            record.join(", "),
            group.join(", "),
            sorted(&groups.order, &totals),
            result.join(", ")
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

fn mapped(values: String) -> String {
    format!("map({values})")
}

/// What becomes of an array of values.
fn of_values(total: &Aggregate) -> &'static str {
    match (total.function, &total.field) {
        (Function::Count, None) => "",
        (Function::Count, Some(_)) => " | length",
        (Function::Sum, _) => " | add",
        (Function::Avg, _) => " | if length == 0 then null else add / length end",
        (Function::Min, _) => " | min",
        (Function::Max, _) => " | max",
        (Function::CountDistinct, _) => " | unique | length",
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
fn sorted(orders: &[GroupOrder], totals: &[String]) -> String {
    if orders.is_empty() {
        return "sort_by(-.count)".to_owned();
    }
    orders.iter().rev().map(|order| sorted_by(*order, totals)).collect::<Vec<_>>().join(" | ")
}

fn sorted_by(GroupOrder { key, descending }: GroupOrder, totals: &[String]) -> String {
    let value = match key {
        GroupKey::Count if descending => return "sort_by(-.count)".to_owned(),
        GroupKey::Count => return "sort_by(.count)".to_owned(),
        GroupKey::Field(place) => format!(".k{place}"),
        GroupKey::Total(place) => totals[place].clone(),
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
