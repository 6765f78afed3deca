//! The length up to which the text of a message cannot contain a result that is offloaded. This shortcut is the one rule
//! about thresholds outside the component, which decides about all longer ones (decision 113).

use std::collections::HashMap;

use lro::Options;
use serde_json::{Map, Value};

/// The specification's default (LRO-05).
const DEFAULT_THRESHOLD_TOKENS: u32 = 1600;

/// The default of `max_inline_tokens` (READ-20).
const DEFAULT_MAX_INLINE_TOKENS: u64 = 100_000;

/// The length up to which a message cannot contain a result that is offloaded, in general and for single tools.
pub(crate) struct Shortest {
    general: usize,
    tools: HashMap<String, usize>,
}

impl Shortest {
    /// For the time before the component has resolved the settings. If a file or a variable may have set something, no
    /// result counts as short.
    pub(crate) fn before_settings(options: &Options) -> Self {
        let has_profile = options.settings.to_json().contains_key("profile");
        if options.settings_file.is_some() || !options.environment.is_empty() || has_profile {
            return Self { general: 0, tools: HashMap::new() };
        }
        let mut settings = options.settings.to_json();
        settings.entry("threshold_tokens").or_insert(DEFAULT_THRESHOLD_TOKENS.into());
        settings.entry("tokenizer").or_insert("chars".into());
        Self::of(&settings)
    }

    pub(crate) fn of(settings: &Map<String, Value>) -> Self {
        // A character has one byte at least, and `chars` makes a token of four; no tokenizer makes two of a byte.
        let bytes_of_a_token = if settings.get("tokenizer").is_some_and(|name| name == "chars") { 4 } else { 1 };
        let bytes = |tokens: u64| usize::try_from(tokens).unwrap_or(usize::MAX).saturating_mul(bytes_of_a_token);
        let number = |key: &str| settings.get(key).and_then(Value::as_u64);
        let characters = number("threshold_characters").and_then(|threshold| usize::try_from(threshold).ok());
        let general = characters.unwrap_or_else(|| bytes(number("threshold_tokens").unwrap_or(0)));
        let of_four = |tokens: u64| usize::try_from(tokens).unwrap_or(usize::MAX).saturating_mul(4);
        let window = number("context_tokens");
        // READ-20: more is never passed on, nor more than a window holds.
        let most = number("max_inline_tokens").unwrap_or(DEFAULT_MAX_INLINE_TOKENS);
        let most = of_four(most.min(window.unwrap_or(u64::MAX)));
        // GATE-05: with a window, the gates look at whatever is not smaller than the floor.
        let floor = window.map(|_| number("min_threshold_bytes").unwrap_or(0));
        let floor = floor.and_then(|floor| usize::try_from(floor).ok());
        let gated = |bytes: usize| bytes.min(floor.unwrap_or(usize::MAX)).min(most);
        let general = if floor.is_some() { gated(usize::MAX) } else { gated(general) };
        let own = |tool: &Value| match tool["offload"].as_str() {
            Some("always") => 0,
            Some("never") => most,
            _ => tool["threshold_tokens"].as_u64().map_or(general, |own| gated(bytes(own))),
        };
        let tools = settings.get("tools").and_then(Value::as_object).into_iter().flatten();
        Self { general, tools: tools.map(|(name, tool)| (name.clone(), own(tool))).collect() }
    }

    pub(crate) fn for_tool(&self, tool: &str) -> usize {
        self.tools.get(tool).copied().unwrap_or(self.general)
    }
}
