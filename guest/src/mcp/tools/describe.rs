//! `lro_describe`: what a file holds, before anything is read out of it (GATE-11).

use serde_json::{Map, Value};

use super::file_path;
use crate::calls::{Source, describe_within};
use crate::error::Error;
use crate::settings::Settings;

/// Handles a call. The arguments are a `file_path`, and the address of something outside its records.
pub(super) fn answer(mut arguments: Map<String, Value>, settings: &Settings) -> Result<String, Error> {
    let path = file_path(&mut arguments)?;
    let records = arguments.remove("records");
    let records = records.as_ref().and_then(Value::as_str);
    describe_within(Source::File(&path), records, settings, settings.max_answer_bytes as usize)
}
