//! The response as mcpagent's message (READ-08): where the result is, how it begins, and which tools read it.

use std::borrow::Cow;

use lro_query::json::escape_hidden;
use serde::Serialize;
use serde_json::Value;

use super::envelope::{shape_of, shape_of_text};
use super::{Part, Wanted, written};
use crate::file::header::Header;
use crate::offload::contents::Lists;
use crate::offload::guidance;
use crate::payload::plain_text::Text;
use crate::settings::{GuidanceKind, Settings};

/// How much of a result is shown where nothing else is said: half of mcpagent's threshold.
const PREVIEW_CHARACTERS: u32 = 5000;

#[derive(Debug, Serialize)]
struct Message<'a> {
    offloaded: bool,
    message: String,
    file_path: &'a str,
    shape: Value,
    instructions: String,
    /// The characters that a read from the first one on returns.
    #[serde(skip_serializing_if = "String::is_empty")]
    preview: String,
}

/// Renders the message of a document.
pub(super) fn of_lists(settings: &Settings, lists: &Lists<'_>, parts: &[Part<'_>], wanted: &Wanted) -> String {
    let Part { header, records, file_path } = parts[lists.main];
    let lines = records.texts.iter().flat_map(|text| [text, Cow::Borrowed("\n")]);
    rendered(settings, header, file_path, shape_of(lists), lines, wanted)
}

/// Renders the message of a text.
pub(super) fn of_text(
    settings: &Settings,
    header: &Header,
    text: &Text<'_>,
    file_path: &str,
    wanted: &Wanted,
) -> String {
    rendered(settings, header, file_path, shape_of_text(header), std::iter::once(Cow::Borrowed(text.text)), wanted)
}

fn rendered<'a>(
    settings: &Settings,
    header: &Header,
    file_path: &str,
    shape: Value,
    pieces: impl Iterator<Item = Cow<'a, str>>,
    wanted: &Wanted,
) -> String {
    let most = wanted.preview_characters.unwrap_or(PREVIEW_CHARACTERS) as usize;
    let preview = beginning(pieces, most);
    let name = file_path.rsplit(['/', settings.separator()]).next().unwrap_or(file_path);
    let (bytes, tokens) = (wanted.size.bytes, header.estimated_tokens);
    let shown = preview.chars().count();
    let instructions = match settings.guidance {
        GuidanceKind::Tool if !settings.has_plain_tools() => {
            format!("Use `{}` with this file_path.", settings.query_tool())
        }
        GuidanceKind::Tool => guidance::accesses(settings),
        GuidanceKind::Shell => "The first line of the file is a header; read what follows in a shell.".to_owned(),
    };
    escape_hidden(written(&Message {
        offloaded: true,
        message: format!(
            "Tool output was large and saved to file: {name} ({bytes} bytes, ~{tokens} tokens). `preview` has its first {shown} characters."
        ),
        file_path,
        shape,
        instructions,
        preview,
    }))
}

/// The first characters of some pieces.
fn beginning<'a>(pieces: impl Iterator<Item = Cow<'a, str>>, most: usize) -> String {
    let (mut text, mut room) = (String::new(), most);
    for piece in pieces {
        if room == 0 {
            break;
        }
        match piece.char_indices().nth(room) {
            Some((end, _)) => {
                text.push_str(&piece[..end]);
                room = 0;
            }
            None => {
                room -= piece.chars().count();
                text.push_str(&piece);
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_beginning_has_so_many_characters() {
        let of = |most| beginning(["é1", "\n", "日本"].into_iter().map(Cow::Borrowed), most);
        assert_eq!([of(0), of(1), of(2), of(4), of(9)], ["", "é", "é1", "é1\n日", "é1\n日本"]);
    }
}
