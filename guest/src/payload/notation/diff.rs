//! Unified diffs: a record for each file.

mod paths;
mod words;

use std::borrow::Cow;

use lro_query::json::Object;

pub(super) use self::paths::unquoted;
use self::paths::{path_of, sides};
pub(super) use self::words::marks_words;
use super::Reading;
use super::changed_by::ChangedBy;
use super::changes::{Changes, FileChanges};
use super::output::Output;

/// Text before the first file: the commit that `git show` prints, with its message.
const MOST_LINES_BEFORE: usize = 200;

/// The name of a file that does not exist.
const NO_FILE: &str = "/dev/null";

/// Reads a diff.
pub(super) fn read(text: &str) -> Option<Reading<'_>> {
    let mut output = Output::of(text);
    let by_words = marks_words(text);
    Diff { text, first: 1, commit: ChangedBy::default(), changes: Changes::default(), by_words }.write(&mut output)?;
    output.finish_sure("diff")
}

/// A diff, and what is known of it.
#[derive(Debug)]
pub(super) struct Diff<'a, 'c> {
    pub(super) text: &'a str,
    /// The number of its first line.
    pub(super) first: usize,
    pub(super) commit: ChangedBy<'c>,
    /// The list of files before it.
    pub(super) changes: Changes<'c>,
    /// Words are marked, and lines begin with no sign.
    pub(super) by_words: bool,
}

impl<'a> Diff<'a, '_> {
    /// Writes the files; each names the commit that changed it, if known.
    pub(super) fn write(self, output: &mut Output<'a>) -> Option<()> {
        let Self { text, first, commit, changes, by_words } = self;
        let mut files = DiffReader { commit, changes, by_words, file: None, before: 0 };
        let mut lines = text.split_inclusive('\n').scan(0, |place, line| {
            let start = *place;
            *place += line.len();
            Some((start, line.trim_end_matches(['\n', '\r'])))
        });
        let mut number = first;
        let mut next = lines.next();
        while let Some((start, line)) = next {
            next = lines.next();
            let is_old_name = line.starts_with("--- ") && next.is_some_and(|(_, next)| next.starts_with("+++ "));
            files.line(text, DiffLine { start, number, line, is_old_name }, output)?;
            number += 1;
        }
        files.end(text, text.len(), output)?;
        files.changes.write(commit.hash, output)
    }
}

/// A line and its position.
struct DiffLine<'a> {
    start: usize,
    number: usize,
    line: &'a str,
    /// The name of the new file is on the next one.
    is_old_name: bool,
}

/// The file that is being read.
struct DiffReader<'a, 'c> {
    commit: ChangedBy<'c>,
    /// Files of the list before the diff that have not come yet.
    changes: Changes<'c>,
    by_words: bool,
    file: Option<FileDiff<'a>>,
    before: usize,
}

/// What is known of a file's changes.
#[derive(Debug, Default)]
struct FileDiff<'a> {
    start: usize,
    line: usize,
    lines: usize,
    header: &'a str,
    old: Option<Cow<'a, str>>,
    new: Option<Cow<'a, str>>,
    /// The lines with both names have been read.
    is_named: bool,
    renamed: bool,
    copied: bool,
    created: bool,
    deleted: bool,
    binary: bool,
    hunks: usize,
    lines_added: usize,
    lines_deleted: usize,
    /// Lines that the hunk still has, of the old and the new file.
    rest: (usize, usize),
    by_words: bool,
    /// A hunk has fewer lines than it says.
    is_cut: bool,
}

impl<'a> DiffReader<'a, '_> {
    fn line(&mut self, text: &'a str, line: DiffLine<'a>, output: &mut Output<'a>) -> Option<()> {
        let DiffLine { start, number, line, is_old_name } = line;
        let in_hunk = self.file.as_ref().is_some_and(|file| file.rest != (0, 0));
        let begins = line.starts_with("diff --");
        // Without git, a file begins with its two names.
        let has_header = self.file.as_ref().is_some_and(|file| file.is_combined() || file.hunks == 0 && !file.is_named);
        let begins_plainly = is_old_name && !has_header && !in_hunk && !self.by_words;
        if begins || begins_plainly {
            self.file.iter_mut().for_each(|file| file.is_cut |= in_hunk);
            self.end(text, start, output)?;
            let (header, by_words) = (if begins { line } else { "" }, self.by_words);
            self.file = Some(FileDiff { start, line: number, header, by_words, ..FileDiff::default() });
        }
        if self.file.as_mut().is_some_and(|file| file.takes(line)) {
            return Some(());
        }
        // Between commits stand their messages.
        self.end(text, start, output)?;
        self.before += 1;
        if self.before > MOST_LINES_BEFORE && output.is_empty() {
            return None;
        }
        output.line(number, line)
    }

    /// Writes the file whose diff ends here.
    fn end(&mut self, text: &'a str, end: usize, output: &mut Output<'a>) -> Option<()> {
        match self.file.take() {
            // Two rulers are no diff.
            Some(file) if file.header.is_empty() && file.hunks == 0 => output.lines(file.line, &text[file.start..end]),
            Some(file) => {
                let mut known = None;
                if let Some((before, same)) = self.changes.up_to(|| file.path()) {
                    before.iter().try_for_each(|other| output.record(1, other.record(self.commit.hash)))?;
                    known = Some(same);
                }
                output.record(file.lines, file.record(self.commit, known.as_ref(), &text[file.start..end]))
            }
            None => Some(()),
        }
    }
}

impl<'a> FileDiff<'a> {
    /// Takes a line of the file's diff; false for one that does not belong to it.
    fn takes(&mut self, line: &'a str) -> bool {
        self.lines += 1;
        if self.rest != (0, 0) {
            return self.takes_change(line);
        }
        if self.by_words && self.hunks > 0 && !line.starts_with("@@ ") {
            return true;
        }
        let mut known = true;
        let is_combined = self.is_combined() && line.starts_with(['@', ' ', '+', '-']);
        // Of a file with another name, the names stand in lines of their own.
        let has_other_name = self.renamed || self.copied;
        if is_combined && self.hunks > 0 {
            self.hunks += usize::from(line.starts_with("@@@"));
            self.count(line, true);
        } else if let Some(path) = line.strip_prefix("--- ") {
            self.old = self.old.take().filter(|_| has_other_name).or_else(|| Some(path_of(path)));
        } else if let Some(path) = line.strip_prefix("+++ ") {
            self.is_named = true;
            self.new = self.new.take().filter(|_| has_other_name).or_else(|| Some(path_of(path)));
        } else if let Some(path) = line.strip_prefix("rename from ") {
            (self.old, self.renamed) = (Some(unquoted(path)), true);
        } else if let Some(path) = line.strip_prefix("rename to ") {
            self.new = Some(unquoted(path));
        } else if let Some(path) = line.strip_prefix("copy from ") {
            (self.old, self.copied) = (Some(unquoted(path)), true);
        } else if let Some(path) = line.strip_prefix("copy to ") {
            self.new = Some(unquoted(path));
        } else if line.starts_with("@@ ") {
            self.hunks += 1;
            self.rest = ranges(line).filter(|_| !self.by_words).unwrap_or((0, 0));
        } else {
            self.created |= line.starts_with("new file mode");
            self.deleted |= line.starts_with("deleted file mode");
            self.binary |= line.starts_with("Binary files ") || line.starts_with("GIT binary patch");
            let others = [
                "diff --",
                "index ",
                "old mode",
                "new mode",
                "similarity ",
                "dissimilarity ",
                "mode ",
                "\\ ",
                "Index: ",
                "====",
            ];
            known = self.created
                || self.deleted
                || self.binary
                || is_combined
                || others.iter().any(|other| line.starts_with(other));
            self.hunks += usize::from(is_combined && line.starts_with("@@@"));
            self.count(line, is_combined);
        }
        known
    }

    /// Takes a line of a hunk.
    fn takes_change(&mut self, line: &str) -> bool {
        let is_of_hunk = count_down(&mut self.rest, line);
        match is_of_hunk {
            true => self.count(line, true),
            false => (self.rest, self.is_cut) = ((0, 0), true),
        }
        is_of_hunk
    }

    /// The diff of a merge, which only git writes: a line begins with a sign for each parent.
    fn is_combined(&self) -> bool {
        self.header.starts_with("diff --c")
    }

    fn count(&mut self, line: &str, is_change: bool) {
        self.lines_added += usize::from(is_change && line.starts_with('+'));
        self.lines_deleted += usize::from(is_change && line.starts_with('-'));
    }

    /// The path that the file has now, or had before it was deleted.
    fn path(&self) -> Cow<'_, str> {
        let (old, new) = self.paths();
        new.filter(|_| self.status() != "deleted").or(old).unwrap_or_default()
    }

    /// The paths before and after.
    fn paths(&self) -> (Option<Cow<'_, str>>, Option<Cow<'_, str>>) {
        let (left, right) = sides(self.header);
        let old = self.old.as_deref().map(Cow::Borrowed).or(left).filter(|path| path != NO_FILE);
        let new = self.new.as_deref().map(Cow::Borrowed).or(right).filter(|path| path != NO_FILE);
        (old, new)
    }

    fn status(&self) -> &'static str {
        match () {
            () if self.renamed => "renamed",
            () if self.copied => "copied",
            () if self.created || self.old.as_deref() == Some(NO_FILE) => "added",
            () if self.deleted || self.new.as_deref() == Some(NO_FILE) => "deleted",
            () => "modified",
        }
    }

    /// True if each line that was added or deleted has its sign.
    fn has_signs(&self) -> bool {
        !self.is_cut && (!self.by_words || self.hunks == 0)
    }

    fn record(&self, commit: ChangedBy<'_>, known: Option<&FileChanges<'_>>, text: &str) -> String {
        let status = self.status();
        let (old, new) = self.paths();
        let mut record = Object::default();
        commit.write_hash(&mut record);
        record.text("file", new.as_ref().filter(|_| status != "deleted").or(old.as_ref()).map_or("", |path| path));
        match old.filter(|_| status != "added") {
            Some(old) => record.text("old", &old),
            None => record.json("old", "null"),
        }
        record.text("status", status);
        if self.has_signs() {
            record.count("added", self.lines_added);
            record.count("deleted", self.lines_deleted);
        } else {
            FileChanges::write_counts(known, &mut record);
        }
        record.count("hunks", self.hunks);
        record.json("binary", if self.binary { "true" } else { "false" });
        known.into_iter().for_each(|known| known.write_bytes(&mut record));
        record.count("line", self.line);
        commit.write_rest(&mut record);
        // The blank line before the next commit has no sign either.
        let blank = text.strip_suffix('\n').filter(|text| self.by_words && text.ends_with('\n'));
        record.text("text", blank.unwrap_or(text));
        record.finish()
    }
}

/// How many lines a hunk has of the old and of the new file: `@@ -1,2 +3 @@`.
fn ranges(line: &str) -> Option<(usize, usize)> {
    let mut words = line.split(' ').skip(1);
    let mut count = |sign: char| {
        let range = words.next()?.strip_prefix(sign)?;
        range.split_once(',').map_or(Some(1), |(_, count)| count.parse().ok())
    };
    Some((count('-')?, count('+')?))
}

/// Takes a line from those that a hunk still has, old and new. False for a line that is in no hunk.
fn count_down((old, new): &mut (usize, usize), line: &str) -> bool {
    match line.as_bytes().first() {
        Some(b'-') => *old = old.saturating_sub(1),
        Some(b'+') => *new = new.saturating_sub(1),
        Some(b'\\') => {}
        // An editor may have removed the space of a blank line.
        Some(b' ') | None => (*old, *new) = (old.saturating_sub(1), new.saturating_sub(1)),
        Some(_) => return false,
    }
    true
}

#[cfg(test)]
mod tests;
