//! Whether a value meets a condition: the same question as the condition's filter asks, without the engine.

use std::cmp::Ordering;

use regex::{Regex, RegexBuilder};
use serde_json::Value;

use crate::extract::criteria::{Condition, Operator, range};

/// A condition, ready to be asked of many values.
pub(super) struct Matcher<'a> {
    condition: &'a Condition,
    pattern: Option<Regex>,
}

impl<'a> Matcher<'a> {
    /// A matcher of a condition; `None` for operators that say what must not be there.
    pub(super) fn new(condition: &'a Condition) -> Option<Self> {
        let text = condition.values.first().and_then(Value::as_str).unwrap_or_default();
        let pattern = match condition.operator {
            Operator::Ne | Operator::Exists => return None,
            Operator::Contains => Some(regex::escape(text)),
            Operator::Matches => Some(text.to_owned()),
            Operator::Eq | Operator::In => days_of(condition),
            _ => None,
        };
        let compiled = pattern.map(|pattern| RegexBuilder::new(&pattern).case_insensitive(true).build()).transpose();
        Some(Self { condition, pattern: compiled.ok()? })
    }

    /// True for a value that meets it.
    pub(super) fn meets(&self, value: &Value) -> bool {
        let text = value.as_str();
        match self.condition.operator {
            Operator::Eq | Operator::In => self.any(|wanted| equal(wanted, value)) || self.matches(text),
            operator @ (Operator::Lt | Operator::Le | Operator::Gt | Operator::Ge) => {
                self.any(|wanted| is_ordered(value, operator, wanted))
            }
            Operator::Between => self.any(|range| is_within(value, range)),
            Operator::Prefix => {
                text.is_some_and(|text| self.any(|wanted| text.starts_with(wanted.as_str().unwrap_or("\0"))))
            }
            Operator::Contains | Operator::Matches => self.matches(text),
            Operator::Ne | Operator::Exists => false,
        }
    }

    fn matches(&self, text: Option<&str>) -> bool {
        text.is_some_and(|text| self.pattern.as_ref().is_some_and(|pattern| pattern.is_match(text)))
    }

    fn any(&self, fits: impl Fn(&Value) -> bool) -> bool {
        self.condition.values.iter().any(fits)
    }
}

/// The days and times that equal one of the values.
fn days_of(condition: &Condition) -> Option<String> {
    let days: Vec<String> = condition.values.iter().filter_map(Value::as_str).filter_map(range::days_of).collect();
    (!days.is_empty()).then(|| days.join("|"))
}

/// True for a value that is less or greater. A date stands for all that begins so, and has a blank or a `T` before its
/// time as the value has it.
fn is_ordered(value: &Value, operator: Operator, wanted: &Value) -> bool {
    if let (Some(text), Some((day, with_t))) = (value.as_str(), wanted.as_str().and_then(range::with_t))
        && !text.starts_with(day)
    {
        return is_ordered(value, operator, &with_t.into());
    }
    let begins_so = match (value.as_str(), wanted.as_str().and_then(range::front)) {
        (Some(text), Some(front)) => text.starts_with(&*front),
        _ => false,
    };
    // What begins so is greater letter by letter, and the same date.
    let order = compared(value, wanted).map(|order| if begins_so { Ordering::Equal } else { order });
    order.is_some_and(|order| operator.holds(order))
}

/// Numbers compare with numbers, and texts with texts.
fn compared(value: &Value, wanted: &Value) -> Option<Ordering> {
    match (value.as_f64(), wanted.as_f64(), value.as_str(), wanted.as_str()) {
        (Some(value), Some(wanted), ..) => value.partial_cmp(&wanted),
        (_, _, Some(value), Some(wanted)) => Some(value.cmp(wanted)),
        _ => None,
    }
}

fn is_within(value: &Value, range: &Value) -> bool {
    let (from, until) = (&range[0], &range[1]);
    (from.is_null() || is_ordered(value, Operator::Ge, from))
        && (until.is_null() || is_ordered(value, Operator::Le, until))
}

fn equal(a: &Value, b: &Value) -> bool {
    match (a.as_f64(), b.as_f64()) {
        (Some(a), Some(b)) => a.total_cmp(&b).is_eq(),
        _ => a == b,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use serde_json::value::RawValue;

    use super::*;
    use crate::extract::criteria::Criteria;
    use crate::extract::run::extract_from;
    use crate::file::kind::Kind;
    use crate::settings::Settings;
    use crate::settings::request::Extract;

    /// What the filter of a condition on `a` says of a value.
    fn is_found(request: &Extract, value: &impl serde::Serialize) -> bool {
        let header = r#"{"type":"lro_header","operation":"x","query":null,"count":1,"schema_version":"1.0.0","timestamp":"","estimated_tokens":9,"detail":"full","lro":{"kind":"records"}}"#;
        let file = format!("{header}\n{{\"a\":{}}}\n", serde_json::to_string(value).unwrap());
        let open = |offset: u64| Ok(&file.as_bytes()[offset as usize..]);
        extract_from("file", open, request, &Settings::default(), "").unwrap().count == 1
    }

    /// `1` for each value that a condition on `a` finds, `0` for the others.
    fn found(condition: &str, values: &[impl serde::Serialize]) -> String {
        let request = Extract::parse(&json!({"where": [condition]}).to_string()).unwrap();
        values.iter().map(|value| if is_found(&request, value) { '1' } else { '0' }).collect()
    }

    /// A number with all its digits.
    fn number(text: &str) -> Box<RawValue> {
        RawValue::from_string(text.to_owned()).unwrap()
    }

    #[test]
    fn a_date_stands_for_all_that_begins_so() {
        let values = [
            "2026-11-24T10:00:00Z",
            "2026-11-25",
            "2026-11-25T10:00:00Z",
            "2026-11-25 10:00:00",
            "2026-11-25T13:00:00Z",
            "2026-11-25 13:00:00",
            "2026-11-26",
        ];
        let rows = [
            ("a<=2026-11-25", "1111110"),
            ("a>2026-11-25", "0000001"),
            ("a<2026-11-25", "1000000"),
            ("a>=2026-11-25", "0111111"),
            ("a=2026-11-25..2026-11-25", "0111110"),
            ("!a>2026-11-25", "1111110"),
            ("a>2026-11", "0000000"),
            ("a<=2026-11", "1111111"),
            ("a>=2026-11-25 12:00", "0000111"),
            ("a<2026-11-25 12:00", "1111000"),
            ("a<=2026-11-25 13:00", "1111110"),
            ("a>2026-11-25 13:00", "0000001"),
            ("a=2026-11-25 09:00..2026-11-25 10:00", "0011000"),
            // A year is one as a number is written, and half a part of a date is none.
            ("a=2026-11-25", "0111110"),
            ("a!=2026-11-25", "1000001"),
            ("a in 2026-11-25,2026-11-26", "0111111"),
            ("!a in 2026-11-25,2026-11-26", "1000000"),
            ("a=2026-11", "1111111"),
            ("a=2026", "1111111"),
            ("a=2025", "0000000"),
            ("a=2026-11-25T10:00", "0000000"),
            ("a<=2026", "1111111"),
            ("a>2026", "0000000"),
            ("a>2025", "1111111"),
            ("a<2026", "0000000"),
            ("a=2025..2026", "1111111"),
            ("a=2026..2026-11-25", "1111110"),
            ("a<=2026-11-2", "0000000"),
            ("a>2026-11-2", "1111111"),
        ];
        for (condition, expected) in rows {
            assert_eq!(found(condition, &values), expected, "{condition}");
        }
    }

    #[test]
    fn numbers_are_compared_by_all_their_digits() {
        let values = ["36893488147419103232", "36893488147419103233", "0.12345678901234567891"];
        let values = values.map(number);
        let rows = [
            ("a=36893488147419103232", "100"),
            ("a=36893488147419103233", "010"),
            ("a!=36893488147419103233", "101"),
            ("a in 36893488147419103233, x, 36893488147419103232", "110"),
            ("a>36893488147419103232", "010"),
            ("a=36893488147419103232..36893488147419103232", "100"),
            ("a=36893488147419103233..", "010"),
            ("a between 1 and 36893488147419103232", "100"),
            ("a=0.12345678901234567891", "001"),
            ("a=0.12345678901234567890", "000"),
        ];
        for (condition, expected) in rows {
            assert_eq!(found(condition, &values), expected, "{condition}");
        }
    }

    #[test]
    fn a_short_number_is_not_equal_to_one_with_more_digits() {
        let values = ["3", "3.0", "3.00000000000000000001", "0.1", "1e2"];
        let values = values.map(number);
        let rows = [
            ("a=3.00000000000000000001", "00100"),
            ("a!=3.00000000000000000001", "11011"),
            ("a in 3.00000000000000000001, 0.1", "00110"),
            ("a=0.100000000000000000001", "00000"),
            ("a=0.100000000000000000000", "00010"),
            ("a=100.0000000000000000000000", "00001"),
        ];
        for (condition, expected) in rows {
            assert_eq!(found(condition, &values), expected, "{condition}");
        }
    }

    #[test]
    fn a_value_meets_a_condition_if_its_filter_says_so() {
        let conditions = [
            "a=5",
            "a=x",
            "a<5",
            "a<=5",
            "a>5",
            "a>=5",
            "a<m",
            "a<=m",
            "a>m",
            "a>=m",
            "a=3..5",
            "a=5..",
            "a=..5",
            "a=2026-01..2026-03",
            "a=2026-02..",
            "a<=2026-03-31",
            "a>2026-03-31",
            "a<2026-03-31",
            "a>=2026-03-31",
            "a>2026-02",
            "a<=2026-02",
            "a<2026-03-31 10:00",
            "a<=2026-03-31 10:00",
            "a>2026-03-31 10:00",
            "a>=2026-03-31 10:01",
            "a=2026-03-31 09:00..2026-03-31 10:00",
            "a<=2026",
            "a>2025",
            "a<=2026-0",
            "a=2026",
            "a=2026-03",
            "a=2026-03-31",
            "a in 2026-03-31, 2025",
            "a=2025..2026",
            "a=..2025",
            "a in 5, x",
            "a^=m",
            "a~=M",
            "a=~^.$",
            "a=true",
        ];
        let values = [
            json!(4),
            json!(5),
            json!(5.0),
            json!(6),
            json!(2.5),
            json!(2026),
            json!("2026"),
            json!("2025"),
            json!("2026-0010"),
            json!("5"),
            json!("l"),
            json!("m"),
            json!("mm"),
            json!("x"),
            json!("2025-12-31"),
            json!("2026-01-01"),
            json!("2026-02"),
            json!("2026-03-31T10:00:00Z"),
            json!("2026-03-31 09:00:00"),
            json!("2026-03-31 10:00:30"),
            json!("2026-03-31T09:00:00Z"),
            json!("2026-03-31T10:01:00Z"),
            json!("2026-04-01"),
            json!(true),
            json!(null),
            json!({"b": 5}),
            json!(""),
        ];
        for condition in conditions {
            let request = Extract::parse(&json!({"where": [condition]}).to_string()).unwrap();
            let criteria = Criteria::of(&request, Kind::Records).unwrap().unwrap();
            let condition = criteria.single_conditions().next().unwrap();
            let matcher = Matcher::new(condition).unwrap();
            for value in &values {
                assert_eq!(matcher.meets(value), is_found(&request, value), "{condition:?} of {value}");
            }
        }
    }
}
