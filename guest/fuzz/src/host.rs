//! What the proxy's sources need of the library `lro`, under its names. The library itself compiles the component, which
//! takes longer than everything here.

use serde_json::{Map, Value};

/// Settings as they were given.
#[derive(Debug, Clone, Default)]
pub struct Settings(pub Map<String, Value>);

impl Settings {
    /// The object that the component reads.
    pub fn to_json(&self) -> Map<String, Value> {
        self.0.clone()
    }
}

/// What an embedder decides.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Explicit settings.
    pub settings: Settings,
    /// A file with settings.
    pub settings_file: Option<std::path::PathBuf>,
    /// Variables with settings.
    pub environment: Vec<(String, String)>,
}

/// What a host knows about one call: read, and kept nowhere.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CallSettings;

macro_rules! keys {
    ($($key:ident: $type:ty,)*) => {
        impl CallSettings {
            $(
                /// Takes the key.
                #[must_use]
                pub fn $key(self, _: Option<$type>) -> Self {
                    self
                }
            )*
        }
    };
}

keys! {
    session: String,
    input_tokens: u32,
    input_schema: Map<String, Value>,
    client: Map<String, Value>,
    caller: String,
}
