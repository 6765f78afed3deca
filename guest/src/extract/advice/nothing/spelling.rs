//! What a caller may have meant by signs that a condition takes literally: quotes, parentheses, wildcards, `and`.

use serde_json::Value;

use crate::extract::criteria::{Condition, Operator};

/// Quotes of other languages, as they open and close.
const QUOTES: [(char, char); 5] = [('\'', '\''), ('`', '`'), ('“', '”'), ('‘', '’'), ('"', '"')];

/// Words between conditions.
const ANDS: [&str; 4] = [" and ", " AND ", " && ", " & "];
const ORS: [&str; 3] = [" or ", " OR ", " || "];

/// Conditions that could have been meant, and what was taken literally.
pub(super) type Meant = (&'static str, Vec<Condition>);

/// The ways to read a condition's value otherwise.
pub(super) fn meant(condition: &Condition) -> Vec<Meant> {
    let Some(text) = condition.values.last().and_then(Value::as_str) else { return Vec::new() };
    let of = |operator, values: Vec<Value>| vec![Condition::new(condition.field.clone(), operator, values)];
    let mut all = Vec::new();
    if let Some(inner) = QUOTES.iter().find_map(|(open, close)| inside(text, *open, *close)) {
        all.push(("the quotes are taken literally", of(condition.operator, vec![inner.into()])));
    }
    let is_equal = matches!(condition.operator, Operator::Eq | Operator::In | Operator::Contains);
    if is_equal {
        for sign in ANDS {
            if let Some((first, rest)) = text.split_once(sign)
                && let Ok(other) = Condition::parse(rest)
            {
                let first = of(condition.operator, vec![unquoted(first).into()]);
                let both = first.into_iter().chain([other]).collect();
                all.push(("a condition has one comparison, and conditions hold together", both));
            }
        }
        for sign in ORS {
            if text.contains(sign) {
                let values = text.split(sign).map(|part| after_sign(part).into()).collect();
                all.push(("a condition has one comparison", of(Operator::In, values)));
            }
        }
    }
    if condition.operator == Operator::Eq {
        let list = inside(text, '(', ')').or_else(|| inside(text, '[', ']')).unwrap_or(text);
        if list.contains(',') || list.len() < text.len() {
            let values = list.split(',').map(|value| unquoted(value.trim()).into()).collect();
            all.push(("`=` takes one value, `in` several", of(Operator::In, values)));
        }
    }
    if is_equal && text.contains(['*', '%']) {
        all.push(("`*` and `%` are taken literally", of_wildcards(condition, text)));
    }
    if condition.operator == Operator::Contains && text.contains(['|', '*', '^', '$', '\\', '[']) {
        all.push(("`~=` looks for exact text, `=~` for a pattern", of(Operator::Matches, vec![text.into()])));
    }
    if text.trim() != text {
        all.push(("spaces are part of the value", of(condition.operator, vec![text.trim().into()])));
    }
    all
}

fn inside(text: &str, open: char, close: char) -> Option<&str> {
    text.strip_prefix(open)?.strip_suffix(close)
}

fn unquoted(text: &str) -> &str {
    QUOTES.iter().find_map(|(open, close)| inside(text, *open, *close)).unwrap_or(text)
}

/// The value of `state=open` and of `open`.
fn after_sign(text: &str) -> &str {
    let value = text.rsplit_once('=').map_or(text, |(_, value)| value);
    unquoted(value.trim())
}

/// `*a*` is a text with `a` in it, `a*` one that begins so; what has a sign inside is a pattern.
fn of_wildcards(condition: &Condition, text: &str) -> Vec<Condition> {
    let sign = ['*', '%'];
    let inner = text.trim_matches(sign);
    let (operator, value) = match (text.starts_with(sign), text.ends_with(sign)) {
        (true, true) if !inner.contains(sign) => (Operator::Contains, inner.to_owned()),
        (false, true) if !inner.contains(sign) => (Operator::Prefix, inner.to_owned()),
        _ => {
            let parts: Vec<String> = text.split(sign).map(regex::escape).collect();
            (Operator::Matches, format!("^{}$", parts.join(".*")))
        }
    };
    vec![Condition::new(condition.field.clone(), operator, vec![value.into()])]
}
