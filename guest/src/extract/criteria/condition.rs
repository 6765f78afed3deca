//! One condition: a field, an operator, and values.

use std::cmp::Ordering;

use lro_query::{Arena, Limits, Query};
use serde_json::{Map, Number, Value};

use super::{Field, range, refused, typed, words};
use crate::error::Error;

/// A list of more is data, and belongs into the params of a jq filter.
const MOST_VALUES: usize = 100;

/// A float tells all numbers of so many digits apart.
const EXACT_DIGITS: usize = 15;

/// A condition on a record.
#[derive(Debug, Clone, PartialEq)]
pub struct Condition {
    pub(crate) field: Field,
    pub(crate) operator: Operator,
    /// Any of these meets it. A number that was written as text is listed both as text and as a number.
    pub(crate) values: Vec<Value>,
}

/// How a value is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operator {
    /// Equal.
    Eq,
    /// Not equal; a missing field is not equal to anything but null.
    Ne,
    /// Less: numbers with numbers, texts with texts.
    Lt,
    /// Less or equal.
    Le,
    /// Greater.
    Gt,
    /// Greater or equal.
    Ge,
    /// A text that begins so.
    Prefix,
    /// A text with this in it, in upper or lower case.
    Contains,
    /// A text in which a regular expression matches, in upper or lower case.
    Matches,
    /// Neither missing nor null nor empty.
    Exists,
    /// Equal to one of several.
    In,
    /// Within a range: `[3, 5]`, `[3, null]`.
    Between,
}

impl Operator {
    /// Operators by their names.
    pub(super) const ALL: [(&str, Self); 12] = [
        ("eq", Self::Eq),
        ("ne", Self::Ne),
        ("lt", Self::Lt),
        ("le", Self::Le),
        ("gt", Self::Gt),
        ("ge", Self::Ge),
        ("prefix", Self::Prefix),
        ("contains", Self::Contains),
        ("matches", Self::Matches),
        ("exists", Self::Exists),
        ("in", Self::In),
        ("between", Self::Between),
    ];

    /// Its name.
    pub(super) fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, operator)| *operator == self).map_or("eq", |(name, _)| *name)
    }

    /// An operator by its name, in small letters or in large ones, as in SQL.
    pub(super) fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(known, _)| words::is_word(name, known)).map(|(_, operator)| *operator)
    }

    /// True if less or greater, by this operator, is how a value stands to another one.
    pub(crate) fn holds(self, order: Ordering) -> bool {
        match self {
            Self::Lt => order.is_lt(),
            Self::Le => order.is_le(),
            Self::Gt => order.is_gt(),
            Self::Ge => order.is_ge(),
            _ => false,
        }
    }

    /// As jq writes a comparison; empty for the others.
    pub(crate) fn sign(self) -> &'static str {
        match self {
            Self::Eq | Self::In => "==",
            Self::Ne => "!=",
            Self::Lt => "<",
            Self::Le => "<=",
            Self::Gt => ">",
            Self::Ge => ">=",
            Self::Prefix | Self::Contains | Self::Matches | Self::Exists | Self::Between => "",
        }
    }
}

/// How a condition is written, on records and on the lines of a text.
pub(super) const HINT: &str = r#"write "state=open" or {"field": "state", "op": "eq", "value": "open"}"#;
const HINT_ON_LINES: &str = r#"write "line~=error" or {"field": "line", "op": "contains", "value": "error"}"#;

/// Why a condition cannot be read.
#[derive(Debug)]
pub(super) enum Mistake {
    /// It does not have the form of a condition, which an example shows.
    Form(String),
    /// Anything else, with a way out of its own.
    Other(Error),
}

impl Mistake {
    /// The error, with an example on what the file holds.
    pub(super) fn told(self, are_lines: bool) -> Error {
        match self {
            Self::Form(reason) => refused(&reason, if are_lines { HINT_ON_LINES } else { HINT }),
            Self::Other(error) => error,
        }
    }
}

impl From<Error> for Mistake {
    fn from(error: Error) -> Self {
        Self::Other(error)
    }
}

/// A condition as an object with `field`, `op` and `value`, and whether it is negated.
pub(super) fn of_members(members: &Map<String, Value>) -> Result<(Condition, bool), Mistake> {
    if let Some(unknown) = members.keys().find(|key| !["field", "op", "value"].contains(&key.as_str())) {
        let hint = "a condition has `field`, `op` and `value`";
        return Err(refused(&format!("a condition has no `{unknown}`"), hint).into());
    }
    let field = Field::read(members.get("field").unwrap_or(&Value::Null))?;
    let (operator, is_negated) = match members.get("op") {
        None | Some(Value::Null) => (Operator::Eq, false),
        Some(name) => name.as_str().and_then(typed::operator).ok_or_else(|| {
            let names: Vec<&str> = Operator::ALL.iter().map(|(name, _)| *name).collect();
            refused(
                &format!("there is no operator {name}"),
                &format!("operators are {}, each also as its sign or after `not`", names.join(", ")),
            )
        })?,
    };
    let value = members.get("value").cloned();
    let values = match (operator, value) {
        (Operator::Exists, value) => vec![value.unwrap_or(Value::Bool(true))],
        (Operator::In, Some(Value::Array(values))) => values,
        (Operator::In, _) => return Err(refused("the value of `in` is not an array", "write [\"a\", \"b\"]").into()),
        (_, Some(value)) => vec![value],
        (_, None) => return Err(Mistake::Form(format!("the condition on `{}` has no value", field.name))),
    };
    Ok((Condition { field, operator, values }, is_negated))
}

impl Condition {
    /// Refuses values that the operator cannot take.
    pub(super) fn checked(self) -> Result<Self, Error> {
        let Self { field, operator, values } = &self;
        let unfit = |wanted: &str| {
            refused(
                &format!("the value for `{}` is not {wanted}", field.name),
                &format!("give {wanted}, or take another operator"),
            )
        };
        let all = |fits: fn(&Value) -> bool| values.iter().all(fits);
        match operator {
            Operator::Lt | Operator::Le | Operator::Gt | Operator::Ge if !all(|v| v.is_number() || v.is_string()) => {
                Err(unfit("a number or a text"))
            }
            Operator::Prefix | Operator::Contains | Operator::Matches if !all(Value::is_string) => Err(unfit("a text")),
            Operator::Exists if !all(Value::is_boolean) => Err(unfit("true or false")),
            Operator::In if values.is_empty() || values.len() > MOST_VALUES => {
                Err(unfit(&format!("a list of 1 to {MOST_VALUES} values")))
            }
            Operator::Between if !all(range::is_range) => Err(refused(
                &format!("the value for `{}` is not a range of two numbers or two texts", field.name),
                range::HINT,
            )),
            Operator::Matches => {
                check_pattern(&values[0])?;
                Ok(self)
            }
            _ => Ok(self),
        }
    }

    /// The value at a place in JSON. A number keeps the digits that it was typed with, which its text follows with: a float
    /// does not hold those of `36893488147419103233`.
    pub(super) fn literal(&self, at: usize) -> String {
        match (&self.values[at], self.values.get(at + 1)) {
            (Value::Number(number), Some(Value::String(text))) if is_spelled(number, text) => text.clone(),
            (value, _) => value.to_string(),
        }
    }

    /// The comparison as jq writes it, for advice: one that jq knows by a sign, else the field alone.
    pub(super) fn as_read(&self) -> String {
        match (self.operator.sign(), &self.values[..]) {
            ("", _) => self.field.jq(),
            (sign, [value]) => format!("({} {sign} {value})", self.field.jq()),
            _ => self.field.jq(),
        }
    }
}

/// True for a number in a text, with these digits or with more of them.
pub(super) fn is_spelled(number: &Number, text: &str) -> bool {
    serde_json::from_str::<Number>(text).is_ok_and(|other| other == *number)
}

/// The short number that one with many digits becomes as a float: 3 for `3.00000000000000000001`.
pub(super) fn rounded(number: &Value, digits: &str) -> Option<String> {
    // With an exponent the engine takes it as it is written.
    let float = format!("{:e}", number.as_f64()?);
    (significant_digits(digits) > EXACT_DIGITS && significant_digits(&float) <= EXACT_DIGITS).then_some(float)
}

fn significant_digits(number: &str) -> usize {
    let mantissa = number.split(['e', 'E']).next().unwrap_or_default();
    let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    digits.trim_matches('0').len()
}

/// A pattern that does not compile would fail on every text.
fn check_pattern(pattern: &Value) -> Result<(), Error> {
    let value = lro_query::from_json(&pattern.to_string()).unwrap_or_default();
    let arena = Arena::default();
    let test = Query::parse("test($pattern; \"i\")", &arena, &Limits::default())
        .and_then(|query| lro_query::compile(&query, &[("pattern".to_owned(), value)]))
        .map_err(|error| Error::Other(error.to_string()))?;
    match test.run(lro_query::Value::from("")).next() {
        Some(Err(failure)) => Err(refused(
            &failure.to_string(),
            "escape special characters of regular expressions, or use the operator `contains`",
        )),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(condition: &Value) -> Result<Condition, Error> {
        let (condition, _) = of_members(condition.as_object().unwrap()).map_err(|mistake| mistake.told(false))?;
        condition.checked()
    }

    #[test]
    fn values_that_an_operator_cannot_take_are_refused() {
        let values = |count: usize| json!({"field": "a", "op": "in", "value": vec![1; count]});
        let rows = [
            (json!({"field": "a", "op": "ge", "value": 1}), None),
            (json!({"field": "a", "op": "ge", "value": "x"}), None),
            (json!({"field": "a", "op": "ge", "value": true}), Some("`a` is not a number or a text")),
            (json!({"field": "a", "op": "prefix", "value": "x"}), None),
            (json!({"field": "a", "op": "prefix", "value": 1}), Some("`a` is not a text")),
            (json!({"field": "a", "op": "exists"}), None),
            (json!({"field": "a", "op": "exists", "value": false}), None),
            (json!({"field": "a", "op": "exists", "value": "no"}), Some("`a` is not true or false")),
            (json!({"field": "a", "op": "matches", "value": "^x"}), None),
            (json!({"field": "a", "op": "matches", "value": "["}), Some("unclosed character class")),
            (json!({"field": "a", "op": "between", "value": [3, 5]}), None),
            (json!({"field": "a", "op": "between", "value": ["3", "5"]}), None),
            (json!({"field": "a", "op": "between", "value": [3, null]}), None),
            (json!({"field": "a", "op": "between", "value": [null, "5"]}), None),
            (json!({"field": "a", "op": "between", "value": [null, null]}), Some("not a range of two numbers")),
            (json!({"field": "a", "op": "between", "value": [null, true]}), Some("not a range of two numbers")),
            (json!({"field": "a", "op": "between", "value": [3, "5"]}), Some("not a range of two numbers")),
            (json!({"field": "a", "op": "between", "value": ["3", 5]}), Some("not a range of two numbers")),
            (json!({"field": "a", "op": "between", "value": [true, 5]}), Some("not a range of two numbers")),
            (json!({"field": "a", "op": "between", "value": [3]}), Some("not a range of two numbers")),
            (json!({"field": "a", "op": "between", "value": [3, 5, 7]}), Some("not a range of two numbers")),
            (json!({"field": "a", "op": "between", "value": [3, 5, "3", "6"]}), Some("not a range of two numbers")),
            (json!({"field": "a", "op": "between", "value": 3}), Some("not a range of two numbers")),
            (values(0), Some("`a` is not a list of 1 to 100 values")),
            (values(1), None),
            (values(MOST_VALUES), None),
            (values(MOST_VALUES + 1), Some("`a` is not a list of 1 to 100 values")),
        ];
        for (condition, expected) in rows {
            let found = read(&condition).map_err(|error| error.to_string());
            match expected {
                None => assert!(found.is_ok(), "{condition}: {found:?}"),
                Some(part) => assert!(found.is_err_and(|error| error.contains(part)), "{condition}"),
            }
        }
    }

    #[test]
    fn an_operator_is_named_or_written_as_its_sign() {
        let rows = [
            ("=", Some((Operator::Eq, false))),
            ("==", Some((Operator::Eq, false))),
            (">=", Some((Operator::Ge, false))),
            ("~=", Some((Operator::Contains, false))),
            ("!~=", Some((Operator::Contains, true))),
            ("ge", Some((Operator::Ge, false))),
            ("NOT IN", Some((Operator::In, true))),
            ("not_in", Some((Operator::In, true))),
            ("like", None),
            ("=x", None),
            ("", None),
        ];
        for (op, expected) in rows {
            let value = if expected.is_some_and(|(one, _)| one == Operator::In) { json!(["x"]) } else { json!("x") };
            let condition = json!({"field": "a", "op": op, "value": value});
            let found = of_members(condition.as_object().unwrap()).ok();
            assert_eq!(found.map(|(one, is_negated)| (one.operator, is_negated)), expected, "{op}");
        }
    }

    #[test]
    fn advice_reads_a_comparison_with_one_value() {
        let rows = [
            (json!({"field": "a", "op": "ge", "value": 1}), "(.a >= 1)"),
            (json!({"field": "a", "value": "x"}), "(.a == \"x\")"),
            (json!({"field": "a", "op": "contains", "value": "x"}), ".a"),
            (json!({"field": "a", "op": "in", "value": [1, 2]}), ".a"),
        ];
        for (condition, expected) in rows {
            assert_eq!(read(&condition).unwrap().as_read(), expected);
        }
    }
}
