//! What a count counts: records, where it may be meant for the elements inside them, and elements, where it may be meant
//! for records.

use lro_query::json::quote;
use serde_json::Value;

use super::conditions::said;
use super::elements::list_on;
use super::sample::{Bounds, FIRST_RECORDS, MOST_FILTER_BYTES, MOST_RECORDS, Sample};
use super::values::reached;
use super::{Search, document, trees};
use crate::extract::criteria::{Clause, Condition, Criteria, Field, Operator, Wanted};
use crate::extract::page::Page;
use crate::file::kind::Kind;

/// So much of the groups is added up.
const MOST_GROUP_BYTES: usize = 64 << 10;

/// A remark on counts, where something was found.
pub(super) fn remark<'a>(
    search: Search<'a>,
    criteria: &Criteria,
    page: &Page,
    take: impl Fn(Bounds) -> Option<Sample<'a>>,
) -> Option<String> {
    match &criteria.wanted {
        Wanted::Count => {
            if let Some(told) = of_other_lines(search, criteria, &take) {
                return Some(told);
            }
            let [clause] = &criteria.clauses[..] else { return None };
            let one = on_members(clause)?;
            let first = take(FIRST_RECORDS).filter(|first| has_several(first, one))?;
            let sample = if first.is_all() { first } else { take(MOST_RECORDS)? };
            of_elements(&sample, one, search.asked.address.as_deref())
        }
        Wanted::Groups(groups) => {
            let is_whole = page.next.is_none() && criteria.clauses.is_empty();
            let sum = sum_of_counts(page.text.get(..MOST_GROUP_BYTES).unwrap_or(&page.text));
            let records = u64::from(search.header.count);
            if is_whole && sum <= records {
                return None;
            }
            let first = take(FIRST_RECORDS)?;
            let field = groups.by.iter().find(|field| is_list(&first, field))?;
            let list = lists_on(&first, field);
            let told = format!("a record counts once for each element of {list}");
            Some(match sum > records && is_whole {
                true => format!("{told}: the counts add up to {sum}, of {records} records"),
                false => format!("{told}, so the counts add up to more than the records"),
            })
        }
        _ => None,
    }
}

/// A text that became records may have lines that are none: a heading, a total. They count, and meet what is negated.
fn of_other_lines<'a>(
    search: Search<'a>,
    criteria: &Criteria,
    take: impl Fn(Bounds) -> Option<Sample<'a>>,
) -> Option<String> {
    let others = search.header.lro.document.as_ref()?.other_lines;
    let is_negative = |clause: &Clause| match clause {
        Clause::One(one) => one.operator == Operator::Ne && !is_of_lines(&one.field),
        Clause::Not(one) => !is_of_lines(&one.field),
        Clause::Any(_) | Clause::All(_) => false,
    };
    if others == 0 || !criteria.clauses.iter().all(is_negative) {
        return None;
    }
    // Where every record has `line`, as those of `grep` do, no condition leaves them out.
    let can_be_left_out = |sample: &Sample<'_>| sample.records.iter().any(|record| record.get("line").is_none());
    let (lines, times) = if criteria.clauses.is_empty() {
        take(FIRST_RECORDS).filter(can_be_left_out)?;
        (others as usize, others.to_string())
    } else {
        let sample = take(MOST_RECORDS).filter(can_be_left_out)?;
        let lines = sample.records.iter().filter(|record| is_other_line(record)).count();
        (lines, sample.times_in(lines))
    };
    let (are, noun) = if lines == 1 { ("is", "another line") } else { ("are", "other lines") };
    (lines > 0).then(|| {
        format!(
            "{times} of these {are} {noun} of the text, with `line` and `text` alone: the condition `!line` leaves them out"
        )
    })
}

fn is_of_lines(field: &Field) -> bool {
    matches!(field.parts.first().map(String::as_str), Some("line" | "text"))
}

/// A record that is made of a line which does not fit the notation of its text.
fn is_other_line(record: &Value) -> bool {
    record.as_object().is_some_and(|record| {
        record.len() == 2
            && record.get("line").is_some_and(Value::is_number)
            && record.get("text").is_some_and(Value::is_string)
    })
}

/// A condition on a member of something, which may be one of several.
fn on_members(clause: &Clause) -> Option<&Condition> {
    match clause {
        Clause::One(one) if one.field.parts.len() > 1 && !matches!(one.operator, Operator::Exists | Operator::Ne) => {
            Some(one)
        }
        _ => None,
    }
}

/// The list on the way to a condition's field, as jq has its elements, and the same condition on one of them.
fn inner_of(sample: &Sample<'_>, condition: &Condition) -> Option<(String, Condition)> {
    let parts = &condition.field.parts;
    let (list, length) = sample.records.iter().find_map(|record| list_on(record, &parts[..parts.len() - 1]))?;
    Some((list, Condition { field: Field::of_path(&parts[length..]), ..condition.clone() }))
}

/// True if some record has several elements that meet a condition.
fn has_several(sample: &Sample<'_>, condition: &Condition) -> bool {
    inner_of(sample, condition).is_some_and(|(list, inner)| {
        sample.count_filter(&format!("select([{list} | select({})] | length > 1)", trees::filter(&inner))) > 0
    })
}

/// The condition counts records, which were asked for by an address or not, and more of their elements meet it.
fn of_elements(sample: &Sample<'_>, condition: &Condition, asked: Option<&str>) -> Option<String> {
    let (list, inner) = inner_of(sample, condition)?;
    let filter = format!("{list} | select({})", trees::filter(&inner));
    let found = sample.count_filter(&filter);
    let query = format!("[.[] | {filter}] | length");
    let path = list.replace("[]?", "[]");
    let at = document::address(sample.header, asked, path.trim_end_matches("[]"));
    let call = match at {
        Some(address) => format!("pass `records` {} and `where` `{}`", quote(&address), said(&inner)),
        None if query.len() <= MOST_FILTER_BYTES => {
            let same = if asked.is_some() { " and the same `records`" } else { "" };
            format!("run the query `{query}` with `slurp`{same}")
        }
        None => return None,
    };
    Some(format!(
        "this counts the records that have such an element in `{path}`; for the elements themselves, {call} ({})",
        sample.times_in(found)
    ))
}

/// True if a record is in several groups: several values are at a field of it.
fn is_list(sample: &Sample<'_>, field: &Field) -> bool {
    sample.records.iter().any(|record| {
        let mut count = 0;
        reached(record, &field.parts, &mut |_| count += 1);
        count > 1
    })
}

/// The list that has several values of a field, or the lists, one in the other.
fn lists_on(sample: &Sample<'_>, field: &Field) -> String {
    let lists = sample.records.iter().map(|record| lists_of(record, &field.parts));
    match lists.max_by_key(Vec::len).as_deref() {
        Some([list]) => format!("the list `{list}`"),
        _ => format!("the lists at `{}`", field.name),
    }
}

/// The lists on a path.
fn lists_of(record: &Value, path: &[String]) -> Vec<String> {
    let (mut values, mut lists) = (vec![record], Vec::new());
    for (at, key) in path.iter().enumerate() {
        values = values.into_iter().filter_map(|value| value.get(key)).collect();
        if values.iter().any(|value| value.is_array()) {
            lists.push(Field::typed(&path[..=at]));
            values = values.into_iter().filter_map(Value::as_array).flatten().collect();
        }
    }
    lists
}

fn sum_of_counts(text: &[u8]) -> u64 {
    let rows = text.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice::<Value>(line).ok());
    rows.filter_map(|row| row.get("count")?.as_u64()).sum()
}

/// A remark on `length`, which each record was asked for. The number of records is known.
pub(super) fn of_length(search: Search<'_>, page: &Page) -> Option<String> {
    let query = search.asked.query.as_deref()?.trim();
    let is_length = matches!(query, "length" | ". | length" | ".|length");
    let count = search.header.count;
    let is_of_each =
        is_length && search.asked.slurp != Some(true) && count > 1 && (page.count > 1 || page.next.is_some());
    (is_of_each && search.asked.line.is_none() && search.asked.conditions.is_none()).then(|| match search.set.kind {
        Kind::Text => {
            format!("`{query}` counts the characters of each line; the number of lines is {count}")
        }
        _ => format!("`{query}` ran on each record; the number of records is {count}, which `count` alone gives"),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::tests::remarks;

    #[test]
    fn groups_name_the_list_that_records_are_counted_by() {
        let record =
            |n: u32| json!({"labels": [{"name": "a", "of": [n, 1]}, {"name": "b"}], "tags": ["x", n]}).to_string();
        let records: Vec<String> = (0..9).map(record).collect();
        let rows = [("labels.name", "list `labels`"), ("tags", "list `tags`"), ("labels.of", "lists at `labels.of`")];
        for (field, expected) in rows {
            let said = remarks("records", &records, &json!({"group_by": field})).concat();
            let expected = format!("a record counts once for each element of the {expected}: the counts add up to ");
            assert!(said.contains(&expected), "{said}");
        }
    }

    #[test]
    fn elements_are_counted_in_records() {
        let elements = vec![json!({"id": "x", "text": "y".repeat(90)}); 1000];
        let record = json!({"results": elements}).to_string();
        let said = |records: usize| {
            let lines = vec![record.clone(); records];
            remarks("records", &lines, &json!({"where": ["results.id=x"], "count": true})).concat()
        };
        assert!(said(2).ends_with("(2000)"), "{}", said(2));
        assert!(said(30).ends_with(" (18000 in the first 18 records)"), "{}", said(30));
    }
}
