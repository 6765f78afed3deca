//! Arguments that an extraction takes though its definition does not name them, which would cost tokens in each request: other
//! tools call them so, and models know those.

use serde_json::{Map, Value};

use crate::calls::{direction, order_keys};

/// Names that the same arguments have elsewhere.
pub(super) const NAMES: [(&str, &str); 24] = [
    ("sort", "sort_by"),
    ("sortBy", "sort_by"),
    ("order_by", "sort_by"),
    ("orderBy", "sort_by"),
    ("groupBy", "group_by"),
    ("group", "group_by"),
    ("count_by", "group_by"),
    ("fields", "select"),
    ("columns", "select"),
    ("conditions", "where"),
    ("filters", "where"),
    ("jq", "query"),
    ("jq_query", "query"),
    ("jq_filter", "query"),
    ("args", "params"),
    ("variables", "params"),
    ("aggregates", "aggregate"),
    ("max_results", "limit"),
    ("head_limit", "limit"),
    ("page_size", "limit"),
    ("top", "limit"),
    ("cursor", "next"),
    ("page_token", "next"),
    ("nextCursor", "next"),
];

/// Names of arguments that no tool of ours has, between blanks, with what to do instead.
const INSTEAD: [(&str, &str); 5] = [
    ("offset skip start from page page_number", "pass the `next` of an answer to go on behind it"),
    ("sum avg average mean min max total", "write aggregate=[\"sum(FIELD)\"], which takes avg, min and max too"),
    ("distinct unique distinct_by unique_by", "write group_by=FIELD, which counts each value"),
    ("having", "group first, then look at the groups: a query with slurp does both"),
    ("search grep pattern keyword text regex contains", "write where=[\"FIELD~=TEXT\"], or use the tool that searches"),
];

/// What to do instead of an argument that the tool does not have.
pub(super) fn instead_of(name: &str) -> Option<&'static str> {
    INSTEAD.iter().find(|(names, _)| names.split(' ').any(|known| known == name)).map(|(_, instead)| *instead)
}

/// Reads `filter`, which is the query in one tool and the criteria in another: jq begins with a path, a bracket or a function.
pub(super) fn read_filter(arguments: &mut Map<String, Value>) {
    let name = match arguments.get("filter") {
        Some(Value::String(text)) if is_jq(text) => "query",
        Some(Value::String(text)) if text.trim().is_empty() => return,
        Some(Value::String(_) | Value::Array(_) | Value::Object(_)) => "where",
        _ => return,
    };
    super::rename(arguments, &[("filter", name)]);
}

fn is_jq(text: &str) -> bool {
    let text = text.trim_start();
    text.starts_with(['.', '[', '{', '(', '$'])
        || text.split_once('(').is_some_and(|(name, _)| JQ.contains(&name.trim()))
}

/// Functions that filters begin with.
const JQ: [&str; 8] = ["select", "map", "group_by", "sort_by", "unique_by", "max_by", "min_by", "limit"];

/// Names of the direction of an order, which belongs into the order here.
const DIRECTIONS: [&str; 4] = ["order", "sort_order", "direction", "sort_direction"];

/// Names of a switch for the descending one.
const DESCENDING: [&str; 3] = ["descending", "desc", "reverse"];

/// Writes the order as `sort_by` has it: its direction may stand in an argument of its own, behind a field, or in an object.
pub(super) fn join_order(arguments: &mut Map<String, Value>) {
    if !arguments.contains_key("sort_by")
        && let Some(order) = arguments.get("order")
        && is_descending(order).is_none()
    {
        let order = arguments.remove("order").unwrap_or_default();
        arguments.insert("sort_by".to_owned(), order);
    }
    let Some(order) = arguments.get("sort_by").and_then(written) else { return };
    let mut all_descend = false;
    for name in DIRECTIONS.into_iter().chain(DESCENDING) {
        let descends = arguments.get(name).and_then(|value| match value {
            Value::Bool(descends) if DESCENDING.contains(&name) => Some(*descends),
            value => is_descending(value).filter(|_| DIRECTIONS.contains(&name)),
        });
        if let Some(descends) = descends {
            arguments.remove(name);
            all_descend |= descends;
        }
    }
    // A hyphen says more than a direction for all.
    let is_divided = order.iter().any(|(_, descends)| *descends);
    let key = |(name, descends): (String, bool)| match descends || all_descend && !is_divided {
        true => format!("-{name}"),
        false => name,
    };
    arguments.insert("sort_by".to_owned(), order.into_iter().map(key).collect::<Vec<_>>().join(",").into());
}

/// The keys of an order in any form that it is written in, and whether each descends. `None` for what is no order.
fn written(value: &Value) -> Option<Vec<(String, bool)>> {
    match value {
        Value::String(text) => match serde_json::from_str(text) {
            Ok(value @ (Value::Array(_) | Value::Object(_))) => written(&value),
            _ => Some(order_keys(text).ok()?.into_iter().map(|(name, descends)| (name.to_owned(), descends)).collect()),
        },
        Value::Array(values) => {
            let each = values.iter().map(written).collect::<Option<Vec<_>>>()?;
            Some(each.into_iter().flatten().collect())
        }
        // {"field": "size", "order": "desc"}
        Value::Object(members) if ["field", "by", "key"].iter().any(|name| members.contains_key(*name)) => {
            let name = ["field", "by", "key"].iter().find_map(|name| members.get(*name))?.as_str()?;
            let others = members.values().filter(|value| value.as_str() != Some(name));
            Some(vec![(name.to_owned(), others.filter_map(is_descending).any(|descends| descends))])
        }
        // {"size": "desc"}, {"size": -1}
        Value::Object(members) => {
            members.iter().map(|(name, value)| Some((name.clone(), is_descending(value)?))).collect()
        }
        _ => None,
    }
}

/// True for the descending direction, false for the ascending one; `None` for any other value.
fn is_descending(value: &Value) -> Option<bool> {
    match value {
        Value::String(text) => direction(text),
        Value::Number(number) => match number.as_i64()? {
            1 => Some(false),
            -1 => Some(true),
            _ => None,
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::read;

    #[test]
    fn an_extraction_takes_the_names_and_orders_of_other_tools() {
        let rows = [
            (json!({"sort": "size", "order": "desc", "top": 3}), json!({"sort_by": "-size", "limit": 3})),
            (json!({"order_by": "size DESC, name asc"}), json!({"sort_by": "-size,name"})),
            (json!({"order": "-size"}), json!({"sort_by": "-size"})),
            (json!({"sort_by": "size,name", "descending": true}), json!({"sort_by": "-size,-name"})),
            (json!({"sort_by": "-size,name", "sort_order": "desc"}), json!({"sort_by": "-size,name"})),
            (json!({"sort_by": ["-size", "name"]}), json!({"sort_by": "-size,name"})),
            (json!({"sort_by": {"field": "size", "order": "desc"}}), json!({"sort_by": "-size"})),
            (json!({"sort_by": [{"size": -1}, {"name": "asc"}]}), json!({"sort_by": "-size,name"})),
            (json!({"sort_by": "sum(a b) desc"}), json!({"sort_by": "-sum(a b)"})),
            (json!({"sort_by": "IMDB Rating"}), json!({"sort_by": "IMDB Rating"})),
            (json!({"sort_by": "-desc"}), json!({"sort_by": "-desc"})),
            (json!({"jq": ".a", "cursor": "7"}), json!({"query": ".a", "next": "7"})),
            (json!({"fields": "a,b", "groupBy": "c"}), json!({"select": ["a", "b"], "group_by": "c"})),
            (json!({"filter": ".a | length"}), json!({"query": ".a | length"})),
            (json!({"filter": "select(.a == 1)"}), json!({"query": "select(.a == 1)"})),
            (json!({"filter": "a=1"}), json!({"where": ["a=1"]})),
            (json!({"count_by": "a", "args": {"n": 1}}), json!({"group_by": "a", "params": {"n": 1}})),
            (json!({"filters": {"a": 1}}), json!({"where": [{"field": "a", "op": "eq", "value": 1}]})),
        ];
        for (given, expected) in rows {
            let mut arguments = given.as_object().unwrap().clone();
            arguments.insert("path".to_owned(), "f".into());
            let mut found = read("lro_extract", include_str!("../extract.json"), arguments).unwrap();
            assert_eq!(found.remove("file_path"), Some("f".into()));
            assert_eq!(Value::Object(found), expected, "{given}");
        }
        for (given, name) in [
            (json!({"offset": 5}), "offset"),
            (json!({"filter": 7}), "filter"),
            (json!({"order": "desc"}), "order"),
            (json!({"sort_by": "a", "order": "sideways"}), "order"),
            (json!({"sort": "a", "sort_by": "b"}), "sort"),
            (json!({"sort_by": "a", "reverse": "x"}), "reverse"),
        ] {
            let mut arguments = given.as_object().unwrap().clone();
            arguments.insert("file_path".to_owned(), "f".into());
            let error = read("lro_extract", include_str!("../extract.json"), arguments).unwrap_err();
            assert!(error.message().contains(&format!("no argument `{name}`")), "{given}: {error}");
        }
    }
}
