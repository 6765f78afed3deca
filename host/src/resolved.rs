//! Settings as they hold: this host fetches texts and variables, the component decides what they mean.

use std::path::Path;
use std::sync::{Arc, OnceLock};

use serde_json::{Map, Value};

use crate::component::Compiled;
use crate::error::{Accident, Error};
use crate::limits::Limits;
use crate::options::Options;
use crate::output_dir::OutputDir;
use crate::request;
use crate::sandbox::{GUEST_DIRECTORY, Sandbox};
use crate::settings::{CallSettings, Settings, Store};

/// Resolved settings and the output directory that they name.
#[derive(Debug)]
pub(crate) struct Resolved {
    pub(crate) settings: Settings,
    /// The same as the component has them.
    json: Map<String, Value>,
    pub(crate) output_dir: OutputDir,
    /// The text for the component, once the output directory is known to exist.
    text: OnceLock<String>,
}

impl Resolved {
    /// Lets the component resolve the settings of the options.
    pub(crate) fn of(compiled: &Compiled, options: &Options) -> Result<Self, Error> {
        let file = options.settings_file.as_deref().map_or(Ok(String::new()), read)?;
        let json = resolve(compiled, &file, &options.environment, &explicit(options)?)?;
        let settings = serde_json::from_value(Value::Object(json.clone())).map_err(unreadable)?;
        let output_dir = match &options.object_store {
            Some(store) => OutputDir::of_store(Arc::clone(store)),
            None => directory_of(&json),
        };
        Ok(Self { settings, json, output_dir, text: OnceLock::new() })
    }

    /// The same settings for one call over MCP: what is known of it is the setting `call`.
    pub(crate) fn for_call(&self, call: &CallSettings) -> Self {
        let mut json = self.json.clone();
        json.insert("call".to_owned(), call.to_json().into());
        let settings = self.settings.clone().call(call.clone());
        Self { settings, json, output_dir: self.output_dir.clone(), text: OnceLock::new() }
    }

    /// The size of the file that a call over MCP names. In a conversation a bare name means a file of its folder.
    pub(crate) fn size_of(&self, file: &str) -> u64 {
        match self.settings.call.as_ref().and_then(|call| call.session.as_deref()) {
            Some(session) if !file.contains(['/', '\\']) => self.output_dir.size_of(&format!("{session}/{file}")),
            _ => self.output_dir.size_of(file),
        }
    }

    /// True when results may go to files.
    pub(crate) fn stores_files(&self) -> bool {
        self.settings.enabled != Some(false) && self.settings.store != Some(Store::Content)
    }

    /// The settings' text for a call: the output directory has its name inside the sandbox, and its own for people.
    pub(crate) fn text(&self) -> Result<String, Error> {
        if let Some(text) = self.text.get() {
            return Ok(text.clone());
        }
        let text = self.localised()?;
        if self.output_dir.canonical().is_some() {
            // Another thread may have been faster, with the same answer.
            let _ = self.text.set(text.clone());
        }
        Ok(text)
    }

    /// The settings' text for a call that stores nothing: the answer is truncated, for this reason.
    pub(crate) fn truncating(&self, reason: &str) -> Result<String, Error> {
        let mut settings: Map<String, Value> = serde_json::from_str(&self.text()?)
            .map_err(|error| Accident::Broken(format!("cannot read the settings: {error}")))?;
        settings.insert("truncate_reason".to_owned(), reason.into());
        Ok(Value::Object(settings).to_string())
    }

    /// The resolved settings with both names of the output directory filled in.
    fn localised(&self) -> Result<String, Error> {
        let mut settings = self.json.clone();
        let chosen = text_of(&settings, "public_dir");
        if chosen.is_empty() || chosen == text_of(&settings, "output_dir") {
            settings.insert("public_dir".to_owned(), unicode(self.output_dir.public())?.into());
        }
        settings.insert("output_dir".to_owned(), GUEST_DIRECTORY.into());
        Ok(Value::Object(settings).to_string())
    }
}

/// Lets the component resolve settings.
pub(crate) fn resolve(
    compiled: &Compiled,
    file_text: &str,
    environment: &[(String, String)],
    explicit: &Settings,
) -> Result<Map<String, Value>, Error> {
    let explicit = request::text(explicit)?;
    let sandbox = Sandbox { operation: "resolving the settings", directory: None, bounds: Limits::resolving() };
    let text = sandbox.run(compiled, |instance, store| {
        instance.lro_offload_configuration().call_resolve(store, file_text, environment, &explicit)
    })?;
    serde_json::from_str(&text).map_err(unreadable)
}

fn unreadable(error: serde_json::Error) -> Error {
    Accident::Unusable(format!("cannot read the settings that the component resolved: {error}")).into()
}

/// The output directory on this machine: the resolved one, or the user's own.
fn directory_of(resolved: &Map<String, Value>) -> OutputDir {
    match text_of(resolved, "output_dir") {
        "" => OutputDir::of_user(),
        directory => OutputDir::new(Path::new(directory)),
    }
}

/// The explicit settings of the options.
fn explicit(options: &Options) -> Result<Settings, Error> {
    match &options.output_dir {
        Some(directory) => Ok(options.settings.clone().output_dir(unicode(directory)?)),
        None => Ok(options.settings.clone()),
    }
}

fn read(file: &Path) -> Result<String, Error> {
    std::fs::read_to_string(file).map_err(|error| Error::io(&format!("read `{}`", file.display()), &error))
}

fn text_of<'a>(settings: &'a Map<String, Value>, key: &str) -> &'a str {
    settings.get(key).and_then(Value::as_str).unwrap_or_default()
}

fn unicode(path: &Path) -> Result<&str, Error> {
    path.to_str().ok_or_else(|| Error::invalid_argument(format!("the path `{}` is not valid Unicode", path.display())))
}
