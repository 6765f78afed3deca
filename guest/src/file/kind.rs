//! What kind of records a file has.

use serde::{Deserialize, Serialize};

/// What kind of records a file has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Memories: the specification's recipes.
    #[default]
    Memories,
    /// Anything else that is JSON: recipes by the roles of its fields.
    Records,
    /// Lines of text.
    Text,
}

impl Kind {
    /// What one calls them.
    pub fn noun(self) -> &'static str {
        match self {
            Self::Memories => "memories",
            Self::Records => "records",
            Self::Text => "lines",
        }
    }
}
