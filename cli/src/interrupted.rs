//! Deletes what an interrupted command leaves. Half a file of a large result may have a hundred megabytes, and nobody knows
//! its name.

use lro::UntoldFiles;

#[cfg(unix)]
pub(super) use unix::{clean_up_when_interrupted, when_interrupted};

#[cfg(unix)]
use turn::TURN;

#[cfg(unix)]
mod turn;

/// Only Unix has signals.
#[cfg(not(unix))]
pub(super) fn clean_up_when_interrupted() {}

/// Only Unix has signals.
#[cfg(not(unix))]
pub(super) fn when_interrupted(_: impl FnOnce() + Send + 'static) {}

/// Work with one answer, which names the files that the work creates. A signal comes before the answer or after it: before it
/// the files go and nothing is said, after it they stay.
pub(super) struct Work(UntoldFiles);

impl Work {
    /// From now on a signal takes the files of this work with it.
    pub(super) fn begin() -> Self {
        clean_up_when_interrupted();
        Self(UntoldFiles::hold())
    }

    /// Gives the answer. Does not return where a signal came first.
    pub(super) fn answer<T>(self, give: impl FnOnce() -> T) -> T {
        #[cfg(unix)]
        TURN.begin_answer();
        let answered = give();
        drop(self.0);
        #[cfg(unix)]
        TURN.end_answer();
        answered
    }
}

/// Waits for the end of the process where a signal ends it: what became of the work says nothing any more, because its files
/// go at the same time.
pub(super) fn give_way() {
    #[cfg(unix)]
    TURN.give_way();
}

#[cfg(unix)]
mod unix {
    use std::sync::{Mutex, PoisonError, mpsc};
    use std::thread;
    use std::time::Duration;

    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    use signal_hook::iterator::Signals;

    use super::turn::TURN;
    use crate::system;

    type Work = Box<dyn FnOnce() + Send>;

    /// What else is done before the process ends.
    static FURTHER: Mutex<Option<Work>> = Mutex::new(None);

    /// How long that may take: whoever interrupts does not wait for ever.
    const FURTHER_WITHIN: Duration = Duration::from_secs(1);

    /// How long an answer that is being given may take. Afterwards nobody knows how much of it was read, and its file stays.
    const ANSWER_WITHIN: Duration = Duration::from_secs(1);

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
            let goes_first = TURN.end(ANSWER_WITHIN);
            do_further();
            if goes_first {
                lro::remove_unfinished_files();
            }
            // It does not return for a signal that ends a process.
            let _ = signal_hook::low_level::emulate_default_handler(signal);
        }
    }
}
