//! What becomes of a result that the component could not handle.

use lro::Event;

use super::envelope;
use super::pending::ToolCall;

/// A result that the component could not handle is passed on up to this size, about 100,000 tokens: half of what the
/// larger models can read at once. What is larger would end the conversation of which it is a part.
const MOST_UNHANDLED_BYTES: usize = 400_000;

/// The event that says why a result was not offloaded.
pub(super) fn failure_among(events: &[Event]) -> Option<&Event> {
    events.iter().find(|event| event.name == "OffloadFailed")
}

/// What to send instead of a result that the component could not handle; `None` when it is small enough to be passed on.
pub(super) fn unhandled(call: &ToolCall, result: &str, reason: &str) -> Option<String> {
    let bytes = result.len();
    (bytes > MOST_UNHANDLED_BYTES).then(|| {
        let message = format!(
            "`{}` answered with {bytes} bytes, which is too much to be passed on, and offloading them failed: {reason}. \
             Ask for less.",
            call.tool
        );
        envelope::failed_result(result, &message)
    })
}
