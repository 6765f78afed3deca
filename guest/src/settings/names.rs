//! The names of our tools: four families over the same calls (GATE-13 to 15, READ-12).

use super::{GuidanceKind, Settings, ToolNames};

/// What a tool does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Says what a file holds.
    Describe,
    /// Runs a filter, a recipe or criteria.
    Query,
    /// Reads a range.
    Read,
    /// Searches with a regular expression.
    Search,
}

impl Access {
    /// The value of `operation` in the unified tool.
    pub fn operation(self) -> &'static str {
        match self {
            Self::Describe => "describe",
            Self::Query => "query",
            Self::Read => "read",
            Self::Search => "search",
        }
    }
}

impl ToolNames {
    /// The argument that means the file.
    pub fn file_key(self) -> &'static str {
        match self {
            Self::Lro => "file_path",
            Self::Artifact => "artifact_id",
            Self::LargeOutput | Self::Unified => "filename",
        }
    }

    /// The name of a tool in its family, without a prefix; `None` where the family has no such tool.
    fn plain(self, access: Access) -> Option<&'static str> {
        Some(match (self, access) {
            (Self::Lro, Access::Describe) => "describe",
            (Self::Lro, Access::Query) => "extract",
            (Self::Lro, Access::Read) => "read",
            (Self::Lro, Access::Search) => "search",
            (Self::Artifact, Access::Query) => "artifact_jq",
            (Self::Artifact, Access::Read) => "artifact_read",
            (Self::Artifact, Access::Search) => "artifact_grep",
            (Self::LargeOutput, Access::Query) => "query_large_output",
            (Self::LargeOutput, Access::Read) => "read_large_output",
            (Self::LargeOutput, Access::Search) => "search_large_output",
            (Self::Unified, Access::Query | Access::Read | Access::Search) => "large_output",
            (_, Access::Describe) => return None,
        })
    }
}

impl Settings {
    /// The name of the tool for an access; `None` where the family has none. A prefix other than the default stands
    /// before the names of every family, so that a server with tools of the same names can be served.
    pub fn tool_name(&self, access: Access) -> Option<String> {
        let plain = self.tool_names.plain(access)?;
        let is_bare = self.tool_names != ToolNames::Lro && self.tool_prefix == super::TOOL_PREFIX;
        Some(if is_bare { plain.to_owned() } else { format!("{}{plain}", self.tool_prefix) })
    }

    /// The name of the tool that runs filters, which every family has.
    pub fn query_tool(&self) -> String {
        self.tool_name(Access::Query).unwrap_or_default()
    }

    /// True if a response points to tools that have neither recipes nor criteria.
    pub fn has_plain_tools(&self) -> bool {
        self.guidance == GuidanceKind::Tool && self.tool_names != ToolNames::Lro
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_family_has_names_of_its_own() {
        let names = |tool_names, prefix: &str| {
            let settings = Settings { tool_names, tool_prefix: prefix.into(), ..Settings::default() };
            let all = [Access::Describe, Access::Query, Access::Read, Access::Search];
            all.iter().filter_map(|access| settings.tool_name(*access)).collect::<Vec<_>>().join(" ")
        };
        let rows = [
            (ToolNames::Lro, "lro_", "lro_describe lro_extract lro_read lro_search"),
            (ToolNames::Lro, "x_", "x_describe x_extract x_read x_search"),
            (ToolNames::Artifact, "lro_", "artifact_jq artifact_read artifact_grep"),
            (ToolNames::Artifact, "x_", "x_artifact_jq x_artifact_read x_artifact_grep"),
            (ToolNames::LargeOutput, "lro_", "query_large_output read_large_output search_large_output"),
            (ToolNames::Unified, "lro_", "large_output large_output large_output"),
        ];
        for (family, prefix, expected) in rows {
            assert_eq!(names(family, prefix), expected);
        }
    }
}
