//! Diffs with marked words, as `git diff --word-diff` prints them: `a [-b-]{+c+}`. Their lines begin with no sign, so lines
//! that were added or deleted cannot be counted.

use super::{count_down, ranges};

/// Where each word has a line of its own, this one ends a line of the file.
const END_OF_WORDS: &str = "~";

/// True for a diff in which words are marked. The marks alone may be text: a hunk must have other lines than it says, too.
pub(in crate::payload::notation) fn marks_words(text: &str) -> bool {
    let has = |mark: &str| memchr::memmem::find(text.as_bytes(), mark.as_bytes()).is_some();
    if !has("+}") && !has("-]") && !has("\n~\n") {
        return false;
    }
    let mut hunk = Hunk::default();
    for line in text.lines() {
        match line.starts_with("@@ ").then(|| ranges(line)).flatten() {
            Some(_) if hunk.marks_words() => return true,
            Some(rest) => hunk = Hunk { rest, is_open: true, ..Hunk::default() },
            None if line.starts_with("diff --") && hunk.marks_words() => return true,
            None if line.starts_with("diff --") => hunk = Hunk::default(),
            None if hunk.is_open => hunk.take(line),
            None => {}
        }
    }
    hunk.marks_words()
}

/// What has been read of a hunk.
#[derive(Default)]
struct Hunk {
    is_open: bool,
    /// Lines that it still has, of the old and the new file.
    rest: (usize, usize),
    has_marks: bool,
    has_signs: bool,
    /// A line begins with no sign.
    is_broken: bool,
}

impl Hunk {
    fn take(&mut self, line: &str) {
        if line == END_OF_WORDS {
            (self.has_marks, self.is_broken) = (true, true);
        }
        if self.rest == (0, 0) {
            // Lines beyond those that its heading counts belong to the next commit, unless lines of this hunk have no signs.
            self.has_marks |= !self.has_signs && is_marked(line);
            return;
        }
        self.has_marks |= is_marked(line);
        self.is_broken |= !count_down(&mut self.rest, line);
        self.has_signs |= line.starts_with(['-', '+']);
    }

    /// True if words are marked in it and its lines do not begin with signs.
    fn marks_words(&self) -> bool {
        self.has_marks && (self.is_broken || !self.has_signs || self.rest != (0, 0))
    }
}

/// True for a line with words that are marked.
fn is_marked(line: &str) -> bool {
    let has = |open: &str, close: &str| line.split_once(open).is_some_and(|(_, rest)| rest.contains(close));
    has("[-", "-]") || has("{+", "+}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_count_where_lines_have_no_signs() {
        let rows = [
            ("@@ -1,2 +1,2 @@\none [-a-]{+b+}\ntwo\n", true),
            ("@@ -1,2 +1,2 @@\none\ntwo {+b+}\n", true),
            ("@@ -1,2 +1,2 @@\n    one [-a-]{+b+}\n    two\n", true),
            ("@@ -1,2 +1,2 @@\n- one [-a-]{+b+}\n- two\ndiff --git a/x b/x\n", true),
            ("@@ -1 +1 @@\n one\n-a\n+b\n~\n", true),
            ("@@ -1,2 +1,2 @@\n one \n-a\n+b\n~\n two\n~\n", true),
            ("@@ -1,2 +1,2 @@\n one [-a-]\n-x {+b+}\n+y\n", false),
            ("@@ -1 +1 @@\n-a\n+b\n\ncommit 0123456\n\n    a {+b+}\n", false),
            ("@@ -1,2 +1,2 @@\none a\ntwo\n", false),
            ("a {+b+}\n", false),
        ];
        for (text, expected) in rows {
            assert_eq!(marks_words(text), expected, "{text}");
        }
    }
}
