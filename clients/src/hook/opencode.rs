//! opencode: what a plugin gets at `tool.execute.after`, as `{"tool", "sessionID", "callID", "args", "output"}`, and the
//! changed `output`.

use std::path::PathBuf;

use super::event::{Check, Held, Holding, Object, Place, Rewritten, Saved, are_texts};
use super::{Found, reading};

/// Where it saves output that it cuts, below the folder for data of programs.
const SAVED: &str = "opencode/tool-output";

/// What it puts after the beginning of an output, with how much of what is missing, and before the path.
const REST: &str = " truncated...\n\nThe tool call succeeded but the output was truncated. Full output saved to: ";

/// What it puts before the end of a command's output.
const CUT: &str = "...output truncated...\n\nFull output saved to: ";

/// What the event holds.
pub(super) fn held<'a>(event: &Object<'a>) -> Found<'a> {
    let (Some(tool), Some(output)) = (event.text("tool"), event.object("output")) else { return Ok(None) };
    let arguments = event.raw("args").unwrap_or("{}");
    let Some(text) = output.raw_text("output") else {
        // A whole CallToolResult. Where there is more than text, all of it stays.
        let is_result = output.raw("content").is_some_and(are_texts) && !output.is_true("isError");
        let result = event.raw("output").filter(|_| is_result);
        return Ok(result.map(|result| Held::of(tool, arguments, Holding::Here(result.into()))));
    };
    let given = Object::of(arguments);
    let argument = |name: &str| given.as_ref().and_then(|given| given.text(name)).unwrap_or_default();
    let metadata = output.object("metadata");
    let is_cut = metadata.as_ref().is_some_and(|metadata| metadata.is_true("truncated"));
    let path = || metadata.as_ref().and_then(|metadata| metadata.text("outputPath")).map(PathBuf::from);
    match &*tool {
        "bash" => {
            let failed = metadata.as_ref().and_then(|metadata| metadata.raw("exit")).is_some_and(|exit| exit != "0");
            if failed {
                return Ok(None);
            }
            let is_printed = reading::prints_a_file_to_edit(&argument("command"));
            let held = match (is_cut, path()) {
                (false, _) => Held::text(tool, arguments, text),
                (true, Some(path)) => saved(tool, arguments, path, end(&output))?,
                (true, None) => return Ok(None),
            };
            Ok(Some(Held { is_printed, ..held }))
        }
        "read" if is_cut || !reading::is_data(&argument("filePath")) => Ok(None),
        "read" if given.is_some_and(|given| given.has("offset") || given.has("limit")) => Ok(None),
        "read" => {
            // The output itself has a number before each line, so it is not JSON or CSV any more.
            let shown =
                metadata.and_then(|metadata| metadata.object("display")).and_then(|shown| shown.raw_text("text"));
            Ok(shown.map(|shown| Held { is_file: true, ..Held::text(tool, arguments, shown) }))
        }
        // A search is cut where it has enough, and keeps nothing more.
        "grep" | "webfetch" => match path().filter(|_| is_cut) {
            Some(path) => saved(tool, arguments, path, beginning(&output)).map(Some),
            None => Ok(Some(Held::text(tool, arguments, text))),
        },
        _ => Ok(None),
    }
}

/// What was saved in a file.
fn saved(tool: String, arguments: &str, path: PathBuf, check: Option<Check>) -> Result<Held<'_>, String> {
    let check = check.ok_or_else(|| format!("the output of `{tool}` does not have the shape of opencode 1.18.33"))?;
    let saved = Saved { path, place: Place::BelowData(SAVED.into()), check, may_be_blocks: false };
    Ok(Held::of(tool, arguments, Holding::Saved(saved)))
}

/// Of a command's output there is the end.
fn end(output: &Object<'_>) -> Option<Check> {
    let text = output.text("output")?;
    let (_, end) = text.strip_prefix(CUT)?.split_once("\n\n")?;
    Some(Check::EndsWith(end.to_owned()))
}

/// Of any other output there is the beginning, which may be empty, and how many bytes or lines are missing.
fn beginning(output: &Object<'_>) -> Option<Check> {
    let text = output.text("output")?;
    let (shown, missing) = text.rsplit_once(REST)?.0.rsplit_once("\n\n...")?;
    match missing.split_once(' ')? {
        (bytes, "bytes") => Some(Check::Bytes(shown.len() as u64 + bytes.parse::<u64>().ok()?)),
        (_, "lines") => Some(Check::StartsWith(shown.to_owned())),
        _ => None,
    }
}

/// The changed output.
pub(super) fn answer(event: &Object<'_>, rewritten: &Rewritten, result: &str) -> Option<String> {
    let output = event.object("output")?;
    if output.raw_text("output").is_none() {
        return Some(result.to_owned());
    }
    Some(output.with(&[("output", Some(&rewritten.string()))]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_of_an_output_is_told() {
        let rows = [
            ("\n\n...144093 bytes", Some(Check::Bytes(144_093))),
            ("ab\nc\n\n...7 bytes", Some(Check::Bytes(11))),
            ("ab\nc\n\n...7 lines", Some(Check::StartsWith("ab\nc".to_owned()))),
            ("ab\nc\n\n...7 pages", None),
            ("ab\nc\n\n...-7 bytes", None),
        ];
        for (text, expected) in rows {
            let event = format!(r#"{{"output":{}}}"#, super::super::event::quoted(&format!("{text}{REST}/f\nUse")));
            assert_eq!(beginning(&Object::of(&event).unwrap()), expected, "{text}");
        }
    }
}
