//! Calls that wait for the data that their arguments refer to. Others overtake them; the end of the client's input does not.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use super::envelope;

/// True if arguments, as they are written, may have a reference in them: the component looks at those, and only at those.
pub(super) fn may_refer(arguments: &str) -> bool {
    arguments.contains("lro") || arguments.contains("\\u00")
}

/// The text of a CallToolResult for a call that the server never sees.
pub(super) fn refused(error: &lro::Error) -> String {
    let hint = error.hint();
    let message = if hint.is_empty() { error.message().to_owned() } else { format!("{}\n{hint}", error.message()) };
    envelope::failed_result(r#"{"resultType":"complete"}"#, &message)
}

/// How many calls wait.
#[derive(Debug, Default)]
pub(super) struct Resolving(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    waiting: Mutex<usize>,
    changed: Condvar,
}

impl Shared {
    fn waiting(&self) -> MutexGuard<'_, usize> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A call that waits, until this is dropped.
pub(super) struct Waiting(Arc<Shared>);

impl Resolving {
    /// One more call waits.
    pub(super) fn begin(&self) -> Waiting {
        *self.0.waiting() += 1;
        Waiting(Arc::clone(&self.0))
    }

    /// Waits until no call waits.
    pub(super) fn finish(&self) {
        drop(self.0.changed.wait_while(self.0.waiting(), |waiting| *waiting > 0));
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        *self.0.waiting() -= 1;
        self.0.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::thread;
    use std::time::Duration;

    use super::{Resolving, may_refer};

    #[test]
    fn the_end_waits_for_calls() {
        let (resolving, is_done) = (Resolving::default(), AtomicBool::new(false));
        let waiting = resolving.begin();
        thread::scope(|threads| {
            threads.spawn(|| {
                thread::sleep(Duration::from_millis(50));
                is_done.store(true, Ordering::SeqCst);
                drop(waiting);
            });
            resolving.finish();
            assert!(is_done.load(Ordering::SeqCst));
        });
        resolving.finish();
    }

    #[test]
    fn most_arguments_have_no_references() {
        for (arguments, expected) in [
            (r#"{"path":"/tmp/x","n":1}"#, false),
            ("", false),
            (r#"{"content":"lro://x"}"#, true),
            (r#"{"content":"\u006Cro://x"}"#, true),
            (r#"{"content":{"$lro":{}}}"#, true),
        ] {
            assert_eq!(may_refer(arguments), expected, "{arguments}");
        }
    }
}
