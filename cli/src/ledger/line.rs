//! A line of the ledger.

use serde::{Deserialize, Serialize};

use super::TOKENIZER;
use crate::days;

/// What became of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Outcome {
    /// It stays as it is.
    Inline,
    /// It is in a file, and the model gets a response.
    Offloaded,
    /// It could not be stored, or was to be cut, and the model gets its ends.
    Truncated,
    /// No result: a call that read an offloaded file.
    Extracted,
}

/// A line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Line {
    pub(crate) time: String,
    pub(crate) client: String,
    /// Of an extraction, the operation in the name of the file.
    pub(crate) tool: String,
    pub(crate) outcome: Outcome,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) bytes: Option<u64>,
    /// Tokens that the client would have shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) before: Option<u64>,
    /// Tokens that the model gets instead; of an extraction, those of call and answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) after: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) tokenizer: Option<String>,
}

/// A server or a client may have any name: with two of this length a line is written in one piece.
const MOST_NAME_CHARACTERS: usize = 128;

impl Line {
    /// A line of this moment, without figures.
    pub(super) fn of(outcome: Outcome, client: &str, tool: &str) -> Self {
        let short = |name: &str| name.chars().take(MOST_NAME_CHARACTERS).collect();
        Self {
            time: days::instant(days::now()),
            client: short(client),
            tool: short(tool),
            outcome,
            bytes: None,
            before: None,
            after: None,
            tokenizer: None,
        }
    }

    /// Its text, with the end of the line.
    pub(super) fn to_text(&self) -> String {
        let mut line = self.clone();
        line.tokenizer = line.after.map(|_| TOKENIZER.to_owned());
        let text = serde_json::to_string(&line).expect("names and numbers are JSON");
        format!("{text}\n")
    }
}
