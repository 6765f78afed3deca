//! The wasmtime engine: how code is compiled, and the clock that ends calls.

use std::thread;
use std::time::Duration;

use wasmtime::{Config, Engine};

/// Stack of the component in bytes. It lies on the caller's thread, and threads of Rust have 2 MiB by default.
pub(crate) const MAX_STACK_BYTES: usize = 512 * 1024;

/// A tick of the clock. A deadline is exact to about two ticks.
const TICK: Duration = Duration::from_millis(10);

/// An engine with its clock running.
pub(crate) fn start() -> wasmtime::Result<Engine> {
    let mut config = Config::new();
    config.epoch_interruption(true);
    config.max_wasm_stack(MAX_STACK_BYTES);
    let engine = Engine::new(&config)?;
    start_clock(&engine)?;
    Ok(engine)
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
