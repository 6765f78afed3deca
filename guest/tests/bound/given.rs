//! What is offloaded: any payload, and tables of some kinds.

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use crate::answers::HIDDEN;

/// Names, sentences, and what no one would call either.
pub(crate) fn word() -> impl Strategy<Value = String> {
    prop_oneof![30 => short_word(), 2 => repeated(5000), 1 => Just("K".repeat(1 << 20))]
}

/// The same without those that would make large records.
pub(crate) fn short_word() -> impl Strategy<Value = String> {
    let hidden = prop::sample::select(HIDDEN.chars().collect::<Vec<_>>());
    prop_oneof![
        6 => prop::sample::select(vec!["title", "id", "state", "created_at", "count", "US Gross", "and", "__loc__"])
            .prop_map(str::to_owned),
        3 => "[a-zA-Z][a-zA-Z0-9 _.:/@-]{0,63}",
        3 => "\\PC{1,40}",
        2 => repeated(65),
        2 => (hidden, "[a-z]{1,9}").prop_map(|(hidden, word)| format!("{word}{hidden}{word}")),
    ]
}

pub(crate) fn repeated(most: usize) -> impl Strategy<Value = String> {
    let letters = ["a", "Z", "-", "/", "@", ":", " ", "_", "é", "日", "😀", "\"", "\\", "'", "{"];
    (prop::sample::select(letters.to_vec()), 1..most).prop_map(|(letter, times)| letter.repeat(times))
}

/// The names of a directory, long or odd.
pub(crate) fn directory() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => Just("/tmp".to_owned()),
        2 => "(/[a-z0-9 ']{1,60}){1,6}",
        1 => (1..16_usize).prop_map(|deep| format!("/{}", "d".repeat(200)).repeat(deep)),
        1 => word().prop_map(|word| format!("/{}", word.chars().take(3000).collect::<String>())),
    ]
}

pub(crate) fn settings() -> impl Strategy<Value = Value> {
    let guidance = prop::sample::select(vec!["shell", "tool"]);
    let profile = prop::sample::select(vec!["current", "early"]);
    let tool_prefix = prop_oneof![Just("lro_".to_owned()), Just("-".repeat(32)), Just("W".repeat(32))];
    (guidance, profile, tool_prefix).prop_map(|(guidance, profile, tool_prefix)| {
        json!({"guidance": guidance, "profile": profile, "tool_prefix": tool_prefix})
    })
}

/// What a caller says of a list: as long and as odd as it likes, and recipes that cost what is allowed.
pub(crate) fn given() -> impl Strategy<Value = Value> {
    let members = || {
        prop::collection::vec((word(), value()), 0..60).prop_map(|members| Value::Object(members.into_iter().collect()))
    };
    let summary = prop_oneof![word().prop_map(Value::String), members()];
    let recipe =
        (word(), word(), prop::sample::select(vec!["select(.state == $v)", "[.id, .title] | @tsv", ".", "\"it's\""]));
    (summary, members(), prop::collection::vec(recipe, 1..11)).prop_map(|(summary, schema, recipes)| {
        let recipe = |(name, description, query)| {
            let description: String = description;
            json!({"name": format!("n{name}"), "description": description.chars().take(40).collect::<String>(), "query": query, "params": {"v": 1}})
        };
        json!({"summary": summary, "schema": schema, "recipes": recipes.into_iter().map(recipe).collect::<Vec<Value>>()})
    })
}

/// Results of tools: records with names and values of any kind, in lists of any name; memories; text.
pub(crate) fn payload() -> impl Strategy<Value = String> {
    let records = || {
        (prop::collection::vec((short_word(), value()), 1..12), 1..40_usize).prop_map(|(members, count)| {
            let record = |place: usize| {
                let varied = |value: &Value| match value {
                    Value::Number(_) => json!(place),
                    Value::String(text) if place % 3 == 1 => json!(format!("{text}{place}")),
                    value => value.clone(),
                };
                Value::Object(members.iter().map(|(key, value)| (key.clone(), varied(value))).collect::<Map<_, _>>())
            };
            Value::Array((0..count).map(record).collect())
        })
    };
    let memories = (word(), 1..60_usize).prop_map(|(word, count)| {
        let namespace: String = word.chars().take(200).collect();
        let memory = |place: usize| {
            json!({"id": place, "memory_type": "x", "namespace": format!("{namespace}{}", place % 6), "title": namespace})
        };
        Value::Array((0..count).map(memory).collect()).to_string()
    });
    let document = (prop::collection::vec((word(), records()), 1..6), prop::collection::vec((word(), value()), 0..5));
    prop_oneof![
        4 => records().prop_map(|records| records.to_string()),
        4 => document.prop_map(|(lists, others)| {
            Value::Object(lists.into_iter().chain(others).collect::<Map<_, _>>()).to_string()
        }),
        2 => (word(), word(), records()).prop_map(|(a, b, records)| {
            let (a, b) = (a.as_str(), b.as_str());
            json!({a: {b: {a: records}}}).to_string()
        }),
        2 => memories,
        2 => prop::collection::vec(word(), 1..9).prop_map(|lines| format!("- {}", lines.join("\n"))),
    ]
}

pub(crate) fn value() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        short_word().prop_map(Value::from),
        Just(json!("2026-01-01T00:00:00Z")),
        prop::collection::vec(short_word(), 0..3).prop_map(Value::from),
        (short_word(), short_word()).prop_map(|(key, inner)| json!({key: {inner: "x"}})),
    ]
}

/// Records of `keys` short fields.
pub(crate) fn records(count: usize, keys: usize) -> Value {
    let record = |place: usize| (0..keys).map(move |key| (format!("k{key}xxxxxxx"), json!(format!("v{key}-{place}"))));
    (0..count).map(|place| Value::Object(record(place).collect())).collect()
}

pub(crate) fn array(count: usize, record: impl Fn(usize) -> Value) -> String {
    Value::Array((0..count).map(record).collect()).to_string()
}

/// One record whose fields have names of 64 characters.
pub(crate) fn wide(letter: &str) -> String {
    let member = |number: usize| (format!("{number:02}{}", letter.repeat(62)), json!("x"));
    array(50, |_| Value::Object((0..60).map(member).collect()))
}

pub(crate) fn issues() -> String {
    array(
        500,
        |p| json!({"title": format!("t{p}"), "state": "ab"[p % 2..=p % 2], "created_at": "2026-01-01T00:00:00Z", "body": "b c d ".repeat(9)}),
    )
}
