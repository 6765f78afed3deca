//! The difference that an edit makes, without the secrets that configurations contain.

use std::collections::BTreeSet;

use serde_json::Value;
use similar::TextDiff;

/// Lines around a change.
const CONTEXT: usize = 2;

const HIDDEN: &str = "…";

/// Texts that may be shown: what we write, and what is known to be no secret.
#[derive(Default)]
pub(crate) struct Public(BTreeSet<String>);

impl Public {
    /// All texts of a value may be shown.
    pub(crate) fn add(&mut self, value: &Value) {
        match value {
            Value::String(text) => {
                self.0.insert(text.clone());
            }
            Value::Array(elements) => elements.iter().for_each(|element| self.add(element)),
            Value::Object(members) => members.values().for_each(|member| self.add(member)),
            _ => {}
        }
    }

    fn has(&self, literal: &str) -> bool {
        let text = literal.get(1..literal.len().saturating_sub(1)).unwrap_or_default();
        let parsed = serde_json::from_str::<String>(literal).unwrap_or_else(|_| text.to_owned());
        self.0.contains(&parsed)
    }
}

/// The unified difference between two texts. Keys are shown, and texts only if they are public; without a set all are.
pub(crate) fn unified(name: &str, before: &str, after: &str, public: Option<&Public>) -> String {
    let difference = TextDiff::from_lines(before, after);
    let shown = difference.unified_diff().context_radius(CONTEXT).missing_newline_hint(false).to_string();
    let lines = shown.lines().filter(|line| !line.is_empty()).map(|line| {
        let line = line.trim_end_matches('\r');
        match public {
            Some(public) if !line.starts_with("@@") => masked(line, public),
            _ => line.to_owned(),
        }
    });
    let header = [format!("--- {name}"), format!("+++ {name}")];
    header.into_iter().chain(lines).map(|line| line + "\n").collect()
}

/// A line with the texts hidden that are not keys and not public, and with what is not a text hidden where it could be
/// part of one.
fn masked(line: &str, public: &Public) -> String {
    let mut out = String::new();
    let mut rest = line;
    while let Some(start) = rest.find(['"', '\'']) {
        out.push_str(&words_hidden(&rest[..start]));
        let quote = rest.as_bytes()[start];
        let end = literal_end(&rest.as_bytes()[start..], quote).map(|end| start + end);
        let literal = &rest[start..end.unwrap_or(rest.len())];
        let after = end.map_or("", |end| &rest[end..]);
        let is_key =
            after.trim_start().starts_with([':', '=']) || after.trim_start().starts_with(['.', ']']) && is_header(line);
        let quote = char::from(quote);
        match is_key || literal.len() == 2 || public.has(literal) {
            true => out.push_str(literal),
            false => out.push_str(&format!("{quote}{HIDDEN}{quote}")),
        }
        rest = after;
    }
    out.push_str(&words_hidden(rest));
    out
}

/// True for the header of a table of TOML.
fn is_header(line: &str) -> bool {
    line.get(1..).is_some_and(|line| line.trim_start().starts_with('['))
}

/// Where a literal ends, its quotes included.
fn literal_end(bytes: &[u8], quote: u8) -> Option<usize> {
    let mut at = 1;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' if quote == b'"' => at += 1,
            byte if byte == quote => return Some(at + 1),
            _ => {}
        }
        at += 1;
    }
    None
}

/// Hides long words with digits: in comments and in texts of several lines a key can stand without quotes.
fn words_hidden(text: &str) -> String {
    const LONGEST: usize = 15;
    let is_secret = |word: &str| {
        word.len() > LONGEST && word.contains(|letter: char| letter.is_ascii_digit()) && !word.starts_with("@@")
    };
    let mut out = String::new();
    for word in text.split_inclusive(char::is_whitespace) {
        let blank = word.len() - word.trim_end().len();
        match is_secret(word.trim_end()) {
            true => out.push_str(&format!("{HIDDEN}{}", &word[word.len() - blank..])),
            false => out.push_str(word),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn secrets_are_hidden_and_keys_are_shown() {
        let mut public = Public::default();
        public.add(&json!(["/x/lro", "mcp", "a\"b"]));
        let rows = [
            (r#" "env": {"TOKEN": "sk-1"},"#, r#" "env": {"TOKEN": "…"},"#),
            (r#"+"command": "/x/lro", "args": ["mcp", "--key=1"]"#, r#"+"command": "/x/lro", "args": ["mcp", "…"]"#),
            (r#"+"a\"b" "a\"c""#, r#"+"a\"b" "…""#),
            (" key = 'it is' # note", " key = '…' # note"),
            (" [mcp_servers.\"my server\".env]", " [mcp_servers.\"my server\".env]"),
            (" # old key abcdef0123456789abcdef", " # old key …"),
            (" \"open", " \"…\""),
            (" }", " }"),
        ];
        for (line, expected) in rows {
            assert_eq!(masked(line, &public), expected, "{line}");
        }
    }
}
