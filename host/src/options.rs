//! What an embedder decides when it opens the component.

use std::fmt;
use std::num::NonZero;
use std::path::PathBuf;
use std::sync::Arc;

use crate::cache::CompiledCache;
use crate::error::Error;
use crate::limits::Limits;
use crate::object_store::ObjectStore;
use crate::output_dir::OutputDir;
use crate::settings::Settings;

/// What an embedder decides. Settings are resolved once: defaults, then `settings_file`, then `environment`, then
/// `settings`; the later one wins, key by key.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Options {
    /// The directory for offloaded files. It overrides any other source of the setting `output_dir`. Default: `lro-UID` in
    /// the system's temporary directory, which has to belong to this user alone.
    pub output_dir: Option<PathBuf>,
    /// Where offloaded files are instead of in a directory; `output_dir` is then ignored, and the paths of files begin with
    /// `lro://`. Nothing is deleted after a write: the store may let objects expire, and [`Lro::cleanup`](crate::Lro::cleanup)
    /// deletes what has expired.
    pub object_store: Option<Arc<dyn ObjectStore>>,
    /// Makes sure at once that results can be stored: a missing output directory is created, with the folders above it and
    /// mode 0700, and [`Lro::open`](crate::Lro::open) fails if it cannot be created or written to. True by default, and
    /// ignored if no files are written (`read_only`, the settings `enabled` and `store`). A write creates the directory again
    /// if it has been deleted since. With false, for a program that only reads or cleans up, nothing is created; while the
    /// directory is missing, results are truncated, with an event.
    pub prepare_output_dir: bool,
    /// Grants the output directory for reading only: extraction works, offloading and cleanup do not.
    pub read_only: bool,
    /// Explicit settings.
    pub settings: Settings,
    /// A TOML file whose table `[prompt.offload]` is read.
    pub settings_file: Option<PathBuf>,
    /// Variables that may hold settings. None by default; [`environment`](crate::environment) fetches those of this
    /// process. Another prefix is the setting `environment_prefix`.
    pub environment: Vec<(String, String)>,
    /// Limits on time and memory.
    pub limits: Limits,
    /// How many threads read a large file in [`Lro::extract_all`](crate::Lro::extract_all), each in a sandbox of its own
    /// with these limits. Default: one for each core, at most 8.
    pub threads: Option<NonZero<usize>>,
    /// Where the compiled component is kept between processes.
    pub compiled_cache: CompiledCache,
    /// Called when the component has to be compiled, which takes seconds.
    pub on_compile: OnCompile,
    /// Another component of the same contract, instead of the embedded one.
    pub component: Option<Vec<u8>>,
}

impl Options {
    /// Options for files in this directory.
    pub fn of(output_dir: impl Into<PathBuf>) -> Self {
        Self::default().output_dir(output_dir.into())
    }

    /// The directory for offloaded files.
    #[must_use]
    pub fn output_dir(self, output_dir: impl Into<Option<PathBuf>>) -> Self {
        Self { output_dir: output_dir.into(), ..self }
    }

    /// A store for offloaded files.
    #[must_use]
    pub fn object_store(self, object_store: impl Into<Option<Arc<dyn ObjectStore>>>) -> Self {
        Self { object_store: object_store.into(), ..self }
    }

    /// Makes sure at once that results can be stored.
    #[must_use]
    pub fn prepare_output_dir(self, prepare_output_dir: bool) -> Self {
        Self { prepare_output_dir, ..self }
    }

    /// Grants the output directory for reading only.
    #[must_use]
    pub fn read_only(self, read_only: bool) -> Self {
        Self { read_only, ..self }
    }

    /// Explicit settings.
    #[must_use]
    pub fn settings(self, settings: impl Into<Settings>) -> Self {
        Self { settings: settings.into(), ..self }
    }

    /// A TOML file with settings.
    #[must_use]
    pub fn settings_file(self, file: impl Into<Option<PathBuf>>) -> Self {
        Self { settings_file: file.into(), ..self }
    }

    /// Variables that may hold settings.
    #[must_use]
    pub fn environment(self, environment: Vec<(String, String)>) -> Self {
        Self { environment, ..self }
    }

    /// Limits on time and memory.
    #[must_use]
    pub fn limits(self, limits: Limits) -> Self {
        Self { limits, ..self }
    }

    /// How many threads read a large file.
    #[must_use]
    pub fn threads(self, threads: impl Into<Option<NonZero<usize>>>) -> Self {
        Self { threads: threads.into(), ..self }
    }

    /// Where the compiled component is kept between processes.
    #[must_use]
    pub fn compiled_cache(self, compiled_cache: CompiledCache) -> Self {
        Self { compiled_cache, ..self }
    }

    /// Called when the component has to be compiled.
    #[must_use]
    pub fn on_compile(self, on_compile: OnCompile) -> Self {
        Self { on_compile, ..self }
    }

    /// Another component of the same contract.
    #[must_use]
    pub fn component(self, component: impl Into<Option<Vec<u8>>>) -> Self {
        Self { component: component.into(), ..self }
    }

    /// Results are to be stored, unless the settings say otherwise.
    pub(crate) fn is_to_prepare(&self) -> bool {
        self.prepare_output_dir && !self.read_only
    }

    /// Prepares the output directory that `output_dir` names. No settings are needed for that, so it is done before a
    /// component that may have to be compiled can resolve them.
    pub(crate) fn prepare_named(&self) -> Result<(), Error> {
        let settings = self.settings.to_json();
        let may_store_none = ["enabled", "store"].iter().any(|key| settings.contains_key(*key));
        match &self.output_dir {
            Some(directory) if self.object_store.is_none() && self.is_to_prepare() && !may_store_none => {
                OutputDir::new(directory).prepare()
            }
            _ => Ok(()),
        }
    }
}

impl Default for Options {
    fn default() -> Self {
        Self {
            output_dir: None,
            object_store: None,
            prepare_output_dir: true,
            read_only: false,
            settings: Settings::default(),
            settings_file: None,
            environment: Vec::new(),
            limits: Limits::default(),
            threads: None,
            compiled_cache: CompiledCache::default(),
            on_compile: OnCompile::default(),
            component: None,
        }
    }
}

/// A function that is called before the component is compiled, on the same thread. It is not called if the compiled form is
/// loaded from the cache.
#[derive(Clone, Default)]
pub struct OnCompile(Option<Arc<dyn Fn() + Send + Sync>>);

impl OnCompile {
    /// This is called.
    pub fn call(told: impl Fn() + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(told)))
    }

    pub(crate) fn tell(&self) {
        if let Some(told) = &self.0 {
            told();
        }
    }
}

impl fmt::Debug for OnCompile {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(if self.0.is_some() { "OnCompile(…)" } else { "OnCompile" })
    }
}
