//! Settings of clients that switch our hook or our server off.

use serde_json::Value;

/// A setting, and the value that switches something off.
struct Switch {
    client: &'static str,
    place: &'static [&'static str],
    off: Off,
}

enum Off {
    Is(bool),
    /// A list that has a text beginning so.
    Has(&'static str),
    /// A list that is there and has no such text.
    Lacks(&'static str),
}

const SWITCHES: &[Switch] = &[
    Switch { client: "claude", place: &["disableAllHooks"], off: Off::Is(true) },
    Switch { client: "claude", place: &["disabledMcpjsonServers"], off: Off::Has("lro") },
    Switch { client: "claude", place: &["permissions", "deny"], off: Off::Has("mcp__lro") },
    Switch { client: "codex", place: &["features", "hooks"], off: Off::Is(false) },
    Switch { client: "codex", place: &["features", "codex_hooks"], off: Off::Is(false) },
    Switch { client: "codex", place: &["mcp_servers", "lro", "enabled"], off: Off::Is(false) },
    Switch { client: "gemini", place: &["hooksConfig", "enabled"], off: Off::Is(false) },
    Switch { client: "gemini", place: &["hooksConfig", "disabled"], off: Off::Has("lro") },
    Switch { client: "gemini", place: &["mcp", "excluded"], off: Off::Has("lro") },
    Switch { client: "gemini", place: &["mcp", "allowed"], off: Off::Lacks("lro") },
    Switch { client: "opencode", place: &["mcp", "lro", "enabled"], off: Off::Is(false) },
];

/// The settings of a client that switch something of ours off, as people write them.
pub(super) fn switched_off(client: &str, settings: &Value) -> Vec<String> {
    let is_off = |switch: &&Switch| {
        let value = switch.place.iter().try_fold(settings, |value, key| value.get(key));
        let begins = |list: &Value, start: &str| {
            list.as_array().into_iter().flatten().filter_map(Value::as_str).any(|text| text.starts_with(start))
        };
        switch.client == client
            && value.is_some_and(|value| match switch.off {
                Off::Is(off) => value == off,
                Off::Has(start) => begins(value, start),
                Off::Lacks(start) => value.is_array() && !begins(value, start),
            })
    };
    SWITCHES.iter().filter(is_off).map(|switch| switch.place.join(".")).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn settings_that_switch_off_are_found() {
        let rows = [
            ("claude", json!({ "disableAllHooks": true }), "disableAllHooks"),
            ("claude", json!({ "disableAllHooks": false }), ""),
            ("codex", json!({ "disableAllHooks": true }), ""),
            ("claude", json!({ "permissions": { "deny": ["Bash", "mcp__lro__lro_read"] } }), "permissions.deny"),
            ("codex", json!({ "features": { "hooks": false } }), "features.hooks"),
            ("gemini", json!({ "mcp": { "allowed": ["github"] } }), "mcp.allowed"),
            ("gemini", json!({ "mcp": { "allowed": ["lro"] } }), ""),
            ("opencode", json!([]), ""),
        ];
        for (client, settings, expected) in rows {
            assert_eq!(switched_off(client, &settings).join(" "), expected, "{client} {settings}");
        }
    }
}
