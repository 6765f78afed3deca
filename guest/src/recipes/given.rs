//! Recipes that the caller gave for a list, in place of the generated ones (SECTION-05).

use lro_query::json::{cut, escape_hidden, quote};
use lro_query::{Arena, Limits, Query, Shape, compile};
use serde_json::{Map, Value};

use super::{Native, ROW, Recipe, shell_quote};
use crate::error::Error;
use crate::file::kind::Kind;
use crate::payload::path::Path;
use crate::settings::sections::{GivenRecipe, MOST_RECIPES};

/// Longer descriptions and names are cut: all of them stand in one response.
const DESCRIPTION_CHARACTERS: usize = 120;
const LABEL_CHARACTERS: usize = 40;

/// Recipes 1 to as many as there are, for records of this kind.
pub(super) fn recipes(given: &[GivenRecipe], kind: Kind) -> Vec<Recipe> {
    given.iter().take(MOST_RECIPES).map(|given| recipe(given, kind)).collect()
}

fn recipe(given: &GivenRecipe, kind: Kind) -> Recipe {
    let shown = |text: &str, most: usize| escape_hidden(cut(text, most));
    let (options, filter) = match (kind, given.slurp) {
        // jq has no array of lines: it makes one of what it reads.
        (Kind::Text, true) => (if given.raw { "-Rnr" } else { "-Rnc" }, format!("[inputs] | {}", given.query)),
        (Kind::Text, false) => (if given.raw { "-Rr" } else { "-Rc" }, given.query.clone()),
        (_, true) => (if given.raw { "-sr" } else { "-sc" }, given.query.clone()),
        (_, false) => (if given.raw { "-rc" } else { "-c" }, given.query.clone()),
    };
    Recipe {
        description: shown(given.described(), DESCRIPTION_CHARACTERS).into(),
        options,
        filter: filter.into(),
        label: shown(given.label(), LABEL_CHARACTERS).into(),
        variables: given.params.clone().into_iter().collect::<Vec<_>>().into(),
        native: Native {
            filter: given.query.clone().into(),
            shape: if given.slurp { Shape::All } else { Shape::Each },
            reads: None,
            raw: given.raw,
        },
        ..ROW
    }
}

/// Options of jq that bind variables, each after a space: `--arg state open --argjson least 3`.
pub(super) fn bindings(variables: &[(String, Value)]) -> String {
    let binding = |(name, value): &(String, Value)| match value {
        Value::String(text) if escape_hidden(text.clone()) == *text && !text.contains(char::is_control) => {
            format!(" --arg {name} {}", shell_quote(text))
        }
        Value::String(text) => format!(" --argjson {name} {}", shell_quote(&escape_hidden(quote(text)))),
        value => format!(" --argjson {name} {}", shell_quote(&escape_hidden(value.to_string()))),
    };
    variables.iter().map(binding).collect()
}

/// The variables of a filter as the engine takes them.
pub fn variables(params: &Map<String, Value>) -> Result<Vec<(String, lro_query::Value)>, Error> {
    let value = |(name, value): (&String, &Value)| {
        let value = lro_query::from_json(&value.to_string())
            .map_err(|error| Error::invalid_argument(format!("cannot read parameter `{name}`: {error}"), ""))?;
        Ok((name.clone(), value))
    };
    params.iter().map(value).collect()
}

/// Checks that recipes are filters that can run, before anybody is told of them.
pub fn check(path: &Path, given: &[GivenRecipe], limits: &Limits) -> Result<(), Error> {
    for (number, given) in (1..).zip(given) {
        let arena = Arena::default();
        let variables = variables(&given.params)?;
        let query = Query::parse(&given.query, &arena, limits);
        if let Err(cause) = query.and_then(|query| compile(&query, &variables)) {
            return Err(Error::invalid_argument(
                format!(
                    "cannot read the offload request: recipe {number} of section `{path}` is not a valid filter: {cause}"
                ),
                "fix its `query`, a jq filter that runs once for each record, or with `slurp` on the array of all; its variables stand in `params`",
            ));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn given(recipe: Value) -> Recipe {
        super::recipe(&serde_json::from_value(recipe).unwrap(), Kind::Records)
    }

    #[test]
    fn a_command_binds_the_variables_of_its_filter() {
        let rows = [
            (json!({"name": "x", "query": ".id"}), "jq -c '.id'"),
            (json!({"name": "x", "query": "length", "slurp": true, "raw": true}), "jq -sr 'length'"),
            (json!({"name": "x", "query": "-1"}), "jq -c ' -1'"),
            (
                json!({"name": "x", "query": ".a == $a", "params": {"a": "it's", "n": 3, "l": "a\nb"}}),
                r#"jq -c --arg a 'it'\''s' --argjson n 3 --argjson l '"a\nb"' '.a == $a'"#,
            ),
            (json!({"name": "x", "query": "\"it's\""}), r#"jq -c '"it'\''s"'"#),
        ];
        for (recipe, command) in rows {
            assert_eq!(given(recipe).invocation(), command);
        }
    }

    #[test]
    fn a_filter_that_cannot_run_is_named() {
        let rows = [(".a |", "recipe 1"), ("nofunc(1)", "nofunc"), (".a == $b", "b"), ("env", "env")];
        for (query, part) in rows {
            let given = GivenRecipe { query: query.into(), ..GivenRecipe::default() };
            let error = check(&Path::default(), &[given], &Limits::default()).unwrap_err().to_string();
            assert!(error.contains(part) && error.contains("recipe 1 of section `.`"), "{error}");
        }
    }
}
