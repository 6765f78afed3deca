//! The settings of a call: those that the manifest has in its `config`, and over them, key by key, those of the call.

use std::collections::BTreeMap;

use lro_guest::error::Error;
use serde_json::value::RawValue;

/// The key in the manifest's `config`: the text of a JSON object, since Extism's values are texts.
pub(crate) const KEY: &str = "settings";

/// Lays the settings of a call over those of the manifest. Whether they make sense is for the guest to say; a text that
/// is no object is handed to it alone.
pub(crate) fn over(manifest: Option<&str>, call: &str) -> Result<String, Error> {
    let Some(manifest) = manifest else { return Ok(call.to_owned()) };
    let mut settings = members(manifest).map_err(|error| {
        Error::invalid_argument(
            format!("cannot read `config.{KEY}` of the plug-in's manifest: {error}"),
            "give the text of a JSON object, as settings.schema.json has it",
        )
    })?;
    if call.trim().is_empty() {
        return Ok(manifest.to_owned());
    }
    let Ok(explicit) = members(call) else { return Ok(call.to_owned()) };
    settings.extend(explicit);
    serde_json::to_string(&settings).map_err(|error| Error::Other(error.to_string()))
}

fn members(text: &str) -> serde_json::Result<BTreeMap<String, &RawValue>> {
    serde_json::from_str(text)
}
