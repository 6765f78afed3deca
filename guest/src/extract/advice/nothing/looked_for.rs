//! A jq filter that looks for what no record has: the values that there are, or the field that has it.

use std::cmp::Ordering;

use lro_query::json::quote;
use regex::{Regex, RegexBuilder};
use serde_json::Value;

use super::conditions::has_word;
use super::elsewhere::{Places, has_some, is_telling, path_into};
use super::sample::{MOST_FILTER_BYTES, Sample};
use super::values::{FieldValues, reached, shown};
use super::{lengths, letter_case};
use crate::extract::advice::fields::jq;
use crate::extract::advice::jq_path;
use crate::extract::advice::sought::{Sought, Test, sign};
use crate::fields::survey::Types;
use crate::settings::request::Extract;

/// A remark on the first test of a filter that no record meets.
pub(super) fn remark(sample: &Sample<'_>, asked: &Extract, filter: &str, sought: &[Sought]) -> Option<String> {
    sought.iter().find_map(|one| match MissedTest::of(sample, asked, filter, one) {
        Some(missed) => missed.remark(),
        None => missing_key(sample, one),
    })
}

/// A key that no object has there, of those whose keys are data: `.dependencies.lodash`.
fn missing_key(sample: &Sample<'_>, sought: &Sought) -> Option<String> {
    let (key, path) = sought.path.split_last().filter(|(key, path)| *key != "[]" && !path.is_empty())?;
    let keys: Vec<String> = path.iter().filter(|part| *part != "[]").cloned().collect();
    let known = FieldValues::of_keys(sample, &keys);
    if known.are_none() || known.frequent_texts().any(|(known, _)| known == *key) {
        return None;
    }
    let (nobody, here) = (sample.nobody(), jq_path(path));
    let lack = format!("{nobody} has the key {} in `{here}`: it has {}", shown(&quote(key)), known.listed());
    Some(match known.respelled(key) {
        Some(known) => format!("{lack}; did you mean `{here}{}`?", jq(&[&known])),
        None => lack,
    })
}

/// A test, and the values that it was made of.
struct MissedTest<'a> {
    sample: &'a Sample<'a>,
    asked: &'a Extract,
    filter: &'a str,
    sought: &'a Sought,
    keys: Vec<String>,
    values: FieldValues,
    test: Test,
    /// The texts in small letters.
    folded: Vec<String>,
    pattern: Option<Regex>,
}

impl<'a> MissedTest<'a> {
    /// A test that was made of some values, and that none of them meets.
    fn of(sample: &'a Sample<'a>, asked: &'a Extract, filter: &'a str, sought: &'a Sought) -> Option<Self> {
        let keys = sought.keys();
        let values = match sought.test {
            Test::Key => FieldValues::of_keys(sample, &keys),
            _ => FieldValues::of(sample, &keys),
        };
        let test = resolved(sample, sought);
        let pattern = match (test, sought.values.first()?) {
            (Test::Pattern, Value::String(text)) => Some(RegexBuilder::new(text).case_insensitive(true).build().ok()?),
            _ => None,
        };
        let folded = sought.values.iter().filter_map(Value::as_str).map(str::to_lowercase).collect();
        let missed = Self { sample, asked, filter, sought, keys, values, test, folded, pattern };
        (!missed.values.are_none() && !missed.is_met()).then_some(missed)
    }

    fn is_met(&self) -> bool {
        self.sample.records.iter().any(|record| {
            let (mut is_there, mut is_met) = (false, false);
            reached(record, &self.keys, &mut |value| {
                is_there = true;
                is_met |= self.meets(value);
            });
            is_met || !is_there && self.meets(&Value::Null)
        })
    }

    /// True for a value that passes the test. Of texts, the letters' case makes no difference but where they are equal.
    fn meets(&self, value: &Value) -> bool {
        let text = value.as_str();
        let fits = |holds: fn(&str, &str) -> bool| {
            text.map(str::to_lowercase).is_some_and(|text| self.folded.iter().any(|wanted| holds(&text, wanted)))
        };
        match self.test {
            Test::Equal => self.sought.values.iter().any(|wanted| order(value, wanted).is_eq()),
            Test::Order(operator) => {
                self.sought.values.iter().any(|wanted| operator.run(&order(value, wanted), &Ordering::Equal))
            }
            // Lengths are compared where they are told.
            Test::Length(_) => false,
            Test::Key => self.text().is_some_and(|key| value.get(key).is_some()),
            Test::True => !matches!(value, Value::Null | Value::Bool(false)),
            Test::Index | Test::Inside => fits(|text, wanted| text.contains(wanted)),
            Test::Prefix => fits(|text, wanted| text.starts_with(wanted)),
            Test::Suffix => fits(|text, wanted| text.ends_with(wanted)),
            Test::Pattern => text.zip(self.pattern.as_ref()).is_some_and(|(text, pattern)| pattern.is_match(text)),
        }
    }

    fn remark(&self) -> Option<String> {
        let is_of_objects = self.values.objects > 0 && self.values.texts == 0;
        match self.test {
            Test::Length(operator) => {
                let wanted = self.sought.values.first()?.as_f64()?;
                let has = lengths::other_than(self.sample, &self.sought.path, |length| operator.run(&length, &wanted))?;
                Some(format!("{}: {has}", self.said()))
            }
            _ if is_of_objects => None,
            Test::Order(_) => Some(format!("{}: it has {}", self.said(), self.values.ranged())),
            Test::True => self.values.are_truths().then(|| format!("{}: it has {}", self.said(), self.values.listed())),
            Test::Key => self.as_path().or_else(|| self.by_spelling()).or_else(|| self.by_values()),
            Test::Equal => {
                let of_text = self.by_spelling().or_else(|| self.inside()).or_else(|| self.elsewhere());
                of_text.or_else(|| self.several_by_case()).or_else(|| self.by_values())
            }
            _ => {
                self.elsewhere().or_else(|| self.by_few_values()).or_else(|| self.nowhere()).or_else(|| self.by_range())
            }
        }
    }

    /// A key that is a path: `has("customer.name")`.
    fn as_path(&self) -> Option<String> {
        let text = self.text().filter(|text| text.contains('.') && self.sought.path.is_empty())?;
        let keys: Vec<&str> = text.split('.').collect();
        let has = |record: &Value| keys.iter().try_fold(record, |value, key| value.get(key)).is_some();
        let is_path = self.sample.records.iter().any(has);
        is_path.then(|| format!("{}: it is a path, write `select({} != null)`", self.said(), jq(&keys)))
    }

    /// That it holds nowhere.
    fn said(&self) -> String {
        let written: Vec<String> = self.sought.values.iter().map(|value| shown(&written(value))).collect();
        let (nobody, here, wanted) = (self.sample.nobody(), self.here(), written.join(" or "));
        match self.test {
            Test::Equal | Test::True => format!("{nobody} has `{here}` {wanted}"),
            Test::Key if here.is_empty() => format!("{nobody} has the key {wanted}"),
            Test::Key => format!("{nobody} has the key {wanted} in `{here}`"),
            Test::Order(operator) => format!("{nobody} has `{here}` {} {wanted}", sign(operator)),
            Test::Length(operator) => format!("{nobody} has `{here} | length` {} {wanted}", sign(operator)),
            Test::Index | Test::Inside => format!("{nobody} has {wanted} in `{here}`"),
            Test::Prefix => format!("{nobody} has `{here}` that begins with {wanted}"),
            Test::Suffix => format!("{nobody} has `{here}` that ends with {wanted}"),
            Test::Pattern => format!("{nobody} has `{here}` that matches {wanted}"),
        }
    }

    /// Where the values lie, as jq writes it.
    fn here(&self) -> String {
        let here = jq_path(&self.sought.path);
        let is_of_an_array = self.sought.test == Test::Index && self.test == Test::Equal;
        if is_of_an_array && !here.contains("[]") { here + "[]" } else { here }
    }

    /// The one text that was looked for.
    fn text(&self) -> Option<&str> {
        let [value] = &self.sought.values[..] else { return None };
        value.as_str()
    }

    fn finds(&self, query: &str) -> bool {
        query.len() <= MOST_FILTER_BYTES && self.sample.finds_by(self.asked, query)
    }

    /// The filter with another text.
    fn with(&self, other: &str) -> Option<String> {
        self.with_json(&quote(other))
    }

    /// The filter with another value.
    fn with_json(&self, other: &str) -> Option<String> {
        let [value] = &self.sought.values[..] else { return None };
        let query = self.filter.replace(&written(value), other);
        self.finds(&query).then_some(query)
    }

    /// A text that the field has, in other letters or with a slip, or what the text writes: `"false"`.
    fn by_spelling(&self) -> Option<String> {
        let text = self.text()?;
        let query = match self.values.has_json(text) {
            true => self.with_json(text),
            false => self.with(&self.values.respelled(text)?),
        }?;
        Some(format!("{}: it has {}; write `{query}`", self.said(), self.values.listed()))
    }

    /// Several texts, of which one is there in other letters.
    fn several_by_case(&self) -> Option<String> {
        (self.sought.values.len() > 1).then(|| letter_case::remark(self.sample, self.asked, self.filter))?
    }

    /// Longer texts of the field have it inside.
    fn inside(&self) -> Option<String> {
        let has_word = |text| self.values.frequent_texts().any(|(known, _)| has_word(&known, text));
        // A part of a few values is found by chance.
        let text = self.text().filter(|text| is_telling(text) && (!self.values.are_few() || has_word(text.trim())))?;
        let (here, wanted) = (jq_path(&self.sought.path), quote(text));
        let compared = [format!("{here} == {wanted}"), format!("{here}=={wanted}")];
        let there = compared.iter().find(|compared| self.filter.contains(*compared))?;
        let query = self.filter.replace(there, &format!("({here} | strings | contains({wanted}))"));
        self.finds(&query).then(|| format!("{}: longer texts have it inside; write `{query}`", self.said()))
    }

    /// Another field has it.
    fn elsewhere(&self) -> Option<String> {
        let is_of_few = self.test == Test::Equal && self.values.are_few();
        self.text().filter(|text| is_telling(text) && !is_of_few)?;
        let places = Places::of(self.sample, &|value| self.meets(value), &|_| true);
        let (keys, records) = *places.paths().first()?;
        let there = path_into(self.sample, keys)?;
        let has_it = format!("{}: `{there}` has it", self.said());
        let query = replaced(self.filter, &jq_path(&self.sought.path), &there).filter(|query| self.finds(query));
        Some(match query {
            Some(query) => format!("{has_it}; write `{query}`"),
            None => format!("{has_it} ({})", self.sample.times(records.try_into().unwrap_or(usize::MAX))),
        })
    }

    fn by_few_values(&self) -> Option<String> {
        self.values.are_few().then(|| format!("{}: it has {}", self.said(), self.values.listed_if_few()))
    }

    /// What other texts begin with.
    fn by_range(&self) -> Option<String> {
        (self.test == Test::Prefix).then(|| format!("{}: it has {}", self.said(), self.values.ranged()))
    }

    /// The values that there are, and the filter with one of them.
    fn by_values(&self) -> Option<String> {
        let has = format!("{}: it has {}", self.said(), self.values.listed());
        let frequent = self.text().and_then(|_| self.values.frequent_texts().next());
        Some(match frequent.and_then(|(known, _)| self.with(&known)) {
            Some(query) => format!("{has}; for example `{query}`"),
            None => has,
        })
    }

    /// No other field has it either.
    fn nowhere(&self) -> Option<String> {
        self.text().filter(|text| is_telling(text))?;
        let is_there = self.sample.records.iter().any(|record| has_some(record, &|value| self.meets(value)));
        let or_other = if self.test == Test::Inside { "or in any other field" } else { "or another field that does" };
        (!is_there).then(|| format!("{}, {or_other}", self.said()))
    }
}

/// The test, once it is known whether an array was looked into or a text.
fn resolved(sample: &Sample<'_>, sought: &Sought) -> Test {
    let keys: Vec<&str> = sought.path.iter().map(String::as_str).collect();
    let is_of_elements = || sample.fields().get(&keys).is_some_and(|field| field.types.has(Types::ARRAY));
    match sought.test {
        Test::Index if keys.contains(&"[]") || is_of_elements() => Test::Equal,
        Test::Index => Test::Inside,
        test => test,
    }
}

/// How jq orders two values, of which one is a number, a text or a boolean: by their types, then by what they are.
fn order(a: &Value, b: &Value) -> Ordering {
    let rank = |value: &Value| match value {
        Value::Null => 0,
        Value::Bool(is_true) => 1 + u8::from(*is_true),
        Value::Number(_) => 3,
        Value::String(_) => 4,
        Value::Array(_) => 5,
        Value::Object(_) => 6,
    };
    match (a.as_f64().zip(b.as_f64()), a.as_str().zip(b.as_str())) {
        (Some((a, b)), _) => a.total_cmp(&b),
        (_, Some((a, b))) => a.cmp(b),
        _ => rank(a).cmp(&rank(b)),
    }
}

fn written(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), quote)
}

/// The filter with another path, if it has this one once.
fn replaced(filter: &str, here: &str, there: &str) -> Option<String> {
    let (before, after) = filter.split_once(here)?;
    let ends = |text: &str| !text.starts_with(|c: char| c.is_alphanumeric() || "_.[".contains(c));
    let begins = !before.ends_with(|c: char| c.is_alphanumeric() || "_.])".contains(c));
    (begins && ends(after) && !after.contains(here)).then(|| format!("{before}{there}{after}"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::tests::remarks;

    #[test]
    fn what_no_record_has_is_told_with_what_they_have() {
        let record = |n: u32| {
            let title = format!("Fix number {n} of many");
            json!({"id": n, "title": title, "tags": ["ui", "api"], "by": {"login": "anna"}, "due": format!("2026-01-{n:02}"), "draft": false, "deps": {format!("lib{n}"): "^1"}})
        };
        let mut records: Vec<String> = (10..30).map(|n| record(n).to_string()).collect();
        records.push(json!({"id": null, "title": null, "tags": null, "by": null, "due": null}).to_string());
        for (query, expected) in [
            ("select(.id > 30)", "no record has `.id` > 30: it has numbers from 10 to 29"),
            (
                "select(.due > \"2027\")",
                "no record has `.due` > \"2027\": it has texts from \"2026-01-10\" to \"2026-01-29\"",
            ),
            ("select((.tags | length) > 2)", "no record has `.tags | length` > 2: it has lengths from 0 to 2"),
            (
                "select(.title == \"number 12\")",
                "no record has `.title` \"number 12\": longer texts have it inside; write `select((.title | strings | contains(\"number 12\")))`",
            ),
            (
                "select(.title // \"\" | test(\"anna\")) | .id",
                "no record has `.title` that matches \"anna\": `.by.login` has it; write `select(.by.login // \"\" | test(\"anna\")) | .id`",
            ),
            (
                "select(.title // \"\" | contains(\"nowhere\"))",
                "no record has \"nowhere\" in `.title`, or in any other field",
            ),
            (
                "select(.title // \"\" | startswith(\"nowhere\"))",
                "no record has `.title` that begins with \"nowhere\", or another field that does",
            ),
            (
                "select(.deps | keys | index(\"lip12\")) | .id",
                "no record has the key \"lip12\" in `.deps`: it has \"lib10\" (1), \"lib11\" (1), \"lib12\" (1), \"lib13\" (1), \"lib14\" (1), and 15 more; write `select(.deps | keys | index(\"lib12\")) | .id`",
            ),
            ("select(.id | tostring | startswith(\"9\"))", "no record has `.id` that begins with \"9\""),
            (
                "select(.title | test(\"anna\"))",
                "no record has `.title` that matches \"anna\": `.by.login` has it; write `",
            ),
            ("select(.draft)", "no record has `.draft` true: it has false (20)"),
            ("select(.draft == true)", "no record has `.draft` true: it has false (20)"),
            ("select(.id > 12 and .draft) | .id", "no record has `.draft` true: it has false (20)"),
            (
                "select(.by | has(\"log_in\"))",
                "no record has the key \"log_in\" in `.by`: it has \"login\" (20); write `select(.by | has(\"login\"))`",
            ),
            (
                "select(.draft == \"false\") | .id",
                "no record has `.draft` \"false\": it has false (20); write `select(.draft == false) | .id`",
            ),
            // One test is met by some, another one by none.
            ("select(.id > 12 and .id < 10)", ""),
            (
                "select(.id == 12 and (.tags | index(\"cli\")))",
                "no record has `.tags[]` \"cli\": it has \"api\" (20), \"ui\" (20)",
            ),
            // Two letters are in other fields by chance.
            ("select(.title // \"\" | contains(\"na\"))", ""),
            ("select(.title // \"\" | contains(\"qq\"))", ""),
        ] {
            let said = remarks("records", &records, &json!({"query": query})).concat();
            assert!(said.starts_with(expected) && said.is_empty() == expected.is_empty(), "{query}: {said}");
        }
    }

    #[test]
    fn a_key_among_many_is_told_with_others() {
        let keys = |n: u32| (0..20).map(move |i| (format!("lib{}", n * 20 + i), json!("^1")));
        let record = |n| json!({"id": n, "deps": keys(n).collect::<serde_json::Map<_, _>>()}).to_string();
        let records: Vec<String> = (0..50).map(record).collect();
        for (query, expected) in [
            ("select(.deps.lodash) | .id", "no record has the key \"lodash\" in `.deps`: it has \"lib0\" (1), "),
            ("select(.deps.\"lib-7\" == \"^1\") | .id", "; did you mean `.deps.lib7`?"),
        ] {
            let said = remarks("records", &records, &json!({"query": query})).concat();
            assert!(said.contains(expected), "{query}: {said}");
        }
    }
}
