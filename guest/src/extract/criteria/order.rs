//! What records are sorted by: `created`, `-created`, `-rating,title`, and as SQL writes it, `rating desc`.

use super::{Field, quotes, refused};
use crate::error::Error;

/// More keys than this decide nothing.
const MOST_KEYS: usize = 5;

/// A field to sort by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Order {
    pub(crate) field: Field,
    pub(crate) descending: bool,
}

impl Order {
    /// Reads the fields to sort by, the one that counts most first. A hyphen belongs to the field after it.
    pub(super) fn read_all(text: &str) -> Result<Vec<Self>, Error> {
        keys(text)?
            .into_iter()
            .map(|(name, descending)| Ok(Self { field: Field::read(&name.into())?, descending }))
            .collect()
    }
}

/// The keys of an order, and whether each has a hyphen. A comma in quotes or in parentheses is a part of a key.
pub(crate) fn keys(text: &str) -> Result<Vec<(&str, bool)>, Error> {
    let keys = quotes::names(text);
    if keys.len() > MOST_KEYS {
        return Err(refused("`sort_by` names too many fields", &format!("name 1 to {MOST_KEYS}")));
    }
    Ok(keys.into_iter().map(key).collect())
}

/// The name of a key, and whether it descends: a name that ends like a direction stands in quotes.
fn key(key: &str) -> (&str, bool) {
    if let Some(name) = key.strip_prefix('-') {
        return (name.trim_start(), true);
    }
    let parts = key.rsplit_once([' ', ':']).map(|(name, word)| (name.trim_end(), direction(word)));
    match parts {
        Some((name, Some(descending))) if !name.is_empty() => (name, descending),
        _ => (key, false),
    }
}

/// True for the descending direction, false for the ascending one; `None` for any other word.
pub(crate) fn direction(word: &str) -> Option<bool> {
    let is_one = |names: [&str; 2]| names.iter().any(|name| name.eq_ignore_ascii_case(word.trim()));
    match (is_one(["desc", "descending"]), is_one(["asc", "ascending"])) {
        (true, _) => Some(true),
        (_, true) => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::extract::run::extract_from;
    use crate::settings::Settings;
    use crate::settings::request::Extract;

    /// The results of a request on records.
    fn results(request: &Value, records: &[Value]) -> Vec<Value> {
        let header = r#"{"type":"lro_header","operation":"x","query":null,"count":1,"schema_version":"1.0.0","timestamp":"","estimated_tokens":9,"detail":"full","lro":{"kind":"records"}}"#;
        let lines: Vec<String> = records.iter().map(Value::to_string).collect();
        let file = format!("{header}\n{}\n", lines.join("\n"));
        let open = |offset: u64| Ok(&file.as_bytes()[offset as usize..]);
        let request = Extract::parse(&request.to_string()).unwrap();
        let page = extract_from("file", open, &request, &Settings::default(), "").unwrap();
        serde_json::Deserializer::from_slice(&page.text).into_iter().map(Result::unwrap).collect()
    }

    #[test]
    fn each_field_has_its_own_direction() {
        let record = |n: Value, t: &str| json!({"n": n, "t": t});
        let records = [
            record(json!(2), "b"),
            record(json!(1), "c"),
            record(Value::Null, "a"),
            record(json!(2), "a"),
            record(json!(1), "d"),
        ];
        let rows = [
            (json!({"sort_by": "n,t"}), "cdaba"),
            (json!({"sort_by": "-n,t"}), "abcda"),
            (json!({"sort_by": "n,-t"}), "dcbaa"),
            (json!({"sort_by": "-n,-t"}), "badca"),
            (json!({"sort_by": "-n,t", "where": ["t<d"]}), "abca"),
            (json!({"sort_by": "-n,t", "select": ["t"]}), "abcda"),
        ];
        for (request, expected) in rows {
            let found: String = results(&request, &records).iter().filter_map(|one| one["t"].as_str()).collect();
            assert_eq!(found, expected, "{request}");
        }
        let groups = |sort_by: &str| {
            let found = results(&json!({"group_by": "t", "sort_by": sort_by}), &records);
            found.iter().filter_map(|one| one["t"].as_str()).collect::<String>()
        };
        assert_eq!(["-count,-t", "count,t", "-count,t"].map(groups), ["adcb", "bcda", "abcd"]);
    }

    #[test]
    fn a_place_is_that_of_an_element() {
        let records = [
            json!({"t": "a", "g": {"c": [1, 2, 9]}}),
            json!({"t": "b", "g": {"c": [9, 2, 3, [8]]}}),
            json!({"t": "c", "g": {"c": 7}, "t[0]": 5}),
            json!({"t": "d"}),
        ];
        let rows = [
            (json!({"where": ["g.c[2]>5"], "select": ["t"]}), json!([{"t": "a"}])),
            (json!({"where": ["g.c[-1]=8"], "select": ["g.c[3][0]"]}), json!([{"g.c[3][0]": 8}])),
            (json!({"where": ["!g.c[2]"], "select": ["t"]}), json!([{"t": "c"}, {"t": "d"}])),
            (json!({"aggregate": ["sum(g.c[2])"]}), json!([{"sum(g.c[2])": 12}])),
            (json!({"where": ["g.c[2]"], "sort_by": "g.c[2]", "select": ["t"]}), json!([{"t": "b"}, {"t": "a"}])),
            // A key that is called so.
            (json!({"where": ["t[0]=5"], "select": ["t[0]"]}), json!([{"t[0]": 5}])),
        ];
        for (request, expected) in rows {
            assert_eq!(Value::from(results(&request, &records)), expected, "{request}");
        }
    }

    #[test]
    fn keys_have_a_comma_between_them() {
        let rows = [
            ("created", vec![("created", false)]),
            (" - created", vec![("created", true)]),
            ("size DESC, name asc", vec![("size", true), ("name", false)]),
            ("sum(a b):desc", vec![("sum(a b)", true)]),
            (r#""size desc""#, vec![(r#""size desc""#, false)]),
            ("-desc", vec![("desc", true)]),
            ("desc", vec![("desc", false)]),
            ("-IMDB Rating, Title", vec![("IMDB Rating", true), ("Title", false)]),
            ("a,-b.c,-d", vec![("a", false), ("b.c", true), ("d", true)]),
            (r#"-"a, b",c"#, vec![(r#""a, b""#, true), ("c", false)]),
            (r#""a\\",b"#, vec![(r#""a\\""#, false), ("b", false)]),
            (r#"5" disks,c"#, vec![(r#"5" disks"#, false), ("c", false)]),
            (r#"-sum(["a,b"]),count"#, vec![(r#"sum(["a,b"])"#, true), ("count", false)]),
        ];
        for (text, expected) in rows {
            assert_eq!(keys(text).unwrap(), expected, "{text}");
        }
        assert!(keys("a,b,c,d,e").is_ok());
        assert!(keys("a,b,c,d,e,f").is_err());
        assert!(Order::read_all("a,").is_err());
    }
}
