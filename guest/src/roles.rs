//! Which fields of records play which part in their recipes: chosen once, from all records, and kept in the header, so
//! that a later extraction finds the same ten.

use serde::{Deserialize, Serialize};

use crate::inference::{Field, Inference};
use crate::path::Path;
use crate::scan::unquoted;
use crate::survey::Types;

/// Fields are taken from this deep in a record.
const DEEPEST: usize = 3;

/// A value longer than this is no example.
const EXAMPLE_BYTES: usize = 40;

/// Names of fields that say what a record is, the best first; likewise below.
const TITLES: [&str; 16] = [
    "title",
    "name",
    "full_name",
    "subject",
    "headline",
    "label",
    "display_name",
    "summary",
    "question",
    "message",
    "login",
    "email",
    "path",
    "key",
    "slug",
    "id",
];
const IDS: [&str; 10] = ["id", "number", "key", "uuid", "sha", "slug", "code", "ref", "_id", "name"];
const PREFIXES: [&str; 14] = [
    "path",
    "namespace",
    "file",
    "filename",
    "url",
    "html_url",
    "uri",
    "href",
    "key",
    "name",
    "full_name",
    "module",
    "host",
    "id",
];
const CATEGORIES: [&str; 20] = [
    "state",
    "status",
    "type",
    "kind",
    "category",
    "level",
    "severity",
    "priority",
    "language",
    "role",
    "group",
    "stage",
    "phase",
    "environment",
    "region",
    "country",
    "department",
    "source",
    "author",
    "namespace",
];
const MEMBERS: [&str; 8] = ["tags", "labels", "keywords", "categories", "topics", "roles", "assignees", "groups"];
const TIMES: [&str; 16] = [
    "created_at",
    "created",
    "createdat",
    "timestamp",
    "time",
    "date",
    "datetime",
    "published_at",
    "published",
    "updated_at",
    "updated",
    "modified",
    "modified_at",
    "started_at",
    "start",
    "ts",
];
const NUMBERS: [&str; 16] = [
    "score",
    "stars",
    "stargazers_count",
    "amount",
    "total",
    "price",
    "count",
    "size",
    "value",
    "mag",
    "rating",
    "comments",
    "duration",
    "bytes",
    "rank",
    "population",
];
const TEXTS: [&str; 12] = [
    "body",
    "content",
    "text",
    "description",
    "message",
    "abstract",
    "summary",
    "comment",
    "details",
    "readme",
    "title",
    "name",
];

/// Names of identifiers: numbers of theirs are not worth sorting by.
const IDENTIFIERS: [&str; 6] = ["id", "_id", "number", "index", "uuid", "node_id"];

/// Fields and what they are good for. A part that no field can play is missing.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Roles {
    /// Some records are no objects, so that reading a field may fail.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub guarded: bool,
    /// What tells a reader which record it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<Role>,
    /// What tells a program which record it is.
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

/// A field that a recipe can read without failing.
struct Candidate<'a> {
    path: Path,
    field: &'a Field,
}

impl Roles {
    /// The roles that the fields of these records can play.
    pub fn of(inference: &Inference) -> Self {
        let mut scalars = Vec::new();
        let mut lists = Vec::new();
        collect(&inference.root, &Path::default(), &mut scalars, &mut lists);
        let records = inference.root.objects.max(1);
        let best = |score: &dyn Fn(&Candidate<'_>) -> Option<i64>| {
            let scored = scalars.iter().filter_map(|candidate| Some((score(candidate)?, candidate)));
            // Of equals the first one wins: `max_by_key` would take the last.
            scored.rev_best().map(|candidate| candidate.role())
        };
        let title = best(&|candidate| candidate.as_title(records));
        let other_than = |candidate: &Candidate<'_>, role: &Option<Role>| {
            role.as_ref().is_none_or(|role| role.path != candidate.path)
        };
        let category = best(&|candidate| candidate.as_category(records));
        let group = best(&|candidate| candidate.as_category(records).filter(|_| other_than(candidate, &category)));
        Self {
            guarded: !inference.root.types.within(Types::OBJECT.and(Types::NULL)),
            id: best(&|candidate| candidate.as_id(records).filter(|_| other_than(candidate, &title))),
            prefix: best(&|candidate| candidate.as_prefix(records)),
            member: lists
                .iter()
                .filter_map(|list| Some((list.as_member()?, list)))
                .rev_best()
                .and_then(Candidate::member),
            time: best(&|candidate| candidate.as_time(records)),
            number: best(&|candidate| candidate.as_number(records)),
            text: best(&|candidate| candidate.as_text(records)),
            title,
            category,
            group,
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
        roles.into_iter().flatten().all(Role::is_safe)
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

/// The first of those with the greatest score.
trait RevBest<T> {
    fn rev_best(self) -> Option<T>;
}

impl<T, I: Iterator<Item = (i64, T)>> RevBest<T> for I {
    fn rev_best(self) -> Option<T> {
        self.fold(None, |best: Option<(i64, T)>, next| match best {
            Some(best) if best.0 >= next.0 => Some(best),
            _ => Some(next),
        })
        .map(|(_, best)| best)
    }
}

/// Fields that lie in objects only, so that a path leads to them in every record.
fn collect<'a>(object: &'a Field, path: &Path, scalars: &mut Vec<Candidate<'a>>, lists: &mut Vec<Candidate<'a>>) {
    for field in &object.fields {
        let path = path.then(&field.key);
        if !path.is_safe() {
            continue;
        }
        if field.is_scalar() && field.types != Types::NULL {
            scalars.push(Candidate { path, field });
        } else if field.types.within(Types::ARRAY.and(Types::NULL)) {
            lists.push(Candidate { path, field });
        } else if field.types.within(Types::OBJECT.and(Types::NULL)) && path.0.len() < DEEPEST {
            collect(field, &path, scalars, lists);
        }
    }
}

/// A text that means itself in a filter and in a shell.
fn is_plain(text: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || " _-./:@+".contains(c);
    !text.is_empty() && text.len() <= EXAMPLE_BYTES && text.chars().all(plain)
}

impl Candidate<'_> {
    fn role(&self) -> Role {
        let mixed = !self.field.types.within(Types::STRING.and(Types::NULL));
        Role { path: self.path.clone(), mixed, of: None, example: self.example(self.field) }
    }

    /// The most frequent value that can stand in a filter.
    fn example(&self, field: &Field) -> Option<String> {
        let categories = field.categories()?;
        let known = categories.iter().filter(|(value, _)| value != "null");
        let (value, _) = known.map(|(value, times)| (value, *times)).max_by_key(|(_, times)| *times)?;
        let text = if value.starts_with('"') { unquoted(value) } else { value.as_str().into() };
        is_plain(&text).then(|| text.into_owned())
    }

    /// How well the name fits: 100 for the best, 0 for one that is not known. Deeper ones fit less.
    fn named(&self, names: &[&str]) -> i64 {
        let name = self.path.name().to_ascii_lowercase();
        let place = names.iter().position(|known| *known == name);
        let fit = place.map_or(0, |place| 100 - 4 * i64::try_from(place).unwrap_or(25));
        fit - 15 * i64::try_from(self.path.0.len()).unwrap_or_default()
    }

    /// Records of a hundred that have it, and not as null.
    fn share(&self, records: u32) -> i64 {
        let values = i64::from(self.field.strings.count + self.field.numbers.count);
        (values.max(i64::from(self.field.present / 2)) * 100 / i64::from(records)).min(100)
    }

    fn has_strings(&self) -> bool {
        self.field.strings.count > 0
    }

    fn as_title(&self, records: u32) -> Option<i64> {
        let strings = &self.field.strings;
        if !self.has_strings() && self.field.numbers.count == 0 {
            return None;
        }
        let formatted = if strings.format().is_some() { 60 } else { 0 };
        let long = if strings.average() > 200 { 60 } else { 0 };
        let repeated = if self.field.categories().is_some() { 40 } else { 0 };
        let text = if self.has_strings() { 30 } else { 0 };
        Some(self.named(&TITLES) + self.share(records) / 2 + text - formatted - long - repeated)
    }

    fn as_id(&self, records: u32) -> Option<i64> {
        let repeated = if self.field.categories().is_some() { 40 } else { 0 };
        let long = if self.field.strings.average() > 80 { 60 } else { 0 };
        Some(self.named(&IDS) + self.share(records) / 2 - repeated - long)
    }

    fn as_prefix(&self, records: u32) -> Option<i64> {
        let strings = &self.field.strings;
        let uris = if strings.format() == Some("uri") { 10 } else { 0 };
        let long = if strings.average() > 200 { 60 } else { 0 };
        let score = self.named(&PREFIXES) + self.share(records) / 2 + uris - long;
        self.has_strings().then_some(score)
    }

    fn as_category(&self, records: u32) -> Option<i64> {
        let values = i64::try_from(self.field.categories()?.len()).unwrap_or_default();
        let strings = if self.has_strings() { 60 } else { 0 };
        let formatted = if self.field.strings.format().is_some() { 80 } else { 0 };
        Some(self.named(&CATEGORIES) + self.share(records) / 2 + strings - formatted - values)
    }

    fn as_time(&self, records: u32) -> Option<i64> {
        let formatted = self.field.strings.format() == Some("date-time");
        let named = TIMES.contains(&self.path.name().to_ascii_lowercase().as_str());
        let score = self.named(&TIMES) + self.share(records) + if formatted { 50 } else { 0 };
        (formatted || named).then_some(score)
    }

    fn as_number(&self, records: u32) -> Option<i64> {
        let name = self.path.name().to_ascii_lowercase();
        let identifies =
            IDENTIFIERS.contains(&name.as_str()) || name.ends_with("_id") || TIMES.contains(&name.as_str());
        let constant = self.field.values.few.len() == 1 && !self.field.values.are_many;
        let usable = self.field.numbers.count > 0 && !self.has_strings() && !identifies && !constant;
        usable.then(|| self.named(&NUMBERS) + self.share(records))
    }

    fn as_text(&self, records: u32) -> Option<i64> {
        let strings = &self.field.strings;
        let phrases = i64::from(strings.phrases) * 60 / i64::from(strings.count.max(1));
        let length = i64::try_from(strings.average().min(400)).unwrap_or_default() / 5;
        let formatted = if strings.format().is_some() { 100 } else { 0 };
        let score = self.named(&TEXTS) + phrases + length + self.share(records) / 4 - formatted;
        self.has_strings().then_some(score)
    }

    fn as_member(&self) -> Option<i64> {
        self.member().map(|_| self.named(&MEMBERS))
    }

    /// A list of strings, or of objects that have a string to tell them by.
    fn member(&self) -> Option<Role> {
        let items = self.field.items.as_deref()?;
        if items.types.meets(Types::STRING) && items.is_scalar() {
            return Some(Role { path: self.path.clone(), mixed: false, of: None, example: self.example(items) });
        }
        let mut scalars = Vec::new();
        let are_objects = items.types.within(Types::OBJECT.and(Types::NULL));
        if are_objects {
            collect(items, &Path::default(), &mut scalars, &mut Vec::new());
        }
        let named = scalars.iter().filter(|candidate| candidate.has_strings());
        let best = named.map(|candidate| (candidate.named(&TITLES), candidate)).rev_best()?;
        let (of, example) = (Some(best.path.clone()), self.example(best.field));
        Some(Role { path: self.path.clone(), mixed: false, of, example })
    }
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
            if n % 3 == 0 { "open" } else { "closed" },
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
        assert_eq!((member.of.unwrap().to_string(), member.example), (".name".into(), None));
        assert_eq!(roles.category.clone().unwrap().example.as_deref(), Some("closed"));
        assert!(!roles.guarded && roles.are_safe());
        let json = serde_json::to_string(&roles).unwrap();
        assert_eq!(serde_json::from_str::<Roles>(&json).unwrap(), roles);
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
    fn roles_of_a_strange_header_are_not_safe() {
        for role in [r#"{"path":".\"it's\""}"#, r#"{"path":"."}"#, r#"{"path":".a","example":"x\" or env"}"#] {
            let roles: Roles = serde_json::from_str(&format!(r#"{{"title":{role}}}"#)).unwrap();
            assert!(!roles.are_safe(), "{role}");
        }
    }
}
