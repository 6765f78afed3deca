//! What takes the place of a result, by a component that is open: for a hook, and for the replay of a transcript.

use std::borrow::Cow;

use lro::{CallSettings, Event, Lro, Rewriting};
use lro_clients::hook::{Client, Held, Holding, has_failed, is_of_ours, is_worth_an_answer, result_of};

use super::saved;
use crate::ledger::line::Outcome;

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

/// The whole CallToolResult, read from the file that the client has saved where there is one.
///
/// # Errors
/// Why that file is not followed.
pub(in crate::commands) fn whole<'a>(held: &'a Held<'_>) -> Result<Cow<'a, str>, String> {
    match &held.result {
        Holding::Here(result) => Ok(Cow::Borrowed(result)),
        Holding::Saved(saved) => Ok(Cow::Owned(result_of(&saved::read(saved)?, saved.may_be_blocks))),
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
    if is_of_ours(result, held.arguments, &output_dir) {
        return Ok(None);
    }
    let lro = lro.for_call(&CallSettings::default().client(client.as_in_mcp()));
    let offloaded = lro.mcp_offload_result(&held.tool, held.arguments, result).map_err(|error| error.to_string())?;
    let names = || offloaded.events.iter().map(|event| &*event.name);
    let (has_failed, is_answer) = (has_failed(names()), is_worth_an_answer(result.len(), names()));
    let message = match offloaded.message {
        Rewriting::Replaced(message) if is_answer => Some(message),
        _ => None,
    };
    Ok(Some(Replaced { message, has_failed, events: offloaded.events }))
}
