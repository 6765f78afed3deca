//! What a response says about the document that the records came in.

use lro_query::json::{self, Scan, unquote};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::full::{Level, Sections};
use crate::file::header::Header;
use crate::offload::contents::Lists;
use crate::offload::inline;
use crate::offload::records::Findings;
use crate::payload::frame::Form;
use crate::payload::path::Path;
use crate::payload::plain_text::Text;
use crate::payload::shown;

/// A list or object of more bytes may be shortened, and then its address is named.
const SHORTENED_BYTES: usize = 240;

/// What was taken for the records; nothing for memories that came as they always do.
pub(super) fn of_lists(lists: &Lists<'_>, header: &Header, text_path: Option<&str>, level: &Level) -> Option<Value> {
    let frame = &lists.frame;
    let plain = matches!(&lists.main().findings, Findings::Memories(_)) && header.lro.document.is_none();
    (!plain).then(|| {
        let path = json::middle_cut(&shown::path(&lists.main().path), level.name_characters);
        let mut document = json!({"form": frame.form, "records": path});
        if let Some(notation) = &frame.notation {
            document["notation"] = notation.as_str().into();
        }
        if frame.quoted {
            document["quoted"] = true.into();
        }
        if let Some(path) = text_path.filter(|_| level.sections != Sections::None) {
            document["text"] = path.into();
        }
        document["rebuilds"] = if frame.exact { "exactly" } else { "as equal JSON" }.into();
        document
    })
}

/// What a text was, and what is lost of its surroundings.
pub(super) fn of_text(text: &Text<'_>) -> Value {
    match &text.frame {
        Some(frame) if !frame.exact => json!({"form": Form::Text, "quoted": true, "rebuilds": "as equal JSON"}),
        Some(_) => json!({"form": Form::Text, "quoted": true}),
        None => json!({"form": Form::Text}),
    }
}

/// Returns the members outside the lists, in about `most` bytes.
pub(super) fn beside(object: &str, most: usize) -> Option<Box<RawValue>> {
    let text = (most > 0).then(|| inline::bounded(object, most).0)?;
    // Many small members are more than what they are cut to.
    let text = if text.len() <= 2 * most { text } else { inline::outlined(object, most) };
    RawValue::from_string(text).ok()
}

/// Returns the path of the largest list or object outside the records, if it may be shortened.
pub(super) fn shortened(object: &str) -> Option<String> {
    let mut largest = ("", "");
    Scan::of(object).members(|scan, key| {
        let value = scan.value();
        if value.starts_with(['[', '{']) && value.len() > largest.1.len() {
            largest = (key, value);
        }
    });
    let path = Path::default().then(&unquote(largest.0));
    (largest.1.len() > SHORTENED_BYTES && path.is_named()).then(|| path.to_string())
}
