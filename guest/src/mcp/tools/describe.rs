//! `lro_describe`: what a file holds, before anything is read out of it (GATE-11).

use serde_json::{Map, Value};

use super::file_path;
use crate::calls::{Source, describe_within};
use crate::error::Error;
use crate::settings::Settings;

/// Answers a call. The only argument is a `file_path`.
pub(super) fn answer(mut arguments: Map<String, Value>, settings: &Settings) -> Result<String, Error> {
    let path = file_path(&mut arguments)?;
    if let Some(name) = arguments.keys().next() {
        let message = format!("cannot describe: argument `{name}` is not known");
        return Err(Error::invalid_argument(message, "pass a `file_path`, and nothing else"));
    }
    describe_within(Source::File(&path), None, settings, settings.max_answer_bytes as usize)
}
