//! Extraction without jq: conditions, and what is wanted of the records that meet them (EXTRACT-23).
//!
//! Criteria become a filter of the same engine. Names of fields and values to compare with are bound as variables, so
//! no text of a caller is ever part of the filter (EXTRACT-07), and the filters are such as plans know.
//!
//! Criteria never fail on a record. A field that a record lacks is null. An array on the way of a condition is looked
//! into: the condition is met if one of the elements meets it.
//!
//! A line of a text is a record without fields: the field `line` is the line itself.

mod aggregate;
mod clause;
mod condition;
mod connected;
mod division;
mod field;
mod filter;
mod foreign;
mod groups;
mod lines;
mod negation;
mod order;
mod quotes;
pub(crate) mod range;
mod sql;
mod typed;
mod wanted;
mod words;
mod written;

use std::borrow::Cow;

use lro_query::Shape;
use serde_json::Value;

use self::condition::Mistake;
use crate::error::Error;
use crate::file::kind::Kind;
use crate::settings::request;

pub(crate) use aggregate::Aggregate;
pub use clause::Clause;
pub use condition::{Condition, Operator};
pub use field::Field;
pub(crate) use field::places;
pub(crate) use order::{Order, direction, keys as order_keys};
pub(crate) use quotes::names as names_at_commas;
pub(crate) use typed::operator_name;
pub(crate) use wanted::Wanted;

/// A request of more is written by a program, which can write jq.
const MOST_CONDITIONS: usize = 20;

/// Fields of a projection, for the same reason.
const MOST_FIELDS: usize = 40;

/// What is asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct Criteria {
    /// All of these must be met.
    pub(crate) clauses: Vec<Clause>,
    pub(crate) wanted: Wanted,
    /// What records are sorted by, the field that counts most first.
    pub(crate) sort_by: Vec<Order>,
    /// The records are lines of text, which results contain without quotes.
    are_lines: bool,
}

/// A filter that criteria became.
#[derive(Debug)]
pub struct Compiled {
    /// Its text, which holds no text of the caller.
    pub filter: String,
    /// How it is run.
    pub shape: Shape,
    /// The caller's texts and values.
    pub variables: Vec<(String, lro_query::Value)>,
}

impl Criteria {
    /// The criteria of a request on records of this kind; `None` if it has none.
    pub fn of(request: &request::Extract, kind: Kind) -> Result<Option<Self>, Error> {
        let request::Extract { conditions, select, count, group_by, aggregate, per_group, sort_by, .. } = request;
        let counts = *count == Some(true) && !request.counts_results();
        let groups = group_by.is_some() || aggregate.is_some() || per_group.is_some();
        if conditions.is_none() && select.is_none() && !counts && !groups && sort_by.is_none() {
            return Ok(None);
        }
        let are_lines = kind == Kind::Text;
        let clauses = clause::read_all(conditions.as_deref().unwrap_or_default(), are_lines)?;
        let (wanted, sort_by) = Wanted::of(request, counts)?;
        let criteria = Self { clauses, wanted, sort_by, are_lines };
        Ok(Some(if are_lines { criteria.of_lines()? } else { criteria }))
    }

    /// The conditions that stand alone, each of which a record must meet.
    pub(crate) fn single_conditions(&self) -> impl Iterator<Item = &Condition> {
        self.clauses.iter().filter_map(|clause| match clause {
            Clause::One(condition) => Some(condition),
            Clause::Not(_) | Clause::Any(_) | Clause::All(_) => None,
        })
    }

    /// The fields that are named, as jq writes them, with what they are compared with: what advice looks at.
    pub fn as_read(&self) -> String {
        let compared = self.clauses.iter().flat_map(Clause::conditions).map(Condition::as_read);
        let wanted = self.wanted.fields().into_iter().map(Field::jq);
        let order = self.sort_by.iter().map(|order| order.field.jq());
        compared.chain(wanted).chain(order).collect::<Vec<_>>().join(", ")
    }
}

fn fields(names: &[Value]) -> Result<Vec<Field>, Error> {
    if names.is_empty() || names.len() > MOST_FIELDS {
        return Err(refused("`select` names no field, or too many", &format!("name 1 to {MOST_FIELDS} fields")));
    }
    let mut fields = names.iter().map(Field::read).collect::<Result<Vec<_>, _>>()?;
    tell_apart(&mut fields);
    Ok(fields)
}

/// Gives fields of one name different names: two members of one name would be one.
fn tell_apart(fields: &mut [Field]) {
    for at in 1..fields.len() {
        let (before, [field, ..]) = fields.split_at_mut(at) else { unreachable!("it is within the list") };
        if before.iter().any(|other| other.name == field.name && other.parts != field.parts) {
            field.name = field.jq();
        }
    }
}

fn refused(reason: &str, hint: &str) -> Error {
    Error::invalid_argument(format!("cannot extract: {reason}"), hint)
}

fn too_many_conditions() -> Error {
    refused(&format!("`where` has more than {MOST_CONDITIONS} conditions"), "write a jq filter as `query`")
}

/// A condition as an object with `field`, `op` and `value`, or as a text such as `namespace=_semantic`.
fn read_condition(value: &Value, are_lines: bool) -> Result<Clause, Error> {
    if let Some(text) = value.as_str() {
        if let Some(error) = foreign::refused(text) {
            return Err(error);
        }
        if are_lines {
            lines::check(text)?;
        }
    }
    let named = if are_lines { lines::named(value) } else { Cow::Borrowed(value) };
    let read = match &*named {
        Value::String(text) => typed::read(text),
        Value::Object(members) => condition::of_members(members),
        other => Err(Mistake::Form(format!("{other} is not a valid condition"))),
    };
    let (condition, is_negated) = read.map_err(|mistake| mistake.told(are_lines))?;
    Ok(Clause::of(condition.checked()?, is_negated))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(request: &Value, kind: Kind) -> Result<Option<Criteria>, Error> {
        Criteria::of(&request::Extract::parse(&request.to_string()).unwrap(), kind)
    }

    #[test]
    fn bounds_hold_at_their_exact_numbers() {
        let texts = |count: usize, end: &str| (0..count).map(|at| format!("f{at}{end}")).collect::<Vec<_>>();
        let sums = |count: usize| (0..count).map(|at| format!("sum(f{at})")).collect::<Vec<_>>();
        let rows = [
            (json!({"select": texts(40, "")}), None),
            (json!({"select": texts(41, "")}), Some("`select` names no field, or too many")),
            (json!({"select": []}), Some("`select` names no field, or too many")),
            (json!({"where": texts(20, "=1")}), None),
            (json!({"where": texts(21, "=1")}), Some("`where` has more than 20 conditions")),
            (json!({"where": [texts(20, "=1").join(" or ")]}), None),
            (json!({"where": [texts(20, "=1").join(" or "), "z=1"]}), Some("`where` has more than 20 conditions")),
            (json!({"aggregate": sums(10)}), None),
            (json!({"aggregate": sums(11)}), Some("`aggregate` lists nothing, or too much")),
            (json!({"aggregate": []}), Some("`aggregate` lists nothing, or too much")),
            (json!({"group_by": "a,b,c,d,e"}), None),
            (json!({"group_by": "a,b,c,d,e,f"}), Some("`group_by` names too many fields")),
            (json!({"group_by": "a,b,a"}), Some("`group_by` names `a` twice")),
            (json!({"group_by": "a.b,a.\"b\""}), Some("`group_by` names `a.b` twice")),
            (json!({"group_by": "a.b,\"a.b\""}), None),
            (json!({"sort_by": "a.b.c.d.e"}), None),
            (json!({"sort_by": "a,b,c,d,e,f"}), Some("`sort_by` names too many fields")),
            (json!({"sort_by": "a.b.c.d.e.f"}), Some("`a.b.c.d.e.f` is not a valid field")),
            (json!({"select": [["a", "b", "c", "d", "e"]]}), None),
            (json!({"select": [["a", ""]]}), Some("`a.` is not a valid field")),
            (json!({"select": [[]]}), Some("`` is not a valid field")),
            (json!({"select": [["a", 1]]}), Some("[\"a\",1] is not a valid field")),
        ];
        for (request, expected) in rows {
            let found = read(&request, Kind::Records).map_err(|error| error.to_string());
            match expected {
                None => assert!(matches!(found, Ok(Some(_))), "{request}: {found:?}"),
                Some(part) => assert!(found.as_ref().is_err_and(|error| error.contains(part)), "{request}: {found:?}"),
            }
        }
    }

    #[test]
    fn fields_of_one_name_are_told_apart() {
        let names = |select: Value| {
            let criteria = read(&json!({"select": select}), Kind::Records).unwrap().unwrap();
            criteria.wanted.fields().into_iter().map(|field| field.name.clone()).collect::<Vec<_>>()
        };
        assert_eq!(names(json!(["a.b", ["a.b"], "a.b"])), ["a.b", r#"."a.b""#, "a.b"]);
    }

    #[test]
    fn an_aggregate_that_is_named_twice_is_one() {
        let rows = [
            (json!({"aggregate": ["sum(a)", "sum(a)", "max(a)"]}), vec!["sum(a)", "max(a)"]),
            (json!({"aggregate": ["count", "count(*)"]}), vec!["count"]),
            (json!({"aggregate": ["sum(a)"], "count": true}), vec!["count", "sum(a)"]),
            (json!({"aggregate": ["sum(a)", "count"], "count": true}), vec!["sum(a)", "count"]),
            (json!({"aggregate": ["sum(a)", "count"], "group_by": "b"}), vec!["sum(a)"]),
            (json!({"aggregate": ["sum(a)"], "group_by": "b", "sort_by": "-total(a)"}), vec!["sum(a)"]),
            (json!({"aggregate": ["sum(a)"], "group_by": "b", "sort_by": "-count"}), vec!["sum(a)"]),
            (json!({"aggregate": ["sum(a)"], "group_by": "b", "sort_by": "max(a)"}), vec!["sum(a)", "max(a)"]),
        ];
        for (request, expected) in rows {
            let criteria = read(&request, Kind::Records).unwrap().unwrap();
            let names: Vec<&str> = criteria.wanted.totals().iter().map(|total| total.name.as_str()).collect();
            assert_eq!(names, expected, "{request}");
        }
    }

    #[test]
    fn criteria_are_what_one_of_their_keys_asks_for() {
        let rows = [
            (json!({"where": ["a=1"]}), true),
            (json!({"where": []}), true),
            (json!({"select": ["a"]}), true),
            (json!({"count": true}), true),
            (json!({"group_by": "a"}), true),
            (json!({"aggregate": ["count"]}), true),
            (json!({"sort_by": "a"}), true),
            (json!({"count": false}), false),
            (json!({"query": "."}), false),
            // The results of a query or a recipe are counted.
            (json!({"query": ".", "count": true}), false),
        ];
        for (request, expected) in rows {
            assert_eq!(read(&request, Kind::Records).unwrap().is_some(), expected, "{request}");
        }
    }

    #[test]
    fn keys_that_do_not_go_together_are_refused() {
        let rows = [
            (json!({"per_group": 3}), "`per_group` is given without `group_by`"),
            (json!({"per_group": 3, "group_by": "a", "count": true}), "both `per_group` and `count`"),
            (json!({"per_group": 3, "group_by": "a", "aggregate": ["sum(b)"]}), "both `per_group` and `aggregate`"),
            (json!({"select": ["a"], "group_by": "a,b"}), "both `select` and `group_by`"),
            (json!({"select": ["a", "b"], "group_by": "a"}), "both `select` and `group_by`"),
            (json!({"select": ["a"], "aggregate": ["sum(b)"]}), "both `select` and `aggregate`"),
            (json!({"select": ["a"], "count": true}), "both `select` and `count`"),
            (json!({"aggregate": ["sum(b)"], "sort_by": "a"}), "both `aggregate` and `sort_by`"),
            (json!({"count": true, "aggregate": ["sum(b)"], "sort_by": "a"}), "both `aggregate` and `sort_by`"),
            (json!({"group_by": "a", "sort_by": "b"}), "groups cannot be sorted by `b`"),
        ];
        for (request, expected) in rows {
            let error = read(&request, Kind::Records).unwrap_err();
            assert!(error.to_string().contains(expected), "{request}: {error}");
            assert!(!error.hint().is_empty(), "{request}");
        }
    }

    #[test]
    fn what_changes_nothing_is_left_out() {
        let rows = [
            (json!({"count": true, "sort_by": "-a"}), json!({"count": true})),
            (json!({"select": ["b", "a"], "group_by": "a,b"}), json!({"group_by": "a,b"})),
            (json!({"select": ["a", "count"], "group_by": "a"}), json!({"group_by": "a"})),
            (
                json!({"select": ["a"], "group_by": "a", "aggregate": ["sum(c)"]}),
                json!({"group_by": "a", "aggregate": ["sum(c)"]}),
            ),
        ];
        for (request, plain) in rows {
            let [found, expected] = [&request, &plain].map(|request| read(request, Kind::Records).unwrap().unwrap());
            assert_eq!(found, expected, "{request}");
        }
    }

    #[test]
    fn advice_reads_all_fields_that_are_named() {
        let rows = [
            (json!({"where": ["a>=\"x\"", "b or c"], "count": true}), "(.a >= \"x\"), .b, .c"),
            (json!({"where": ["a"], "select": ["b.c"], "sort_by": "-d"}), ".a, .b.c, .d"),
            (json!({"sort_by": "-d e,f"}), ".\"d e\", .f"),
            (json!({"aggregate": ["sum(a)", "count"]}), ".a"),
            (json!({"group_by": "a,b", "aggregate": ["sum(c)"]}), ".a, .b, .c"),
            (json!({"group_by": "\"a, b\",c"}), ".\"a, b\", .c"),
            (json!({"group_by": [["a", "b"], ["a.b"]]}), ".a.b, .\"a.b\""),
            (json!({"group_by": ["a", "b"]}), ".a.b"),
            (json!({"group_by": ["a", ["b", "c"]]}), ".a, .b.c"),
            (json!({"group_by": "a", "per_group": 1, "select": ["b"], "sort_by": "c"}), ".a, .b, .c"),
        ];
        for (request, expected) in rows {
            assert_eq!(read(&request, Kind::Records).unwrap().unwrap().as_read(), expected, "{request}");
        }
    }
}
