//! Strategies of systems that are not ours, after their rules: everything inline, a page, a cut text, a saved path.
//!
//! Their tools are simulated over the result of the real server. Who reads makes no mistakes: an answer is right as
//! soon as everything that it needs has been read, also where a person or a model would have to count hundreds of records.

use serde_json::json;

use super::Played;
use crate::tasks::conversation::Conversation;
use crate::tasks::documents::Raw;
use crate::tasks::reader;
use crate::tasks::task::{Kind, Task};

/// Bytes of the head and of the tail that are kept: Codex keeps 12 KB of a result.
const KEPT: usize = 6 * 1024;
/// Bytes of the preview beside a saved path.
const PREVIEW: usize = 2 * 1024;
/// Lines of a chunk.
const CHUNK: usize = 2000;
/// Records of the first page.
const PAGE: usize = 5;

/// The whole result.
pub fn inline(raw: &Raw, task: &Task) -> Played {
    let conversation = Conversation::begin(&raw.document.tool, &raw.arguments, &raw.text);
    Played { answer: Some(task.answer.clone()), conversation }
}

/// The first records alone, as tools with pages give them: five, and whether there are more.
pub fn page(raw: &Raw, task: &Task) -> Played {
    let records = raw.records(task.want.list.as_deref());
    let shown = &records[..records.len().min(PAGE)];
    let result = json!({"results": shown, "has_more": records.len() > PAGE}).to_string();
    let conversation = Conversation::begin(&raw.document.tool, &raw.arguments, &result);
    let is_enough = reads_enough(raw, task, |place| place < PAGE) || records.len() <= PAGE;
    Played { answer: is_enough.then(|| task.answer.clone()), conversation }
}

/// The head and the tail of the result; what was between them is gone.
pub fn cut(raw: &Raw, task: &Task) -> Played {
    let text = &raw.text;
    if text.len() <= 2 * KEPT {
        return inline(raw, task);
    }
    let (head, tail) = (text.floor_char_boundary(KEPT), text.ceil_char_boundary(text.len() - KEPT));
    let result = format!("{}\n… {} bytes omitted …\n{}", &text[..head], tail - head, &text[tail..]);
    let conversation = Conversation::begin(&raw.document.tool, &raw.arguments, &result);
    let places = raw.places(task.want.list.as_deref());
    let is_seen = |place: usize| places[place].end <= head || places[place].start >= tail;
    Played { answer: reads_enough(raw, task, is_seen).then(|| task.answer.clone()), conversation }
}

/// A path and a preview; then the file in chunks, until what is looked for has been read, or all of it.
pub fn chunks(raw: &Raw, task: &Task) -> Played {
    let text = &raw.text;
    let path = "/home/ada/.agent/tool-results/read_text_file-7f3a9c.txt";
    let preview = &text[..text.floor_char_boundary(PREVIEW)];
    let result = format!(
        "Output too large ({} KB). Full output saved to: {path}\n\nPreview (first 2 KB):\n{preview}\n…",
        text.len() / 1024
    );
    if text.len() <= result.len() {
        return inline(raw, task);
    }
    let mut conversation = Conversation::begin(&raw.document.tool, &raw.arguments, &result);
    let places = raw.places(task.want.list.as_deref());
    let mut read = preview.len();
    let (mut at, mut line) = (0, 1);
    while at < text.len() && !reads_enough(raw, task, |place| places[place].end <= read) {
        let chunk: String = text[at..].split_inclusive('\n').take(CHUNK).collect();
        let arguments = json!({"file_path": path, "offset": line, "limit": CHUNK});
        conversation.turn("Read", &arguments, &chunk);
        (at, line) = (at + chunk.len(), line + CHUNK);
        read = read.max(at);
    }
    Played { answer: Some(task.answer.clone()), conversation }
}

/// True when a reader of some records has the answer: a question about one record that exists needs that record, every
/// other one needs all of them.
pub fn reads_enough(raw: &Raw, task: &Task, is_seen: impl Fn(usize) -> bool) -> bool {
    let records = raw.records(task.want.list.as_deref());
    let needed = reader::needed(&task.want, &records);
    let is_about_one = matches!(task.kind, Kind::LookUp | Kind::Record | Kind::Around);
    if is_about_one && !needed.is_empty() { needed.into_iter().all(is_seen) } else { (0..records.len()).all(is_seen) }
}
