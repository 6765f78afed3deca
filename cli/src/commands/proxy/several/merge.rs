//! What several servers say of themselves, as one server would say it.

use serde_json::{Map, Value, json};

/// A longer answer to `initialize` is refused: it is read into memory as a whole, and stays there.
pub(super) const MOST_BYTES: usize = 1 << 20;

/// What a server has answered to `initialize`.
#[derive(Clone, Debug, Default)]
pub(super) struct Hello {
    pub(super) version: String,
    pub(super) capabilities: Map<String, Value>,
    pub(super) instructions: Option<String>,
}

impl Hello {
    /// Reads the result of `initialize`, unless it is too long.
    pub(super) fn of(result: &str) -> Option<Self> {
        if result.len() > MOST_BYTES {
            return None;
        }
        let mut result: Value = serde_json::from_str(result).ok()?;
        let version = result["protocolVersion"].as_str()?.to_owned();
        let instructions = result["instructions"].as_str().map(str::to_owned);
        let capabilities = match result["capabilities"].take() {
            Value::Object(capabilities) => capabilities,
            _ => Map::new(),
        };
        Some(Self { version, capabilities, instructions })
    }

    pub(super) fn can(&self, capability: &str) -> bool {
        self.capabilities.contains_key(capability)
    }
}

/// What servers have lists of, which change when a server comes or goes.
pub(super) const LISTS: [&str; 3] = ["tools", "prompts", "resources"];

/// The result of `initialize` for all of them. With `has_late`, others may come, of which nothing is known. Without any
/// server, the version is what the client has `requested`.
pub(super) fn hello(servers: &[(&str, &Hello)], has_late: bool, requested: &str) -> Value {
    let mut capabilities = Map::new();
    for (_, hello) in servers {
        unite(&mut capabilities, &hello.capabilities);
    }
    for list in LISTS {
        if has_late || list == "tools" || capabilities.contains_key(list) {
            let known = capabilities.entry(list).or_insert_with(|| json!({}));
            if let Some(known) = known.as_object_mut() {
                known.insert("listChanged".to_owned(), true.into());
            }
        }
    }
    // A list of all tasks would have to be put together page by page.
    if let Some(tasks) = capabilities.get_mut("tasks").and_then(Value::as_object_mut) {
        tasks.remove("list");
    }
    // A client that speaks an older version of two is understood by the newer server.
    let version = servers.iter().map(|(_, hello)| hello.version.as_str()).min().unwrap_or(requested);
    let names: Vec<&str> = servers.iter().map(|(name, _)| *name).collect();
    let mut result = json!({
        "protocolVersion": version,
        "capabilities": capabilities,
        "serverInfo": {"name": "lro", "title": names.join(", "), "version": env!("CARGO_PKG_VERSION")},
    });
    let said = |(name, hello): &(&str, &Hello)| Some(format!("# {name}\n\n{}", hello.instructions.as_deref()?.trim()));
    let instructions: Vec<String> = servers.iter().filter_map(said).collect();
    if !instructions.is_empty() {
        result["instructions"] = instructions.join("\n\n").into();
    }
    result
}

/// Adds what another can: one server that can something is enough.
fn unite(all: &mut Map<String, Value>, other: &Map<String, Value>) {
    for (key, value) in other {
        match (all.get_mut(key), value) {
            (Some(Value::Object(known)), Value::Object(value)) => unite(known, value),
            (Some(Value::Bool(known)), Value::Bool(value)) => *known |= value,
            (Some(_), _) => {}
            (None, value) => _ = all.insert(key.clone(), value.clone()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Hello, hello, json};

    #[test]
    fn capabilities_are_united() {
        let of = |result: serde_json::Value| Hello::of(&result.to_string()).unwrap();
        let a = of(json!({"protocolVersion": "2025-11-25", "instructions": " Read. ",
            "capabilities": {"tools": {}, "resources": {"subscribe": false}, "tasks": {"list": {}, "cancel": {}}}}));
        let b = of(json!({"protocolVersion": "2025-06-18",
            "capabilities": {"logging": {}, "resources": {"subscribe": true, "listChanged": false}}}));
        let all = hello(&[("a", &a), ("b", &b)], false, "");
        assert_eq!(all["protocolVersion"], "2025-06-18");
        assert_eq!(all["instructions"], "# a\n\nRead.");
        assert_eq!(all["serverInfo"]["title"], "a, b");
        let capabilities = json!({
            "tools": {"listChanged": true}, "resources": {"subscribe": true, "listChanged": true},
            "tasks": {"cancel": {}}, "logging": {},
        });
        assert_eq!(all["capabilities"], capabilities);
        assert!(hello(&[("b", &b)], true, "")["capabilities"]["prompts"]["listChanged"] == true);
        assert_eq!(hello(&[], true, "2025-11-25")["protocolVersion"], "2025-11-25");
    }
}
