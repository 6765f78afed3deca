//! Conditions on numbers that are written as people say them, `>300M`, or look for a part of a text, `~=33`.

use lro_query::json::quote;
use serde_json::{Number, Value};

use super::conditions::written;
use super::matcher::Matcher;
use super::route::Route;
use super::sample::Sample;
use super::values::{FieldValues, reached};
use crate::extract::criteria::{Condition, Operator};

/// The units of amounts, and how much they are.
const UNITS: [(&str, f64); 24] = [
    ("", 1.0),
    ("%", 1.0),
    ("$", 1.0),
    ("€", 1.0),
    ("£", 1.0),
    ("usd", 1.0),
    ("eur", 1.0),
    ("bytes", 1.0),
    ("k", 1e3),
    ("kb", 1e3),
    ("thousand", 1e3),
    ("m", 1e6),
    ("mb", 1e6),
    ("million", 1e6),
    ("g", 1e9),
    ("gb", 1e9),
    ("bn", 1e9),
    ("billion", 1e9),
    ("t", 1e12),
    ("tb", 1e12),
    ("trillion", 1e12),
    ("kib", 1024.0),
    ("mib", 1_048_576.0),
    ("gib", 1_073_741_824.0),
];

/// A remark on a condition on numbers that no record meets.
pub(super) fn remark(sample: &Sample<'_>, condition: &Condition, said: &str, values: &FieldValues) -> Option<String> {
    if let Some(told) = of_digits(sample, condition, said) {
        return Some(told);
    }
    let text = condition.values.last().and_then(Value::as_str)?;
    if sample.is_text() || values.numbers == 0 || values.texts > 0 {
        return None;
    }
    match condition.operator {
        Operator::Prefix => of_text(sample, condition, said, values, &format!("startswith({})", quote(text))),
        Operator::Contains => of_text(sample, condition, said, values, &format!("contains({})", quote(text))),
        Operator::Matches => of_text(sample, condition, said, values, &format!("test({})", quote(text))),
        operator if operator.is_order() => of_amount(sample, condition, said, values, text),
        _ => None,
    }
}

/// A number in an object, whose last digits were lost when the request was read: some record has the same float.
fn of_digits(sample: &Sample<'_>, condition: &Condition, said: &str) -> Option<String> {
    let [Value::Number(number)] = &condition.values[..] else { return None };
    let float = number.as_f64().filter(|_| number.is_f64() && condition.operator == Operator::Eq)?;
    let mut is_there = false;
    for record in &sample.records {
        reached(record, &condition.field.parts, &mut |value| is_there |= value.as_f64() == Some(float));
    }
    is_there.then(|| {
        format!("{said}: all digits are compared, and a number in an object loses some; write the condition as a text")
    })
}

/// An operator that looks at texts.
fn of_text(sample: &Sample<'_>, condition: &Condition, said: &str, values: &FieldValues, test: &str) -> Option<String> {
    let route = Route::to(sample, &condition.field)?;
    let query = match route.has_lists {
        true => format!("select(any({}; tostring | {test}))", route.jq),
        false => format!("select({} | tostring | {test})", route.jq),
    };
    let told = format!("{said}: it looks at texts, and `{}` has {}", condition.field.name, values.listed());
    // The query runs over thousands of records, so it is not tried in vain.
    let found = if has_text(sample, condition) { sample.count_filter(&query) } else { 0 };
    Some(match found {
        0 => told,
        found => format!("{told}; run the query `{query}` ({})", sample.times(found)),
    })
}

/// True if the digits of some number meet a condition on texts.
fn has_text(sample: &Sample<'_>, condition: &Condition) -> bool {
    let Some(matcher) = Matcher::new(condition) else { return false };
    sample.records.iter().any(|record| {
        let mut is_met = false;
        reached(record, &condition.field.parts, &mut |value| {
            is_met |= value.is_number() && matcher.meets(&value.to_string().into());
        });
        is_met
    })
}

/// A number with a unit, or with commas between its digits.
fn of_amount(
    sample: &Sample<'_>,
    condition: &Condition,
    said: &str,
    values: &FieldValues,
    text: &str,
) -> Option<String> {
    let number = amount(text).filter(|_| text.trim().parse::<f64>().is_err())?;
    let instead = Condition::new(condition.field.clone(), condition.operator, vec![Value::Number(number)]);
    let written = written(&instead);
    Some(match sample.count(std::slice::from_ref(&instead)) {
        0 => format!("{said}, and neither does `{written}`: `{}` has {}", condition.field.name, values.listed()),
        found => format!("{said}: the value is not a number; write `{written}` ({})", sample.times(found)),
    })
}

/// The number that is meant by an amount.
fn amount(text: &str) -> Option<Number> {
    let text = text.trim().trim_start_matches(['$', '€', '£']).trim_start();
    let is_digit = |c: char| c.is_ascii_digit() || "-.,_".contains(c);
    let (digits, unit) = text.split_at(text.find(|c| !is_digit(c)).unwrap_or(text.len()));
    let mut groups = digits.split('.').next()?.split([',', '_']);
    let is_first = |group: &str| !group.is_empty();
    if !groups.next().is_some_and(is_first) || !groups.all(|group| group.len() == 3) {
        return None;
    }
    let unit = unit.trim().to_lowercase();
    let (_, factor) = UNITS.iter().find(|(name, _)| *name == unit)?;
    let plain: String = digits.chars().filter(|c| !matches!(c, ',' | '_')).collect();
    let number = plain.parse::<f64>().ok()? * factor;
    // Up to 2^53 a double is a whole number without loss.
    let is_whole = number.fract() == 0.0 && number.abs() < 9e15;
    if is_whole { Some(Number::from(number as i64)) } else { Number::from_f64(number) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_amount_is_the_number_that_people_mean() {
        let rows = [
            ("1,000", Some("1000")),
            ("1_000_000", Some("1000000")),
            ("300M", Some("300000000")),
            ("1MB", Some("1000000")),
            ("1.5 MiB", Some("1572864")),
            ("300 million", Some("300000000")),
            ("$1,200.50", Some("1200.5")),
            ("75%", Some("75")),
            ("-3k", Some("-3000")),
            ("1,00", None),
            ("5 apples", None),
            ("high", None),
            ("", None),
            (",", None),
        ];
        for (text, expected) in rows {
            assert_eq!(amount(text).map(|number| number.to_string()).as_deref(), expected, "{text}");
        }
    }
}
