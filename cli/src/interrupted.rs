//! Deletes what an interrupted command leaves. Half a file of a large result may have a hundred megabytes, and nobody knows
//! its name.

#[cfg(unix)]
pub(super) use unix::{clean_up_when_interrupted, when_interrupted};

/// Only Unix has signals.
#[cfg(not(unix))]
pub(super) fn clean_up_when_interrupted() {}

/// Only Unix has signals.
#[cfg(not(unix))]
pub(super) fn when_interrupted(_: impl FnOnce() + Send + 'static) {}

#[cfg(unix)]
mod unix {
    use std::sync::{Mutex, PoisonError, mpsc};
    use std::thread;
    use std::time::Duration;

    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    use signal_hook::iterator::Signals;

    use crate::system;

    type Work = Box<dyn FnOnce() + Send>;

    /// What else is done before the process ends.
    static FURTHER: Mutex<Option<Work>> = Mutex::new(None);

    /// How long that may take: whoever interrupts does not wait for ever.
    const FURTHER_WITHIN: Duration = Duration::from_secs(1);

    /// From now on a signal that ends this process first deletes unfinished files. If that cannot be arranged, signals do
    /// what they always do.
    pub(crate) fn clean_up_when_interrupted() {
        let (sender, signals) = mpsc::channel();
        // The thread first: without it nobody would react to a signal that is handled.
        let watcher = thread::Builder::new().name("lro-signals".to_owned());
        if watcher.spawn(move || signals.recv().map(end_by_signal)).is_err() {
            return;
        }
        // A job in the background goes on when the terminal is interrupted.
        let handled = [SIGINT, SIGTERM, SIGHUP].into_iter().filter(|signal| !system::is_ignored(*signal));
        if let Ok(signals) = Signals::new(handled) {
            // The thread waits for it.
            let _ = sender.send(signals);
        }
    }

    /// Does this too before a signal ends the process.
    pub(crate) fn when_interrupted(work: impl FnOnce() + Send + 'static) {
        *FURTHER.lock().unwrap_or_else(PoisonError::into_inner) = Some(Box::new(work));
    }

    fn do_further() {
        let Some(work) = FURTHER.lock().unwrap_or_else(PoisonError::into_inner).take() else { return };
        let (sender, done) = mpsc::channel();
        let worker = thread::Builder::new().name("lro-interrupted".to_owned()).spawn(move || {
            work();
            // The other side may no longer wait.
            let _ = sender.send(());
        });
        if worker.is_ok() {
            let _ = done.recv_timeout(FURTHER_WITHIN);
        }
    }

    /// Waits for a signal, and ends the process as the signal would have done at once.
    fn end_by_signal(mut signals: Signals) {
        if let Some(signal) = signals.forever().next() {
            do_further();
            lro::remove_unfinished_files();
            // It does not return for a signal that ends a process.
            let _ = signal_hook::low_level::emulate_default_handler(signal);
        }
    }
}
