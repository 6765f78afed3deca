//! The settings of all calls: ours, and over them those that the operator gives in the variable `LRO_SETTINGS`.

use std::env;
use std::fmt::Display;

use serde_json::{Map, Value};

use crate::bindings::lro::offload::offloader;
use crate::problem::Problem;

/// A JSON object as `wit/settings.schema.json` describes it.
const VARIABLE: &str = "LRO_SETTINGS";

/// Where results are, as clients see it: what a `file_path` begins with, and the route of the same name.
pub(crate) const PUBLIC_DIR: &str = "/results";

/// What the operator has chosen.
pub(crate) struct Settings(Map<String, Value>);

impl Settings {
    /// Reads them. What the keys mean, the component decides.
    ///
    /// # Errors
    /// `other`: what is wrong with settings is the operator's to mend, not the client's.
    pub(crate) fn read() -> Result<Self, Problem> {
        // No shell is assumed: who asks over HTTP has the route for extractions.
        let ours = [("store", "content"), ("public_dir", PUBLIC_DIR), ("guidance", "tool")];
        let mut settings: Map<String, Value> =
            ours.map(|(key, value)| (key.to_owned(), value.into())).into_iter().collect();
        let chosen = env::var(VARIABLE).unwrap_or_else(|_| "{}".to_owned());
        settings.extend(serde_json::from_str::<Map<String, Value>>(&chosen).map_err(|error| misconfigured(&error))?);
        let settings = Self(settings);
        // Nothing but the settings can be wrong with this request.
        offloader::estimate("", r#"{"operation":"settings"}"#, &settings.text())
            .map_err(|error| misconfigured(&Problem::from(error).message()))?;
        Ok(settings)
    }

    /// Whether results go to files: the variant for a developer's machine.
    pub(crate) fn keep_files(&self) -> bool {
        self.0.get("store").is_some_and(|store| store == "file")
    }

    /// As the component takes them.
    pub(crate) fn text(&self) -> String {
        Value::Object(self.0.clone()).to_string()
    }

    /// Those with which nothing can be stored, so that the component answers as after a failed write: a directory that is
    /// granted to nobody.
    pub(crate) fn without_store(&self) -> String {
        let mut settings = self.0.clone();
        settings.insert("store".into(), "file".into());
        settings.insert("output_dir".into(), "the key-value store".into());
        Value::Object(settings).to_string()
    }
}

fn misconfigured(reason: &dyn Display) -> Problem {
    Problem::misconfigured(
        format!("cannot use the settings in the variable {VARIABLE}: {reason}"),
        "The operator of this application has to mend its manifest.",
    )
}
