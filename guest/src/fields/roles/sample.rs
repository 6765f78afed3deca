//! Looks into some of the records for values that are good examples. A sample is enough to find a value that occurs, and
//! costs the same for any number of records.

use std::borrow::Cow;

use lro_query::json::{Members, Scan, unquote};

use super::{Role, Roles, Words, is_plain, is_plain_sign};
use crate::fields::words::{beginning, word};
use crate::payload::path::Path;
use crate::payload::texts::Texts;

/// At most this many records are looked at: evenly spread, so that the last ones count as much as the first.
const MOST_RECORDS: usize = 64;

/// After this much text no further record is looked at.
const MOST_BYTES: usize = 256 * 1024;

/// At most this many texts of one record are looked at, this deep.
const MOST_TEXTS: usize = 32;
const DEEPEST: usize = 6;

/// A longer number has more digits than anybody types.
const NUMBER_CHARACTERS: usize = 12;

/// A longer value is not an example.
const VALUE_CHARACTERS: usize = 24;

/// The records of a sample.
pub(super) fn spread<'t>(records: &'t Texts<'_>) -> Vec<Cow<'t, str>> {
    let step = records.len().div_ceil(MOST_RECORDS).max(1);
    let mut left = MOST_BYTES;
    let mut sample = Vec::new();
    for place in (0..records.len()).step_by(step) {
        if left == 0 {
            break;
        }
        let record = records.at(place);
        left = left.saturating_sub(record.len());
        sample.push(record);
    }
    sample
}

/// Some of the records.
pub(super) struct Sample<'a>(Vec<Record<'a>>);

/// A record, taken apart once for all roles.
struct Record<'a> {
    text: &'a str,
    /// `None` if it is not an object.
    members: Option<Members<'a>>,
}

impl Roles {
    /// The same roles with examples that occur in these records. Some record has the category, or the number, and the
    /// word of the title or text: they can be asked for in one call.
    pub fn with_examples(mut self, records: &Texts<'_>) -> Self {
        let spread = spread(records);
        let sample = Sample::of(&spread);
        if let Some(category) = &mut self.category {
            category.example = frequent(&sample, category);
        }
        if let Some(number) = &mut self.number {
            number.example = bound(&sample, number);
        }
        let meets = self.meets(&sample);
        for role in [&mut self.title, &mut self.text].into_iter().flatten() {
            let texts = sample.texts(role);
            let texts: Vec<&str> = texts.iter().map(AsRef::as_ref).collect();
            let found = word(&texts, |place| meets[place]).or_else(|| word(&texts, |_| true));
            role.example = found.or_else(|| role.example.take());
        }
        if let Some(prefix) = &mut self.prefix {
            let texts = sample.texts(prefix);
            let texts: Vec<&str> = texts.iter().map(AsRef::as_ref).filter(|text| !text.is_empty()).collect();
            prefix.example = beginning(&texts, is_plain_sign).or_else(|| prefix.example.take());
        }
        if let Some(member) = self.member.as_mut().filter(|member| member.example.is_none()) {
            member.example = sample.member(member);
        }
        self
    }

    /// The same with words for the recipes that name no field: all of them, where no field has a role.
    pub fn with_words(mut self, records: &Texts<'_>) -> Self {
        let is_plain = |number: usize| self.plain.contains(&number);
        let needed = [
            self.prefix.is_none() || is_plain(2),
            self.title.is_none() || is_plain(3),
            self.category.is_none() || is_plain(5),
            self.member.is_none() || is_plain(7),
            self.text.is_none() || is_plain(10),
        ];
        if needed.contains(&true) {
            let Words { prefix, keyword, value, member, pattern, .. } = Sample::of(&spread(records)).words();
            let [for_prefix, for_keyword, for_value, for_member, for_pattern] = needed;
            self.words = Words {
                prefix: prefix.filter(|_| for_prefix),
                keyword: keyword.filter(|_| for_keyword),
                value: value.filter(|_| for_value),
                member: member.filter(|_| for_member),
                pattern: pattern.filter(|_| for_pattern),
                without_levels: false,
                levels_in_capitals: false,
                levels_in_colors: false,
            };
        }
        self
    }

    /// Which records of the sample have the category, or else a number of at least the bound; all where none is known.
    fn meets(&self, sample: &Sample<'_>) -> Vec<bool> {
        let category = self.category.as_ref().and_then(|role| Some((role, role.example.as_ref()?)));
        if let Some((role, example)) = category {
            return sample.texts(role).into_iter().map(|text| text == **example).collect();
        }
        let number = self.number.as_ref().and_then(|role| Some((role, role.example.as_ref()?.parse::<f64>().ok()?)));
        match number {
            Some((role, least)) => {
                let number = |value: Option<&str>| value.and_then(|value| value.parse::<f64>().ok());
                sample.values(&role.path).into_iter().map(|value| number(value).is_some_and(|n| n >= least)).collect()
            }
            None => vec![true; sample.0.len()],
        }
    }
}

impl<'a> Sample<'a> {
    pub(super) fn of(records: &'a [Cow<'_, str>]) -> Self {
        Self(records.iter().map(|text| Record { text, members: Members::of(text) }).collect())
    }

    /// The value of a field in each record.
    fn values(&self, path: &Path) -> Vec<Option<&'a str>> {
        let Some((first, inner)) = path.0.split_first() else {
            return self.0.iter().map(|record| Some(record.text)).collect();
        };
        let value = |record: &Record<'a>| within(record.members.as_ref()?.get(first)?, inner);
        self.0.iter().map(value).collect()
    }

    /// What a recipe reads as the text of a field in each record; empty where it has none.
    pub(super) fn texts(&self, role: &Role) -> Vec<Cow<'a, str>> {
        let text = |value: Option<&'a str>| match value {
            Some(text) if text.starts_with('"') => unquote(text),
            Some(other) if role.mixed && (is_short_number(other) || matches!(other, "true" | "false")) => other.into(),
            _ => "".into(),
        };
        self.values(&role.path).into_iter().map(text).collect()
    }

    /// An element of a list that can be written in a filter.
    fn member(&self, role: &Role) -> Option<String> {
        let mut names = Vec::new();
        for list in self.values(&role.path).into_iter().flatten() {
            let mut scan = Scan::of(list);
            if scan.peek() != b'[' {
                continue;
            }
            scan.elements(|scan| {
                let name = within(scan.value(), role.of.as_ref().map_or(&[], |of| &of.0));
                names.extend(name.filter(|name| name.starts_with('"')).map(unquote));
            });
        }
        most_frequent(&names)
    }

    /// Words of the records for recipes that look at all texts.
    fn words(&self) -> Words {
        let mut all = Vec::new();
        let (mut direct, mut deep): (Vec<Cow<'a, str>>, Vec<Cow<'a, str>>) = (Vec::new(), Vec::new());
        for record in &self.0 {
            let mut found = Vec::new();
            collect(&mut Scan::of(record.text), DEEPEST, &mut found);
            all.push(found.iter().map(|(text, _)| text.as_ref()).collect::<Vec<_>>().join("\n"));
            for (text, depth) in found {
                if depth <= 1 {
                    direct.push(text.clone());
                }
                deep.push(text);
            }
        }
        let all: Vec<&str> = all.iter().map(AsRef::as_ref).collect();
        let pattern = word(&all, |_| true);
        let begins: Vec<&str> = direct.iter().map(AsRef::as_ref).collect();
        Words {
            prefix: beginning(&begins, is_plain_sign),
            keyword: pattern.clone().or_else(|| self.key_or_number()),
            value: most_frequent(&direct),
            member: most_frequent(&deep),
            pattern,
            without_levels: false,
            levels_in_capitals: false,
            levels_in_colors: false,
        }
    }

    /// A part of the JSON of some record that has no texts: a key, or digits of a number.
    fn key_or_number(&self) -> Option<String> {
        let is_key = |word: &String| word.bytes().all(|byte| byte.is_ascii_alphabetic());
        let digits = |number: &&str| number.trim_start_matches('-').split('.').next().unwrap_or_default().to_owned();
        let texts: Vec<&str> = self.0.iter().map(|record| record.text).collect();
        let number = || texts.iter().find(|text| is_short_number(text)).map(digits);
        word(&texts, |_| true).filter(is_key).or_else(number)
    }
}

/// The value at a path within a value.
fn within<'a>(value: &'a str, path: &[String]) -> Option<&'a str> {
    path.iter().try_fold(value, |value, key| Members::of(value)?.get(key))
}

/// The texts of a value, each with its depth below the record.
fn collect<'a>(scan: &mut Scan<'a>, deepest: usize, texts: &mut Vec<(Cow<'a, str>, usize)>) {
    let depth = DEEPEST - deepest;
    match scan.peek() {
        b'{' if deepest > 0 => scan.members(|scan, _| collect(scan, deepest - 1, texts)),
        b'[' if deepest > 0 => scan.elements(|scan| collect(scan, deepest - 1, texts)),
        b'"' => {
            let text = scan.value();
            if texts.len() < MOST_TEXTS {
                texts.push((unquote(text), depth));
            }
        }
        _ => _ = scan.value(),
    }
}

/// True for a number that is written as anybody would write it.
fn is_short_number(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let plain = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    text.len() <= NUMBER_CHARACTERS
        && digits.split_once('.').map_or_else(|| plain(digits), |(a, b)| plain(a) && plain(b))
}

/// The example of a category if it occurs here, else the most frequent value that does.
fn frequent(sample: &Sample<'_>, category: &Role) -> Option<String> {
    let texts = sample.texts(category);
    let known = category.example.clone().filter(|known| texts.iter().any(|text| text == known));
    known.or_else(|| most_frequent(&texts))
}

/// The most frequent text that can be written in a filter; of equals the first.
fn most_frequent(texts: &[Cow<'_, str>]) -> Option<String> {
    let plain = |text: &&Cow<'_, str>| is_plain(text) && text.len() <= VALUE_CHARACTERS && text.trim() == text.as_ref();
    let mut counted: Vec<(&str, usize)> = Vec::new();
    for text in texts.iter().filter(plain) {
        match counted.iter_mut().find(|(known, _)| *known == text.as_ref()) {
            Some((_, times)) => *times += 1,
            None => counted.push((text, 1)),
        }
    }
    let most = counted.iter().map(|(_, times)| *times).max()?;
    counted.into_iter().find(|(_, times)| *times == most).map(|(text, _)| text.to_owned())
}

/// A number that some records reach and, where they differ, others do not: the one in the middle.
fn bound(sample: &Sample<'_>, number: &Role) -> Option<String> {
    let short = sample.values(&number.path).into_iter().flatten().filter(|value| is_short_number(value));
    let mut numbers: Vec<(f64, &str)> = short.filter_map(|text| Some((text.parse().ok()?, text))).collect();
    numbers.sort_by(|a, b| a.0.total_cmp(&b.0));
    let least = numbers.first()?.0;
    let middle = numbers.len() / 2;
    let above = numbers[middle..].iter().find(|(value, _)| *value > least);
    above.or_else(|| numbers.first()).map(|(_, text)| (*text).to_owned())
}
