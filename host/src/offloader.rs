//! The calls: estimate, offload, extract, clean up.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use serde_json::{Map, Value};
use wasmtime_wasi::FsPerms;

use crate::answer::{Cleaning, Event, Extraction, Offloading, Outcome, Source, Stored};
use crate::component::Compiled;
use crate::error::Error;
use crate::limits::{Bounds, Limits};
use crate::options::Options;
use crate::request;
use crate::sandbox::Sandbox;
use crate::settings::{self, Settings};

/// The component, opened with its settings. Clones share everything and cost nothing; calls may run in parallel.
///
/// A request is anything that serialises to the object which `wit/request.schema.json` describes: one of the structs of
/// this crate, or a `serde_json::Value`.
#[derive(Clone)]
pub struct Lro {
    pub(crate) compiled: Arc<Compiled>,
    pub(crate) settings: Arc<Settings>,
    pub(crate) limits: Limits,
    read_only: bool,
}

impl Lro {
    /// Loads the component and resolves the settings.
    ///
    /// # Errors
    /// `invalid-argument` for settings that make no sense, `io` for a settings file that cannot be read, and
    /// [`Error::Unusable`] for a component that cannot be used.
    pub fn open(options: Options) -> Result<Self, Error> {
        Self::with(Compiled::open(&options)?, &options)
    }

    /// The same component with other settings and limits, without loading it again. `component` and `compiled_cache` of
    /// the options are not looked at.
    ///
    /// # Errors
    /// Those of [`Lro::open`].
    pub fn reopen(&self, options: &Options) -> Result<Self, Error> {
        Self::with(self.compiled.clone(), options)
    }

    fn with(compiled: Arc<Compiled>, options: &Options) -> Result<Self, Error> {
        let settings = Arc::new(Settings::resolve(&compiled, options)?);
        Ok(Self { compiled, settings, limits: options.limits, read_only: options.read_only })
    }

    /// The same on a disk that is full: files can be created, and nothing can be written to them. For tests.
    ///
    /// # Errors
    /// [`Error::Unusable`] for a component that cannot be linked so.
    #[doc(hidden)]
    pub fn with_full_disk(&self) -> Result<Self, Error> {
        Ok(Self { compiled: self.compiled.with_full_disk()?, ..self.clone() })
    }

    /// Resolves settings from a file's text, variables and explicit values, as [`Lro::open`] does; the answer is complete.
    ///
    /// # Errors
    /// `invalid-argument`, naming the key or variable, its value, and what would be accepted.
    pub fn resolve(
        &self,
        file_text: &str,
        environment: &[(String, String)],
        explicit: &Map<String, Value>,
    ) -> Result<Value, Error> {
        settings::resolve(&self.compiled, file_text, environment, explicit).map(Value::Object)
    }

    /// The output directory as people and models know it: canonical if it exists.
    pub fn output_dir(&self) -> &Path {
        self.settings.output_dir.public()
    }

    /// The settings as they were resolved, every key present.
    pub fn settings(&self) -> &Map<String, Value> {
        self.settings.resolved()
    }

    /// Tokens of the payload's records, for the request that [`Lro::offload`] would be given. Touches no file.
    ///
    /// # Errors
    /// `invalid-argument`, and `limit-reached` for limits of the options.
    pub fn estimate(&self, payload: &str, request: &impl Serialize) -> Result<u32, Error> {
        let (request, settings) = (request::text(request)?, self.settings.text()?);
        let bounds = self.limits.offloading(payload.len());
        Sandbox { operation: "estimating", directory: None, bounds }.run(&self.compiled, |instance, store| {
            instance.lro_offload_offloader().call_estimate(store, payload, &request, &settings)
        })
    }

    /// Decides what becomes of `payload`, the text of a tool's result, and carries it out.
    ///
    /// It does not fail for want of disk, memory or time: the answer is then truncated or unchanged, and an event says
    /// why. A file that it writes has mode 0600, its session's folder 0700.
    ///
    /// # Errors
    /// `invalid-argument`, for a request that makes no sense.
    pub fn offload(&self, payload: &str, request: &impl Serialize) -> Result<Offloading, Error> {
        let (request, settings) = (request::text(request)?, self.settings.text()?);
        let bounds = self.limits.offloading(payload.len());
        let sandbox = Sandbox { operation: "offloading", directory: self.grant(FsPerms::ReadWrite), bounds };
        let answer = sandbox.run(&self.compiled, |instance, store| {
            instance.lro_offload_offloader().call_offload(store, payload, &request, &settings)
        });
        match answer {
            Ok(mut answer) => {
                if let Outcome::Offloaded(Stored { file_name, content: None, .. }) = &answer.outcome {
                    answer.events.extend(self.keep_private(file_name));
                }
                Ok(answer)
            }
            Err(error @ Error::InvalidArgument(_)) => Err(error),
            Err(error) => Ok(Offloading::failed(&error)),
        }
    }

    /// Like [`Lro::offload`], for bytes that may not be text: those are answered unchanged, with an event.
    ///
    /// # Errors
    /// `invalid-argument`, for a request that makes no sense.
    pub fn offload_bytes(&self, payload: &[u8], request: &impl Serialize) -> Result<Offloading, Error> {
        match std::str::from_utf8(payload) {
            Ok(payload) => self.offload(payload, request),
            Err(error) => Ok(Offloading::failed(&Error::invalid_argument(format!("the result is not text: {error}")))),
        }
    }

    /// Runs a recipe or a jq filter over the records of an offloaded file: one page of results.
    ///
    /// [`Lro::extract_all`] asks for page after page.
    ///
    /// # Errors
    /// `invalid-argument`, `invalid-query`, `not-found`, `outside`, `not-an-offload`, `limit-reached`, `io`.
    pub fn extract(&self, source: &Source, request: &impl Serialize) -> Result<Extraction, Error> {
        let source = self.present(source);
        self.extract_within(&source, request, self.extraction_bounds(&source))
    }

    /// How long an extraction from this source may run.
    pub fn extraction_timeout(&self, source: &Source) -> Duration {
        self.extraction_bounds(&self.present(source)).time.unwrap_or(Duration::MAX)
    }

    /// Deletes the expired files of ours in the output directory and one folder below it, and nothing else. In the
    /// system's temporary directory, limits on count and bytes are not acted on.
    ///
    /// # Errors
    /// `invalid-argument`, `not-found` (there is no such directory), `limit-reached`, `io`.
    pub fn cleanup(&self, request: &impl Serialize) -> Result<Cleaning, Error> {
        let (request, settings) = (self.cleanup_request(request)?, self.settings.text()?);
        let directory = self.grant(FsPerms::ReadWrite);
        let sandbox = Sandbox { operation: "cleanup", directory, bounds: self.limits.cleaning() };
        sandbox.run(&self.compiled, |instance, store| {
            instance.lro_offload_offloader().call_cleanup(store, &request, &settings)
        })
    }

    /// Extraction from a source that has been presented already, within the given bounds.
    pub(crate) fn extract_within(
        &self,
        source: &Source,
        request: &impl Serialize,
        bounds: Bounds,
    ) -> Result<Extraction, Error> {
        let (request, settings) = (request::text(request)?, self.settings.text()?);
        let directory = match source {
            Source::File(_) => self.grant(FsPerms::ReadOnly),
            Source::Content(_) => None,
        };
        Sandbox { operation: "extraction", directory, bounds }.run(&self.compiled, |instance, store| {
            instance.lro_offload_offloader().call_extract(store, source, &request, &settings)
        })
    }

    pub(crate) fn extraction_bounds(&self, source: &Source) -> Bounds {
        let size = match source {
            Source::File(file) => self.settings.output_dir.size_of(file),
            Source::Content(content) => content.len() as u64,
        };
        self.limits.extraction(size)
    }

    /// A source whose file is named as the component should see it.
    pub(crate) fn present(&self, source: &Source) -> Source {
        match source {
            Source::File(file) => Source::File(self.settings.output_dir.present(file)),
            Source::Content(content) => Source::Content(content.clone()),
        }
    }

    pub(crate) fn grant(&self, permissions: FsPerms) -> Option<(&Path, FsPerms)> {
        let permissions = if self.read_only { FsPerms::ReadOnly } else { permissions };
        self.settings.output_dir.canonical().map(|directory| (directory, permissions))
    }

    /// The text of a cleanup request, with the one fact that only the host knows.
    fn cleanup_request(&self, request: &impl Serialize) -> Result<String, Error> {
        let mut request = serde_json::to_value(request)
            .map_err(|error| Error::invalid_argument(format!("cannot write the request: {error}")))?;
        if let Value::Object(keys) = &mut request
            && self.settings.output_dir.is_shared()
        {
            keys.insert("shared_directory".to_owned(), true.into());
        }
        request::text(&request)
    }

    /// Sets the modes of what was written, before anybody learns where it is: a component cannot (USER-08). Answers an
    /// event when they cannot be set.
    pub(crate) fn keep_private(&self, file_name: &str) -> Option<Event> {
        let error = set_modes(self.settings.output_dir.canonical()?, file_name).err()?;
        Some(Event {
            name: "OffloadModeFailed".to_owned(),
            message: format!("cannot make `{file_name}` private: {error}"),
            fields: serde_json::json!({ "file_name": file_name, "error": error.to_string() }).to_string(),
        })
    }
}

/// 0600 for the file and 0700 for its session's folder.
#[cfg(unix)]
fn set_modes(directory: &Path, file_name: &str) -> std::io::Result<()> {
    use std::fs::{Permissions, set_permissions};
    use std::os::unix::fs::PermissionsExt;
    if let Some((session, _)) = file_name.split_once('/') {
        set_permissions(directory.join(session), Permissions::from_mode(0o700))?;
    }
    set_permissions(directory.join(file_name), Permissions::from_mode(0o600))
}

/// Elsewhere files inherit the access list of their folder.
#[cfg(not(unix))]
fn set_modes(_: &Path, _: &str) -> std::io::Result<()> {
    Ok(())
}
