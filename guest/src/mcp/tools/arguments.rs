//! The arguments of a call as a model or a client writes them, and as the tool's schema has them: a number in quotes is
//! a number, a text alone is a list of one, JSON in a string is what it says, and null is nothing.
//!
//! Only what can be meant in one way is read so. Anything else is refused with the argument, what came, and a call that
//! would do.

mod conditions;
mod extraction;
mod range;
mod search;

use lro_query::json::cut;
use serde_json::{Map, Value};

use super::example::{FILE_PATH, example};
use crate::calls::Field;
use crate::error::Error;

/// An error quotes at most this much of a wrong value: the caller knows it.
const SHOWN_CHARACTERS: usize = 60;

/// All names of the argument that means the file, those of other tools last.
const FILE_KEYS: [&str; 6] = [FILE_PATH, "artifact_id", "filename", "path", "file", "filePath"];

/// The types of a tool's arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ArgumentKind {
    Text,
    Number,
    Switch,
    List,
    Object,
}

/// Reads the arguments of the tool that is called `tool` and has this definition. The file is `file_path` in all of them.
///
/// Errors: `invalid-argument` for an argument that the tool does not have, for a value that cannot be meant, and where
/// the file is missing.
pub(super) fn read(
    tool: &str,
    definition: &str,
    mut arguments: Map<String, Value>,
) -> Result<Map<String, Value>, Error> {
    let definition: Value = serde_json::from_str(definition).expect("the definition of a tool is a JSON object");
    let known = &definition["inputSchema"]["properties"];
    let file = with_its_file(&mut arguments, known);
    // Only the tool that reads has them as a text.
    if known["lines"]["type"] == "string" {
        range::read(tool, &mut arguments)?;
    }
    let is_search = known["literal"].is_object();
    if is_search {
        rename(&mut arguments, &search::FLAGS);
    }
    if known["sort_by"].is_object() {
        rename(&mut arguments, &extraction::NAMES);
        extraction::read_filter(&mut arguments);
        extraction::join_order(&mut arguments);
    }
    let mut read = Map::new();
    for (name, value) in arguments {
        let more = || is_search.then(|| search::kind_of(&name)).flatten();
        let Some(kind) = ArgumentKind::of(&known[&name]).or_else(more) else {
            return Err(unknown(tool, &name, known));
        };
        if value.is_null() || value == "" {
            continue;
        }
        match meant(&name, kind, value) {
            Ok(value) => read.insert(name, value),
            Err(value) => return Err(refused(tool, (file, &name), kind, &value)),
        };
    }
    without_blanks(&mut read);
    match read.remove(file) {
        Some(path) => {
            read.insert(FILE_PATH.to_owned(), path);
            Ok(read)
        }
        None => Err(Error::invalid_argument(
            format!("cannot open the file: `{file}` is missing"),
            format!("pass the {file} of a response, unchanged"),
        )),
    }
}

/// Gives a file the name that it has in the definition: a response may have several names for it, and each of them means
/// it. Returns that name.
fn with_its_file(arguments: &mut Map<String, Value>, known: &Value) -> &'static str {
    let file = FILE_KEYS.iter().find(|key| known.get(**key).is_some()).copied().unwrap_or(FILE_PATH);
    let other = FILE_KEYS.iter().find(|key| arguments.contains_key(**key));
    if !arguments.contains_key(file)
        && let Some(value) = other.and_then(|key| arguments.remove(*key))
    {
        arguments.insert(file.to_owned(), value);
    }
    file
}

/// Gives arguments the names that the definition has for them.
fn rename(arguments: &mut Map<String, Value>, names: &[(&str, &str)]) {
    for (other, name) in names {
        if !arguments.contains_key(*name)
            && let Some(value) = arguments.remove(*other)
        {
            arguments.insert((*name).to_owned(), value);
        }
    }
}

/// Forms send empty lists for what was not filled in, and a recipe's parameter is a text whatever it looks like.
fn without_blanks(read: &mut Map<String, Value>) {
    let is_empty = |value: &Value| value.as_array().is_some_and(Vec::is_empty);
    let is_asked = read.contains_key("recipe") || read.contains_key("query");
    read.retain(|name, value| !(is_empty(value) && (name != "where" || is_asked)));
    if read.contains_key("recipe")
        && let Some(Value::Object(params)) = read.get_mut("params")
    {
        for value in params.values_mut().filter(|value| value.is_number() || value.is_boolean()) {
            *value = value.to_string().into();
        }
    }
}

impl ArgumentKind {
    fn of(schema: &Value) -> Option<Self> {
        // An enumeration is one of texts.
        let kind = schema["type"].as_str().or(schema["enum"].is_array().then_some("string"));
        Some(match kind? {
            "integer" => Self::Number,
            "boolean" => Self::Switch,
            "array" => Self::List,
            "object" => Self::Object,
            _ => Self::Text,
        })
    }

    /// What is expected, in words.
    fn name(self) -> &'static str {
        match self {
            Self::Text => "a text",
            Self::Number => "a whole number",
            Self::Switch => "true or false",
            Self::List => "a list of texts",
            Self::Object => "an object",
        }
    }
}

/// What a value means; the value again where that is not clear.
fn meant(name: &str, kind: ArgumentKind, value: Value) -> Result<Value, Value> {
    match (kind, value) {
        (ArgumentKind::Number, value) => number(&value).map(Value::from).ok_or(value),
        (ArgumentKind::Switch, value) => switch(&value).map(Value::from).ok_or(value),
        (ArgumentKind::Text, Value::Array(values)) if values.len() == 1 && values[0].is_string() => {
            Ok(values.into_iter().next().unwrap_or_default())
        }
        // A list of fields to group by: each of them a list of keys.
        (ArgumentKind::Text, Value::Array(values)) if name == "group_by" && values.iter().all(Value::is_string) => {
            Ok(values.iter().map(keys).collect())
        }
        (ArgumentKind::Text, value @ Value::String(_)) => Ok(value),
        (ArgumentKind::Text, Value::Number(number)) => Ok(number.to_string().into()),
        (ArgumentKind::Object, Value::String(text)) => match serde_json::from_str(&text) {
            Ok(object @ Value::Object(_)) => Ok(object),
            _ => Err(text.into()),
        },
        (ArgumentKind::Object, value @ Value::Object(_)) => Ok(value),
        (ArgumentKind::List, value) => conditions::list(name, value),
        (_, value) => Err(value),
    }
}

/// The keys of a field. A path that is not valid is refused where it is read.
fn keys(name: &Value) -> Value {
    match Field::read(name) {
        Ok(field) => field.parts.into(),
        Err(_) => name.as_str().unwrap_or_default().split('.').collect(),
    }
}

fn number(value: &Value) -> Option<u32> {
    let whole = |number: f64| (number.fract() == 0.0 && number >= 0.0).then_some(number);
    let number = match value {
        Value::String(text) => text.trim().parse().ok().and_then(whole)?,
        value => value.as_f64().and_then(whole)?,
    };
    // A whole number of this size is exact.
    (number <= f64::from(u32::MAX)).then_some(number as u32)
}

fn switch(value: &Value) -> Option<bool> {
    match value {
        Value::Bool(switch) => Some(*switch),
        Value::Number(number) => match number.as_u64()? {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        },
        Value::String(text) => match text.trim().to_ascii_lowercase().as_str() {
            "true" | "1" | "yes" => Some(true),
            "false" | "0" | "no" => Some(false),
            _ => None,
        },
        _ => None,
    }
}

fn unknown(tool: &str, name: &str, known: &Value) -> Error {
    let names: Vec<&str> = known.as_object().into_iter().flatten().map(|(name, _)| name.as_str()).collect();
    let instead = known["sort_by"].is_object().then(|| extraction::instead_of(name)).flatten();
    let name = cut(name, SHOWN_CHARACTERS);
    let instead = instead.map_or_else(String::new, |instead| format!("{instead}; "));
    Error::invalid_argument(
        format!("cannot call {tool}: it has no argument `{name}`"),
        format!("{instead}its arguments are {}", names.join(", ")),
    )
}

fn refused(tool: &str, (file, name): (&str, &str), kind: ArgumentKind, value: &Value) -> Error {
    let came = cut(&value.to_string(), SHOWN_CHARACTERS);
    Error::invalid_argument(
        format!("cannot call {tool}: `{name}` is {came}, and not {}", kind.name()),
        match example(tool, file, name) {
            "" => format!(r#"for example: {{"{file}": "…"}}"#),
            example => format!(r#"for example: {{"{file}": "…", {example}}}"#),
        },
    )
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read_of(arguments: Value) -> Result<Value, String> {
        let Value::Object(mut arguments) = arguments else { panic!("arguments are an object") };
        arguments.insert("filename".to_owned(), "f".into());
        let read = read("lro_extract", include_str!("extract.json"), arguments);
        read.map_err(|error| format!("{error}; {}", error.hint())).map(|mut read| {
            assert_eq!(read.remove("file_path"), Some("f".into()));
            Value::Object(read)
        })
    }

    #[test]
    fn what_can_be_meant_in_one_way_is_read_so() {
        let rows = [
            (json!({"recipe": "6", "limit": " 3 ", "line": 17.0}), json!({"recipe": 6, "limit": 3, "line": 17})),
            (json!({"count": "true", "slurp": 0}), json!({"count": true, "slurp": false})),
            (json!({"count": 1, "slurp": " NO "}), json!({"count": true, "slurp": false})),
            (json!({"where": {"$and": ["a=1", "b=2"]}}), json!({"where": [{"all": ["a=1", "b=2"]}]})),
            (json!({"where": {"all": ["a=1", "b=2"]}}), json!({"where": [{"all": ["a=1", "b=2"]}]})),
            (json!({"where": "a in x,y"}), json!({"where": ["a in x,y"]})),
            (json!({"select": [["a", "b"], "c"]}), json!({"select": [["a", "b"], "c"]})),
            (json!({"recipe": null, "query": "", "next": null}), json!({})),
            (json!({"query": ["."], "next": 7}), json!({"query": ".", "next": "7"})),
            (json!({"where": "a=1"}), json!({"where": ["a=1"]})),
            (json!({"where": "[\"a=1\", \"b\"]"}), json!({"where": ["a=1", "b"]})),
            (json!({"recipe": 3, "where": [], "select": []}), json!({"recipe": 3})),
            (json!({"where": [], "params": {"n": 1}}), json!({"where": [], "params": {"n": 1}})),
            (json!({"recipe": 3, "params": {"keyword": 7}}), json!({"recipe": 3, "params": {"keyword": "7"}})),
            (json!({"select": "id, title"}), json!({"select": ["id", "title"]})),
            (json!({"select": "[\"id\"]"}), json!({"select": ["id"]})),
            (json!({"aggregate": "sum(a), max(b)"}), json!({"aggregate": ["sum(a)", "max(b)"]})),
            (
                json!({"group_by": ["a", "b.c"], "per_group": "3"}),
                json!({"group_by": [["a"], ["b", "c"]], "per_group": 3}),
            ),
            (json!({"group_by": ["\"a.b\"", "name"]}), json!({"group_by": [["a.b"], ["name"]]})),
            (json!({"group_by": ["a..b", "c"]}), json!({"group_by": [["a", "", "b"], ["c"]]})),
            (json!({"select": "\"a, b\", c"}), json!({"select": ["\"a, b\"", "c"]})),
            (json!({"where": {"any": ["a=1", "b=2"]}}), json!({"where": [{"any": ["a=1", "b=2"]}]})),
            (json!({"where": {"not": "a=1"}}), json!({"where": [{"not": "a=1"}]})),
            (
                json!({"where": {"not": ["id=1", "id=2"]}, "count": true}),
                json!({"where": [{"not": {"any": ["id=1", "id=2"]}}], "count": true}),
            ),
            (
                json!({"where": {"$nor": [{"a": 1}]}}),
                json!({"where": [{"not": {"any": [{"field": "a", "op": "eq", "value": 1}]}}]}),
            ),
            (
                json!({"where": {"id": {"exists": true, "!^=": "x", "not in": [1], "$regex": "^y", "$exists": false}}}),
                json!({"where": [
                    {"field": "id", "op": "exists", "value": true},
                    {"field": "id", "op": "not prefix", "value": "x"},
                    {"field": "id", "op": "not in", "value": [1]},
                    {"field": "id", "op": "matches", "value": "^y"},
                    {"field": "id", "op": "exists", "value": false},
                ]}),
            ),
            (
                json!({"where": [{"$not": {"a": 1, "b": 2}}]}),
                json!({"where": [{"not": {"all": [{"field": "a", "op": "eq", "value": 1}, {"field": "b", "op": "eq", "value": 2}]}}]}),
            ),
            (
                json!({"where": [{"$or": [{"a": 1, "b": 2}, "c"]}]}),
                json!({"where": [{"any": [{"all": [{"field": "a", "op": "eq", "value": 1}, {"field": "b", "op": "eq", "value": 2}]}, "c"]}]}),
            ),
            (json!({"params": "{\"keyword\": \"a\"}"}), json!({"params": {"keyword": "a"}})),
            (
                json!({"where": {"namespace": "x", "n": [1, 2]}}),
                json!({"where": [{"field": "namespace", "op": "eq", "value": "x"}, {"field": "n", "op": "in", "value": [1, 2]}]}),
            ),
            (
                json!({"where": "{\"priority\": {\">=\": 3, \"lt\": 9}}"}),
                json!({"where": [{"field": "priority", "op": "ge", "value": 3}, {"field": "priority", "op": "lt", "value": 9}]}),
            ),
            (
                json!({"where": [{"field": "a", "op": "ne", "value": 1}, "b", {"c": true}]}),
                json!({"where": [{"field": "a", "op": "ne", "value": 1}, "b", {"field": "c", "op": "eq", "value": true}]}),
            ),
        ];
        for (given, expected) in rows {
            assert_eq!(read_of(given.clone()), Ok(expected), "{given}");
        }
    }

    #[test]
    fn each_tool_has_an_example_of_its_own() {
        let rows = [
            (
                "lro_read",
                include_str!("read.json"),
                json!({"encoding": [1, 2]}),
                r#"{"file_path": "…", "lines": "120-180"}"#,
            ),
            ("lro_search", include_str!("search.json"), json!({"context": "some"}), r#""pattern": "error|fatal""#),
        ];
        for (tool, definition, given, part) in rows {
            let Value::Object(arguments) = given else { panic!("arguments are an object") };
            let error = read(tool, definition, arguments).unwrap_err();
            assert!(error.hint().contains(part), "{}", error.hint());
        }
        let numbers = json!({"file_path": "f", "lines": 17, "next": null}).as_object().unwrap().clone();
        let read = read("lro_read", include_str!("read.json"), numbers).unwrap();
        assert_eq!(Value::Object(read), json!({"lines": "17", "file_path": "f"}));
    }

    #[test]
    fn what_cannot_be_meant_is_refused_with_a_call_that_would_do() {
        let long = "x".repeat(9000);
        let rows = [
            (
                json!({"recipe": "six"}),
                r#"`recipe` is "six", and not a whole number; for example: {"file_path": "…", "recipe": 6}"#,
            ),
            (json!({"limit": -1}), "`limit` is -1, and not a whole number"),
            (json!({"limit": 1.5}), "`limit` is 1.5, and"),
            (json!({"line": 4_294_967_296_u64}), "`line` is 4294967296, and"),
            (json!({"count": "maybe"}), "`count` is \"maybe\", and not true or false"),
            (json!({"where": 7}), "`where` is 7, and not a list of texts"),
            (json!({"where": [7]}), "`where` is 7, and not a list of texts"),
            (json!({"where": {"not": true}}), "`where` is {\"not\":true}, and"),
            (json!({"where": {"a": {"?": 1}}}), "`where` is {\"a\":{\"?\":1}}, and"),
            (json!({"params": long}), "`params` is \"xxx"),
            (json!({"query": {}}), "`query` is {}, and not a text"),
            (
                json!({"max_bytes": 1}),
                "it has no argument `max_bytes`; its arguments are file_path, where, select, count",
            ),
            (json!({long.as_str(): 1}), "it has no argument `xxx"),
        ];
        for (given, part) in rows {
            let error = read_of(given.clone()).unwrap_err();
            assert!(error.contains(part), "{error}");
            assert!(error.chars().count() <= 300, "{} characters: {error}", error.len());
        }
    }
}
