//! `lro_read`: one page of lines or characters, small enough that nobody puts it aside again (GATE-16, USER-04).

use lro_query::json;
use serde_json::{Map, Value};

use super::{file_path, for_example, more, remarks};
use crate::calls::{self, Passage, Source};
use crate::error::Error;
use crate::settings::Settings;
use crate::settings::request;

/// Room for all of an answer but its text.
const FRAME_BYTES: u32 = 768;

/// What a call may ask for.
const EXAMPLE: &str = r#""lines": "120-180""#;

/// Handles a call. The arguments are a `file_path` and the keys of a read request.
pub(super) fn answer(mut arguments: Map<String, Value>, settings: &Settings) -> Result<String, Error> {
    let path = file_path(&mut arguments)?;
    let asked = request::Read::of_arguments(arguments, &for_example(EXAMPLE))?;
    let request =
        request::Read { max_bytes: Some(settings.max_answer_bytes - FRAME_BYTES), bounds_the_answer: true, ..asked };
    let passage = calls::read_passage(Source::File(&path), &request, settings)?;
    let is_base64 = request.encoding == Some(request::Encoding::Base64);
    Ok(render(&passage, is_base64))
}

/// Renders the answer as JSON, with everything about the text before it.
fn render(passage: &Passage, is_base64: bool) -> String {
    let mut members = vec![("first", passage.first.to_string()), ("last", passage.last.to_string())];
    members.extend(passage.total.map(|total| ("total", total.to_string())));
    members.extend(more(passage.next.as_deref()));
    members.extend(remarks(&passage.remarks));
    members.push((if is_base64 { "base64" } else { "text" }, json::quote(&passage.text)));
    json::object(members.iter().map(|(key, value)| (*key, value.as_str())))
}
