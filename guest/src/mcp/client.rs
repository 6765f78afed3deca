//! What a client is known to do with results, and what follows for the settings that nobody has set (LRO-43, PROXY-04).

use serde_json::{Map, Value};

use crate::settings::{Defaults, Descriptor, Settings};

/// In `code_callers`: whoever calls.
const ANY_CALLER: &str = "*";

/// A client whose behaviour was measured, with the real program.
struct KnownClient {
    /// What its name in `clientInfo` begins with; some add the name of the server.
    name: &'static str,
    /// It cuts what has more tokens, and nobody can read the rest.
    loses_above_tokens: Option<u32>,
}

/// Clients not listed here, and those that keep all of a result, have the settings as they are.
const CLIENTS: [KnownClient; 1] = [
    // Codex CLI 0.169 keeps 12 KB of both ends of a result.
    KnownClient { name: "codex-mcp-client", loses_above_tokens: Some(3000) },
];

/// What a client says of itself, as the experimental capability `lro`. Anything else in it is ignored.
#[derive(Debug, Default, PartialEq)]
struct Declared {
    /// Whether its model has a shell that can read our files.
    shell: Option<bool>,
    /// False: its results stay as they are.
    offload: Option<bool>,
    threshold_tokens: Option<u32>,
    descriptor: Option<Descriptor>,
}

/// True if the result goes to a program that was written for the rows of it, as in code mode: a response in their place
/// breaks that program.
pub(super) fn is_code(settings: &Settings) -> bool {
    let client = settings.call.client.as_ref().and_then(|client| client.get("clientInfo")?["name"].as_str());
    let names = [Some(ANY_CALLER), client, settings.call.caller.as_deref()];
    settings.code_callers.iter().any(|caller| names.contains(&Some(caller)))
}

/// The settings as they hold for the client of the call. What an operator has set is stronger than what is known of a
/// client; a client that is a proxy gets full results in any case, since it offloads itself.
pub(super) fn fitted(mut settings: Settings) -> Settings {
    let Some(client) = settings.call.client.take() else { return settings };
    if is_proxy(&client) {
        return Settings { enabled: false, ..settings };
    }
    with_known(with_declared(settings, &Declared::of(&client)), &client)
}

/// PROXY-03, decision 30: `proxy: true` in clientInfo, or as an experimental capability.
fn is_proxy(client: &Map<String, Value>) -> bool {
    let experimental = client.get("capabilities").map(|capabilities| &capabilities["experimental"]["proxy"]);
    client.get("clientInfo").is_some_and(|info| info["proxy"] == true)
        || experimental.is_some_and(|proxy| !proxy.is_null() && proxy != false)
}

/// LRO-43: a client raises the threshold, switches offloading off, or has no way to read a file.
fn with_declared(settings: Settings, declared: &Declared) -> Settings {
    let descriptor = settings.descriptor.or(declared.descriptor);
    let unreadable = declared.shell == Some(false) && !settings.offer_tools;
    let threshold = match declared.threshold_tokens {
        _ if declared.offload == Some(false) || unreadable => Some(u32::MAX),
        threshold => threshold,
    };
    let threshold_tokens = threshold.filter(|_| has_default_threshold(&settings)).unwrap_or(settings.threshold_tokens);
    Settings { descriptor, threshold_tokens, ..settings }
}

/// True where nobody has set when to offload. A host of the contract alone has set it: that is the specification's.
fn has_default_threshold(settings: &Settings) -> bool {
    settings.defaults == Defaults::Agent
        && settings.threshold_characters.is_none()
        && settings.context_tokens.is_none()
        && settings.threshold_tokens == Settings::default().threshold_tokens
}

/// What a client would cut is cut here, with advice, or offloaded.
fn with_known(settings: Settings, client: &Map<String, Value>) -> Settings {
    let name = client.get("clientInfo").and_then(|info| info["name"].as_str()).unwrap_or_default();
    let known = CLIENTS.iter().find(|known| name.starts_with(known.name));
    let Some(most) = known.and_then(|known| known.loses_above_tokens) else { return settings };
    let is_default = settings.max_inline_tokens == Settings::default().max_inline_tokens;
    Settings {
        max_inline_tokens: if is_default { most } else { settings.max_inline_tokens },
        source_threshold_tokens: settings.source_threshold_tokens.map(|tokens| tokens.min(most)),
        ..settings
    }
}

impl Declared {
    fn of(client: &Map<String, Value>) -> Self {
        let Some(capabilities) = client.get("capabilities") else { return Self::default() };
        let own = &capabilities["experimental"]["lro"];
        Self {
            shell: own["shell"].as_bool(),
            offload: own["offload"].as_bool(),
            threshold_tokens: own["threshold_tokens"].as_u64().and_then(|tokens| u32::try_from(tokens).ok()),
            descriptor: serde_json::from_value(own["descriptor"].clone()).ok(),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Enabled, threshold, descriptor, most inline, threshold of source code.
    type Found = (bool, u32, Option<Descriptor>, u32, Option<u32>);

    fn found(settings: Value, client: Value) -> Found {
        let mut settings = settings;
        settings["call"] = json!({"client": client});
        let fitted = fitted(Settings::parse(&settings.to_string()).unwrap());
        let Settings { enabled, threshold_tokens, descriptor, max_inline_tokens, source_threshold_tokens, .. } = fitted;
        (enabled, threshold_tokens, descriptor, max_inline_tokens, source_threshold_tokens)
    }

    fn declares(lro: Value) -> Value {
        json!({"clientInfo": {"name": "c"}, "capabilities": {"experimental": {"lro": lro}}})
    }

    #[test]
    fn code_is_known_by_its_client_or_by_what_the_request_says() {
        let rows = [
            (json!([]), json!({"caller": "script", "client": {"clientInfo": {"name": "runner"}}}), false),
            (json!(["*"]), json!({}), true),
            (json!(["runner"]), json!({"client": {"clientInfo": {"name": "runner"}}}), true),
            (json!(["runner"]), json!({"client": {"clientInfo": {"name": "runner-2"}}}), false),
            (json!(["runner"]), json!({"client": {"clientInfo": 7}}), false),
            (json!(["a", "script"]), json!({"caller": "script", "client": {"clientInfo": {"name": "chat"}}}), true),
            (json!(["a"]), json!({"caller": "script"}), false),
        ];
        for (callers, call, expected) in rows {
            let settings = Settings::parse(&json!({"code_callers": callers, "call": call}).to_string()).unwrap();
            assert_eq!(is_code(&settings), expected, "{callers} {call}");
        }
    }

    #[test]
    fn a_client_changes_only_what_nobody_has_set() {
        let agent = || json!({"defaults": "agent"});
        let default = (true, 1600, None, 100_000, Some(10_000));
        let codex = || json!({"clientInfo": {"name": "codex-mcp-client", "version": "0.169.0"}, "capabilities": {}});
        let rows: Vec<(Value, Value, Found)> = vec![
            (agent(), json!(null), default),
            (agent(), json!({"clientInfo": {"name": "someone"}, "capabilities": 7}), default),
            (agent(), json!({"clientInfo": {"name": "claude-code"}, "capabilities": {"roots": {}}}), default),
            (agent(), codex(), (true, 1600, None, 3000, Some(3000))),
            (
                json!({"defaults": "agent", "threshold_tokens": 5000, "max_inline_tokens": 50_000}),
                codex(),
                (true, 5000, None, 50_000, Some(3000)),
            ),
            (agent(), declares(json!({"threshold_tokens": 9000})), (true, 9000, None, 100_000, Some(10_000))),
            (agent(), declares(json!({"offload": false})), (true, u32::MAX, None, 100_000, Some(10_000))),
            (
                agent(),
                declares(json!({"descriptor": "bare"})),
                (true, 1600, Some(Descriptor::Bare), 100_000, Some(10_000)),
            ),
            (agent(), declares(json!({"shell": false})), default),
            (
                json!({"defaults": "agent", "offer_tools": false}),
                declares(json!({"shell": false})),
                (true, u32::MAX, None, 100_000, Some(10_000)),
            ),
            (
                json!({"defaults": "agent", "threshold_tokens": 500, "descriptor": "full"}),
                declares(json!({"threshold_tokens": 9000, "descriptor": "bare", "offload": false})),
                (true, 500, Some(Descriptor::Full), 100_000, Some(10_000)),
            ),
            (
                json!({"defaults": "agent", "context_tokens": 200_000}),
                declares(json!({"offload": false})),
                (true, 1600, None, 100_000, Some(10_000)),
            ),
            (json!({}), declares(json!({"threshold_tokens": 9000})), (true, 1600, None, 100_000, None)),
            (agent(), declares(json!({"threshold_tokens": -1, "descriptor": 7, "shell": "no"})), default),
        ];
        for (number, (settings, client, expected)) in rows.into_iter().enumerate() {
            assert_eq!(found(settings, client.clone()), expected, "row {number}: {client}");
        }
    }

    #[test]
    fn a_proxy_gets_full_results() {
        for (client, is_enabled) in [
            (json!({"clientInfo": {"name": "c", "proxy": true}}), false),
            (json!({"capabilities": {"experimental": {"proxy": {}}}}), false),
            (json!({"capabilities": {"experimental": {"proxy": true}}}), false),
            (json!({"clientInfo": {"proxy": "true"}, "capabilities": {"experimental": {"proxy": false}}}), true),
            (json!({"clientInfo": {"proxy": null}, "capabilities": {"proxy": true}}), true),
            (json!({"clientInfo": [], "capabilities": {"experimental": 1}}), true),
        ] {
            assert_eq!(found(json!({"threshold_tokens": 5}), client.clone()).0, is_enabled, "{client}");
        }
    }
}
