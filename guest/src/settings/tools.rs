//! How the results of one tool are treated (USER-05).

use lro_query::json::characters;
use serde::{Deserialize, Serialize};

use crate::settings::Settings;
use crate::settings::tokens::{Tokenizer, estimate};

/// The settings of one tool; each key is explained in `wit/settings.schema.json`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ToolSettings {
    /// Which of its results are offloaded.
    pub offload: When,
    /// Instead of the general threshold.
    pub threshold_tokens: Option<u32>,
    /// Its results are memories.
    pub memories: bool,
    /// Its output schema stays in lists of tools.
    pub keep_schema: bool,
}

/// Which results are offloaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum When {
    /// Those above the threshold.
    #[default]
    Auto,
    /// None.
    Never,
    /// All that have records.
    Always,
}

/// What is too much: more tokens than this, or more characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Threshold {
    /// In tokens (LRO-05).
    Tokens(u32),
    /// In characters (SECTION-06).
    Characters(u32),
}

impl Threshold {
    /// The number itself.
    pub fn value(self) -> u32 {
        match self {
            Self::Tokens(value) | Self::Characters(value) => value,
        }
    }
}

impl Settings {
    /// The threshold that holds in general.
    pub fn threshold(&self) -> Threshold {
        self.threshold_characters.map_or(Threshold::Tokens(self.threshold_tokens), Threshold::Characters)
    }

    /// The threshold as a number of tokens: four characters are one.
    pub fn threshold_in_tokens(&self) -> u32 {
        match self.threshold() {
            Threshold::Tokens(tokens) => tokens,
            Threshold::Characters(characters) => characters / 4,
        }
    }

    /// True for a text that is too large to be passed on, whatever the reason for not offloading it (USER-17).
    pub fn is_too_large(&self, text: &str) -> bool {
        text.len() / 4 > self.max_inline_tokens as usize && estimate(Tokenizer::Chars, text) > self.max_inline_tokens
    }

    /// The threshold that holds for a tool; `None` if its results are never offloaded.
    pub fn threshold_for(&self, tool: &str) -> Option<Threshold> {
        let own = self.tools.get(tool).cloned().unwrap_or_default();
        let threshold = match own.offload {
            When::Never => return None,
            When::Always => Threshold::Tokens(0),
            When::Auto => own.threshold_tokens.map_or(self.threshold(), Threshold::Tokens),
        };
        // No result has more than can be counted.
        (self.enabled && threshold.value() < u32::MAX).then_some(threshold)
    }

    /// True if a tool has a threshold of its own, or all of its results are offloaded.
    pub fn has_own_threshold(&self, tool: &str) -> bool {
        let own = self.tools.get(tool);
        own.is_some_and(|own| own.offload == When::Always || own.threshold_tokens.is_some())
    }

    /// The same settings with another threshold.
    pub fn with_threshold(self, threshold: Threshold) -> Self {
        match threshold {
            Threshold::Tokens(threshold_tokens) => Self { threshold_tokens, threshold_characters: None, ..self },
            Threshold::Characters(value) => Self { threshold_characters: Some(value), ..self },
        }
    }

    /// What a text counts against the threshold, in its unit.
    pub fn cost(&self, text: &str) -> u32 {
        match self.threshold() {
            Threshold::Tokens(_) => estimate(self.tokenizer, text),
            Threshold::Characters(_) => u32::try_from(characters(text)).unwrap_or(u32::MAX),
        }
    }
}
