//! Which fields of records play which part in their recipes: chosen once, from all records, and kept in the header, so
//! that a later extraction finds the same ten.

mod candidate;
mod colors;
mod levels;
mod repeated;
mod sample;
mod words;

use serde::{Deserialize, Serialize};

use crate::fields::inference::Inference;
use crate::fields::survey::Types;
use crate::payload::path::Path;

use candidate::{FieldCandidate, FirstBest, collect};
pub use levels::{LEVELS, capitals_pattern, pattern};
pub use words::Words;

/// A longer value is not used as an example.
const EXAMPLE_BYTES: usize = 40;

/// If fewer records than one in this many are objects, their fields say little about the set.
const OBJECTS_PART: u32 = 2;

/// Fields and what they are good for. A part that no field can play is missing.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Roles {
    /// Some records are not objects, so that reading a field may fail.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub guarded: bool,
    /// What identifies a record for a reader.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<Role>,
    /// What identifies a record for a program.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<Role>,
    /// Texts whose beginnings mean something.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prefix: Option<Role>,
    /// One of few values.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub category: Option<Role>,
    /// Another one of few values.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<Role>,
    /// A list with names in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub member: Option<Role>,
    /// When.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time: Option<Role>,
    /// How much.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub number: Option<Role>,
    /// The longest texts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<Role>,
    /// The numbers of recipes that name no field all the same, because they failed on some record with it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub plain: Vec<usize>,
    /// What recipes look for that name no field; of a text there is nothing else.
    #[serde(skip_serializing_if = "Words::are_none")]
    pub words: Words,
}

/// A field, and how it has to be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Role {
    /// Where it is in a record.
    pub path: Path,
    /// Some values are neither strings nor null.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub mixed: bool,
    /// For a list of objects: the field of an element that names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of: Option<Path>,
    /// A value that occurs often.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub example: Option<String>,
}

impl Roles {
    /// The roles that the fields of these records can play.
    pub fn of(inference: &Inference) -> Self {
        let guarded = !inference.root.types.within(Types::OBJECT.and(Types::NULL));
        if inference.root.objects < inference.count / OBJECTS_PART {
            return Self { guarded, ..Self::default() };
        }
        let mut scalars = Vec::new();
        let mut lists = Vec::new();
        collect(&inference.root, &Path::default(), &mut scalars, &mut lists);
        let records = inference.root.objects.max(1);
        let best_of = |score: &dyn Fn(&FieldCandidate<'_>) -> Option<i64>| {
            let scored = scalars.iter().filter_map(|candidate| Some((score(candidate)?, candidate)));
            // Of equals the first one wins: `max_by_key` would take the last.
            scored.rev_best()
        };
        let best = |score: &dyn Fn(&FieldCandidate<'_>) -> Option<i64>| best_of(score).map(FieldCandidate::role);
        let title = best_of(&|candidate| candidate.as_title(records)).map(FieldCandidate::searched);
        let other_than = |candidate: &FieldCandidate<'_>, role: &Option<Role>| {
            role.as_ref().is_none_or(|role| role.path != candidate.path)
        };
        let category = best(&|candidate| candidate.as_category(records));
        let group = best(&|candidate| candidate.as_category(records).filter(|_| other_than(candidate, &category)));
        Self {
            guarded,
            id: best(&|candidate| candidate.as_id(records).filter(|_| other_than(candidate, &title))),
            prefix: best_of(&|candidate| candidate.as_prefix(records)).map(FieldCandidate::begun),
            member: lists
                .iter()
                .filter_map(|list| Some((list.as_member()?, list)))
                .rev_best()
                .and_then(FieldCandidate::member),
            time: best(&|candidate| candidate.as_time(records)),
            number: best(&|candidate| candidate.as_number(records)),
            text: best_of(&|candidate| candidate.as_text(records)).map(FieldCandidate::searched),
            title,
            category,
            group,
            plain: Vec::new(),
            words: Words::default(),
        }
    }

    /// All of them are as [`Roles::of`] makes them: nothing in them could change the meaning of a recipe.
    pub fn are_safe(&self) -> bool {
        let roles = [
            &self.title,
            &self.id,
            &self.prefix,
            &self.category,
            &self.group,
            &self.member,
            &self.time,
            &self.number,
            &self.text,
        ];
        roles.into_iter().flatten().all(Role::is_safe) && self.words.are_safe()
    }
}

impl Role {
    fn is_safe(&self) -> bool {
        let plain = |path: &Path| !path.0.is_empty() && path.is_safe();
        plain(&self.path)
            && self.of.as_ref().is_none_or(plain)
            && self.example.as_ref().is_none_or(|example| is_plain(example))
    }
}

/// True for a text that means itself in a filter and in a shell.
fn is_plain(text: &str) -> bool {
    !text.is_empty() && text.len() <= EXAMPLE_BYTES && text.chars().all(is_plain_sign)
}

/// A sign of such a text.
fn is_plain_sign(c: char) -> bool {
    c.is_ascii_alphanumeric() || " _-./:@+".contains(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn roles(records: &[String]) -> Roles {
        Roles::of(&Inference::of(records))
    }

    fn path(role: &Option<Role>) -> String {
        role.as_ref().map_or_else(String::new, |role| role.path.to_string())
    }

    fn issue(n: usize) -> String {
        format!(
            r#"{{"id":{n},"number":{n},"title":"Issue number {n}","state":"{}","user":{{"login":"user-{n}","type":"User"}},
               "labels":[{{"id":1,"name":"bug"}}],"comments":{n},"created_at":"2026-01-{:02}T00:00:00Z",
               "body":"a rather long text about what does not work in issue {n}","it's":1}}"#,
            if n.is_multiple_of(3) { "open" } else { "closed" },
            n % 28 + 1,
        )
    }

    #[test]
    fn issues_have_all_roles() {
        let roles = roles(&(0..60).map(issue).collect::<Vec<_>>());
        let found = [&roles.title, &roles.id, &roles.category, &roles.time, &roles.number, &roles.text, &roles.member]
            .map(path);
        assert_eq!(found, [".title", ".id", ".state", ".created_at", ".comments", ".body", ".labels"]);
        let member = roles.member.clone().unwrap();
        assert_eq!((member.of.unwrap().to_string(), member.example), (".name".into(), Some("bug".into())));
        assert_eq!(roles.category.clone().unwrap().example.as_deref(), Some("closed"));
        assert!(!roles.guarded && roles.are_safe());
        let json = serde_json::to_string(&roles).unwrap();
        assert_eq!(serde_json::from_str::<Roles>(&json).unwrap(), roles);
    }

    #[test]
    fn a_number_in_few_records_orders_none() {
        let rows = |lines: usize| {
            let lines = (0..lines).map(|n| format!(r#"{{"line":{n},"text":"no row"}}"#));
            let rows = (0..200).map(|n| format!(r#"{{"name":"row {n}","state":"open"}}"#));
            path(&roles(&lines.chain(rows).collect::<Vec<_>>()).number)
        };
        assert_eq!([3, 40].map(rows), ["", ".line"]);
    }

    #[test]
    fn a_field_that_cannot_always_be_read_plays_no_role() {
        let records = [r#"{"a":{"b":"x"},"c":["y"]}"#, r#"{"a":"z","c":1}"#].map(str::to_owned);
        assert_eq!(roles(&records), Roles::default());
        let records = [r#"{"title":1,"it's":"x"}"#, "7"].map(str::to_owned);
        let roles = roles(&records);
        assert!(roles.guarded);
        assert_eq!((path(&roles.title), path(&roles.text)), (".title".into(), String::new()));
        assert!(roles.title.unwrap().mixed);
    }

    #[test]
    fn what_lies_under_keys_that_are_data_plays_no_role() {
        let under = |key: &dyn Fn(usize) -> String| {
            let record = |n| format!(r#"{{"n":{n},"deps":{{"{}":{{"state":"{}"}}}}}}"#, key(n), n % 2);
            path(&roles(&(0..60).map(record).collect::<Vec<_>>()).category)
        };
        assert_eq!(under(&|n| format!("package{}", n % 20)), "");
        assert_eq!(under(&|n| format!("package{n}")), "");
        assert_eq!(under(&|n| format!("package{}", n % 3)), ".deps.package0.state");
        let wide: Vec<String> = (0..80).map(|n| format!(r#""k{n}":{n}"#)).collect();
        let record = |n: usize| format!(r#"{{"n":{n},"deps":{{"state":"{}",{}}}}}"#, n % 2, wide.join(","));
        assert_eq!(path(&roles(&(0..60).map(record).collect::<Vec<_>>()).category), ".deps.state");
    }

    #[test]
    fn roles_of_a_strange_header_are_not_safe() {
        for role in [r#"{"path":".\"it's\""}"#, r#"{"path":"."}"#, r#"{"path":".a","example":"x\" or env"}"#] {
            let roles: Roles = serde_json::from_str(&format!(r#"{{"title":{role}}}"#)).unwrap();
            assert!(!roles.are_safe(), "{role}");
        }
        let words = r#"{"words":{"member":"x\" or env"}}"#;
        assert!(!serde_json::from_str::<Roles>(words).unwrap().are_safe());
    }
}
