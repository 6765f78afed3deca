//! Large Result Offloading: a tool result that is too large for a model goes to a file, and the model gets a short
//! response that says what is there and how to read it.
//!
//! ```
//! use lro::{Error, ExtractRequest, Lro, OffloadRequest, Options, Outcome, Settings, Source};
//!
//! # fn main() -> Result<(), Error> {
//! # let folder = std::env::temp_dir().join(format!("lro-doc-{}", std::process::id()));
//! let lro = Lro::open(&Options::of(&folder).settings(Settings::default().threshold_tokens(10)))?;
//! let result = r#"[{"id":"m1","title":"Postgres"},{"id":"m2","title":"Backups"}]"#;
//! let answer = lro.offload(result, &OffloadRequest::of("list_decisions"))?;
//! println!("{}", answer.text(result)); // For the model. A small result is returned unchanged.
//!
//! // Later the model asks for a part of it.
//! let Outcome::Offloaded(stored) = answer.outcome else { panic!("{:?}", answer.events) };
//! for page in lro.extract_all(&Source::File(stored.file_name), &ExtractRequest::of_query(".title")) {
//!     assert_eq!(page?, "\"Postgres\"\n\"Backups\"\n");
//! }
//! # std::fs::remove_dir_all(folder).ok();
//! # Ok(())
//! # }
//! ```
//!
//! All of the protocol is in a WebAssembly component (`lro.wasm`, embedded here); this crate loads it, gives it the one
//! directory that it needs, bounds its time and memory, and passes texts in and out. The contract is `wit/`.
//!
//! - [`Lro`] is the component, opened. Each call runs in a sandbox of its own, so it can be shared between threads, and a
//!   call that is stopped by a limit leaves nothing behind.
//! - [`Options`] are what an embedder decides; the [`Settings`] among them go to the component.
//! - [`OffloadRequest`], [`ExtractRequest`], [`CleanupRequest`] and [`ListRequest`] are what a call asks for. Each key is a field and a method
//!   that sets it. They may get more keys, so they begin with `default()`, `of` or JSON.
//! - [`Lro::operation`] takes values and wraps functions; [`Lro::session`] is a folder that is emptied at the end of its
//!   scope; a [`Section`] says in the caller's words what a list is and what to ask of it.
//! - [`Offloading`], [`Extraction`], [`Cleaning`] and [`Rewritten`] are what calls return: the records of the contract.
//! - [`Error`] separates the [`Case`]s of the contract, which a caller can cause or handle, from [`Accident`]s.

mod ahead;
mod answer;
mod bindings;
mod cache;
mod checked;
mod checksum;
mod cleanup;
mod component;
mod created;
mod engine;
mod error;
#[cfg(feature = "faults")]
pub mod faults;
mod files;
mod folder;
mod keeping;
mod keys;
mod limits;
mod listing;
mod mcp;
mod object_store;
mod offloader;
mod operation;
mod options;
mod output_dir;
mod owner;
mod paging;
mod parts;
mod payload;
mod progress;
mod reader;
mod rebuilt;
mod request;
mod resolved;
mod sandbox;
mod searching;
mod sections;
mod settings;
mod windows;

pub use ahead::{compile_ahead, is_compiled_ahead};
pub use answer::{
    Cleaning, Event, Extraction, Failure, Findings, Hit, Offloading, Outcome, Passage, Rewriting, Rewritten, Source,
    Stored, StoredSection,
};
pub use cache::CompiledCache;
#[cfg(feature = "exact-tokens")]
pub use component::EXACT_COMPONENT;
pub use component::{COMPONENT, WASMTIME_VERSION, contract};
pub use created::{UntoldFiles, remove_unfinished_files};
pub use error::{Accident, Case, Error, LimitProblem, Problem, QueryProblem};
pub use keeping::Kept;
pub use keys::IntoKey;
pub use limits::{CallLimits, Limits};
pub use mcp::McpCall;
pub use object_store::{Listed, ObjectStatus, ObjectStore};
pub use offloader::Lro;
pub use operation::{Offloaded, Operation, Session};
pub use options::{OnCompile, Options};
pub use output_dir::examine_output_dir;
pub use paging::{Extracted, Pages};
pub use progress::Progress;
pub use reader::{Encoding, ReadRequest, SearchRequest, SoFar};
pub use rebuilt::RebuiltParts;
pub use request::{
    CleanupRequest, Condition, Detail, ExtractRequest, Field, ListRequest, OffloadRequest, On, Operator, Part,
};
pub use sections::{Recipe, Section};
pub use settings::{
    CallSettings, Defaults, Descriptor, ENVIRONMENT_PREFIX, Guidance, Mode, Profile, Settings, Store, Tokenizer,
    ToolNames, ToolOffload, ToolSettings, environment,
};
