//! Why a condition matches no record, and one that holds.

use lro_query::json::{cut, quote};
use serde_json::{Number, Value};

use super::elsewhere::{LEAST_LETTERS, MOST_KEYS, Places, is_telling};
use super::matcher::Matcher;
use super::sample::Sample;
use super::trees;
use super::values::{FieldValues, reached, shown};
use super::{absence, columns, compared, maps, notations, numbers, plain, spelling, unknown};
use crate::extract::criteria::{Clause, Condition, Field, Operator};
use crate::settings::request::Extract;

/// A longer condition is not proposed: an answer over MCP has room for 500 bytes of remarks.
const MOST_PROPOSED_BYTES: usize = 200;

/// So much of a condition of the caller's is repeated.
pub(super) const SAID_CHARACTERS: usize = 80;

/// At most this many other spellings are tried: each is a run over the sample.
const MOST_TRIED: usize = 4;

/// A remark on a condition that no record meets. One that stands `alone` has been asked of all records.
pub(super) fn remark(sample: &Sample<'_>, asked: &Extract, condition: &Condition, alone: bool) -> Option<String> {
    if let Some(meant) = spelling::with_colon(condition).filter(|meant| occurs(sample, &meant.field.parts)) {
        return match sample.count(std::slice::from_ref(&meant)) {
            0 => remark(sample, asked, &meant, alone),
            found => {
                let (wrong, right) = (said(condition), written(&meant));
                Some(format!("`{wrong}` asks for a field of that name; write `{right}` ({})", sample.times(found)))
            }
        };
    }
    let values = FieldValues::of(sample, &condition.field.parts);
    let missed = MissedCondition { sample, asked, condition, alone, values };
    absence::remark(sample, condition, &missed.said(), &missed.values)
        .or_else(|| numbers::remark(sample, condition, &missed.said(), &missed.values))
        .or_else(|| maps::of_member(sample, condition, &missed.said(), &missed.values))
        .or_else(|| missed.by_truth())
        .or_else(|| missed.by_spelling())
        .or_else(|| compared::with_a_field(sample, condition, &missed.said()))
        .or_else(|| missed.by_line_end())
        .or_else(|| missed.deeper_in_trees())
        .or_else(|| missed.in_maps())
        .or_else(|| missed.missing())
        .or_else(|| missed.by_letter_case())
        .or_else(|| missed.by_slip())
        .or_else(|| missed.inside_of_texts())
        .or_else(|| missed.below())
        .or_else(|| missed.by_date())
        .or_else(|| missed.by_type())
        .or_else(|| missed.in_another_field())
        .or_else(|| missed.by_values())
}

struct MissedCondition<'a> {
    sample: &'a Sample<'a>,
    asked: &'a Extract,
    condition: &'a Condition,
    alone: bool,
    values: FieldValues,
}

impl MissedCondition<'_> {
    /// What was asked, and that it holds nowhere.
    fn said(&self) -> String {
        let nobody = if self.alone { self.sample.nobody_at_all() } else { self.sample.nobody() };
        format!("`{}` matches {nobody}", said(self.condition))
    }

    fn name(&self) -> String {
        shown(&self.condition.field.name)
    }

    fn text(&self) -> Option<&str> {
        self.condition.values.last().and_then(Value::as_str)
    }

    fn with(&self, operator: Operator, value: impl Into<Value>) -> Condition {
        Condition::new(self.condition.field.clone(), operator, vec![value.into()])
    }

    /// The remark with a condition to write instead, if it holds for some records.
    fn proposed(&self, because: &str, instead: &Condition) -> Option<String> {
        let (found, written) = self.found(instead);
        (found > 0).then(|| format!("{}: {because}; write `{written}` ({})", self.said(), self.sample.times(found)))
    }

    /// How many records meet a condition as it is written, and how that is.
    fn found(&self, condition: &Condition) -> (usize, String) {
        let written = written(condition);
        if written.len() > MOST_PROPOSED_BYTES {
            return (0, written);
        }
        let typed = condition.clone().retyped();
        (self.sample.count(std::slice::from_ref(&typed)), written)
    }

    fn by_spelling(&self) -> Option<String> {
        spelling::meant(self.condition).into_iter().take(MOST_TRIED).find_map(|(because, instead)| {
            let found = self.sample.count_clauses(&instead);
            let written: Vec<String> = instead.iter().map(|one| format!("`{}`", one.written())).collect();
            (found > 0).then(|| {
                format!("{}: {because}; write {} ({})", self.said(), written.join(" and "), self.sample.times(found))
            })
        })
    }

    /// A pattern ends with the end of a line, and the lines of a file from Windows have a sign before it.
    fn by_line_end(&self) -> Option<String> {
        let is_pattern = matches!(self.condition.operator, Operator::Matches | Operator::Contains);
        let text = self.text().filter(|_| is_pattern && self.sample.has_returns())?.strip_suffix('$')?;
        let pattern = match self.condition.operator {
            Operator::Contains => regex::escape(text),
            _ => text.to_owned(),
        };
        let instead = self.with(Operator::Matches, format!("{pattern}\\r?$"));
        self.proposed("lines end with a carriage return", &instead)
    }

    /// Records that have records of their own shape inside hold more than their own fields.
    fn deeper_in_trees(&self) -> Option<String> {
        let matcher = Matcher::new(self.condition)?;
        let (times, run) = trees::deeper(self.sample, self.asked, self.condition, &matcher)?;
        Some(format!("{}, but {times} times deeper inside them: {run}", self.said()))
    }

    /// Values of an object whose keys are data have the field.
    fn in_maps(&self) -> Option<String> {
        let is_missing = self.values.are_none() && !self.sample.is_text();
        is_missing.then(|| maps::remark(self.sample, self.condition, &self.said()))?
    }

    /// No record has the field.
    fn missing(&self) -> Option<String> {
        if !self.values.are_none() || self.sample.is_text() {
            return None;
        }
        let field = &self.condition.field;
        let instead = |path: &[String]| {
            let condition =
                Condition::new(Field::of_path(path), self.condition.operator, self.condition.values.clone());
            (self.sample.count(std::slice::from_ref(&condition)) > 0).then(|| written(&condition))
        };
        // `!=` holds where there is nothing.
        (self.condition.operator != Operator::Ne).then(|| {
            plain::of_condition(self.sample, self.condition)
                .or_else(|| maps::of_key(self.sample, self.condition))
                .or_else(|| columns::of_condition(self.sample, self.condition))
                .unwrap_or_else(|| unknown::remark(self.sample, field, "write", instead))
        })
    }

    /// The same text in other letters, or with blanks around it.
    fn by_letter_case(&self) -> Option<String> {
        let texts: Vec<&str> = self.condition.values.iter().filter_map(Value::as_str).collect();
        let plain = |text: &str| text.trim().to_lowercase();
        match self.condition.operator {
            Operator::Eq | Operator::In => {
                let wanted: Vec<String> = texts.iter().map(|text| plain(text)).collect();
                let is_meant = |text: &str| wanted.contains(&plain(text));
                let found: Vec<(String, u32)> =
                    self.values.frequent_texts().filter(|(text, _)| is_meant(text)).take(MOST_TRIED).collect();
                let said: Vec<String> =
                    found.iter().map(|(text, _)| shown(&Value::from(text.as_str()).to_string())).collect();
                let values: Vec<Value> = found.into_iter().map(|(text, _)| text.into()).collect();
                let operator = if values.len() > 1 { Operator::In } else { Operator::Eq };
                let instead = Condition::new(self.condition.field.clone(), operator, values);
                (!said.is_empty())
                    .then(|| self.proposed(&format!("`{}` has {}", self.name(), said.join(", ")), &instead))?
            }
            Operator::Prefix => {
                let wanted = texts.first().map(|text| plain(text)).filter(|text| !text.is_empty())?;
                let begins = |text: &str| text.trim_start().to_lowercase().starts_with(&wanted);
                let (text, _) = self.values.frequent_texts().find(|(text, _)| begins(text))?;
                let blanks = text.chars().take_while(|c| c.is_whitespace()).count();
                let front: String = text.chars().take(blanks + wanted.chars().count()).collect();
                let because = format!("`{}` has {}", self.name(), shown(&quote(&text)));
                self.proposed(&because, &self.with(Operator::Prefix, front))
            }
            _ => None,
        }
    }

    /// A text that is there with another letter or two.
    fn by_slip(&self) -> Option<String> {
        let text = self.text().filter(|_| self.condition.operator == Operator::Eq)?;
        let known = self.values.respelled(text)?;
        let because = format!("`{}` has {}", self.name(), self.values.listed_if_few());
        self.proposed(&because, &self.with(Operator::Eq, known))
    }

    /// A whole text was asked for that is a part of longer ones.
    fn inside_of_texts(&self) -> Option<String> {
        let is_whole = matches!(self.condition.operator, Operator::Eq | Operator::Prefix);
        let text = self.text().filter(|text| is_whole && !text.trim().is_empty())?;
        // A part of a few values, or a number within others, is found by chance.
        let is_short = text.trim().chars().count() < LEAST_LETTERS;
        let is_number = text.trim().bytes().all(|byte| byte.is_ascii_digit());
        let is_few = self.values.are_few();
        let has_word = || self.values.frequent_texts().any(|(known, _)| has_word(&known, text.trim()));
        if !self.sample.is_text() && (is_few && is_short || (is_few || is_short || is_number) && !has_word()) {
            return None;
        }
        let noun = if self.sample.is_text() { "lines have" } else { "longer texts have" };
        self.proposed(&format!("{noun} it inside"), &self.with(Operator::Contains, text.trim()))
    }

    /// The field has objects, and one of their fields has the value.
    fn below(&self) -> Option<String> {
        let parts = &self.condition.field.parts;
        if self.values.objects == 0 {
            return None;
        }
        self.at(
            |path| path.len() > parts.len() && path.iter().zip(parts).all(|(key, part)| key == part),
            true,
            |place| format!("`{}` has objects, and `{place}` has it", self.name()),
        )
    }

    fn in_another_field(&self) -> Option<String> {
        let is_telling = self.text().is_some_and(is_telling);
        let is_search = matches!(self.condition.operator, Operator::Contains | Operator::Matches);
        let is_of_few = !is_search && self.values.are_few();
        if !is_telling || is_of_few || self.condition.operator.is_order() || self.sample.is_text() {
            return None;
        }
        self.at(|_| true, false, |place| format!("`{place}` has it"))
    }

    /// Another field that the condition matches, as it is or with part of the text.
    fn at(
        &self,
        fits: impl Fn(&[&str]) -> bool,
        takes_parts: bool,
        because: impl Fn(&str) -> String,
    ) -> Option<String> {
        let part = self.text().filter(|_| takes_parts).map(|text| self.with(Operator::Contains, text.trim()));
        let asked = [Some(self.condition.clone()), part.filter(|_| self.condition.operator == Operator::Eq)];
        asked.into_iter().flatten().find_map(|condition| {
            let matcher = Matcher::new(&condition)?;
            let places = Places::of(self.sample, &|value| matcher.meets(value), &fits);
            let (path, _) = *places.paths().first()?;
            let instead = Condition::new(Field::of_path(path), condition.operator, condition.values.clone());
            self.proposed(&because(&instead.field.name), &instead)
        })
    }

    /// True and false are written otherwise: `True`, `yes`.
    fn by_truth(&self) -> Option<String> {
        let is_equal = self.condition.operator == Operator::Eq;
        let value = self.condition.values.last().filter(|_| is_equal && self.values.are_truths())?;
        let word = value.as_str().map_or_else(|| value.to_string(), |text| text.trim().to_lowercase());
        let truth = match &*word {
            "true" | "yes" | "on" | "1" => true,
            "false" | "no" | "off" | "0" => false,
            _ => return None,
        };
        let because = format!("`{}` has {}", self.name(), self.values.listed());
        let instead = self.with(Operator::Eq, truth);
        let told = || match self.condition.values.contains(&Value::Bool(truth)) {
            true => format!("{}: {because}", self.said()),
            false => format!("{}, and neither does `{}`: {because}", self.said(), written(&instead)),
        };
        self.proposed(&because, &instead).or_else(|| Some(told()))
    }

    /// A date was compared with numbers that count from 1970.
    fn by_date(&self) -> Option<String> {
        let instead = notations::in_numbers(self.condition, self.values.greatest?)?;
        let because = format!("`{}` has {}, which count from 1970", self.name(), self.values.listed());
        let no_more = || format!("{}: {because}; that is `{}`", self.said(), written(&instead));
        self.proposed(&because, &instead).or_else(|| Some(no_more()))
    }

    /// A number was compared with texts, or a text with numbers.
    fn by_type(&self) -> Option<String> {
        let name = self.name();
        let is_number = match self.condition.values.last()? {
            Value::Number(_) if self.values.numbers == 0 && self.values.texts > 0 => true,
            Value::String(text) if self.values.texts == 0 && self.values.numbers > 0 => {
                if text.trim().parse::<Number>().is_err() {
                    let because = format!("`{name}` has {}", self.values.listed());
                    return self.example(&because, &self.with(self.condition.operator, self.values.middle()?));
                }
                false
            }
            _ => return None,
        };
        let mut instead = self.condition.clone();
        for value in &mut instead.values {
            let other = match value {
                Value::Number(number) if is_number => Some(number.to_string().into()),
                Value::String(text) if !is_number => text.trim().parse().ok().map(Value::Number),
                _ => None,
            };
            *value = other.unwrap_or_else(|| value.take());
        }
        let (has, is) = if is_number { ("texts", "a number") } else { ("numbers", "a text") };
        self.proposed(&format!("`{name}` has {has}, the value is {is}"), &instead)
    }

    /// The remark with a condition as an example of what holds.
    fn example(&self, because: &str, example: &Condition) -> Option<String> {
        let (found, written) = self.found(example);
        let example = (found > 0).then(|| format!("; for example `{written}` ({})", self.sample.times(found)));
        Some(format!("{}: {because}{}", self.said(), example.unwrap_or_default()))
    }

    /// The values that there are.
    fn by_values(&self) -> Option<String> {
        let name = self.name();
        // What no record of the first ones has may be in others: beside other conditions nobody has asked them.
        if !self.alone && !self.sample.is_all() {
            return None;
        }
        if self.sample.is_text() || matches!(self.condition.operator, Operator::Exists | Operator::Ne) {
            return Some(self.said());
        }
        let is_order = self.condition.operator.is_order() || self.condition.operator == Operator::Between;
        let because =
            format!("`{name}` has {}", if is_order { self.values.ranged() } else { self.values.listed_if_few() });
        let example = match self.condition.operator {
            operator if operator.is_order() => {
                // The value in the middle meets both `>=` and `<=`.
                let operator =
                    if matches!(operator, Operator::Lt | Operator::Le) { Operator::Le } else { Operator::Ge };
                self.values.middle().map(|middle| self.with(operator, middle))
            }
            Operator::Eq | Operator::In if !self.values.are_few() => {
                let first =
                    self.values.frequent().first().and_then(|(text, _)| serde_json::from_str::<Value>(text).ok());
                first.map(|first| self.with(Operator::Eq, first))
            }
            _ => None,
        };
        match example {
            Some(example) => self.example(&because, &example),
            None => Some(format!("{}: {because}", self.said())),
        }
    }
}

/// True for a text that has another one as a word or as several.
pub(super) fn has_word(text: &str, word: &str) -> bool {
    let (text, word) = (text.to_lowercase(), word.to_lowercase());
    let is_end = |c: Option<char>| !c.is_some_and(char::is_alphanumeric);
    text.match_indices(&word)
        .any(|(at, _)| is_end(text[..at].chars().next_back()) && is_end(text[at + word.len()..].chars().next()))
}

/// A condition written for a sentence and for a request.
pub(super) fn written(condition: &Condition) -> String {
    match condition.written() {
        Value::String(text) => text,
        object => object.to_string(),
    }
}

/// A condition as it is named in a sentence: a text that spells a number is in quotes.
pub(super) fn said(condition: &Condition) -> String {
    let exact = condition.exact();
    cut(&exact.as_str().map_or_else(|| written(condition), str::to_owned), SAID_CHARACTERS)
}

/// Conditions that are joined, as they are named in a sentence.
pub(super) fn said_clause(clause: &Clause) -> String {
    let joined = |list: &[Clause], sign: &str| list.iter().map(said_clause).collect::<Vec<_>>().join(sign);
    match clause {
        Clause::One(condition) => said(condition),
        Clause::Not(condition) => format!("!{}", said(condition)),
        Clause::Any(list) => cut(&joined(list, " or "), SAID_CHARACTERS),
        Clause::All(list) => cut(&joined(list, " and "), SAID_CHARACTERS),
    }
}

/// True if some record has something at a path.
pub(super) fn occurs(sample: &Sample<'_>, path: &[String]) -> bool {
    path.len() <= MOST_KEYS
        && sample.records.iter().any(|record| {
            let mut found = false;
            reached(record, path, &mut |value| found |= !value.is_null());
            found
        })
}
