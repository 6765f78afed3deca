//! How the results of one tool are treated (USER-05).

use serde::{Deserialize, Serialize};

use crate::settings::Settings;

/// The settings of one tool; each key is explained in `wit/settings.schema.json`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ToolSettings {
    /// Which of its results are offloaded.
    pub offload: When,
    /// Instead of the general threshold.
    pub threshold_tokens: Option<u32>,
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

impl Settings {
    /// The threshold that holds for a tool; `None` when its results are never offloaded.
    pub fn threshold_for(&self, tool: &str) -> Option<u32> {
        let own = self.tools.get(tool).cloned().unwrap_or_default();
        let threshold = match own.offload {
            When::Never => return None,
            When::Always => 0,
            When::Auto => own.threshold_tokens.unwrap_or(self.threshold_tokens),
        };
        // No result has more tokens than can be counted.
        (self.enabled && threshold < u32::MAX).then_some(threshold)
    }
}
