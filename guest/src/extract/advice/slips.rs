//! Slips that a failure gives away: what a function takes its input for, and where it looks for a key.

use lro_query::json::Type;
use lro_query::{Failure, Index, Shown};

use super::AskedFilter;
use super::fields::{Fields, jq};
use super::nothing::FIRST_MILLISECONDS;

/// Functions whose text comes from the left.
const OF_TEXTS: [&str; 12] = [
    "capture",
    "contains",
    "endswith",
    "index",
    "join",
    "ltrimstr",
    "match",
    "rtrimstr",
    "scan",
    "split",
    "startswith",
    "test",
];

/// What to do about a failure; `None` where it gives no slip away.
pub(super) fn of(failure: &Failure, asked: AskedFilter<'_>, fields: &Fields) -> Option<String> {
    let filter = asked.filter.trim();
    match failure {
        Failure::Index { whole, with: Index::Value(Shown { kind: Type::String, json }) } => {
            let key: String = serde_json::from_str(json).ok()?;
            fields.get(&[&key])?;
            of_a_key(*whole, &key, filter, asked.slurps)
        }
        Failure::Index { whole: Type::String, with: Index::Value(Shown { kind: Type::Number, json }) } => {
            let place: u32 = json.parse().ok()?;
            let (whole, part) = (format!("[{place}]"), format!("[{place}:{}]", place.checked_add(1)?));
            Some(format!("a text has no elements: write `{part}` in place of `{whole}` for one character"))
        }
        Failure::Operands { left, done: "added", .. } if filter.contains("dateadd(") => {
            let is_text = left.kind == Type::String;
            is_text.then(|| "a date is a text: write `fromdate + 3600 | todate`, in seconds".to_owned())
        }
        Failure::Unfit { words, .. } if words.contains("negated") => {
            let (before, rest) = filter.split_once("_by(-")?;
            let (key, after) = rest.split_once(')')?;
            Some(format!("texts cannot be negated: write `{before}_by({key}) | reverse{after}`"))
        }
        Failure::Unfit { wanted: Type::String, .. } => of_a_function(filter),
        Failure::Pattern { reason, .. } if reason.contains("look-around") => {
            Some("look-around is not supported: write two conditions, `test(\"a\") and (test(\"b\") | not)`".to_owned())
        }
        Failure::Date(words) => of_a_date(filter, words),
        Failure::Other(words) => of_words(filter, words),
        _ => None,
    }
}

/// A key of the records that was looked for in something else.
fn of_a_key(whole: Type, key: &str, filter: &str, slurps: bool) -> Option<String> {
    let path = jq(&[key]);
    if whole == Type::Boolean && filter.contains(&format!("not {path}")) {
        return Some(format!("`not` stands behind what it negates: write `({path} | not)`"));
    }
    if whole == Type::Array && filter.contains("group_by(") {
        return Some(format!(
            "a group is an array of records: write `.[0]{path}` for the value of its first, `map({path})` for those of all"
        ));
    }
    let is_behind_a_pipe = !matches!(whole, Type::Object) && filter.contains('|');
    let at = is_behind_a_pipe.then(|| filter.rfind(&path)).flatten().filter(|_| !slurps)?;
    let (before, after) = (&filter[..at], &filter[at + path.len()..]);
    let goes_on = |c: char| c.is_alphanumeric() || c == '_';
    // Elements of a list may have the key as well: outside of a function they are meant.
    if whole == Type::Array && !before.ends_with('(') {
        return None;
    }
    let is_whole = !after.starts_with(goes_on) && !before.ends_with(|c: char| goes_on(c) || ")]\"?".contains(c));
    is_whole.then(|| {
        format!(
            "behind a pipe, `.` is the value before it, not the record: write `. as $record | {}`",
            super::shown(&format!("{before}$record{path}{after}"))
        )
    })
}

/// A function of texts that got its text as an argument, or a number for one.
fn of_a_function(filter: &str) -> Option<String> {
    from_the_left(filter).or_else(|| {
        OF_TEXTS.iter().find_map(|name| {
            let [number] = arguments_of(name, filter)?[..] else { return None };
            let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
            is_number.then(|| format!("`{name}` compares texts: write `{name}(\"{number}\")`"))
        })
    })
}

/// `test(.title; "x")`
fn from_the_left(filter: &str) -> Option<String> {
    OF_TEXTS.iter().find_map(|name| {
        let [input, argument] = arguments_of(name, filter)?[..] else { return None };
        (input.starts_with('.') && argument.starts_with('"'))
            .then(|| format!("`{name}` takes its text from the left: write `{input} | {name}({argument})`"))
    })
}

/// A text or a number that is not the date that a function wants.
fn of_a_date(filter: &str, words: &str) -> Option<String> {
    if words.contains("not number") {
        return Some("a number of seconds is made a date by `todate`".to_owned());
    }
    // `fromdate` has a format that nobody has written.
    let is_of_fromdate = words.contains("%Y-%m-%dT%H:%M:%SZ") && !filter.contains("%Y-%m-%dT%H:%M:%SZ");
    let is_day = words.split('"').nth(1).is_some_and(|date| date.len() == 10 && date.as_bytes()[4] == b'-');
    (is_of_fromdate && !is_day).then(|| {
        "`fromdate` reads dates like `2026-01-31T00:00:00Z` alone: write `strptime(\"%d/%m/%Y\") | mktime` with the format of the texts"
            .to_owned()
    })
}

fn of_words(filter: &str, words: &str) -> Option<String> {
    if words.starts_with("Object keys must be strings") {
        let key =
            filter.split_once("{(").and_then(|(_, rest)| rest.split_once("):")).map_or(".id", |(key, _)| key.trim());
        return Some(format!("a key is a text: write `{{({key} | tostring): …}}`"));
    }
    if words.ends_with("is not a valid modifier string") {
        return from_the_left(filter);
    }
    if words.contains("requires parsed datetime inputs") || words.starts_with("mktime requires") {
        return of_parsed_dates(filter);
    }
    let number = words.strip_suffix(") cannot be written as a date")?.strip_prefix("number (")?;
    let is_large = number.parse::<f64>().is_ok_and(|number| number.abs() >= FIRST_MILLISECONDS);
    is_large.then(|| "these are milliseconds, and dates are made of seconds: write `/ 1000 | todate`".to_owned())
}

/// A text where a function wants seconds, or a date in parts.
fn of_parsed_dates(filter: &str) -> Option<String> {
    if let Some(arguments) = arguments_of("strftime", filter) {
        let format = arguments.first()?;
        return Some(format!("a text is read first: write `fromdate | strftime({format})`"));
    }
    ["mktime", "todate", "date", "gmtime"].iter().find(|name| filter.ends_with(*name)).map(|name| match *name {
        "mktime" | "gmtime" => format!("a text is made seconds by `fromdate`: write it in place of `{name}`"),
        _ => format!("a text is a date already: leave `{name}` out, or begin with `fromdate`"),
    })
}

/// The arguments of the first call of a function in a filter, as they are written.
fn arguments_of<'a>(name: &str, filter: &'a str) -> Option<Vec<&'a str>> {
    let begins = |(at, _): &(usize, &str)| {
        let is_whole = !filter[..*at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == '.');
        is_whole && filter[at + name.len()..].starts_with('(')
    };
    let (at, _) = filter.match_indices(name).find(begins)?;
    let inside = &filter[at + name.len() + 1..];
    let (mut depth, mut in_text, mut is_escaped, mut start) = (0_u32, false, false, 0);
    let mut arguments = Vec::new();
    for (at, sign) in inside.char_indices() {
        let was_escaped = is_escaped;
        is_escaped = in_text && sign == '\\' && !was_escaped;
        match sign {
            '"' if !was_escaped => in_text = !in_text,
            _ if in_text => {}
            '(' | '[' | '{' => depth += 1,
            ')' if depth == 0 => {
                arguments.push(inside[start..at].trim());
                return Some(arguments);
            }
            ')' | ']' | '}' => depth = depth.checked_sub(1)?,
            ',' | ';' if depth == 0 => {
                arguments.push(inside[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    None
}
