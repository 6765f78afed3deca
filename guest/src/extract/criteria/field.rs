//! Fields by their paths: `provenance.confidence`, `user."full name"`, `geometry.coordinates[2]`.

use serde_json::Value;

use super::{quotes, refused};
use crate::error::Error;
use crate::extract::advice::jq_path;

/// Deeper paths make filters that are too long.
const MOST_PARTS: usize = 5;

/// A field by its path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    /// As the caller wrote it, less a leading dot.
    pub(crate) name: String,
    /// The keys that lead to it; none for the record itself.
    pub(crate) parts: Vec<String>,
}

impl Field {
    /// The field that these keys lead to.
    pub(crate) fn of_path(path: &[String]) -> Self {
        Self { name: path.join("."), parts: path.to_vec() }
    }

    /// A dotted path, or an array of keys.
    pub(crate) fn read(value: &Value) -> Result<Self, Error> {
        match value {
            Value::String(text) => Self::of(text),
            Value::Array(parts) if parts.iter().all(Value::is_string) => {
                let parts: Vec<String> = parts.iter().filter_map(Value::as_str).map(str::to_owned).collect();
                Self { name: parts.join("."), parts }.checked()
            }
            other => Err(refused(&format!("{other} is not a valid field"), FIELD_HINT)),
        }
    }

    pub(super) fn of(text: &str) -> Result<Self, Error> {
        let name = text.trim().trim_start_matches('.').trim_end_matches("[]");
        if name.contains('"')
            && let Some(parts) = quoted_keys(name)
        {
            return Self { name: parts.join("."), parts }.checked();
        }
        let parts = name.split('.').map(|part| part.trim_end_matches("[]").to_owned()).collect();
        Self { name: name.to_owned(), parts }.checked()
    }

    fn checked(self) -> Result<Self, Error> {
        let fits = (1..=MOST_PARTS).contains(&self.parts.len()) && self.parts.iter().all(|part| !part.is_empty());
        if fits { Ok(self) } else { Err(refused(&format!("`{}` is not a valid field", self.name), FIELD_HINT)) }
    }

    /// As jq writes it.
    pub(crate) fn jq(&self) -> String {
        let with_places = |part: &String| match places(part) {
            Some((key, _)) => jq_path(&[key.to_owned()]) + &part[key.len()..],
            None => jq_path(std::slice::from_ref(part)),
        };
        match self.parts.iter().any(|part| places(part).is_some()) {
            true => self.parts.iter().map(with_places).collect(),
            false => jq_path(&self.parts),
        }
    }

    /// A path as a caller types it: keys that a text would divide stand in double quotes.
    pub(crate) fn typed(path: &[String]) -> String {
        let is_apart = |c: char| c.is_whitespace() || ".,\"'()[]=<>!~^|&".contains(c);
        let keys = path.iter().map(|key| match key.is_empty() || key.contains(is_apart) && places(key).is_none() {
            true => Value::from(key.as_str()).to_string(),
            false => key.clone(),
        });
        keys.collect::<Vec<_>>().join(".")
    }

    /// The list that an element is asked of; `None` where no element is.
    pub(crate) fn list(&self) -> Option<Self> {
        let at = self.parts.iter().position(|part| places(part).is_some())?;
        let mut parts = self.parts[..=at].to_vec();
        let key = places(&parts[at])?.0.len();
        parts[at].truncate(key);
        Some(Self::of_path(&parts))
    }
}

/// The keys of a path of which some are in double quotes, as jq writes them: `user."full name"`, `["a.b"].c`; `None` if
/// the quotes are a part of a key.
fn quoted_keys(path: &str) -> Option<Vec<String>> {
    let mut keys = Vec::new();
    let mut rest = path;
    loop {
        let in_brackets = rest.strip_prefix('[').filter(|inner| inner.starts_with('"'));
        let text = in_brackets.unwrap_or(rest);
        if let Some((key, length)) = quotes::string(text) {
            keys.push(key);
            rest = &text[length..];
            rest = if in_brackets.is_some() { rest.strip_prefix(']')? } else { rest };
        } else if in_brackets.is_some() {
            // The quotes are not closed.
            return None;
        } else {
            let end = rest.find(['.', '[', '"']).unwrap_or(rest.len());
            keys.push(rest[..end].to_owned());
            rest = &rest[end..];
        }
        rest = rest.trim_start_matches("[]");
        let after = after_places(rest);
        keys.last_mut()?.push_str(&rest[..rest.len() - after.len()]);
        rest = after;
        match rest.strip_prefix('.') {
            Some(next) => rest = next,
            None if rest.is_empty() => return Some(keys),
            None if rest.starts_with("[\"") => {}
            None => return None,
        }
    }
}

const FIELD_HINT: &str = "name a field by its path, `provenance.confidence`, or as an array, at most 5 keys; a key with dots stands in double quotes: `labels.\"a.b/c\"`";

/// The key of a part that leads to an element of a list, and the places: `coordinates[2]`, `rows[0][-1]`.
pub(crate) fn places(part: &str) -> Option<(&str, Vec<i32>)> {
    let at = part.find('[').filter(|at| *at > 0)?;
    let mut rest = &part[at..];
    let mut places = Vec::new();
    while !rest.is_empty() {
        let (place, next) = place(rest)?;
        places.push(place);
        rest = next;
    }
    Some((&part[..at], places))
}

fn after_places(mut text: &str) -> &str {
    while let Some((_, rest)) = place(text) {
        text = rest;
    }
    text
}

/// The place that a text begins with, `[2]`, and what follows.
fn place(text: &str) -> Option<(i32, &str)> {
    let (inner, rest) = text.strip_prefix('[')?.split_once(']')?;
    Some((inner.parse().ok().filter(|_| !inner.starts_with('+'))?, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_may_have_keys_in_quotes() {
        let rows = [
            (r#""IMDB Rating""#, &["IMDB Rating"][..]),
            (r#".user."full name""#, &["user", "full name"]),
            (r#".["a.b"].c"#, &["a.b", "c"]),
            (r#"items[]["x y"][].z"#, &["items", "x y", "z"]),
            (r#"a["b"]"#, &["a", "b"]),
            (r#""a\"b""#, &["a\"b"]),
            // Places stay with the key of their list.
            ("a.b[2].c[-1][0]", &["a", "b[2]", "c[-1][0]"]),
            (r#"["a.b"][2]."c d"[0].e[1]"#, &["a.b[2]", "c d[0]", "e[1]"]),
            // Quotes that belong to the key.
            (r#"5" disks"#, &["5\" disks"]),
            (r#""a"b"#, &["\"a\"b"]),
            (r#"a["b"#, &["a[\"b"]),
            (r#"["\q"]"#, &["[\"\\q\"]"]),
        ];
        for (text, parts) in rows {
            assert_eq!(Field::of(text).unwrap().parts, parts, "{text}");
        }
    }

    #[test]
    fn an_element_has_a_key_and_places() {
        let rows = [
            ("a[2]", Some(("a", vec![2]))),
            ("a b[0][-1]", Some(("a b", vec![0, -1]))),
            ("a", None),
            ("a[]", None),
            ("a[x]", None),
            ("a[2]b", None),
            ("a[+2]", None),
            ("[2]", None),
        ];
        for (part, expected) in rows {
            assert_eq!(places(part), expected, "{part}");
        }
        assert_eq!(Field::of("a.b c[2].d").unwrap().jq(), ".a.\"b c\"[2].d");
        assert_eq!(Field::of("a.b[2].c").unwrap().list().unwrap().parts, ["a", "b"]);
    }
}
