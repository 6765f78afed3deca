//! What an embedder decides when it opens the component.

use std::num::NonZero;
use std::path::PathBuf;

use serde_json::{Map, Value};

use crate::cache::CompiledCache;
use crate::limits::Limits;

/// What an embedder decides. Settings are resolved once: defaults, then `settings_file`, then `environment`, then
/// `settings`; the later one wins, key by key.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The directory for offloaded files: the setting `output_dir`, and stronger than any other source of it. Without
    /// one, `lro-UID` in the system's temporary directory, which has to be this user's alone. A directory that does not
    /// exist is created by the first offload, with mode 0700, if the folder above it is there. Where there is none,
    /// results are truncated, and an event says so.
    pub output_dir: Option<PathBuf>,
    /// Grant the output directory for reading only: nothing can be offloaded or cleaned up, everything extracted.
    pub read_only: bool,
    /// Explicit settings: keys of `settings.schema.json`.
    pub settings: Map<String, Value>,
    /// A TOML file whose table `[prompt.offload]` is read.
    pub settings_file: Option<PathBuf>,
    /// Variables that may hold settings. None by default; [`environment`](crate::environment) fetches those of this
    /// process. Another prefix is the setting `environment_prefix`.
    pub environment: Vec<(String, String)>,
    /// Limits on time and memory.
    pub limits: Limits,
    /// So many threads look at a large file in [`Lro::extract_all`](crate::Lro::extract_all), each in a sandbox of its
    /// own with these limits. Default: one for each core, at most 8.
    pub threads: Option<NonZero<usize>>,
    /// Where the compiled component is kept between processes.
    pub compiled_cache: CompiledCache,
    /// Another component of the same contract, instead of the embedded one.
    pub component: Option<Vec<u8>>,
}
