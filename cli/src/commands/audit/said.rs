//! What a line of a transcript says about calls of tools, and the calls that come of it.

use std::collections::HashMap;

/// What a line says.
#[derive(Debug, PartialEq)]
pub(super) enum Said {
    /// The model calls a tool; the arguments are JSON.
    Call { id: String, tool: String, arguments: String },
    /// What the tool returned, in the form in which the client hands it to a hook, as JSON.
    Returned { id: String, response: String, is_part: bool },
    /// What the client showed its model. `line` names the line: a session that is resumed repeats lines of another one.
    Shown { id: String, text: String, line: String },
}

/// A call with its result.
#[derive(Debug, PartialEq)]
pub(super) struct Call {
    pub(super) tool: String,
    /// As JSON.
    pub(super) arguments: String,
    /// What the tool returned, as a hook would get it; `None` for an error, which no hook gets.
    pub(super) response: Option<String>,
    /// True if the transcript holds only a part of the response.
    pub(super) is_part: bool,
    pub(super) shown: String,
    pub(super) line: String,
}

/// Calls that wait for their results. More than this would be a transcript that was made up.
const MOST_WAITING: usize = 10_000;

/// What all of them may hold together, in arguments and responses.
const MOST_HELD_BYTES: usize = 64 << 20;

/// Joins calls and results.
#[derive(Default)]
pub(super) struct Joining {
    waiting: HashMap<String, Waiting>,
    held_bytes: usize,
    /// Calls that were dropped because too many waited.
    dropped: u64,
}

#[derive(Default)]
struct Waiting {
    tool: String,
    arguments: String,
    response: Option<(String, bool)>,
}

impl Joining {
    /// Takes what a line says. Returns the call whose result is complete.
    pub(super) fn take(&mut self, said: Said) -> Option<Call> {
        match said {
            Said::Call { id, tool, arguments } => self.wait(id, tool, arguments),
            Said::Returned { id, response, is_part } => self.hold(&id, response, is_part),
            Said::Shown { id, text, line } => {
                let waiting = self.waiting.remove(&id)?;
                self.held_bytes -= waiting.bytes();
                let Waiting { tool, arguments, response } = waiting;
                let (response, is_part) = response.map_or((None, false), |(text, is_part)| (Some(text), is_part));
                return Some(Call { tool, arguments, response, is_part, shown: text, line });
            }
        }
        None
    }

    fn wait(&mut self, id: String, tool: String, arguments: String) {
        let call = Waiting { tool, arguments, response: None };
        if self.waiting.len() >= MOST_WAITING || self.held_bytes + call.bytes() > MOST_HELD_BYTES {
            self.dropped += 1;
            return;
        }
        self.held_bytes += call.bytes();
        if let Some(earlier) = self.waiting.insert(id, call) {
            self.held_bytes -= earlier.bytes();
        }
    }

    /// Holds a response until it is known what was shown of it. Without it, what was shown still counts.
    fn hold(&mut self, id: &str, response: String, is_part: bool) {
        let Some(call) = self.waiting.get_mut(id) else { return };
        let before = call.bytes();
        if self.held_bytes - before + call.arguments.len() + response.len() > MOST_HELD_BYTES {
            return;
        }
        call.response = Some((response, is_part));
        self.held_bytes = self.held_bytes - before + call.bytes();
    }

    /// Calls whose results the transcript does not have.
    pub(super) fn without_results(&self) -> u64 {
        self.waiting.len() as u64 + self.dropped
    }
}

impl Waiting {
    fn bytes(&self) -> usize {
        self.arguments.len() + self.response.as_ref().map_or(0, |(text, _)| text.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(id: &str, arguments: &str) -> Said {
        Said::Call { id: id.to_owned(), tool: "t".to_owned(), arguments: arguments.to_owned() }
    }

    fn returned(id: &str, response: String) -> Said {
        Said::Returned { id: id.to_owned(), response, is_part: false }
    }

    fn shown(id: &str) -> Said {
        Said::Shown { id: id.to_owned(), text: "s".to_owned(), line: id.to_owned() }
    }

    #[test]
    fn calls_that_wait_hold_a_bounded_number_of_bytes() {
        let mut joining = Joining::default();
        let long = "x".repeat(MOST_HELD_BYTES / 2);
        for id in ["1", "2", "3"] {
            assert_eq!(joining.take(call(id, "{}")), None);
            assert_eq!(joining.take(returned(id, long.clone())), None);
        }
        assert!(joining.held_bytes <= MOST_HELD_BYTES);
        let whole: Vec<bool> =
            ["1", "2", "3"].iter().map(|id| joining.take(shown(id)).unwrap().response.is_some()).collect();
        assert_eq!(whole, [true, false, false]);
        assert_eq!((joining.held_bytes, joining.without_results()), (0, 0));
        assert_eq!(joining.take(shown("1")), None);
        (0..MOST_WAITING + 5).for_each(|id| _ = joining.take(call(&id.to_string(), "{}")));
        assert_eq!(joining.without_results(), MOST_WAITING as u64 + 5);
        joining.take(call("0", "{\"a\":1}"));
    }
}
