//! Which calls follow from an earlier result: those that read a file which the client has saved, and those that read an
//! offloaded one.

use super::replay::response_in;
use super::said::Call;

/// Files that are remembered of a transcript. A made-up one may have any number.
const MOST_FILES: usize = 4096;

/// Shorter names could stand in any arguments.
const LEAST_NAME_BYTES: usize = 8;

/// The files of a transcript with the tools whose results they hold.
#[derive(Debug, Default)]
pub(super) struct Followed {
    offloaded: Vec<(String, String)>,
    saved: Vec<(String, String)>,
}

impl Followed {
    /// Learns the files that a result names.
    pub(super) fn learn(&mut self, call: &Call) {
        if let Some(file) = response_in(&call.shown) {
            remember(&mut self.offloaded, &file, &call.tool);
        } else if let Some(file) = saved_in(&call.shown) {
            remember(&mut self.saved, file, &call.tool);
        }
    }

    /// The tool whose offloaded result these arguments name. They are JSON.
    pub(super) fn offloaded_by(&self, arguments: &str) -> Option<&str> {
        named(&self.offloaded, arguments)
    }

    /// The tool whose result was saved in a file that these arguments name.
    pub(super) fn saved_by(&self, arguments: &str) -> Option<&str> {
        named(&self.saved, arguments)
    }
}

/// Remembers a file by its name: a call may use another path to it.
fn remember(files: &mut Vec<(String, String)>, path: &str, tool: &str) {
    let name = path.rsplit(['/', '\\']).next().unwrap_or_default();
    if name.len() >= LEAST_NAME_BYTES && files.len() < MOST_FILES {
        files.push((name.to_owned(), tool.to_owned()));
    }
}

fn named<'a>(files: &'a [(String, String)], arguments: &str) -> Option<&'a str> {
    files.iter().rev().find(|(name, _)| arguments.contains(name.as_str())).map(|(_, tool)| tool.as_str())
}

/// The file in which Claude Code has saved a result, as its notice names it.
fn saved_in(shown: &str) -> Option<&str> {
    let notices = [("Error: result (", " Output has been saved to ", ".\n"), ("<persisted-output>", " saved to: ", "\n")];
    notices.into_iter().find_map(|(begin, before, after)| {
        let (_, rest) = shown.strip_prefix(begin)?.split_once(before)?;
        rest.split_once(after).map(|(path, _)| path)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(tool: &str, shown: &str) -> Call {
        let (tool, shown) = (tool.to_owned(), shown.to_owned());
        Call { tool, arguments: "{}".into(), response: None, is_part: false, shown, line: String::new() }
    }

    #[test]
    fn calls_belong_to_the_tool_whose_file_they_read() {
        let mut followed = Followed::default();
        followed.learn(&call("list", r#"{"offloaded":true,"file_path":"/tmp/lro-0/atlatl-list-01M.jsonl"}"#));
        followed.learn(&call("Bash", "<persisted-output>\nOutput too large (9KB). Full output saved to: /h/b12345.txt\n\nx"));
        followed.learn(&call(
            "mcp__a",
            "Error: result (9 characters) exceeds maximum allowed tokens. Output has been saved to /h/mcp-a-1.txt.\nFormat",
        ));
        assert_eq!(followed.offloaded_by(r#"{"file_path":"atlatl-list-01M.jsonl"}"#), Some("list"));
        assert_eq!(followed.saved_by(r#"{"command":"grep x /h/b12345.txt"}"#), Some("Bash"));
        assert_eq!(followed.saved_by(r#"{"file_path":"/h/mcp-a-1.txt"}"#), Some("mcp__a"));
        assert_eq!(followed.saved_by(r#"{"command":"ls"}"#), None);
    }
}
