//! Our side of the conversation: the component, and the names under which its tools are offered.

use lro::{Lro, Options};
use serde_json::Value;

use super::super::{Failure, output};

/// Tools of a server that have such names by chance are few; nobody has a hundred of them.
const MOST_PREFIXES: usize = 100;

/// The component with the settings of this conversation.
pub(super) struct Ours {
    options: Options,
    pub(super) lro: Lro,
    pub(super) names: Vec<String>,
}

impl Ours {
    pub(super) fn open(options: Options) -> Result<Self, Failure> {
        let lro = Lro::open(options.clone())?;
        let names = names(&lro)?;
        Ok(Self { options, lro, names })
    }

    /// Gives our tools another prefix when the server has tools of the same names, and says so. A server's tools keep
    /// their names: its clients may know them.
    ///
    /// Answers the new names if there are any.
    pub(super) fn make_way(&mut self, listed: &[String]) -> Result<Option<&[String]>, Failure> {
        let Some(taken) = self.names.iter().find(|name| listed.contains(name)).cloned() else { return Ok(None) };
        for turn in 1..MOST_PREFIXES {
            let prefix = if turn == 1 { "lro_local_".to_owned() } else { format!("lro_local_{turn}_") };
            self.options.settings.insert("tool_prefix".to_owned(), prefix.into());
            self.lro = self.lro.reopen(&self.options)?;
            self.names = names(&self.lro)?;
            if !self.names.iter().any(|name| listed.contains(name)) {
                break;
            }
        }
        let names = self.names.join(", ");
        output::remark(&format!("the server has a tool `{taken}` of its own; ours are called: {names}"));
        Ok(Some(&self.names))
    }
}

fn names(lro: &Lro) -> Result<Vec<String>, Failure> {
    let tools: Vec<Value> = serde_json::from_str(&lro.mcp_tools()?).unwrap_or_default();
    Ok(tools.iter().filter_map(|tool| tool["name"].as_str().map(str::to_owned)).collect())
}
