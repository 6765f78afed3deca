//! An address as callers write it, with places in lists and names in brackets: `.releases["1.0"]`, `.runs[0].results`,
//! `.runs[].results`.

use std::borrow::Cow;
use std::fmt;

use lro_query::json::{Scan, Type};

use crate::payload::keyed::{self, Look};
use crate::payload::lists::value_at;
use crate::payload::path::{Path, key};

/// The steps from a document to a value, or to several.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    steps: Vec<Step>,
    /// `[]` stands at its end: `.relations[]`.
    is_open: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Step {
    /// A member of an object.
    Key(String),
    /// An element of a list, from the end if it is negative.
    Place(i64),
    /// Each element of a list, or each value of an object.
    Each,
}

impl Address {
    /// Reads an address. `None` if the text is not one.
    pub fn parse(text: &str) -> Option<Self> {
        let mut steps = Vec::new();
        // What models leave out of a path is added: `relations`.
        let mut rest = text.trim();
        rest = rest.strip_prefix('.').filter(|rest| !rest.starts_with('.')).unwrap_or(rest);
        while !rest.is_empty() {
            if let Some(inner) = rest.strip_prefix('[') {
                let (step, after) = in_brackets(inner)?;
                steps.push(step);
                rest = after;
            } else if rest.starts_with('"') {
                let (key, after) = string(rest)?;
                steps.push(Step::Key(key));
                rest = after;
            } else {
                let (key, after) = rest.split_at(rest.find(['.', '[', '"']).unwrap_or(rest.len()));
                if key.is_empty() || key.contains(|c: char| c.is_whitespace() || "(){}|,;:".contains(c)) {
                    return None;
                }
                steps.push(Step::Key(key.to_owned()));
                rest = after;
            }
            match rest.strip_prefix('.') {
                Some("") => return None,
                Some(next) => rest = next,
                None if rest.is_empty() || rest.starts_with('[') => {}
                None => return None,
            }
        }
        // The elements of a list are its records with a last `[]` or without it.
        let is_open = steps.last() == Some(&Step::Each);
        if is_open {
            steps.pop();
        }
        Some(Self { steps, is_open })
    }

    /// The keys that it begins with.
    pub fn path(&self) -> Path {
        let keys = self.steps.iter().map_while(|step| if let Step::Key(key) = step { Some(key.clone()) } else { None });
        Path(keys.collect())
    }

    /// True if it consists of keys.
    pub fn is_path(&self) -> bool {
        self.steps.iter().all(|step| matches!(step, Step::Key(_)))
    }

    /// True if it has no `[]`.
    pub fn leads_to_one(&self) -> bool {
        !self.is_open && !self.steps.contains(&Step::Each)
    }

    /// The same with `[]` behind each list, and each map of lists, that a key was asked of, if that leads somewhere in one of
    /// these texts.
    pub fn through_lists(&self, texts: &[String]) -> Option<Self> {
        texts.iter().find_map(|text| {
            let mut values = vec![text.trim_start()];
            let mut steps = Vec::new();
            for step in &self.steps {
                let mut next = step.in_each(&values);
                // Lists of lists, and maps of lists.
                for _ in 0..2 {
                    if next.is_empty() && matches!(step, Step::Key(_)) && values.iter().any(|value| has_records(value))
                    {
                        values = Step::Each.in_each(&values);
                        next = step.in_each(&values);
                        steps.push(Step::Each);
                    }
                }
                if next.is_empty() {
                    return None;
                }
                steps.push(step.clone());
                values = next;
            }
            Some(Self { steps, is_open: self.is_open })
        })
    }

    /// What it leads to in a text: one value, or an array if it has `[]`. The array has what is found, and of lists their
    /// elements. `None` if nothing is there. Empty lists give an empty array, and `null` among lists counts as one.
    /// `[]` behind an object gives its values, unless the object is a map of records.
    pub fn value_in<'t>(&self, text: &'t str) -> Option<Cow<'t, str>> {
        let mut values = vec![text.trim_start()];
        for step in &self.steps {
            let next = step.in_each(&values);
            if *step == Step::Each && next.is_empty() && values.iter().any(|value| may_be_list(value)) {
                return Some(Cow::Borrowed("[]"));
            }
            values = next;
        }
        let first = *values.first()?;
        if !self.steps.contains(&Step::Each) {
            let opens = match Type::of(first) {
                Type::Null => true,
                Type::Object => !keyed::is_map(first, Look::First),
                _ => false,
            };
            if !self.is_open || !opens {
                return Some(Cow::Borrowed(first));
            }
        }
        let of = |kind: Type| move |value: &&str| Type::of(value) == kind;
        if self.is_open || values.iter().any(of(Type::Array)) || values.iter().all(of(Type::Null)) {
            values.retain(|value| Type::of(value) != Type::Null);
        }
        let opened = values.into_iter().flat_map(|value| match Type::of(value) {
            Type::Object if self.is_open => Step::Each.from(value).into_iter().flat_map(opened).collect(),
            _ => opened(value),
        });
        Some(Cow::Owned(format!("[{}]", opened.collect::<Vec<_>>().join(","))))
    }
}

/// True for a list, and for a map of records or of lists.
fn has_records(value: &str) -> bool {
    Type::of(value) == Type::Array || Type::of(value) == Type::Object && keyed::is_map(value, Look::Named)
}

/// True for what `[]` may stand behind, with elements or without.
fn may_be_list(value: &str) -> bool {
    matches!(Type::of(value), Type::Array | Type::Object | Type::Null)
}

/// The elements of a list, or the value alone.
fn opened(value: &str) -> Vec<&str> {
    match Type::of(value) {
        Type::Array => Step::Each.from(value),
        _ => vec![value],
    }
}

impl Step {
    /// What it leads to from several values.
    fn in_each<'t>(&self, values: &[&'t str]) -> Vec<&'t str> {
        values.iter().flat_map(|value| self.from(value)).collect()
    }

    /// What it leads to from a value.
    fn from<'t>(&self, value: &'t str) -> Vec<&'t str> {
        match (self, Type::of(value)) {
            (Self::Key(key), Type::Object) => value_at(value, &Path(vec![key.clone()])).into_iter().collect(),
            (Self::Place(place), Type::Array) => {
                let all = Self::Each.from(value);
                let at = usize::try_from(*place)
                    .ok()
                    .or_else(|| all.len().checked_sub(usize::try_from(place.unsigned_abs()).ok()?));
                at.and_then(|at| all.get(at).copied()).into_iter().collect()
            }
            (Self::Each, Type::Array) => {
                let mut all = Vec::new();
                Scan::of(value).elements(|scan| all.push(scan.value()));
                all
            }
            (Self::Each, Type::Object) => {
                let mut all = Vec::new();
                Scan::of(value).members(|scan, _| all.push(scan.value()));
                all
            }
            _ => Vec::new(),
        }
    }
}

/// The step that brackets hold, and what follows them.
fn in_brackets(inner: &str) -> Option<(Step, &str)> {
    if inner.starts_with('"') {
        let (key, after) = string(inner)?;
        return Some((Step::Key(key), after.strip_prefix(']')?));
    }
    let (place, after) = inner.split_once(']')?;
    match place {
        "" => Some((Step::Each, after)),
        place => Some((Step::Place(place.parse().ok().filter(|_| !place.starts_with('+'))?), after)),
    }
}

/// The key in double quotes that a text begins with, and what follows.
fn string(text: &str) -> Option<(String, &str)> {
    let mut strings = serde_json::Deserializer::from_str(text).into_iter::<String>();
    let key = strings.next()?.ok()?;
    Some((key, &text[strings.byte_offset()..]))
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.steps.is_empty() {
            return f.write_str(".");
        }
        // jq writes `.[0]` for a place in the whole.
        if !matches!(self.steps[0], Step::Key(_)) {
            f.write_str(".")?;
        }
        self.steps.iter().try_for_each(|step| match step {
            Step::Key(name) => write!(f, ".{}", key(name)),
            Step::Place(place) => write!(f, "[{place}]"),
            Step::Each => f.write_str("[]"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_and_written() {
        let rows = [
            ("relations", Some(".relations")),
            (".relations[]", Some(".relations")),
            (".", Some(".")),
            (".data.user-list", Some(".data.\"user-list\"")),
            (r#".releases["1.0"]"#, Some(r#".releases."1.0""#)),
            (r#".releases."1.0"[]"#, Some(r#".releases."1.0""#)),
            (".runs[0].results", Some(".runs[0].results")),
            (".runs[].results[]", Some(".runs[].results")),
            (".rows[][]", Some(".rows[]")),
            (".[][]", Some(".[]")),
            (".[0].a[-1]", Some(".[0].a[-1]")),
            ("a..b", None),
            ("a.", None),
            (".a b", None),
            (".a | .b", None),
            (".a[x]", None),
            (".a[1:3]", None),
            (".a[0", None),
            (".a[0]b", None),
            (r#"."a"#, None),
        ];
        for (text, expected) in rows {
            assert_eq!(Address::parse(text).map(|address| address.to_string()).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn brackets_are_added_where_a_list_is_on_the_way() {
        let lists: Vec<String> = (0..20).map(|n| format!(r#""v{n}":[{{"file":{{"n":{n}}}}}]"#)).collect();
        let texts =
            ["{}".to_owned(), format!(r#"{{"runs":[{{"results":[{{"a":[]}}]}},{{}}],"m":{{{}}}}}"#, lists.join(","))];
        let rows = [
            (".runs.results", Some(".runs[].results")),
            (".runs.results.a", Some(".runs[].results[].a")),
            (".runs[0].results.a", Some(".runs[0].results[].a")),
            (".m.file", Some(".m[][].file")),
            (".m.file.n", Some(".m[][].file.n")),
            (".runs.rules", None),
            (".runs[5].results", None),
            (".x", None),
        ];
        for (address, expected) in rows {
            let meant = Address::parse(address).unwrap().through_lists(&texts);
            assert_eq!(meant.as_ref().map(Address::to_string).as_deref(), expected, "{address}");
            assert!(meant.is_none_or(|meant| meant.value_in(&texts[1]).is_some()), "{address}");
        }
        let list = [r#"[{"labels":[1]}]"#.to_owned()];
        let meant = Address::parse("labels").unwrap().through_lists(&list).unwrap();
        assert_eq!(meant.to_string(), ".[].labels");
    }

    #[test]
    fn brackets_at_the_end_lead_as_far_as_in_jq() {
        let text = r#"[{"s":{"a":1,"b":{"n":2}},"rows":[[1,2],[3]]},{"s":{"a":4,"l":[5,6]},"rows":[[[7]]]}]"#;
        let rows = [
            (".[].s", r#"[{"a":1,"b":{"n":2}},{"a":4,"l":[5,6]}]"#),
            // A list among the values is opened, as in `.releases[]`.
            (".[].s[]", r#"[1,{"n":2},4,5,6]"#),
            (".[].s[].n", "[2]"),
            (".[].rows", "[[1,2],[3],[[7]]]"),
            (".[].rows[]", "[[1,2],[3],[[7]]]"),
            (".[].rows[][]", "[1,2,3,[7]]"),
            (".[0].rows", "[[1,2],[3]]"),
            (".[0].rows[]", "[[1,2],[3]]"),
            (".[0].rows[][]", "[1,2,3]"),
        ];
        for (address, expected) in rows {
            let value = Address::parse(address).unwrap().value_in(text);
            assert_eq!(value.as_deref(), Some(expected), "{address}");
        }
        let lists = Address::parse(".[][]").unwrap();
        assert_eq!(lists.value_in("[[1,2],[[3]]]").as_deref(), Some("[1,2,[3]]"));
    }

    #[test]
    fn lists_without_elements_are_no_missing_path() {
        let text = r#"{"runs":[{"results":[],"x":null,"n":1},{"results":null,"x":2,"n":null}],"full":[{"r":[1]},{"r":null}],
            "none":[],"no":null,"map":{}}"#;
        let rows = [
            (".runs[].results", Some("[]")),
            (".runs[].results[]", Some("[]")),
            (".runs[].results[].tags", Some("[]")),
            (".full[].r", Some("[1]")),
            (".full[].r[]", Some("[1]")),
            (".none[].r", Some("[]")),
            (".no[]", Some("[]")),
            (".map[]", Some("[]")),
            // A value that is `null` in some records, and the value alone.
            (".runs[].x", Some("[null,2]")),
            (".runs[1].results", Some("null")),
            // Paths that are nowhere.
            (".runs[].y", None),
            (".runs[].y[].z", None),
            (".full[].r[].a.b", None),
            (".y[].z", None),
            (".y", None),
        ];
        for (address, expected) in rows {
            let value = Address::parse(address).and_then(|address| Some(address.value_in(text)?.into_owned()));
            assert_eq!(value.as_deref(), expected, "{address}");
        }
    }

    #[test]
    fn an_address_leads_to_a_value_or_to_several() {
        let text = r#"{"runs":[{"results":[{"n":1},{"n":2}]},{"results":[{"n":3}],"x":4},{}],"m":{"1.0":[5],"b":6}}"#;
        let rows = [
            (".runs[0].results", Some(r#"[{"n":1},{"n":2}]"#)),
            (".runs[-2].x", Some("4")),
            (".runs[].results", Some(r#"[{"n":1},{"n":2},{"n":3}]"#)),
            (".runs[].results[].n", Some("[1,2,3]")),
            (".runs[].x", Some("[4]")),
            (r#".m["1.0"]"#, Some("[5]")),
            (".m[][0]", Some("[5]")),
            (".m[]", Some("[5,6]")),
            (".m", Some(r#"{"1.0":[5],"b":6}"#)),
            (".runs[1].results[]", Some(r#"[{"n":3}]"#)),
            (".runs[7].results", None),
            (".runs[-4]", None),
            (".runs[].y", None),
            (".m[0]", None),
        ];
        for (address, expected) in rows {
            let value = Address::parse(address).unwrap().value_in(text);
            assert_eq!(value.as_deref(), expected, "{address}");
        }
    }
}
