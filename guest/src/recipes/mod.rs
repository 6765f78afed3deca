//! The ten recipes of a response (LRO-26): each is one row, from which the shell command, the native program, the
//! documentation and the tests are rendered.

mod early;
mod given;
mod memories;
mod records;
mod text;

use std::borrow::Cow;

use lro_query::json::cut;
use lro_query::{Arena, Program, Query, Shape, Trial, Value};

use crate::fields::literals::Literal;
use crate::fields::roles::Role;
use crate::fields::survey::Survey;
use crate::file::header::Deviations;
use crate::file::kind::Kind;
use crate::payload::detail::Detail;
use crate::settings::{Profile, Settings};

pub use given::{check, variables};

/// A parameter of a recipe (decisions 20 and 27).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter {
    /// Its name, which is also the name of the jq variable in the native filter.
    pub name: &'static str,
    /// Another name that is accepted.
    pub alias: Option<&'static str>,
    /// The literal in the shell command, taken when the parameter is missing.
    pub default: Cow<'static, str>,
    /// The literal is a placeholder: no value of the file is known that it could be.
    pub is_placeholder: bool,
}

impl Parameter {
    /// A parameter with a literal of the specification.
    const fn fixed(name: &'static str, default: &'static str) -> Self {
        Self { name, alias: None, default: Cow::Borrowed(default), is_placeholder: false }
    }

    /// A parameter whose literal is a value that occurs, else its name.
    fn known(name: &'static str, value: Option<&str>) -> Self {
        let default = value.map_or(Cow::Borrowed(name), |value| value.to_owned().into());
        Self { name, alias: None, default, is_placeholder: value.is_none() }
    }
}

/// What keeps the shell command from handling every record (decision 26).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Complaint {
    /// jq reports the records in which this field is not a string, and handles the others.
    ReportsWithout(&'static str),
    /// jq fails on the whole set when a record lacks `.provenance.confidence`.
    FailsWithoutConfidence,
}

/// One row.
#[derive(Debug, Clone)]
pub struct Recipe {
    /// What it does, as in the specification's table.
    pub description: Cow<'static, str>,
    /// Options of jq in the shell command.
    pub options: &'static str,
    /// The filter of the shell command.
    pub filter: Cow<'static, str>,
    /// What it does in two or three words, for the guidance of the extraction tool.
    pub label: Cow<'static, str>,
    /// The same in the words of the guidance's patterns; empty where they do not mention it.
    pub pattern: Cow<'static, str>,
    /// Its parameter, if it has one.
    pub parameter: Option<Parameter>,
    /// The native form: safe on null and missing fields, equal to jq's wherever jq succeeds (decision 8).
    pub native: Native,
    /// What the shell command cannot do with some records.
    pub complaint: Option<Complaint>,
    /// What the specification's command looks for, whatever the file has.
    pub literal: Option<Literal>,
    /// Variables of a recipe that the caller gave, with their defaults.
    pub variables: Cow<'static, [(String, serde_json::Value)]>,
    /// The field that it sorts by, where it sorts by one.
    pub sorts_by: Option<Role>,
    /// No field plays its part, and what it does instead says little of these records: a short response leaves it out.
    pub is_idle: bool,
}

/// The native form of a recipe.
#[derive(Debug, Clone)]
pub struct Native {
    /// The jq filter, condition or key.
    pub filter: Cow<'static, str>,
    /// How it is run.
    pub shape: Shape,
    /// The only top-level keys that it reads; all of them where that is not known.
    pub reads: Option<&'static [&'static str]>,
    /// String results are printed without quotes.
    pub raw: bool,
}

/// A recipe is named in so many characters, its parameters included.
const NAME_CHARACTERS: usize = 80;

/// The blank row: what most rows have.
const ROW: Recipe = Recipe {
    description: Cow::Borrowed(""),
    options: "",
    filter: Cow::Borrowed(""),
    label: Cow::Borrowed(""),
    pattern: Cow::Borrowed(""),
    parameter: None,
    native: Native { filter: Cow::Borrowed(""), shape: Shape::Each, reads: None, raw: false },
    complaint: None,
    literal: None,
    variables: Cow::Borrowed(&[]),
    sorts_by: None,
    is_idle: false,
};

/// The recipes of a file, ten unless the caller gave others, and the ones that the guidance names for browsing, filtering and analysing.
#[derive(Debug)]
pub struct Set {
    /// In the order of their numbers, from 1.
    pub recipes: Vec<Recipe>,
    /// The number of the recipe that counts by group.
    pub analyze: usize,
    /// Of records of this kind.
    pub kind: Kind,
    /// The caller gave them.
    pub are_given: bool,
}

/// Returns the recipes of a file, according to its header.
pub fn set(lro: &Deviations, detail: Detail) -> Set {
    let kind = lro.kind;
    let generated = |recipes: [Recipe; 10], analyze| Set { recipes: recipes.into(), analyze, kind, are_given: false };
    if !lro.recipes.is_empty() {
        return Set { recipes: given::recipes(&lro.recipes, kind), analyze: 1, kind, are_given: true };
    }
    match (kind, lro.profile) {
        (Kind::Records, _) => generated(records::recipes(&lro.roles), 6),
        (Kind::Text, _) => generated(text::recipes(&lro.roles.words), 6),
        (Kind::Memories, Profile::Early) => generated(early::recipes(), 8),
        (Kind::Memories, Profile::Current | Profile::Mcpagent) => generated(memories::recipes(detail), 6),
    }
}

impl Set {
    /// Runs all recipes, with their parameters' defaults, on records given as JSON text. Returns
    /// the numbers of those that failed on some record (USER-14).
    pub fn failing<S: AsRef<str>>(&self, records: impl Iterator<Item = S>, settings: &Settings) -> Vec<usize> {
        let parameters = self.recipes.iter().filter_map(|recipe| recipe.parameter.as_ref());
        let variables: Vec<(String, Value)> = parameters
            .map(|parameter| (parameter.name.to_owned(), parameter.default.clone().into_owned().into()))
            .collect();
        let (arena, limits) = (Arena::default(), settings.limits());
        let parsed =
            self.recipes.iter().map(|recipe| Query::parse(&recipe.native.filter, &arena, &limits)).collect::<Vec<_>>();
        let programs: Vec<Program<'_>> = (self.recipes.iter().zip(&parsed))
            .filter_map(|(recipe, query)| Some(recipe.native.program(query.as_ref().ok()?)))
            .collect();
        let mut trial = Trial::new(&programs, &variables, &limits);
        records.for_each(|record| trial.record(record.as_ref()));
        let mut failed = trial.failed().into_iter();
        // A recipe whose filter does not parse fails on every record.
        let fails = |query: &Result<_, _>| query.is_err() || failed.next().unwrap_or(true);
        (1..).zip(parsed.iter().map(fails)).filter(|(_, failed)| *failed).map(|(number, _)| number).collect()
    }
}

impl Set {
    /// The recipes that the caller gave, as responses name them: `1 open orders (state)`.
    pub fn given_names(&self, most: usize) -> Vec<String> {
        let given = (1..).zip(&self.recipes).filter(|_| self.are_given).take(most);
        given.map(|(number, recipe)| cut(&recipe.named(number, NAME_CHARACTERS), NAME_CHARACTERS)).collect()
    }
}

impl Native {
    /// The native form as the engine runs it, with its filter parsed.
    pub fn program<'q>(&self, query: &'q Query<'q>) -> Program<'q> {
        Program { query, shape: self.shape, reads: self.reads, raw: self.raw }
    }
}

impl Recipe {
    /// The shell command on a file. The file must be quoted for the shell already.
    pub fn command(&self, quoted_file: &str) -> String {
        format!("tail -n +2 {quoted_file} | {}", self.invocation())
    }

    /// jq with its options and its filter.
    pub fn invocation(&self) -> String {
        let options = if self.options.is_empty() { String::new() } else { format!(" {}", self.options) };
        let bindings = given::bindings(&self.variables);
        // What begins with a hyphen would be an option.
        let space = if self.filter.starts_with('-') { " " } else { "" };
        format!("jq{options}{bindings} '{space}{}'", self.filter.replace('\'', r"'\''"))
    }

    /// The description, with remarks on the records that jq will complain about, and on a command that finds nothing as
    /// it is.
    pub fn described(&self, survey: &Survey) -> String {
        let remarks: Vec<Cow<'_, str>> =
            [self.complains(survey), self.finds_nothing(survey)].into_iter().flatten().collect();
        if remarks.is_empty() {
            self.description.to_string()
        } else {
            format!("{} ({})", self.description, remarks.join("; "))
        }
    }

    /// Its number, its label in at most so many characters, and what it takes: `3 search title (keyword)`.
    pub fn named(&self, number: usize, characters: usize) -> String {
        let label = cut(&self.label, characters);
        match self.parameters() {
            names if names.is_empty() => format!("{number} {label}"),
            names => format!("{number} {label} ({names})"),
        }
    }

    /// The names of what it takes, with commas between them.
    pub fn parameters(&self) -> String {
        let own = self.parameter.iter().map(|parameter| parameter.name);
        own.chain(self.variables.iter().map(|(name, _)| name.as_str())).collect::<Vec<_>>().join(", ")
    }

    fn complains(&self, survey: &Survey) -> Option<Cow<'_, str>> {
        match self.complaint? {
            Complaint::ReportsWithout(field) => match survey.without_string(field) {
                0 => None,
                1 => Some(format!("1 record without {field} is reported on stderr").into()),
                n => Some(format!("{n} records without {field} are reported on stderr").into()),
            },
            Complaint::FailsWithoutConfidence => {
                let everywhere = survey.confident == survey.count;
                (!everywhere).then_some("jq fails where a confidence is missing".into())
            }
        }
    }

    fn finds_nothing(&self, survey: &Survey) -> Option<Cow<'_, str>> {
        if let Some(parameter) = self.parameter.as_ref().filter(|parameter| parameter.is_placeholder) {
            return Some(format!("{} is a placeholder", parameter.default).into());
        }
        let literal = self.literal.filter(|literal| survey.count > 0 && !survey.literals.has(*literal))?;
        Some(literal.absence().into())
    }
}

/// A path as one word of a POSIX shell (decision 7): bare where that is safe, else in single quotes.
pub fn shell_quote(path: &str) -> String {
    let safe = |c: char| c.is_ascii_alphanumeric() || "_./:@%+=,-".contains(c);
    if !path.is_empty() && path.chars().all(safe) {
        path.to_owned()
    } else {
        format!("'{}'", path.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_quoted_when_a_shell_would_read_it_differently() {
        let rows = [
            ("/tmp/a-b_1.jsonl", "/tmp/a-b_1.jsonl"),
            ("/tmp/a b", "'/tmp/a b'"),
            ("$(x)", "'$(x)'"),
            ("it's", r"'it'\''s'"),
            ("", "''"),
            ("/tmp/é", "'/tmp/é'"),
        ];
        for (path, word) in rows {
            assert_eq!(shell_quote(path), word);
        }
    }

    #[test]
    fn a_command_is_rendered_from_its_row() {
        let set = set(&Deviations::default(), Detail::Light);
        assert_eq!(set.recipes[0].command("F"), "tail -n +2 F | jq -r '[.title, .namespace] | @tsv'");
        assert_eq!(set.recipes[3].command("F"), "tail -n +2 F | jq '{id, title, namespace}'");
    }

    #[test]
    fn no_recipe_names_the_score() {
        for profile in [Profile::Current, Profile::Early] {
            for detail in [Detail::Light, Detail::Medium, Detail::Full] {
                for recipe in set(&Deviations { profile, ..Deviations::default() }, detail).recipes {
                    assert!(!recipe.filter.contains(".score") && !recipe.native.filter.contains(".score"));
                }
            }
        }
    }

    #[test]
    fn a_description_says_what_jq_will_report() {
        let survey = Survey::of([r#"{"namespace":"_semantic"}"#, r#"{"namespace":null,"title":"a keyword"}"#]);
        let set = set(&Deviations::default(), Detail::Light);
        assert_eq!(
            set.recipes[1].described(&survey),
            "Filter by namespace prefix (1 record without namespace is reported on stderr)"
        );
        assert_eq!(set.recipes[0].described(&survey), "List titles with namespaces");
    }

    #[test]
    fn a_description_says_where_a_literal_finds_nothing() {
        let survey = Survey::of([r#"{"namespace":"a","tags":["TAG"],"memory_type":"semantic"}"#, "7"]);
        let memories = set(&Deviations::default(), Detail::Light);
        let said: Vec<String> = [1, 4, 6].map(|place: usize| memories.recipes[place].described(&survey)).into();
        let expected = [
            "Filter by namespace prefix (1 record without namespace is reported on stderr; no namespace begins with _semantic)",
            "Filter by memory type",
            "Filter by tag",
        ];
        assert_eq!(said, expected);
        let text = set(&Deviations { kind: Kind::Text, ..Deviations::default() }, Detail::Full);
        let described = text.recipes[1].described(&Survey::default());
        assert_eq!(described, "Filter by the beginning of a line (prefix is a placeholder)");
    }

    #[test]
    fn every_recipe_has_a_plan() {
        use lro_query::{Arena, Limits, Query, from_json, is_planned};

        use crate::fields::roles::Roles;
        use crate::file::header::Deviations;
        use crate::payload::detail::Detail;
        use crate::settings::Profile;

        let role = |path: &str, mixed: bool| format!(r#"{{"path":"{path}","mixed":{mixed},"example":"x"}}"#);
        let roles = |guarded: bool, mixed: bool, of: &str| -> Roles {
            let named = ["title", "id", "prefix", "category", "group", "time", "number", "text"];
            let named: Vec<String> = named.iter().map(|name| format!(r#""{name}":{}"#, role(".a.b", mixed))).collect();
            let member = format!(r#""member":{{"path":".c"{of}}}"#);
            serde_json::from_str(&format!(r#"{{"guarded":{guarded},{},{member}}}"#, named.join(","))).unwrap()
        };
        let of_roles = |roles| Deviations { kind: Kind::Records, roles, ..Deviations::default() };
        let files = [
            Deviations::default(),
            Deviations { profile: Profile::Early, ..Deviations::default() },
            Deviations { kind: Kind::Text, ..Deviations::default() },
            of_roles(Roles::default()),
            of_roles(Roles { guarded: true, ..Roles::default() }),
            of_roles(roles(false, false, "")),
            of_roles(roles(false, true, r#","of":".name""#)),
            of_roles(roles(true, true, r#","of":".name""#)),
            of_roles(Roles { number: None, ..roles(true, false, "") }),
        ];
        for lro in files {
            for detail in [Detail::Light, Detail::Medium, Detail::Full] {
                for recipe in set(&lro, detail).recipes {
                    let text = from_json("\"text\"").unwrap();
                    let variables: Vec<_> =
                        recipe.parameter.iter().map(|p| (p.name.to_owned(), text.clone())).collect();
                    let arena = Arena::default();
                    let query = Query::parse(&recipe.native.filter, &arena, &Limits::default()).unwrap();
                    assert!(is_planned(recipe.native.program(&query), &variables), "{}", query.text());
                }
            }
        }
    }
}
