//! The text of a tool's result, taken apart into the texts of its records; no tree is built.

use serde_json::value::RawValue;
use serde_json::{Deserializer, StreamDeserializer};

/// How the records were written down.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// One JSON array; its elements are the records.
    Array,
    /// One JSON value after the other, as in JSON Lines; each is a record.
    Lines,
}

/// The records of a payload, as slices of it.
#[derive(Debug)]
pub struct Payload<'a> {
    /// How they were written down.
    pub form: Form,
    /// Their JSON texts, in order, each as it stands in the payload.
    pub records: Vec<&'a str>,
}

impl<'a> Payload<'a> {
    /// Takes a payload apart.
    ///
    /// Answers `None` when it is not JSON, or empty.
    pub fn read(text: &'a str) -> Option<Self> {
        // A byte order mark is not JSON, but some servers send one.
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut values = Deserializer::from_str(text).into_iter::<&RawValue>();
        let first = values.next()?.ok()?.get();
        if first.starts_with('[') && only_space(text, &values) {
            let records: Vec<&RawValue> = serde_json::from_str(first).ok()?;
            return Some(Self { form: Form::Array, records: texts(records) });
        }
        let mut records = vec![first];
        for value in values {
            records.push(value.ok()?.get());
        }
        Some(Self { form: Form::Lines, records })
    }
}

fn texts(values: Vec<&RawValue>) -> Vec<&str> {
    values.into_iter().map(RawValue::get).collect()
}

fn only_space(text: &str, values: &StreamDeserializer<serde_json::de::StrRead<'_>, &RawValue>) -> bool {
    text[values.byte_offset()..].trim().is_empty()
}

/// Writes records down again in the form in which they came.
pub fn write<S: AsRef<str>>(form: Form, records: &[S]) -> String {
    let (open, separator, close) = match form {
        Form::Array => ("[", ",", "]"),
        Form::Lines => ("", "\n", "\n"),
    };
    let bytes: usize = records.iter().map(|record| record.as_ref().len() + 1).sum();
    let mut text = String::with_capacity(bytes + 2);
    text.push_str(open);
    for (i, record) in records.iter().enumerate() {
        if i > 0 {
            text.push_str(separator);
        }
        text.push_str(record.as_ref());
    }
    text.push_str(close);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_slices_of_the_payload() {
        let rows: [(&str, Form, &[&str]); 8] = [
            (r#"[{"a": 1.10},2]"#, Form::Array, &[r#"{"a": 1.10}"#, "2"]),
            ("[]", Form::Array, &[]),
            (" [ null ] \n", Form::Array, &["null"]),
            ("{\"a\":1}\n{\"a\":2}\n", Form::Lines, &["{\"a\":1}", "{\"a\":2}"]),
            ("{\"a\":1}\r\n\r\n{\"a\":2}", Form::Lines, &["{\"a\":1}", "{\"a\":2}"]),
            ("[1]\n[2]\n", Form::Lines, &["[1]", "[2]"]),
            ("{\n \"a\": 1\n}", Form::Lines, &["{\n \"a\": 1\n}"]),
            ("\u{feff}[1]", Form::Array, &["1"]),
        ];
        for (text, form, records) in rows {
            let payload = Payload::read(text).unwrap();
            assert_eq!((payload.form, payload.records.as_slice()), (form, records), "{text}");
        }
    }

    #[test]
    fn what_is_not_json_has_no_records() {
        for text in ["", "  ", "plain text", "[1,", "[1] trailing", "{\"a\":1}\nnot json"] {
            assert!(Payload::read(text).is_none(), "{text}");
        }
    }

    #[test]
    fn records_are_written_in_the_form_they_came_in() {
        assert_eq!(write(Form::Array, &["1", "2"]), "[1,2]");
        assert_eq!(write(Form::Lines, &["1", "2"]), "1\n2\n");
    }
}
