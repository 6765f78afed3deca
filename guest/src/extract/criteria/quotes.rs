//! Double quotes: how far a text in them goes, and what commas outside of them divide.

use super::sql;

/// The length of the text in double quotes that a text begins with, both quotes included; `None` if it is not closed.
fn length(text: &str) -> Option<usize> {
    let inner = text.strip_prefix('"')?;
    let mut is_escaped = false;
    for (at, byte) in inner.bytes().enumerate() {
        match byte {
            b'"' if !is_escaped => return Some(at + 2),
            b'\\' => is_escaped = !is_escaped,
            _ => is_escaped = false,
        }
    }
    None
}

/// The string in double quotes that a text begins with, and its length.
pub(super) fn string(text: &str) -> Option<(String, usize)> {
    let length = length(text)?;
    Some((serde_json::from_str(&text[..length]).ok()?, length))
}

/// The length of the text in double quotes at this place. A quote in the middle of a word is a part of it: `5" disks`.
pub(super) fn length_at(text: &str, at: usize) -> Option<usize> {
    let before = text[..at].chars().next_back();
    let opens = before.is_none_or(|before| before.is_whitespace() || "=<>~^!,([.-".contains(before));
    length(&text[at..]).filter(|_| opens)
}

/// Names with commas between them, without the blanks around each. A comma in quotes or in brackets is a part of a name.
pub(crate) fn names(text: &str) -> Vec<&str> {
    divided(text, true)
}

/// Values with commas between them, without the blanks around each. A comma in quotes is a part of a value, in single ones
/// too where these are around the whole value.
pub(super) fn values(text: &str) -> Vec<&str> {
    divided(text, false)
}

fn divided(text: &str, brackets_keep: bool) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut start, mut at, mut open) = (0, 0, 0_usize);
    while let Some(byte) = text.as_bytes().get(at) {
        match byte {
            b'"' => at += length_at(text, at).map_or(0, |length| length - 1),
            b'\'' if !brackets_keep && text[start..at].trim().is_empty() => {
                at += sql::length(&text[at..])
                    .filter(|length| is_whole(&text[at + length..]))
                    .map_or(0, |length| length - 1);
            }
            b'(' | b'[' if brackets_keep => open += 1,
            b')' | b']' => open = open.saturating_sub(1),
            b',' if open == 0 => {
                parts.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
        at += 1;
    }
    parts.push(text[start..].trim());
    parts
}

/// True for what follows a whole value.
fn is_whole(after: &str) -> bool {
    after.trim_start().is_empty() || after.trim_start().starts_with(',')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commas_in_quotes_divide_nothing() {
        let rows = [
            (r#"a, b"#, vec!["a", "b"], vec!["a", "b"]),
            (r#""a, b",c"#, vec![r#""a, b""#, "c"], vec![r#""a, b""#, "c"]),
            // Two backslashes are one that does not escape the quote.
            (r#""x\\",y"#, vec![r#""x\\""#, "y"], vec![r#""x\\""#, "y"]),
            (r#""x\",y"#, vec![r#""x\""#, "y"], vec![r#""x\""#, "y"]),
            (r#""x\\\",y",z"#, vec![r#""x\\\",y""#, "z"], vec![r#""x\\\",y""#, "z"]),
            (r#"-"a,b".c,d"#, vec![r#"-"a,b".c"#, "d"], vec![r#"-"a,b".c"#, "d"]),
            (r#"a."b,c",d"#, vec![r#"a."b,c""#, "d"], vec![r#"a."b,c""#, "d"]),
            (r#"5" disks,6" disks"#, vec![r#"5" disks"#, r#"6" disks"#], vec![r#"5" disks"#, r#"6" disks"#]),
            (r#"sum(["a,b"]),c"#, vec![r#"sum(["a,b"])"#, "c"], vec![r#"sum(["a,b"])"#, "c"]),
            ("f(a,b),c", vec!["f(a,b)", "c"], vec!["f(a", "b)", "c"]),
            (":(,:)", vec![":(,:)"], vec![":(", ":)"]),
            ("ü,\"ö,\"", vec!["ü", "\"ö,\""], vec!["ü", "\"ö,\""]),
            ("'a, b' , c", vec!["'a", "b'", "c"], vec!["'a, b'", "c"]),
            ("c,'it''s, d'", vec!["c", "'it''s", "d'"], vec!["c", "'it''s, d'"]),
            ("'tis, 'twas", vec!["'tis", "'twas"], vec!["'tis", "'twas"]),
            ("'a, b' c", vec!["'a", "b' c"], vec!["'a", "b' c"]),
            ("a,", vec!["a", ""], vec!["a", ""]),
            ("", vec![""], vec![""]),
        ];
        for (text, as_names, as_values) in rows {
            assert_eq!((names(text), values(text)), (as_names, as_values), "{text}");
        }
    }
}
