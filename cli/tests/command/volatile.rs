//! What differs from run to run, under names: `DIR` is the case's folder, `TMP` the temporary directory, `ULID` and
//! `TIME` are of now, `UID` is the user. What stands in the case itself is not of now.

use regex::Regex;

use crate::run::{Place, Printed};

/// Patterns and the names for what they find.
const OF_NOW: [(&str, &str); 6] = [
    (r"\bTMP/lro-\d+\b", "TMP/lro-UID"),
    (r"\b[0-7][0-9A-HJKMNP-TV-Z]{25}\b", "ULID"),
    (r"_[0-7][0-9a-hjkmnp-tv-z]{25}\b", "_ULID"),
    (r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", "TIME"),
    // In a response that is a string of another document.
    (r#"\\"expires_at\\":\\"[^\\]+"#, r#"\"expires_at\":\"TIME"#),
    (r#""expires_at":"[^"]+"\},"_meta""#, r#""expires_at":"TIME"},"_meta""#),
];

/// What was printed, with names for what is volatile.
pub(crate) fn named(printed: &Printed, place: &Place) -> Printed {
    let name = |text: &str| {
        let mut text = text.replace(&place.folder.display().to_string(), "DIR");
        text = text.replace(&place.temporary.display().to_string(), "TMP");
        for (pattern, name) in OF_NOW {
            let pattern = Regex::new(pattern).expect("the pattern is a regular expression");
            let replaced = pattern.replace_all(&text, |found: &regex::Captures<'_>| match &found[0] {
                given if place.given.contains(given) => given.to_owned(),
                _ => name.to_owned(),
            });
            text = replaced.into_owned();
        }
        text
    };
    Printed { status: printed.status, stdout: name(&printed.stdout), stderr: name(&printed.stderr) }
}
