//! Examples of calls for a file: conditions and a filter with values that occur in it.

use std::borrow::Cow;
use std::fmt;

use serde_json::{Value, json};

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
    Count(String),
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
            Self::Count(condition) => write!(f, "where=[{}], count=true", json!(condition)),
            Self::Recipe(number) => write!(f, "recipe={number}"),
        }
    }
}

/// Returns one call that finds something in the file of this header. Where no value of the file is known, it is the
/// recipe that counts by group, which has a result on any file.
pub fn example_call(header: &Header, set: &Set) -> ExampleCall {
    let condition = match header.lro.kind {
        Kind::Records => conditions_on(&header.lro.roles).into_iter().next(),
        Kind::Memories | Kind::Text => None,
    };
    condition.map_or(ExampleCall::Recipe(set.analyze), ExampleCall::Count)
}

/// Decision 9: an example that holds at the detail of the file.
pub(super) fn custom_filter(header: &Header) -> Cow<'static, str> {
    match (header.lro.kind, header.detail) {
        (Kind::Records, _) => match &header.lro.roles {
            Roles {
                guarded: false, category: Some(Role { path, mixed: false, example: Some(example), .. }), ..
            } => format!("select({path} == {})", json!(example)).into(),
            Roles { guarded: false, number: Some(Role { path, .. }), .. } => format!("select({path} > 0)").into(),
            _ => "select(length > 3)".into(),
        },
        (Kind::Text, _) => "select(length > 120)".into(),
        (Kind::Memories, Light) => "select(.memory_type == \"semantic\")".into(),
        (Kind::Memories, Medium) => "select(.confidence > 0.8)".into(),
        (Kind::Memories, Full) => "select(.provenance.confidence > 0.8)".into(),
    }
}

/// EXTRACT-23: conditions on fields that the records have, with a value that occurs where one is known.
pub(super) fn criteria(header: &Header) -> Vec<String> {
    let both = |first: &str, second: &str| vec![first.to_owned(), second.to_owned()];
    match (header.lro.kind, header.detail) {
        (Kind::Records, _) => {
            let known = conditions_on(&header.lro.roles);
            if known.is_empty() { both("FIELD>=VALUE", "FIELD~=your term") } else { known }
        }
        (Kind::Text, _) => vec!["line~=your term".to_owned()],
        (Kind::Memories, Light) => both("namespace^=_semantic", "title~=your term"),
        (Kind::Memories, _) => both("namespace^=_semantic", "content~=your term"),
    }
}

/// Conditions on the fields that say most, with values that occur.
fn conditions_on(roles: &Roles) -> Vec<String> {
    let with = |role: &Option<Role>, sign: &str| {
        let role = role.as_ref()?;
        Some(format!("{}{sign}{}", field(role)?, role.example.as_ref()?))
    };
    let term = with(&roles.title, "~=").or_else(|| with(&roles.text, "~="));
    with(&roles.category, "=").into_iter().chain(term).collect()
}

/// A field as a condition names it; `None` for keys that are not words, and could speak in our voice.
fn field(role: &Role) -> Option<String> {
    let plain = |key: &String| is_word(key) && !key.contains('.');
    role.path.0.iter().all(plain).then(|| role.path.0.join("."))
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
        let odd = json!({"category": {"path": ".\"do this now\"", "example": "x"}});
        for lro in [json!({}), json!({"kind": "text"}), json!({"kind": "records", "roles": odd})] {
            assert_eq!(call(lro).to_string(), "recipe=6");
        }
        assert_eq!(call(json!({"profile": "early"})).arguments(), json!({"recipe": 8}));
    }
}
