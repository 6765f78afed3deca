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
    use std::io::{self, PipeReader, Read};
    use std::os::fd::IntoRawFd;
    use std::sync::atomic::{AtomicI32, Ordering};
    use std::sync::{Mutex, PoisonError, mpsc};
    use std::thread;
    use std::time::Duration;

    use crate::system;

    /// A pipe that the handler of signals can write to.
    static BELL: AtomicI32 = AtomicI32::new(-1);

    type Work = Box<dyn FnOnce() + Send>;

    /// What else is done before the process ends.
    static FURTHER: Mutex<Option<Work>> = Mutex::new(None);

    /// How long that may take: whoever interrupts does not wait for ever.
    const FURTHER_WITHIN: Duration = Duration::from_secs(1);

    extern "C" fn ring(signal: libc::c_int) {
        system::write_byte(BELL.load(Ordering::Relaxed), u8::try_from(signal).unwrap_or_default());
    }

    /// From now on a signal that ends this process first deletes unfinished files. If that cannot be arranged, signals do
    /// what they always do.
    pub(crate) fn clean_up_when_interrupted() {
        let Ok((bell, ringer)) = io::pipe() else { return };
        BELL.store(ringer.into_raw_fd(), Ordering::Relaxed);
        let watcher = thread::Builder::new().name("lro-signals".to_owned());
        if watcher.spawn(move || end_by_signal(bell)).is_err() {
            return;
        }
        for signal in [libc::SIGINT, libc::SIGTERM, libc::SIGHUP] {
            // A job in the background goes on when the terminal is interrupted.
            if !system::is_ignored(signal) {
                system::handle(signal, ring);
            }
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
    fn end_by_signal(mut bell: PipeReader) {
        let mut signal = [0];
        if bell.read_exact(&mut signal).is_ok() {
            do_further();
            lro::remove_unfinished_files();
            system::end_by(signal[0].into());
        }
    }
}
