//! The parts of the proxy that read what others send, from the sources of the command: it is a program, not a library.
//!
//! They need few names of the library `lro` and of the command, which stand here under the same paths.

pub mod envelopes;
pub mod streams;

#[path = "../../../../cli/src/commands/proxy/envelope.rs"]
mod envelope;
#[path = "../../../../cli/src/commands/proxy/http/events.rs"]
mod events;
#[path = "../../../../cli/src/commands/proxy/known.rs"]
mod known;
#[path = "../../../../cli/src/commands/proxy/parts.rs"]
mod parts;
#[path = "../../../../cli/src/commands/proxy/pending.rs"]
mod pending;
#[path = "../../../../cli/src/commands/proxy/router.rs"]
mod router;

/// Names of our tools, which the component would tell.
mod ours {
    /// True for a tool that may be ours.
    pub(super) fn may_be_ours(tool: &str) -> bool {
        tool.ends_with("extract")
    }
}

/// Whether a call waits for the data that its arguments refer to.
mod resolving {
    /// True if arguments may have a reference in them.
    pub(super) fn may_refer(arguments: &str) -> bool {
        arguments.contains("lro") || arguments.contains("\\u00")
    }
}

/// Requests about resources that are ours to answer.
mod shown {
    use serde_json::Value;

    /// The result, if a request is about our page.
    pub(super) fn answer(method: &str, uri: Option<&Value>, _only_ours: bool) -> Option<String> {
        let is_ours = method == "resources/read" && uri.is_some_and(|uri| uri == crate::table::URI);
        is_ours.then(|| crate::table::contents().to_string())
    }
}
