//! What `grep -n`, `git grep -n` and `rg` print: a record for each line of a file. Compilers and checkers write the same
//! when they have one line for each fault.

mod counts;
mod lines;

use std::collections::BTreeSet;

use lro_query::json::push_quoted;

use self::lines::{Hit, Part, Parts};
use super::Reading;
use super::diff::unquoted;
use super::output::{Output, few};

/// One of the first lines of a result is a line of a file; the others may be headings or errors.
const MOST_HEADINGS: usize = 3;

/// Fewer lines are easy to read as they are.
const LEAST_HITS: usize = 3;

/// A search names each file once, in one piece, and its lines in order. One in so many may do otherwise: outputs of two
/// searches follow each other.
const DISORDER: usize = 10;

/// After so many lines it is known whether they are those of a search: most logs have a time in each line.
const LOOK_LINES: usize = 32;

/// Whether files recur is known from so many of them.
const MOST_FILES: usize = 1000;

/// Reads the result of a search.
pub(super) fn read(text: &str) -> Option<Reading<'_>> {
    let begins = |has_paths| {
        let mut parts =
            Parts::of(super::sample(text), has_paths).filter(|part| *part != Part::Gap).take(MOST_HEADINGS + 1);
        parts.any(|part| matches!(part, Part::Hit(_)))
    };
    let survey = [true, false].into_iter().filter(|has_paths| begins(*has_paths)).find_map(|has_paths| {
        let survey = Survey::of(text, has_paths)?;
        survey.is_search().then_some(survey)
    });
    match survey {
        Some(survey) => survey.write(text),
        None => counts::read(text),
    }
}

/// What is known of a result.
#[derive(Debug, Default)]
struct Survey {
    has_paths: bool,
    /// Lines that were found, and those around them.
    matches: usize,
    around: usize,
    /// Notes and gaps.
    others: usize,
    misfits: usize,
    /// Lines that follow one of another file.
    files: usize,
    /// Files that came before.
    recurring: usize,
    /// Lines with a number that is not above the one before, and those of them with the same number.
    falling: usize,
    repeated: usize,
    /// Lines whose path has a folder.
    in_folders: usize,
    /// Lines whose path has a file's extension, or begins as no name does.
    of_files: usize,
    /// Lines whose path has a space.
    with_space: usize,
    /// Matches that begin with a number and a colon.
    with_column: usize,
    /// Matches that go on as a time does: two digits, and no third one.
    timed: usize,
    /// Matches whose text begins with one space before a letter, after the column if there is one.
    spaced: usize,
    /// Matches that are places of a stack, or have a number for a text, as lists of places have.
    placed: usize,
}

impl Survey {
    /// Looks at all lines; `None` as soon as most of them are something else.
    fn of(text: &str, has_paths: bool) -> Option<Self> {
        let mut survey = Self { has_paths, ..Self::default() };
        let mut known: BTreeSet<&str> = BTreeSet::new();
        let mut before: Option<Hit<'_>> = None;
        for part in Parts::of(text, has_paths) {
            match part {
                Part::Hit(hit) => {
                    match before.filter(|before| before.path == hit.path) {
                        Some(before) => {
                            survey.falling += usize::from(hit.line < before.line);
                            survey.repeated += usize::from(hit.line == before.line);
                        }
                        None => {
                            survey.files += 1;
                            let is_new = known.len() >= MOST_FILES || known.insert(hit.path);
                            survey.recurring += usize::from(!is_new);
                        }
                    }
                    survey.see(&hit);
                    before = Some(hit);
                }
                Part::Note(..) | Part::Gap => survey.others += 1,
                Part::Other(..) => survey.misfits += 1,
            }
            let fitting = survey.matches + survey.around + survey.others;
            if survey.matches + survey.around == LOOK_LINES && !survey.is_search() {
                return None;
            }
            if !few(survey.misfits, 3 * fitting + LEAST_HITS) || !has_paths && survey.misfits > 0 {
                return None;
            }
        }
        Some(survey)
    }

    fn see(&mut self, hit: &Hit<'_>) {
        let (_, name) = hit.path.rsplit_once(['/', '\\']).map_or(("", hit.path), |(folder, name)| (folder, name));
        self.in_folders += usize::from(name.len() < hit.path.len());
        let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
        let has_extension = extension.bytes().any(|byte| byte.is_ascii_alphabetic());
        self.of_files += usize::from(has_extension || hit.path.starts_with(['/', '.']));
        self.with_space += usize::from(hit.path.contains(' '));
        if !hit.is_match {
            self.around += 1;
            return;
        }
        self.matches += 1;
        let column = column(hit.rest);
        let text = column.map_or(hit.rest, |(_, text)| text);
        self.with_column += usize::from(column.is_some());
        self.timed += usize::from(is_timed(text));
        self.spaced +=
            usize::from(text.strip_prefix(' ').is_some_and(|text| text.starts_with(|c: char| c.is_ascii_alphabetic())));
        let is_place = ["in '", "in `", "in \""].iter().any(|start| hit.rest.starts_with(start));
        let is_number = !hit.rest.is_empty() && hit.rest.bytes().all(|byte| byte.is_ascii_digit());
        self.placed += usize::from(is_place || is_number);
    }

    /// True if the lines are those of a search.
    fn is_search(&self) -> bool {
        let lines = self.matches + self.around;
        let falling = self.falling + if self.has_columns() { 0 } else { self.repeated };
        let is_ordered = falling * DISORDER <= lines && self.recurring * DISORDER <= self.files;
        // In a log, words and a time stand before the place in a program, so hardly two lines have the same.
        let are_logged = self.with_space * 2 > lines && self.files * 2 > lines;
        // Names with numbers may be hosts with ports. It is a search if they are files, or some file has several lines.
        let are_files = self.of_files * 2 >= lines;
        let is_found = if self.has_paths {
            let has_several = lines > self.files;
            let is_in_folders = self.in_folders * 2 >= lines && (are_files || has_several);
            !are_logged && (is_in_folders || are_files && has_several)
        } else {
            // A list of times, or a numbered list.
            falling == 0 && self.timed * 2 < self.matches && self.spaced < self.matches
        };
        let counted = if self.has_paths { lines } else { self.matches };
        let is_kind = self.matches > 0 && counted >= LEAST_HITS && self.placed * 2 < self.matches;
        is_kind && is_ordered && is_found && few(self.misfits, lines + self.others)
    }

    /// Numbers after lines are columns; the first part of a time looks like one.
    fn has_columns(&self) -> bool {
        self.with_column == self.matches && self.timed * 2 < self.matches
    }

    fn write<'a>(&self, text: &'a str) -> Option<Reading<'a>> {
        let mut output = Output::of(text);
        let mut path = ("", String::from("{"));
        let is_spaced = self.has_paths && self.around == 0 && self.spaced == self.matches;
        for part in Parts::of(text, self.has_paths) {
            match part {
                Part::Hit(hit) => {
                    if hit.path != path.0 {
                        path = (hit.path, path_member(hit.path));
                    }
                    let (column, text) = match column(hit.rest).filter(|_| self.has_columns() && hit.is_match) {
                        Some((column, text)) => (Some(column), text),
                        None => (None, hit.rest),
                    };
                    let mut json = String::with_capacity(path.1.len() + text.len() + 48);
                    json.push_str(&path.1);
                    json.push_str("\"line\":");
                    json.push_str(&hit.line.to_string());
                    if let Some(column) = column {
                        json.push_str(",\"column\":");
                        json.push_str(column);
                    }
                    if self.around > 0 {
                        json.push_str(if hit.is_match { ",\"match\":true" } else { ",\"match\":false" });
                    }
                    json.push_str(",\"text\":");
                    push_quoted(&mut json, if is_spaced && hit.is_match { text.trim_start() } else { text });
                    json.push('}');
                    output.record(1, json)?;
                }
                Part::Note(path, line) => {
                    let mut json = path_member(path);
                    json.push_str("\"line\":null,\"text\":");
                    push_quoted(&mut json, line);
                    json.push('}');
                    output.record(1, json)?;
                }
                Part::Gap => output.fits(1),
                Part::Other(number, line) => output.line(number, line)?,
            }
        }
        output.finish("grep")
    }
}

/// The beginning of a record; git writes unusual paths in quotes.
fn path_member(path: &str) -> String {
    let mut json = String::from("{\"path\":");
    push_quoted(&mut json, &unquoted(path));
    json.push(',');
    json
}

/// A column and the text after it.
fn column(rest: &str) -> Option<(&str, &str)> {
    let (column, text) = rest.split_once(':')?;
    let is_column = (1..=7).contains(&column.len()) && column.bytes().all(|byte| byte.is_ascii_digit());
    (is_column && !column.starts_with('0')).then_some((column, text))
}

fn is_timed(text: &str) -> bool {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    digits == 2
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::payload::notation::tests::lines_of;

    #[test]
    fn hits_become_records() {
        let rows = [
            (
                "src/a.rs:3:fn a() {\nsrc/a.rs:12:    x:12:y\nsrc/b c.rs:1:\ngrep: src/x: Permission denied\nBinary file src/d matches\n",
                "grep {\"path\":\"src/a.rs\",\"line\":3,\"text\":\"fn a() {\"}\n{\"path\":\"src/a.rs\",\"line\":12,\"text\":\"    x:12:y\"}\n{\"path\":\"src/b c.rs\",\"line\":1,\"text\":\"\"}\n{\"path\":\"src/x\",\"line\":null,\"text\":\"grep: src/x: Permission denied\"}\n{\"path\":\"src/d\",\"line\":null,\"text\":\"Binary file src/d matches\"}",
            ),
            // Lines around hits, with numbers in the name and times in the text.
            (
                "d/a-1-b.log-7-10:30:45 x\nd/a-1-b.log:8:y\n--\nd/c.log:5:z\nd/c.log-6-10:30:46 x\nd/c.log:7:-3-\n",
                "grep {\"path\":\"d/a-1-b.log\",\"line\":7,\"match\":false,\"text\":\"10:30:45 x\"}\n{\"path\":\"d/a-1-b.log\",\"line\":8,\"match\":true,\"text\":\"y\"}\n{\"path\":\"d/c.log\",\"line\":5,\"match\":true,\"text\":\"z\"}\n{\"path\":\"d/c.log\",\"line\":6,\"match\":false,\"text\":\"10:30:46 x\"}\n{\"path\":\"d/c.log\",\"line\":7,\"match\":true,\"text\":\"-3-\"}",
            ),
            (
                "C:\\a.rs:1:5:use x;\nC:\\a.rs:1:9:use x;\nC:\\b.rs:2:1:x\n",
                "grep {\"path\":\"C:\\\\a.rs\",\"line\":1,\"column\":5,\"text\":\"use x;\"}\n{\"path\":\"C:\\\\a.rs\",\"line\":1,\"column\":9,\"text\":\"use x;\"}\n{\"path\":\"C:\\\\b.rs\",\"line\":2,\"column\":1,\"text\":\"x\"}",
            ),
            (
                "a/x.py:3: error: no\na/x.py:7: note: yes\na/y.py:1: error: no\nFound 2 errors in 2 files\n",
                "grep {\"path\":\"a/x.py\",\"line\":3,\"text\":\"error: no\"}\n{\"path\":\"a/x.py\",\"line\":7,\"text\":\"note: yes\"}\n{\"path\":\"a/y.py\",\"line\":1,\"text\":\"error: no\"}\n{\"line\":4,\"text\":\"Found 2 errors in 2 files\"}",
            ),
            // Times in a file are not columns.
            (
                "v/a.log:5:12:30:45 x\nv/a.log:6:12:30:46 x\nv/a.log:7:12:31:00 x\n",
                "grep {\"path\":\"v/a.log\",\"line\":5,\"text\":\"12:30:45 x\"}\n{\"path\":\"v/a.log\",\"line\":6,\"text\":\"12:30:46 x\"}\n{\"path\":\"v/a.log\",\"line\":7,\"text\":\"12:31:00 x\"}",
            ),
            (
                "3:use a;\n4-\n--\n12-x\n13:use b: c;\n20:use d;\n",
                "grep {\"line\":3,\"match\":true,\"text\":\"use a;\"}\n{\"line\":4,\"match\":false,\"text\":\"\"}\n{\"line\":12,\"match\":false,\"text\":\"x\"}\n{\"line\":13,\"match\":true,\"text\":\"use b: c;\"}\n{\"line\":20,\"match\":true,\"text\":\"use d;\"}",
            ),
            (
                "a/b.rs:0\na/c.rs:12\na/d:e.rs:1\n",
                "grep-count {\"path\":\"a/b.rs\",\"count\":0}\n{\"path\":\"a/c.rs\",\"count\":12}\n{\"path\":\"a/d:e.rs\",\"count\":1}",
            ),
        ];
        for (text, expected) in rows {
            assert_eq!(lines_of(read(text)), expected, "{text}");
        }
    }

    #[test]
    fn other_lines_with_numbers_between_colons_stay_lines() {
        let texts = [
            "12:30:45 a\n12:31:45 b\n13:00:01 c\n",
            "09:15 a\n10:30 b\n11:45 c\n",
            "2026-01-01 12:30:45 a\n2026-01-01 12:31:45 b\n2026-01-01 12:32:45 c\n",
            "2026-01-01T12:30:45Z a/b\n2026-01-01T12:31:45Z b\n2026-01-01T12:32:45Z c\n",
            "2026/01/01 12:30:45 [error] a\n2026/01/01 12:31:45 [error] b\n2026/01/01 12:32:45 [error] c\n",
            "Jan  1 12:30:45 h /usr/sbin/cron[1]: a\nJan  1 12:31:45 h b\nJan  1 12:32:45 h c\n",
            "1.2.3.4 - - [01/Jan/2026:10:30:45 +0000] a\n1.2.3.5 - - [01/Jan/2026:11:30:45 +0000] a\n1.2.3.6 - - [01/Jan/2026:12:30:45 +0000] a\n",
            "example.com:443:open\nwww.example.org:8080:open\nexample.net:80:closed\n",
            "http://a/b:80:x\nhttp://a/c:80:x\nhttp://a/d:80:x\n",
            "h1:/a/b:1:rw\nh2:/a/b:2:rw\nh3:/a/b:3:rw\n",
            "lib/a:1:x\nlib/b:2:x\nlib/c:3:x\n",
            "root:x:0:0:root:/root:/bin/bash\ndaemon:x:1:1:daemon:/usr/sbin:/usr/sbin/nologin\nbin:x:2:2:bin:/bin:/usr/sbin/nologin\nsys:x:3:3:sys:/dev:/bin/sh\n",
            "a: 1\nb: 2\nc:\n  d: 12:30\n",
            "a:1:x\nb:2:y\nc:3:z\n",
            "Error: x\n    at f (/a/b.js:12:5)\n    at g (/a/b.js:14:5)\n    at h (/a/c.js:1:5)\n",
            "/a/b.rb:12:in 'f'\n/a/c.rb:13:in 'g'\n/a/d.rb:14:in 'h'\n",
            "src/a.c:12: a\nsrc/b.c:13: b\nsrc/a.c:12: a\nsrc/b.c:13: b\nsrc/a.c:12: a\n",
            "src/a.c:12:a\nsrc/a.c:12:a\nsrc/a.c:12:a\n",
            "2026-01-01 12:00:00 INFO src/a.py:3: x\n2026-01-01 12:00:01 INFO src/b.py:4: x\n2026-01-01 12:00:02 INFO src/a.py:3: x\n",
            "a/b 12:30:45 x\na/b 12:31:45 y\na/b 12:32:45 z\n",
            "0 5 * * * root /a/b:1:x\n0 6 * * * root /a/b:2:x\n0 7 * * * root /a/c:3:x\n",
            "/a/b.js:3:5\n/a/b.js:4:5\n/a/c.js:1:1\n",
            "src/a.rs:12\nsrc/b.rs:13\nsrc/c.rs:14\n",
            "1: lo: <UP>\n2: eth0: <UP>\n3: eth1: <UP>\n",
            "1:1 In the beginning\n1:2 And\n1:3 And\n",
            "12:cpu:/\n11:devices:/\n10:pids:/\n",
            "1. a\n2. b\n3. c\n",
            "3-a\n4-b\n5-c\n",
        ];
        for text in texts {
            assert_eq!(lines_of(read(text)), "", "{text}");
        }
    }
}
