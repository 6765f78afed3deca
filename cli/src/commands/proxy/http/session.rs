//! The session with a remote server, up to version 2025-11-25 of the protocol: how it was started, its id and its version.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// What every request of a session names; both are `None` before the handshake, and without sessions.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Known {
    pub(super) id: Option<String>,
    pub(super) version: Option<String>,
}

/// The current session.
#[derive(Default)]
pub(super) struct Session {
    known: Mutex<Known>,
    /// The client's own `initialize`: what a new session is started with.
    initialize: Mutex<Option<Vec<u8>>>,
    /// Held by the thread that starts a new session.
    renewal: Mutex<()>,
}

impl Session {
    pub(super) fn known(&self) -> Known {
        locked(&self.known).clone()
    }

    /// The client starts a session with this line.
    pub(super) fn start(&self, initialize: &[u8]) {
        *locked(&self.initialize) = Some(initialize.to_vec());
        *locked(&self.known) = Known::default();
    }

    pub(super) fn set_id(&self, id: Option<String>) {
        locked(&self.known).id = id;
    }

    pub(super) fn set_version(&self, version: String) {
        locked(&self.known).version = Some(version);
    }

    /// Replaces a lost session by the one that `start` starts with the client's `initialize`. Of several requests that
    /// meet the loss, one does it and the others wait.
    ///
    /// # Errors
    /// Why there is no new session.
    pub(super) fn renew(
        &self,
        lost: &str,
        start: impl FnOnce(&[u8]) -> Result<Known, String>,
    ) -> Result<Known, String> {
        let _renewal = locked(&self.renewal);
        let known = self.known();
        if known.id.as_deref() != Some(lost) {
            return Ok(known);
        }
        let initialize = locked(&self.initialize).clone().ok_or("the client has not started it with `initialize`")?;
        let known = start(&initialize)?;
        *locked(&self.known) = known.clone();
        Ok(known)
    }
}

/// What a thread that panicked left behind is whole: every change is one assignment.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::{Known, Session};

    #[test]
    fn a_lost_session_is_replaced_once() {
        let session = Session::default();
        session.start(b"initialize");
        session.set_id(Some("a".to_owned()));
        let next = Known { id: Some("b".to_owned()), version: None };
        assert_eq!(
            session.renew("a", |line| Ok(next.clone()).inspect(|_| assert_eq!(line, b"initialize"))),
            Ok(next.clone())
        );
        assert_eq!(session.renew("a", |_| Err("nobody asks again".to_owned())), Ok(next));
        assert_eq!(session.renew("b", |_| Err("down".to_owned())), Err("down".to_owned()));
        assert_eq!(session.known().id.as_deref(), Some("b"));
    }
}
