//! One call in a sandbox of its own: no network, no environment, no arguments, at most one directory, and limits on time
//! and memory. It is thrown away afterwards, so that a call which is stopped needs no recovery.

use std::path::Path;

use wasmtime::component::ResourceTable;
use wasmtime::{ResourceLimiter, Store, Trap};
use wasmtime_wasi::{FsPerms, WasiCtx, WasiCtxView, WasiView};

use crate::bindings::Lro as Instance;
use crate::bindings::lro::offload::types::Error as Case;
use crate::component::Compiled;
use crate::engine::{self, MAX_STACK_BYTES};
use crate::error::Error;
use crate::limits::Bounds;

/// The output directory's name inside the sandbox.
pub(crate) const GUEST_DIRECTORY: &str = "/output";

/// What a call is given.
pub(crate) struct Sandbox<'a> {
    /// What runs, as a noun for messages: `extraction`.
    pub(crate) operation: &'static str,
    /// The one directory that can be reached, if any.
    pub(crate) directory: Option<(&'a Path, FsPerms)>,
    pub(crate) bounds: Bounds,
}

impl Sandbox<'_> {
    /// Runs one function of the component.
    pub(crate) fn run<T>(
        &self,
        compiled: &Compiled,
        call: impl FnOnce(&Instance, &mut Store<State>) -> wasmtime::Result<Result<T, Case>>,
    ) -> Result<T, Error> {
        let mut store = self.store(compiled)?;
        let answer = match compiled.prepared.instantiate(&mut store) {
            Ok(instance) => call(&instance, &mut store),
            Err(error) => return Err(self.stopped(&error, &store).unwrap_or_else(|| unusable(&error))),
        };
        match answer {
            Ok(answer) => answer.map_err(Error::from),
            Err(error) => Err(self.stopped(&error, &store).unwrap_or_else(|| self.unexpected(&error))),
        }
    }

    fn store(&self, compiled: &Compiled) -> Result<Store<State>, Error> {
        let mut store = Store::new(&compiled.engine, State::new(self.wasi()?, self.bounds.memory_bytes));
        store.limiter(|state| &mut state.memory);
        // What a call hands out lies in its memory first, so that bounds it. The default is 128 MiB.
        store.set_hostcall_fuel(usize::try_from(self.bounds.memory_bytes).unwrap_or(usize::MAX));
        // Half of the range is for ever: a full one would overflow the epoch.
        store.set_epoch_deadline(self.bounds.time.map_or(u64::MAX / 2, engine::ticks));
        Ok(store)
    }

    fn wasi(&self) -> Result<WasiCtx, Error> {
        let mut builder = WasiCtx::builder();
        builder.allow_blocking_current_thread(true);
        if let Some((directory, permissions)) = self.directory
            && let Err(error) = builder.preopened_dir(directory, GUEST_DIRECTORY, permissions)
            && directory.is_dir()
            && matches!(permissions, FsPerms::ReadOnly)
        {
            // Without its directory a reader would say that the file is not there.
            let reason = error.root_cause();
            return Err(Error::cannot_open(
                &format!("the output directory `{}`", directory.display()),
                &reason.to_string(),
            ));
        }
        // A writer that has no directory truncates the result, and says so.
        Ok(builder.build())
    }

    /// The limit that ended the call, if one did.
    fn stopped(&self, error: &wasmtime::Error, store: &Store<State>) -> Option<Error> {
        let memory = &store.data().memory;
        match error.downcast_ref::<Trap>() {
            Some(Trap::Interrupt) => self.bounds.time.map(|time| Error::too_slow(self.operation, time)),
            // The allocator aborts when it gets no memory; the trap itself does not say why.
            _ if memory.has_refused => Some(Error::too_large(self.operation, memory.limit_bytes)),
            // The component's own stack lies at the start of its memory: below it is out of bounds.
            Some(Trap::StackOverflow | Trap::MemoryOutOfBounds) => {
                Some(Error::too_deep(self.operation, MAX_STACK_BYTES))
            }
            _ => None,
        }
    }

    fn unexpected(&self, error: &wasmtime::Error) -> Error {
        Error::Other(format!("{} stopped unexpectedly: {}", self.operation, error.root_cause()))
    }
}

fn unusable(error: &wasmtime::Error) -> Error {
    Error::Unusable(format!("cannot instantiate the component: {error:#}"))
}

/// What a sandbox holds.
pub(crate) struct State {
    wasi: WasiCtx,
    table: ResourceTable,
    memory: MemoryLimit,
}

impl State {
    fn new(wasi: WasiCtx, limit_bytes: u64) -> Self {
        let memory = MemoryLimit { limit_bytes, granted_bytes: 0, has_refused: false };
        Self { wasi, table: ResourceTable::new(), memory }
    }
}

impl WasiView for State {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        WasiCtxView { ctx: &mut self.wasi, table: &mut self.table }
    }
}

/// Bounds all memories of a call together, and remembers that it refused.
struct MemoryLimit {
    limit_bytes: u64,
    granted_bytes: u64,
    has_refused: bool,
}

impl ResourceLimiter for MemoryLimit {
    fn memory_growing(&mut self, current: usize, desired: usize, _: Option<usize>) -> wasmtime::Result<bool> {
        let granted = self.granted_bytes + (desired - current) as u64;
        if granted > self.limit_bytes {
            self.has_refused = true;
            return Ok(false);
        }
        self.granted_bytes = granted;
        Ok(true)
    }

    fn table_growing(&mut self, _: usize, desired: usize, _: Option<usize>) -> wasmtime::Result<bool> {
        // Tables hold a component's functions: a few thousand entries, never grown by ours.
        Ok(desired <= 100_000)
    }
}
