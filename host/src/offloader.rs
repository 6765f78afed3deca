//! The calls: estimate, offload, extract.

use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value};
use wasmtime_wasi::FsPerms;

use crate::answer::{Event, Extraction, Offloading, Outcome, Source, Stored, tell_failure};
use crate::component::Compiled;
use crate::error::{Case, Error};
use crate::limits::{Bounds, Limits};
use crate::object_store::ObjectStore;
use crate::options::Options;
#[cfg(unix)]
use crate::owner::is_ours;
use crate::payload::Payload;
use crate::rebuilt::RebuiltParts;
use crate::request::{self, ExtractRequest, OffloadRequest};
use crate::resolved::{self, Resolved};
use crate::sandbox::{Grant, Place, Sandbox};
use crate::settings::Settings;

/// The component, opened with its settings. Clones share everything and cost nothing; calls may run in parallel.
///
/// Requests are structs. One that came as JSON, from a client, is made into such a struct with `from`: the component checks
/// it.
#[derive(Clone)]
pub struct Lro {
    pub(crate) compiled: Arc<Compiled>,
    pub(crate) settings: Arc<Resolved>,
    pub(crate) limits: Limits,
    pub(crate) read_only: bool,
    /// An output directory that is missing is created: when this is opened, and before a write.
    prepares: bool,
    pub(crate) threads: Option<NonZero<usize>>,
}

impl Lro {
    /// Loads the component, resolves the settings, and creates the output directory if it is missing.
    ///
    /// # Errors
    /// `invalid-argument` for invalid settings, `io` for a settings file that cannot be read or an output
    /// directory that cannot be written to, and [`Accident::Unusable`](crate::Accident::Unusable) for a component that cannot be used.
    pub fn open(options: &Options) -> Result<Self, Error> {
        options.prepare_named()?;
        Self::with(Compiled::open(options)?, options)
    }

    /// Returns the same component with other settings and limits, without loading it again. `component` and
    /// `compiled_cache` of the options are ignored, unless an exact tokenizer needs the component with vocabularies.
    ///
    /// # Errors
    /// Those of [`Lro::open`].
    pub fn reopen(&self, options: &Options) -> Result<Self, Error> {
        Self::with(self.compiled.clone(), options)
    }

    fn with(compiled: Arc<Compiled>, options: &Options) -> Result<Self, Error> {
        let settings = Arc::new(Resolved::of(&compiled, options)?);
        let mut compiled = compiled.suiting(settings.settings.tokenizer, options)?;
        if options.object_store.is_some() {
            compiled = compiled.with_object_store()?;
        }
        let prepares = options.is_to_prepare() && settings.stores_files();
        if prepares {
            settings.output_dir.prepare()?;
        }
        let Options { limits, read_only, threads, .. } = *options;
        Ok(Self { compiled, settings, limits, read_only, prepares, threads })
    }

    /// What happened while the component was loaded: its compiled form was damaged and has been replaced, or cannot be kept.
    pub fn opening_events(&self) -> &[Event] {
        &self.compiled.events
    }

    /// The same component on a host with a fault.
    ///
    /// # Errors
    /// [`Accident::Unusable`](crate::Accident::Unusable) for a component that cannot be linked so.
    #[cfg(feature = "faults")]
    pub fn with_fault(&self, fault: &impl crate::faults::Fault) -> Result<Self, Error> {
        Ok(Self { compiled: self.compiled.with_fault(fault)?, ..self.clone() })
    }

    /// Resolves settings from a file's text, variables and explicit values, as [`Lro::open`] does. In the answer every key is
    /// present, as `wit/settings.schema.json` names it.
    ///
    /// # Errors
    /// `invalid-argument`, naming the key or variable, its value, and what would be accepted.
    pub fn resolve(
        &self,
        file_text: &str,
        environment: &[(String, String)],
        explicit: &Settings,
    ) -> Result<Map<String, Value>, Error> {
        resolved::resolve(&self.compiled, file_text, environment, explicit)
    }

    /// The output directory as people and models know it: canonical if it exists.
    pub fn output_dir(&self) -> &Path {
        self.settings.output_dir.public()
    }

    /// The store that files are in, if they are not in a directory.
    pub fn object_store(&self) -> Option<&Arc<dyn ObjectStore>> {
        self.settings.output_dir.object_store()
    }

    /// The settings as they were resolved.
    pub fn settings(&self) -> &Settings {
        &self.settings.settings
    }

    /// What the payload's records count against the threshold, for the request that [`Lro::offload`] would be given:
    /// tokens, or characters where the settings have `threshold_characters`. Touches no file.
    ///
    /// # Errors
    /// `invalid-argument`, and `limit-reached` for limits of the options.
    pub fn estimate(&self, payload: &str, request: &OffloadRequest) -> Result<u32, Error> {
        self.estimate_payload(Payload::Text(payload), request)
    }

    /// Decides what becomes of `payload`, the text of a tool's result, and carries it out.
    ///
    /// It does not fail for want of disk, memory or time: the answer is then truncated, no file is left, and an event says
    /// why. A file that it writes has mode 0600 from its first byte on, its session's folder 0700.
    ///
    /// # Errors
    /// `invalid-argument`, for a request that makes no sense.
    pub fn offload(&self, payload: &str, request: &OffloadRequest) -> Result<Offloading, Error> {
        self.offload_payload(Payload::Text(payload), request)
    }

    /// [`Lro::offload`] for either kind of payload. A file that the component cannot read is the error `io`.
    pub(crate) fn offload_payload(&self, payload: Payload<'_>, request: &OffloadRequest) -> Result<Offloading, Error> {
        let request = payload.request(request)?;
        let settings = self.settings.text()?;
        let bounds = self.limits.offloading(payload.bytes());
        let directory = payload.shown(self.grant_for_writing());
        let sandbox = Sandbox { operation: "offloading", directory, bounds };
        let answer = sandbox.run_telling(&self.compiled, |instance, store| {
            instance.lro_offload_offloader().call_offload(store, payload.text(), &request, &settings)
        });
        match answer {
            (Ok(Offloading { outcome: Outcome::Truncated(_), .. }), Some(reason)) => {
                Ok(self.truncated(payload, &request, &cannot_store(&reason)))
            }
            (Ok(mut answer), _) => {
                if let Outcome::Offloaded(Stored { file_name, content: None, sections, .. }) = &answer.outcome {
                    for file_name in sections.iter().map(|section| &section.file_name).chain([file_name]) {
                        answer.events.extend(self.keep_private(file_name));
                    }
                }
                if !matches!(answer.outcome, Outcome::Unchanged | Outcome::Inline(_)) {
                    answer.events.extend(self.sweep());
                }
                Ok(answer)
            }
            (Err(error @ Error::Case(Case::InvalidArgument(_))), _) => Err(error),
            (Err(error @ Error::Case(Case::Io(_))), _) if matches!(payload, Payload::File(..)) => Err(error),
            (Err(error), _) => Ok(self.truncated(payload, &request, &error)),
        }
    }

    /// The truncated answer for a payload that could not be offloaded.
    fn truncated(&self, payload: Payload<'_>, request: &str, error: &Error) -> Offloading {
        let bounds = Limits::truncating(payload.bytes());
        let directory = payload.directory(self);
        let sandbox = Sandbox { operation: "truncating", directory, bounds };
        let answer = self.settings.truncating(error.message()).and_then(|settings| {
            sandbox.run(&self.compiled, |instance, store| {
                instance.lro_offload_offloader().call_offload(store, payload.text(), request, &settings)
            })
        });
        match answer {
            Ok(mut answer) => {
                tell_failure(&mut answer.events, error);
                answer
            }
            Err(_) => Offloading::withheld(error),
        }
    }

    /// Like [`Lro::offload`], for bytes that may not be text. Those that are not are offloaded as the text that they come
    /// closest to, with an event; where that text is small, the bytes stand as they are.
    ///
    /// # Errors
    /// `invalid-argument`, for a request that makes no sense.
    pub fn offload_bytes(&self, payload: &[u8], request: &OffloadRequest) -> Result<Offloading, Error> {
        let error = match std::str::from_utf8(payload) {
            Ok(payload) => return self.offload(payload, request),
            Err(error) => error,
        };
        let mut answer = self.offload(&String::from_utf8_lossy(payload), request)?;
        if !matches!(answer.outcome, Outcome::Unchanged) {
            answer.events.push(Event {
                name: "OffloadLossy".to_owned(),
                message: format!("the result is not text, and its bytes that are not UTF-8 were replaced: {error}"),
                fields: serde_json::json!({ "error": error.to_string(), "bytes": payload.len() }).to_string(),
            });
        }
        Ok(answer)
    }

    /// Runs a recipe or a jq filter over the records of an offloaded file: one page of results.
    ///
    /// [`Lro::extract_all`] returns page after page.
    ///
    /// # Errors
    /// `invalid-argument`, `invalid-query`, `not-found`, `outside`, `not-an-offload`, `limit-reached`, `io`.
    pub fn extract(&self, source: &Source, request: &ExtractRequest) -> Result<Extraction, Error> {
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
        let described = self.reading("describing", &source).run(&self.compiled, |instance, store| {
            instance.lro_offload_documents().call_describe(store, &source, &settings)
        });
        described.map_err(|error| self.settings.output_dir.explained(error))
    }

    /// Restores the document that a file's records came from.
    ///
    /// # Errors
    /// `invalid-argument`, `not-found`, `outside`, `not-an-offload`, `limit-reached`, `io`.
    pub fn rebuild(&self, source: &Source) -> Result<String, Error> {
        let (source, settings) = (self.present(source), self.settings.text()?);
        let rebuilt = self.reading("rebuilding", &source).run(&self.compiled, |instance, store| {
            instance.lro_offload_documents().call_rebuild(store, &source, &settings)
        });
        rebuilt.map_err(|error| self.settings.output_dir.explained(error))
    }

    /// Restores the document that a file's records came from part by part, in flat memory: the parts, one after the other,
    /// are what [`Lro::rebuild`] returns. A document that is not whole is an error before the first part.
    ///
    /// # Errors
    /// A part is an error for the reasons of [`Lro::rebuild`]; it is the last one.
    pub fn rebuild_parts(&self, source: &Source) -> RebuiltParts {
        RebuiltParts::of(self.clone(), self.present(source))
    }

    /// Extraction from a source that has been presented already, within the given bounds.
    pub(crate) fn extract_within(
        &self,
        source: &Source,
        request: &ExtractRequest,
        bounds: Bounds,
    ) -> Result<Extraction, Error> {
        let writes = request.writes_a_file();
        let (request, settings) = (request::text(request)?, self.settings.text()?);
        let mut sandbox = Sandbox { bounds, ..self.reading("extraction", source) };
        if writes {
            sandbox.directory = self.grant_for_writing();
        }
        let extraction = sandbox.run(&self.compiled, |instance, store| {
            instance.lro_offload_offloader().call_extract(store, source, &request, &settings)
        });
        let extraction = extraction.map_err(|error| self.settings.output_dir.explained(error))?;
        if writes && let Some(file) = self.written(&extraction) {
            self.make_private(&file)?;
            // An extraction has no events to tell it with.
            self.sweep();
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
        let Some(Place::Directory(directory)) = self.settings.output_dir.place() else { return Ok(()) };
        set_modes(directory, file).map_err(|error| Error::io(&format!("make `{}` private", file.display()), &error))
    }

    /// A sandbox that reads from a source, within the bounds of an extraction.
    pub(crate) fn reading(&self, operation: &'static str, source: &Source) -> Sandbox<'_> {
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
        let place = self.settings.output_dir.place()?;
        Some(Grant { place, permissions, own_files_only: false, payload: None })
    }

    /// The directory for a write, which creates it again if it has been deleted.
    pub(crate) fn grant_for_writing(&self) -> Option<Grant<'_>> {
        if self.prepares {
            self.settings.output_dir.restore();
        }
        self.grant(FsPerms::ReadWrite)
    }

    /// Sets the modes of what was written, because a component cannot, before anybody learns where it is (USER-08).
    /// Returns an event if they cannot be set.
    pub(crate) fn keep_private(&self, file_name: &str) -> Option<Event> {
        let Some(Place::Directory(directory)) = self.settings.output_dir.place() else { return None };
        let error = set_modes(directory, Path::new(file_name)).err()?;
        Some(Event {
            name: "OffloadModeFailed".to_owned(),
            message: format!("cannot make `{file_name}` private: {error}"),
            fields: serde_json::json!({ "file_name": file_name, "error": error.to_string() }).to_string(),
        })
    }
}

/// Why a result is truncated that a store did not take.
pub(crate) fn cannot_store(reason: &str) -> Error {
    Error::store("the store did not take the result", reason)
}

/// Makes sure of 0600 for the file and 0700 for its session's folder, as far as they are ours. They are created so; a
/// folder may have been there before. Nothing is changed through a link, of either kind.
#[cfg(unix)]
fn set_modes(directory: &Path, file_name: &Path) -> std::io::Result<()> {
    use std::fs::{File, Permissions};
    use std::os::unix::fs::{MetadataExt, PermissionsExt};

    use rustix::fs::{CWD, Mode, OFlags, openat};

    let inside = |folder: &File, name: &std::ffi::OsStr, flags: OFlags| {
        let flags = flags | OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        openat(folder, name, flags, Mode::empty()).map(File::from)
    };
    let restrict = |opened: &File, mode: u32| {
        let metadata = opened.metadata()?;
        let is_linked = metadata.is_file() && metadata.nlink() > 1;
        if metadata.mode() & 0o077 == 0 || is_linked || !is_ours(&metadata) {
            return Ok(());
        }
        opened.set_permissions(Permissions::from_mode(mode))
    };
    let mut folder =
        File::from(openat(CWD, directory, OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?);
    if let Some(session) = file_name.parent().and_then(Path::file_name) {
        folder = inside(&folder, session, OFlags::DIRECTORY)?;
        restrict(&folder, 0o700)?;
    }
    restrict(&inside(&folder, file_name.file_name().unwrap_or_default(), OFlags::empty())?, 0o600)
}

/// Elsewhere files inherit the access list of their folder.
#[cfg(not(unix))]
fn set_modes(_: &Path, _: &Path) -> std::io::Result<()> {
    Ok(())
}
