//! Criteria on the lines of a text: a line has no fields, and is itself the field `line`.

use std::borrow::Cow;

use serde_json::{Value, json};

use super::aggregate::Aggregate;
use super::clause::Clause;
use super::wanted::Wanted;
use super::{Condition, Criteria, Field, Operator, refused, typed};
use crate::error::Error;

/// What a line is called.
const LINE: &str = "line";

/// Other ways to say the line itself.
const SAME: [&str; 3] = ["", ".", "_"];

/// A condition with the name of the line where it has none: `~= 500 ` is `line~= 500 `.
pub(super) fn named(value: &Value) -> Cow<'_, Value> {
    match value {
        Value::String(text) => {
            let text = text.trim_start();
            let (not, rest) = text.strip_prefix("not ").map_or(("", text), |rest| ("not ", rest.trim_start()));
            match begins_with_sign(rest) {
                true => Cow::Owned(format!("{not}{LINE}{rest}").into()),
                false => Cow::Borrowed(value),
            }
        }
        Value::Object(members) if members.get("field").is_none_or(is_unnamed) => {
            let mut members = members.clone();
            members.insert("field".to_owned(), LINE.into());
            Cow::Owned(Value::Object(members))
        }
        other => Cow::Borrowed(other),
    }
}

/// Refuses what looks for a tag, and would compare lines with it: `<failure`.
pub(super) fn check(text: &str) -> Result<(), Error> {
    let text = text.trim();
    let is_tag = |rest: &str| rest.starts_with(|c: char| c.is_alphabetic() || matches!(c, '/' | '!' | '?'));
    match text.strip_prefix('<').is_some_and(is_tag) {
        true => Err(refused(
            &format!("`{text}` compares whole lines by their letters"),
            &format!("write `line~={text}` for lines with it, or `line{text}` to compare them"),
        )),
        false => Ok(()),
    }
}

fn is_unnamed(field: &Value) -> bool {
    field.is_null() || field.as_str().is_some_and(|name| SAME.contains(&name))
}

/// True for the name of the line itself.
pub(super) fn is_line(name: &str) -> bool {
    name == LINE || SAME.contains(&name)
}

fn begins_with_sign(text: &str) -> bool {
    text.starts_with(['=', '~', '^', '<', '>']) || typed::after_sign(text).is_some()
}

impl Criteria {
    /// Converts criteria for lines: `line` is the record itself, and the only field.
    pub(super) fn of_lines(mut self) -> Result<Self, Error> {
        self.clauses.iter_mut().try_for_each(clause_of_line)?;
        let select = "select `line`, or leave `select` out";
        let group = "group by `line`, or count the lines with a text: `line~=TEXT`";
        match &mut self.wanted {
            Wanted::Fields(fields) => become_lines(fields, select)?,
            Wanted::Groups(groups) => {
                become_lines(&mut groups.by, group)?;
                of_totals(&mut groups.totals)?;
            }
            Wanted::Totals(totals) => of_totals(totals)?,
            Wanted::Firsts { by, select: fields, .. } => {
                become_lines(by, group)?;
                become_lines(fields.iter_mut().flatten(), select)?;
            }
            Wanted::Records | Wanted::Count => {}
        }
        for order in &mut self.sort_by {
            order.field.become_line(|| "sort by `line`".to_owned())?;
        }
        Ok(self)
    }
}

fn clause_of_line(clause: &mut Clause) -> Result<(), Error> {
    let is_negated = matches!(clause, Clause::Not(_));
    match clause {
        Clause::One(condition) | Clause::Not(condition) => {
            let hint = instead(condition, is_negated);
            condition.field.become_line(|| hint)
        }
        Clause::Any(list) | Clause::All(list) => list.iter_mut().try_for_each(clause_of_line),
    }
}

fn become_lines<'a>(fields: impl IntoIterator<Item = &'a mut Field>, hint: &str) -> Result<(), Error> {
    fields.into_iter().try_for_each(|field| field.become_line(|| hint.to_owned()))
}

fn of_totals(totals: &mut [Aggregate]) -> Result<(), Error> {
    let fields = totals.iter_mut().filter_map(|total| total.field.as_mut());
    become_lines(fields, "write `count`, `count_distinct(line)`, `min(line)` or `max(line)`")
}

impl Field {
    /// The line itself.
    pub(crate) fn line() -> Self {
        Self { name: LINE.to_owned(), parts: Vec::new() }
    }

    fn become_line(&mut self, hint: impl FnOnce() -> String) -> Result<(), Error> {
        if self.name != LINE && !SAME.contains(&self.name.as_str()) {
            return Err(refused(&format!("the file has lines of text, which have no field `{}`", self.name), &hint()));
        }
        self.name = LINE.to_owned();
        self.parts.clear();
        Ok(())
    }
}

/// A condition on the line that asks for the same text, or for lines without it.
fn instead(condition: &Condition, is_negated: bool) -> String {
    let value = condition.values.last().cloned().unwrap_or_default();
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let is_missing = condition.operator == Operator::Exists && value == Value::Bool(false);
    let not = if is_negated || is_missing || condition.operator == Operator::Ne { "!" } else { "" };
    let (sign, text) = match condition.operator {
        Operator::Exists => ("~=", condition.field.name.clone()),
        Operator::Matches => ("=~", text),
        _ => ("~=", text),
    };
    // A blank at an end has to stand in quotes.
    let shown = if text.trim() == text { text } else { json!(text).to_string() };
    format!("write `{not}{LINE}{sign}{shown}` to look into the lines, `{LINE}=…` for a whole line")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::criteria::Clause;
    use crate::file::kind::Kind;
    use crate::settings::request;

    fn read(request: &Value) -> Result<Option<Criteria>, Error> {
        Criteria::of(&request::Extract::parse(&request.to_string()).unwrap(), Kind::Text)
    }

    #[test]
    fn a_condition_without_a_field_is_on_the_line() {
        let rows = [
            json!("line~=x"),
            json!("~=x"),
            json!(" ~= x"),
            json!("_~=x"),
            json!({"op": "contains", "value": "x"}),
            json!({"field": null, "op": "contains", "value": "x"}),
            json!({"field": "", "op": "contains", "value": "x"}),
            json!({"field": ".", "op": "contains", "value": "x"}),
            json!({"field": "_", "op": "contains", "value": "x"}),
            json!({"field": "line", "op": "contains", "value": "x"}),
        ];
        for condition in rows {
            let criteria = read(&json!({"where": [condition]})).unwrap().unwrap();
            let [Clause::One(read)] = &criteria.clauses[..] else { panic!("{condition}") };
            let expected = Condition::new(Field::line(), Operator::Contains, vec!["x".into()]);
            assert_eq!(*read, expected, "{condition}");
        }
    }

    #[test]
    fn another_field_is_refused_with_what_asks_for_the_same() {
        let whole = "`line=…` for a whole line";
        let rows = [
            (json!({"where": ["level=error"]}), "`line~=error`"),
            (json!({"where": ["level=~^error"]}), "`line=~^error`"),
            (json!({"where": ["level"]}), "`line~=level`"),
            (json!({"where": ["size>5"]}), "`line~=5`"),
            (json!({"where": ["!level~=error"]}), "`!line~=error`"),
            (json!({"where": ["level!=error"]}), "`!line~=error`"),
            (json!({"where": ["!level"]}), "`!line~=level`"),
            (json!({"where": ["level~= error "]}), "`line~=\" error \"`"),
            (json!({"where": [{"field": "level", "op": "in", "value": [7]}]}), "`line~=7`"),
            (json!({"where": ["level=error"]}), whole),
            (json!({"where": [{"field": ["line", "x"], "value": 1}]}), whole),
            (json!({"select": ["level"]}), "select `line`"),
            (json!({"group_by": "level"}), "group by `line`"),
            (json!({"group_by": "line", "aggregate": ["sum(size)"]}), "`min(line)`"),
            (json!({"aggregate": ["sum(size)"]}), "`min(line)`"),
            (json!({"group_by": "level", "per_group": 1}), "group by `line`"),
            (json!({"group_by": "line", "per_group": 1, "select": ["level"]}), "select `line`"),
            (json!({"sort_by": "level"}), "sort by `line`"),
        ];
        for (request, hint) in rows {
            let error = read(&request).unwrap_err();
            assert!(error.to_string().contains("lines of text, which have no field"), "{request}: {error}");
            assert!(error.hint().contains(hint), "{request}: {}", error.hint());
        }
    }

    #[test]
    fn an_example_is_on_lines() {
        for condition in [json!("connection refused"), json!(3), json!({"op": "contains"})] {
            let error = read(&json!({"where": [condition]})).unwrap_err();
            assert!(error.to_string().starts_with("cannot extract: "), "{error}");
            assert!(error.hint().contains("line~=error"), "{condition}: {}", error.hint());
        }
    }

    #[test]
    fn the_line_can_be_wanted_in_every_way() {
        let rows = [
            json!({"select": ["line", "_"]}),
            json!({"group_by": "line", "aggregate": ["max(line)"]}),
            json!({"aggregate": ["count", "min(line)"]}),
            json!({"group_by": "_", "per_group": 1, "select": ["line"], "sort_by": "line"}),
        ];
        for request in rows {
            let criteria = read(&request).unwrap().unwrap();
            for field in criteria.wanted.fields() {
                assert_eq!(*field, Field::line(), "{request}");
            }
        }
    }
}
