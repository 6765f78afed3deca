//! Sums and averages of texts that mean numbers: `"$1,017"`, `"12 kB"`.

use serde_json::Value;

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
    let texts: Vec<Value> = values.all_texts().into_iter().map(Value::from).collect();
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
