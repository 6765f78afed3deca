//! A line that says how much of a file was changed.

use std::borrow::Cow;

use lro_query::json::Object;

use crate::payload::notation::diff::unquoted;
use crate::payload::notation::name_status::ChangedFile;

/// No file has more lines than numbers of so many digits count.
const MOST_DIGITS: usize = 15;

/// Lines after a list that say what else happened to files.
const NOTES: [&str; 5] = [" create mode ", " delete mode ", " mode change ", " rename ", " copy "];

/// What `--compact-summary` writes after a path, and the field that says it.
const SUMMARIES: [(&str, (&str, &str)); 9] = [
    (" (new)", ("status", "added")),
    (" (new +x)", ("status", "added")),
    (" (new +l)", ("status", "added")),
    (" (gone)", ("status", "deleted")),
    (" (mode +x)", ("mode", "+x")),
    (" (mode -x)", ("mode", "-x")),
    (" (mode +l)", ("mode", "+l")),
    (" (mode -l)", ("mode", "-l")),
    (" (mode +x-l)", ("mode", "+x-l")),
];

/// A line of a list.
pub(in crate::payload::notation) enum Line<'a> {
    File(FileChanges<'a>),
    /// A file and its status, without numbers.
    Status(ChangedFile<'a>),
    /// Files, insertions and deletions of all.
    Sum([Option<&'a str>; 3]),
    /// What else happened to a file.
    Note,
    /// It only separates.
    Blank,
}

impl<'a> Line<'a> {
    /// What a line is, if it belongs to a list.
    pub(in crate::payload::notation) fn of(line: &'a str) -> Option<Self> {
        if line.trim().is_empty() || line == "---" {
            return Some(Self::Blank);
        }
        if let Some(file) = FileChanges::of(line) {
            return Some(Self::File(file));
        }
        let status = || ChangedFile::of(line).map(Self::Status);
        let note = || NOTES.iter().any(|note| line.starts_with(note)).then_some(Self::Note);
        sum(line).map(Self::Sum).or_else(note).or_else(status)
    }
}

/// How much of a file was changed.
#[derive(Debug)]
pub(in crate::payload::notation) struct FileChanges<'a> {
    path: &'a str,
    /// What happened to the file besides.
    summary: Option<(&'static str, &'static str)>,
    extent: Extent<'a>,
}

/// What is written of a file.
#[derive(Debug)]
enum Extent<'a> {
    /// Lines that were added and deleted; nothing for a binary file.
    Counted(Option<[&'a str; 2]>),
    /// Lines that were changed, and a bar whose signs stand for one line or several.
    Drawn { changes: &'a str, bar: &'a str },
    /// Bytes of a binary file before and after.
    Binary(&'a str),
}

impl<'a> FileChanges<'a> {
    fn of(line: &'a str) -> Option<Self> {
        if let Some(drawn) = line.strip_prefix(' ') {
            return Self::drawn(drawn);
        }
        let (added, rest) = line.split_once('\t')?;
        let (deleted, path) = rest.split_once('\t')?;
        let counts = match (added, deleted) {
            ("-", "-") => None,
            _ if is_count(added) && is_count(deleted) => Some([added, deleted]),
            _ => return None,
        };
        (!path.is_empty() && !path.contains('\t')).then_some(Self {
            path,
            summary: None,
            extent: Extent::Counted(counts),
        })
    }

    /// `path | 12 ++--`, as `--stat` writes it.
    fn drawn(line: &'a str) -> Option<Self> {
        let (path, extent) = line.rsplit_once(" | ")?;
        let path = path.trim_end();
        let extent = extent.trim_start();
        let (changes, bar) = extent.split_once(' ').unwrap_or((extent, ""));
        // Only what was not changed has no bar.
        let is_bar = bar.bytes().all(|byte| matches!(byte, b'+' | b'-')) && bar.is_empty() == (changes == "0");
        let extent = if is_count(changes) && is_bar {
            Extent::Drawn { changes, bar }
        } else if changes == "Bin" {
            Extent::Binary(bar)
        } else {
            return None;
        };
        let summary =
            || SUMMARIES.iter().find_map(|(written, field)| Some((path.strip_suffix(written)?, Some(*field))));
        let (path, summary) = path.ends_with(')').then(summary).flatten().unwrap_or((path, None));
        (!path.is_empty() && !path.starts_with(' ')).then_some(Self { path, summary, extent })
    }

    /// True for what is the path of a file and no other words.
    pub(super) fn is_file(&self) -> bool {
        let is_drawn = matches!(self.extent, Extent::Drawn { bar, .. } if !bar.is_empty());
        is_drawn || is_file(self.path)
    }

    /// True for what is known of the file with this path. A long path is cut at its start.
    pub(super) fn is_of(&self, path: &str) -> bool {
        match self.path.strip_prefix("...") {
            Some(end) => path.ends_with(end.rsplit_once(" => ").map_or(end, |(_, new)| new).replace('}', "").as_str()),
            None => sides(self.path).1 == path,
        }
    }

    /// Writes how many lines were changed, for a record of a diff that does not show it.
    pub(in crate::payload::notation) fn write_counts(known: Option<&Self>, record: &mut Object) {
        let extent = known.map(|known| &known.extent);
        let [added, deleted] = match extent {
            Some(Extent::Counted(Some(counts))) => *counts,
            _ => ["null"; 2],
        };
        record.json("added", added);
        record.json("deleted", deleted);
        if let Some(Extent::Drawn { changes, .. }) = extent {
            record.json("changes", changes);
        }
    }

    /// Writes the bytes of a binary file, which a diff does not have.
    pub(in crate::payload::notation) fn write_bytes(&self, record: &mut Object) {
        if let Extent::Binary(bytes) = self.extent
            && !bytes.is_empty()
        {
            record.text("bytes", bytes.strip_suffix(" bytes").unwrap_or(bytes));
        }
    }

    /// The record; it names the commit that changed the file, if known.
    pub(in crate::payload::notation) fn record(&self, commit: &str) -> String {
        let mut record = Object::default();
        if !commit.is_empty() {
            record.text("commit", commit);
        }
        let (old, file) = sides(self.path);
        record.text("file", &file);
        if let Some(old) = old {
            record.text("old", &old);
        }
        if let Some((key, value)) = self.summary {
            record.text(key, value);
        }
        match self.extent {
            Extent::Counted(counts) => {
                let [added, deleted] = counts.unwrap_or(["null"; 2]);
                record.json("added", added);
                record.json("deleted", deleted);
                if counts.is_none() {
                    record.json("binary", "true");
                }
            }
            Extent::Drawn { changes, bar } => {
                record.json("changes", changes);
                record.text("bar", bar);
            }
            Extent::Binary(_) => {
                record.json("changes", "null");
                record.json("binary", "true");
                self.write_bytes(&mut record);
            }
        }
        record.finish()
    }
}

/// True for a path with folders, or a name with an extension.
fn is_file(path: &str) -> bool {
    let has_letter = path.contains(char::is_alphabetic);
    has_letter && (path.contains('/') || path.contains('.') && !path.contains(' '))
}

/// A number that JSON can hold as it is written.
fn is_count(text: &str) -> bool {
    let is_number = (1..=MOST_DIGITS).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    is_number && (text == "0" || !text.starts_with('0'))
}

/// The old path of a file that was renamed, and its path: `a/{b => c}/d`.
fn sides(path: &str) -> (Option<Cow<'_, str>>, Cow<'_, str>) {
    let Some((old, new)) = path.split_once(" => ") else { return (None, unquoted(path)) };
    let (Some((before, old)), Some((new, after))) = (old.split_once('{'), new.split_once('}')) else {
        return (Some(unquoted(old)), unquoted(new));
    };
    // Where one side has no folder, the slashes around it meet.
    let side = |middle: &str| match (middle, after.strip_prefix('/')) {
        ("", Some(after)) => format!("{before}{after}"),
        _ => format!("{before}{middle}{after}"),
    };
    (Some(side(old).into()), side(new).into())
}

/// The numbers of ` 2 files changed, 3 insertions(+), 4 deletions(-)`.
fn sum(line: &str) -> Option<[Option<&str>; 3]> {
    let (files, rest) = line.strip_prefix(' ')?.split_once(" file")?;
    let rest = rest.strip_prefix('s').unwrap_or(rest).strip_prefix(" changed")?;
    let mut sum = [Some(files), None, None];
    for part in rest.split(", ").skip(1) {
        let (count, what) = part.split_once(' ')?;
        let place = if what.starts_with("insertion") { 1 } else { 2 };
        sum[place] = Some(count);
    }
    sum.iter().flatten().all(|count| is_count(count)).then_some(sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_renamed_file_has_two_paths() {
        let rows = [
            ("a/b", None, "a/b"),
            ("\"\\303\\274\"", None, "ü"),
            ("a => b/c", Some("a"), "b/c"),
            ("a/{b => c}/d", Some("a/b/d"), "a/c/d"),
            ("a/{ => c}/d", Some("a/d"), "a/c/d"),
            ("a/{b/e => }/d", Some("a/b/e/d"), "a/d"),
            ("{a => b}/c.rs", Some("a/c.rs"), "b/c.rs"),
            ("a/{b.rs => c.rs}", Some("a/b.rs"), "a/c.rs"),
        ];
        for (path, old, new) in rows {
            let (found_old, found) = sides(path);
            assert_eq!((found_old.as_deref(), &*found), (old, new), "{path}");
        }
    }

    #[test]
    fn a_file_of_a_list_is_one_of_the_diff() {
        let rows = [
            (" a/{b => c}/d | 0", "a/c/d", true),
            (" a/b => c/d | 0", "a/b", false),
            (" .../b/c | 1 +", "a/b/c", true),
            (" .../{b => c}/d | 1 +", "a/c/d", true),
            (" ...b => c}/d | 1 +", "a/c/d", true),
            (" .../b/c | 1 +", "a/b/cd", false),
            ("1\t0\ta", "a/a", false),
        ];
        for (line, path, expected) in rows {
            assert_eq!(FileChanges::of(line).map(|file| file.is_of(path)), Some(expected), "{line}");
        }
    }

    #[test]
    fn sums_have_up_to_three_numbers() {
        let rows = [
            (" 1 file changed, 2 insertions(+)", Some([Some("1"), Some("2"), None])),
            (" 2 files changed, 3 insertions(+), 4 deletions(-)", Some([Some("2"), Some("3"), Some("4")])),
            (" 2 files changed, 1 deletion(-)", Some([Some("2"), None, Some("1")])),
            (" 2 files", None),
            (" x files changed", None),
        ];
        for (line, expected) in rows {
            assert_eq!(sum(line), expected, "{line}");
        }
    }
}
