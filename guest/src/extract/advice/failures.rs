//! What jq says when a filter fails on a record, and what to write instead.

use lro_query::json::Type;
use lro_query::{Failure as Cause, Index, Shown};

use super::alike::Alike;
use super::fields::{Fields, jq, listed};
use super::reading::{FilterReading, did_you_mean};
use super::{Advice, AskedFilter, on_strings, shown, slips};
use crate::fields::survey::Types;

/// Filters that make sense for the set of all records only begin so.
const FOR_ALL: [&str; 14] = [
    ".[",
    "map(",
    "group_by(",
    "sort_by(",
    "unique_by(",
    "min_by(",
    "max_by(",
    "sort",
    "unique",
    "reverse",
    "add",
    "[.[]",
    "any(",
    "all(",
];

/// Functions of arrays.
const OF_ARRAYS: [&str; 12] =
    ["add", "group_by", "join", "max", "max_by", "min", "min_by", "reverse", "sort", "sort_by", "unique", "unique_by"];

/// What to do about a failure; `None` if nothing comes to mind.
pub(super) fn of(cause: &Cause, everywhere: bool, asked: AskedFilter<'_>, fields: &Fields) -> Option<Advice> {
    // What is missing in a document, or of another type, is not known of one that was not looked at.
    if fields.is_unknown_document() {
        return None;
    }
    let everywhere = everywhere || asked.slurps;
    let failure = Failure { cause, asked, fields, reading: FilterReading::of(asked), everywhere };
    failure
        .of_a_set()
        .or_else(|| slips::of(cause, asked, fields).and_then(Failure::advice))
        .or_else(|| failure.of_an_array())
        .or_else(|| failure.null_where_a_text_is_wanted())
        .or_else(|| failure.of_arrays())
        .or_else(|| failure.iterating())
        .or_else(|| failure.indexing())
        .or_else(|| failure.array_where_a_text_is_wanted())
        .or_else(|| failure.calculating())
        .or_else(|| failure.containing())
        .or_else(|| failure.dates())
}

struct Failure<'a> {
    cause: &'a Cause,
    asked: AskedFilter<'a>,
    fields: &'a Fields,
    reading: FilterReading,
    /// Every record failed.
    everywhere: bool,
}

impl Failure<'_> {
    /// The first path of the filter that fits.
    fn path(&self, fits: impl Fn(&[&str]) -> bool) -> Option<String> {
        self.reading.paths.iter().find_map(|path| {
            let path: Vec<&str> = path.iter().map(String::as_str).collect();
            fits(&path).then(|| jq(&path))
        })
    }

    fn path_of_type(&self, types: Types) -> Option<String> {
        self.path(|path| self.fields.get(path).is_some_and(|field| field.types.has(types)))
    }

    fn nullable(&self) -> Option<String> {
        self.path(|path| self.fields.may_be_null(path))
    }

    fn advice(hint: impl Into<String>) -> Option<Advice> {
        Some(Advice::new(hint, [] as [&str; 0]))
    }

    /// A key of the filter that no record has is the likeliest reason for null.
    fn unknown_key(&self) -> Option<Advice> {
        // Such a key is null everywhere.
        if !self.everywhere {
            return None;
        }
        let key = self.reading.unknown(self.fields).next()?;
        let Advice { hint, known } = did_you_mean(key, self.fields);
        let lack = self.fields.lack(&jq(&[key]));
        (!self.fields.is_empty()).then(|| Advice { hint: format!("{lack}: {hint}"), known })
    }

    /// A filter for all records ran on each one.
    fn of_a_set(&self) -> Option<Advice> {
        let may_be_so = match self.cause {
            Cause::Index { .. } | Cause::Iterate(_) | Cause::Unfit { .. } => true,
            Cause::Operands { done, .. } => *done == "added",
            _ => false,
        };
        if self.asked.slurps || !may_be_so {
            return None;
        }
        let filter = self.asked.filter.trim_start();
        let begins = FOR_ALL.into_iter().find(|begin| filter.starts_with(begin))?;
        let each = filter.strip_prefix(".[]").map(|rest| rest.trim_start_matches([' ', '|']).trim());
        match each {
            Some(rest) if !rest.is_empty() => {
                let rest = if rest.starts_with(['.', '[', '{']) || filter.contains('|') {
                    rest.to_owned()
                } else {
                    format!(".{rest}")
                };
                Self::advice(format!(
                    "the filter runs on each record by itself: leave out `.[]` and write `{rest}`, or slurp"
                ))
            }
            _ if begins == "map(" => Self::advice(
                "the filter runs on each record by itself: write what is in `map(…)`, or slurp to get all records as an array",
            ),
            _ => Self::advice(
                "the filter runs on each record by itself: slurp, then it runs once on the array of all records",
            ),
        }
    }

    /// A filter for each record ran on the array of all.
    fn of_an_array(&self) -> Option<Advice> {
        let filter = self.asked.filter.trim();
        let (Type::Array, Some(key)) = self.indexed().filter(|_| self.asked.slurps)? else { return None };
        let name = filter.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default();
        // What takes an array failed within it, on a record.
        if name == "map" || OF_ARRAYS.contains(&name) {
            let list = jq(&self.path_to(key)?);
            return match name.ends_with("_by") {
                true => Self::advice(format!(
                    "`{list}` is an array: take one value of it, write `{name}([{list}[]?.{key}] | max)`"
                )),
                false => None,
            };
        }
        let filter = shown(filter);
        Self::advice(format!("the input is the array of all records: write `.[] | {filter}` to run on each of them"))
    }

    fn null_where_a_text_is_wanted(&self) -> Option<Advice> {
        let Cause::Unfit { wanted: Type::String, value, .. } = self.cause else { return None };
        if value.as_ref().is_some_and(|value| !value.is_null()) {
            return None;
        }
        if let Some(advice) = self.unknown_key() {
            return Some(advice);
        }
        if value.is_none() && self.path_of_type(Types::ARRAY).is_some() {
            return None;
        }
        let path = self.nullable()?;
        Self::advice(format!("some records have no string there: write `({path} // \"\")` in place of `{path}`"))
    }

    fn iterating(&self) -> Option<Advice> {
        let Cause::Iterate(over) = self.cause else { return None };
        if over.is_null() {
            if let Some(advice) = self.unknown_key() {
                return Some(advice);
            }
            if let Some((array, rest)) = self.iterated() {
                return Self::advice(format!("some records have none: write `{array}[]?{rest}`"));
            }
            let path = self.path_of_type(Types::ARRAY).or_else(|| self.nullable())?;
            let path = path.trim_end_matches("[]");
            return Self::advice(format!("some records have none: write `{path}[]?`, or `({path} // [])`"));
        }
        let path = self.path(|path| path.last() == Some(&"[]"))?;
        Self::advice(format!(
            "it is not an array in every record: write `{path}?`, which gives nothing for other values"
        ))
    }

    /// The first path that goes through an array, up to there and after it.
    fn iterated(&self) -> Option<(String, String)> {
        self.reading.paths.iter().find_map(|path| {
            let path: Vec<&str> = path.iter().map(String::as_str).collect();
            let at = path.iter().position(|part| *part == "[]")?;
            Some((jq(&path[..at]), jq(&path[at + 1..])))
        })
    }

    /// What was indexed, and the key where it was one.
    fn indexed(&self) -> Option<(Type, Option<&str>)> {
        let Cause::Index { whole, with } = self.cause else { return None };
        let key = match with {
            Index::Value(Shown { kind: Type::String, json }) => {
                json.strip_prefix('"').and_then(|key| key.split('"').next())
            }
            _ => None,
        };
        Some((*whole, key))
    }

    /// The path up to a key of the filter.
    fn path_to(&self, key: &str) -> Option<Vec<&str>> {
        self.reading.paths.iter().find_map(|path| {
            let at = path.iter().position(|part| part == key)?;
            (at > 0).then(|| path[..at].iter().map(String::as_str).collect())
        })
    }

    fn indexing(&self) -> Option<Advice> {
        let (kind, key) = self.indexed()?;
        let kind = kind.name();
        let path = key.and_then(|key| self.path_to(key));
        let (Some(path), Some(key)) = (path, key) else {
            return match (kind, key) {
                ("object", None) => {
                    Self::advice("a number is an array index: name the key, `.title`, or slurp to index the records")
                }
                ("string", Some(key)) => self.of_a_string(key),
                _ => None,
            };
        };
        let here = jq(&path);
        if kind == "array" && ["count", "len", "length", "size"].contains(&key) {
            return Self::advice(format!("`{here}` is an array: write `{here} | length`"));
        }
        let mut elements = path.clone();
        elements.push("[]");
        match kind {
            "array" => {
                let below = listed(self.fields.below(&elements));
                let has = if below.is_empty() { String::new() } else { format!("; its elements have {below}") };
                Self::advice(format!(
                    "`{here}` is an array: write `{here}[].{key}` for every element, `{here}[0].{key}` for the first{has}"
                ))
            }
            "string" if self.fields.get(&path).is_some_and(|field| field.alike.are(Alike::JSON)) => {
                Self::advice(format!("`{here}` is JSON in a text: write `{here} | fromjson | {}`", jq(&[key])))
            }
            _ => {
                let Advice { hint, known } = did_you_mean(key, self.fields);
                Some(Advice { hint: format!("`{here}` is a {kind} and has no keys: {hint}"), known })
            }
        }
    }

    /// Lines of a text are strings, and so may records be.
    fn of_a_string(&self, key: &str) -> Option<Advice> {
        let begins_so = self.reading.paths.iter().any(|path| path[..] == [key]);
        if self.asked.slurps || !begins_so || !self.fields.is_empty() {
            return None;
        }
        let filter = on_strings::without_key(self.asked.filter, key);
        let short = filter.filter(|filter| filter.trim().len() <= super::SHOWN_CHARACTERS);
        let instead = short.map_or_else(|| "`.` is the line".to_owned(), |filter| format!("write `{}`", filter.trim()));
        Self::advice(format!("each line of a text is a string, which has no keys: {instead}"))
    }

    fn array_where_a_text_is_wanted(&self) -> Option<Advice> {
        if !matches!(self.cause, Cause::Unfit { wanted: Type::String, .. }) {
            return None;
        }
        if let Some(path) = self.path_of_type(Types::ARRAY) {
            return Self::advice(format!("`{path}` is an array: look at its elements, `any({path}[]?; test(\"…\"))`"));
        }
        let amount = self.unread_number();
        if amount.is_some() {
            return amount;
        }
        Self::advice("it is not a text in every record: write `tostring` before the function")
    }

    /// A text that `tonumber` cannot read: `1,000`.
    fn unread_number(&self) -> Option<Advice> {
        let Cause::Unfit { value: Some(Shown { kind: Type::String, json }), .. } = self.cause else { return None };
        let is_read = self.asked.filter.contains("tonumber") && json.contains(|c: char| c.is_ascii_digit());
        is_read.then(|| {
            let hint = "some texts have other signs than digits: write `gsub(\"[^0-9.-]\"; \"\") | tonumber`, or `tonumber?` \
                        to leave them out";
            Advice::new(hint, [] as [&str; 0])
        })
    }

    /// A function that takes an array got one value of each record: `.size | max`.
    fn of_arrays(&self) -> Option<Advice> {
        let is_so = match self.cause {
            Cause::Iterate(over) => !over.is_null(),
            Cause::Unfit { wanted: Type::Array, .. } => true,
            _ => false,
        };
        let (path, function) = self.asked.filter.trim().rsplit_once('|').filter(|_| is_so)?;
        let (path, function) = (path.trim(), function.trim());
        let name = function.split('(').next()?.trim();
        let is_path = path.starts_with('.') && !path.contains(['|', '(', ' ']);
        if !is_path || !OF_ARRAYS.contains(&name) {
            return None;
        }
        let array = if path.contains("[]") { format!("[{path}]") } else { format!("map({path})") };
        Self::advice(format!(
            "`{name}` takes an array, and `{path}` is one value: write `{array} | {function}` for all of them"
        ))
    }

    fn calculating(&self) -> Option<Advice> {
        let operands: Vec<&Shown> = match self.cause {
            Cause::Operands { left, right, .. } => vec![left, right],
            Cause::Unfit { value: Some(value), wanted: Type::Number, .. } => vec![value],
            _ => return None,
        };
        let is_added = matches!(self.cause, Cause::Operands { done: "added", .. });
        let has = |kind| operands.iter().any(|operand| operand.kind == kind);
        if is_added && has(Type::String) && has(Type::Number) {
            return Self::advice("join texts and numbers with `tostring`, or write `\"\\(.a) \\(.b)\"`");
        }
        if let Some(advice) = self.unknown_key() {
            return Some(advice);
        }
        if operands.iter().any(|operand| operand.json.starts_with("\"20") || operand.json.starts_with("\"19")) {
            return Self::advice(
                "a date is text: compare it as text, `.created > \"2026-01-31\"`, or calculate with `.created | fromdate`, which gives seconds",
            );
        }
        if has(Type::Null) {
            let path = self.nullable().unwrap_or_else(|| ".x".to_owned());
            return Self::advice(format!(
                "some records have no number there: leave them out with `select({path} != null)`, or write `({path} // 0)`"
            ));
        }
        Self::advice("use numbers: `tonumber` converts text, `length` counts")
    }

    fn containing(&self) -> Option<Advice> {
        if matches!(self.cause, Cause::Has { whole: Type::Array, key: Type::String }) {
            let path = self.path_of_type(Types::ARRAY)?;
            return Self::advice(format!(
                "`has` looks for a key: write `{path} | index(\"x\")` for an element of an array"
            ));
        }
        if matches!(self.cause, Cause::Pattern { .. }) {
            return Self::advice(
                "escape special characters of regular expressions with two backslashes, `\"\\\\(\"`, or use `contains`",
            );
        }
        if let Cause::Contains { whole, part } = self.cause {
            if whole.is_null() || part.is_null() {
                if let Some(advice) = self.unknown_key() {
                    return Some(advice);
                }
                let path = self.nullable()?;
                let none = if part.kind == Type::Array { "[]" } else { "\"\"" };
                return Self::advice(format!(
                    "some records have none: write `({path} // {none})` in place of `{path}`"
                ));
            }
            let path = self.path_of_type(Types::ARRAY).unwrap_or_else(|| ".tags".to_owned());
            return Self::advice(format!(
                "both sides of `contains` must have the same type: write `{path} | index(\"x\")` for an element of an array, `.title | contains(\"x\")` for a text"
            ));
        }
        None
    }

    fn dates(&self) -> Option<Advice> {
        let Cause::Date(_) = self.cause else { return None };
        // A day that is written into the filter, where a moment is wanted.
        let is_day = |text: &&str| {
            text.len() == 10
                && text.bytes().enumerate().all(|(at, byte)| match at {
                    4 | 7 => byte == b'-',
                    _ => byte.is_ascii_digit(),
                })
        };
        Self::advice(match self.asked.filter.split('"').skip(1).step_by(2).find(is_day) {
            Some(day) => format!("a moment has a time: write `\"{day}T00:00:00Z\"` in place of `\"{day}\"`"),
            None => "ISO 8601 dates compare as text: `.created > \"2026-01-31\"`".to_owned(),
        })
    }
}
