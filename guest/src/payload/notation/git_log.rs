//! What `git log` and `git show` print: a record for each commit, and one for each file of its diff.

mod listed;
mod raw;
mod short;

use std::borrow::Cow;

use lro_query::json::Object;

use self::raw::RawHeaders;
use super::Reading;
use super::changed_by::ChangedBy;
use super::changes::Changes;
use super::diff::{Diff, marks_words};
use super::moments::of_git;
use super::output::Output;

/// Headers of a commit, as they are written and as they are called in a record.
const HEADERS: [(&str, &str); 7] = [
    ("Author:", "author"),
    ("AuthorDate:", "date"),
    ("Date:", "date"),
    ("Commit:", "committer"),
    ("CommitDate:", "commit_date"),
    ("Merge:", "merge"),
    ("Reflog:", "reflog"),
];

/// Reads a log.
pub(super) fn read(text: &str) -> Option<Reading<'_>> {
    if !text.lines().filter(|line| !line.trim().is_empty()).take(3).any(|line| hash(line).is_some()) {
        return listed::read(text).or_else(|| short::read(text));
    }
    let mut output = Output::of(text);
    let by_words = marks_words(text);
    let mut commit: Option<Commit<'_>> = None;
    let mut place = 0;
    for (i, line) in text.split_inclusive('\n').enumerate() {
        let start = place;
        place += line.len();
        let line = line.trim_end_matches(['\n', '\r']);
        if let Some((hash, refs)) = hash(line) {
            commit.take().map_or(Some(()), |commit| commit.write(&text[..start], by_words, &mut output))?;
            commit = Some(Commit { hash, refs, ..Commit::default() });
        }
        match &mut commit {
            Some(commit) => commit.take(line, i + 1, start),
            None => output.line(i + 1, line)?,
        }
    }
    commit.map_or(Some(()), |commit| commit.write(text, by_words, &mut output))?;
    output.finish_sure("git-log")
}

/// The hash of a line that begins a commit, and the rest of the line.
fn hash(line: &str) -> Option<(&str, &str)> {
    let rest = line.strip_prefix("commit ")?;
    let (hash, refs) = rest.split_once(' ').unwrap_or((rest, ""));
    let is_hash = (7..=64).contains(&hash.len()) && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
    let are_refs = refs.is_empty() || refs.starts_with('(') && refs.ends_with(')');
    (is_hash && are_refs).then_some((hash, refs))
}

/// What is known of a commit.
#[derive(Debug, Default)]
struct Commit<'a> {
    hash: &'a str,
    refs: &'a str,
    headers: Vec<(&'static str, &'a str)>,
    raw: RawHeaders<'a>,
    /// A blank line ended the headers.
    has_ended_headers: bool,
    message: String,
    /// What follows the message, as statistics.
    text: String,
    /// The line that the diff begins with, and its place.
    diff: Option<(usize, usize)>,
    lines: usize,
}

impl<'a> Commit<'a> {
    fn take(&mut self, line: &'a str, number: usize, start: usize) {
        if self.diff.is_some() {
            return;
        }
        if line.starts_with("diff --") {
            self.diff = Some((number, start));
            return;
        }
        self.lines += 1;
        let is_first = self.lines == 1;
        self.has_ended_headers |= line.is_empty() && !self.raw.is_open();
        let header = HEADERS.iter().find_map(|(written, key)| Some((*key, line.strip_prefix(written)?.trim())));
        match (header, line.strip_prefix("    ")) {
            _ if is_first => {}
            _ if !self.has_ended_headers && self.raw.take(line) => {}
            (Some(header), _) if self.message.is_empty() && self.text.is_empty() => self.headers.push(header),
            (_, Some(message)) if self.text.is_empty() => push_line(&mut self.message, message),
            // The message has blank lines too.
            _ if line.is_empty() && self.text.is_empty() => push_line(&mut self.message, ""),
            _ => push_line(&mut self.text, line),
        }
    }

    /// Writes the commit, which ends with this text.
    fn write(self, text: &'a str, by_words: bool, output: &mut Output<'a>) -> Option<()> {
        let mut record = Object::default();
        record.text("commit", self.hash);
        if !self.refs.is_empty() {
            record.text("refs", self.refs.trim_matches(['(', ')']));
        }
        let plain = self.headers.iter().map(|(key, value)| {
            let moment = key.ends_with("date").then(|| of_git(value)).flatten();
            (*key, moment.map_or(Cow::Borrowed(*value), Cow::Owned))
        });
        let fields: Vec<(&str, Cow<'_, str>)> = plain.chain(self.raw.fields()).collect();
        fields.iter().for_each(|(key, value)| record.text(key, value));
        let field = |name: &str| fields.iter().find(|(key, _)| *key == name).map(|(_, value)| &**value);
        let message = self.message.trim();
        record.text("message", message);
        let mut changes = Changes::of(&self.text);
        if let Some(changes) = &mut changes {
            changes.sum(&mut record);
        }
        if !self.text.trim().is_empty() && changes.as_ref().is_none_or(|changes| changes.has_notes) {
            record.text("text", self.text.trim_matches('\n'));
        }
        output.record(self.lines, record.finish())?;
        let subject = message.lines().next();
        let commit = ChangedBy { hash: self.hash, author: field("author"), date: field("date"), subject };
        let (first, start) = self.diff.unwrap_or((0, text.len()));
        Diff { text: &text[start..], first, commit, changes: changes.unwrap_or_default(), by_words }.write(output)
    }
}

fn push_line(text: &mut String, line: &str) {
    if !text.is_empty() || !line.is_empty() {
        text.push_str(line);
        text.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::payload::notation::tests::lines_of;

    #[test]
    fn a_commit_begins_with_its_hash_and_perhaps_refs() {
        let rows = [
            ("commit 0123456", Some(("0123456", ""))),
            ("commit 0123456 (HEAD -> main)", Some(("0123456", "(HEAD -> main)"))),
            ("commit 012345", None),
            ("commit decades", None),
            ("commit 0123456 fixes it", None),
            ("commit 0123456 (HEAD", None),
            ("commit 0123456 main)", None),
        ];
        for (line, expected) in rows {
            assert_eq!(hash(line), expected, "{line}");
        }
    }

    #[test]
    fn commits_become_records() {
        let rows = [
            (
                "commit 0123456789abcdef (HEAD -> main)\nMerge: 01 02\nAuthor: A B <a@b>\nDate:   Mon Sep 7 12:00:05 2026 +0200\n\n    One\n\n    Date: no\n\ncommit 0123456789abcde0\nAuthor: C\n\n    Two\n\n a.rs | 2 +-\n 1 file changed, 1 insertion(+), 1 deletion(-)\n\ncommit 0123456789abcde1\n\n    Three\n\nR090\ta.rs\tb.rs\n\ncommit 0123456789abcde2\n\n    Four\n\n3\t0\tc.rs\nx\n\ncommit 0123456789abcde3\n\n    Five\n\n 2 files changed, 1 deletion(-)\n",
                "git-log {\"commit\":\"0123456789abcdef\",\"refs\":\"HEAD -> main\",\"merge\":\"01 02\",\"author\":\"A B <a@b>\",\"date\":\"2026-09-07T12:00:05+02:00\",\"message\":\"One\\n\\nDate: no\"}\n{\"commit\":\"0123456789abcde0\",\"author\":\"C\",\"message\":\"Two\",\"files\":1,\"insertions\":1,\"deletions\":1}\n{\"commit\":\"0123456789abcde0\",\"file\":\"a.rs\",\"changes\":2,\"bar\":\"+-\"}\n{\"commit\":\"0123456789abcde1\",\"message\":\"Three\"}\n{\"commit\":\"0123456789abcde1\",\"status\":\"renamed\",\"file\":\"b.rs\",\"old\":\"a.rs\",\"similarity\":90}\n{\"commit\":\"0123456789abcde2\",\"message\":\"Four\",\"text\":\"3\\t0\\tc.rs\\nx\"}\n{\"commit\":\"0123456789abcde3\",\"message\":\"Five\",\"files\":2,\"deletions\":1}",
            ),
            (
                "commit 0123456789abcdef\nAuthor: A\n\n    One\n\ndiff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n\ncommit 0123456789abcde0\nAuthor: B\n",
                "git-log {\"commit\":\"0123456789abcdef\",\"author\":\"A\",\"message\":\"One\"}\n{\"commit\":\"0123456789abcdef\",\"file\":\"x\",\"old\":\"x\",\"status\":\"modified\",\"added\":1,\"deleted\":1,\"hunks\":1,\"binary\":false,\"line\":6,\"commit_author\":\"A\",\"subject\":\"One\",\"text\":\"diff --git a/x b/x\\n--- a/x\\n+++ b/x\\n@@ -1 +1 @@\\n-a\\n+b\\n\"}\n{\"commit\":\"0123456789abcde0\",\"author\":\"B\",\"message\":\"\"}",
            ),
            (
                "commit 0123456789abcdef\ntree 01\nparent 02\nauthor A <a@b> 0 +0000\ncommitter C <c@d> 60 +0000\ngpgsig x\n y\n\n    One\n    \n    tree x\n\ncommit 0123456789abcde0\ntree 03\n\n    Two\n",
                "git-log {\"commit\":\"0123456789abcdef\",\"tree\":\"01\",\"parents\":\"02\",\"author\":\"A <a@b>\",\"date\":\"1970-01-01T00:00:00+00:00\",\"committer\":\"C <c@d>\",\"commit_date\":\"1970-01-01T00:01:00+00:00\",\"gpgsig\":\"x\\ny\",\"message\":\"One\\n\\ntree x\"}\n{\"commit\":\"0123456789abcde0\",\"tree\":\"03\",\"message\":\"Two\"}",
            ),
            (
                "commit 0123456789abcdef\ntree 01\nauthor A <a@b> 0 +0000\ngpgsig -----BEGIN PGP SIGNATURE-----\n\n x\n -----END PGP SIGNATURE-----\n\n    One\n",
                "git-log {\"commit\":\"0123456789abcdef\",\"tree\":\"01\",\"author\":\"A <a@b>\",\"date\":\"1970-01-01T00:00:00+00:00\",\"gpgsig\":\"-----BEGIN PGP SIGNATURE-----\\n\\nx\\n-----END PGP SIGNATURE-----\",\"message\":\"One\"}",
            ),
            (
                "commit 0123456789abcdef\nAuthor: A\n\n    One\n---\n .../a.rs | 2 +-\n m.rs     | 1 +\n x.png    | Bin 0 -> 3 bytes\n 3 files changed, 2 insertions(+), 1 deletion(-)\n\ndiff --git a/x/a.rs b/x/a.rs\n--- a/x/a.rs\n+++ b/x/a.rs\n@@ -1 +1 @@\n-a\n+b\ndiff --git a/x.png b/x.png\nBinary files a/x.png and b/x.png differ\n",
                "git-log {\"commit\":\"0123456789abcdef\",\"author\":\"A\",\"message\":\"One\",\"files\":3,\"insertions\":2,\"deletions\":1}\n{\"commit\":\"0123456789abcdef\",\"file\":\"x/a.rs\",\"old\":\"x/a.rs\",\"status\":\"modified\",\"added\":1,\"deleted\":1,\"hunks\":1,\"binary\":false,\"line\":11,\"commit_author\":\"A\",\"subject\":\"One\",\"text\":\"diff --git a/x/a.rs b/x/a.rs\\n--- a/x/a.rs\\n+++ b/x/a.rs\\n@@ -1 +1 @@\\n-a\\n+b\\n\"}\n{\"commit\":\"0123456789abcdef\",\"file\":\"m.rs\",\"changes\":1,\"bar\":\"+\"}\n{\"commit\":\"0123456789abcdef\",\"file\":\"x.png\",\"old\":\"x.png\",\"status\":\"modified\",\"added\":0,\"deleted\":0,\"hunks\":0,\"binary\":true,\"bytes\":\"0 -> 3\",\"line\":17,\"commit_author\":\"A\",\"subject\":\"One\",\"text\":\"diff --git a/x.png b/x.png\\nBinary files a/x.png and b/x.png differ\\n\"}",
            ),
            ("commit to it\n", ""),
            ("a\nb\nc\ncommit 0123456789abcdef\n", ""),
        ];
        for (text, expected) in rows {
            assert_eq!(lines_of(read(text)), expected, "{text}");
        }
    }
}
