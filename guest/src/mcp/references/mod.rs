//! References to our files in the arguments of other tools (USER-11): each is replaced by the data that it means, so that
//! a result goes from one tool to the next without passing through the model.
//!
//! The arguments are text with slices to replace: all other bytes stay, and what is put in is not searched again.

mod data;
mod wanted;

use std::io;
use std::ops::Range;

use lro_query::json::{self, Members, Type, cut};
use serde_json::value::RawValue;

use self::data::Data;
use self::wanted::Wanted;
use super::{client, tools};
use crate::error::{Error, Problem};
use crate::file::file_name::SCHEME;
use crate::file::instant::Instant;
use crate::settings::Settings;

/// The only key of a reference to a part of one.
const KEY: &str = "$lro";

/// A reference in deeper arguments is refused. Arguments of real tools have five levels at most.
const MOST_LEVELS: usize = 32;

/// A call with more references is refused: each of them reads a file.
const MOST_REFERENCES: usize = 64;

/// So much of a place and of a wrong value is quoted.
const SHOWN_CHARACTERS: usize = 60;

/// Replaces the references in the arguments of a call. `None` if there are none, or if nothing is to be replaced. The time
/// is requested only if a file may be read.
///
/// Errors: those of reading a file, and `limit-reached` for what is too large.
pub fn resolve_arguments(
    tool: &str,
    arguments: &str,
    settings: &str,
    instant: impl FnOnce() -> io::Result<Instant>,
) -> Result<Option<String>, Error> {
    let settings = client::fitted(Settings::parse(settings)?);
    let is_off = !settings.enabled || !settings.resolve_arguments || tools::named(tool, &settings).is_some();
    if is_off || !may_refer(arguments) {
        return Ok(None);
    }
    // Without a clock no file has expired.
    let settings = Settings { now: instant().ok().map(|instant| instant.milliseconds), ..settings };
    let schema = settings.call.input_schema.as_ref();
    let mut search =
        Search { arguments, settings: &settings, room: settings.max_argument_bytes as usize, replaced: Vec::new() };
    search.look(arguments.trim(), &Wanted::of(schema), &mut Vec::new())?;
    let replaced = search.replaced;
    Ok((!replaced.is_empty()).then(|| put_in(arguments, &replaced)))
}

/// True if a text of JSON may have a reference in it: the letters of one, or letters that are escaped.
fn may_refer(json: &str) -> bool {
    json.contains("lro") || json.contains("\\u00")
}

/// The text with these slices replaced, which are in its order.
fn put_in(text: &str, replaced: &[(Range<usize>, String)]) -> String {
    let (mut changed, mut end) = (String::with_capacity(text.len()), 0);
    for (place, data) in replaced {
        changed.push_str(&text[end..place.start]);
        changed.push_str(data);
        end = place.end;
    }
    changed + &text[end..]
}

/// The references that have been found so far.
struct Search<'a> {
    arguments: &'a str,
    settings: &'a Settings,
    /// Bytes that references may still stand for.
    room: usize,
    replaced: Vec<(Range<usize>, String)>,
}

impl<'a> Search<'a> {
    /// Looks at a value and at all in it. `path` is where it is.
    fn look(&mut self, value: &'a str, wanted: &Wanted<'_>, path: &mut Vec<String>) -> Result<(), Error> {
        if !may_refer(value) {
            return Ok(());
        }
        match Type::of(value) {
            Type::String => match whole_document(&json::unquote(value)) {
                Some(file) => self.replace(value, wanted, path, |settings, room| Data::whole(file, room, settings)),
                None => Ok(()),
            },
            Type::Object | Type::Array if path.len() >= MOST_LEVELS => refuse_deep(value),
            Type::Object => {
                let Some(members) = Members::of(value) else { return Ok(()) };
                if let [(key, reference)] = &members.0[..]
                    && key == KEY
                {
                    return self.replace(value, wanted, path, |settings, room| Data::part(reference, room, settings));
                }
                for (key, value) in &members.0 {
                    path.push(key.to_string());
                    self.look(value, &wanted.member(key), path)?;
                    path.pop();
                }
                Ok(())
            }
            Type::Array => {
                let elements: Vec<&'a RawValue> = serde_json::from_str(value).unwrap_or_default();
                for (number, element) in elements.into_iter().enumerate() {
                    path.push(number.to_string());
                    self.look(element.get(), &wanted.element(number), path)?;
                    path.pop();
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn replace(
        &mut self,
        reference: &str,
        wanted: &Wanted<'_>,
        path: &[String],
        read: impl FnOnce(&Settings, usize) -> Result<Data, Error>,
    ) -> Result<(), Error> {
        let data = match self.replaced.len() >= MOST_REFERENCES {
            true => Err(too_many()),
            false => read(self.settings, self.room).and_then(|data| data.fitting(wanted)),
        };
        let data = data.and_then(|data| match self.room.checked_sub(data.len()) {
            Some(room) => {
                self.room = room;
                Ok(data)
            }
            None => Err(data::too_large(data.len(), self.room, self.settings)),
        });
        let data = data.map_err(|error| within(reference, path, error))?;
        self.replaced.push((json::place(self.arguments, reference), data));
        Ok(())
    }
}

/// The file in a text that is all of a reference to its document. A text that only begins so, such as a sentence, is
/// none: a name ends with its extension, or has no spaces.
fn whole_document(text: &str) -> Option<&str> {
    let file = text.strip_prefix(SCHEME)?;
    let is_name = !file.contains(char::is_whitespace)
        || (!file.contains(['\n', '\r']) && [".jsonl", ".txt"].iter().any(|extension| file.ends_with(extension)));
    is_name.then_some(file)
}

/// Deeper values are passed on, unless there may be a reference in them.
fn refuse_deep(value: &str) -> Result<(), Error> {
    if !value.contains(SCHEME) && !value.contains(&json::quote(KEY)) {
        return Ok(());
    }
    Err(Error::invalid_argument(
        format!("cannot hand over a result: its reference is nested deeper than {MOST_LEVELS} levels in the arguments"),
        "put the reference higher up",
    ))
}

fn too_many() -> Error {
    Error::LimitReached {
        problem: Problem::new(
            format!("the call has more than {MOST_REFERENCES} references"),
            "hand over fewer results at once, or one file with all of them",
        ),
        limit: "references",
        value: MOST_REFERENCES as u32,
    }
}

/// An error with the reference and the argument that it is about.
fn within(reference: &str, path: &[String], error: Error) -> Error {
    let place =
        if path.is_empty() { String::new() } else { format!(" as `{}`", cut(&path.join("."), SHOWN_CHARACTERS)) };
    let reference = match json::unquote(reference) {
        text if reference.starts_with('"') => cut(&text, 2 * SHOWN_CHARACTERS),
        _ => cut(reference, 2 * SHOWN_CHARACTERS),
    };
    let message = |message: &str| format!("cannot hand over `{reference}`{place}: {message}");
    match error {
        Error::InvalidArgument(problem) => Error::invalid_argument(message(&problem.message), problem.hint),
        Error::InvalidQuery { problem, known } => {
            Error::InvalidQuery { problem: Problem::new(message(&problem.message), problem.hint), known }
        }
        Error::NotFound(problem) => Error::NotFound(Problem::new(message(&problem.message), problem.hint)),
        Error::Outside(problem) => Error::Outside(Problem::new(message(&problem.message), problem.hint)),
        Error::NotAnOffload(problem) => Error::NotAnOffload(Problem::new(message(&problem.message), problem.hint)),
        Error::LimitReached { problem, limit, value } => {
            let problem = Problem::new(message(&problem.message), problem.hint);
            Error::LimitReached { problem, limit, value }
        }
        Error::Io(problem) => Error::Io(Problem::new(message(&problem.message), problem.hint)),
        Error::Other(text) => Error::Other(message(&text)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolved(tool: &str, arguments: &str, settings: &str) -> Result<Option<String>, Error> {
        resolve_arguments(tool, arguments, settings, || Err(io::ErrorKind::Unsupported.into()))
    }

    #[test]
    fn a_reference_is_all_of_a_text() {
        let rows = [
            ("lro://atlatl-a-01.jsonl", Some("atlatl-a-01.jsonl")),
            ("lro://s/atlatl-a-01.jsonl", Some("s/atlatl-a-01.jsonl")),
            ("lro:///my files/atlatl-a-01.txt", Some("/my files/atlatl-a-01.txt")),
            ("lro://art_read_01", Some("art_read_01")),
            ("lro://a.jsonl is where it is", None),
            ("see lro://a.jsonl", None),
            (" lro://a.jsonl", None),
            ("lro://a\nb.txt", None),
            ("LRO://a", None),
        ];
        for (text, expected) in rows {
            assert_eq!(whole_document(text), expected, "{text}");
        }
    }

    #[test]
    fn slices_are_replaced_and_all_else_stays() {
        let text = r#"{ "a" : "x","b":[1.0, "y" ] }"#;
        let replaced = [(json::place(text, &text[8..11]), "[]".to_owned()), (22..25, "\"z\"".to_owned())];
        assert_eq!(put_in(text, &replaced), r#"{ "a" : [],"b":[1.0, "z" ] }"#);
    }

    #[test]
    fn without_the_setting_and_without_a_reference_nothing_changes() {
        let on = r#"{"resolve_arguments":true}"#;
        let rows = [
            (r#"{"a":"lro://x.jsonl"}"#, "{}"),
            (r#"{"a":"lro://x.jsonl"}"#, r#"{"resolve_arguments":true,"enabled":false}"#),
            (r#"{"a":"lro"}"#, on),
            (r#"{"a":{"$lro":{},"b":1}}"#, on),
            (r#"{"a":{"x":"\u0041"}}"#, on),
            ("", on),
            ("garbage lro://", on),
            ("null", on),
        ];
        for (arguments, settings) in rows {
            assert_eq!(resolved("t", arguments, settings), Ok(None), "{arguments}");
        }
        assert_eq!(resolved("lro_extract", r#"{"file_path":"lro://x.jsonl"}"#, on), Ok(None));
    }

    #[test]
    fn what_cannot_be_read_is_refused_with_its_place() {
        let refused = |arguments: &str| {
            let settings = r#"{"resolve_arguments":true,"output_dir":"/nowhere/at/all"}"#;
            let error = resolved("t", arguments, settings).unwrap_err();
            (error.case(), format!("{error}; {}", error.hint()))
        };
        let deep = format!("{}\"lro://x\"{}", "[".repeat(40), "]".repeat(40));
        let rows = [
            (r#"{"a":{"b":["lro:\/\/x.jsonl"]}}"#, "not-an-offload", "cannot hand over `lro://x.jsonl` as `a.b.0`: "),
            (r#"{"a":"\u006cro://../x"}"#, "outside", "cannot hand over `lro://../x` as `a`: cannot open"),
            (r#"{"a":{"$lro":7}}"#, "invalid-argument", "cannot hand over `{\"$lro\":7}` as `a`: "),
            (r#"{"a":{"$lro":{"query":"."}}}"#, "invalid-argument", "`file_path` is missing"),
            (r#"{"a":{"$lro":{"file_path":"x","q":1}}}"#, "invalid-argument", "it has no argument `q`"),
            (&deep, "invalid-argument", "nested deeper than 32 levels"),
        ];
        for (arguments, case, part) in rows {
            let (found, text) = refused(arguments);
            assert!(found == case && text.contains(part), "{arguments}: {found} {text}");
        }
    }
}
