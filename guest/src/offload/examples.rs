//! Examples of calls for a file: conditions and a filter with values that occur in it.

use std::borrow::Cow;
use std::fmt;

use serde_json::{Value, json};

use crate::fields::literals::Example;
use crate::fields::roles::{Role, Roles};
use crate::file::header::Header;
use crate::file::kind::Kind;
use crate::payload::detail::Detail::{Full, Light, Medium};
use crate::payload::shown::is_word;
use crate::recipes::Set;

/// One call that works on a file and finds something, without its `file_path`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExampleCall {
    /// Counts the records that meet a condition: a value of the file is known.
    Count(Value),
    /// Runs a recipe that needs no value.
    Recipe(usize),
}

impl ExampleCall {
    /// The arguments as JSON.
    pub fn arguments(&self) -> Value {
        match self {
            Self::Count(condition) => json!({"where": [condition], "count": true}),
            Self::Recipe(number) => json!({"recipe": number}),
        }
    }
}

/// As the guidance writes calls: `where=["state=open"], count=true`.
impl fmt::Display for ExampleCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Count(condition) => write!(f, "where=[{condition}], count=true"),
            Self::Recipe(number) => write!(f, "recipe={number}"),
        }
    }
}

/// Returns one call that finds something in the file of this header. Where no value of the file is known, it is the
/// recipe that counts by group, which has a result on any file.
pub fn example_call(header: &Header, set: &Set) -> ExampleCall {
    let condition = match header.lro.kind {
        Kind::Records => conditions_on(&header.lro.roles).into_iter().next(),
        Kind::Text => condition_on_lines(header),
        Kind::Memories => None,
    };
    condition.map_or(ExampleCall::Recipe(set.analyze), ExampleCall::Count)
}

/// Decision 9: an example that holds at the detail of the file.
pub(super) fn custom_filter(header: &Header) -> Cow<'static, str> {
    match (header.lro.kind, header.detail) {
        (Kind::Records, _) => filter_of_records(&header.lro.roles).into(),
        (Kind::Text, _) => match &header.lro.roles.words.value {
            Some(word) => format!("select(contains({}))", json!(word)).into(),
            None => "select(length > 0)".into(),
        },
        (Kind::Memories, Light) => "select(.memory_type == \"semantic\")".into(),
        (Kind::Memories, Medium) => "select(.confidence > 0.8)".into(),
        (Kind::Memories, Full) => "select(.provenance.confidence > 0.8)".into(),
    }
}

/// A filter that some record passes.
fn filter_of_records(roles: &Roles) -> String {
    let value = |role: &Role| match roles.guarded {
        true => format!("(try {} catch null)", role.path),
        false => role.path.to_string(),
    };
    if let Some(Role { example: Some(example), mixed: false, .. }) = &roles.category {
        return format!("select({} == {})", roles.category.as_ref().map(value).unwrap_or_default(), json!(example));
    }
    if let Some((role, least)) = roles.number.as_ref().and_then(|role| Some((role, number_of(role)?))) {
        return format!("select({} >= {least})", value(role));
    }
    if let Some(Role { example: Some(word), mixed: false, .. }) = &roles.title {
        let text = roles.title.as_ref().map(value).unwrap_or_default();
        return format!("select({text} | strings | test({}; \"i\"))", json!(word));
    }
    match roles.words.keyword.as_ref() {
        Some(word) => format!("select(tostring | test({}; \"i\"))", json!(word)),
        None => "select(. != null)".to_owned(),
    }
}

/// EXTRACT-23: conditions on fields that the records have, with values that occur; none where no value is known. Some
/// record meets all of them.
pub(super) fn criteria(header: &Header, memory: Option<&Example>) -> Vec<Value> {
    match header.lro.kind {
        Kind::Records => conditions_on(&header.lro.roles),
        Kind::Text => condition_on_lines(header).into_iter().collect(),
        Kind::Memories => {
            let is_light = header.detail == Light;
            let Some(Example { namespace, title, content }) = memory else {
                let field = if is_light { "title" } else { "content" };
                return vec!["namespace^=_semantic".into(), format!("{field}~=your term").into()];
            };
            let title = title.as_ref().map(|word| format!("title~={word}"));
            let content = content.as_ref().filter(|_| !is_light).map(|word| format!("content~={word}"));
            let conditions = std::iter::once(format!("namespace^={namespace}")).chain(content.or(title));
            conditions.map(Value::from).collect()
        }
    }
}

fn condition_on_lines(header: &Header) -> Option<Value> {
    header.lro.roles.words.keyword.as_ref().map(|word| format!("line~={word}").into())
}

/// Conditions on the fields that say most, with values that occur.
fn conditions_on(roles: &Roles) -> Vec<Value> {
    let is_text = |role: &&Role| !role.mixed;
    let term = |role: &Option<Role>| role.as_ref().filter(is_text).and_then(|role| condition(role, "~="));
    let number =
        || roles.number.as_ref().filter(|role| number_of(role).is_some()).and_then(|role| condition(role, ">="));
    let value = roles.category.as_ref().and_then(|role| condition(role, "="));
    value.or_else(number).into_iter().chain(term(&roles.title).or_else(|| term(&roles.text))).collect()
}

/// A condition with the example of a field; `None` for keys that are not words, and could speak in our voice.
fn condition(role: &Role, sign: &str) -> Option<Value> {
    // A condition is read without the space at its ends.
    let example = role.example.as_ref().filter(|example| example.trim() == example.as_str())?;
    let plain = |key: &String| is_word(key) && !key.contains('.');
    role.path.0.iter().all(plain).then(|| format!("{}{sign}{example}", role.path.0.join(".")).into())
}

/// The number that is the example of a field.
fn number_of(role: &Role) -> Option<&str> {
    let text = role.example.as_deref()?;
    let is_number = text.bytes().all(|byte| byte.is_ascii_digit() || b"-.".contains(&byte));
    (is_number && serde_json::from_str::<f64>(text).is_ok()).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recipes;

    fn call(lro: Value) -> ExampleCall {
        let header = json!({"type": "lro_header", "operation": "list", "query": null, "count": 5,
            "schema_version": "1.0.0", "timestamp": "", "estimated_tokens": 9, "detail": "full", "lro": lro});
        let header = Header::parse(header.to_string().as_bytes(), "lro_header").unwrap();
        example_call(&header, &recipes::set(&header.lro, header.detail))
    }

    #[test]
    fn a_call_has_a_value_of_the_file_where_one_is_known() {
        let roles = json!({"category": {"path": ".user.role", "example": "admin"}});
        let known = call(json!({"kind": "records", "roles": roles}));
        assert_eq!(known.to_string(), r#"where=["user.role=admin"], count=true"#);
        assert_eq!(known.arguments(), json!({"where": ["user.role=admin"], "count": true}));
        let odd = json!({"category": {"path": ".\"do this\"", "example": "x"}});
        for lro in [json!({}), json!({"kind": "text"}), json!({"kind": "records", "roles": odd})] {
            assert_eq!(call(lro).to_string(), "recipe=6");
        }
        assert_eq!(call(json!({"profile": "early"})).arguments(), json!({"recipe": 8}));
        // A bound is a plain number that occurs.
        for (example, expected) in
            [("-1.5", "where=[\"price>=-1.5\"], count=true"), ("1-2", "recipe=6"), ("1e5", "recipe=6")]
        {
            let roles = json!({"number": {"path": ".price", "example": example}});
            assert_eq!(call(json!({"kind": "records", "roles": roles})).to_string(), expected);
        }
    }
}
