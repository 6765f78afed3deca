//! What a caller says of the lists of a result, in place of what is generated: a summary, a schema, recipes (SECTION-04,
//! SECTION-05).

use std::collections::BTreeMap;

use lro_query::json::escape_hidden;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::error::Error;
use crate::payload::path::Path;

/// A list has no more recipes than a response generates.
pub const MOST_RECIPES: usize = 10;

/// A recipe has no more parameters: each is a variable in its command.
const MOST_PARAMS: usize = 8;

/// Lists by their paths; `.` is the only list, or a text.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
pub struct Sections(BTreeMap<Path, Section>);

/// What is said of one list.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Section {
    /// A text or an object.
    pub summary: Option<Value>,
    /// In place of the generated schema of a record.
    pub schema: Option<Map<String, Value>>,
    /// In place of the generated recipes.
    pub recipes: Option<Vec<GivenRecipe>>,
}

/// A recipe of the caller's: a jq filter and what it is for.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GivenRecipe {
    /// What it does, in a few words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// What it does, in a sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// A jq filter.
    pub query: String,
    /// It runs once, on the array of all records.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub slurp: bool,
    /// String results are printed without quotes.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub raw: bool,
    /// Variables of the filter, with the values that they have unless others are passed.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub params: Map<String, Value>,
}

impl Sections {
    /// What is said of the list at a path. `.` is said of the only list, wherever it is.
    pub fn of(&self, path: &Path, is_only: bool) -> Option<&Section> {
        self.0.get(path).or_else(|| self.0.get(&Path::default()).filter(|_| is_only))
    }

    /// All of them with their paths.
    pub fn iter(&self) -> impl Iterator<Item = (&Path, &Section)> {
        self.0.iter()
    }

    /// Checks all that can be checked without looking at a filter.
    pub(super) fn check(&self) -> Result<(), Error> {
        self.iter().try_for_each(|(path, section)| section.check(path))
    }
}

impl Section {
    /// The recipes; none if the generated ones hold.
    pub fn recipes(&self) -> &[GivenRecipe] {
        self.recipes.as_deref().unwrap_or_default()
    }

    fn check(&self, path: &Path) -> Result<(), Error> {
        let is_summary = self.summary.as_ref().is_none_or(|summary| summary.is_string() || summary.is_object());
        if !is_summary {
            return Err(refused(
                &format!("the summary of section `{path}` is neither text nor an object"),
                "give a text or an object",
            ));
        }
        match self.recipes.as_deref() {
            None => Ok(()),
            Some(recipes) if (1..=MOST_RECIPES).contains(&recipes.len()) => {
                (1..).zip(recipes).try_for_each(|(number, recipe)| recipe.check(number, path))
            }
            Some(recipes) => Err(refused(
                &format!("section `{path}` has {} recipes", recipes.len()),
                &format!("give 1 to {MOST_RECIPES}, or leave `recipes` out for those that are generated"),
            )),
        }
    }
}

impl GivenRecipe {
    /// What it does, at some length.
    pub fn described(&self) -> &str {
        self.description.as_deref().or(self.name.as_deref()).unwrap_or_default()
    }

    /// What it does, as short as it was given.
    pub fn label(&self) -> &str {
        self.name.as_deref().or(self.description.as_deref()).unwrap_or_default()
    }

    fn check(&self, number: usize, path: &Path) -> Result<(), Error> {
        let refused =
            |reason: &str, hint: &str| refused(&format!("recipe {number} of section `{path}` {reason}"), hint);
        if self.label().trim().is_empty() {
            return Err(refused("says nowhere what it does", "give it a `name` or a `description`"));
        }
        if self.query.trim().is_empty() {
            return Err(refused(
                "has an empty `query`",
                "give a jq filter, for example `select(.state == $state) | .id`",
            ));
        }
        // It becomes part of a command, which is one line, and what is shown of it must be what is run.
        if self.query.contains(char::is_control) || escape_hidden(self.query.clone()) != self.query {
            let hint = "write the filter on one line, and such characters in its strings as escapes, `\\u200b`";
            return Err(refused("has a line break or another character that cannot be seen", hint));
        }
        if self.params.len() > MOST_PARAMS {
            let reason = format!("has {} parameters", self.params.len());
            return Err(refused(&reason, &format!("give at most {MOST_PARAMS}")));
        }
        match self.params.keys().find(|name| !is_variable(name)) {
            Some(name) => Err(refused(
                &format!("has a parameter `{}` that cannot be a variable", escape_hidden(name.clone())),
                "name it with letters, digits and single underscores, beginning with a letter",
            )),
            None => Ok(()),
        }
    }
}

/// True for a name that a variable of a filter can have, and a caller can give.
pub fn is_variable(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && !name.starts_with("__")
}

fn refused(reason: &str, hint: &str) -> Error {
    Error::invalid_argument(format!("cannot read the offload request: {reason}"), hint)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::MOST_PARAMS;
    use crate::settings::request::Offload;

    #[test]
    fn what_a_caller_says_of_a_list_is_checked() {
        let recipe = |recipe: serde_json::Value| json!({".a": {"recipes": [recipe]}});
        let params: serde_json::Map<_, _> = (0..=MOST_PARAMS).map(|n| (format!("p{n}"), n.into())).collect();
        let many: Vec<_> = (0..11).map(|n| json!({"name": n.to_string(), "query": "."})).collect();
        let rows = [
            (json!({"a": {}}), "`a` is not a valid path"),
            (json!({".a": {"sumary": ""}}), "unknown field `sumary`"),
            (json!({".a": {"summary": 7}}), "the summary of section `.a` is neither text nor an object"),
            (json!({".a": {"schema": "x"}}), "expected a map"),
            (json!({".a": {"recipes": []}}), "section `.a` has 0 recipes"),
            (json!({".a": {"recipes": many}}), "section `.a` has 11 recipes"),
            (recipe(json!({"query": "."})), "recipe 1 of section `.a` says nowhere what it does"),
            (recipe(json!({"name": "x"})), "missing field `query`"),
            (recipe(json!({"name": "x", "query": " "})), "has an empty `query`"),
            (recipe(json!({"name": "x", "query": ".a\n"})), "a line break or another character"),
            (recipe(json!({"name": "x", "query": "\"\u{202e}\""})), "a line break or another character"),
            (recipe(json!({"name": "x", "query": ".", "params": {"a-b": 1}})), "parameter `a-b` that cannot be"),
            (recipe(json!({"name": "x", "query": ".", "params": params})), "parameters"),
        ];
        let mut most = params.clone();
        most.remove("p0");
        let fitting =
            json!({"operation": "list", "sections": recipe(json!({"name": "x", "query": ".", "params": most}))});
        assert!(Offload::parse(&fitting.to_string()).is_ok(), "{fitting}");
        for (sections, part) in rows {
            let error = Offload::parse(&json!({"operation": "list", "sections": sections}).to_string()).unwrap_err();
            assert!(error.to_string().contains(part), "{sections}: {error}");
        }
    }
}
