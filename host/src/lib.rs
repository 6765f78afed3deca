//! Large Result Offloading: a tool result that is too large for a model goes to a file, and the model gets a short
//! response that says what is there and how to read it.
//!
//! ```
//! use lro::{Lro, OffloadRequest, Options};
//!
//! # fn main() -> Result<(), lro::Error> {
//! let lro = Lro::open(Options { output_dir: Some(std::env::temp_dir()), ..Options::default() })?;
//! let result = r#"[{"id":"m1","title":"Postgres"},{"id":"m2","title":"Backups"}]"#;
//! let answer = lro.offload(result, &OffloadRequest::of("recall"))?;
//! for event in &answer.events {
//!     eprintln!("{}: {}", event.name, event.message);
//! }
//! assert_eq!(answer.text(result), result); // Small: it stands as it is. Else this is the response for the model.
//! # Ok(())
//! # }
//! ```
//!
//! All of the protocol is in a WebAssembly component (`lro.wasm`, embedded here); this crate loads it, gives it the one
//! directory that it needs, bounds its time and memory, and passes texts in and out. The contract is `wit/`; its records
//! appear here as they are generated from it. Each call runs in a sandbox of its own, so [`Lro`] can be shared between
//! threads, and a call that is stopped by a limit leaves nothing behind.

mod answer;
mod bindings;
mod cache;
mod component;
mod created;
mod engine;
mod error;
#[cfg(feature = "faults")]
pub mod faults;
mod files;
mod folder;
mod limits;
mod mcp;
mod offloader;
mod options;
mod output_dir;
mod owner;
mod paging;
mod parts;
mod request;
mod sandbox;
mod settings;

pub use answer::{
    Cleaning, Event, Extraction, Failure, Offloading, Outcome, Rewriting, Rewritten, Source, Stored, StoredSection,
};
pub use cache::CompiledCache;
pub use component::COMPONENT;
pub use created::remove_unfinished_files;
pub use error::{Error, LimitProblem, Problem, QueryProblem};
pub use limits::{CallLimits, Limits, OffloadLimits};
pub use offloader::Lro;
pub use options::{OnCompile, Options};
pub use paging::Extracted;
pub use request::{CleanupRequest, ExtractRequest, OffloadRequest, Part};
pub use settings::{ENVIRONMENT_PREFIX, environment};
