//! Claude Code: the event `PostToolUse`, and `updatedToolOutput` in the shape that the tool returned.
//!
//! Shapes as of 2.1.330. What a tool writes for the model to read whole stays: reports of subagents, lists of tasks.

use std::path::{Path, PathBuf};

use super::event::{Check, Held, Holding, Object, Place, Rewritten, Saved, decoded, elements, quoted};
use super::{Found, reading};

/// What its oversized results of MCP begin with, and where they name the file with everything.
const OVERSIZED: &str = "Error: result (";
const SAVED_TO: &str = " exceeds maximum allowed tokens. Output has been saved to ";
const FORMAT: &str = ".\nFormat: ";

/// What the event holds.
pub(super) fn held<'a>(event: &Object<'a>) -> Found<'a> {
    // Cursor runs these hooks too, with events of its own.
    if event.text("hook_event_name").as_deref() != Some("PostToolUse") || event.has("cursor_version") {
        return Ok(None);
    }
    let (Some(tool), Some(response)) = (event.text("tool_name"), event.raw("tool_response")) else { return Ok(None) };
    let call = Call { tool, arguments: event.raw("tool_input").unwrap_or("{}"), response };
    match &*call.tool {
        "Bash" | "PowerShell" => call.shell(event),
        "Read" => call.read(),
        "WebSearch" => call.results(),
        "ReadMcpResourceTool" => call.resource(),
        tool if tool.starts_with("mcp__") => call.mcp(event),
        tool => member_of(tool).map_or(Ok(None), |member| call.member(member)),
    }
}

/// The client's answer, with the result that takes the place of the event's.
pub(super) fn answer(event: &Object<'_>, rewritten: &Rewritten) -> Option<String> {
    let response = event.raw("tool_response")?;
    let output = output(&event.text("tool_name")?, response, rewritten)?;
    Some(format!(r#"{{"hookSpecificOutput":{{"hookEventName":"PostToolUse","updatedToolOutput":{output}}}}}"#))
}

/// The member that holds what a tool returned, where that is a text.
fn member_of(tool: &str) -> Option<&'static str> {
    match tool {
        "Grep" => Some("content"),
        "WebFetch" => Some("result"),
        _ => None,
    }
}

/// The output of the tool with another result.
fn output(tool: &str, response: &str, rewritten: &Rewritten) -> Option<String> {
    let text = rewritten.string();
    if tool.starts_with("mcp__") {
        return Some(if response.starts_with('[') { rewritten.content.clone() } else { text });
    }
    let object = Object::of(response)?;
    Some(match tool {
        "Bash" | "PowerShell" => {
            object.with(&[("stdout", Some(&text)), ("persistedOutputPath", None), ("persistedOutputSize", None)])
        }
        "Read" => {
            let lines = [("numLines", Some("1")), ("startLine", Some("1")), ("totalLines", Some("1"))];
            let file = object.object("file")?.with(&[&[("content", Some(&*text))], &lines[..]].concat());
            object.with(&[("file", Some(&file))])
        }
        "WebSearch" => object.with(&[("results", Some(&format!("[{text}]")))]),
        "ReadMcpResourceTool" => {
            let content = only(&object, "contents")?.with(&[("text", Some(&text))]);
            object.with(&[("contents", Some(&format!("[{content}]")))])
        }
        tool => object.with(&[(member_of(tool)?, Some(&text))]),
    })
}

/// The only element of an array, which is an object.
fn only<'a>(object: &Object<'a>, array: &str) -> Option<Object<'a>> {
    match elements(object.raw(array)?)?[..] {
        [element] => Object::of(element),
        _ => None,
    }
}

/// A call of a tool.
struct Call<'a> {
    tool: String,
    arguments: &'a str,
    response: &'a str,
}

impl<'a> Call<'a> {
    fn object(&self) -> Result<Object<'a>, String> {
        Object::of(self.response).ok_or_else(|| self.unknown())
    }

    /// A tool whose output looks otherwise than in the versions known here.
    fn unknown(&self) -> String {
        format!("the result of `{}` does not have the shape of Claude Code 2.1.330", self.tool)
    }

    fn text(self, string: &str) -> Found<'a> {
        Ok(Some(Held::text(self.tool, self.arguments, string)))
    }

    /// A command of a shell, whose standard output is here up to 30,000 characters, and otherwise in a file.
    fn shell(self, event: &Object<'_>) -> Found<'a> {
        let output = self.object()?;
        let stdout = output.raw_text("stdout").ok_or_else(|| self.unknown())?;
        let is_special = ["isImage", "interrupted"].into_iter().any(|name| output.is_true(name))
            || ["backgroundTaskId", "structuredContent"].into_iter().any(|name| output.has(name));
        let command = Object::of(self.arguments).and_then(|arguments| arguments.text("command")).unwrap_or_default();
        if is_special {
            return Ok(None);
        }
        let is_printed = reading::prints_a_file_to_edit(&command);
        let held = match output.text("persistedOutputPath") {
            None => self.text(stdout),
            Some(path) => {
                let size = output.number("persistedOutputSize").ok_or_else(|| self.unknown())?;
                self.saved(event, path.into(), Check::Bytes(size), false)
            }
        };
        Ok(held?.map(|held| Held { is_printed, ..held }))
    }

    /// A file. What is needed of data is rarely all of it, unless somebody asked for these lines; other files are edited.
    fn read(self) -> Found<'a> {
        let output = self.object()?;
        if output.raw("type") != Some("\"text\"") {
            return Ok(None);
        }
        let file = output.object("file").ok_or_else(|| self.unknown())?;
        let arguments = Object::of(self.arguments);
        let is_part = arguments.is_some_and(|arguments| arguments.has("offset") || arguments.has("limit"))
            || file.is_true("truncatedByTokenCap");
        if is_part || !file.text("filePath").is_some_and(|path| reading::is_data(&path)) {
            return Ok(None);
        }
        let content = file.raw_text("content").ok_or_else(|| self.unknown())?;
        Ok(self.text(content)?.map(|held| Held { is_file: true, ..held }))
    }

    /// A text in a member; others of its shapes have none.
    fn member(self, member: &str) -> Found<'a> {
        self.object()?.raw_text(member).map_or(Ok(None), |string| self.text(string))
    }

    fn results(self) -> Found<'a> {
        let results = self.object()?.raw("results").ok_or_else(|| self.unknown())?;
        self.text(&quoted(results))
    }

    fn resource(self) -> Found<'a> {
        let output = self.object()?;
        let text =
            only(&output, "contents").filter(|_| !output.has("error")).and_then(|content| content.raw_text("text"));
        text.map_or(Ok(None), |string| self.text(string))
    }

    /// A result of MCP: its content blocks, or the text of its structured content, or where it has been saved.
    fn mcp(self, event: &Object<'_>) -> Found<'a> {
        let response = self.response;
        if response.starts_with('[') {
            // Where there is more than text, such as an image, all of it stays.
            return Ok(Held::blocks(self.tool, self.arguments, response));
        }
        let Some(text) = decoded(response) else { return Ok(None) };
        match oversized(&text) {
            Some((path, characters)) => self.saved(event, path, Check::Utf16(characters), true),
            None if text.starts_with("Error") => Ok(None),
            None => self.text(response),
        }
    }

    /// What is in a file. Its name may come from the text of a server, so only one folder may have it: that of this
    /// session, beside the transcript whose path Claude Code itself tells.
    fn saved(self, event: &Object<'_>, path: PathBuf, check: Check, may_be_blocks: bool) -> Found<'a> {
        let folder = event.text("transcript_path").and_then(|transcript| results_beside(Path::new(&transcript)));
        let place = Place::Folder(folder.ok_or("the event does not name its transcript")?);
        let saved = Saved { path, place, check, may_be_blocks };
        Ok(Some(Held::of(self.tool, self.arguments, Holding::Saved(saved))))
    }
}

/// The folder for large results of the session with this transcript.
fn results_beside(transcript: &Path) -> Option<PathBuf> {
    let is_transcript =
        crate::is_absolute(transcript) && transcript.extension().is_some_and(|extension| extension == "jsonl");
    is_transcript.then(|| transcript.with_extension("").join("tool-results"))
}

/// The file with everything, and its length, that the text in place of an oversized result names.
fn oversized(text: &str) -> Option<(PathBuf, u64)> {
    let (size, rest) = text.strip_prefix(OVERSIZED)?.split_once(')')?;
    let (path, _) = rest.strip_prefix(SAVED_TO)?.split_once(FORMAT)?;
    let digits: String = size.split(" character").next()?.chars().filter(|character| *character != ',').collect();
    Some((PathBuf::from(path), digits.parse().ok()?))
}
