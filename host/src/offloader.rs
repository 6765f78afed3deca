//! The calls: estimate, offload, extract, clean up.

use std::num::NonZero;
use std::path::{Path, PathBuf};
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
use crate::sandbox::{Grant, Sandbox};
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
    pub(crate) threads: Option<NonZero<usize>>,
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
        let Options { limits, read_only, threads, .. } = *options;
        Ok(Self { compiled, settings, limits, read_only, threads })
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

    /// What the payload's records count against the threshold, for the request that [`Lro::offload`] would be given:
    /// tokens, or characters where the settings have `threshold_characters`. Touches no file.
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
                if let Outcome::Offloaded(Stored { file_name, content: None, sections, .. }) = &answer.outcome {
                    for file_name in sections.iter().map(|section| &section.file_name).chain([file_name]) {
                        answer.events.extend(self.keep_private(file_name));
                    }
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

    /// Describes an offloaded file, as the text of one JSON object: header, size, lines, shape, fields with types and
    /// examples.
    ///
    /// # Errors
    /// `not-found`, `outside`, `not-an-offload`, `limit-reached`, `io`.
    pub fn describe(&self, source: &Source) -> Result<String, Error> {
        let (source, settings) = (self.present(source), self.settings.text()?);
        self.reading("describing", &source).run(&self.compiled, |instance, store| {
            instance.lro_offload_documents().call_describe(store, &source, &settings)
        })
    }

    /// Puts the document together again that a file's records came in.
    ///
    /// # Errors
    /// `invalid-argument`, `not-found`, `outside`, `not-an-offload`, `limit-reached`, `io`.
    pub fn rebuild(&self, source: &Source) -> Result<String, Error> {
        let (source, settings) = (self.present(source), self.settings.text()?);
        self.reading("rebuilding", &source).run(&self.compiled, |instance, store| {
            instance.lro_offload_documents().call_rebuild(store, &source, &settings)
        })
    }

    /// Deletes the expired files of ours in the output directory and one folder below it, and nothing else. In the
    /// system's temporary directory, limits on count and bytes are not acted on.
    ///
    /// # Errors
    /// `invalid-argument`, `not-found` (there is no such directory), `limit-reached`, `io`.
    pub fn cleanup(&self, request: &impl Serialize) -> Result<Cleaning, Error> {
        let (request, settings) = (self.cleanup_request(request)?, self.settings.text()?);
        // A file of somebody else is not ours to judge, whatever its name is.
        let directory = self.grant(FsPerms::ReadWrite).map(|grant| Grant { own_files_only: true, ..grant });
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
        let writes = request::writes_a_file(&request);
        let mut sandbox = Sandbox { bounds, ..self.reading("extraction", source) };
        if writes {
            sandbox.directory = self.grant(FsPerms::ReadWrite);
        }
        let extraction = sandbox.run(&self.compiled, |instance, store| {
            instance.lro_offload_offloader().call_extract(store, source, &request, &settings)
        })?;
        if writes && let Some(file) = self.written(&extraction) {
            self.make_private(&file)?;
        }
        Ok(extraction)
    }

    /// The file below the output directory that an extraction has put its results into.
    fn written(&self, extraction: &Extraction) -> Option<PathBuf> {
        let response: Value = serde_json::from_str(&extraction.results).ok()?;
        let path =
            Path::new(response.get("file_path")?.as_str()?).strip_prefix(self.settings.output_dir.public()).ok()?;
        Some(path.to_owned())
    }

    fn make_private(&self, file: &Path) -> Result<(), Error> {
        let Some(directory) = self.settings.output_dir.canonical() else { return Ok(()) };
        set_modes(directory, file).map_err(|error| Error::io(&format!("make `{}` private", file.display()), &error))
    }

    /// A sandbox that reads from a source, within the bounds of an extraction.
    fn reading(&self, operation: &'static str, source: &Source) -> Sandbox<'_> {
        let directory = match source {
            Source::File(_) => self.grant(FsPerms::ReadOnly),
            Source::Content(_) => None,
        };
        Sandbox { operation, directory, bounds: self.extraction_bounds(source) }
    }

    pub(crate) fn extraction_bounds(&self, source: &Source) -> Bounds {
        self.limits.extraction(match source {
            Source::File(file) => self.file_bytes(file),
            Source::Content(content) => content.len() as u64,
        })
    }

    /// The size of a presented file; 0 when there is none.
    pub(crate) fn file_bytes(&self, file: &str) -> u64 {
        self.settings.output_dir.size_of(file)
    }

    /// A source whose file is named as the component should see it.
    pub(crate) fn present(&self, source: &Source) -> Source {
        match source {
            Source::File(file) => Source::File(self.settings.output_dir.present(file)),
            Source::Content(content) => Source::Content(content.clone()),
        }
    }

    pub(crate) fn grant(&self, permissions: FsPerms) -> Option<Grant<'_>> {
        let permissions = if self.read_only { FsPerms::ReadOnly } else { permissions };
        let path = self.settings.output_dir.canonical()?;
        Some(Grant { path, permissions, own_files_only: false })
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
        let error = set_modes(self.settings.output_dir.canonical()?, Path::new(file_name)).err()?;
        Some(Event {
            name: "OffloadModeFailed".to_owned(),
            message: format!("cannot make `{file_name}` private: {error}"),
            fields: serde_json::json!({ "file_name": file_name, "error": error.to_string() }).to_string(),
        })
    }
}

/// 0600 for the file and 0700 for its session's folder.
#[cfg(unix)]
fn set_modes(directory: &Path, file_name: &Path) -> std::io::Result<()> {
    use std::fs::{Permissions, set_permissions};
    use std::os::unix::fs::PermissionsExt;
    if let Some(session) = file_name.parent().filter(|session| *session != Path::new("")) {
        set_permissions(directory.join(session), Permissions::from_mode(0o700))?;
    }
    set_permissions(directory.join(file_name), Permissions::from_mode(0o600))
}

/// Elsewhere files inherit the access list of their folder.
#[cfg(not(unix))]
fn set_modes(_: &Path, _: &Path) -> std::io::Result<()> {
    Ok(())
}
