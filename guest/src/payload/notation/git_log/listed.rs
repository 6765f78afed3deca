//! Commits as MCP servers list them: `Commit:`, `Author:`, `Date:` and `Message:`, which is the last one and has lines of any
//! kind. In some lists each value is as Python prints it.

use lro_query::json::Object;

use crate::payload::notation::Reading;
use crate::payload::notation::literal::Parser;
use crate::payload::notation::output::Output;

/// Keys after the first one, as they are written and as other logs call them.
const KEYS: [(&str, &str); 3] = [("Author: ", "author"), ("Date: ", "date"), ("Message: ", MESSAGE)];

const MESSAGE: &str = "message";

/// Lines before the first commit.
const MOST_LINES_BEFORE: usize = 2;

/// Reads a list of commits.
pub(super) fn read(text: &str) -> Option<Reading<'_>> {
    if !text.lines().take(MOST_LINES_BEFORE + 1).any(|line| hash(line).is_some()) {
        return None;
    }
    let mut output = Output::of(text);
    let mut commit: Option<Commit<'_>> = None;
    let mut is_blank = true;
    let mut lines = text.lines();
    let mut number = 0;
    while let Some(line) = lines.next() {
        number += 1;
        let is_commit = |_: &&str| commit.is_none() || is_blank && has_keys(lines.clone());
        match (hash(line).filter(is_commit), &mut commit) {
            (Some(hash), _) => {
                commit.take().map_or(Some(()), |commit| commit.write(&mut output))?;
                commit = Some(Commit { lines: 1, fields: vec![("commit", hash.to_owned())], before: 0 });
            }
            (None, Some(commit)) => commit.take(line)?,
            (None, None) => output.line(number, line)?,
        }
        is_blank = line.trim().is_empty();
    }
    // The text may be cut in the last one.
    match commit {
        Some(commit) if !output.is_empty() => commit.write_all(&mut output)?,
        commit => commit.map_or(Some(()), |commit| commit.write(&mut output))?,
    }
    output.finish_sure("git-log")
}

/// The hash of a line that begins a commit.
fn hash(line: &str) -> Option<&str> {
    let hash = line.strip_prefix("Commit: ")?.trim_matches('\'');
    ((7..=64).contains(&hash.len()) && hash.bytes().all(|byte| byte.is_ascii_hexdigit())).then_some(hash)
}

/// True if what a commit has follows its hash, as far as the text goes. A paragraph of a message may name another commit.
fn has_keys<'a>(mut lines: impl Iterator<Item = &'a str>) -> bool {
    let mut commit = Commit { lines: 1, fields: Vec::new(), before: 0 };
    while commit.before < KEYS.len() {
        match lines.next() {
            Some(line) if commit.take(line).is_some() => {}
            Some(_) => return false,
            None => return commit.before > 0,
        }
    }
    true
}

struct Commit<'a> {
    lines: usize,
    fields: Vec<(&'a str, String)>,
    /// How many of the keys have been read.
    before: usize,
}

impl Commit<'_> {
    /// Takes a line; `None` for one that is no key before the message.
    fn take(&mut self, line: &str) -> Option<()> {
        self.lines += 1;
        match self.fields.last_mut() {
            Some((MESSAGE, message)) => {
                message.push('\n');
                message.push_str(line);
            }
            _ => {
                let keys = KEYS.iter().enumerate().skip(self.before);
                let mut found = keys.filter_map(|(place, (written, key))| {
                    let value = line.strip_prefix(written).or_else(|| (line == written.trim_end()).then_some(""))?;
                    Some((place, *key, value))
                });
                let (place, key, value) = found.next()?;
                self.before = place + 1;
                self.fields.push((key, value.to_owned()));
            }
        }
        Some(())
    }

    /// Writes the commit; `None` if it has no message.
    fn write(self, output: &mut Output<'_>) -> Option<()> {
        (self.before == KEYS.len()).then_some(())?;
        self.write_all(output)
    }

    /// Writes what there is of the commit.
    fn write_all(self, output: &mut Output<'_>) -> Option<()> {
        let mut record = Object::default();
        for (key, value) in &self.fields {
            let value = value.trim();
            let plain = unquoted(value).unwrap_or_else(|| value.to_owned());
            let plain = plain.strip_prefix("<git.Actor \"").and_then(|rest| rest.strip_suffix("\">")).unwrap_or(&plain);
            record.text(key, plain.trim());
        }
        output.record(self.lines, record.finish())
    }
}

/// A string as Python prints it.
fn unquoted(value: &str) -> Option<String> {
    value.starts_with(['\'', '"']).then_some(())?;
    let mut parser = Parser::of(value, usize::MAX);
    parser.read(0).ok().filter(|end| *end == value.len())?;
    serde_json::from_str(&parser.json).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::payload::notation::tests::lines_of;

    #[test]
    fn a_message_has_lines_of_any_kind() {
        let rows = [
            (
                "Commit history:\nCommit: 0123456789\nAuthor: A B\nDate: 2026-01-01 10:00:00+00:00\nMessage: One\n\nNote: it\n\nSigned-off-by: A\n\n\nCommit: 0123456780\nAuthor: C\nDate: x\nMessage: \n",
                "git-log {\"line\":1,\"text\":\"Commit history:\"}\n{\"commit\":\"0123456789\",\"author\":\"A B\",\"date\":\"2026-01-01 10:00:00+00:00\",\"message\":\"One\\n\\nNote: it\\n\\nSigned-off-by: A\"}\n{\"commit\":\"0123456780\",\"author\":\"C\",\"date\":\"x\",\"message\":\"\"}",
            ),
            (
                "Commit: '0123456789'\nAuthor: <git.Actor \"A <a@b>\">\nDate: x\nMessage: 'One\\n\\nit\\'s\\n'\n",
                "git-log {\"commit\":\"0123456789\",\"author\":\"A <a@b>\",\"date\":\"x\",\"message\":\"One\\n\\nit's\"}",
            ),
            (
                "Commit: 0123456789\nAuthor: A\nDate: x\nMessage: One\n\nCommit: x\n\nCommit: abcdef0123\nwas it\n\n\nCommit: abcdef0123\n\n\nCommit: 0123456780\nAuthor: C\nDate: x\nMessage: Two\n",
                "git-log {\"commit\":\"0123456789\",\"author\":\"A\",\"date\":\"x\",\"message\":\"One\\n\\nCommit: x\\n\\nCommit: abcdef0123\\nwas it\\n\\n\\nCommit: abcdef0123\"}\n{\"commit\":\"0123456780\",\"author\":\"C\",\"date\":\"x\",\"message\":\"Two\"}",
            ),
            (
                "Commit: 0123456789\nAuthor: A\nDate: x\nMessage: One\n\nCommit: 0123456780\nAuthor: C\n",
                "git-log {\"commit\":\"0123456789\",\"author\":\"A\",\"date\":\"x\",\"message\":\"One\"}\n{\"commit\":\"0123456780\",\"author\":\"C\"}",
            ),
            ("Commit: 0123456789\nAuthor: A\nOther: x\nMessage: y\n", ""),
            ("Commit: 0123456789\nAuthor: A\n", ""),
            ("Commit: to it\nAuthor: A\nMessage: y\n", ""),
        ];
        for (text, expected) in rows {
            assert_eq!(lines_of(read(text)), expected, "{text}");
        }
    }
}
