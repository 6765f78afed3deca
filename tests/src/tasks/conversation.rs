//! What a model reads and writes until it has an answer.

use std::cell::RefCell;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use serde_json::{Value, json};

/// The tokens of a text, as the models of OpenAI since GPT-4o count them. Long texts are counted once: many strategies
/// read the same results.
pub fn tokens(text: &str) -> usize {
    thread_local! { static COUNTED: RefCell<HashMap<u64, usize>> = RefCell::default(); }
    let count = || bpe_openai::o200k_base().count(text);
    if text.len() < LONG {
        return count();
    }
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    COUNTED.with_borrow_mut(|counted| *counted.entry(hasher.finish()).or_insert_with(count))
}

/// Shorter texts are counted faster than they would be found again.
const LONG: usize = 2000;

/// Counts one conversation.
#[derive(Clone, Debug, Default)]
pub struct Conversation {
    /// Calls after the server's own.
    pub calls: usize,
    /// Tokens of all results, each read once.
    pub read: usize,
    /// Tokens of all calls, the server's own among them.
    pub written: usize,
    /// Tokens of all requests together: each sends everything again that came before it.
    pub sent: usize,
    /// All that has been read: what a model may know.
    pub seen: String,
    /// The calls with the beginnings of their results, for a person who looks for a mistake.
    pub log: Vec<String>,
}

impl Conversation {
    /// Begins with the call of the server's own tool.
    pub fn begin(tool: &str, arguments: &Value, result: &str) -> Self {
        let mut conversation = Self::default();
        conversation.turn(tool, arguments, result);
        conversation.calls = 0;
        conversation
    }

    /// A call of a tool, and its result.
    pub fn turn(&mut self, tool: &str, arguments: &Value, result: &str) {
        let call = json!({"name": tool, "arguments": arguments}).to_string();
        self.calls += 1;
        self.written += tokens(&call);
        self.read += tokens(result);
        // The request after this result.
        self.sent += self.written + self.read;
        self.seen.push_str(result);
        self.log.push(format!("{call}\n  -> {}", result.chars().take(600).collect::<String>()));
    }

    /// True when every name of a path stands in what has been read.
    pub fn has_seen(&self, path: &str) -> bool {
        path.split('.').all(|name| is_word_in(name, &self.seen))
    }
}

/// True when a name stands in a text and is not a part of a longer one.
fn is_word_in(name: &str, text: &str) -> bool {
    let is_name = |character: char| character.is_alphanumeric() || character == '_';
    text.match_indices(name).any(|(at, _)| {
        let (before, after) = (&text[..at], &text[at + name.len()..]);
        !before.chars().next_back().is_some_and(is_name) && !after.chars().next().is_some_and(is_name)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_conversation_counts_what_is_read_written_and_sent_again() {
        let mut conversation = Conversation::begin("read", &json!({}), "one two three");
        let (read, written) = (conversation.read, conversation.written);
        assert_eq!((conversation.calls, read, conversation.sent), (0, 3, read + written));
        conversation.turn("read", &json!({}), "four");
        assert_eq!((conversation.calls, conversation.read), (1, 4));
        assert_eq!(conversation.sent, read + written + 4 + 2 * written);
    }

    #[test]
    fn a_field_is_seen_as_a_whole_word() {
        let conversation = Conversation::begin("read", &json!({}), r#"{"user": {"login_name": "amy"}, "id": 1}"#);
        assert!(conversation.has_seen("id") && conversation.has_seen("user.login_name"));
        assert!(!conversation.has_seen("login") && !conversation.has_seen("user.login"));
    }
}
