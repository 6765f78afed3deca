//! What the ledger is told of a call: what became of a result, and what an extraction cost.

use lro::Lro;

use super::pending::ToolCall;
use crate::cuts::{Cutter, Origin};
use crate::events::EventsFlag;
use crate::ledger::line::Outcome;
use crate::ledger::{Ledger, text_of};

/// Notes the result of a tool of the server, and what the client gets in its place, if that is something else. Both are
/// CallToolResults.
pub(super) fn result(to: &Noting<'_>, call: &ToolCall, result: &str, replacement: Option<(&str, Outcome)>) {
    if !to.ledger.is_on() {
        return;
    }
    let Some((replacement, outcome)) = replacement else {
        return to.ledger.inline(&to.client, &call.tool, result.len());
    };
    let by = (to.client.as_str(), Cutter::named(&to.client), Origin::Server);
    to.ledger.replaced(to.lro, outcome, by, &call.tool, (&text_of(result), &text_of(replacement)));
}

/// Who is told what happens.
pub(super) struct Told {
    pub(super) events: EventsFlag,
    pub(super) ledger: Ledger,
}

/// Where something is noted, and of which client.
pub(super) struct Noting<'a> {
    pub(super) ledger: &'a Ledger,
    pub(super) lro: &'a Lro,
    /// As it has introduced itself.
    pub(super) client: String,
}

/// Notes a call of one of our tools.
pub(super) fn extraction(to: &Noting<'_>, call: &ToolCall, answer: &str) {
    to.ledger.extraction(to.lro, &to.client, &call.arguments, answer);
}
