//! Requests and settings as structs: one row a key, from which its field, its setter and its name in JSON are made.

use serde_json::{Map, Value};

/// Declares a struct whose fields are the keys of one object of the contract's JSON schemas. Every key may be missing.
///
/// A key that is a word of Rust has its name in JSON in front: `"where" as conditions: Vec<Condition>`.
macro_rules! keys {
    (
        $(#[$about:meta])*
        pub struct $name:ident {
            $($(#[$doc:meta])* $($json:literal as)? $key:ident: $type:ty,)*
        }
    ) => {
        $(#[$about])*
        #[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
        #[serde(default)]
        #[non_exhaustive]
        pub struct $name {
            $(
                $(#[$doc])*
                #[serde(skip_serializing_if = "Option::is_none" $(, rename = $json)?)]
                pub $key: Option<$type>,
            )*
            /// Keys by their names, as they were given.
            #[serde(flatten)]
            pub(crate) others: serde_json::Map<String, serde_json::Value>,
        }

        impl $name {
            $(
                $(#[$doc])*
                #[must_use]
                pub fn $key(mut self, $key: impl crate::keys::IntoKey<$type>) -> Self {
                    self.$key = $key.into_key();
                    self
                }
            )*

            /// Sets a key by its name in JSON, to whatever the component makes of it: for what a user has typed, and for
            /// keys that this version does not know.
            #[must_use]
            pub fn with(mut self, key: &str, value: impl Into<serde_json::Value>) -> Self {
                self.others.insert(key.to_owned(), value.into());
                self
            }

            /// The object that the component reads.
            pub fn to_json(&self) -> serde_json::Map<String, serde_json::Value> {
                crate::keys::object(self)
            }

            #[cfg(test)]
            pub(crate) const KEYS: &[&str] = &[$(crate::keys::name!($key $($json)?)),*];
        }

        /// An object that came as JSON. Nothing is checked here: what is wrong with it, the component says.
        impl From<serde_json::Map<String, serde_json::Value>> for $name {
            fn from(others: serde_json::Map<String, serde_json::Value>) -> Self {
                Self { others, ..Self::default() }
            }
        }
    };
}

/// A key's name in JSON.
#[cfg(test)]
macro_rules! name {
    ($key:ident $json:literal) => {
        $json
    };
    ($key:ident) => {
        stringify!($key)
    };
}

pub(crate) use keys;
#[cfg(test)]
pub(crate) use name;

/// The value of a key that holds a `T`: such a value, an `Option` of one, or what is easily made into one.
pub trait IntoKey<T> {
    /// The value; the key is missing without one.
    fn into_key(self) -> Option<T>;
}

impl<T> IntoKey<T> for T {
    fn into_key(self) -> Option<T> {
        Some(self)
    }
}

impl<T> IntoKey<T> for Option<T> {
    fn into_key(self) -> Option<T> {
        self
    }
}

impl IntoKey<String> for &str {
    fn into_key(self) -> Option<String> {
        Some(self.to_owned())
    }
}

impl IntoKey<String> for Option<&str> {
    fn into_key(self) -> Option<String> {
        self.map(str::to_owned)
    }
}

/// A list, of what is easily made into its elements.
impl<T, U: Into<T>, const N: usize> IntoKey<Vec<T>> for [U; N] {
    fn into_key(self) -> Option<Vec<T>> {
        Some(self.into_iter().map(Into::into).collect())
    }
}

/// The object that a struct of keys is.
pub(crate) fn object(keys: &impl serde::Serialize) -> Map<String, Value> {
    match serde_json::to_value(keys) {
        Ok(Value::Object(object)) => object,
        // Structs of texts, numbers and lists always are.
        _ => Map::new(),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::{Value, json};

    use crate::reader::{ReadRequest, SearchRequest, SoFar};
    use crate::request::{CleanupRequest, ExtractRequest, ListRequest, OffloadRequest, Part};
    use crate::sections::{Recipe, Section};
    use crate::settings::{CallSettings, Settings, ToolSettings};

    fn schema(name: &str) -> Value {
        let path = format!("{}/../wit/{name}.schema.json", env!("CARGO_MANIFEST_DIR"));
        serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
    }

    /// What a host says for itself: no field.
    const OF_HOSTS: [&str; 3] = ["shared_directory", "truncate_reason", "payload_bytes"];

    #[test]
    fn the_keys_are_those_of_the_schemas() {
        let (requests, settings) = (schema("request"), schema("settings"));
        let rows: [(&[&str], &Value, &str); 14] = [
            (OffloadRequest::KEYS, &requests, "/$defs/offload"),
            (ExtractRequest::KEYS, &requests, "/$defs/extract"),
            (Part::KEYS, &requests, "/$defs/extract/properties/part"),
            (ReadRequest::KEYS, &requests, "/$defs/read"),
            (SearchRequest::KEYS, &requests, "/$defs/search"),
            (Part::KEYS, &requests, "/$defs/search/properties/part"),
            (SoFar::KEYS, &requests, "/$defs/search/properties/so_far"),
            (CleanupRequest::KEYS, &requests, "/$defs/cleanup"),
            (ListRequest::KEYS, &requests, "/$defs/list"),
            (Section::KEYS, &requests, "/$defs/section"),
            (Recipe::KEYS, &requests, "/$defs/section/properties/recipes/items"),
            (Settings::KEYS, &settings, ""),
            (ToolSettings::KEYS, &settings, "/properties/tools/additionalProperties"),
            (CallSettings::KEYS, &settings, "/properties/call"),
        ];
        for (keys, schema, path) in rows {
            let keys: BTreeSet<&str> = keys.iter().copied().collect();
            let properties = schema.pointer(path).unwrap()["properties"].as_object().unwrap();
            let expected: BTreeSet<&str> =
                properties.keys().map(String::as_str).filter(|key| !OF_HOSTS.contains(key)).collect();
            assert_eq!(keys, expected, "{path}");
        }
    }

    #[test]
    fn what_is_set_is_in_the_json_and_nothing_else() {
        let request = ExtractRequest::default()
            .query(".id")
            .conditions(["a=1"])
            .select(["id"])
            .limit(None::<u32>)
            .raw(false)
            .with("later", 1);
        let expected = json!({ "query": ".id", "where": ["a=1"], "select": ["id"], "raw": false, "later": 1 });
        assert_eq!(Value::Object(request.to_json()), expected);
        let given = json!({ "limit": "x" });
        assert_eq!(ExtractRequest::from(given.as_object().unwrap().clone()).to_json(), *given.as_object().unwrap());
    }
}
