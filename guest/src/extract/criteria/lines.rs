//! Criteria on the lines of a text: a line has no fields, and is itself the field `line`.

use std::borrow::Cow;

use serde_json::{Value, json};

use super::aggregate::Aggregate;
use super::clause::Clause;
use super::wanted::Wanted;
use super::{Condition, Criteria, Field, Operator, refused};
use crate::error::Error;

/// What a line is called.
const LINE: &str = "line";

/// Other ways to say the line itself.
const SAME: [&str; 3] = ["", ".", "_"];

/// A condition with the name of the line where it has none: `~= 500 ` is `line~= 500 `.
pub(super) fn named(value: &Value) -> Cow<'_, Value> {
    match value {
        Value::String(text) if begins_with_sign(text.trim_start()) => {
            Cow::Owned(format!("{LINE}{}", text.trim_start()).into())
        }
        Value::Object(members) if members.get("field").is_none_or(is_unnamed) => {
            let mut members = members.clone();
            members.insert("field".to_owned(), LINE.into());
            Cow::Owned(Value::Object(members))
        }
        other => Cow::Borrowed(other),
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
    text.starts_with(['=', '~', '^', '<', '>']) || text.starts_with("!=")
}

impl Criteria {
    /// Converts criteria for lines: `line` is the record itself, and the only field.
    pub(super) fn of_lines(mut self) -> Result<Self, Error> {
        for condition in self.clauses.iter_mut().flat_map(Clause::conditions_mut) {
            let hint = instead(condition);
            condition.field.become_line(|| hint)?;
        }
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
        if let Some(order) = &mut self.sort_by {
            order.field.become_line(|| "sort by `line`".to_owned())?;
        }
        Ok(self)
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

/// A condition on the line that asks for the same text.
fn instead(condition: &Condition) -> String {
    let value = condition.values.last().cloned().unwrap_or_default();
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let (sign, text) = match condition.operator {
        Operator::Exists => ("~=", condition.field.name.clone()),
        Operator::Matches => ("=~", text),
        _ => ("~=", text),
    };
    // A blank at an end has to stand in quotes.
    let shown = if text.trim() == text { text } else { json!(text).to_string() };
    format!("write `{LINE}{sign}{shown}` to look into the lines, `{LINE}=…` for a whole line")
}
