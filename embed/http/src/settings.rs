//! The settings of all calls: ours, and over them those that the operator gives in the variable `LRO_SETTINGS`.

use std::env;
use std::fmt::Display;

use serde_json::{Map, Value};

use crate::bindings::lro::offload::offloader;
use crate::http::SETTINGS_HEADER;
use crate::problem::Problem;

/// A JSON object as `wit/settings.schema.json` describes it.
const VARIABLE: &str = "LRO_SETTINGS";

/// Where results are, as clients see it: what a `file_path` begins with, and the route of the same name.
pub const PUBLIC_DIR: &str = "/results";

/// What the operator has chosen.
pub struct Settings(Map<String, Value>);

impl Settings {
    /// Reads them, with those of one call over them. What the keys mean, the component decides.
    ///
    /// # Errors
    /// `other`: what is wrong with settings is the operator's to mend, not the client's. `invalid-argument` for those of the
    /// call.
    pub fn read(of_call: &str) -> Result<Self, Problem> {
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
        settings.with(of_call)
    }

    fn with(mut self, of_call: &str) -> Result<Self, Problem> {
        if !of_call.is_empty() {
            self.0.extend(serde_json::from_str::<Map<String, Value>>(of_call).map_err(|error| {
                Problem::invalid(format!("cannot read the header `{SETTINGS_HEADER}`: {error}"), "Send a JSON object.")
            })?);
        }
        Ok(self)
    }

    /// Whether results go to files: the variant for a developer's machine.
    pub(crate) fn keep_files(&self) -> bool {
        self.0.get("store").is_some_and(|store| store == "file")
    }

    /// As the component takes them.
    pub(crate) fn text(&self) -> String {
        Value::Object(self.0.clone()).to_string()
    }

    /// Those with which nothing is stored, for the reason that the store gave.
    pub(crate) fn without_store(&self, reason: &str) -> String {
        let mut settings = self.0.clone();
        settings.insert("truncate_reason".into(), reason.into());
        Value::Object(settings).to_string()
    }

    /// A number that the operator has chosen.
    pub(crate) fn number(&self, key: &str) -> Option<u64> {
        self.0.get(key).and_then(Value::as_u64)
    }
}

fn misconfigured(reason: &dyn Display) -> Problem {
    Problem::misconfigured(
        format!("cannot use the settings in the variable {VARIABLE}: {reason}"),
        "The operator of this application has to mend its manifest.",
    )
}
