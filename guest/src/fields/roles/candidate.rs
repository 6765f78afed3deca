//! A field that may play a part, and how well it would: by its name, and by what its values are.

use lro_query::json::unquote;

use super::{Role, is_plain};
use crate::fields::inference::{Field, WORD_LETTERS};
use crate::fields::survey::Types;
use crate::fields::words::is_name;
use crate::payload::path::Path;

/// Fields are taken from this deep in a record.
const DEEPEST: usize = 3;

/// A number in fewer of a hundred records is no order of them: `line` of the few lines that are no row of a table.
const LEAST_SHARE: i64 = 2;

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

/// Longer texts, on average, are no categories.
const CATEGORY_BYTES: u64 = 40;

/// An object with fewer keys may have fields that are often missing, and one with more rare ones has data as keys.
const LEAST_DATA_KEYS: usize = 8;

/// Of fields, objects have one in this many, on average.
const FIELDS_PART: u64 = 4;

/// So few objects do not show whether they have the same keys.
const FEW_OBJECTS: u32 = 4;

/// A field that a recipe can read without failing.
pub(super) struct FieldCandidate<'a> {
    pub(super) path: Path,
    field: &'a Field,
}

/// The first of those with the greatest score.
pub(super) trait FirstBest<T> {
    fn rev_best(self) -> Option<T>;
}

impl<T, I: Iterator<Item = (i64, T)>> FirstBest<T> for I {
    fn rev_best(self) -> Option<T> {
        self.fold(None, |best: Option<(i64, T)>, next| match best {
            Some(best) if best.0 >= next.0 => Some(best),
            _ => Some(next),
        })
        .map(|(_, best)| best)
    }
}

/// Fields that lie in objects only, so that a path leads to them in every record.
pub(super) fn collect<'a>(
    object: &'a Field,
    path: &Path,
    scalars: &mut Vec<FieldCandidate<'a>>,
    lists: &mut Vec<FieldCandidate<'a>>,
) {
    for field in &object.fields {
        let path = path.then(&field.key);
        if !path.is_named() {
            continue;
        }
        if field.is_scalar() && field.types != Types::NULL {
            scalars.push(FieldCandidate { path, field });
        } else if field.types.within(Types::ARRAY.and(Types::NULL)) {
            lists.push(FieldCandidate { path, field });
        } else if field.types.within(Types::OBJECT.and(Types::NULL)) && path.0.len() < DEEPEST && !has_data_keys(field)
        {
            collect(field, &path, scalars, lists);
        }
    }
}

/// True for a map, such as packages by their names: a path into it leads to something in few records.
fn has_data_keys(object: &Field) -> bool {
    let members: u64 = object.fields.iter().map(|field| u64::from(field.present)).sum();
    let places = object.fields.len() as u64 * u64::from(object.objects);
    // Keys that are too many to be told apart may be names all the same, if all objects have them.
    let is_open_map = object.is_open && (object.objects < FEW_OBJECTS || members * 2 < places);
    is_open_map || object.fields.len() >= LEAST_DATA_KEYS && members * FIELDS_PART < places
}

/// A text that occurs in a field, where nothing is known of how often.
fn first_value(field: &Field) -> Option<String> {
    let texts = field.values.few.iter().filter(|(value, _)| value.starts_with('"'));
    texts.map(|(value, _)| unquote(value).into_owned()).find(|text| is_plain(text))
}

impl FieldCandidate<'_> {
    pub(super) fn role(&self) -> Role {
        let mixed = !self.field.types.within(Types::STRING.and(Types::NULL));
        Role { path: self.path.clone(), mixed, of: None, example: self.example(self.field) }
    }

    /// The same with a word of its texts as the example: what can be searched for in them.
    pub(super) fn searched(&self) -> Role {
        let example = self.words().find(|word| word.len() >= WORD_LETTERS && is_name(word));
        Role { example: example.map(str::to_owned), ..self.role() }
    }

    /// The same with the beginning of a text as the example.
    pub(super) fn begun(&self) -> Role {
        let begins = self.field.strings.example.starts_with(|c: char| c.is_ascii_alphanumeric());
        let example = self.words().next().filter(|word| begins && is_name(word));
        Role { example: example.map(str::to_owned), ..self.role() }
    }

    /// The words of a text that occurs. The last one may be cut, and is a part of a word then.
    fn words(&self) -> impl Iterator<Item = &str> {
        self.field.strings.example.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty())
    }

    /// Returns the most frequent value that can be written in a filter.
    fn example(&self, field: &Field) -> Option<String> {
        let categories = field.categories()?;
        let known = categories.iter().filter(|(value, _)| value != "null");
        let (value, _) = known.map(|(value, times)| (value, *times)).max_by_key(|(_, times)| *times)?;
        let text = if value.starts_with('"') { unquote(value) } else { value.as_str().into() };
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

    pub(super) fn as_title(&self, records: u32) -> Option<i64> {
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

    pub(super) fn as_id(&self, records: u32) -> Option<i64> {
        let repeated = if self.field.categories().is_some() { 40 } else { 0 };
        let long = if self.field.strings.average() > 80 { 60 } else { 0 };
        let tells_apart = self.has_strings() || self.field.numbers.count > 0;
        tells_apart.then(|| self.named(&IDS) + self.share(records) / 2 - repeated - long)
    }

    pub(super) fn as_prefix(&self, records: u32) -> Option<i64> {
        let strings = &self.field.strings;
        let uris = if strings.format() == Some("uri") { 10 } else { 0 };
        let long = if strings.average() > 200 { 60 } else { 0 };
        let score = self.named(&PREFIXES) + self.share(records) / 2 + uris - long;
        self.has_strings().then_some(score)
    }

    pub(super) fn as_category(&self, records: u32) -> Option<i64> {
        let values = i64::try_from(self.field.categories()?.len()).unwrap_or_default();
        let strings = if self.has_strings() { 60 } else { 0 };
        let formatted = if self.field.strings.format().is_some() { 80 } else { 0 };
        Some(self.named(&CATEGORIES) + self.share(records) / 2 + strings - formatted - values)
    }

    /// True for short texts with more different values than are counted.
    pub(super) fn may_repeat(&self) -> bool {
        let strings = &self.field.strings;
        let is_short = strings.average() <= CATEGORY_BYTES && strings.format().is_none();
        self.has_strings() && self.field.values.are_many && is_short
    }

    pub(super) fn is_named_category(&self) -> bool {
        CATEGORIES.contains(&self.path.name().to_ascii_lowercase().as_str())
    }

    /// The same as a category of which a sample has so many different values.
    pub(super) fn as_repeated(&self, records: u32, values: usize) -> i64 {
        self.named(&CATEGORIES) + self.share(records) / 2 - i64::try_from(values).unwrap_or_default()
    }

    pub(super) fn as_time(&self, records: u32) -> Option<i64> {
        let formatted = self.field.strings.format() == Some("date-time");
        let named = TIMES.contains(&self.path.name().to_ascii_lowercase().as_str());
        let score = self.named(&TIMES) + self.share(records) + if formatted { 50 } else { 0 };
        (formatted || named).then_some(score)
    }

    pub(super) fn as_number(&self, records: u32) -> Option<i64> {
        let name = self.path.name().to_ascii_lowercase();
        let identifies =
            IDENTIFIERS.contains(&name.as_str()) || name.ends_with("_id") || TIMES.contains(&name.as_str());
        let constant = self.field.values.few.len() == 1 && !self.field.values.are_many;
        let rare = self.share(records) < LEAST_SHARE;
        let usable = self.field.numbers.count > 0 && !self.has_strings() && !identifies && !constant && !rare;
        usable.then(|| self.named(&NUMBERS) + self.share(records))
    }

    pub(super) fn as_text(&self, records: u32) -> Option<i64> {
        let strings = &self.field.strings;
        let phrases = i64::from(strings.phrases) * 60 / i64::from(strings.count.max(1));
        let length = i64::try_from(strings.average().min(400)).unwrap_or_default() / 5;
        let formatted = if strings.format().is_some() { 100 } else { 0 };
        let score = self.named(&TEXTS) + phrases + length + self.share(records) / 4 - formatted;
        self.has_strings().then_some(score)
    }

    pub(super) fn as_member(&self) -> Option<i64> {
        self.member().map(|_| self.named(&MEMBERS))
    }

    /// A list of strings, or of objects that have a string to tell them by.
    pub(super) fn member(&self) -> Option<Role> {
        let items = self.field.items.as_deref()?;
        if items.types.meets(Types::STRING) && items.is_scalar() {
            let example = self.example(items).or_else(|| first_value(items));
            return Some(Role { path: self.path.clone(), mixed: false, of: None, example });
        }
        let mut scalars = Vec::new();
        let are_objects = items.types.within(Types::OBJECT.and(Types::NULL));
        if are_objects {
            collect(items, &Path::default(), &mut scalars, &mut Vec::new());
        }
        let named = scalars.iter().filter(|candidate| candidate.has_strings());
        let best = named.map(|candidate| (candidate.named(&TITLES), candidate)).rev_best()?;
        let (of, example) = (Some(best.path.clone()), self.example(best.field).or_else(|| first_value(best.field)));
        Some(Role { path: self.path.clone(), mixed: false, of, example })
    }
}
