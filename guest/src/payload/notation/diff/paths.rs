//! Paths as git and diff write them: with prefixes, in quotes, before a timestamp.

use std::borrow::Cow;

/// A path without the prefix of git and the timestamp of diff.
pub(super) fn path_of(written: &str) -> Cow<'_, str> {
    without_prefix(unquoted(written.split('\t').next().unwrap_or(written)))
}

fn without_prefix(path: Cow<'_, str>) -> Cow<'_, str> {
    let bare = |path: &str| path.strip_prefix("a/").or_else(|| path.strip_prefix("b/")).map(str::len);
    match (bare(&path), path) {
        (Some(length), Cow::Borrowed(path)) => path[path.len() - length..].into(),
        (Some(length), Cow::Owned(path)) => path[path.len() - length..].to_owned().into(),
        (None, path) => path,
    }
}

/// The paths of the line that a file begins with. What differs has lines of its own.
pub(super) fn sides(header: &str) -> (Option<Cow<'_, str>>, Option<Cow<'_, str>>) {
    if let Some(paths) = header.strip_prefix("diff --git ") {
        let half = paths.len() / 2;
        return match (paths.get(..half), paths.get(half + 1..)) {
            // Both are the same where git writes no prefixes.
            (Some(left), Some(right)) if left == right => (Some(unquoted(left)), Some(unquoted(right))),
            (left, right) => (left.map(path_of), right.map(path_of)),
        };
    }
    let path = match header.strip_prefix("diff --cc ").or_else(|| header.strip_prefix("diff --combined ")) {
        Some(path) => Some(unquoted(path)),
        None => header.split(' ').nth(2).map(path_of),
    };
    (path.clone(), path)
}

/// A path without the quotes and escapes that git writes around signs and letters beyond ASCII. One that is no text
/// stays as it is written.
pub(in crate::payload::notation) fn unquoted(path: &str) -> Cow<'_, str> {
    let Some(inner) = path.strip_prefix('"').and_then(|path| path.strip_suffix('"')) else { return path.into() };
    if !inner.contains('\\') {
        return inner.into();
    }
    unescaped(inner).map_or(path.into(), Cow::Owned)
}

fn unescaped(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((byte, after)) = rest.split_first() {
        rest = after;
        if *byte != b'\\' {
            bytes.push(*byte);
            continue;
        }
        let (escape, after) = rest.split_first()?;
        rest = after;
        bytes.push(match escape {
            b'a' => 7,
            b'b' => 8,
            b't' => b'\t',
            b'n' => b'\n',
            b'v' => 11,
            b'f' => 12,
            b'r' => b'\r',
            b'"' | b'\\' => *escape,
            b'0'..=b'3' => {
                let (digits, after) = rest.split_at_checked(2)?;
                rest = after;
                let digits = std::str::from_utf8(digits).ok()?;
                (*escape - b'0') * 64 + u8::from_str_radix(digits, 8).ok()?
            }
            _ => return None,
        });
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_read_as_they_are() {
        let rows = [
            ("a/x y.rs", "x y.rs"),
            ("b/x\t2020-01-01", "x"),
            (r#""a/\303\274.txt""#, "ü.txt"),
            (r#""a/a \"b\"\t\\.txt""#, "a \"b\"\t\\.txt"),
            (r#""b/plain""#, "plain"),
            // Not UTF-8, and not an escape.
            (r#""b/\374.txt""#, r#""b/\374.txt""#),
            (r#""b/\q""#, r#""b/\q""#),
            ("/dev/null", "/dev/null"),
        ];
        for (written, expected) in rows {
            assert_eq!(path_of(written), expected);
        }
    }

    #[test]
    fn the_first_line_names_the_file() {
        let rows = [
            ("diff --git a/x y b/x y", "x y", "x y"),
            ("diff --git a/x a/x", "a/x", "a/x"),
            (r#"diff --git "a/\303\274" "b/\303\274""#, "ü", "ü"),
            ("diff --cc a/x y", "a/x y", "a/x y"),
            ("diff --combined x", "x", "x"),
        ];
        for (header, left, right) in rows {
            assert_eq!(sides(header), (Some(left.into()), Some(right.into())), "{header}");
        }
    }
}
