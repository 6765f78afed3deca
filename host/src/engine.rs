//! The wasmtime engine: how code is compiled, and the clock that ends calls.

use std::error::Error;
use std::thread;
use std::time::Duration;

use wasmtime::error::Context;
use wasmtime::{Config, Enabled, Engine, PoolingAllocationConfig};

/// Stack of the component in bytes. It lies on the caller's thread, and threads of Rust have 2 MiB by default.
pub(crate) const MAX_STACK_BYTES: usize = 512 * 1024;

/// A tick of the clock. A deadline is exact to about two ticks.
const TICK: Duration = Duration::from_millis(10);

/// So many calls run at once; a process with more lets them wait. Each has its place of 4 GiB of addresses, and the terabyte is
/// a hundredth of what a process has.
pub(crate) const PLACES: u32 = 256;

/// What a place keeps of its memory for the next call, in bytes: a small result changes about a third of it, and 256 places
/// keep no more than one large result takes.
const KEPT_BYTES: usize = 512 * 1024;

/// An engine with its clock running, for the component that is embedded here.
pub(crate) fn start() -> wasmtime::Result<Engine> {
    // A process with a limit on its addresses (`ulimit -v`) may have no room for the pool.
    match pooled().and_then(|config| Engine::new(&config).ok()) {
        Some(engine) => running(engine),
        None => start_unpooled(),
    }
}

/// An engine that maps memory for each call anew, for any component.
pub(crate) fn start_unpooled() -> wasmtime::Result<Engine> {
    running(Engine::new(&config())?)
}

/// An engine that keeps no images of memory in files without a name, where the system limits the size of files.
pub(crate) fn start_without_images() -> wasmtime::Result<Engine> {
    running(Engine::new(config().memory_init_cow(false).parallel_compilation(false))?)
}

/// True when the system limits the size of files that this process writes (`ulimit -f`).
#[cfg(unix)]
pub(crate) fn files_are_limited() -> bool {
    rustix::process::getrlimit(rustix::process::Resource::Fsize).current.is_some()
}

/// Other platforms have no such limit.
#[cfg(not(unix))]
pub(crate) fn files_are_limited() -> bool {
    false
}

fn running(engine: Engine) -> wasmtime::Result<Engine> {
    start_clock(&engine).context("cannot start the thread that keeps time limits")?;
    Ok(engine)
}

/// Compiles a component: with a thread for each core, or with this one alone where threads cannot be started.
pub(crate) fn compile(engine: &Engine, bytes: &[u8]) -> wasmtime::Result<Vec<u8>> {
    match rayon::ThreadPoolBuilder::new().build_global() {
        // An error of a source is that of the system; without one, the process has its threads already.
        Err(error) if error.source().is_some() => {
            Engine::new(config().parallel_compilation(false))?.precompile_component(bytes)
        }
        _ => engine.precompile_component(bytes),
    }
}

/// What compiled code depends on. Nothing unwinds through the component, so that it has no tables for it: a libunwind, which
/// static commands have, looks through all of them for each function that it forgets. Windows will not do without.
fn config() -> Config {
    let mut config = Config::new();
    config.epoch_interruption(true);
    config.max_wasm_stack(MAX_STACK_BYTES);
    config.native_unwind_info(cfg!(windows));
    config
}

/// With places for memory and tables that are kept from call to call: mapping them, and giving them back, took half the time of
/// a small call. What a call has written is gone before the next one begins. `None` where it was not measured.
fn pooled() -> Option<Config> {
    if !cfg!(target_os = "linux") {
        return None;
    }
    let mut pool = PoolingAllocationConfig::new();
    // The component is a module with a memory and a table of 2,200 functions, and three modules that link it, with one table more.
    pool.total_component_instances(PLACES).total_memories(PLACES).total_tables(2 * PLACES);
    pool.total_core_instances(4 * PLACES).max_memory_size(1 << 32).table_elements(4096);
    // For asynchronous calls; ours are none.
    pool.total_stacks(0);
    // The system says what was written (Linux 6.7). Where it does not, what is kept would have to be zeroed whole.
    if PoolingAllocationConfig::is_pagemap_scan_available() {
        pool.pagemap_scan(Enabled::Yes).linear_memory_keep_resident(KEPT_BYTES).table_keep_resident(KEPT_BYTES);
    }
    let mut config = config();
    config.allocation_strategy(pool);
    Some(config)
}

/// The same for another machine of this target: no instructions but those that its processors have had for ten years.
///
/// # Errors
/// The target is unknown to wasmtime.
pub(crate) fn portable_config(target: &str) -> wasmtime::Result<Config> {
    let mut config = config();
    config.target(target)?.native_unwind_info(target.contains("windows"));
    if target.starts_with("x86_64") {
        enable(&mut config, X86_64_V3);
    }
    Ok(config)
}

/// Cranelift's name for x86-64-v3, the level of AVX2: Intel since 2013, AMD since 2015. Code without these instructions takes
/// more of them for each vector of 16 bytes.
const X86_64_V3: &str = "haswell";

#[allow(unsafe_code, reason = "a flag of Cranelift could break invariants; a name of processors cannot")]
fn enable(config: &mut Config, processors: &str) {
    // SAFETY: it only says which instructions there are, and wasmtime asks the processor for each before it loads the code.
    unsafe { config.cranelift_flag_enable(processors) };
}

/// The number of ticks after which at least `time` has passed.
pub(crate) fn ticks(time: Duration) -> u64 {
    let ticks = time.as_millis().div_ceil(TICK.as_millis()) + 1;
    u64::try_from(ticks).unwrap_or(u64::MAX / 2)
}

/// Starts the one thread that advances the epoch for all calls. It ends with the engine.
fn start_clock(engine: &Engine) -> wasmtime::Result<()> {
    let engine = engine.weak();
    thread::Builder::new().name("lro-clock".to_owned()).spawn(move || {
        while let Some(engine) = engine.upgrade() {
            engine.increment_epoch();
            drop(engine);
            thread::sleep(TICK);
        }
    })?;
    Ok(())
}
