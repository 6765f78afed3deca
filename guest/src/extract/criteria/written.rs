//! Writes conditions as text for advice. A caller can pass that text back unchanged.

use serde_json::{Value, json};

use super::clause::Clause;
use super::condition::HINT;
use super::{Condition, Field, Operator, range, refused, typed};
use crate::error::Error;

impl Condition {
    /// A condition with one value or several.
    pub(crate) fn new(field: Field, operator: Operator, values: Vec<Value>) -> Self {
        Self { field, operator, values }
    }

    /// Reads a condition as it is typed.
    pub(crate) fn parse(text: &str) -> Result<Self, Error> {
        match super::read_condition(&text.into(), false)? {
            Clause::One(condition) => Ok(condition),
            _ => Err(refused("a negated condition is not a single comparison", HINT)),
        }
    }

    /// The shortest text that asks for these values; a number in it also means the text that spells it. An object
    /// where no text does.
    pub(crate) fn written(&self) -> Value {
        self.as_text(Self::is_like).map_or_else(|| self.as_object(), Value::from)
    }

    /// The same with another value, as it is typed.
    pub(crate) fn with_typed(&self, value: &str) -> Self {
        let is_text = matches!(self.operator, Operator::Prefix | Operator::Contains | Operator::Matches);
        let values = if is_text { vec![value.into()] } else { typed::scalars(value) };
        Self::new(self.field.clone(), self.operator, values)
    }

    /// The condition as a request has it, no more and no less.
    pub(crate) fn exact(&self) -> Value {
        self.as_text(|read, own| read.is_like(own) && read.values.len() == own.values.len())
            .map_or_else(|| self.as_object(), Value::from)
    }

    /// This condition as it is read from its text.
    pub(crate) fn retyped(self) -> Self {
        match super::read_condition(&self.written(), false) {
            Ok(Clause::One(read)) => read,
            _ => self,
        }
    }

    fn as_text(&self, fits: fn(&Self, &Self) -> bool) -> Option<String> {
        let texts = self.named(&self.field.name).into_iter().chain(self.named(&self.quoted_name()));
        self.read_again(texts, fits)
    }

    /// A text with the name in quotes, which stays in one piece beside other conditions.
    fn quoted(&self) -> Option<String> {
        self.read_again(self.named(&self.quoted_name()), Self::is_like)
    }

    fn named(&self, name: &str) -> [String; 2] {
        [self.with_values(name, bare), self.with_values(name, |value| value.to_string())]
    }

    fn quoted_name(&self) -> String {
        match &self.field.parts[..] {
            // One that needs no quotes was tried without them.
            [key] => json!(key).to_string(),
            parts => Field::typed(parts),
        }
    }

    fn read_again(&self, texts: impl IntoIterator<Item = String>, fits: fn(&Self, &Self) -> bool) -> Option<String> {
        // A text that is read as several conditions, or as another one, does not do.
        let reads = |text: &String| match Clause::read(&text.as_str().into(), false) {
            Ok(Clause::One(read)) => fits(&read, self),
            _ => false,
        };
        texts.into_iter().find(reads)
    }

    fn with_values(&self, name: &str, text: fn(&Value) -> String) -> String {
        let values: Vec<String> = self.distinct().map(text).collect();
        let value = self.in_quotes().map_or_else(|| values.join(","), str::to_owned);
        let sign = match self.operator {
            Operator::Exists if value == "true" => return name.to_owned(),
            Operator::Exists => return format!("!{name}"),
            Operator::In => return format!("{name} in {value}"),
            Operator::Between => return format!("{name}={}", self.dotted(text)),
            Operator::Eq => "=",
            Operator::Prefix => "^=",
            Operator::Contains => "~=",
            Operator::Matches => "=~",
            other => other.sign(),
        };
        format!("{name}{sign}{value}")
    }

    /// The ends of a range with dots between them.
    fn dotted(&self, text: fn(&Value) -> String) -> String {
        let range = &self.values[0];
        let end = |at| match &range[at] {
            Value::Null => String::new(),
            Value::Number(_) => range::literal(range, at),
            end => text(end),
        };
        format!("{}..{}", end(0), end(1))
    }

    /// The value with the quotes of SQL that it was typed with.
    fn in_quotes(&self) -> Option<&str> {
        let typed = self.values.first()?.as_str().filter(|_| self.values.len() > 1)?;
        let is_equal = matches!(self.operator, Operator::Eq | Operator::Ne);
        (is_equal && typed::equal(typed) == self.values).then_some(typed)
    }

    /// The values, without the second form of those that are listed in two forms. Of a number with more digits than it
    /// holds, the first form is left out.
    fn distinct(&self) -> impl Iterator<Item = &Value> {
        let is_second = |at: usize| {
            let before = at.checked_sub(1).map(|before| &self.values[before]);
            let text = before.filter(|before| !before.is_string()).map(Value::to_string);
            text.is_some_and(|text| self.values[at].as_str() == Some(&text))
        };
        let is_shorter = |at: usize| {
            let digits = self.values[at].as_number().map(ToString::to_string);
            digits.is_some_and(|digits| self.literal(at) != digits)
        };
        let is_left_out = move |at: usize| is_second(at) || is_shorter(at);
        self.values.iter().enumerate().filter(move |(at, _)| !is_left_out(*at)).map(|(_, value)| value)
    }

    /// True for a condition that holds for at least the same values.
    fn is_like(&self, other: &Self) -> bool {
        self.field.parts == field_parts(other)
            && self.operator == other.operator
            && other.values.iter().all(|value| self.values.contains(value))
    }

    fn as_object(&self) -> Value {
        let value = match self.operator {
            Operator::In => json!(self.values),
            _ if self.in_quotes().is_some() => json!(self.values.last()),
            _ => json!(self.values.first()),
        };
        json!({"field": self.field.parts, "op": self.operator.name(), "value": value})
    }
}

impl Clause {
    /// The text to ask for it; an object where no text does.
    pub(crate) fn written(&self) -> String {
        let text = |value: Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let list = match self {
            Self::One(condition) => return text(condition.written()),
            Self::Any(list) if list.iter().all(|one| matches!(one, Self::One(_))) => list,
            other => return text(other.exact()),
        };
        let joined = |written: &dyn Fn(&Condition) -> String| {
            let each = list.iter().flat_map(Self::conditions).map(written);
            each.collect::<Vec<_>>().join(" or ")
        };
        let plain = |one: &Condition| text(one.written());
        let quoted = |one: &Condition| {
            let has_blanks = one.field.name.contains(char::is_whitespace);
            one.quoted().filter(|_| has_blanks).unwrap_or_else(|| plain(one))
        };
        let is_divided = |text: &String| match Self::read(&text.as_str().into(), false) {
            Ok(Self::Any(read)) => read.len() == list.len(),
            _ => false,
        };
        [joined(&plain), joined(&quoted)].into_iter().find(is_divided).unwrap_or_else(|| text(self.exact()))
    }
}

impl Operator {
    /// True for less and greater.
    pub(crate) fn is_order(self) -> bool {
        matches!(self, Self::Lt | Self::Le | Self::Gt | Self::Ge)
    }
}

/// The line of a text is written like a field of its name.
fn field_parts(condition: &Condition) -> Vec<String> {
    match condition.field.parts.is_empty() {
        true => vec![condition.field.name.clone()],
        false => condition.field.parts.clone(),
    }
}

fn bare(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_are_written_so_that_they_are_read_again() {
        let field = |name: &str| Field::read(&name.into()).unwrap();
        let dotted = || Field::of_path(&["a.b".to_owned()]);
        let object = |op: &str, value: Value| json!({"field": ["a.b"], "op": op, "value": value});
        let condition =
            |field, operator, values: Value| Condition::new(field, operator, values.as_array().unwrap().clone());
        let rows = [
            (condition(field("a"), Operator::Eq, json!([3, "3"])), json!("a=3"), json!("a=3")),
            // A number alone is meant by a text that also means the text.
            (
                condition(field("a"), Operator::Eq, json!([3])),
                json!("a=3"),
                json!({"field": ["a"], "op": "eq", "value": 3}),
            ),
            (condition(field("a"), Operator::Eq, json!(["3"])), json!("a=3"), json!("a=\"3\"")),
            (condition(field("a"), Operator::Eq, json!(["1..2"])), json!("a=\"1..2\""), json!("a=\"1..2\"")),
            // A number with more digits than a float holds is written as it was typed.
            (
                condition(field("a"), Operator::Eq, json!([36893488147419103233_f64, "36893488147419103233"])),
                json!("a=36893488147419103233"),
                json!("a=36893488147419103233"),
            ),
            (condition(field("a"), Operator::In, json!(["x", "y"])), json!("a in x,y"), json!("a in x,y")),
            (
                condition(
                    field("a"),
                    Operator::Between,
                    json!([[3.0, 36893488147419103233_f64, "3.0", "36893488147419103233"]]),
                ),
                json!("a=3.0..36893488147419103233"),
                json!("a=3.0..36893488147419103233"),
            ),
            (
                condition(field("a"), Operator::In, json!(["x, y", "z"])),
                json!("a in \"x, y\",\"z\""),
                json!("a in \"x, y\",\"z\""),
            ),
            (
                condition(field("a"), Operator::Contains, json!(["x or b=2"])),
                json!("a~=\"x or b=2\""),
                json!("a~=\"x or b=2\""),
            ),
            (condition(field("a.b"), Operator::Exists, json!([false])), json!("!a.b"), json!("!a.b")),
            // Quotes keep a key with a dot or a blank in one piece.
            (condition(dotted(), Operator::In, json!([1, 2])), json!("\"a.b\" in 1,2"), object("in", json!([1, 2]))),
            (condition(dotted(), Operator::Ge, json!([3])), json!("\"a.b\">=3"), object("ge", json!(3))),
            (condition(dotted(), Operator::Exists, json!([true])), json!("\"a.b\""), json!("\"a.b\"")),
            (condition(field("\"a b\""), Operator::Exists, json!([true])), json!("\"a b\""), json!("\"a b\"")),
            (condition(field("a b"), Operator::In, json!(["x"])), json!("a b in x"), json!("a b in x")),
        ];
        for (condition, written, exact) in rows {
            assert_eq!((condition.written(), condition.exact()), (written, exact), "{condition:?}");
        }
    }

    #[test]
    fn less_and_greater_are_orders() {
        let orders = Operator::ALL.iter().filter(|(_, operator)| operator.is_order());
        assert_eq!(orders.map(|(name, _)| *name).collect::<Vec<_>>(), ["lt", "le", "gt", "ge"]);
    }
}
