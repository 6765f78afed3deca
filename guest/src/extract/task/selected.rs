//! A recipe or a query on the records that criteria select and sort (decision 360).

use lro_query::Shape;

use super::{Task, refused};
use crate::error::Error;
use crate::extract::criteria::Criteria;
use crate::settings::request::{Extract, Way};

impl Task<'_> {
    /// The task on the records that criteria select, in their order.
    ///
    /// Errors: `invalid-argument` for criteria that say what is wanted of the records, which the task itself says, and for
    /// a task that does not run on records.
    pub(super) fn on_selected(mut self, criteria: &Criteria, request: &Extract) -> Result<Self, Error> {
        check(request)?;
        let is_sorted = !criteria.sort_by.is_empty();
        if criteria.clauses.is_empty() && !is_sorted {
            return Ok(self);
        }
        let (of_all, shape) = match self.native.shape {
            Shape::Each if is_sorted => (true, Shape::Whole),
            Shape::Each => (false, Shape::Each),
            Shape::Select => (false, Shape::Select),
            Shape::Project => {
                // The keys are those of our recipes.
                let keys = self.native.reads.unwrap_or_default().join(", ");
                self.native.filter = format!("{{{keys}}}").into();
                (false, Shape::Each)
            }
            Shape::Sort { descending } | Shape::SortSelected { descending } => {
                (false, Shape::SortSelected { descending })
            }
            shape @ (Shape::All | Shape::Whole) => (true, shape),
        };
        let (mut before, variables) = criteria.selection(of_all);
        if self.native.shape == Shape::Each && of_all {
            before.push_str(" | .[]");
        }
        self.before = Some(before);
        // What is looked for is bound last.
        self.variables.splice(0..0, variables);
        self.native.shape = shape;
        self.native.reads = None;
        Ok(self)
    }
}

/// Refuses criteria that do not go with a recipe or a query.
fn check(request: &Extract) -> Result<(), Error> {
    let name = if request.recipe.is_some() { "recipe" } else { "query" };
    let given = [
        ("select", request.select.is_some()),
        ("group_by", request.group_by.is_some()),
        ("aggregate", request.aggregate.is_some()),
        ("per_group", request.per_group.is_some()),
        ("sort_by", request.sort_by.is_some() && request.recipe.is_some()),
    ];
    if let Some((criterion, _)) = given.iter().find(|(_, is_given)| *is_given) {
        let reason = format!("both `{name}` and `{criterion}` are given");
        let hint =
            "give one of them: of the criteria, `where` and `count` go with a recipe, and `sort_by` with a query";
        return Err(refused(&reason, hint));
    }
    match request.document {
        Some(Way::Document | Way::Record) => Err(not_on_records()),
        _ => Ok(()),
    }
}

/// The error of criteria beside a query that does not run on records.
pub fn not_on_records() -> Error {
    refused(
        "`where` or `sort_by` is given, and the query runs on the document",
        "leave out one of them: they select and sort records, and the query then runs on each of these, or with `slurp` \
         on the array of these",
    )
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::calls::{Source, extract};
    use crate::disk::instant;

    /// The results of a request on a few records, or the error.
    fn results(kind: &str, request: &Value) -> Result<Vec<String>, String> {
        let header = json!({"type": "lro_header", "operation": "list", "query": null, "count": 4,
            "schema_version": "1.0.0", "timestamp": "2026-01-01T00:00:00.000Z", "estimated_tokens": 1,
            "detail": "light", "lro": {"kind": kind}});
        let records = [
            json!({"id": "a", "title": "A", "namespace": "_x", "memory_type": "semantic", "tags": ["t"], "created": "3", "n": 3}),
            json!({"id": "b", "title": "B", "namespace": "_x", "memory_type": "episodic", "tags": [], "created": "1", "n": 1}),
            json!({"id": "c", "title": "C", "namespace": "_y", "memory_type": "semantic", "tags": ["t", "u"], "created": "2", "n": 2}),
            json!({"id": "d", "title": null, "memory_type": "semantic", "n": 9}),
        ];
        let lines: String = records.iter().map(|record| format!("{record}\n")).collect();
        let page = extract(Source::Content(&format!("{header}\n{lines}")), &request.to_string(), "", instant);
        let page = page.map_err(|error| format!("{error} ({})", error.hint()))?;
        assert_eq!(page.failed, 0, "{request}");
        Ok(String::from_utf8(page.text).unwrap().lines().map(str::to_owned).collect())
    }

    #[test]
    fn each_kind_of_recipe_runs_on_what_is_selected() {
        let id = |line: &String| {
            let value: Option<Value> = serde_json::from_str(line).ok();
            value.as_ref().and_then(|value| value.get("id")).map_or_else(|| line.clone(), Value::to_string)
        };
        let mut shapes = Vec::new();
        for number in 1..=10 {
            let all = results("memories", &json!({"recipe": number})).unwrap();
            let some = results("memories", &json!({"recipe": number, "where": ["n>=0"]})).unwrap();
            // Conditions that all records meet change nothing.
            assert_eq!(some, all, "recipe {number}");
            let one = results("memories", &json!({"recipe": number, "where": ["id=b"]})).unwrap();
            assert!(one.len() <= 1, "recipe {number}: {one:?}");
            shapes.push(one.iter().map(id).collect::<String>());
        }
        assert!(shapes.iter().filter(|one| !one.is_empty()).count() >= 6, "{shapes:?}");
    }

    #[test]
    fn a_query_runs_on_what_is_selected_in_its_order() {
        let rows = [
            (json!({"where": ["n>1"], "query": ".id"}), r#""a" "c" "d""#),
            (json!({"where": ["n>1"], "sort_by": "n", "query": ".id"}), r#""c" "a" "d""#),
            (json!({"sort_by": "-n,id", "query": ".id"}), r#""d" "a" "c" "b""#),
            (json!({"where": ["n>1"], "query": "map(.n) | add", "slurp": true}), "14"),
            (json!({"where": ["n>1"], "query": "map(.n) | add"}), "14"),
            (json!({"where": ["n>1"], "sort_by": "-n", "query": ".[0].id", "slurp": true}), r#""d""#),
            (json!({"where": ["n>1"], "sort_by": "-n", "query": ".[0:2] | map(.id)"}), r#""d" "a""#),
            (json!({"where": ["n>1"], "query": ".tags[]?", "count": true}), "3"),
            (json!({"where": ["n>1"], "query": "[.id]", "sort_by": "n", "limit": 1}), r#"["c"]"#),
            // Names and values of one do not reach the other.
            (json!({"where": ["n>1"], "query": "select(.n == $n) | .id", "params": {"n": 9, "v0": 7}}), r#""d""#),
            (json!({"where": ["id=a"], "query": "$v0", "params": {"v0": 7}}), "7"),
            (json!({"where": ["id=a"], "query": "def select(f): 5; select(.n)"}), "5"),
            (json!({"where": [{"field": "id", "op": "eq", "value": "a\") or (true"}], "query": ".id"}), ""),
        ];
        for (request, expected) in rows {
            assert_eq!(results("records", &request).map(|lines| lines.join(" ")).as_deref(), Ok(expected), "{request}");
        }
    }

    #[test]
    fn an_error_points_at_the_query() {
        let rows = [
            (json!({"where": ["n>1"], "query": ".id )"}), "character 5"),
            (json!({"where": ["n>1"], "query": ") | ("}), "character 1"),
            (json!({"where": ["n>1"], "query": "nothing"}), "`nothing/0` is not defined"),
            (json!({"where": ["n>1"], "query": "$v0"}), "v0"),
            (json!({"where": ["n>1"], "query": "map(.id + 1)", "slurp": true}), "string (\"a\") and number (1)"),
            (json!({"where": ["n>1"], "query": ".id", "group_by": "n"}), "both `query` and `group_by`"),
            (json!({"recipe": 1, "sort_by": "n"}), "both `recipe` and `sort_by`"),
            (json!({"where": ["n>1"], "query": ".", "on": "document"}), "the query runs on the document"),
        ];
        for (request, part) in rows {
            let error = results("records", &request).unwrap_err();
            assert!(error.contains(part), "{request}: {error}");
        }
    }
}
