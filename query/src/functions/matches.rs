//! Where a regular expression matches in a text, as jq counts it: a `$` before the last newline leaves the newline out.

use std::ops::Range;

use regex::{Captures, Regex};

use super::regex::is_newline_group;

/// A match and its groups.
pub(crate) struct Found<'t> {
    captures: Captures<'t>,
    /// Groups of the pattern as it was written, and the match itself.
    groups: usize,
    /// What is behind this byte is the newline after a `$`, and no part of the match.
    end: usize,
}

impl Found<'_> {
    /// How many groups the pattern has, the whole match counted as one.
    pub(crate) fn len(&self) -> usize {
        self.groups
    }

    /// Where the match stands in the text.
    pub(crate) fn whole(&self) -> Range<usize> {
        self.cut(self.captures.get_match())
    }

    /// The names of the groups and where they stand, in the order of the pattern.
    pub(crate) fn groups<'r>(&self, regex: &'r Regex) -> impl Iterator<Item = (Option<&'r str>, Option<Range<usize>>)> {
        let groups = regex.capture_names().zip(self.captures.iter()).skip(1);
        groups
            .filter(|(name, _)| !name.is_some_and(is_newline_group))
            .map(|(name, group)| (name, group.map(|group| self.cut(group))))
    }

    fn cut(&self, part: regex::Match<'_>) -> Range<usize> {
        part.start().min(self.end)..part.end().min(self.end)
    }
}

/// The matches in a text, one after the other. An empty one that touches the match before it is left out.
pub(super) struct Matches<'t> {
    regex: &'t Regex,
    newline_groups: Vec<usize>,
    text: &'t str,
    /// Where the next match is looked for.
    from: usize,
    /// Where the last match ended.
    last_end: Option<usize>,
}

impl<'t> Matches<'t> {
    pub(super) fn of(regex: &'t Regex, text: &'t str) -> Self {
        let names = regex.capture_names().enumerate();
        let is_newline = |(at, name): (usize, Option<&str>)| name.is_some_and(is_newline_group).then_some(at);
        Self { regex, newline_groups: names.filter_map(is_newline).collect(), text, from: 0, last_end: None }
    }

    fn first_from(&self, from: usize) -> Option<Found<'t>> {
        let captures = self.regex.captures_at(self.text, from)?;
        let newlines = self.newline_groups.iter().filter_map(|group| captures.get(*group));
        let end = newlines.map(|newline| newline.start()).min().unwrap_or(self.text.len());
        Some(Found { groups: captures.len() - self.newline_groups.len(), captures, end })
    }
}

impl<'t> Iterator for Matches<'t> {
    type Item = Found<'t>;

    fn next(&mut self) -> Option<Found<'t>> {
        let mut found = self.first_from(self.from)?;
        if found.whole().is_empty() && Some(found.whole().end) == self.last_end {
            let step = self.text[self.from..].chars().next()?.len_utf8();
            found = self.first_from(self.from + step)?;
        }
        self.from = found.whole().end;
        self.last_end = Some(self.from);
        Some(found)
    }
}

#[cfg(test)]
mod tests {
    use crate::{Limits, Value, outputs};

    /// What a match gives in short: offset, length, string, and the same of its captures.
    const SHORT: &str = "[.offset, .length, .string, (.captures | map([.offset, .length, .string, .name]))]";

    fn matched(text: &str, pattern: &str, flags: &str) -> String {
        let filter = format!("[{} | match({}; \"{flags}\") | {SHORT}]", Value::from(text), Value::from(pattern));
        let (found, failure) = outputs(&filter, Value::default(), &Limits::default()).unwrap();
        assert!(failure.is_none(), "{filter}");
        found.join(" ")
    }

    #[test]
    fn a_dollar_leaves_the_last_newline_out() {
        let rows = [
            ("ab\n", "b$", "", r#"[[1,1,"b",[]]]"#),
            ("ab\n", "$", "", r#"[[2,0,"",[]]]"#),
            ("ab\n", "$", "g", r#"[[2,0,"",[]],[3,0,"",[]]]"#),
            ("ab\n", "(b)($)", "", r#"[[1,1,"b",[[1,1,"b",null],[2,0,"",null]]]]"#),
            ("ab\n", "(?<x>b$)", "", r#"[[1,1,"b",[[1,1,"b","x"]]]]"#),
            ("ab\n", "b$$", "", r#"[[1,1,"b",[]]]"#),
            ("ab\n", r"b\Z", "", r#"[[1,1,"b",[]]]"#),
            ("ab\n", r"b\z", "", "[]"),
            ("ab\n", "^$", "", "[]"),
            ("\n", "^$", "", r#"[[0,0,"",[]]]"#),
            ("a\n\n", r"\n$", "g", r#"[[1,1,"\n",[]],[2,1,"\n",[]]]"#),
            ("a \n", r"\s+$", "", r#"[[1,2," \n",[]]]"#),
            ("a\nb\n", "(?m)^.$", "g", r#"[[0,1,"a",[]],[2,1,"b",[]]]"#),
            ("ab\n", "b $ # the $ at the end", "x", r#"[[1,1,"b",[]]]"#),
            ("b\n", "$", "gn", "[]"),
            ("aé", "x*", "g", r#"[[0,0,"",[]],[1,0,"",[]],[2,0,"",[]]]"#),
        ];
        for (text, pattern, flags, expected) in rows {
            assert_eq!(matched(text, pattern, flags), expected, "{pattern} in {text:?}");
        }
    }

    #[test]
    fn what_is_made_of_matches_keeps_the_last_newline() {
        let rows = [
            (r#""ab\n" | sub("b$"; "X")"#, r#""aX\n""#),
            (r#""line1\nline2\n" | gsub("[0-9]$"; "%")"#, r#""line1\nline%\n""#),
            (r#""ab\n" | [scan(".$")]"#, r#"["b"]"#),
            (r#""ab\n" | [scan("(a|b)$")]"#, r#"[["b"]]"#),
            (r#""a,b,\n" | [splits(",$|,")]"#, r#"["a","b","\n"]"#),
            (r#""ab\n" | capture("(?<all>.*)$")"#, r#"{"all":"ab"}"#),
            (r#""ab\n" | [test("b$", "^ab$", "a$", "b\\Z")]"#, "[true,true,false,true]"),
        ];
        for (filter, expected) in rows {
            let (found, failure) = outputs(filter, Value::default(), &Limits::default()).unwrap();
            assert_eq!((found.join(" ").as_str(), failure.is_none()), (expected, true), "{filter}");
        }
    }
}
