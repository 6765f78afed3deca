//! The component, compiled once and ready to be instantiated.

use std::sync::Arc;

use wasmtime::Engine;
use wasmtime::component::{Component, Linker};

use crate::bindings::LroPre;
use crate::cache::{CompiledCache, hash_of};
use crate::engine;
use crate::error::Error;
use crate::full_disk;
use crate::options::Options;
use crate::sandbox::State;

/// The embedded component, `lro.wasm`.
pub const COMPONENT: &[u8] = include_bytes!(env!("LRO_COMPONENT_FILE"));

/// Hash of the embedded component, taken when it was built.
const COMPONENT_HASH: &str = env!("LRO_COMPONENT_HASH");

/// A compiled component with its imports resolved. Instantiating it takes microseconds.
pub(crate) struct Compiled {
    pub(crate) engine: Engine,
    pub(crate) prepared: LroPre<State>,
}

impl Compiled {
    /// Compiles the component of the options, or loads its compiled form from the cache.
    pub(crate) fn open(options: &Options) -> Result<Arc<Self>, Error> {
        Self::prepare(options.component.as_deref(), &options.compiled_cache)
            .map(Arc::new)
            .map_err(|error| Error::Unusable(format!("cannot load the component: {error:#}")))
    }

    fn prepare(given: Option<&[u8]>, cache: &CompiledCache) -> wasmtime::Result<Self> {
        let engine = engine::start()?;
        let component = match given {
            Some(bytes) => cache.load(&engine, bytes, &hash_of(bytes))?,
            None => cache.load(&engine, COMPONENT, COMPONENT_HASH)?,
        };
        let prepared = linked(&engine, &component, |_| Ok(()))?;
        Ok(Self { engine, prepared })
    }

    /// The same component on a disk that is full.
    pub(crate) fn with_full_disk(&self) -> Result<Arc<Self>, Error> {
        let component = self.prepared.instance_pre().component();
        linked(&self.engine, component, full_disk::fill)
            .map(|prepared| Arc::new(Self { engine: self.engine.clone(), prepared }))
            .map_err(|error| Error::Unusable(format!("cannot link the component: {error:#}")))
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
    adjust(&mut linker)?;
    LroPre::new(linker.instantiate_pre(component)?)
}
