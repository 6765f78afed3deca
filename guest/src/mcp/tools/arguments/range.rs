//! The lines or characters that a call of `lro_read` asks for: models write a range in the ways of many other tools.

use lro_query::json::cut;
use serde_json::{Map, Value};

use super::SHOWN_CHARACTERS;
use crate::error::Error;
use crate::settings::request;

/// The arguments that have a range.
const RANGES: [&str; 2] = ["lines", "characters"];

/// Other names of `lines`.
const OTHER_NAMES: [&str; 3] = ["line", "range", "view_range"];

/// What stands between the ends of a range.
const SEPARATORS: [&str; 7] = ["-", "..", ":", ",", "–", "—", " to "];

/// Words for the end of a file.
const END: [&str; 4] = ["", "end", "$", "-1"];

/// The largest position in a file.
const LARGEST: i64 = u32::MAX as i64;

/// An end that is the end of the file.
const END_OF_FILE: i64 = -1;

/// How a number says which lines are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    /// The first line.
    Start,
    /// The line before it.
    Skipped,
    /// The last line.
    End,
    /// At most so many lines.
    Most,
    /// The first so many lines.
    Head,
    /// The last so many lines.
    Tail,
}

/// A number that a call has.
#[derive(Debug, Clone, Copy)]
struct Given {
    name: &'static str,
    part: Part,
    number: i64,
}

/// Names of arguments of other tools.
const PARTS: [(&str, Part); 10] = [
    ("start", Part::Start),
    ("start_line", Part::Start),
    ("from", Part::Start),
    ("offset", Part::Skipped),
    ("end", Part::End),
    ("end_line", Part::End),
    ("to", Part::End),
    ("limit", Part::Most),
    ("head", Part::Head),
    ("tail", Part::Tail),
];

/// Writes the range that the arguments ask for as the definition of the tool has it.
///
/// Errors: `invalid-argument` for what is not a range, and for lines that are said twice.
pub(super) fn read(tool: &str, arguments: &mut Map<String, Value>) -> Result<(), Error> {
    arguments.retain(|name, value| !(is_range(name) && (value.is_null() || *value == "")));
    let other = OTHER_NAMES.into_iter().find(|name| arguments.contains_key(*name));
    if let Some(other) = other.filter(|_| !arguments.contains_key("lines"))
        && let Some(value) = arguments.remove(other)
    {
        arguments.insert("lines".to_owned(), value);
    }
    let mut parts = Vec::new();
    for (name, part) in PARTS {
        let Some(value) = arguments.remove(name) else { continue };
        let number = signed(&value).filter(|number| part.takes(*number));
        let number = number.ok_or_else(|| refused(tool, name, part.expected(), &value))?;
        parts.push(Given { name, part, number });
    }
    if let Some(Given { name, .. }) = parts.first() {
        if let Some(range) = RANGES.into_iter().find(|range| arguments.contains_key(*range)) {
            return Err(said_twice(tool, name, range));
        }
        arguments.insert("lines".to_owned(), of_parts(tool, &parts)?.into());
    }
    for name in RANGES {
        if let Some(value) = arguments.get_mut(name) {
            *value = meant(value).ok_or_else(|| refused(tool, name, "a range", value))?.into();
        }
    }
    Ok(())
}

impl Part {
    /// True for a number that can be meant: a start below 0 counts from the end, as in Python, and an end of -1 is that
    /// of the file.
    fn takes(self, number: i64) -> bool {
        match self {
            Self::Start | Self::Skipped => true,
            Self::End => number > 0 || number == END_OF_FILE,
            Self::Most | Self::Head | Self::Tail => number > 0,
        }
    }

    /// What is expected, in words.
    fn expected(self) -> &'static str {
        match self {
            Self::Start | Self::End => "the number of a line",
            Self::Skipped => "a whole number",
            Self::Most | Self::Head | Self::Tail => "a number of lines from 1 on",
        }
    }
}

fn is_range(name: &str) -> bool {
    let names = RANGES.iter().chain(&OTHER_NAMES).chain(PARTS.iter().map(|(name, _)| name));
    names.into_iter().any(|known| *known == name)
}

fn refused(tool: &str, name: &str, expected: &str, value: &Value) -> Error {
    let came = cut(&value.to_string(), SHOWN_CHARACTERS);
    Error::invalid_argument(format!("cannot call {tool}: `{name}` is {came}, and not {expected}"), for_example())
}

fn said_twice(tool: &str, name: &str, other: &str) -> Error {
    Error::invalid_argument(
        format!("cannot call {tool}: `{name}` and `{other}` both say what is read"),
        format!("leave out one of them, {}", for_example()),
    )
}

fn for_example() -> &'static str {
    r#"for example: {"file_path": "…", "lines": "120-180"}; "120-" reads to the end, and "-50" the last 50 lines"#
}

/// The range that numbers mean together.
///
/// Errors: `invalid-argument` where they do not fit each other.
fn of_parts(tool: &str, parts: &[Given]) -> Result<String, Error> {
    let of = |kinds: &[Part]| parts.iter().filter(|given| kinds.contains(&given.part)).collect::<Vec<_>>();
    let (starts, ends, whole) =
        (of(&[Part::Start, Part::Skipped]), of(&[Part::End, Part::Most]), of(&[Part::Head, Part::Tail]));
    let (start, end) = match (&starts[..], &ends[..], &whole[..]) {
        ([], [], [Given { part: Part::Tail, number, .. }]) => return Ok(format!("-{number}")),
        ([], [], [Given { number, .. }]) => return Ok(format!("1-{number}")),
        ([] | [_], [] | [_], []) => (starts.first(), ends.first()),
        _ => return Err(said_twice(tool, parts[0].name, parts[parts.len() - 1].name)),
    };
    if let Some(Given { name, number: ..0, .. }) = start {
        let last = start.map_or(0, |given| -given.number);
        let is_shortened = |given: &Given| match given.part {
            Part::Most => given.number < last,
            _ => given.number != END_OF_FILE,
        };
        return match end.filter(|end| is_shortened(end)) {
            Some(end) => Err(Error::invalid_argument(
                format!(
                    "cannot call {tool}: `{name}` is -{last}, the last {last} lines, and `{}` cannot shorten them",
                    end.name
                ),
                format!(
                    r#"pass {{"file_path": "…", "lines": "-{last}"}} for all of them: the answer has the number of all lines as `total`, for a range such as "120-180""#
                ),
            )),
            None => Ok(format!("-{last}")),
        };
    }
    let most = end.filter(|end| end.part == Part::Most).map(|end| end.number);
    let first =
        start.map_or(1, |start| start.number + i64::from(start.part == Part::Skipped && !is_a_line(start, most)));
    let last = end.filter(|end| end.number != END_OF_FILE).map(|end| match end.part {
        Part::Most => first.max(1) + end.number - 1,
        _ => end.number,
    });
    let shown = |last: i64| last.min(LARGEST).to_string();
    Ok(format!("{}-{}", first.min(LARGEST), last.map(shown).unwrap_or_default()))
}

/// True for an offset that is the first line of a page: some tools count lines from 1 there. Whoever pages from 0 has multiples
/// of the limit, and whoever pages from 1 is one above them; nobody skips a single line.
fn is_a_line(offset: &Given, limit: Option<i64>) -> bool {
    offset.number == 1 || limit.is_some_and(|limit| limit > 1 && offset.number % limit == 1)
}

/// The range that a value means, as a request has it.
fn meant(value: &Value) -> Option<String> {
    match value {
        Value::Number(_) => signed(value).map(|number| number.to_string()),
        Value::String(text) if text.trim_start().starts_with(['[', '{']) => meant(&serde_json::from_str(text).ok()?),
        Value::String(text) => of_text(text),
        Value::Array(ends) => match &ends[..] {
            [only] => meant(only),
            [first, last] => of_ends(signed(first)?, signed(last)?),
            _ => None,
        },
        Value::Object(ends) => {
            let (mut first, mut last) = (None, None);
            for (name, value) in ends {
                match PARTS.iter().find(|(known, _)| known == name).map(|(_, part)| *part) {
                    Some(Part::Start) => first = Some(signed(value)?),
                    Some(Part::End) => last = Some(signed(value)?),
                    _ => return None,
                }
            }
            of_ends(first.unwrap_or(1), last.unwrap_or(-1))
        }
        _ => None,
    }
}

/// Both ends of a range, of which -1 is that of the file.
fn of_ends(first: i64, last: i64) -> Option<String> {
    match (first, last) {
        (0.., -1) => Some(format!("{first}-")),
        (..0, -1) => Some(first.to_string()),
        (0.., 0..) => Some(format!("{first}-{last}")),
        _ => None,
    }
}

fn of_text(text: &str) -> Option<String> {
    let lower = text.trim().to_lowercase();
    let text = ["lines ", "line "].iter().find_map(|word| lower.strip_prefix(word)).unwrap_or(&lower).trim();
    let after = |words: [&str; 2]| words.iter().find_map(|word| text.strip_prefix(word)).and_then(request::number);
    if let Some(number) = after(["last ", "tail "]) {
        return (number > 0).then(|| format!("-{number}"));
    }
    if let Some(number) = after(["first ", "head "]) {
        return (number > 0).then(|| format!("1-{number}"));
    }
    if let Some(last) = text.strip_prefix('-') {
        let last = last.strip_suffix([':', '-']).or_else(|| last.strip_suffix("..")).unwrap_or(last);
        return request::number(last).filter(|number| *number > 0).map(|number| format!("-{number}"));
    }
    // As links to code have them: L10-L12.
    let number = |text: &str| request::number(text.trim().trim_start_matches('l'));
    let found = SEPARATORS.iter().filter_map(|separator| Some((text.find(separator)?, separator))).min();
    let Some((place, separator)) = found else { return number(text).map(|number| number.to_string()) };
    let (first, last) = (text[..place].trim(), text[place + separator.len()..].trim());
    let first = if first.is_empty() { 1 } else { number(first)? };
    match last {
        last if END.contains(&last) && !(last.is_empty() && text[..place].trim().is_empty()) => {
            Some(format!("{first}-"))
        }
        last => Some(format!("{first}-{}", number(last)?)),
    }
}

/// A whole number, or the text of one, below 0 too. One that is too large for a position is the largest one.
fn signed(value: &Value) -> Option<i64> {
    let number = match value {
        Value::String(text) => text.trim().parse().ok(),
        value => value.as_f64(),
    };
    let whole = number.filter(|number: &f64| number.fract() == 0.0)?;
    Some((whole as i64).clamp(-LARGEST, LARGEST))
}

#[cfg(test)]
mod tests;
