//! Names of columns: what looks like one, and how they become the keys of records.

use std::collections::BTreeSet;

use lro_query::json::push_quoted;

use super::columns::is_number;

/// More columns than this are a matrix, and each record would repeat all their names.
pub(super) const MOST_COLUMNS: usize = 500;

/// A longer name is a sentence.
const MOST_CHARACTERS: usize = 64;

/// A name with more words is a sentence.
const MOST_WORDS: usize = 7;

/// A name in quotes may be a question of a survey.
const MOST_QUOTED_CHARACTERS: usize = 300;

/// Common names of columns, which distinguish `Name,City` from `Alice,Paris`.
const USUAL: [&str; 72] = [
    "account",
    "action",
    "address",
    "age",
    "amount",
    "author",
    "category",
    "city",
    "class",
    "code",
    "column",
    "comment",
    "company",
    "count",
    "country",
    "created",
    "currency",
    "customer",
    "date",
    "department",
    "description",
    "domain",
    "email",
    "file",
    "first",
    "gender",
    "group",
    "host",
    "id",
    "index",
    "item",
    "key",
    "kind",
    "label",
    "language",
    "last",
    "level",
    "link",
    "location",
    "message",
    "model",
    "month",
    "name",
    "note",
    "notes",
    "number",
    "order",
    "owner",
    "path",
    "phone",
    "price",
    "priority",
    "product",
    "project",
    "quantity",
    "region",
    "role",
    "size",
    "source",
    "state",
    "status",
    "tags",
    "text",
    "time",
    "timestamp",
    "title",
    "type",
    "url",
    "user",
    "value",
    "version",
    "year",
];

/// True for what a column may be called.
pub(super) fn is_name(name: &str) -> bool {
    let starts_well = name.starts_with(|first: char| first.is_alphabetic() || "_#%$@".contains(first)) || is_year(name);
    starts_well
        && name.chars().count() <= MOST_CHARACTERS
        && name.split_whitespace().count() <= MOST_WORDS
        && !name.starts_with("# ")
        && !name.ends_with(['.', ':', '!', ','])
        && !name.contains("://")
        && name.matches('(').count() == name.matches(')').count()
        && name.chars().all(|letter| letter.is_alphanumeric() || " _-./()%#$€£&:+*?[]@°²³".contains(letter))
}

/// True for what a column may be called where its name is in quotes.
pub(super) fn is_quoted_name(name: &str) -> bool {
    let has_letter = name.contains(char::is_alphabetic);
    is_name(name)
        || has_letter && name.chars().count() <= MOST_QUOTED_CHARACTERS && !name.contains(['{', '=', '<', ';'])
}

/// True for names that are surely no values: they look like identifiers, or are what columns are often called.
pub(super) fn are_surely_names(names: &[&str]) -> bool {
    are_usual(names) || names.iter().all(|name| is_identifier(name))
}

/// True if one of the names is what columns are often called.
pub(super) fn are_usual(names: &[&str]) -> bool {
    names.iter().any(|name| {
        let words = || name.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
        let is_usual = |word: &str| USUAL.binary_search(&word.to_lowercase().as_str()).is_ok();
        words().count() <= 3 && words().any(is_usual)
    })
}

/// True for a name that has words only, of which one is what columns are often called.
pub(super) fn is_surely_name(name: &str) -> bool {
    name.chars().all(|letter| letter.is_alphabetic() || "_- ".contains(letter)) && are_usual(&[name])
}

/// True for `snake_case`, `camelCase` and `CAPITALS`, but not for `Paris`.
fn is_identifier(name: &str) -> bool {
    let is_word = name.chars().all(|letter| letter.is_alphanumeric() || "_.-/%#$".contains(letter));
    let is_title = name.starts_with(char::is_uppercase) && !name.chars().skip(1).any(char::is_uppercase);
    is_word && (!is_title || name.contains('_') || name.chars().count() == 1)
}

/// Years are the only numbers that columns are called.
fn is_year(name: &str) -> bool {
    name.len() == 4 && is_number(name) && (name.starts_with("19") || name.starts_with("20"))
}

/// Names as the beginnings of members: `{"a":` and `,"b":`. What has no name is called by its number, and what has the
/// name of another gets a number.
pub(super) fn keys<'a>(names: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let mut taken = BTreeSet::new();
    let distinct = |(i, name): (usize, &str)| {
        let mut key = if name.is_empty() { format!("column_{}", i + 1) } else { name.to_owned() };
        while taken.contains(&key) {
            key = format!("{key}_{}", i + 1);
        }
        taken.insert(key.clone());
        let mut json = String::from(if i == 0 { '{' } else { ',' });
        push_quoted(&mut json, &key);
        json.push(':');
        json
    };
    names.into_iter().enumerate().map(distinct).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_told_from_values_and_sentences() {
        assert!(USUAL.is_sorted());
        for name in ["id", "Name", "first name", "Größe", "価格", "%CPU", "#", "price (€)", "km/h", "2021", "_id"]
        {
            assert!(is_name(name), "{name}");
        }
        let others = [
            "",
            "1",
            "3.5",
            "2024-01-01 12:00:00",
            "-x",
            "Hello.",
            "Note:",
            "f(x",
            "a = b",
            "{",
            "# comment",
            "\"a",
            "http://x",
            "it is a line of prose with far too many words",
        ];
        for name in others {
            assert!(!is_name(name), "{name}");
        }
    }

    #[test]
    fn some_names_are_surely_names() {
        let rows: [(&[&str], bool); 6] = [
            (&["a", "user_id"], true),
            (&["NAME", "AGE"], true),
            (&["Name", "Stadt"], true),
            (&["Paris", "France"], false),
            (&["Order Date", "X"], true),
            (&["roses are red", "violets are blue"], false),
        ];
        for (names, expected) in rows {
            assert_eq!(are_surely_names(names), expected, "{names:?}");
        }
    }

    #[test]
    fn keys_are_distinct() {
        assert_eq!(keys(["a", "", "a"]).concat(), r#"{"a":,"column_2":,"a_3":"#);
        // A name that another column was given does not hide it either.
        assert_eq!(keys(["a_3", "a", "a"]).concat(), r#"{"a_3":,"a":,"a_3_3":"#);
    }
}
