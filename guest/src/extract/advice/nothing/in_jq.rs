//! A jq filter that has results which are not those that were meant: truths that are counted, a key of digits that is a
//! number, texts that are compared with numbers or put in the order of their letters.

use lro_query::json::quote;
use lro_query::tree::{BinaryOp, Cmp, Term, each_part};
use lro_query::{Arena, Limits, Query};
use serde_json::Value;

use super::letters::{self, Notation};
use super::route::Route;
use super::sample::{Bounds, FIRST_RECORDS, GLANCE, MOST_FILTER_BYTES, MOST_RECORDS, Sample};
use super::values::FieldValues;
use super::{Search, always, dates, is_compared, of_compared};
use crate::extract::advice::fields::jq;
use crate::extract::advice::jq_path;
use crate::extract::advice::sought::{ELEMENTS, Test, place, sign, sought};
use crate::extract::criteria::{Condition, Field, Operator};
use crate::file::kind::Kind;
use crate::settings::request::Extract;

/// Functions that give true or false.
const TRUTHS: [&str; 12] =
    ["IN", "all", "any", "contains", "endswith", "has", "in", "inside", "isvalid", "not", "startswith", "test"];

/// A remark on a filter that found something.
pub(super) fn remark<'a>(search: Search<'a>, take: impl Fn(Bounds) -> Option<Sample<'a>>) -> Option<String> {
    let (asked, filter) = (search.asked, search.asked.query.as_deref()?);
    let may_be_digits = digits(filter).next().is_some();
    let may_compare = filter.contains(['<', '>']) || ["max", "min", "sort"].iter().any(|name| filter.contains(name));
    if !may_be_digits && !may_compare && asked.count != Some(true) && !always::may_be(filter) {
        return None;
    }
    let (arena, limits) = (Arena::default(), Limits::default());
    let query = Query::parse(filter, &arena, &limits).ok()?;
    if let Some(told) = always::remark(query.tree(), filter) {
        return Some(told);
    }
    if asked.count == Some(true) && asked.slurp != Some(true) && is_truth(query.tree()) {
        let one = if search.set.kind == Kind::Text { "line" } else { "record" };
        return Some(format!(
            "the filter gives true or false for each {one}, and both are counted: write `select({})` for those where it is true",
            negated(query.tree(), filter).unwrap_or_else(|| filter.trim().to_owned())
        ));
    }
    if let Some(told) = of_letters(query.tree(), &take).filter(|_| may_compare) {
        return Some(told);
    }
    let paths = if may_compare { compared_paths(query.tree()) } else { Vec::new() };
    let may_be_texts = !paths.is_empty() && are_texts(&take(GLANCE)?, &paths);
    let sample = if may_be_digits || may_be_texts { take(FIRST_RECORDS)? } else { return None };
    of_digits(&sample, asked, filter).or_else(|| of_texts(&sample, asked, filter, query.tree()))
}

/// True for a filter whose last step gives true or false.
fn is_truth(tree: &Term<&str>) -> bool {
    match tree {
        Term::BinOp(_, BinaryOp::Pipe(_), last) | Term::Def(_, last) => is_truth(last),
        Term::BinOp(_, operator, _) => matches!(operator, BinaryOp::Cmp(_) | BinaryOp::And | BinaryOp::Or),
        Term::Call(name, _) => TRUTHS.contains(name),
        _ => false,
    }
}

/// The condition of `select(…) | not`, where `not` was meant for what is selected.
fn negated(tree: &Term<&str>, filter: &str) -> Option<String> {
    let Term::BinOp(left, BinaryOp::Pipe(None), right) = tree else { return None };
    if !matches!((&**left, &**right), (Term::Call("select", _), Term::Call("not", _))) {
        return None;
    }
    let select = filter.trim().strip_suffix("not")?.trim_end().strip_suffix('|')?.trim_end();
    let condition = select.strip_prefix("select")?.trim_start().strip_prefix('(')?.strip_suffix(')')?;
    Some(format!("{} | not", condition.trim()))
}

/// Where a filter has a dot and digits that may be meant for a key: `.2012`, not `0.5`.
fn digits(filter: &str) -> impl Iterator<Item = &str> {
    filter.match_indices('.').filter_map(|(at, _)| {
        let is_inside = filter[..at].ends_with(|c: char| c.is_alphanumeric() || "_.\"".contains(c));
        let rest = &filter[at + 1..];
        let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        let goes_on = rest[end..].starts_with(|c: char| c.is_alphanumeric() || c == '_');
        (end > 0 && !is_inside && !goes_on).then(|| &rest[..end])
    })
}

/// A key of digits that jq reads as a number.
pub(super) fn of_digits(sample: &Sample<'_>, asked: &Extract, filter: &str) -> Option<String> {
    digits(filter).next()?;
    let fields = sample.fields();
    let digits = digits(filter).find(|digits| fields.get(&[digits]).is_some())?;
    let (number, path) = (format!(".{digits}"), jq(&[digits]));
    let query = filter.replace(&number, &path);
    let is_short = query.len() <= MOST_FILTER_BYTES;
    let write = if is_short && sample.finds_by(asked, &query) { query } else { path };
    Some(format!(
        "jq reads `{number}` as the number 0.{digits}, and records have a field of that name: write `{write}`"
    ))
}

/// A text that is compared letter by letter where its number or its size is meant: `.size > "100 KB"`.
fn of_letters<'a>(tree: &Term<&str>, take: &impl Fn(Bounds) -> Option<Sample<'a>>) -> Option<String> {
    let conditions = sought(tree).into_iter().filter_map(|one| {
        let (Test::Order(operator), [Value::String(_)]) = (&one.test, &one.values[..]) else { return None };
        let condition = Condition::new(Field::of_path(&one.keys()), order(*operator)?, one.values);
        is_compared(&&condition).then_some(condition)
    });
    let conditions: Vec<Condition> = conditions.collect();
    // A condition of criteria is not a filter.
    let in_where = |told: String| told.replace("; write `", "; pass `where` `");
    let remark = |sample: &Sample<'_>| of_compared(sample, &conditions).into_iter().next().map(in_where);
    let first = if conditions.is_empty() { return None } else { take(FIRST_RECORDS)? };
    // What is told must hold for more records than it takes to see that something is odd.
    let told = remark(&first)?;
    if first.is_all() { Some(told) } else { take(MOST_RECORDS).map_or(Some(told), |sample| remark(&sample)) }
}

/// The same in criteria; none of those that order nothing.
pub(super) fn order(operator: Cmp) -> Option<Operator> {
    Some(match operator {
        Cmp::Lt => Operator::Lt,
        Cmp::Le => Operator::Le,
        Cmp::Gt => Operator::Gt,
        Cmp::Ge => Operator::Ge,
        Cmp::Eq | Cmp::Ne => return None,
    })
}

/// Where values are that a filter compares with a number, or puts in an order.
fn compared_paths(tree: &Term<&str>) -> Vec<Vec<String>> {
    let compared =
        sought(tree).into_iter().filter(|one| matches!(one.test, Test::Order(_)) && one.values[0].is_number());
    compared.map(|one| one.keys()).chain(ordered(tree)).collect()
}

/// The paths of what a filter puts in an order, or takes the least or the greatest of: `sort_by(.n)`, `map(.n) | max`.
fn ordered(tree: &Term<&str>) -> Vec<Vec<String>> {
    let mut all = Vec::new();
    each_part(tree, &mut |term| {
        let path = match term {
            Term::Call("sort_by" | "max_by" | "min_by", arguments) => arguments.first().and_then(|by| place(by, &[])),
            Term::BinOp(left, BinaryOp::Pipe(None), right)
                if matches!(**right, Term::Call("sort" | "max" | "min", _)) =>
            {
                place(left, &[])
            }
            _ => None,
        };
        let keys = path.map(|path| path.into_iter().filter(|part| part != ELEMENTS).collect::<Vec<_>>());
        all.extend(keys.filter(|keys| !keys.is_empty()));
    });
    all
}

/// True if there are texts that are no dates at one of these paths.
fn are_texts(sample: &Sample<'_>, paths: &[Vec<String>]) -> bool {
    paths.iter().any(|keys| {
        let values = FieldValues::of(sample, keys);
        values.texts > 0 && values.numbers == 0 && values.all_texts().iter().any(|text| dates::year(text).is_none())
    })
}

/// Texts that are compared with a number, which is less than every text, or that are in the order of their letters.
pub(super) fn of_texts(sample: &Sample<'_>, asked: &Extract, filter: &str, tree: &Term<&str>) -> Option<String> {
    let compared = sought(tree).into_iter().find_map(|one| {
        let (Test::Order(operator), [Value::Number(number)]) = (one.test, &one.values[..]) else { return None };
        let field = Field::of_path(&one.keys());
        let values = FieldValues::of(sample, &field.parts);
        let texts: Vec<Value> = values.all_texts().into_iter().map(Value::from).collect();
        let notation = Notation::of(sample, &field.name, &values, Some(&number.to_string()))?;
        let are_numbers = notation.values(sample, &texts).iter().flatten().all(Value::is_number);
        let (here, sign) = (jq_path(&one.path), sign(operator));
        let term = if are_numbers { format!("({here} | {})?", notation.body()?) } else { return None };
        let told =
            format!("`{here}` has texts like {}, and every text is greater than a number", quote(&notation.example));
        let written = [" ", ""].map(|blank| format!("{here}{blank}{sign}{blank}{number}"));
        let there = written.iter().find(|there| filter.contains(*there));
        let query = there.map(|there| filter.replace(there, &format!("{term} {sign} {number}")));
        Some(match query.filter(|query| query.len() <= MOST_FILTER_BYTES && sample.finds_by(asked, query)) {
            Some(query) => format!("{told}: run the query `{query}`"),
            None => format!("{told}: compare `{term}`"),
        })
    });
    let in_order = || ordered(tree).into_iter().find_map(|keys| of_order(sample, asked, filter, &keys));
    compared.or_else(in_order)
}

/// An order of texts by their letters that is another one than that of what they mean.
fn of_order(sample: &Sample<'_>, asked: &Extract, filter: &str, keys: &[String]) -> Option<String> {
    let field = Field::of_path(keys);
    let (told, notation) = letters::of_order(sample, &field, "the filter compares")?;
    let term = notation.offered(&Route::to(sample, &field)?)?;
    let by = |before: &str| format!("{before}({}", field.jq());
    let there = ["sort_by", "max_by", "min_by"].map(by).into_iter().find(|there| filter.contains(&format!("{there})")));
    let query =
        there.map(|there| filter.replace(&format!("{there})"), &there.replace(&field.jq(), &format!("{term})"))));
    Some(match query.filter(|query| query.len() <= MOST_FILTER_BYTES && sample.finds_by(asked, query)) {
        Some(query) => format!("{told}; run the query `{query}`"),
        None => format!("{told}; `max_by({term})` and `sort_by({term})` compare what they mean"),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::tests::remarks;

    #[test]
    fn results_that_were_not_meant_are_told() {
        let record = |n: u32| {
            json!({"id": n, "price": format!("{}.50", n * 7), "cost": format!("${},500", n + 1), "2012": n, "a": {"2013": n},
                "at": format!("2026-01-{:02}", n + 1), "km": format!("{n} km"), "ok": n.is_multiple_of(2)})
        };
        let records: Vec<String> = (0..20).map(|n| record(n).to_string()).collect();
        let truths = "the filter gives true or false for each record, and both are counted: write `select(";
        for (asked, expected) in [
            (json!({"query": ".id > 5", "count": true}), truths),
            (json!({"query": ".at | startswith(\"2026\")", "count": true}), truths),
            (json!({"query": "select(.id > 5)", "count": true}), ""),
            (json!({"query": ".id > 5"}), ""),
            (
                json!({"query": ".2012"}),
                "jq reads `.2012` as the number 0.2012, and records have a field of that name: write `.\"2012\"`",
            ),
            (
                json!({"query": "select(.2012 > 3) | .id"}),
                "jq reads `.2012` as the number 0.2012, and records have a field of that name: write `select(.\"2012\" > 3) | .id`",
            ),
            (json!({"query": ".id * 0.2012, .2014"}), ""),
            (
                json!({"query": "select(.price > 100) | .id"}),
                "`.price` has texts like \"0.50\", and every text is greater than a number: run the query `select((.price | tonumber)? > 100) | .id`",
            ),
            (
                json!({"query": "select(.price<100)"}),
                "`.price` has texts like \"0.50\", and every text is greater than a number: run the query `select((.price | tonumber)? < 100)`",
            ),
            (
                json!({"query": "map(select(.cost >= 3000)) | length", "slurp": true}),
                "`.cost` has texts like \"$1,500\", and every text is greater than a number: run the query `map(select((.cost | gsub(",
            ),
            (json!({"query": "select(.id > 5)"}), ""),
            (json!({"query": "select(.at > \"2026-01-03\")"}), ""),
            (
                json!({"query": "max_by(.price) | .id", "slurp": true}),
                "the filter compares letter by letter: `.price` has texts like \"14.50\"; run the query `max_by((.price | tonumber)?) | .id`",
            ),
            (
                json!({"query": "map(.price) | max", "slurp": true}),
                "the filter compares letter by letter: `.price` has texts like \"14.50\"; `max_by((.price | tonumber)?)` and ",
            ),
            (json!({"query": "sort_by(.at) | .[0].id", "slurp": true}), ""),
            (json!({"query": "sort_by(.id) | .[0].id", "slurp": true}), ""),
        ] {
            let said = remarks("records", &records, &asked).concat();
            assert!(said.starts_with(expected) && said.is_empty() == expected.is_empty(), "{asked}: {said}");
        }
    }
}
