//! The component, compiled once and ready to be instantiated.

use std::sync::{Arc, OnceLock};

use tokio::runtime::{self, EnterGuard, Handle, Runtime};
use wasmtime::Engine;
use wasmtime::component::{Component, Linker};

use crate::ahead;
use crate::answer::Event;
use crate::bindings::LroPre;
use crate::cache::{CompiledCache, Loaded, hash_of};
use crate::engine;
use crate::error::{Accident, Error};
use crate::options::{OnCompile, Options};
use crate::sandbox::State;
use crate::settings::Tokenizer;
use crate::{files, object_store};

/// The embedded component, `lro.wasm`. A constant would be in a program once for each crate that names it.
pub static COMPONENT: &[u8] = include_bytes!(env!("LRO_COMPONENT_FILE"));

/// The version of wasmtime, which runs it.
pub const WASMTIME_VERSION: &str = wasmtime_environ::VERSION;

/// The contract that it implements: the package of its WIT, such as `lro:offload@0.1.0`.
pub fn contract() -> &'static str {
    let first = include_str!("../../wit/types.wit").lines().find_map(|line| line.strip_prefix("package "));
    first.unwrap_or_default().trim_end_matches(';')
}

/// Hash of the embedded component, taken when it was built.
pub(crate) const COMPONENT_HASH: &str = env!("LRO_COMPONENT_HASH");

/// The component with the vocabularies of exact tokenizers.
#[cfg(feature = "exact-tokens")]
pub static EXACT_COMPONENT: &[u8] = include_bytes!(env!("LRO_EXACT_COMPONENT_FILE"));

/// Hash of that component.
#[cfg(feature = "exact-tokens")]
const EXACT_COMPONENT_HASH: &str = env!("LRO_EXACT_COMPONENT_HASH");

/// True for the hash of a component that is embedded here.
fn is_embedded(hash: &str) -> bool {
    #[cfg(feature = "exact-tokens")]
    if hash == EXACT_COMPONENT_HASH {
        return true;
    }
    hash == COMPONENT_HASH
}

/// A component that imports this may wait for something.
const POLL: &str = "wasi:io/poll";

/// A compiled component with its imports resolved. Instantiating it takes microseconds.
pub(crate) struct Compiled {
    pub(crate) engine: Engine,
    pub(crate) prepared: LroPre<State>,
    /// What happened while it was loaded.
    pub(crate) events: Vec<Event>,
    /// It is an embedded one, without vocabularies.
    lacks_vocabularies: bool,
    /// It waits for clocks or streams, as components of other makers may. Ours never does.
    waits: bool,
}

impl Compiled {
    /// Compiles the component of the options, or loads its compiled form from the cache.
    pub(crate) fn open(options: &Options) -> Result<Arc<Self>, Error> {
        match options.component.as_deref() {
            Some(bytes) => Self::load(bytes, &hash_of(bytes), options),
            None => Self::load(COMPONENT, COMPONENT_HASH, options),
        }
    }

    /// The same component, or for an exact tokenizer the one with vocabularies, if this one is embedded and has none.
    ///
    /// # Errors
    /// `invalid-argument` if this library was built without it.
    pub(crate) fn suiting(
        self: Arc<Self>,
        tokenizer: Option<Tokenizer>,
        options: &Options,
    ) -> Result<Arc<Self>, Error> {
        match tokenizer {
            Some(Tokenizer::O200kBase | Tokenizer::Cl100kBase) if self.lacks_vocabularies => Self::open_exact(options),
            _ => Ok(self),
        }
    }

    #[cfg(feature = "exact-tokens")]
    fn open_exact(options: &Options) -> Result<Arc<Self>, Error> {
        Self::load(EXACT_COMPONENT, EXACT_COMPONENT_HASH, options)
    }

    #[cfg(not(feature = "exact-tokens"))]
    fn open_exact(_: &Options) -> Result<Arc<Self>, Error> {
        Err(Error::invalid_argument(
            "cannot count tokens with this `tokenizer`: this program was built without its vocabulary; build it with the \
             feature `exact-tokens`, give it a component that has the vocabularies, or use `chars` or `mixed`"
                .to_owned(),
        ))
    }

    fn load(bytes: &[u8], hash: &str, options: &Options) -> Result<Arc<Self>, Error> {
        Self::prepare(bytes, hash, &options.compiled_cache, &options.on_compile)
            .map(|compiled| Arc::new(Self { lacks_vocabularies: hash == COMPONENT_HASH, ..compiled }))
            .map_err(|error| Accident::Unusable(format!("cannot load the component: {error:#}")).into())
    }

    fn prepare(bytes: &[u8], hash: &str, cache: &CompiledCache, on_compile: &OnCompile) -> wasmtime::Result<Self> {
        // Another component may have any number of memories and tables.
        let mut engine = if is_embedded(hash) { engine::start() } else { engine::start_unpooled() }?;
        let Loaded { mut component, events, is_mapped } =
            cache.load(&engine, bytes, hash, ahead::embedded(hash), on_compile)?;
        if !is_mapped && engine::files_are_limited() {
            // Images of memory are files, and too large ones; without them each call copies some hundred kilobytes.
            engine = engine::start_without_images()?;
            component = Component::from_binary(&engine, bytes)?;
        }
        let waits = component.component_type().imports(&engine).any(|(name, _)| name.starts_with(POLL));
        let prepared = linked(&engine, &component, |_| Ok(()))?;
        Ok(Self { engine, prepared, events, lacks_vocabularies: false, waits })
    }

    /// The same component with an object store in the place of the file system.
    pub(crate) fn with_object_store(&self) -> Result<Arc<Self>, Error> {
        self.relinked(object_store::replace)
    }

    /// The same component on a host with a fault.
    #[cfg(feature = "faults")]
    pub(crate) fn with_fault(&self, fault: &impl crate::faults::Fault) -> Result<Arc<Self>, Error> {
        self.relinked(|linker| fault.inject(linker))
    }

    fn relinked(&self, adjust: impl FnOnce(&mut Linker<State>) -> wasmtime::Result<()>) -> Result<Arc<Self>, Error> {
        let component = self.prepared.instance_pre().component();
        let Self { engine, lacks_vocabularies, waits, .. } = self;
        let (engine, lacks_vocabularies, waits) = (engine.clone(), *lacks_vocabularies, *waits);
        linked(&engine.clone(), component, adjust)
            .map(|prepared| Arc::new(Self { engine, prepared, events: Vec::new(), lacks_vocabularies, waits }))
            .map_err(|error| Accident::Unusable(format!("cannot link the component: {error:#}")).into())
    }

    /// Makes a runtime of ours the current one, for a component that never waits.
    ///
    /// wasmtime-wasi runs each call of the file system in the current runtime. Where there is none it starts one with a
    /// thread for each core, and panics where threads or descriptors are short.
    pub(crate) fn enter_runtime(&self) -> Option<EnterGuard<'static>> {
        // It is never dropped: that is not allowed in an asynchronous context, where a caller may drop what it opened.
        static RUNTIME: OnceLock<Option<Runtime>> = OnceLock::new();
        if self.waits || Handle::try_current().is_ok() {
            return None;
        }
        RUNTIME.get_or_init(|| runtime::Builder::new_current_thread().build().ok()).as_ref().map(Runtime::enter)
    }
}

/// The component with its imports resolved: WASI, changed as `adjust` says.
fn linked(
    engine: &Engine,
    component: &Component,
    adjust: impl FnOnce(&mut Linker<State>) -> wasmtime::Result<()>,
) -> wasmtime::Result<LroPre<State>> {
    let mut linker = Linker::new(engine);
    wasmtime_wasi::p2::add_to_linker_sync(&mut linker)?;
    files::replace(&mut linker)?;
    adjust(&mut linker)?;
    LroPre::new(linker.instantiate_pre(component)?)
}
