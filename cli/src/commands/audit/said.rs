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

/// Joins calls and results.
#[derive(Default)]
pub(super) struct Joining {
    waiting: HashMap<String, Waiting>,
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
            Said::Call { id, tool, arguments } => {
                if self.waiting.len() < MOST_WAITING {
                    self.waiting.insert(id, Waiting { tool, arguments, response: None });
                } else {
                    self.dropped += 1;
                }
                None
            }
            Said::Returned { id, response, is_part } => {
                self.waiting.get_mut(&id)?.response = Some((response, is_part));
                None
            }
            Said::Shown { id, text, line } => {
                let Waiting { tool, arguments, response } = self.waiting.remove(&id)?;
                let (response, is_part) = response.map_or((None, false), |(text, is_part)| (Some(text), is_part));
                Some(Call { tool, arguments, response, is_part, shown: text, line })
            }
        }
    }

    /// Calls whose results the transcript does not have.
    pub(super) fn without_results(&self) -> u64 {
        self.waiting.len() as u64 + self.dropped
    }
}
