//! A second clock for one kind of hang: the component's own time limit does not interrupt calls to the host, such as
//! reading from a disk that does not answer.

use std::process::exit;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::failure::Failure;

/// The component's own limit comes first and reports better.
const GRACE: Duration = Duration::from_secs(2);

/// Ends the process with the error of the limit if it is not disarmed in time.
pub(super) struct Watchdog {
    limit: Duration,
    deadline: Arc<(Mutex<Option<Instant>>, Condvar)>,
}

impl Watchdog {
    /// A watchdog for an operation (a noun) that may take `limit` by its own clock. It is not armed yet.
    pub(super) fn new(operation: &'static str, limit: Duration, json_errors: bool) -> Self {
        let deadline = Arc::new((Mutex::new(None), Condvar::new()));
        let watched = Arc::clone(&deadline);
        let start = thread::Builder::new().name("lro-watchdog".to_owned()).spawn(move || {
            wait_until_missed(&watched);
            Failure::Lro(lro::Error::too_slow(operation, limit)).report(json_errors);
            exit(1);
        });
        // Without a thread the component's own limit is what remains.
        drop(start);
        Self { limit, deadline }
    }

    /// From now on the limit and some grace may pass.
    pub(super) fn arm(&self) {
        self.set(Instant::now().checked_add(self.limit.saturating_add(GRACE)));
    }

    /// Time does not count until it is armed again.
    pub(super) fn disarm(&self) {
        self.set(None);
    }

    fn set(&self, deadline: Option<Instant>) {
        *locked(&self.deadline.0) = deadline;
        self.deadline.1.notify_one();
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        self.disarm();
    }
}

/// Returns when a deadline has passed.
fn wait_until_missed((deadline, changed): &(Mutex<Option<Instant>>, Condvar)) {
    let mut current = locked(deadline);
    loop {
        current = match current.map(|deadline| deadline.saturating_duration_since(Instant::now())) {
            None => changed.wait(current).unwrap_or_else(PoisonError::into_inner),
            Some(Duration::ZERO) => return,
            Some(left) => changed.wait_timeout(current, left).unwrap_or_else(PoisonError::into_inner).0,
        };
    }
}

fn locked(deadline: &Mutex<Option<Instant>>) -> MutexGuard<'_, Option<Instant>> {
    deadline.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::sync::{Condvar, Mutex};
    use std::time::{Duration, Instant};

    use super::{Watchdog, wait_until_missed};

    #[test]
    fn a_missed_deadline_ends_the_wait() {
        let deadline = Instant::now() + Duration::from_millis(20);
        wait_until_missed(&(Mutex::new(Some(deadline)), Condvar::new()));
        assert!(Instant::now() >= deadline);
    }

    #[test]
    fn a_disarmed_watchdog_stays_quiet() {
        let watchdog = Watchdog::new("test", Duration::ZERO, false);
        watchdog.arm();
        watchdog.disarm();
        assert!(watchdog.deadline.0.lock().unwrap().is_none());
    }
}
