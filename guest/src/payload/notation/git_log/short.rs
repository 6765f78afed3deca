//! Diffs after commits of a line or a few, which begin with the hash: `git log --oneline -p`, or a format of one's own. Before
//! a diff may be a list of its files.

use lro_query::json::Object;

use crate::payload::notation::Reading;
use crate::payload::notation::changed_by::ChangedBy;
use crate::payload::notation::changes::{Changes, Line, commit_of};
use crate::payload::notation::diff::{Diff, marks_words};
use crate::payload::notation::output::Output;

/// A hash with all its digits has at least so many.
const WHOLE_HASH: usize = 40;

/// More lines between a commit and its diff are not those of a format.
const MOST_LINES: usize = 200;

/// Reads commits with diffs, or a diff after a list of its files.
pub(super) fn read(text: &str) -> Option<Reading<'_>> {
    let first = text.lines().find(|line| !line.trim().is_empty())?;
    let format = Format::of(first);
    let begins = format.is_some() || matches!(Line::of(first), Some(Line::File(_)));
    if !begins || memchr::memmem::find(text.as_bytes(), b"\ndiff --").is_none() {
        return None;
    }
    let mut output = Output::of(text);
    let by_words = marks_words(text);
    let mut part = Part::default();
    let (mut commits, mut changed) = (0, 0);
    let mut place = 0;
    for (number, line) in (1..).zip(text.split_inclusive('\n')) {
        let start = place;
        place += line.len();
        let line = line.trim_end_matches(['\n', '\r']);
        let is_commit = format.is_some() && Format::of(line) == format;
        let next = || text[place..].lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
        // Lines without signs may begin with a hash too.
        let is_sure = || {
            part.diff.is_none()
                || !by_words && !part.is_binary
                || begins_changes(next())
                || Format::of(next()) == format
        };
        if is_commit && is_sure() {
            commits += 1;
            changed += usize::from(part.has_changes());
            std::mem::take(&mut part).write(&text[..start], by_words, &mut output)?;
            part.commit = Some(line);
            part.lines = 1;
        } else {
            part.take(line, number, start, &mut output)?;
        }
    }
    // A list of commits, and the diff of another command behind it, which is not that of the last one.
    if commits > 1 && changed == 0 {
        return None;
    }
    part.write(text, by_words, &mut output)?;
    output.finish_sure(if format.is_some() { "git-log" } else { "diff" })
}

/// True for a line that follows a commit of one line.
fn begins_changes(line: &str) -> bool {
    line.starts_with("diff --") || matches!(Line::of(line), Some(Line::File(_)))
}

/// How the lines of commits begin: all in the same way.
#[derive(PartialEq)]
struct Format {
    is_whole: bool,
    /// What is behind the hash.
    separator: Option<char>,
}

impl Format {
    /// The format of a line that is a commit.
    fn of(line: &str) -> Option<Self> {
        let (hash, _) = commit_of(line)?;
        Some(Self { is_whole: hash.len() >= WHOLE_HASH, separator: line[hash.len()..].chars().next() })
    }
}

/// A commit, its list of files and its diff.
#[derive(Default)]
struct Part<'a> {
    /// The line that begins with the hash.
    commit: Option<&'a str>,
    /// Lines of the format after the first one.
    more: Vec<&'a str>,
    changes: Changes<'a>,
    /// The line that the diff begins with, and its place.
    diff: Option<(usize, usize)>,
    /// The diff has bytes in letters, which may look like a hash.
    is_binary: bool,
    lines: usize,
}

impl<'a> Part<'a> {
    fn take(&mut self, line: &'a str, number: usize, start: usize, output: &mut Output<'a>) -> Option<()> {
        if self.diff.is_some() {
            self.is_binary |= line.starts_with("GIT binary patch");
            return Some(());
        }
        if line.starts_with("diff --") {
            self.diff = Some((number, start));
            return Some(());
        }
        self.lines += 1;
        match Line::of(line) {
            // Nobody else has what is known of a diff without a commit.
            Some(Line::Sum(_) | Line::Note) if self.commit.is_none() => output.plain(number, line.trim_start()),
            Some(Line::Blank) if self.changes.is_empty() && !self.more.is_empty() => {
                self.more.push("");
                Some(())
            }
            Some(known) => {
                self.changes.take(known);
                Some(())
            }
            None if self.commit.is_some() && self.changes.is_empty() => {
                self.more.push(line);
                (self.more.len() <= MOST_LINES).then_some(())
            }
            None => output.line(number, line),
        }
    }

    fn has_changes(&self) -> bool {
        self.diff.is_some() || !self.changes.is_empty()
    }

    /// Writes the commit, which ends with this text.
    fn write(mut self, text: &'a str, by_words: bool, output: &mut Output<'a>) -> Option<()> {
        let mut commit = ChangedBy::default();
        if let Some((line, (hash, rest))) = self.commit.and_then(|line| Some((line, commit_of(line)?))) {
            // Behind another sign than a space may be the author.
            let subject = line[hash.len()..].strip_prefix(' ');
            commit = ChangedBy { hash, subject, ..commit };
            let message = [rest].iter().chain(&self.more).copied().collect::<Vec<_>>().join("\n");
            let mut record = Object::default();
            record.text("commit", hash);
            if !message.trim().is_empty() {
                record.text("message", message.trim());
            }
            self.changes.sum(&mut record);
            output.record(self.lines, record.finish())?;
        }
        let (first, start) = self.diff.unwrap_or((0, text.len()));
        Diff { text: &text[start..], first, commit, changes: self.changes, by_words }.write(output)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::payload::notation::tests::records_of;

    /// The records without the texts of their diffs.
    fn short(text: &str) -> Vec<String> {
        let line = |record: serde_json::Value| {
            let field = |key: &str| record.get(key).map_or(String::new(), |value| format!(" {key}={value}"));
            let keys = ["commit", "message", "files", "file", "added", "deleted", "changes", "subject", "line"];
            keys.map(field).concat().trim_start().to_owned()
        };
        records_of(read(text)).into_iter().map(line).collect()
    }

    const DIFF: &str = "diff --git a/x b/x\nindex 1..2 100644\n--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n-a\n+b\n 0123456 c\n";
    const WORDS: &str =
        "diff --git a/x b/x\nindex 1..2 100644\n--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n[-a-]{+b+}\n0123456 c\nd\n";

    #[test]
    fn files_have_the_commit_before_them() {
        let whole = "0123456789abcdef0123456789abcdef01234567";
        let rows: [(String, &[&str]); 6] = [
            (
                format!("0123456 One\n{DIFF}1234567 Merge\n2345678 Two\n{DIFF}"),
                &[
                    r#"commit="0123456" message="One""#,
                    r#"commit="0123456" file="x" added=1 deleted=1 subject="One" line=2"#,
                    r#"commit="1234567" message="Merge""#,
                    r#"commit="2345678" message="Two""#,
                    r#"commit="2345678" file="x" added=1 deleted=1 subject="Two" line=12"#,
                ],
            ),
            (
                format!("{whole}\n\n{DIFF}{whole}\n\n{DIFF}"),
                &[
                    r#"commit="0123456789abcdef0123456789abcdef01234567""#,
                    r#"commit="0123456789abcdef0123456789abcdef01234567" file="x" added=1 deleted=1 line=3"#,
                    r#"commit="0123456789abcdef0123456789abcdef01234567""#,
                    r#"commit="0123456789abcdef0123456789abcdef01234567" file="x" added=1 deleted=1 line=13"#,
                ],
            ),
            (
                format!("0123456|A B|One\n\n{DIFF}"),
                &[r#"commit="0123456" message="A B|One""#, r#"commit="0123456" file="x" added=1 deleted=1 line=3"#],
            ),
            (
                format!("0123456\nA B\nOne\n\nand it\n\n{DIFF}"),
                &[
                    r#"commit="0123456" message="A B\nOne\n\nand it""#,
                    r#"commit="0123456" file="x" added=1 deleted=1 line=7"#,
                ],
            ),
            (
                format!(
                    "0123456 One\n x | 2 +-\n 1 file changed, 1 insertion(+), 1 deletion(-)\n\n{WORDS}3456789 Merge\n1234567 Two\n1\t1\tx\n\n{WORDS}"
                ),
                &[
                    r#"commit="0123456" message="One" files=1"#,
                    r#"commit="0123456" file="x" added=null deleted=null changes=2 subject="One" line=5"#,
                    r#"commit="3456789" message="Merge""#,
                    r#"commit="1234567" message="Two""#,
                    r#"commit="1234567" file="x" added=1 deleted=1 subject="Two" line=17"#,
                ],
            ),
            (
                format!(" x | 2 +-\n 1 file changed, 1 insertion(+), 1 deletion(-)\n\n{DIFF}"),
                &["line=2", r#"file="x" added=1 deleted=1 line=4"#],
            ),
        ];
        for (text, expected) in rows {
            assert_eq!(short(&text), expected, "{text}");
        }
    }

    #[test]
    fn what_has_no_diff_is_another_notation() {
        // Nor has the last commit that of another command.
        let two = format!("0123456 One\n1234567 Two\n\n{DIFF}");
        for text in [&*two, "0123456 One\n1234567 Two\n", " x | 2 +-\n y | 2 +-\n", &format!("see 0123456\n{DIFF}")] {
            assert!(read(text).is_none(), "{text}");
        }
    }
}
