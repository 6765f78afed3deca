//! Settings: this host fetches texts and variables, the component decides what they mean.

use std::path::Path;
use std::sync::OnceLock;

use serde_json::{Map, Value};

use crate::component::Compiled;
use crate::error::Error;
use crate::limits::Limits;
use crate::options::Options;
use crate::output_dir::OutputDir;
use crate::request;
use crate::sandbox::{GUEST_DIRECTORY, Sandbox};

/// What the names of variables with settings begin with, as the specification has it.
pub const ENVIRONMENT_PREFIX: &str = "ATLATL_PROMPT__OFFLOAD__";

/// The variables of this process that may hold settings: those that begin with `prefix`, so only they are shown to the
/// component. With a prefix other than [`ENVIRONMENT_PREFIX`], the setting `environment_prefix` has to name it too.
///
/// # Errors
/// `invalid-argument` when one of them is not Unicode.
pub fn environment(prefix: &str) -> Result<Vec<(String, String)>, Error> {
    std::env::vars_os()
        .filter(|(name, _)| name.to_string_lossy().starts_with(prefix))
        .map(|(name, value)| match (name.into_string(), value.into_string()) {
            (Ok(name), Ok(value)) => Ok((name, value)),
            (Ok(name), Err(_)) => Err(Error::invalid_argument(format!("the variable {name} is not valid Unicode"))),
            (Err(_), _) => Err(Error::invalid_argument(format!("a variable {prefix}… is not valid Unicode"))),
        })
        .collect()
}

/// Resolved settings and the output directory that they name.
#[derive(Debug)]
pub(crate) struct Settings {
    resolved: Map<String, Value>,
    pub(crate) output_dir: OutputDir,
    /// The text for the component, once the output directory is known to exist.
    text: OnceLock<String>,
}

impl Settings {
    /// Lets the component resolve the settings of the options.
    pub(crate) fn resolve(compiled: &Compiled, options: &Options) -> Result<Self, Error> {
        let file = options.settings_file.as_deref().map_or(Ok(String::new()), read)?;
        let resolved = resolve(compiled, &file, &options.environment, &explicit(options)?)?;
        let output_dir = directory_of(&resolved);
        Ok(Self { resolved, output_dir, text: OnceLock::new() })
    }

    /// The settings as the component resolved them.
    pub(crate) fn resolved(&self) -> &Map<String, Value> {
        &self.resolved
    }

    /// True when results may go to files.
    pub(crate) fn stores_files(&self) -> bool {
        self.resolved.get("enabled") != Some(&Value::Bool(false)) && text_of(&self.resolved, "store") != "content"
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
            .map_err(|error| Error::Other(format!("cannot read the settings: {error}")))?;
        settings.insert("truncate_reason".to_owned(), reason.into());
        Ok(Value::Object(settings).to_string())
    }

    /// The resolved settings with both names of the output directory filled in.
    fn localised(&self) -> Result<String, Error> {
        let mut settings = self.resolved.clone();
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
    explicit: &Map<String, Value>,
) -> Result<Map<String, Value>, Error> {
    let explicit = request::text(explicit)?;
    let sandbox = Sandbox { operation: "resolving the settings", directory: None, bounds: Limits::resolving() };
    let text = sandbox.run(compiled, |instance, store| {
        instance.lro_offload_configuration().call_resolve(store, file_text, environment, &explicit)
    })?;
    serde_json::from_str(&text)
        .map_err(|error| Error::Unusable(format!("cannot read the settings that the component resolved: {error}")))
}

/// The output directory on this machine: the resolved one, or the user's own.
fn directory_of(resolved: &Map<String, Value>) -> OutputDir {
    match text_of(resolved, "output_dir") {
        "" => OutputDir::of_user(),
        directory => OutputDir::new(Path::new(directory)),
    }
}

/// The explicit settings of the options.
fn explicit(options: &Options) -> Result<Map<String, Value>, Error> {
    let mut settings = options.settings.clone();
    if let Some(directory) = &options.output_dir {
        settings.insert("output_dir".to_owned(), unicode(directory)?.into());
    }
    Ok(settings)
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
