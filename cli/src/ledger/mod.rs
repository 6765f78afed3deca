//! The ledger: figures of what offloading saves and costs, a line of JSON for each result. It is off unless asked for, and
//! has no contents, no arguments and no paths.
//!
//! A result that stays as it is costs the same with and without, so its tokens are not counted, and a call that changes
//! nothing stays fast. Counted is what was replaced, as the client would have shown it, and what took its place.

mod file;
pub(crate) mod line;

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use clap::Args;
use lro::Lro;
use serde_json::Value;

use self::line::{Line, Outcome};
use crate::counting::Counter;
use crate::cuts::{Cutter, Origin};
use crate::output;

/// The flag that switches the ledger on.
#[derive(Args, Clone, Default)]
pub(crate) struct LedgerFlag {
    /// Append figures of what is saved and lost to this file, for lro stats: tokens and names of tools, no contents
    #[arg(long, value_name = "FILE", env = "LRO_LEDGER", hide_env_values = true)]
    ledger: Option<PathBuf>,
}

/// A ledger that lines may be written to. Clones write to the same.
#[derive(Clone, Default)]
pub(crate) struct Ledger {
    file: Option<Arc<PathBuf>>,
    counter: Arc<OnceLock<Option<Counter>>>,
}

/// Counts in the component that is open anyway: it is off by 5 % on average, and exact counts would load another one.
pub(crate) const TOKENIZER: &str = "mixed";

impl LedgerFlag {
    /// The ledger that the flag names, or one that takes nothing.
    pub(crate) fn ledger(&self) -> Ledger {
        Ledger { file: self.ledger.clone().map(Arc::new), counter: Arc::default() }
    }
}

impl Ledger {
    pub(crate) fn is_on(&self) -> bool {
        self.file.is_some()
    }

    /// Notes a result that stays as it is.
    pub(crate) fn inline(&self, client: &str, tool: &str, bytes: usize) {
        self.append(Line { bytes: Some(bytes as u64), ..Line::of(Outcome::Inline, client, tool) });
    }

    /// Notes a result that something shorter has replaced: `text` is its own, and `replacement` what the model gets.
    pub(crate) fn replaced(
        &self,
        lro: &Lro,
        outcome: Outcome,
        (client, cutter, origin): (&str, Cutter, Origin),
        tool: &str,
        (text, replacement): (&str, &str),
    ) {
        let Some(counter) = self.counter(lro) else { return };
        let tokens = |text: &str| counter.tokens(text).ok();
        self.append(Line {
            bytes: Some(text.len() as u64),
            before: tokens(&cutter.shown(origin, text)),
            after: tokens(replacement),
            ..Line::of(outcome, client, tool)
        });
    }

    /// Notes a call of one of our tools that read an offloaded file, by its arguments and its answer, a CallToolResult.
    pub(crate) fn extraction(&self, lro: &Lro, client: &str, arguments: &str, answer: &str) {
        let Some(counter) = self.counter(lro) else { return };
        let tokens = counter.tokens(arguments).ok().zip(counter.tokens(&text_of(answer)).ok());
        let after = tokens.map(|(asked, answered)| asked + answered);
        let operation = operation_of_arguments(arguments);
        self.append(Line { after, ..Line::of(Outcome::Extracted, client, &operation) });
    }

    fn counter(&self, lro: &Lro) -> Option<&Counter> {
        self.file.as_ref()?;
        self.counter.get_or_init(|| Counter::of(TOKENIZER, Some(lro)).ok()).as_ref()
    }

    /// Appends a line. What cannot be written is told once, and holds nothing up.
    fn append(&self, line: Line) {
        let Some(path) = &self.file else { return };
        if let Err(error) = file::append(path, &line.to_text()) {
            file::once(|| output::remark(&format!("nothing is written to the ledger `{}`: {error}", path.display())));
        }
    }
}

/// The tool whose file the arguments of a call name, by any of the names that our tools have for it.
fn operation_of_arguments(arguments: &str) -> String {
    let arguments: Value = serde_json::from_str(arguments).unwrap_or_default();
    let file = ["file_path", "artifact_id", "filename"].into_iter().find_map(|key| arguments[key].as_str());
    operation_of(file.unwrap_or_default()).to_owned()
}

/// What a model reads of a CallToolResult: its structured content, which clients prefer, or its texts.
pub(crate) fn text_of(result: &str) -> String {
    let Ok(result) = serde_json::from_str::<Value>(result) else { return String::new() };
    if let Some(structured) = result.get("structuredContent").filter(|structured| !structured.is_null()) {
        return structured.to_string();
    }
    let blocks = result["content"].as_array().into_iter().flatten();
    blocks.filter_map(|block| block["text"].as_str()).collect::<Vec<_>>().join("\n")
}

/// The tool whose result a file of ours holds, as its name says: `mcp_a_list` of `…/atlatl-mcp_a_list-01M8….jsonl`, or of an
/// id. A name that says nothing is one of another system.
fn operation_of(file: &str) -> &str {
    let name = file.rsplit(['/', '\\']).next().unwrap_or_default();
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let parts = stem.rsplit_once(['-', '_']).and_then(|(rest, _)| rest.split_once(['-', '_']));
    parts.map_or("(another)", |(_, operation)| operation)
}

#[cfg(test)]
mod tests {
    use super::operation_of;

    #[test]
    fn the_name_of_a_file_says_which_tool() {
        let rows = [
            ("/tmp/lro-0/atlatl-list_issues-01M82MH9MY1M68DV2VA9T2CTXD.jsonl", "list_issues"),
            ("lro://shared/atlatl-mcp-a-list-01M82MH9MY1M68DV2VA9T2CTXD.txt", "mcp-a-list"),
            ("art_list_issues_01m82mh9my1m68dv2va9t2ctxd", "list_issues"),
            ("", "(another)"),
            ("x.jsonl", "(another)"),
        ];
        for (file, expected) in rows {
            assert_eq!(operation_of(file), expected, "{file}");
        }
    }
}
