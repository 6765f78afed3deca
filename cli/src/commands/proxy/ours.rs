//! Our side of the conversation: the component, and the names of its tools.

use std::borrow::Cow;

use lro::{Lro, Options};
use serde_json::Value;

use super::parts::{each, member};
use crate::failure::Failure;
use crate::global::{opened, set};
use crate::output;

/// A server has few tools with such names by chance, never a hundred.
const MOST_PREFIXES: usize = 100;

/// What the names of our tools end with, whatever their prefix is.
const ENDINGS: [&str; 6] = ["describe", "extract", "artifact_jq", "artifact_read", "artifact_grep", "large_output"];

/// True for a tool that is ours, or may be while the component that knows their names is still compiled.
pub(super) fn may_be_ours(tool: &str) -> bool {
    ENDINGS.iter().any(|ending| tool.ends_with(ending))
}

/// The component with the settings of this conversation.
pub(super) struct Ours {
    options: Options,
    pub(super) lro: Lro,
    pub(super) names: Vec<String>,
    /// True once the client knows these names: calls of them are then ours until the end.
    is_announced: bool,
}

/// What to do with a list in which the server may have tools with names of ours.
pub(super) enum Way {
    /// It has none.
    Clear,
    /// Our tools have these names from now on.
    Renamed(Vec<String>),
    /// Our tools keep their names, and this is the list without the server's tools of these names.
    Kept(String),
}

impl Ours {
    pub(super) fn open(options: Options) -> Result<Self, Failure> {
        let lro = opened(&options)?;
        let names = names(&lro)?;
        Ok(Self { options, lro, names, is_announced: false })
    }

    /// The client knows the names of our tools now.
    pub(super) fn announce(&mut self) {
        self.is_announced = true;
    }

    /// Decides what to do with a list of tools, given as the text of a result. A server's tools keep their names, because
    /// its clients may know them, and ours get another prefix, until the client knows our names. After that, a server that
    /// lists such a name would get calls that are meant for us.
    pub(super) fn make_way(&mut self, list: &str, listed: &[String]) -> Result<Way, Failure> {
        let Some(taken) = self.names.iter().find(|name| listed.contains(name)).cloned() else { return Ok(Way::Clear) };
        if self.is_announced {
            output::remark(&format!("the server's tool `{taken}` is left out of its list: ours had the name before"));
            return Ok(without(list, &self.names).map_or(Way::Clear, Way::Kept));
        }
        self.rename(listed)?;
        let names = self.names.join(", ");
        output::remark(&format!("the server has a tool `{taken}` of its own; ours are called: {names}"));
        Ok(Way::Renamed(self.names.clone()))
    }

    fn rename(&mut self, listed: &[String]) -> Result<(), Failure> {
        for turn in 1..MOST_PREFIXES {
            let prefix = if turn == 1 { "lro_local_".to_owned() } else { format!("lro_local_{turn}_") };
            set(&mut self.options, "tool_prefix", &Some(prefix));
            self.lro = self.lro.reopen(&self.options)?;
            self.names = names(&self.lro)?;
            if !self.names.iter().any(|name| listed.contains(name)) {
                break;
            }
        }
        Ok(())
    }
}

/// The names that may be ours in the list of tools that is the text of a result. A list of millions of them is read as far
/// as it makes sense.
pub(super) fn listed(list: &str) -> Option<Vec<String>> {
    let (mut names, mut bytes) = (Vec::new(), 0);
    each(member(list, "tools")?, |tool| {
        if let Some(name) = name(tool).filter(|name| clashes(name) && bytes < MOST_LISTED_BYTES) {
            bytes += name.len() + size_of::<String>();
            names.push(name);
        }
    })?;
    Some(names)
}

/// True for a name that one of our tools has with some prefix.
fn clashes(name: &str) -> bool {
    may_be_ours(name) || name.ends_with("read") || name.ends_with("search")
}

/// Names that may be ours are kept up to this.
const MOST_LISTED_BYTES: usize = 4 << 20;

/// Returns the list without tools of these names.
fn without(list: &str, names: &[String]) -> Option<String> {
    changed(list, |tool| {
        let is_named = name(tool).is_some_and(|name| names.contains(&name));
        (!is_named).then_some(Cow::Borrowed(tool))
    })
}

/// Returns the list with what `change` makes of each tool. What it does not change keeps its bytes.
pub(super) fn changed(list: &str, change: impl Fn(&str) -> Option<Cow<'_, str>>) -> Option<String> {
    let tools = member(list, "tools")?;
    let mut kept = String::from("[");
    each(tools, |tool| {
        if let Some(tool) = change(tool) {
            kept.push_str(if kept.len() > 1 { "," } else { "" });
            kept.push_str(&tool);
        }
    })?;
    kept.push(']');
    let start = tools.as_ptr() as usize - list.as_ptr() as usize;
    Some([&list[..start], &kept, &list[start + tools.len()..]].concat())
}

/// The name in the text of a tool.
pub(super) fn name(tool: &str) -> Option<String> {
    serde_json::from_str(member(tool, "name")?).ok()
}

fn names(lro: &Lro) -> Result<Vec<String>, Failure> {
    let tools: Vec<Value> = serde_json::from_str(&lro.mcp_tools()?).unwrap_or_default();
    Ok(tools.iter().filter_map(|tool| tool["name"].as_str().map(str::to_owned)).collect())
}

#[cfg(test)]
mod tests {
    use super::without;

    #[test]
    fn a_tool_is_left_out_and_all_else_keeps_its_bytes() {
        let list = r#"{"a":1.0,"tools":[{"name":"x", "n":1e2},{"n":0,"name":"y"},{}],"nextCursor":"c"}"#;
        let expected = r#"{"a":1.0,"tools":[{"name":"x", "n":1e2},{}],"nextCursor":"c"}"#;
        assert_eq!(without(list, &["y".to_owned(), "z".to_owned()]).as_deref(), Some(expected));
    }
}
