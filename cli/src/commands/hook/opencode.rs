//! opencode: what a plugin gets at `tool.execute.after`, as `{"tool", "sessionID", "callID", "args", "output"}`, and the
//! changed `output`.

use std::path::PathBuf;

use super::event::{Check, Held, Holding, Object, Place, Rewritten, Saved, are_texts};
use super::{Found, reading};

/// Where it saves output that it cuts, below the folder for data of programs.
const SAVED: &str = "opencode/tool-output";

/// What it puts before the end of such an output.
const CUT: &str = "...output truncated...\n\nFull output saved to: ";

/// What the event holds.
pub(super) fn held<'a>(event: &Object<'a>) -> Found<'a> {
    let (Some(tool), Some(output)) = (event.text("tool"), event.object("output")) else { return Ok(None) };
    let arguments = event.raw("args").unwrap_or("{}");
    let Some(text) = output.raw_text("output") else {
        // A whole CallToolResult. Where there is more than text, all of it stays.
        let is_result = output.raw("content").is_some_and(are_texts) && !output.is_true("isError");
        let result = event.raw("output").filter(|_| is_result);
        return Ok(result.map(|result| Held { tool, arguments, result: Holding::Here(result.into()), is_file: false }));
    };
    let given = Object::of(arguments);
    let argument = |name: &str| given.as_ref().and_then(|given| given.text(name)).unwrap_or_default();
    let metadata = output.object("metadata");
    let is_cut = metadata.as_ref().is_some_and(|metadata| metadata.is_true("truncated"));
    match &*tool {
        "bash" => {
            let failed = metadata.as_ref().and_then(|metadata| metadata.raw("exit")).is_some_and(|exit| exit != "0");
            if failed || reading::prints_a_file_to_edit(&argument("command")) {
                return Ok(None);
            }
            let path = metadata.and_then(|metadata| metadata.text("outputPath"));
            match (is_cut, path) {
                (false, _) => Ok(Some(Held::text(tool, arguments, text))),
                (true, Some(path)) => saved(tool, arguments, &output, path.into()).map(Some),
                (true, None) => Ok(None),
            }
        }
        "read" if is_cut || !reading::is_data(&argument("filePath")) => Ok(None),
        "read" if given.is_some_and(|given| given.has("offset") || given.has("limit")) => Ok(None),
        "read" => {
            // With numbers of lines it is no data.
            let shown =
                metadata.and_then(|metadata| metadata.object("display")).and_then(|shown| shown.raw_text("text"));
            Ok(shown.map(|shown| Held { is_file: true, ..Held::text(tool, arguments, shown) }))
        }
        "grep" | "webfetch" => Ok(Some(Held::text(tool, arguments, text))),
        _ => Ok(None),
    }
}

/// What was saved in a file, of which the output still has the end.
fn saved<'a>(tool: String, arguments: &'a str, output: &Object<'_>, path: PathBuf) -> Result<Held<'a>, String> {
    let text = output.text("output").unwrap_or_default();
    let end = text.strip_prefix(CUT).and_then(|rest| rest.split_once("\n\n"));
    let (_, end) = end.ok_or("the output of a command does not have the shape of opencode 1.18.33")?;
    let place = Place::BelowData(SAVED);
    let saved = Saved { path, place, check: Check::EndsWith(end.to_owned()), may_be_blocks: false };
    Ok(Held { tool, arguments, result: Holding::Saved(saved), is_file: false })
}

/// The changed output.
pub(super) fn answer(event: &Object<'_>, rewritten: &Rewritten, result: &str) -> Option<String> {
    let output = event.object("output")?;
    if output.raw_text("output").is_none() {
        return Some(result.to_owned());
    }
    Some(output.with(&[("output", Some(&rewritten.string()))]))
}
