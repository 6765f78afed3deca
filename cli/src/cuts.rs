//! What a coding agent shows its model of a result when nothing is offloaded: most cut a large one themselves.
//!
//! The rules are those of the versions in docs/CLIENTS.md, where the real programs were measured. Lengths are what counts
//! here: a notice of a client is as long as the real one, with a path of usual length.

use std::borrow::Cow;

use lro_clients::hook::Client;

/// A client whose cuts are known, or any other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Cutter {
    Claude,
    Codex,
    Gemini,
    Opencode,
    /// It is taken to show everything.
    Other,
}

/// What returned a result: commands and servers are cut differently.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Origin {
    Command,
    Server,
    /// A tool of the client's own.
    Client,
}

impl Origin {
    /// Of a tool by the name that a client has for it. Over MCP, every tool is a server's.
    pub(crate) fn of(tool: &str) -> Self {
        match tool {
            "Bash" | "PowerShell" | "bash" | "run_shell_command" => Self::Command,
            tool if tool.starts_with("mcp__") || tool.starts_with("mcp_") => Self::Server,
            _ => Self::Client,
        }
    }
}

/// Claude Code 2.1.330 estimates four characters a token, and saves results of servers above 25,000.
const CLAUDE_SERVER_CHARACTERS: usize = 100_000;
const CLAUDE_COMMAND_CHARACTERS: usize = 30_000;
/// What it shows of a command's output that it has saved.
const CLAUDE_PREVIEW_CHARACTERS: usize = 2000;

/// Codex 0.169.0 keeps half of this at each end.
const CODEX_SERVER_CHARACTERS: usize = 12_000;
const CODEX_COMMAND_CHARACTERS: usize = 10_000;

/// Gemini CLI 0.61.0 keeps these two ends.
const GEMINI_ENDS: [usize; 2] = [8000, 32_000];

/// opencode 1.18.33 keeps whole lines of the beginning, or of a command's end, up to this.
const OPENCODE_BYTES: usize = 50 * 1024;

/// The path of a saved file, as long as they are.
const SAVED: &str = "/home/user/.claude/projects/-home-user-projects-name/\
                     00000000-0000-0000-0000-000000000000/tool-results/mcp-server-tool-1700000000000-abcdef.txt";

impl Cutter {
    /// A client with hooks.
    pub(crate) fn of(client: Client) -> Self {
        match client {
            Client::Claude => Self::Claude,
            Client::Codex => Self::Codex,
            Client::Gemini => Self::Gemini,
            Client::Opencode => Self::Opencode,
            Client::Cursor => Self::Other,
        }
    }

    /// The client that introduces itself over MCP by this name.
    pub(crate) fn named(name: &str) -> Self {
        let is = |part: &str| name.to_ascii_lowercase().contains(part);
        match () {
            () if is("claude-code") || is("claude code") => Self::Claude,
            () if is("codex") => Self::Codex,
            () if is("gemini") => Self::Gemini,
            () if is("opencode") => Self::Opencode,
            () => Self::Other,
        }
    }

    /// What the model would see of a result's whole text.
    pub(crate) fn shown(self, origin: Origin, text: &str) -> Cow<'_, str> {
        let characters = text.chars().count();
        match (self, origin) {
            (Self::Claude, Origin::Server) if characters > CLAUDE_SERVER_CHARACTERS => claude_notice(characters).into(),
            (Self::Claude, Origin::Command) if characters > CLAUDE_COMMAND_CHARACTERS => claude_preview(text).into(),
            (Self::Codex, Origin::Command) => both_ends(text, characters, [CODEX_COMMAND_CHARACTERS / 2; 2]),
            (Self::Codex, _) => both_ends(text, characters, [CODEX_SERVER_CHARACTERS / 2; 2]),
            (Self::Gemini, _) => both_ends(text, characters, GEMINI_ENDS),
            (Self::Opencode, _) if text.len() > OPENCODE_BYTES => opencode_lines(text, origin).into(),
            _ => text.into(),
        }
    }
}

/// The two ends of a text, and how much is missing between them.
fn both_ends(text: &str, characters: usize, [first, last]: [usize; 2]) -> Cow<'_, str> {
    if characters <= first + last {
        return text.into();
    }
    let at = |index: usize| text.char_indices().nth(index).map_or(text.len(), |(at, _)| at);
    let (head, tail) = (&text[..at(first)], &text[at(characters - last)..]);
    format!("{head}…{} chars truncated…{tail}", characters - first - last).into()
}

fn claude_notice(characters: usize) -> String {
    format!(
        "Error: result ({characters} characters) exceeds maximum allowed tokens. Output has been saved to {SAVED}.\n\
Format: Plain text\n\
Search within the file for specific content, and use jq if the content is JSON.\n\
REQUIREMENTS FOR SUMMARIZATION/ANALYSIS/REVIEW:\n\
- You MUST read the content from the file at {SAVED} in sequential chunks until 100% of the content has been read.\n\
- Note: this file's lines are too long for Read's offset/limit chunking. If a shell tool is available, slice by character \
range (e.g. python read()[A:B], dd, or cut -c) instead.\n\
- If you receive truncation warnings when reading the file, reduce the chunk size until you have read 100% of the content \
without truncation.\n\
- Before producing ANY summary or analysis, you MUST explicitly describe what portion of the content you have read. ***If \
you did not read the entire content, you MUST explicitly state this.***\n\
- If after a few attempts you cannot read the file (file not found, lines too long for Read's offset/limit, no shell \
access), STOP retrying. Summarize what you were able to read, explicitly state which portion you could not read and why, \
and proceed.\n"
    )
}

fn claude_preview(text: &str) -> String {
    let preview: String = text.chars().take(CLAUDE_PREVIEW_CHARACTERS).collect();
    let kilobytes = text.len() / 1024;
    format!(
        "<persisted-output>\nOutput too large ({kilobytes}.0KB). Full output saved to: {SAVED}\n\nPreview (first 2KB):\n\
         {preview}\n...\n</persisted-output>"
    )
}

fn opencode_lines(text: &str, origin: Origin) -> String {
    let room = |lines: &mut dyn Iterator<Item = &str>| {
        let mut left = OPENCODE_BYTES;
        let mut kept: Vec<String> = Vec::new();
        for line in lines {
            let Some(rest) = left.checked_sub(line.len() + 1) else { break };
            left = rest;
            kept.push(line.to_owned());
        }
        kept
    };
    if origin == Origin::Command {
        let end: String = text.chars().rev().take(OPENCODE_BYTES).collect();
        let end: String = end.chars().rev().collect();
        return format!("...output truncated...\n\nFull output saved to: {SAVED}\n\n{end}");
    }
    let kept = room(&mut text.lines()).join("\n");
    format!(
        "{kept}\n\n...{} bytes truncated...\n\nThe tool call succeeded but the output was truncated. Full output saved to: \
         {SAVED}\nUse Grep to search the full content or Read with offset/limit to view specific sections.",
        text.len() - kept.len()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_shows_what_was_measured() {
        let list: String = (0..1000).map(|number| format!("{{\"id\":{number},\"{}\":1}},", "x".repeat(130))).collect();
        let shown = |cutter: Cutter, origin| cutter.shown(origin, &list).chars().count();
        assert!((1300..1500).contains(&shown(Cutter::Claude, Origin::Server)));
        assert!((2150..2300).contains(&shown(Cutter::Claude, Origin::Command)));
        assert_eq!(shown(Cutter::Claude, Origin::Client), list.len());
        assert!((12_000..12_040).contains(&shown(Cutter::Codex, Origin::Server)));
        assert!((10_000..10_040).contains(&shown(Cutter::Codex, Origin::Command)));
        assert!((40_000..40_040).contains(&shown(Cutter::Gemini, Origin::Command)));
        assert!(shown(Cutter::Opencode, Origin::Server) < 500, "one line does not fit");
        assert!((51_200..51_500).contains(&shown(Cutter::Opencode, Origin::Command)));
        assert_eq!(shown(Cutter::Other, Origin::Server), list.len());
    }

    #[test]
    fn what_is_small_is_shown_whole() {
        for cutter in [Cutter::Claude, Cutter::Codex, Cutter::Gemini, Cutter::Opencode, Cutter::Other] {
            assert_eq!(cutter.shown(Origin::Server, "é".repeat(9000).as_str()).chars().count(), 9000, "{cutter:?}");
        }
        assert_eq!(Cutter::named("Codex-MCP-client"), Cutter::Codex);
        assert_eq!(Cutter::named("claude-ai"), Cutter::Other);
    }
}
