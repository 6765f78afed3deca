//! Criteria as a filter.

use lro_query::{self, Shape};
use serde_json::Value;

use super::clause::Clause;
use super::condition::{Condition, Operator, rounded};
use super::{Compiled, Criteria, Field, Order, Wanted, places, range};

/// A condition that a value is neither missing nor empty.
const IS_THERE: &str = "if type == \"array\" or type == \"object\" then length > 0 else . != null and . != \"\" end";

/// An array on the way is looked into.
pub(super) const OPEN: &str = "if type == \"array\" then .[] else . end";

impl Criteria {
    /// The filter, how it is run, and its variables.
    pub fn compile(&self) -> Compiled {
        let mut bound = Bound::default();
        let all = bound.all(&self.clauses);
        // What each record becomes before anything is done with all of them.
        let kept = kept(&all);
        let (filter, shape) = match (&self.wanted, &self.sort_by[..]) {
            // A line that is selected as a record would leave as the JSON text that stands for it.
            (Wanted::Records, []) if self.are_lines => (kept, Shape::Each),
            (Wanted::Records, []) => (if all.is_empty() { "true".to_owned() } else { all }, Shape::Select),
            // Of several directions, each is a sort of its own.
            (Wanted::Records, orders) if self.are_lines || direction(orders).is_none() => {
                (format!("map({kept}) | {}", bound.sorted(orders)), Shape::All)
            }
            (Wanted::Records, orders) => {
                let (key, descending) = (bound.key(orders), direction(orders).unwrap_or_default());
                match all.is_empty() {
                    true => (key, Shape::Sort { descending }),
                    false => (format!("{kept} | {key}"), Shape::SortSelected { descending }),
                }
            }
            (Wanted::Fields(fields), []) => (format!("{kept} | {}", bound.projection(fields)), Shape::Each),
            (Wanted::Fields(fields), orders) => {
                (format!("map({kept}) | {} | map({})", bound.sorted(orders), bound.projection(fields)), Shape::All)
            }
            (Wanted::Count, _) => (format!("map({kept}) | length"), Shape::All),
            (Wanted::Totals(totals), _) => (bound.totals(&kept, totals), Shape::All),
            (Wanted::Groups(groups), _) => (bound.groups(&kept, groups), Shape::All),
            (Wanted::Firsts { by, most, select }, orders) => {
                let mut filter = format!("map({kept})");
                if !orders.is_empty() {
                    filter = format!("{filter} | {}", bound.sorted(orders));
                }
                filter = bound.firsts(&filter, by, *most);
                if let Some(fields) = select {
                    filter = format!("{filter} | map({})", bound.projection(fields));
                }
                (filter, Shape::All)
            }
        };
        Compiled { filter, shape, variables: bound.variables }
    }

    /// A filter that gives the records that are selected, and its variables: as an array of them in their order that runs
    /// on the array of all, or of each record by itself.
    pub fn selection(&self, of_all: bool) -> (String, Vec<(String, lro_query::Value)>) {
        let mut bound = Bound::default();
        let mut filter = kept(&bound.all(&self.clauses));
        if of_all {
            filter = format!("map({filter})");
            if !self.sort_by.is_empty() {
                filter = format!("{filter} | {}", bound.sorted(&self.sort_by));
            }
        }
        (filter, bound.variables)
    }
}

/// What each record becomes by all conditions.
fn kept(all: &str) -> String {
    if all.is_empty() { ".".to_owned() } else { format!("select({all})") }
}

/// Texts and values that are bound to variables on the way.
#[derive(Default)]
pub(super) struct Bound {
    variables: Vec<(String, lro_query::Value)>,
}

impl Bound {
    /// The variable of a value.
    pub(super) fn bind(&mut self, value: &Value) -> String {
        self.bind_json(&value.to_string())
    }

    fn bind_json(&mut self, json: &str) -> String {
        // A JSON text of a parsed value is read by every parser of JSON; what is nested deeper than ours goes is null.
        let value = lro_query::from_json(json).unwrap_or_default();
        // No parameter of a caller begins so.
        let name = format!("__v{}", self.variables.len());
        self.variables.push((name.clone(), value));
        format!("${name}")
    }

    /// All of these conditions.
    fn all(&mut self, clauses: &[Clause]) -> String {
        let each: Vec<String> = clauses.iter().map(|clause| format!("({})", self.clause(clause))).collect();
        each.join(" and ")
    }

    /// The value of a key. `tags[0]` is an element of a list, unless that is the key.
    fn key_of(&mut self, part: &str) -> String {
        let plain = |bound: &mut Self, key: &str| format!("try .[{}] catch null", bound.bind(&key.into()));
        let whole = plain(self, part);
        let Some((key, places)) = places(part) else { return whole };
        let list = plain(self, key);
        let places: String = places.iter().map(|place| format!(" | try .[{place}] catch null")).collect();
        format!("if ({whole}) == null then ({list}{places}) else ({whole}) end")
    }

    /// A condition, or several with `or` or `and` between them.
    fn clause(&mut self, clause: &Clause) -> String {
        let mut joined = |list: &[Clause], sign: &str| {
            let each: Vec<String> = list.iter().map(|one| format!("({})", self.clause(one))).collect();
            each.join(sign)
        };
        match clause {
            Clause::One(condition) => self.condition(condition),
            Clause::Not(condition) => format!("{} | not", self.condition(condition)),
            Clause::Any(list) => joined(list, " or "),
            Clause::All(list) => joined(list, " and "),
        }
    }

    fn condition(&mut self, condition: &Condition) -> String {
        let Condition { field, operator, values } = condition;
        if *operator == Operator::Exists {
            let exists = format!("any({}; {IS_THERE})", self.reached(field));
            return if values[0] == Value::Bool(true) { exists } else { format!("{exists} | not") };
        }
        // A list is compared as a whole, not with each of the elements.
        let is_whole = *operator != Operator::Between && values.iter().any(Value::is_array);
        let reached = self.reached(field);
        let each = values.iter().enumerate();
        let each = each.map(|(at, value)| self.comparison(*operator, value, &condition.literal(at)));
        let values = each.collect::<Vec<_>>().join(" or ");
        let opened = if is_whole { reached } else { format!("{reached} | {OPEN}") };
        let any = format!("any({opened}; {values})");
        if *operator == Operator::Ne { format!("{any} | not") } else { any }
    }

    /// The values at a path; arrays on the way are searched.
    pub(super) fn reached(&mut self, field: &Field) -> String {
        if field.parts.is_empty() {
            return ".".to_owned();
        }
        let steps: Vec<String> = field.parts.iter().map(|part| self.key_of(part)).collect();
        steps.join(&format!(" | {OPEN} | "))
    }

    /// A comparison of the current value; it does not fail.
    fn comparison(&mut self, operator: Operator, value: &Value, json: &str) -> String {
        let texts = "type == \"string\" and";
        match operator {
            Operator::Lt | Operator::Le | Operator::Gt | Operator::Ge => {
                let kind = if value.is_number() { "number" } else { "string" };
                format!("(type == \"{kind}\" and {})", self.ordered(operator, value, json))
            }
            Operator::Between => self.within(value),
            Operator::Prefix => format!("({texts} startswith({}))", self.bind(value)),
            Operator::Contains => {
                let literally = regex::escape(value.as_str().unwrap_or_default());
                format!("({texts} test({}; \"i\"))", self.bind(&literally.into()))
            }
            Operator::Matches => format!("({texts} test({}; \"i\"))", self.bind(value)),
            Operator::Eq | Operator::Ne | Operator::In | Operator::Exists => {
                let mut equal = format!(". == {}", self.bind_json(json));
                // The engine compares a short number as a float, to which the other one is equal without its last digits.
                if let Some(float) = rounded(value, json) {
                    equal = format!("({equal} and . != {})", self.bind_json(&float));
                }
                // A date equals the times of its days, as it does in a range.
                match value.as_str().and_then(range::days_of) {
                    Some(days) => format!("({equal} or ({texts} test({})))", self.bind(&days.into())),
                    None => format!("({equal})"),
                }
            }
        }
    }

    /// Both ends belong to a range.
    fn within(&mut self, range: &Value) -> String {
        let (from, until) = (&range[0], &range[1]);
        let kind = if from.is_number() || until.is_number() { "number" } else { "string" };
        let mut tests = vec![format!("type == \"{kind}\"")];
        for (at, operator) in [Operator::Ge, Operator::Le].into_iter().enumerate() {
            let end = &range[at];
            if !end.is_null() {
                tests.push(self.ordered(operator, end, &range::literal(range, at)));
            }
        }
        format!("({})", tests.join(" and "))
    }

    /// Whether a value of the same type is less or greater. A date and a time with a blank between them are compared as
    /// the value is written, with a blank or with a `T`: on another day these do not differ.
    fn ordered(&mut self, operator: Operator, value: &Value, json: &str) -> String {
        let dated = value.as_str().and_then(|date| Some((date, range::front(date)?)));
        let Some((date, front)) = dated else {
            return format!(". {} {}", operator.sign(), self.bind_json(json));
        };
        match range::with_t(date) {
            None => self.beside_date(operator, date, &front),
            Some((day, with_t)) => {
                let day = self.bind(&day.into());
                let with_blank = self.beside_date(operator, date, date);
                let with_t = self.beside_date(operator, &with_t, &with_t);
                format!("(if startswith({day}) then {with_blank} else {with_t} end)")
            }
        }
    }

    /// A date stands for all that begins so: 2026-03 for all days of March.
    fn beside_date(&mut self, operator: Operator, date: &str, front: &str) -> String {
        let bound = self.bind(&date.into());
        let mut front = || if front == date { bound.clone() } else { self.bind(&front.into()) };
        match operator {
            Operator::Le => format!("(. <= {bound} or startswith({}))", front()),
            Operator::Gt => format!("(. > {bound} and (startswith({}) | not))", front()),
            operator => format!(". {} {bound}", operator.sign()),
        }
    }

    /// `{"id": …, "provenance.confidence": …}`
    fn projection(&mut self, fields: &[Field]) -> String {
        let members: Vec<String> = fields
            .iter()
            .map(|field| {
                let name = self.bind(&field.name.as_str().into());
                format!("({name}): ({})", self.value(&field.parts))
            })
            .collect();
        format!("{{{}}}", members.join(", "))
    }

    /// The values at a path; an array on the way contributes those of each element.
    fn value(&mut self, parts: &[String]) -> String {
        let Some((first, rest)) = parts.split_first() else { return ".".to_owned() };
        let here = self.key_of(first);
        if rest.is_empty() {
            return here;
        }
        let then = self.value(rest);
        format!("{here} | if type == \"array\" then map({then}) else ({then}) end")
    }

    /// The key of orders of one direction. Records that lack the field come last, whichever way round.
    fn key(&mut self, orders: &[Order]) -> String {
        let mut parts = Vec::new();
        for order in orders {
            let sign = if order.descending { "!=" } else { "==" };
            let value = self.value(&order.field.parts);
            parts.push(format!("(({value}) {sign} null), ({value})"));
        }
        format!("[{}]", parts.join(", "))
    }

    fn sorted(&mut self, orders: &[Order]) -> String {
        if let Some(descending) = direction(orders) {
            return format!("sort_by({}){}", self.key(orders), if descending { " | reverse" } else { "" });
        }
        // A sort leaves equals in their order, so the field that counts most is sorted by last.
        let each = orders.iter().rev().map(|order| {
            let sort = format!("sort_by({})", self.key(std::slice::from_ref(order)));
            if order.descending { format!("reverse | {sort} | reverse") } else { sort }
        });
        each.collect::<Vec<_>>().join(" | ")
    }
}

/// Whether all orders are descending; `None` if only some are.
fn direction(orders: &[Order]) -> Option<bool> {
    let descending = orders.first()?.descending;
    orders.iter().all(|order| order.descending == descending).then_some(descending)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file::kind::Kind;
    use crate::settings::request;
    use lro_query::{Arena, Limits, Program, Query, is_planned};

    fn compiled_for(request: &str, kind: Kind) -> Compiled {
        Criteria::of(&request::Extract::parse(request).unwrap(), kind).unwrap().unwrap().compile()
    }

    fn compiled(request: &str) -> Compiled {
        compiled_for(request, Kind::Records)
    }

    #[test]
    fn criteria_are_run_by_plans() {
        let requests = [
            r#"{"where":["namespace=a","priority>=3","content~=redis"]}"#,
            r#"{"where":["provenance.confidence>0.5","tags in a,b","!title","title=~^x","id^=m","id!=m1"],"count":true}"#,
            r#"{"where":["tags=a"],"select":["id","provenance.confidence"]}"#,
            r#"{"group_by":"tags"}"#,
            r#"{"where":["tags"],"group_by":"namespace","sort_by":"namespace"}"#,
            r#"{"sort_by":"created"}"#,
            r#"{"sort_by":"-created,-title"}"#,
            r#"{"sort_by":"-created,title"}"#,
            r#"{"where":["state=a or tags"],"sort_by":"-created"}"#,
            r#"{"where":["state=a or priority>=3 and !x","n=3..5 or n=9","created=2026-01..2026-03"]}"#,
            r#"{"where":[{"any":["a=1",{"all":["b=2","c"]}]}],"count":true}"#,
            r#"{"where":["tags"],"sort_by":"-created","select":["id"]}"#,
            r#"{"where":["!tags in a,b","title!~=x","!n=3..5","not (a=1 or b>2)","c is null"]}"#,
            r#"{"where":["!title^=x"],"count":true}"#,
            r#"{"where":["a.b[2]>3"],"select":["a.b[-1]"]}"#,
            r#"{"sort_by":"-a.b[2]"}"#,
            r#"{"where":["a=2026","b!=2026-11","c in 2026-11-20,x","d=2026-11-20T10:00"]}"#,
            r#"{"where":["a>2026","b<=2026-11","c=2025..2026","d=2025..2026-03"]}"#,
            r#"{"where":["a>2026-11-25","b<=2026-11","c>=2026-11-25 12:00","d=2026-11-25 10:00..2026-11-25 12:00"]}"#,
        ];
        for request in requests {
            let Compiled { filter, shape, variables } = compiled(request);
            let arena = Arena::default();
            let query = Query::parse(&filter, &arena, &Limits::default()).unwrap();
            let program = Program { query: &query, shape, reads: None, raw: false };
            assert!(is_planned(program, &variables), "{request}: {filter}");
        }
    }

    #[test]
    fn criteria_on_lines_are_run_by_plans() {
        let requests = [
            r#"{"where":["line~=a","line!=b","~= 500 "]}"#,
            r#"{"where":["!line~=a","line!=~b"]}"#,
            r#"{"where":["line=~^a"],"count":true}"#,
            r#"{"where":["line^=a"],"select":["line"]}"#,
            r#"{"group_by":"line"}"#,
            r#"{"sort_by":"line"}"#,
        ];
        for request in requests {
            let Compiled { filter, shape, variables } = compiled_for(request, Kind::Text);
            let arena = Arena::default();
            let query = Query::parse(&filter, &arena, &Limits::default()).unwrap();
            let program = Program { query: &query, shape, reads: None, raw: false };
            assert!(is_planned(program, &variables), "{request}: {filter}");
        }
    }

    #[test]
    fn criteria_are_run_in_the_shape_that_costs_least() {
        let sort = |descending| Shape::Sort { descending };
        // Lines leave as they are, which only a filter on each or on all of them says.
        let rows = [
            (r#"{"where":["line~=a"]}"#, Shape::Select, Shape::Each),
            (r#"{"where":["line~=a"],"select":["line"]}"#, Shape::Each, Shape::Each),
            (r#"{"sort_by":"line"}"#, sort(false), Shape::All),
            (r#"{"sort_by":"-line"}"#, sort(true), Shape::All),
            (r#"{"sort_by":"-line,-line"}"#, sort(true), Shape::All),
            (r#"{"sort_by":"-line,line"}"#, Shape::All, Shape::All),
            (r#"{"where":["line~=a"],"sort_by":"-line"}"#, Shape::SortSelected { descending: true }, Shape::All),
            (r#"{"where":["line~=a"],"count":true}"#, Shape::All, Shape::All),
        ];
        for (request, of_records, of_lines) in rows {
            assert_eq!(compiled_for(request, Kind::Records).shape, of_records, "{request}");
            assert_eq!(compiled_for(request, Kind::Text).shape, of_lines, "{request}");
        }
    }

    #[test]
    fn texts_of_the_caller_are_no_part_of_the_filter() {
        let plain = compiled(r#"{"where":["a=b","c~=d"],"select":["e"],"sort_by":"f"}"#).filter;
        let hostile = r#"{"where":[{"field":["\") | env"],"value":"$x"},{"field":"c","op":"contains","value":") or ("}],"select":["e"],"sort_by":"f"}"#;
        assert_eq!(compiled(hostile).filter, plain);
        let rows = [
            (
                r#"{"where":["a=b or c=3..5"],"aggregate":["sum(d)"]}"#,
                r#"{"where":["$a=\") | env or .$b=3..5"],"aggregate":["sum([\"\\\") | env\"])"]}"#,
            ),
            (
                r#"{"group_by":"a,b","aggregate":["max(c)"]}"#,
                r#"{"group_by":[["\") | env"],["$key0"]],"aggregate":["max($record)"]}"#,
            ),
            (r#"{"group_by":"a","per_group":3}"#, r#"{"group_by":[["\") | env"]],"per_group":9}"#),
        ];
        for (plain, hostile) in rows {
            assert_eq!(compiled(hostile).filter, compiled(plain).filter, "{hostile}");
        }
    }
}
