//! Unified diffs: a record for each file.

mod paths;

use std::borrow::Cow;

use lro_query::json::Object;

pub(super) use self::paths::unquoted;
use self::paths::{path_of, sides};
use super::Reading;
use super::changed_by::ChangedBy;
use super::output::Output;

/// Text before the first file: the commit that `git show` prints, with its message.
const MOST_LINES_BEFORE: usize = 200;

/// The name of a file that does not exist.
const NO_FILE: &str = "/dev/null";

/// Reads a diff.
pub(super) fn read(text: &str) -> Option<Reading<'_>> {
    let mut output = Output::of(text);
    write(text, 1, ChangedBy::default(), &mut output)?;
    output.finish_sure("diff")
}

/// Writes the files of a diff whose first line has this number; each names the commit that changed it, if known.
pub(super) fn write(text: &str, first: usize, commit: ChangedBy<'_>, output: &mut Output) -> Option<()> {
    let mut files = DiffReader { commit, file: None, before: 0 };
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
    files.end(text, text.len(), output)
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
struct DiffReader<'a> {
    commit: ChangedBy<'a>,
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
}

impl<'a> DiffReader<'a> {
    fn line(&mut self, text: &'a str, line: DiffLine<'a>, output: &mut Output) -> Option<()> {
        let DiffLine { start, number, line, is_old_name } = line;
        let in_hunk = self.file.as_ref().is_some_and(|file| file.rest != (0, 0));
        let begins = line.starts_with("diff --");
        // Without git, a file begins with its two names.
        let has_header = self.file.as_ref().is_some_and(|file| file.is_combined() || file.hunks == 0 && !file.is_named);
        let begins_plainly = is_old_name && !has_header;
        if !in_hunk && (begins || begins_plainly) {
            self.end(text, start, output)?;
            let header = if begins { line } else { "" };
            self.file = Some(FileDiff { start, line: number, header, ..FileDiff::default() });
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
    fn end(&mut self, text: &str, end: usize, output: &mut Output) -> Option<()> {
        match self.file.take() {
            // Two rulers are no diff.
            Some(file) if file.header.is_empty() && file.hunks == 0 => output.lines(file.line, &text[file.start..end]),
            Some(file) => output.record(file.lines, file.record(self.commit, &text[file.start..end])),
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
            self.rest = ranges(line).unwrap_or((0, 0));
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
        let (old, new) = &mut self.rest;
        match line.as_bytes().first() {
            Some(b'-') => *old = old.saturating_sub(1),
            Some(b'+') => *new = new.saturating_sub(1),
            Some(b'\\') => {}
            // An editor may have removed the space of a blank line.
            Some(b' ') | None => (*old, *new) = (old.saturating_sub(1), new.saturating_sub(1)),
            _ => {
                self.rest = (0, 0);
                return false;
            }
        }
        self.count(line, true);
        true
    }

    /// The diff of a merge, which only git writes: a line begins with a sign for each parent.
    fn is_combined(&self) -> bool {
        self.header.starts_with("diff --c")
    }

    fn count(&mut self, line: &str, is_change: bool) {
        self.lines_added += usize::from(is_change && line.starts_with('+'));
        self.lines_deleted += usize::from(is_change && line.starts_with('-'));
    }

    fn record(&self, commit: ChangedBy<'_>, text: &str) -> String {
        let (left, right) = sides(self.header);
        let old = self.old.as_deref().or(left.as_deref()).filter(|path| *path != NO_FILE);
        let new = self.new.as_deref().or(right.as_deref()).filter(|path| *path != NO_FILE);
        let status = match () {
            () if self.renamed => "renamed",
            () if self.copied => "copied",
            () if self.created || self.old.as_deref() == Some(NO_FILE) => "added",
            () if self.deleted || self.new.as_deref() == Some(NO_FILE) => "deleted",
            () => "modified",
        };
        let mut record = Object::default();
        commit.write_hash(&mut record);
        record.text("file", new.filter(|_| status != "deleted").or(old).unwrap_or_default());
        match old.filter(|_| status != "added") {
            Some(old) => record.text("old", old),
            None => record.json("old", "null"),
        }
        record.text("status", status);
        record.count("added", self.lines_added);
        record.count("deleted", self.lines_deleted);
        record.count("hunks", self.hunks);
        record.json("binary", if self.binary { "true" } else { "false" });
        record.count("line", self.line);
        commit.write_rest(&mut record);
        record.text("text", text);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::payload::notation::tests::records_of;

    #[test]
    fn files_become_records() {
        let text = "\
diff --git a/x y.rs b/x y.rs
index 1..2 100644
--- a/x y.rs
+++ b/x y.rs
@@ -1,3 +1,3 @@ fn
 a
--- b
+++ c
 d
@@ -9 +9,2 @@
 e
+f
diff --git a/new b/new
new file mode 100644
index 0..1
--- /dev/null
+++ b/new
@@ -0,0 +1 @@
+x
\\ No newline at end of file
diff --git a/gone b/gone
deleted file mode 100644
--- a/gone
+++ /dev/null
@@ -1 +0,0 @@
-x
diff --git a/p b/q
similarity index 100%
rename from p
rename to q
diff --git a/i.png b/i.png
Binary files a/i.png and b/i.png differ
";
        let records = records_of(read(text));
        let found: Vec<String> = records
            .iter()
            .map(|r| {
                format!(
                    "{} {} {} +{} -{} @{} {}",
                    r["file"], r["old"], r["status"], r["added"], r["deleted"], r["hunks"], r["line"]
                )
            })
            .collect();
        let expected = [
            r#""x y.rs" "x y.rs" "modified" +2 -1 @2 1"#,
            r#""new" null "added" +1 -0 @1 13"#,
            r#""gone" "gone" "deleted" +0 -1 @1 21"#,
            r#""q" "p" "renamed" +0 -0 @0 27"#,
            r#""i.png" "i.png" "modified" +0 -0 @0 31"#,
        ];
        assert_eq!(found, expected);
        let texts: String = records.iter().map(|record| record["text"].as_str().unwrap()).collect();
        assert_eq!(texts, text);
    }

    #[test]
    fn a_merge_a_copy_and_a_missing_newline_are_counted() {
        let text = "\
diff --cc m.rs
index 1,2..3
--- a/m.rs
+++ b/m.rs
@@@ -1,2 -1,2 +1,3 @@@
  a
++b
 -c
@@@ -9,1 -9,1 +10,1 @@@
+ d
diff --git a/n b/n
--- a/n
+++ b/n
@@ -1 +1 @@
-x
\\ No newline at end of file
+y
diff --git a/o b/p
similarity index 100%
copy from o
copy to p
";
        let found: Vec<String> = records_of(read(text))
            .iter()
            .map(|r| format!("{} {} +{} -{} @{}", r["file"], r["status"], r["added"], r["deleted"], r["hunks"]))
            .collect();
        let expected = [r#""m.rs" "modified" +2 -0 @2"#, r#""n" "modified" +1 -1 @1"#, r#""p" "copied" +0 -0 @0"#];
        assert_eq!(found, expected);
    }

    #[test]
    fn a_renamed_file_with_changes_is_one_record() {
        let rename = "similarity index 90%\nrename from x/old\nrename to x/new\nindex 1..2 100644\n";
        let hunk = "@@ -1,2 +1,2 @@\n a\n--- b\n+++ c\n";
        let rows = [
            format!("diff --git a/x/old b/x/new\n{rename}--- a/x/old\n+++ b/x/new\n{hunk}"),
            format!("diff --git x/old x/new\n{rename}--- x/old\n+++ x/new\n{hunk}"),
        ];
        for text in rows {
            let records = records_of(read(&text));
            assert_eq!(records.len(), 1, "{text}");
            let r = &records[0];
            let found = format!("{} {} {} +{} -{}", r["file"], r["old"], r["status"], r["added"], r["deleted"]);
            assert_eq!(found, r#""x/new" "x/old" "renamed" +1 -1"#);
            assert_eq!(r["text"], text);
        }
        let paths = "diff --combined new\nindex 1,2..3\n--- a/old\n--- a/new\n+++ b/new\n@@@ -1,1 -1,1 +1,1 @@@\n--- x\n+++ y\n";
        let records = records_of(read(paths));
        assert_eq!((records.len(), &records[0]["added"], &records[0]["deleted"]), (1, &1.into(), &1.into()));
    }

    #[test]
    fn escaped_names_are_decoded() {
        let text = "diff --git \"a/\\303\\274\" \"b/\\303\\266\"\nsimilarity index 100%\nrename from \"\\303\\274\"\nrename to \"\\303\\266\"\n";
        let records = records_of(read(text));
        assert_eq!((&records[0]["file"], &records[0]["old"]), (&"ö".into(), &"ü".into()));
    }

    #[test]
    fn files_that_a_plain_diff_adds_or_removes_are_known_by_their_names() {
        let text = "--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+a\n--- a/y\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n";
        let records = records_of(read(text));
        let status: Vec<_> = records.iter().map(|record| (&record["file"], &record["status"])).collect();
        assert_eq!(status, [(&"x".into(), &"added".into()), (&"y".into(), &"deleted".into())]);
    }

    #[test]
    fn plain_diffs_have_files_too() {
        let text = "Only in a: z\n--- a/x\t2020-01-01\n+++ b/x\t2020-01-01\n@@ -1 +1 @@\n-a\n+b\n--- y\n+++ y\n@@ -1 +1 @@\n-a\n+b\n";
        let records = records_of(read(text));
        assert_eq!(records[0]["text"], "Only in a: z");
        assert_eq!((&records[1]["file"], &records[2]["file"]), (&"x".into(), &"y".into()));
        assert_eq!(records[2]["text"], "--- y\n+++ y\n@@ -1 +1 @@\n-a\n+b\n");
    }

    #[test]
    fn other_text_is_no_diff() {
        for text in ["--- \n+++ \n", "a\n--- b\nc\n", "- a\n- b\n+ c\n", "---\ntitle: x\n---\ntext\n", ""] {
            assert!(read(text).is_none(), "{text}");
        }
    }
}
