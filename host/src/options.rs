//! What an embedder decides when it opens the component.

use std::num::NonZero;
use std::path::PathBuf;

use serde_json::{Map, Value};

use crate::cache::CompiledCache;
use crate::limits::Limits;

/// What an embedder decides. Settings are resolved once: defaults, then `settings_file`, then `environment`, then
/// `settings`; the later one wins, key by key.
#[derive(Clone, Debug)]
pub struct Options {
    /// The directory for offloaded files: the setting `output_dir`, and stronger than any other source of it. Without
    /// one, `lro-UID` in the system's temporary directory, which has to be this user's alone.
    pub output_dir: Option<PathBuf>,
    /// Make sure at once that results can be stored: an output directory that does not exist is created, with the folders
    /// above it and mode 0700, and [`Lro::open`](crate::Lro::open) fails where it cannot be created or written to. True by
    /// default, and without a meaning where no files are written (`read_only`, the settings `enabled` and `store`). With
    /// false, as for a program that only reads or cleans up, nothing is created; while there is no directory, results are
    /// truncated, and an event says so.
    pub prepare_output_dir: bool,
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

impl Default for Options {
    fn default() -> Self {
        Self {
            output_dir: None,
            prepare_output_dir: true,
            read_only: false,
            settings: Map::new(),
            settings_file: None,
            environment: Vec::new(),
            limits: Limits::default(),
            threads: None,
            compiled_cache: CompiledCache::default(),
            component: None,
        }
    }
}
