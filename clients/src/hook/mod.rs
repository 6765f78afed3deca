//! Hooks that replace results: what an event of a client holds, and its answer to a result that has been rewritten.
//!
//! Each client has a file with these two functions.

mod claude;
mod codex;
mod cursor;
pub mod event;
mod gemini;
mod opencode;
mod ours;
mod reading;
mod shell;

use serde_json::{Map, Value, json};

pub use self::event::{Check, Held, Holding, Place, Saved};
use self::event::{Object, Rewritten};
pub use self::ours::{is_of_ours, is_tool};

/// A client with hooks that replace a result.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum Client {
    /// Claude Code
    Claude,
    /// Codex CLI
    Codex,
    /// Gemini CLI
    Gemini,
    /// Cursor, for tools of MCP servers
    Cursor,
    /// opencode, by way of a plugin
    Opencode,
}

/// All of them.
const ALL: [Client; 5] = [Client::Claude, Client::Codex, Client::Gemini, Client::Cursor, Client::Opencode];

/// What an event holds, if it is a result that may be offloaded; or why a result is not understood.
type Found<'a> = Result<Option<Held<'a>>, String>;

/// An event of a client.
pub struct Event<'a> {
    client: Client,
    object: Object<'a>,
}

impl Client {
    /// The client of this name.
    pub fn named(name: &str) -> Option<Self> {
        ALL.into_iter().find(|client| client.name() == name)
    }

    /// Its name on command lines.
    pub fn name(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Codex => "codex",
            Self::Gemini => "gemini",
            Self::Cursor => "cursor",
            Self::Opencode => "opencode",
        }
    }

    /// What it says of itself over MCP, where the component knows what follows from that.
    pub fn as_in_mcp(self) -> Option<Map<String, Value>> {
        let info = json!({ "clientInfo": { "name": "codex-mcp-client" } });
        info.as_object().filter(|_| self == Self::Codex).cloned()
    }
}

impl<'a> Event<'a> {
    /// Reads the text of an event.
    ///
    /// # Errors
    /// Why it is none.
    pub fn of(client: Client, text: &'a str) -> Result<Self, String> {
        let object = Object::of(text).ok_or("the event is not a JSON object")?;
        Ok(Self { client, object })
    }

    /// What it holds.
    ///
    /// # Errors
    /// Why a result in it is not understood.
    pub fn held(&self) -> Found<'a> {
        match self.client {
            Client::Claude => claude::held(&self.object),
            Client::Codex => codex::held(&self.object),
            Client::Gemini => gemini::held(&self.object),
            Client::Cursor => cursor::held(&self.object),
            Client::Opencode => opencode::held(&self.object),
        }
    }

    /// The client's answer, with the CallToolResult that takes the place of the one in the event.
    ///
    /// # Errors
    /// Why there is none.
    pub fn answer(&self, result: &str) -> Result<String, String> {
        let rewritten = Rewritten::of(result).ok_or("the component's message has other content than text")?;
        let answer = match self.client {
            Client::Claude => claude::answer(&self.object, &rewritten),
            Client::Codex => Some(codex::answer(&rewritten)),
            Client::Gemini => gemini::answer(&self.object, &rewritten),
            Client::Cursor => Some(cursor::answer(&rewritten)),
            Client::Opencode => opencode::answer(&self.object, &rewritten, result),
        };
        answer.ok_or_else(|| "the event has no place for it".to_owned())
    }
}

/// Events of a result that should have been offloaded, and was truncated.
const FAILED: [&str; 2] = ["OffloadFailed", "OffloadWriteFailed"];

/// What could not be offloaded is passed on up to this size, about 100,000 tokens: what is larger would end the
/// conversation of which it is a part, and the component has truncated it.
const MOST_UNHANDLED_BYTES: usize = 400_000;

/// True if a client should see what the component made of a result with so many bytes, by the names of its events.
pub fn is_worth_an_answer<'a>(result_bytes: usize, events: impl Iterator<Item = &'a str>) -> bool {
    result_bytes > MOST_UNHANDLED_BYTES || !has_failed(events)
}

/// True if a result should have been offloaded and could not be, by the names of its events.
pub fn has_failed<'a>(mut events: impl Iterator<Item = &'a str>) -> bool {
    events.any(|event| FAILED.contains(&event))
}

/// The CallToolResult of a text that a client has saved.
pub fn result_of(text: &str, may_be_blocks: bool) -> String {
    match may_be_blocks && event::are_texts(text) {
        true => event::result_of_blocks(text),
        false => event::result_of_text(&event::quoted(text)),
    }
}

impl Held<'_> {
    /// A result with fewer bytes stays: a small data file may be about to be edited, and so may what a shell prints.
    pub fn least_bytes(&self) -> usize {
        if self.is_file || self.is_printed { reading::LEAST_FILE_BYTES } else { 0 }
    }

    /// True if a result with so many bytes stays. A rule for the tool is for data that it reads, and not for what is edited.
    pub fn is_too_small(&self, bytes: usize, has_rule: bool) -> bool {
        bytes < self.least_bytes() && (self.is_printed || !has_rule)
    }
}

impl Check {
    /// True if this is what the event says of a file: its length in bytes, and its text.
    pub fn fits(&self, bytes: u64, text: &str) -> bool {
        match self {
            Self::Bytes(expected) => *expected == bytes,
            Self::Utf16(units) => *units == text.chars().map(|character| character.len_utf16() as u64).sum::<u64>(),
            Self::StartsWith(start) => text.starts_with(start.as_str()),
            Self::EndsWith(end) => text.ends_with(end.as_str()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_shell_prints_of_files_stays_up_to_a_limit() {
        for (client, event) in [
            (
                Client::Claude,
                json!({"hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_response": {"stdout": "text"}}),
            ),
            (
                Client::Codex,
                json!({"hook_event_name": "PostToolUse", "turn_id": "1", "tool_name": "Bash", "tool_response": "text"}),
            ),
            (
                Client::Gemini,
                json!({"hook_event_name": "AfterTool", "tool_name": "run_shell_command",
                    "tool_response": {"llmContent": "Output: text"}}),
            ),
            (Client::Opencode, json!({"tool": "bash", "output": {"output": "text", "metadata": {"exit": 0}}})),
        ] {
            for (command, is_printed) in [("cat /var/lib/dpkg/status", true), ("cat README.md && npm test", false)] {
                let arguments = if client == Client::Opencode { "args" } else { "tool_input" };
                let mut event = event.clone();
                event[arguments] = json!({ "command": command });
                let text = event.to_string();
                let held = Event::of(client, &text).unwrap().held().unwrap().unwrap();
                let is_left = |bytes: usize| held.is_too_small(bytes, true);
                assert_eq!((is_left(39_999), is_left(40_000)), (is_printed, false), "{client:?}: {command}");
            }
        }
    }
}
