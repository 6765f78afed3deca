//! Records that are arrays, whose values have their names in the document: `{"columns": ["id", "name"], "rows": [[1, "x"]]}`.

use serde_json::Value;

use super::document;
use super::sample::{MOST_FILTER_BYTES, Sample};
use super::trees;
use crate::extract::criteria::{Condition, Field};
use crate::file::header::Header;

/// What a name of a column is called where it is one of several things about it.
const NAMES: [&str; 5] = ["name", "column_name", "label", "title", "id"];

/// Says where the value with a name is: `.columns` has it at the place of `.[1]`.
pub(super) fn place(header: &Header, width: usize, name: &str) -> Option<(String, usize)> {
    let own = document::place(header)?;
    let (_, around) = own.0.split_last()?;
    let document = document::around(header)?;
    let members = around.iter().try_fold(&document, |value, key| value.get(key))?.as_object()?;
    members.iter().find_map(|(key, value)| {
        let columns = value.as_array().filter(|columns| columns.len() == width)?;
        let names: Vec<&str> = columns.iter().map(name_of).collect::<Option<_>>()?;
        let at = names.iter().position(|known| known.eq_ignore_ascii_case(name))?;
        let place = around.iter().cloned().chain([key.clone()]).collect::<Vec<_>>();
        Some((Field::of_path(&place).jq(), at))
    })
}

fn name_of(column: &Value) -> Option<&str> {
    column.as_str().or_else(|| NAMES.iter().find_map(|key| column.get(key)?.as_str()))
}

/// A remark on a condition on a value by its name.
pub(super) fn of_condition(sample: &Sample<'_>, condition: &Condition) -> Option<String> {
    let (list, at) = found(sample, &condition.field)?;
    let said = said(&condition.field, &list, at);
    let value = Condition { field: Field::of_path(&[]), ..condition.clone() };
    let filter = format!("select(.[{at}] | {})", trees::filter(&value));
    let found = if filter.len() <= MOST_FILTER_BYTES { sample.count_filter(&filter) } else { 0 };
    match found {
        0 => Some(said),
        found => Some(format!("{said}; run the query `{filter}` ({})", sample.times(found))),
    }
}

/// A remark on a field that is a value by its name.
pub(super) fn of_field(sample: &Sample<'_>, field: &Field) -> Option<String> {
    let (list, at) = found(sample, field)?;
    Some(said(field, &list, at))
}

fn said(field: &Field, list: &str, at: usize) -> String {
    format!(
        "the records are arrays, whose values `{list}` of the document names: `{}` is `.[{at}]` of a record, in a `query`",
        field.name
    )
}

fn found(sample: &Sample<'_>, field: &Field) -> Option<(String, usize)> {
    let [name] = &field.parts[..] else { return None };
    let width = sample.records.iter().find_map(Value::as_array)?.len();
    place(sample.header, width, name)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::tests::{file, remarks_on};

    #[test]
    fn values_of_arrays_are_found_by_the_names_beside_them() {
        let lines: Vec<String> = (0..9).map(|n| json!([n, format!("n{n}")]).to_string()).collect();
        let said = |front: &str, path: &str, request: serde_json::Value| {
            let frame = json!({"form": "object", "pieces": [front, 0, "]}}"], "lists": [{"path": path, "separator": ","}],
                "exact": true});
            remarks_on(&file(json!({"kind": "records", "document": frame}), &lines), &request).concat()
        };
        let fronts = [
            (r#"{"a":{"columns":["id","name"],"rows":["#, ".a.rows", ".a.columns"),
            (r#"{"a":{"data":{},"fields":[{"name":"id"},{"name":"name"}],"rows":["#, ".a.rows", ".a.fields"),
        ];
        for (front, path, list) in fronts {
            let named = format!(
                "the records are arrays, whose values `{list}` of the document names: `name` is `.[1]` of a record, in a `query`"
            );
            let condition = said(front, path, json!({"where": ["name=n3"]}));
            assert_eq!(condition, format!("{named}; run the query `select(.[1] | . == \"n3\")` (1)"));
            assert_eq!(said(front, path, json!({"select": ["name"]})), named);
            assert!(said(front, path, json!({"where": ["other=n3"]})).contains("arrays of 2 values without names"));
        }
        let front = r#"{"a":{"columns":["id","name","more"],"rows":["#;
        assert!(said(front, ".a.rows", json!({"where": ["name=n3"]})).contains("without names"));
    }
}
