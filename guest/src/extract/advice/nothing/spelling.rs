//! What a caller may have meant by signs that a condition takes literally: quotes, parentheses, wildcards, `and`.

use serde_json::Value;

use super::conditions::said_clause;
use super::sample::Sample;
use super::values::FieldValues;
use crate::extract::criteria::{Clause, Condition, Field, Operator};

/// Quotes of other languages, as they open and close.
const QUOTES: [(char, char); 5] = [('\'', '\''), ('`', '`'), ('“', '”'), ('‘', '’'), ('"', '"')];

/// What is longer is prose, of which every comma would be a reading.
const MOST_BYTES: usize = 2048;

/// Words between conditions.
const ANDS: [&str; 5] = [" and ", " AND ", " && ", " & ", ","];
const ORS: [&str; 3] = [" or ", " OR ", " || "];

/// Conditions that could have been meant, and what was taken literally.
pub(super) type Meant = (&'static str, Vec<Clause>);

/// Other readings of a condition's value.
pub(super) fn meant(condition: &Condition) -> Vec<Meant> {
    let text = condition.values.last().and_then(Value::as_str).filter(|text| text.len() <= MOST_BYTES);
    let Some(text) = text else { return Vec::new() };
    let of = |operator, values: Vec<Value>| vec![Condition::new(condition.field.clone(), operator, values).into()];
    let mut all = Vec::new();
    if condition.operator != Operator::In
        && let Some(inner) = QUOTES.iter().find_map(|(open, close)| inside(text, *open, *close))
    {
        all.push(("the quotes are taken literally", of(condition.operator, vec![inner.into()])));
    }
    if condition.operator == Operator::In {
        let bare = |value: &Value| value.as_str().map_or_else(|| value.clone(), |text| unquoted(text).into());
        let values: Vec<Value> = condition.values.iter().map(bare).collect();
        if values != condition.values {
            all.push(("the quotes are taken literally", of(Operator::In, values)));
        }
    }
    if condition.operator == Operator::Eq && text.contains('|') {
        let values = text.split('|').map(|value| unquoted(value.trim()).into()).filter(|value| value != "").collect();
        all.push(("`=` takes one value, `in` several", of(Operator::In, values)));
    }
    let is_equal = matches!(condition.operator, Operator::Eq | Operator::In | Operator::Contains);
    if is_equal || condition.operator.is_order() || condition.operator == Operator::Matches {
        for sign in ANDS {
            if let Some((first, rest)) = text.split_once(sign) {
                let both = [first, rest].map(|part| of_part(condition, part).into()).to_vec();
                all.push(("a condition has one comparison, and all conditions must match", both));
            }
        }
        for sign in ORS.into_iter().filter(|sign| text.contains(sign)) {
            let each: Vec<Condition> = text.split(sign).map(|part| of_part(condition, part)).collect();
            let is_list = each.iter().all(|one| one.field == condition.field && one.operator == Operator::Eq);
            let meant = match is_list || condition.operator == Operator::In {
                true => of(Operator::In, text.split(sign).map(|part| after_sign(part).into()).collect()),
                false => vec![Clause::any(each.into_iter().map(Clause::One).collect())],
            };
            all.push(("a condition has one comparison", meant));
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

/// A field and a value with a colon between them, `level:error`, which is read as one name.
pub(super) fn with_colon(condition: &Condition) -> Option<Condition> {
    let [name] = &condition.field.parts[..] else { return None };
    let (field, value) = name.split_once(':').filter(|_| condition.operator == Operator::Exists)?;
    let field = Field::of_path(&field.split('.').map(str::to_owned).collect::<Vec<_>>());
    (!value.is_empty()).then(|| Condition::new(field, Operator::Eq, vec![value.trim().into()]).retyped())
}

/// The value that a condition excludes, as one text.
fn excluded(clause: &Clause) -> Option<(&Condition, &str)> {
    let condition = match clause {
        Clause::One(one) if one.operator == Operator::Ne => one,
        Clause::Not(one) if one.operator == Operator::Eq => one,
        _ => return None,
    };
    Some((condition, condition.values.last()?.as_str()?))
}

/// True if a condition excludes a text that may be several, or be in quotes. It holds for all records, and seems right.
pub(super) fn may_be_unequal_to_several(clauses: &[Clause]) -> bool {
    let may_be = |text: &str| text.contains([',', '|']) || unquoted(text) != text;
    clauses.iter().filter_map(excluded).any(|(_, text)| may_be(text))
}

/// Remarks on such conditions, where the field has one of the values and not all of them as one text.
pub(super) fn of_unequal(sample: &Sample<'_>, clauses: &[Clause]) -> Vec<String> {
    let remark = |clause: &Clause| {
        let (condition, text) = excluded(clause)?;
        let known: Vec<String> = FieldValues::of(sample, &condition.field.parts).all_texts();
        let list = inside(text, '(', ')').or_else(|| inside(text, '[', ']')).unwrap_or(text);
        let parts: Vec<&str> = list.split([',', '|']).map(|part| unquoted(part.trim())).collect();
        let is_known = |text: &str| known.iter().any(|one| one == text);
        if is_known(text) || !parts.iter().any(|part| is_known(part)) {
            return None;
        }
        let values: Vec<Value> = parts.iter().map(|part| (*part).into()).collect();
        let operator = if values.len() > 1 { Operator::In } else { Operator::Eq };
        let because = if values.len() > 1 { "`!=` takes one value" } else { "the quotes are taken literally" };
        let instead = Clause::Not(Condition::new(condition.field.clone(), operator, values));
        let written = instead.exact();
        let found = sample.times(sample.count_clauses(std::slice::from_ref(&instead)));
        Some(format!("`{}`: {because}; write `{}` ({found})", said_clause(clause), written.as_str()?))
    };
    clauses.iter().filter_map(remark).collect()
}

fn inside(text: &str, open: char, close: char) -> Option<&str> {
    text.strip_prefix(open)?.strip_suffix(close)
}

fn unquoted(text: &str) -> &str {
    QUOTES.iter().find_map(|(open, close)| inside(text, *open, *close)).unwrap_or(text)
}

/// A part of a value: a condition of its own, or one more value of the same field.
fn of_part(condition: &Condition, part: &str) -> Condition {
    let part = part.trim();
    let own = Condition::parse(part).ok().filter(|own| own.operator != Operator::Exists);
    own.unwrap_or_else(|| condition.with_typed(unquoted(part)))
}

/// The value of `state=open` and of `open`.
fn after_sign(text: &str) -> &str {
    let value = text.rsplit_once('=').map_or(text, |(_, value)| value);
    unquoted(value.trim())
}

/// `*a*` is a text with `a` in it, `a*` one that begins so; what has a sign inside is a pattern.
fn of_wildcards(condition: &Condition, text: &str) -> Vec<Clause> {
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
    vec![Condition::new(condition.field.clone(), operator, vec![value.into()]).into()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comma_is_read_once_as_and_and_once_as_a_list() {
        let readings = |text: &str| -> Vec<(&'static str, usize)> {
            let meant = meant(&Condition::parse(text).unwrap());
            meant.into_iter().map(|(because, clauses)| (because, clauses.len())).collect()
        };
        let and = ("a condition has one comparison, and all conditions must match", 2);
        let list = ("`=` takes one value, `in` several", 1);
        assert_eq!(readings("state=open, closed"), [and, list]);
        assert_eq!(readings("state=open,closed"), [and, list]);
        let wildcards = ("`*` and `%` are taken literally", 1);
        assert_eq!(readings("state='op*, cl*'"), [and, list, wildcards]);
        assert_eq!(readings("state~='open'"), [("the quotes are taken literally", 1)]);
    }

    #[test]
    fn blanks_around_a_part_of_a_value_are_not_a_part_of_it() {
        let condition = Condition::parse("state=open , n > 3").unwrap();
        let (_, both) = meant(&condition).swap_remove(0);
        let expected = ["state=open", "n>3"].map(|text| Clause::from(Condition::parse(text).unwrap()));
        assert_eq!(format!("{both:?}"), format!("{expected:?}"));
    }
}
