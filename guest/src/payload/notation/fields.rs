//! Records whose fields are named one by one: their kinds are found in a first look, and written in a second one.

use std::borrow::Cow;
use std::collections::BTreeMap;

use lro_query::json::push_quoted;

use super::Reading;
use super::columns::{Column, ColumnKind};
use super::names::MOST_COLUMNS;
use super::output::{Output, few};

/// What a reader finds in a text, in order.
#[derive(Debug)]
pub(super) enum Found<'a> {
    /// A record and how many lines it has.
    Row { lines: usize, fields: Vec<TextField<'a>> },
    /// A line that does not fit, and its number.
    Line { number: usize, line: &'a str },
}

/// A field of a record.
#[derive(Debug)]
pub(super) struct TextField<'a> {
    pub(super) key: Cow<'a, str>,
    pub(super) value: Value<'a>,
}

/// What a field has.
#[derive(Debug)]
pub(super) enum Value<'a> {
    /// What may be a number or a truth value.
    Bare(Cow<'a, str>),
    /// Text that was quoted.
    Text(Cow<'a, str>),
    /// What is marked as nothing.
    Null,
}

impl Value<'_> {
    /// A cell for the kind of a column: text only if it could not be anything else.
    fn cell(&self) -> &str {
        match self {
            Self::Bare(text) => text,
            Self::Text(_) => "\"",
            Self::Null => "",
        }
    }
}

/// Takes what a reader finds; `None` ends the walk.
pub(super) type Sink<'s, 'a> = dyn FnMut(Found<'a>) -> Option<()> + 's;

/// What is known of the fields with one key.
#[derive(Debug, Default)]
struct KnownFields {
    column: Column,
    /// The last row that has the key, counted from 1.
    row: usize,
    /// Some record has the key twice, so that all have an array.
    repeats: bool,
}

/// Reads a text with a walk that calls a function with all that it finds, in two looks.
pub(super) fn read<'a>(
    name: &'static str,
    least: usize,
    text: &'a str,
    walk: impl Fn(&'a str, &mut Sink<'_, 'a>) -> Option<()>,
) -> Option<Reading<'a>> {
    let mut known: BTreeMap<String, KnownFields> = BTreeMap::new();
    let (mut rows, mut fitting, mut misfits) = (0, 0, 0);
    walk(text, &mut |found| {
        match found {
            Found::Row { lines, fields } => {
                rows += 1;
                fitting += lines;
                see(&mut known, rows, &fields);
            }
            Found::Line { line, .. } => misfits += usize::from(!line.trim().is_empty()),
        }
        (known.len() <= MOST_COLUMNS).then_some(())
    })?;
    if !few(misfits, fitting) {
        return None;
    }
    let mut output = Output::of(text);
    walk(text, &mut |found| match found {
        Found::Row { lines, fields } => output.record(lines, record(&known, &fields)),
        Found::Line { number, line } => output.line(number, line),
    })?;
    output.finish_with(name, least)
}

fn see(known: &mut BTreeMap<String, KnownFields>, row: usize, fields: &[TextField<'_>]) {
    for field in fields {
        if !known.contains_key(&*field.key) {
            known.insert(field.key.clone().into_owned(), KnownFields::default());
        }
        let Some(known) = known.get_mut(&*field.key) else { continue };
        known.repeats |= known.row == row;
        known.row = row;
        known.column.see(field.value.cell());
    }
}

fn record(known: &BTreeMap<String, KnownFields>, fields: &[TextField<'_>]) -> String {
    let mut json = String::from("{");
    let known = |key: &str| known.get(key).map(|known| (known.repeats, known.column.kind()));
    let mut repeated: BTreeMap<&str, Vec<&Value<'_>>> = BTreeMap::new();
    for field in fields.iter().filter(|field| known(&field.key).is_some_and(|(repeats, _)| repeats)) {
        repeated.entry(&field.key).or_default().push(&field.value);
    }
    for field in fields {
        let Some((repeats, kind)) = known(&field.key) else { continue };
        // An array stands where its first value was.
        let values = if repeats { repeated.remove(&*field.key) } else { Some(vec![&field.value]) };
        let Some(values) = values else { continue };
        json.push_str(if json.len() > 1 { "," } else { "" });
        push_quoted(&mut json, &field.key);
        json.push_str(if repeats { ":[" } else { ":" });
        for (i, value) in values.into_iter().enumerate() {
            json.push_str(if i > 0 { "," } else { "" });
            write(&mut json, kind, value);
        }
        json.push_str(if repeats { "]" } else { "" });
    }
    json.push('}');
    json
}

fn write(json: &mut String, kind: ColumnKind, value: &Value<'_>) {
    match value {
        Value::Bare(text) => kind.write(json, text),
        Value::Text(text) => push_quoted(json, text),
        Value::Null => json.push_str("null"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::payload::notation::tests::lines_of;

    fn field(key: &'static str, value: &'static str) -> TextField<'static> {
        TextField { key: key.into(), value: if value == "-" { Value::Null } else { Value::Bare(value.into()) } }
    }

    #[test]
    fn fields_have_the_kind_that_all_have() {
        let rows = [
            [("a", "1"), ("b", "1"), ("c", "x")],
            [("a", "-"), ("b", "y"), ("c", "z")],
            [("a", "2"), ("c", "1"), ("c", "2")],
        ];
        let reading = read("test", 1, "", |_, sink| {
            rows.iter().try_for_each(|row| {
                sink(Found::Row { lines: 1, fields: row.iter().map(|(key, value)| field(key, value)).collect() })
            })
        });
        let expected = "test {\"a\":1,\"b\":\"1\",\"c\":[\"x\"]}\n{\"a\":null,\"b\":\"y\",\"c\":[\"z\"]}\n{\"a\":2,\"c\":[\"1\",\"2\"]}";
        assert_eq!(lines_of(reading), expected);
    }
}
