//! Values as SQL writes them: `('libs', 'perl')`, `like 'abc%'`.

use super::condition::Operator;

/// The value of a list that is in single quotes; two quotes in it are one.
pub(super) fn value(text: &str) -> Option<String> {
    quoted(text).filter(|(_, after)| after.is_empty()).map(|(value, _)| value)
}

/// The text in single quotes that a text begins with, and what follows.
fn quoted(text: &str) -> Option<(String, &str)> {
    let mut rest = text.strip_prefix('\'')?;
    let mut value = String::new();
    loop {
        let (part, after) = rest.split_once('\'')?;
        value.push_str(part);
        match after.strip_prefix('\'') {
            Some(next) => {
                value.push('\'');
                rest = next;
            }
            None => return Some((value, after)),
        }
    }
}

/// The length of the text in single quotes that a text begins with, if it ends as a value does.
pub(super) fn length(text: &str) -> Option<usize> {
    let (_, after) = quoted(text)?;
    let ends = after.is_empty() || after.starts_with(|c: char| c.is_whitespace() || ",)]|&".contains(c));
    ends.then_some(text.len() - after.len())
}

/// A text without the quotes around it, single or double.
pub(super) fn unquoted(text: &str) -> String {
    value(text).or_else(|| serde_json::from_str(text).ok()).unwrap_or_else(|| text.to_owned())
}

/// What `like` means: `%` stands for any text, `_` for any character, and a backslash takes the next one as it is.
/// Letter case is ignored, as `~=` and `=~` do.
pub(super) fn like(pattern: &str) -> (Operator, String) {
    let inner = pattern.trim_matches('%');
    if pattern.starts_with('%') && pattern.ends_with('%') && !inner.contains(['%', '_', '\\']) {
        return (Operator::Contains, inner.to_owned());
    }
    let (mut regex, mut characters) = (String::new(), pattern.chars());
    while let Some(character) = characters.next() {
        match character {
            '%' => regex.push_str(".*"),
            '_' => regex.push('.'),
            '\\' => regex.push_str(&regex::escape(&characters.next().unwrap_or('\\').to_string())),
            other => regex.push_str(&regex::escape(&other.to_string())),
        }
    }
    let (start, body) = regex.strip_prefix(".*").map_or(("^", &*regex), |body| ("", body));
    let is_open = pattern.ends_with('%') && !pattern.ends_with("\\%");
    let (end, body) = body.strip_suffix(".*").filter(|_| is_open).map_or(("$", body), |body| ("", body));
    // A newline is a character, too.
    let flag = if pattern.trim_matches('%').contains(['%', '_']) && body.contains('.') { "(?s)" } else { "" };
    (Operator::Matches, format!("{flag}{start}{body}{end}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wildcards_of_sql_are_patterns() {
        let rows = [
            ("%a.b%", Operator::Contains, "a.b"),
            ("a.b%", Operator::Matches, "^a\\.b"),
            ("%a.b", Operator::Matches, "a\\.b$"),
            ("a%b", Operator::Matches, "(?s)^a.*b$"),
            ("_a%", Operator::Matches, "(?s)^.a"),
            ("100\\%", Operator::Matches, "^100%$"),
        ];
        for (pattern, operator, expected) in rows {
            assert_eq!(like(pattern), (operator, expected.to_owned()), "{pattern}");
        }
    }
}
