//! How much of each file was changed, as `git diff` and `git log` print it with `--numstat` or `--stat`: a record for each
//! file, in the words of a diff.

mod file;

use std::borrow::Cow;
use std::collections::VecDeque;

use lro_query::json::Object;

pub(super) use self::file::{FileChanges, Line};
use super::Reading;
use super::name_status::ChangedFile;
use super::output::Output;

/// Headings that may come before the first file.
const MOST_HEADINGS: usize = 3;

/// A file of a diff is looked for among so many of the list. Both have the same order, but the list of a merge has more.
const MOST_AHEAD: usize = 256;

/// Reads a list of changed files, perhaps with commits of one line between them.
pub(super) fn read(text: &str) -> Option<Reading<'_>> {
    let mut first = text.lines().filter(|line| !line.trim().is_empty()).take(MOST_HEADINGS + 1);
    if !first.any(|line| matches!(Line::of(line), Some(Line::File(_)))) {
        return None;
    }
    let mut output = Output::of(text);
    let mut commit: Option<(&str, &str)> = None;
    let mut changes = Changes::default();
    let (mut files, mut named) = (0, 0);
    for (number, line) in (1..).zip(text.lines()) {
        match Line::of(line) {
            Some(Line::Status(_)) => output.line(number, line)?,
            Some(Line::Note) => output.plain(number, line.trim_start())?,
            // All that is known of a commit goes into its record.
            Some(Line::Sum(_)) if commit.is_none() => output.plain(number, line.trim_start())?,
            Some(known) => {
                if let Line::File(file) = &known {
                    files += 1;
                    named += usize::from(file.is_file());
                }
                changes.take(known);
                if commit.is_none() {
                    changes.write("", &mut output)?;
                }
            }
            None => match commit_of(line) {
                Some(next) => {
                    end(commit.replace(next), &mut changes, &mut output)?;
                }
                None => output.line(number, line)?,
            },
        }
    }
    end(commit, &mut changes, &mut output)?;
    (named * 2 > files).then(|| output.finish("changes")).flatten()
}

/// The hash of a commit and what follows it in its line. A format of one's own may separate both by another sign.
pub(super) fn commit_of(line: &str) -> Option<(&str, &str)> {
    let digits = line.bytes().take_while(u8::is_ascii_hexdigit).count();
    let (hash, rest) = line.split_at(digits);
    let mut letters = rest.chars();
    let is_hash = (7..=64).contains(&digits) && letters.next().is_none_or(|letter| !letter.is_alphanumeric());
    is_hash.then_some((hash, letters.as_str()))
}

/// Writes a commit whose changes end here.
fn end(commit: Option<(&str, &str)>, changes: &mut Changes<'_>, output: &mut Output<'_>) -> Option<()> {
    let Some((hash, message)) = commit else { return Some(()) };
    let mut record = Object::default();
    record.text("commit", hash);
    record.text("message", message);
    changes.sum(&mut record);
    output.record(1, record.finish())?;
    changes.write(hash, output)
}

/// What a commit changed.
#[derive(Debug, Default)]
pub(super) struct Changes<'a> {
    files: VecDeque<FileChanges<'a>>,
    statuses: Vec<ChangedFile<'a>>,
    sum: Option<[Option<&'a str>; 3]>,
    /// The text has lines of other kinds, which are about the files.
    pub(super) has_notes: bool,
}

impl<'a> Changes<'a> {
    /// The changes in a text that consists of nothing else.
    pub(super) fn of(text: &'a str) -> Option<Self> {
        let mut changes = Self::default();
        text.lines().try_for_each(|line| {
            changes.take(Line::of(line)?);
            Some(())
        })?;
        (!changes.is_empty()).then_some(changes)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.files.is_empty() && self.statuses.is_empty() && self.sum.is_none()
    }

    pub(super) fn take(&mut self, line: Line<'a>) {
        match line {
            Line::File(file) => self.files.push_back(file),
            Line::Status(file) => self.statuses.push(file),
            Line::Sum(sum) => self.sum = Some(sum),
            Line::Note => self.has_notes = true,
            Line::Blank => {}
        }
    }

    /// Adds the numbers of all files to the record of their commit.
    pub(super) fn sum(&mut self, record: &mut Object) {
        for (key, count) in ["files", "insertions", "deletions"].into_iter().zip(self.sum.take().unwrap_or_default()) {
            if let Some(count) = count {
                record.json(key, count);
            }
        }
    }

    /// Takes the files before this one, and this one. None are taken if it is not among them.
    pub(super) fn up_to<'p>(
        &mut self,
        path: impl FnOnce() -> Cow<'p, str>,
    ) -> Option<(Vec<FileChanges<'a>>, FileChanges<'a>)> {
        if self.files.is_empty() {
            return None;
        }
        let path = path();
        let place = self.files.iter().take(MOST_AHEAD).position(|file| file.is_of(&path))?;
        let before = self.files.drain(..place).collect();
        Some((before, self.files.pop_front()?))
    }

    /// Writes the files, each with the commit that changed it.
    pub(super) fn write(&mut self, commit: &str, output: &mut Output<'_>) -> Option<()> {
        self.files.drain(..).try_for_each(|file| output.record(1, file.record(commit)))?;
        self.statuses.drain(..).try_for_each(|file| output.record(1, file.record(commit)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::payload::notation::tests::lines_of;

    #[test]
    fn changed_files_become_records() {
        let rows = [
            (
                "17\t2\tembed/js/router.js\n0\t0\ta/{b => c}/d.js\n-\t-\tx y/z.png\n",
                "changes {\"file\":\"embed/js/router.js\",\"added\":17,\"deleted\":2}\n{\"file\":\"a/c/d.js\",\"old\":\"a/b/d.js\",\"added\":0,\"deleted\":0}\n{\"file\":\"x y/z.png\",\"added\":null,\"deleted\":null,\"binary\":true}",
            ),
            (
                "Updating 1234567..89abcde\nFast-forward\n a.rs           | 12 ++--\n .../b/README   |  0\n x.png          | Bin 0 -> 12 bytes\n 3 files changed, 8 insertions(+), 4 deletions(-)\n create mode 100644 x.png\n",
                "changes {\"line\":1,\"text\":\"Updating 1234567..89abcde\"}\n{\"line\":2,\"text\":\"Fast-forward\"}\n{\"file\":\"a.rs\",\"changes\":12,\"bar\":\"++--\"}\n{\"file\":\".../b/README\",\"changes\":0,\"bar\":\"\"}\n{\"file\":\"x.png\",\"changes\":null,\"binary\":true,\"bytes\":\"0 -> 12\"}\n{\"line\":6,\"text\":\"3 files changed, 8 insertions(+), 4 deletions(-)\"}\n{\"line\":7,\"text\":\"create mode 100644 x.png\"}",
            ),
            (
                "89abcde js: one\n a.js | 2 +-\n 1 file changed, 1 insertion(+), 1 deletion(-)\n1234567|two\n b.js | 1 +\n 1 file changed, 1 insertion(+)\n",
                "changes {\"commit\":\"89abcde\",\"message\":\"js: one\",\"files\":1,\"insertions\":1,\"deletions\":1}\n{\"commit\":\"89abcde\",\"file\":\"a.js\",\"changes\":2,\"bar\":\"+-\"}\n{\"commit\":\"1234567\",\"message\":\"two\",\"files\":1,\"insertions\":1}\n{\"commit\":\"1234567\",\"file\":\"b.js\",\"changes\":1,\"bar\":\"+\"}",
            ),
            (
                " a b.rs (new)      | 1 +\n c/d.rs (gone)     | 1 -\n b.rs => e.rs (mode +x) | 0\n f.rs (old)        | 1 +\n",
                "changes {\"file\":\"a b.rs\",\"status\":\"added\",\"changes\":1,\"bar\":\"+\"}\n{\"file\":\"c/d.rs\",\"status\":\"deleted\",\"changes\":1,\"bar\":\"-\"}\n{\"file\":\"e.rs\",\"old\":\"b.rs\",\"mode\":\"+x\",\"changes\":0,\"bar\":\"\"}\n{\"file\":\"f.rs (old)\",\"changes\":1,\"bar\":\"+\"}",
            ),
            ("1\t2\tAlice\n3\t4\tBob\n5\t6\tMr. Carl\n", ""),
            ("1\t2\t3.5\n3\t4\t4.5\n5\t6\t5.5\n", ""),
            (" a.c | 1\n b.c | 2\n c.c | 3\n", ""),
            (" a | 1\n b | 2\n c | 3\n", ""),
            ("1\t2\ta.c\t3\n1\t2\tb.c\t3\n1\t2\tc.c\t3\n", ""),
        ];
        for (text, expected) in rows {
            assert_eq!(lines_of(read(text)), expected, "{text}");
        }
    }
}
