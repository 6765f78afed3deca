use crate::error::Error;
use crate::settings::Settings;
use serde_json::{Map, Value};
pub(super) fn answer(_: Map<String, Value>, _: &Settings) -> Result<String, Error> {
    Err(Error::Other("later".into()))
}
