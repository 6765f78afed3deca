//! Sums and averages of texts that mean numbers: `"$1,017"`, `"12 kB"`.

use serde_json::Value;

use super::measures;
use super::notation::Notation;
use crate::extract::advice::nothing::route::Route;
use crate::extract::advice::nothing::sample::Sample;
use crate::extract::advice::nothing::values::FieldValues;
use crate::extract::criteria::{Criteria, Field, Wanted};

/// What adds up, and what is said of the result.
const SUMMED: [(&str, &str); 5] =
    [("numbers", ""), ("texts", ""), ("percentages", ""), ("sizes", ", in bytes"), ("durations", ", in seconds")];

/// What to do to add up what the texts of a field mean, for the rest of a remark on an aggregate of this name.
pub(crate) fn instead(
    sample: &Sample<'_>,
    criteria: &Criteria,
    field: &Field,
    name: &str,
    values: &FieldValues,
) -> Option<String> {
    let notation = Notation::of(sample, &field.name, values, None).filter(|one| !one.has_parts)?;
    let (_, unit) = SUMMED.iter().find(|(noun, _)| *noun == notation.noun)?;
    let route = Route::to(sample, field)?;
    let term = notation.offered(&route)?;
    let texts = values.all_texts();
    if texts.iter().any(|text| is_ambiguous(text))
        || notation.noun == "sizes" && !texts.iter().any(|text| has_bytes(text))
    {
        return None;
    }
    let texts: Vec<Value> = texts.into_iter().map(Value::from).collect();
    let has_numbers = notation.values(sample, &texts).iter().flatten().any(Value::is_number);
    let ending = match name.split('(').next()? {
        "sum" => "add",
        "avg" => "add / length",
        _ => return None,
    };
    let same = if criteria.clauses.is_empty() { "" } else { " and the same `where`" };
    let query = match &criteria.wanted {
        Wanted::Totals(_) => format!("[.[] | {term}] | {ending}"),
        Wanted::Groups(groups) => {
            let [by] = &groups.by[..] else { return None };
            let by = Route::to(sample, by).filter(|by| !by.has_lists)?;
            // A group may have no number.
            format!(
                "group_by({by}) | map({{key: (.[0] | {by}), value: (map({term}) | if . == [] then null else {ending} \
                 end)}}) | .[]",
                by = by.jq
            )
        }
        _ => return None,
    };
    has_numbers.then(|| format!("; run the query `{query}` with `slurp`{same}{unit}"))
}

/// True for what may be read only in part: `3 (5m ago)`, and digits in groups, of which most notations read the first.
fn is_ambiguous(text: &str) -> bool {
    text.contains('(') && !text.starts_with('(') || measures::has_groups(text)
}

/// True for a size that says so: `1.2k` may be a count of 1,200.
fn has_bytes(text: &str) -> bool {
    text.contains(['b', 'B'])
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::super::tests::remarks;

    #[test]
    fn a_sum_is_proposed_where_texts_mean_one_thing() {
        let rows = [
            (["$1,017.00", "$3.50", "$20.00"], true),
            (["$1,017.00", "($3.50)", "$20.00"], true),
            (["3", "14 (5m ago)", "2"], false),
            (["12 kB", "3 kB", "950 B"], true),
            (["1.2k", "3k", "950"], false),
            (["1 017 $", "20 $", "3 000 $"], false),
        ];
        for (texts, expected) in rows {
            let lines: Vec<String> = texts.iter().map(|text| json!({"a": text}).to_string()).collect();
            let said = remarks("records", &lines, &json!({"aggregate": ["sum(a)"]})).concat();
            assert!(said.contains("leaves out what is not a number"), "{said}");
            assert_eq!(said.contains("run the query"), expected, "{said}");
        }
    }
}
