//! Whose turn it is: the signal's, which deletes files and ends the process, or the answer's, which names them.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

/// The turn in this process.
pub(super) static TURN: Turn = Turn { state: Mutex::new(State::Working), changed: Condvar::new() };

#[derive(Clone, Copy, PartialEq, Debug)]
enum State {
    Working,
    Answering,
    Ending,
}

/// Exactly one of the two goes first.
pub(super) struct Turn {
    state: Mutex<State>,
    changed: Condvar,
}

impl Turn {
    /// Takes the turn for an answer; never returns once a signal has it.
    pub(super) fn begin_answer(&self) {
        let mut state = self.state();
        if *state == State::Ending {
            drop(state);
            wait_for_the_end();
        }
        *state = State::Answering;
    }

    /// The answer was given.
    pub(super) fn end_answer(&self) {
        *self.state() = State::Working;
        self.changed.notify_all();
    }

    /// Never returns once a signal has the turn.
    pub(super) fn give_way(&self) {
        if self.is_ending() {
            wait_for_the_end();
        }
    }

    fn is_ending(&self) -> bool {
        *self.state() == State::Ending
    }

    /// Takes the turn for a signal, after an answer that is being given. Returns false if that takes longer than `within`.
    pub(super) fn end(&self, within: Duration) -> bool {
        let is_answering = |state: &mut State| *state == State::Answering;
        let (mut state, _) =
            self.changed.wait_timeout_while(self.state(), within, is_answering).unwrap_or_else(PoisonError::into_inner);
        let goes_first = *state != State::Answering;
        if goes_first {
            *state = State::Ending;
        }
        goes_first
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The process ends meanwhile.
fn wait_for_the_end() -> ! {
    loop {
        thread::park();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signal_and_an_answer_take_turns() {
        let turn = Turn { state: Mutex::new(State::Working), changed: Condvar::new() };
        turn.begin_answer();
        assert!(!turn.end(Duration::ZERO), "an answer is being given");
        turn.end_answer();
        turn.give_way();
        assert!(turn.end(Duration::ZERO) && turn.is_ending());
    }
}
