//! A range of what texts mean: 1 to 3 where the texts are "2" and "10", 2008 to 2009 where they are "Jun 12 1998".

use lro_query::json::{cut, quote};
use serde_json::Value;

use super::notation::Notation;
use crate::extract::advice::nothing::conditions::{SAID_CHARACTERS, said};
use crate::extract::advice::nothing::dates;
use crate::extract::advice::nothing::route::Route;
use crate::extract::advice::nothing::sample::Sample;
use crate::extract::advice::nothing::values::{FieldValues, shown};
use crate::extract::criteria::Condition;

/// A remark on a range that no text is in as a text, and some are as what they mean.
pub(super) fn remark(sample: &Sample<'_>, condition: &Condition) -> Option<String> {
    let text = |end: &Value| end.as_str().map_or_else(|| end.to_string(), str::to_owned);
    let [first, last] = condition.values.iter().find_map(Value::as_array)?.as_slice() else { return None };
    let (first, last) = (text(first), text(last));
    let field = &condition.field;
    let values = FieldValues::of(sample, &field.parts);
    let notation = Notation::of(sample, &field.name, &values, Some(&first)).filter(|_| values.texts > 0)?;
    let route = Route::to(sample, field)?;
    let term = notation.offered(&route)?;
    let value = |end: &str| notation.value(sample, end).or_else(|| serde_json::from_str(end).ok());
    let within = match dates::year(&last) {
        // A day, a month and a year are whole.
        Some(_) if notation.is_of_dates() => {
            format!(". >= {} and .[:{}] <= {}", quote(&first), last.len(), quote(&last))
        }
        _ => format!(". >= {} and . <= {}", value(&first)?, value(&last)?),
    };
    let query = match route.has_lists {
        true => format!("select(any({term}; {within}))"),
        false => format!("select({term} | {within})"),
    };
    let found = sample.count_filter(&query);
    (found > 0).then(|| {
        format!(
            "`{}` compares letter by letter: `{}` has {} like {}; run the query `{query}` ({}){}",
            cut(&said(condition), SAID_CHARACTERS),
            shown(&field.name),
            notation.noun,
            shown(&quote(&notation.example)),
            sample.times(found),
            notation.left_out()
        )
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::extract::advice::nothing::tests::remarks;

    #[test]
    fn a_range_is_one_of_what_texts_mean() {
        let record = |n: u32| {
            json!({"n": n.to_string(), "day": format!("Jun {} {}", n + 1, 2000 + n), "l": [{"t": format!("{n}%")}]})
                .to_string()
        };
        let records: Vec<String> = (0..12).map(record).collect();
        let rows = [
            ("n between 9 and 10", "(2)"),
            ("day between 2003 and 2004", "(2)"),
            ("day between 2003-06-05 and 2004", "(1)"),
            ("l.t between 9% and 10%", "(2)"),
            ("n between 50 and 60", ""),
        ];
        for (condition, found) in rows {
            let said = remarks("records", &records, &json!({"where": [condition]})).concat();
            assert_eq!(said.contains("; run the query `select("), !found.is_empty(), "{condition}: {said}");
            assert!(said.contains(found), "{condition}: {said}");
        }
    }
}
