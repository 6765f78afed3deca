//! Headers of a commit as git stores them, which `git log --format=raw` prints.

use std::borrow::Cow;

use crate::payload::notation::moments::of_seconds;

/// Headers as they are written and as they are called in a record. Those of several lines continue after a space.
const HEADERS: [(&str, &str); 8] = [
    ("tree ", "tree"),
    ("parent ", "parents"),
    ("author ", "author"),
    ("committer ", "committer"),
    ("encoding ", "encoding"),
    ("gpgsig ", "gpgsig"),
    ("gpgsig-sha256 ", "gpgsig_sha256"),
    ("mergetag ", "mergetag"),
];

/// What has been read of them.
#[derive(Debug, Default)]
pub(super) struct RawHeaders<'a>(Vec<(&'static str, Cow<'a, str>)>);

impl<'a> RawHeaders<'a> {
    /// Takes a line before the message; false for another one.
    pub(super) fn take(&mut self, line: &'a str) -> bool {
        if let (Some((_, value)), Some(more)) = (self.0.last_mut(), line.strip_prefix(' ')) {
            value.to_mut().push('\n');
            value.to_mut().push_str(more);
            return true;
        }
        if line.is_empty() && self.is_open() {
            // Who prints it may leave out the space of a blank line.
            self.0.last_mut().into_iter().for_each(|(_, value)| value.to_mut().push('\n'));
            return true;
        }
        let header = HEADERS.iter().find_map(|(written, key)| Some((*key, line.strip_prefix(written)?)));
        let Some((key, value)) = header else { return false };
        match self.0.last_mut() {
            // A merge has several parents, as in the line `Merge:` of other logs.
            Some((last, parents)) if *last == key && key == "parents" => {
                parents.to_mut().push(' ');
                parents.to_mut().push_str(value);
            }
            _ => self.0.push((key, value.into())),
        }
        true
    }

    /// True within a signature, which blank lines do not end.
    pub(super) fn is_open(&self) -> bool {
        let last = self.0.last().filter(|(key, _)| key.starts_with("gpgsig"));
        last.is_some_and(|(_, value)| value.contains("-----BEGIN") && !value.contains("-----END"))
    }

    /// The fields of a record, in order.
    pub(super) fn fields(&self) -> impl Iterator<Item = (&'static str, Cow<'_, str>)> {
        self.0
            .iter()
            .flat_map(|(key, value)| {
                let date = match *key {
                    "author" => "date",
                    "committer" => "commit_date",
                    _ => "",
                };
                match person(value).filter(|_| !date.is_empty()) {
                    Some((name, moment)) => [Some((*key, name.into())), Some((date, moment.into()))],
                    None => [Some((*key, value.as_ref().into())), None],
                }
            })
            .flatten()
    }
}

/// A name with an address, and a moment: `A B <a@b> 1700000000 +0100`.
fn person(value: &str) -> Option<(&str, String)> {
    let (rest, zone) = value.rsplit_once(' ')?;
    let (name, seconds) = rest.rsplit_once(' ')?;
    Some((name, of_seconds(seconds.parse().ok()?, zone)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_become_fields() {
        let mut headers = RawHeaders::default();
        let lines = [
            "tree 01",
            "parent 02",
            "parent 03",
            "author A B <a@b> 1757239205 +0200",
            "committer C <c@d> soon",
            "gpgsig -----BEGIN",
            " ",
            " x",
        ];
        for line in lines {
            assert!(headers.take(line), "{line}");
        }
        assert!(!headers.take("Author: x") && !RawHeaders::default().take(" x"));
        let found: Vec<String> = headers.fields().map(|(key, value)| format!("{key}={value}")).collect();
        let expected = [
            "tree=01",
            "parents=02 03",
            "author=A B <a@b>",
            "date=2025-09-07T12:00:05+02:00",
            "committer=C <c@d> soon",
            "gpgsig=-----BEGIN\n\nx",
        ];
        assert_eq!(found, expected);
    }
}
