//! Work that blocks, in a thread of its own: tokio's own threads panic where none can be started.

use std::sync::mpsc;
use std::{io, thread};

use tokio::sync::oneshot;

/// What tokio gives its threads too, whatever the environment says (`RUST_MIN_STACK`).
const STACK_BYTES: usize = 2 << 20;

/// What comes of some work.
pub(super) type Outcome<T> = oneshot::Receiver<T>;

/// Begins some work.
///
/// # Errors
/// No thread can be started.
pub(super) fn begin<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> io::Result<Outcome<T>> {
    let (sender, outcome) = oneshot::channel();
    let thread = thread::Builder::new().name("lro-call".to_owned()).stack_size(STACK_BYTES);
    thread.spawn(move || {
        // The client may no longer wait.
        let _ = sender.send(work());
    })?;
    Ok(outcome)
}

/// Does some work, and waits for it.
///
/// # Errors
/// What a client can be told.
pub(super) async fn run<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, String> {
    let outcome = begin(work).map_err(|error| format!("cannot start a thread for the call: {error}"))?;
    outcome.await.map_err(|_| "the call has panicked".to_owned())
}

/// Threads of a conversation with one call: two that read and write, that of the call, and one to spare. Tokio needs one; as soon as it has that, it waits for others.
const FEWEST: usize = 4;

/// Fails where so few threads can be started that tokio would panic.
pub(super) fn can_start() -> io::Result<()> {
    let (senders, threads): (Vec<_>, Vec<_>) = (0..FEWEST)
        .map(|_| {
            let (sender, end) = mpsc::channel::<()>();
            // The end of the channel is what it waits for: all of them live at once.
            (sender, thread::Builder::new().stack_size(STACK_BYTES).spawn(move || _ = end.recv()))
        })
        .unzip();
    drop(senders);
    let started: Vec<io::Result<()>> =
        threads.into_iter().map(|thread| thread.map(|thread| thread.join().unwrap_or_default())).collect();
    started.into_iter().collect()
}
