//! What `git diff --name-status` prints: a record for each file, in the words of a diff.

use lro_query::json::Object;

use super::Reading;
use super::diff::unquoted;
use super::output::Output;

/// Letters of git and what they mean.
const STATUSES: [(u8, &str); 7] = [
    (b'A', "added"),
    (b'C', "copied"),
    (b'D', "deleted"),
    (b'M', "modified"),
    (b'R', "renamed"),
    (b'T', "type changed"),
    (b'U', "unmerged"),
];

/// Headings that may come before the first file.
const MOST_HEADINGS: usize = 3;

/// Reads a list of changed files.
pub(super) fn read(text: &str) -> Option<Reading<'_>> {
    let mut first = text.lines().filter(|line| !line.trim().is_empty()).take(MOST_HEADINGS + 1);
    if !first.any(|line| ChangedFile::of(line).is_some()) {
        return None;
    }
    let mut output = Output::of(text);
    let (mut files, mut paths) = (0, 0);
    for (number, line) in (1..).zip(text.lines()) {
        match ChangedFile::of(line) {
            Some(file) => {
                files += 1;
                paths += usize::from(file.file.contains(['/', '.']));
                output.record(1, file.record(""))?;
            }
            None => output.line(number, line)?,
        }
    }
    // Letters before other words may be grades.
    (paths * 2 > files).then(|| output.finish("name-status")).flatten()
}

/// A file and what happened to it.
#[derive(Debug)]
pub(super) struct ChangedFile<'a> {
    status: &'static str,
    /// How many percent of the file stayed the same.
    similarity: Option<u8>,
    old: Option<&'a str>,
    file: &'a str,
}

impl<'a> ChangedFile<'a> {
    /// The file that a line names.
    pub(super) fn of(line: &'a str) -> Option<Self> {
        let (letter, rest) = line.split_at_checked(1)?;
        let (score, paths) = rest.split_once('\t')?;
        let status = STATUSES.iter().find(|(known, _)| letter.as_bytes() == [*known])?.1;
        let is_score = score.len() <= 3 && score.bytes().all(|byte| byte.is_ascii_digit());
        let similarity = score.parse().ok();
        let (old, file) = match paths.split_once('\t') {
            Some((old, file)) if matches!(letter, "R" | "C") => (Some(old), file),
            None if !matches!(letter, "R" | "C") => (None, paths),
            _ => return None,
        };
        (is_score && !file.is_empty() && !file.contains('\t')).then_some(Self { status, similarity, old, file })
    }

    /// The record; it names the commit that changed the file, if known.
    pub(super) fn record(&self, commit: &str) -> String {
        let mut record = Object::default();
        if !commit.is_empty() {
            record.text("commit", commit);
        }
        record.text("status", self.status);
        record.text("file", &unquoted(self.file));
        if let Some(old) = self.old {
            record.text("old", &unquoted(old));
        }
        if let Some(similarity) = self.similarity {
            record.count("similarity", similarity.into());
        }
        record.finish()
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
                "M\tCHANGELOG.md\nA\t\"\\303\\274\"\nR090\ta\tb/c\n",
                "name-status {\"status\":\"modified\",\"file\":\"CHANGELOG.md\"}\n{\"status\":\"added\",\"file\":\"ü\"}\n{\"status\":\"renamed\",\"file\":\"b/c\",\"old\":\"a\",\"similarity\":90}",
            ),
            ("M\ta.c\nA\tb.c\n", ""),
            ("A\tAlice\nA\tBob\nD\tCarl\n", ""),
            ("M\ta.c\tb\nA\tb.c\tc\nD\tc.c\td\n", ""),
            ("F\ta.c\nM\tb.c\nF\tc.c\nM\td.c\nX\te.c\n", ""),
            ("éa\n\nM\n\t\n", ""),
        ];
        for (text, expected) in rows {
            assert_eq!(lines_of(read(text)), expected, "{text}");
        }
    }
}
