//! The ten recipes of a response (LRO-26): each is one row, from which the shell command, the native program, the
//! documentation and the tests are rendered.

mod early;
mod memories;
mod records;

use serde::{Deserialize, Serialize};

use crate::detail::Detail;
use crate::query::{Program, Shape};
use crate::settings::Profile;
use crate::survey::Survey;

/// What kind of records a file has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Memories: the specification's recipes.
    #[default]
    Memories,
    /// Anything else: recipes that name no field.
    Records,
}

/// A parameter of a recipe (decisions 20 and 27).
#[derive(Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its name, which is also the name of the jq variable in the native filter.
    pub name: &'static str,
    /// Another name that is accepted.
    pub alias: Option<&'static str>,
    /// The literal in the shell command, taken when the parameter is missing.
    pub default: &'static str,
}

/// What keeps the shell command from handling every record (decision 26).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Complaint {
    /// jq reports the records in which this field is no string, and handles the others.
    ReportsWithout(&'static str),
    /// jq fails on the whole set when a record lacks `.provenance.confidence`.
    FailsWithoutConfidence,
}

/// One row.
#[derive(Debug)]
pub struct Recipe {
    /// What it does, as in the specification's table.
    pub description: &'static str,
    /// Options of jq in the shell command.
    pub options: &'static str,
    /// The filter of the shell command.
    pub filter: &'static str,
    /// What it does in two or three words, for the guidance of the extraction tool.
    pub label: &'static str,
    /// The same in the words of the guidance's patterns; empty where they do not mention it.
    pub pattern: &'static str,
    /// Its parameter, if it has one.
    pub parameter: Option<Parameter>,
    /// The native form: safe on null and missing fields, equal to jq's wherever jq succeeds (decision 8).
    pub native: Program<'static>,
    /// What the shell command cannot do with some records.
    pub complaint: Option<Complaint>,
}

/// The blank row: what most rows have.
const ROW: Recipe = Recipe {
    description: "",
    options: "",
    filter: "",
    label: "",
    pattern: "",
    parameter: None,
    native: Program { filter: "", shape: Shape::Each, reads: None, raw: false },
    complaint: None,
};

/// Ten recipes, and which of them stand for browsing, filtering and analysing in the guidance.
#[derive(Debug)]
pub struct Set {
    /// In the order of their numbers, from 1.
    pub recipes: [&'static Recipe; 10],
    /// The number of the recipe that counts by group.
    pub analyze: usize,
}

/// The ten recipes of a file.
pub fn set(profile: Profile, kind: Kind, detail: Detail) -> Set {
    match (kind, profile) {
        (Kind::Records, _) => Set { recipes: records::RECIPES.each_ref(), analyze: 6 },
        (Kind::Memories, Profile::Early) => Set { recipes: early::RECIPES.each_ref(), analyze: 8 },
        (Kind::Memories, Profile::Current) => Set { recipes: memories::recipes(detail), analyze: 6 },
    }
}

impl Recipe {
    /// The shell command on a file. The file must be quoted for the shell already.
    pub fn command(&self, quoted_file: &str) -> String {
        let options = if self.options.is_empty() { String::new() } else { format!(" {}", self.options) };
        format!("tail -n +2 {quoted_file} | jq{options} '{}'", self.filter)
    }

    /// The description, with a remark on the records that jq will complain about.
    pub fn described(&self, survey: &Survey) -> String {
        let remark = match self.complaint {
            Some(Complaint::ReportsWithout(field)) => match survey.without_string(field) {
                0 => None,
                1 => Some(format!("1 record without {field} is reported on stderr")),
                n => Some(format!("{n} records without {field} are reported on stderr")),
            },
            Some(Complaint::FailsWithoutConfidence) => {
                let everywhere = survey.confident == survey.count;
                (!everywhere).then(|| "jq fails where a confidence is missing".to_owned())
            }
            None => None,
        };
        remark.map_or_else(|| self.description.to_owned(), |remark| format!("{} ({remark})", self.description))
    }
}

/// A path as one word of a POSIX shell (decision 7): bare where that is safe, else in single quotes.
pub fn quoted(path: &str) -> String {
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
            assert_eq!(quoted(path), word);
        }
    }

    #[test]
    fn a_command_is_rendered_from_its_row() {
        let set = set(Profile::Current, Kind::Memories, Detail::Light);
        assert_eq!(set.recipes[0].command("F"), "tail -n +2 F | jq -r '[.title, .namespace] | @tsv'");
        assert_eq!(set.recipes[3].command("F"), "tail -n +2 F | jq '{id, title, namespace}'");
    }

    #[test]
    fn no_recipe_names_the_score() {
        for profile in [Profile::Current, Profile::Early] {
            for kind in [Kind::Memories, Kind::Records] {
                for detail in [Detail::Light, Detail::Medium, Detail::Full] {
                    for recipe in set(profile, kind, detail).recipes {
                        assert!(!recipe.filter.contains(".score") && !recipe.native.filter.contains(".score"));
                    }
                }
            }
        }
    }

    #[test]
    fn a_description_says_what_jq_will_report() {
        let survey = Survey::of(&[r#"{"namespace":"a"}"#, r#"{"namespace":null}"#]);
        let set = set(Profile::Current, Kind::Memories, Detail::Light);
        assert_eq!(
            set.recipes[1].described(&survey),
            "Filter by namespace prefix (1 record without namespace is reported on stderr)"
        );
        assert_eq!(set.recipes[0].described(&survey), "List titles with namespaces");
    }
}
