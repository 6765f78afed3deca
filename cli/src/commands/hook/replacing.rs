//! What takes the place of a result, by a component that is open: for a hook, and for the replay of a transcript.

use std::borrow::Cow;

use lro::{CallSettings, Event, Lro, Rewriting};

use super::event::{self, Held, Holding};
use super::{Client, ours, reading, saved};
use crate::cuts::Origin;
use crate::ledger::line::Outcome;

/// Events of a result that should have been offloaded, and was truncated.
const FAILED: [&str; 2] = ["OffloadFailed", "OffloadWriteFailed"];

/// What could not be offloaded is passed on up to this size, about 100,000 tokens: what is larger would end the
/// conversation of which it is a part, and the component has truncated it.
const MOST_UNHANDLED_BYTES: usize = 400_000;

/// What the component made of a result.
pub(in crate::commands) struct Replaced {
    /// The CallToolResult in its place, if there is one.
    pub(in crate::commands) message: Option<String>,
    /// True if it should have been offloaded, and could not be.
    pub(in crate::commands) has_failed: bool,
    pub(in crate::commands) events: Vec<Event>,
}

impl Replaced {
    /// What became of the result, for the ledger: a component that could not store it has truncated it.
    pub(in crate::commands) fn outcome(&self) -> Outcome {
        match self.has_failed {
            true => Outcome::Truncated,
            false => Outcome::Offloaded,
        }
    }
}

impl Held<'_> {
    /// The whole CallToolResult, read from the file that the client has saved where there is one.
    ///
    /// # Errors
    /// Why that file is not followed.
    pub(in crate::commands) fn whole(&self) -> Result<Cow<'_, str>, String> {
        match &self.result {
            Holding::Here(result) => Ok(Cow::Borrowed(result)),
            Holding::Saved(saved) => Ok(Cow::Owned(result_of(&saved::read(saved)?, saved.may_be_blocks))),
        }
    }

    /// What returned it.
    pub(in crate::commands) fn origin(&self) -> Origin {
        Origin::of(&self.tool)
    }

    /// True for a data file that the client's own tool read, and that may be about to be edited.
    pub(in crate::commands) fn is_small_file(&self, result: &str) -> bool {
        self.is_file && result.len() < reading::LEAST_FILE_BYTES
    }
}

/// The CallToolResult of a text that was saved.
fn result_of(text: &str, may_be_blocks: bool) -> String {
    match may_be_blocks && event::are_texts(text) {
        true => event::result_of_blocks(text),
        false => event::result_of_text(&event::quoted(text)),
    }
}

/// Offloads a result that an event holds. `None` where it is ours already.
///
/// # Errors
/// Those of the component.
pub(in crate::commands) fn replaced(
    lro: &Lro,
    client: Client,
    held: &Held<'_>,
    result: &str,
) -> Result<Option<Replaced>, String> {
    let output_dir = lro.output_dir().join("").display().to_string();
    if ours::is_of_ours(result, held.arguments, &output_dir) {
        return Ok(None);
    }
    let lro = lro.for_call(&CallSettings::default().client(client.as_in_mcp()));
    let offloaded = lro.mcp_offload_result(&held.tool, held.arguments, result).map_err(|error| error.to_string())?;
    let has_failed = offloaded.events.iter().any(|event| FAILED.contains(&&*event.name));
    let message = match offloaded.message {
        Rewriting::Replaced(message) if !has_failed || result.len() > MOST_UNHANDLED_BYTES => Some(message),
        _ => None,
    };
    Ok(Some(Replaced { message, has_failed, events: offloaded.events }))
}
