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
    offloaded: Vec<Named>,
    saved: Vec<Named>,
}

/// A file by its name, and whether what reads it counts for the tool: only if its result counts as offloaded.
#[derive(Debug)]
struct Named {
    name: String,
    tool: String,
    counts: bool,
}

/// To which tool a call belongs.
#[derive(Debug, PartialEq)]
pub(super) enum Belongs<'a> {
    To(&'a str),
    /// To a result that is not counted.
    ToNone,
}

impl Followed {
    /// Learns the files that a result names. `counts` is true if the result counts as offloaded.
    pub(super) fn learn(&mut self, call: &Call, counts: bool) {
        if let Some(file) = response_in(&call.shown) {
            remember(&mut self.offloaded, &file, &call.tool, counts);
        } else if let Some(file) = saved_in(&call.shown) {
            remember(&mut self.saved, file, &call.tool, counts);
        }
    }

    /// The tool whose offloaded result these arguments name. They are JSON.
    pub(super) fn offloaded_by(&self, arguments: &str) -> Option<Belongs<'_>> {
        let named = named(&self.offloaded, arguments)?;
        Some(if named.counts { Belongs::To(&named.tool) } else { Belongs::ToNone })
    }

    /// The tool whose result was saved in a file that these arguments name. Where offloading would not have taken its place,
    /// the call would have been made with it too.
    pub(super) fn saved_by(&self, arguments: &str) -> Option<&str> {
        named(&self.saved, arguments).filter(|named| named.counts).map(|named| named.tool.as_str())
    }
}

/// Remembers a file by its name: a call may use another path to it.
fn remember(files: &mut Vec<Named>, path: &str, tool: &str, counts: bool) {
    let name = path.rsplit(['/', '\\']).next().unwrap_or_default();
    if name.len() >= LEAST_NAME_BYTES && files.len() < MOST_FILES {
        files.push(Named { name: name.to_owned(), tool: tool.to_owned(), counts });
    }
}

fn named<'a>(files: &'a [Named], arguments: &str) -> Option<&'a Named> {
    files.iter().rev().find(|file| arguments.contains(file.name.as_str()))
}

/// The file in which Claude Code has saved a result, as its notice names it.
fn saved_in(shown: &str) -> Option<&str> {
    let notices =
        [("Error: result (", " Output has been saved to ", ".\n"), ("<persisted-output>", " saved to: ", "\n")];
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
        followed.learn(&call("list", r#"{"offloaded":true,"file_path":"/tmp/lro-0/atlatl-list-01M.jsonl"}"#), true);
        followed.learn(&call("gone", r#"{"offloaded":true,"file_path":"/tmp/lro-0/atlatl-gone-01M.jsonl"}"#), false);
        let preview = "<persisted-output>\nOutput too large (9KB). Full output saved to: /h/b12345.txt\n\nx";
        followed.learn(&call("Bash", preview), true);
        let notice =
            "Error: result (9 characters) exceeds maximum allowed tokens. Output has been saved to /h/mcp-a-1.txt.\n";
        followed.learn(&call("mcp__a", notice), true);
        followed.learn(&call("Bash", &preview.replace("b12345", "b67890")), false);
        assert_eq!(followed.offloaded_by(r#"{"file_path":"atlatl-list-01M.jsonl"}"#), Some(Belongs::To("list")));
        assert_eq!(followed.offloaded_by(r#"{"file_path":"/x/atlatl-gone-01M.jsonl"}"#), Some(Belongs::ToNone));
        assert_eq!(followed.saved_by(r#"{"command":"grep x /h/b67890.txt"}"#), None);
        assert_eq!(followed.saved_by(r#"{"command":"grep x /h/b12345.txt"}"#), Some("Bash"));
        assert_eq!(followed.saved_by(r#"{"file_path":"/h/mcp-a-1.txt"}"#), Some("mcp__a"));
        assert_eq!(followed.saved_by(r#"{"command":"ls"}"#), None);
    }
}
