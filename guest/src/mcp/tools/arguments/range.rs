//! The lines or characters that a call of `lro_read` asks for: models write a range in the ways of many other tools.

use lro_query::json::cut;
use serde_json::{Map, Value};

use super::{SHOWN_CHARACTERS, number};
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
        let whole = number(&value).map(i64::from);
        let back = || (part == Part::Skipped).then(|| signed(&value)).flatten();
        parts.push((name, part, whole.or_else(back).ok_or_else(|| refused(tool, name, &value))?));
    }
    if let Some((name, ..)) = parts.first() {
        let given = RANGES.into_iter().find(|range| arguments.contains_key(*range));
        let twice = |other: &str| {
            Error::invalid_argument(
                format!("cannot call {tool}: `{name}` and `{other}` both say what is read"),
                format!("leave out one of them, {}", for_example()),
            )
        };
        if let Some(given) = given {
            return Err(twice(given));
        }
        let lines = of_parts(&parts).ok_or_else(|| twice(parts[parts.len() - 1].0))?;
        arguments.insert("lines".to_owned(), lines.into());
    }
    for name in RANGES {
        if let Some(value) = arguments.get_mut(name) {
            *value = meant(value).ok_or_else(|| refused(tool, name, value))?.into();
        }
    }
    Ok(())
}

fn is_range(name: &str) -> bool {
    let names = RANGES.iter().chain(&OTHER_NAMES).chain(PARTS.iter().map(|(name, _)| name));
    names.into_iter().any(|known| *known == name)
}

fn refused(tool: &str, name: &str, value: &Value) -> Error {
    let what = if RANGES.contains(&name) { "a range" } else { "a whole number" };
    let came = cut(&value.to_string(), SHOWN_CHARACTERS);
    Error::invalid_argument(format!("cannot call {tool}: `{name}` is {came}, and not {what}"), for_example())
}

fn for_example() -> &'static str {
    r#"for example: {"file_path": "…", "lines": "120-180"}; "120-" reads to the end, and "-50" the last 50 lines"#
}

/// The range that numbers mean together; `None` where they do not fit each other.
fn of_parts(parts: &[(&str, Part, i64)]) -> Option<String> {
    let of = |part: Part| parts.iter().find(|(_, known, _)| *known == part).map(|(.., number)| *number);
    let kinds = |kinds: &[Part]| parts.iter().filter(|(_, part, _)| kinds.contains(part)).count();
    let most = of(Part::Most);
    match (of(Part::Head), of(Part::Tail), of(Part::Skipped)) {
        (Some(number), None, None) if parts.len() == 1 => Some(format!("1-{number}")),
        (None, Some(number), None) if parts.len() == 1 => Some(format!("-{number}")),
        // Python counts from the end in this way.
        (None, None, Some(skipped)) if skipped < 0 => {
            (kinds(&[Part::Start, Part::End]) == 0).then(|| skipped.to_string())
        }
        (None, None, skipped) => {
            let is_clear = kinds(&[Part::Start, Part::Skipped]) <= 1 && kinds(&[Part::End, Part::Most]) <= 1;
            let start = of(Part::Start).or(skipped.map(|skipped| skipped + 1));
            let end = of(Part::End).or(most.map(|most| start.unwrap_or(1).max(1) + most - 1));
            let shown = |end: Option<i64>| end.map(|end| end.to_string()).unwrap_or_default();
            is_clear.then(|| format!("{}-{}", start.unwrap_or(1), shown(end)))
        }
        _ => None,
    }
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
        return Some(format!("1-{number}"));
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

/// A whole number, or the text of one, below 0 too.
fn signed(value: &Value) -> Option<i64> {
    match value {
        Value::String(text) => text.trim().parse().ok(),
        value => value.as_f64().filter(|number| number.fract() == 0.0).map(|number| number as i64),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read_of(arguments: &Value) -> Result<Value, String> {
        let mut arguments = arguments.as_object().unwrap().clone();
        read("lro_read", &mut arguments).map_err(|error| format!("{error}; {}", error.hint()))?;
        Ok(Value::Object(arguments))
    }

    #[test]
    fn a_range_is_read_as_it_is_meant() {
        let rows = [
            (json!("120-180"), "120-180"),
            (json!("120-"), "120-"),
            (json!(120), "120"),
            (json!(-50), "-50"),
            (json!("-50"), "-50"),
            (json!("-50:"), "-50"),
            (json!("last 50"), "-50"),
            (json!("Last 50"), "-50"),
            (json!("tail 50"), "-50"),
            (json!("first 20"), "1-20"),
            (json!("10:12"), "10-12"),
            (json!("10,12"), "10-12"),
            (json!("10..12"), "10-12"),
            (json!("10 to 12"), "10-12"),
            (json!("lines 10 – 12"), "10-12"),
            (json!("L10-L12"), "10-12"),
            (json!(":50"), "1-50"),
            (json!("10:"), "10-"),
            (json!("10,$"), "10-"),
            (json!("10-end"), "10-"),
            (json!("10:-1"), "10-"),
            (json!([10, 12]), "10-12"),
            (json!("[10, 12]"), "10-12"),
            (json!([10, -1]), "10-"),
            (json!([-50, -1]), "-50"),
            (json!(["10", "12"]), "10-12"),
            (json!([10]), "10"),
            (json!({"start": 10, "end": 12}), "10-12"),
            (json!({"start": 10}), "10-"),
            (json!({"from": "10", "to": "12"}), "10-12"),
            (json!("{\"start\": 10, \"end\": 12}"), "10-12"),
        ];
        for (given, expected) in rows {
            for name in RANGES {
                assert_eq!(read_of(&json!({name: given})), Ok(json!({name: expected})), "{given}");
            }
        }
    }

    #[test]
    fn lines_have_the_names_of_other_tools_too() {
        let rows = [
            (json!({"start": 10, "end": 12}), "10-12"),
            (json!({"start_line": "10"}), "10-"),
            (json!({"end": 12}), "1-12"),
            (json!({"offset": 100, "limit": 50}), "101-150"),
            (json!({"offset": 100}), "101-"),
            (json!({"offset": -50}), "-50"),
            (json!({"offset": 0, "limit": 50}), "1-50"),
            (json!({"start": 10, "limit": 5}), "10-14"),
            (json!({"limit": 50}), "1-50"),
            (json!({"tail": 50}), "-50"),
            (json!({"head": 20}), "1-20"),
            (json!({"line": 17}), "17"),
            (json!({"view_range": [10, -1]}), "10-"),
            (json!({"lines": "3-7", "start": null, "end": ""}), "3-7"),
        ];
        for (given, expected) in rows {
            assert_eq!(read_of(&given), Ok(json!({"lines": expected})), "{given}");
        }
        assert_eq!(read_of(&json!({"next": "l3.40.0", "x": 1})), Ok(json!({"next": "l3.40.0", "x": 1})));
    }

    #[test]
    fn what_is_not_a_range_is_refused_in_the_words_of_the_tool() {
        let rows = [
            (json!({"lines": "abc"}), "cannot call lro_read: `lines` is \"abc\", and not a range; for example: {"),
            (json!({"lines": "-"}), "`lines` is \"-\", and not a range"),
            (json!({"lines": "-0"}), "and not a range"),
            (json!({"lines": "3-7-9"}), "and not a range"),
            (json!({"lines": [1, 2, 3]}), "and not a range"),
            (json!({"lines": [1, -7]}), "and not a range"),
            (json!({"lines": {"a": 1}}), "and not a range"),
            (json!({"lines": true}), "and not a range"),
            (json!({"lines": 1.5}), "and not a range"),
            (json!({"start": "x"}), "`start` is \"x\", and not a whole number; for example: {"),
            (json!({"start": 1, "lines": "1-2"}), "`start` and `lines` both say what is read; leave out one of them"),
            (json!({"start": 1, "tail": 2}), "`start` and `tail` both say what is read"),
            (json!({"start": 1, "offset": 2}), "`start` and `offset` both say what is read"),
        ];
        for (given, part) in rows {
            let error = read_of(&given).unwrap_err();
            assert!(error.contains(part), "{given}: {error}");
        }
    }
}
