//! One call in a sandbox of its own: no network, no environment, no arguments, at most one directory, and limits on time
//! and memory. It is thrown away afterwards, so that a call which is stopped needs no recovery.

use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use wasmtime::component::ResourceTable;
use wasmtime::{PoolConcurrencyLimitError, ResourceLimiter, Store, Trap, UpdateDeadline};
use wasmtime_wasi::{FsPerms, HostWallClock, WasiCtx, WasiCtxView, WasiView};

use crate::bindings::Lro as Instance;
use crate::component::Compiled;
use crate::created::CreatedFiles;
use crate::engine::{self, MAX_STACK_BYTES};
use crate::error::{Accident, Case, Error};
use crate::limits::Bounds;
use crate::object_store::{ObjectStore, Objects};

/// The output directory's name inside the sandbox.
pub(crate) const GUEST_DIRECTORY: &str = "/output";

/// The limit on memory, as the component names it.
const MEMORY: &str = "max_memory_mib";

/// The name that a payload has in the output directory, where the component reads it.
pub(crate) const PAYLOAD: &str = ".payload";

/// How often a call looks for a place to run in, where all are taken: a small one takes a tenth of that.
const WAIT: Duration = Duration::from_millis(1);

/// What a call is given.
pub(crate) struct Sandbox<'a> {
    /// What runs, as a noun for messages: `extraction`.
    pub(crate) operation: &'static str,
    /// The one directory that can be reached, if any.
    pub(crate) directory: Option<Grant<'a>>,
    pub(crate) bounds: Bounds,
}

/// A directory that a call can reach.
#[derive(Clone, Copy)]
pub(crate) struct Grant<'a> {
    pub(crate) place: Place<'a>,
    pub(crate) permissions: FsPerms,
    /// Files of other users can be seen, but not opened.
    pub(crate) own_files_only: bool,
    /// A file that the directory has besides its own, for reading: [`PAYLOAD`].
    pub(crate) payload: Option<&'a File>,
}

/// Where the files of a directory are.
#[derive(Clone, Copy)]
pub(crate) enum Place<'a> {
    /// On this machine.
    Directory(&'a Path),
    /// In a store, for a component that is linked so.
    Store(&'a Arc<dyn ObjectStore>),
}

impl Sandbox<'_> {
    /// Runs one function of the component. An error of the store is told with what the store says.
    pub(crate) fn run<T>(
        &self,
        compiled: &Compiled,
        call: impl FnOnce(&Instance, &mut Store<State>) -> wasmtime::Result<Result<T, Case>>,
    ) -> Result<T, Error> {
        match self.run_telling(compiled, call) {
            (Err(error), Some(reason)) => Err(error.because(&reason)),
            (answer, _) => answer,
        }
    }

    /// The same for a call that has an answer although a store fails. Returns why it did.
    pub(crate) fn run_telling<T>(
        &self,
        compiled: &Compiled,
        call: impl FnOnce(&Instance, &mut Store<State>) -> wasmtime::Result<Result<T, Case>>,
    ) -> (Result<T, Error>, Option<String>) {
        let mut store = match self.store(compiled) {
            Ok(store) => store,
            Err(error) => return (Err(error), None),
        };
        let answer = self.call(compiled, &mut store, call);
        (answer, store.data_mut().objects.as_mut().and_then(Objects::failure))
    }

    fn call<T>(
        &self,
        compiled: &Compiled,
        store: &mut Store<State>,
        call: impl FnOnce(&Instance, &mut Store<State>) -> wasmtime::Result<Result<T, Case>>,
    ) -> Result<T, Error> {
        let _entered = compiled.enter_runtime();
        let answer = match self.instance(compiled, store) {
            Ok(instance) => call(&instance, store),
            Err(error) => return Err(self.stopped(&error, store).unwrap_or_else(|| unusable(&error))),
        };
        match answer {
            // The component gets no memory, and knows of no limit but its own.
            Ok(Err(Case::LimitReached(problem))) if problem.limit == MEMORY && store.data().memory.has_refused => {
                Err(Error::too_large(self.operation, store.data().memory.limit_bytes))
            }
            Ok(answer) => answer.map_err(Error::from),
            Err(error) => {
                store.data_mut().remove_created();
                Err(self.stopped(&error, store).unwrap_or_else(|| self.unexpected(&error)))
            }
        }
    }

    /// An instance of the component; where too many run, as soon as one of them has ended.
    fn instance(&self, compiled: &Compiled, store: &mut Store<State>) -> wasmtime::Result<Instance> {
        loop {
            match compiled.prepared.instantiate(&mut *store) {
                Err(error) if error.is::<PoolConcurrencyLimitError>() => thread::sleep(WAIT),
                done => return done,
            }
            self.set_deadline(store);
        }
    }

    /// The time of the call begins.
    fn set_deadline(&self, store: &mut Store<State>) {
        // Half of the range means no limit: a full one would overflow the epoch.
        store.set_epoch_deadline(self.bounds.time.map_or(u64::MAX / 2, engine::ticks));
    }

    fn store(&self, compiled: &Compiled) -> Result<Store<State>, Error> {
        let own_files_only = self.directory.is_some_and(|directory| directory.own_files_only);
        let objects = match self.directory {
            Some(Grant { place: Place::Store(store), permissions, .. }) => {
                Some(Objects::of(Arc::clone(store), permissions == FsPerms::ReadWrite))
            }
            _ => None,
        };
        let payload = self.directory.and_then(|directory| directory.payload).map(File::try_clone).transpose();
        let payload = payload.map_err(|error| Error::io("open the payload", &error))?;
        let state = State { objects, payload, ..State::new(self.wasi()?, self.bounds.memory_bytes, own_files_only) };
        let mut store = Store::new(&compiled.engine, state);
        store.limiter(|state| &mut state.memory);
        // What a call returns is in its memory first, which bounds it. The default is 128 MiB.
        store.set_hostcall_fuel(usize::try_from(self.bounds.memory_bytes).unwrap_or(usize::MAX));
        self.set_deadline(&mut store);
        if store.data().objects.is_some() {
            // A call may run so long; how long its store takes is bounded by the store.
            store.epoch_deadline_callback(|mut store| {
                let waited = store.data_mut().objects.as_mut().map_or(Duration::ZERO, Objects::waited);
                match waited.is_zero() {
                    true => Err(Trap::Interrupt.into()),
                    false => Ok(UpdateDeadline::Continue(engine::ticks(waited))),
                }
            });
        }
        Ok(store)
    }

    fn wasi(&self) -> Result<WasiCtx, Error> {
        let mut builder = WasiCtx::builder();
        builder.allow_blocking_current_thread(true).wall_clock(Clock);
        if let Some(Grant { place: Place::Directory(path), permissions, .. }) = self.directory
            && let Err(error) = builder.preopened_dir(path, GUEST_DIRECTORY, permissions)
        {
            let kind = error.downcast_ref::<io::Error>().map(io::Error::kind);
            // A missing directory is not granted; the component reports what follows from that.
            if !matches!(kind, Some(io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)) {
                let reason = error.root_cause().to_string();
                return Err(Error::cannot_open(&format!("the output directory `{}`", path.display()), &reason));
            }
        }
        Ok(builder.build())
    }

    /// The limit that ended the call, if one did.
    fn stopped(&self, error: &wasmtime::Error, store: &Store<State>) -> Option<Error> {
        let memory = &store.data().memory;
        match error.downcast_ref::<Trap>() {
            Some(Trap::Interrupt) => self.bounds.time.map(|time| Error::too_slow(self.operation, time)),
            // The allocator aborts when it gets no memory; the trap itself does not say why.
            _ if memory.has_failed => Some(Error::no_memory(self.operation)),
            _ if memory.has_refused => Some(Error::too_large(self.operation, memory.limit_bytes)),
            // The component's own stack lies at the start of its memory: below it is out of bounds.
            Some(Trap::StackOverflow | Trap::MemoryOutOfBounds) => {
                Some(Error::too_deep(self.operation, MAX_STACK_BYTES))
            }
            _ => None,
        }
    }

    fn unexpected(&self, error: &wasmtime::Error) -> Error {
        Accident::Trapped(format!("{} stopped unexpectedly: {}", self.operation, error.root_cause())).into()
    }
}

fn unusable(error: &wasmtime::Error) -> Error {
    Accident::Unusable(format!("cannot instantiate the component: {error:#}")).into()
}

/// What a sandbox holds.
pub(crate) struct State {
    wasi: WasiCtx,
    table: ResourceTable,
    memory: MemoryLimit,
    pub(crate) own_files_only: bool,
    /// The file that is [`PAYLOAD`].
    pub(crate) payload: Option<File>,
    /// The files that the call has created so far.
    pub(crate) created: CreatedFiles,
    /// The files of a store, where they are in one.
    objects: Option<Objects>,
}

impl State {
    fn new(wasi: WasiCtx, limit_bytes: u64, own_files_only: bool) -> Self {
        let memory =
            MemoryLimit { limit_bytes, granted_bytes: 0, last_bytes: 0, has_refused: false, has_failed: false };
        let (table, created) = (ResourceTable::new(), CreatedFiles::of_call());
        Self { wasi, table, memory, own_files_only, payload: None, created, objects: None }
    }

    /// The component's resources, and the files of a store.
    pub(crate) fn objects(&mut self) -> (&mut ResourceTable, Option<&mut Objects>) {
        (&mut self.table, self.objects.as_mut())
    }
}

/// The system's clock. Before 1970 it stands still.
struct Clock;

impl HostWallClock for Clock {
    fn resolution(&self) -> Duration {
        Duration::from_nanos(1)
    }

    fn now(&self) -> Duration {
        SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
    }
}

impl WasiView for State {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        WasiCtxView { ctx: &mut self.wasi, table: &mut self.table }
    }
}

/// Bounds all memories of a call together, and remembers how the last growth ended: the component asks for less where it
/// does not get much.
struct MemoryLimit {
    limit_bytes: u64,
    granted_bytes: u64,
    /// Of these, what was granted last.
    last_bytes: u64,
    has_refused: bool,
    /// The system had no memory to give.
    has_failed: bool,
}

impl ResourceLimiter for MemoryLimit {
    fn memory_growing(&mut self, current: usize, desired: usize, _: Option<usize>) -> wasmtime::Result<bool> {
        self.last_bytes = (desired - current) as u64;
        self.has_failed = false;
        self.has_refused = self.granted_bytes + self.last_bytes > self.limit_bytes;
        if !self.has_refused {
            self.granted_bytes += self.last_bytes;
        }
        Ok(!self.has_refused)
    }

    fn memory_grow_failed(&mut self, _: wasmtime::Error) -> wasmtime::Result<()> {
        // It is called after a refusal of ours as well.
        if !self.has_refused {
            self.has_failed = true;
            self.granted_bytes -= self.last_bytes;
        }
        Ok(())
    }

    fn table_growing(&mut self, _: usize, desired: usize, _: Option<usize>) -> wasmtime::Result<bool> {
        // Tables hold a component's functions: a few thousand entries, never grown by ours.
        Ok(desired <= 100_000)
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::sync::Barrier;
    use std::thread;
    use std::time::Duration;

    use super::Sandbox;
    use crate::component::Compiled;
    use crate::engine::PLACES;
    use crate::limits::Limits;
    use crate::options::Options;

    #[test]
    fn a_call_waits_where_all_places_are_taken() {
        let compiled = Compiled::open(&Options::default()).unwrap();
        let run = |during: &(dyn Fn() + Sync)| {
            let sandbox = Sandbox { operation: "waiting", directory: None, bounds: Limits::resolving() };
            let during = |_: &_, _: &mut _| {
                during();
                Ok(Ok(()))
            };
            sandbox.run(&compiled, during).unwrap();
        };
        let all = PLACES as usize + 1;
        let (taken, released) = (Barrier::new(all), Barrier::new(all));
        let waited = thread::scope(|scope| {
            for _ in 0..PLACES {
                scope.spawn(|| run(&|| _ = (taken.wait(), released.wait())));
            }
            taken.wait();
            let late = scope.spawn(|| run(&|| ()));
            thread::sleep(Duration::from_millis(100));
            let waited = !late.is_finished();
            released.wait();
            waited
        });
        assert!(waited, "a call more than there are places began");
    }
}
