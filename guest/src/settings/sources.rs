//! Where settings come from: a file, the environment, explicit values.

use serde::Deserialize;
use serde_json::{Map, Value};

use super::{
    AGENT_MIN_SAVING, AGENT_SOURCE_TOKENS, AGENT_TTL_SECONDS, EARLY_THRESHOLD_TOKENS, MCPAGENT_PREFIX,
    MCPAGENT_THRESHOLD_TOKENS, Settings, VARIABLE_PREFIX, bounds,
};
use crate::error::Error;

/// The key of another prefix.
const PREFIX_KEY: &str = "environment_prefix";

/// LRO-25: defaults, then the file, then the environment, then explicit values; the later one wins, key by key.
pub fn resolve(file_text: &str, environment: &[(String, String)], explicit: &str) -> Result<Settings, Error> {
    let explicit = from_explicit(explicit)?;
    let prefix = explicit.get(PREFIX_KEY).and_then(Value::as_str).unwrap_or(VARIABLE_PREFIX);
    let mut values = from_file(file_text)?;
    lay(&mut values, from_environment(environment, prefix)?);
    lay(&mut values, explicit);
    complete(values)
}

/// Settings of explicit values alone, as the text of a JSON object; empty for none.
pub(super) fn explicit(text: &str) -> Result<Settings, Error> {
    complete(from_explicit(text)?)
}

/// Fills what is missing with defaults.
fn complete(mut values: Map<String, Value>) -> Result<Settings, Error> {
    let is_profile = |name: &str| values.get("profile").is_some_and(|profile| profile == name);
    let (early, mcpagent) = (is_profile("early"), is_profile("mcpagent"));
    let agent = values.get("defaults").is_some_and(|defaults| defaults == "agent");
    let half = |key: &str| values.get(key).and_then(Value::as_u64).map(|threshold| threshold / 2);
    let preview = half("threshold_characters").or(half("threshold_tokens"));
    let deviating: [(bool, &str, Value); 8] = [
        (early, "threshold_tokens", EARLY_THRESHOLD_TOKENS.into()),
        (mcpagent, "threshold_tokens", MCPAGENT_THRESHOLD_TOKENS.into()),
        // READ-07: half as many characters as the threshold has tokens, or characters.
        (mcpagent, "preview_characters", preview.unwrap_or(u64::from(MCPAGENT_THRESHOLD_TOKENS / 2)).into()),
        (mcpagent, "prefix", MCPAGENT_PREFIX.into()),
        (mcpagent, "tool_names", "large_output".into()),
        (agent, "ttl_seconds", AGENT_TTL_SECONDS.into()),
        (agent, "min_saving", AGENT_MIN_SAVING.into()),
        (agent, "source_threshold_tokens", AGENT_SOURCE_TOKENS.into()),
    ];
    for (_, key, value) in deviating.into_iter().filter(|(holds, ..)| *holds) {
        values.entry(key).or_insert(value);
    }
    let settings = serde_json::from_value(Value::Object(values)).map_err(|error| refused("settings", &error))?;
    bounds::check_together(&settings)?;
    Ok(settings)
}

/// Lays explicit settings over others, both as the text of a JSON object or empty, for a host that has some of its own.
pub fn over(below: &str, above: &str) -> Result<String, Error> {
    let mut values = from_explicit(below)?;
    lay(&mut values, from_explicit(above)?);
    Ok(Value::Object(values).to_string())
}

/// Lays the settings of a later source over those of earlier ones.
fn lay(values: &mut Map<String, Value>, layer: Map<String, Value>) {
    // A threshold replaces an earlier one, in whichever unit that was.
    if layer.contains_key("threshold_tokens") {
        values.remove("threshold_characters");
    }
    values.extend(layer);
}

/// The table `[prompt.offload]` of a TOML file.
fn from_file(text: &str) -> Result<Map<String, Value>, Error> {
    let file: Value = toml::from_str(text).map_err(|error| {
        let message = format!("cannot read the configuration file: {}", error.message());
        Error::invalid_argument(message, "write it as TOML with a table `[prompt.offload]`")
    })?;
    match file.pointer("/prompt/offload") {
        None => Ok(Map::new()),
        Some(Value::Object(values)) => {
            without_prefix("`[prompt.offload]`", checked("`[prompt.offload]`", values.clone())?)
        }
        Some(_) => Err(Error::invalid_argument(
            "cannot read the configuration file: `prompt.offload` is not a table",
            "write it as `[prompt.offload]`",
        )),
    }
}

/// Variables that begin with the prefix; each is read as the type that its key has.
fn from_environment(environment: &[(String, String)], prefix: &str) -> Result<Map<String, Value>, Error> {
    let defaults = defaults();
    let mut values = Map::new();
    for (variable, text) in environment {
        let Some(name) = variable.strip_prefix(prefix) else {
            continue;
        };
        let key = name.to_ascii_lowercase();
        let value = match (defaults.get(&key), text.trim()) {
            (Some(Value::Bool(_)), "true" | "1") => true.into(),
            (Some(Value::Bool(_)), "false" | "0") => false.into(),
            (Some(Value::Number(_) | Value::Null), number) => {
                let fraction = || number.parse::<f64>().ok().map(Value::from).filter(Value::is_number);
                number.parse().map(|whole: u64| whole.into()).ok().or_else(fraction).unwrap_or(text.as_str().into())
            }
            (Some(Value::Array(_)), list) => serde_json::from_str(list)
                .unwrap_or_else(|_| list.split(',').map(str::trim).filter(|name| !name.is_empty()).collect()),
            (Some(Value::Object(_)), object) => serde_json::from_str(object).unwrap_or_else(|_| text.as_str().into()),
            _ => text.as_str().into(),
        };
        let place = format!("variable `{variable}`");
        values.extend(without_prefix(&place, checked(&place, Map::from_iter([(key, value)]))?)?);
    }
    Ok(values)
}

/// Rejects a prefix in a source that is read too late: the host reads variables by the prefix that it already has.
fn without_prefix(place: &str, values: Map<String, Value>) -> Result<Map<String, Value>, Error> {
    if values.contains_key(PREFIX_KEY) {
        return Err(Error::invalid_argument(
            format!("cannot read {place}: `{PREFIX_KEY}` can only be an explicit setting"),
            "give it to the host, which reads the variables",
        ));
    }
    Ok(values)
}

/// Explicit values, as the text of a JSON object.
fn from_explicit(text: &str) -> Result<Map<String, Value>, Error> {
    if text.trim().is_empty() {
        return Ok(Map::new());
    }
    let values = serde_json::from_str(text).map_err(|error| {
        let message = format!("cannot read the settings: {error}");
        Error::invalid_argument(message, "pass the text of a JSON object")
    })?;
    checked("settings", values)
}

/// Checks all values, and if one is wrong each alone, so that the error can name its key.
fn checked(place: &str, values: Map<String, Value>) -> Result<Map<String, Value>, Error> {
    if Settings::deserialize(&values).is_ok_and(|settings| bounds::check(place, &settings).is_ok()) {
        return Ok(values);
    }
    for (key, value) in &values {
        let alone = Value::Object(Map::from_iter([(key.clone(), value.clone())]));
        let settings: Settings = serde_json::from_value(alone).map_err(|error| {
            let place = if defaults().contains_key(key) { format!("{place}: key `{key}`") } else { place.to_owned() };
            refused(&place, &error)
        })?;
        bounds::check(place, &settings)?;
    }
    Ok(values)
}

/// serde's own words name the known keys and what would be accepted.
fn refused(place: &str, error: &serde_json::Error) -> Error {
    Error::invalid_argument(format!("cannot read {place}: {error}"), "see settings.schema.json for every key")
}

fn defaults() -> Map<String, Value> {
    match serde_json::to_value(Settings::default()) {
        Ok(Value::Object(values)) => values,
        _ => unreachable!("settings are written as a JSON object"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::tools::When;
    use crate::settings::{Descriptor, ToolNames};

    fn variable(name: &str, value: &str) -> (String, String) {
        (format!("{VARIABLE_PREFIX}{name}"), value.into())
    }

    #[test]
    fn later_sources_win_key_by_key() {
        let file = "[other]\nx = 1\n[prompt.offload]\nthreshold_tokens = 1\nttl_seconds = 2\noutput_dir = \"a\"\n";
        let environment = [variable("TTL_SECONDS", "3"), variable("OUTPUT_DIR", "b")];
        let settings = resolve(file, &environment, r#"{"output_dir": "c"}"#).unwrap();
        assert_eq!(settings.threshold_tokens, 1);
        assert_eq!(settings.ttl_seconds, 3);
        assert_eq!(settings.output_dir, "c");
        assert!(settings.enabled);
    }

    #[test]
    fn the_four_keys_have_the_defaults_of_the_specification() {
        let settings = Settings::parse("").unwrap();
        assert!(settings.enabled);
        assert_eq!((settings.threshold_tokens, settings.ttl_seconds), (1600, 3600));
        assert_eq!(settings.output_dir, "");
    }

    #[test]
    fn the_early_profile_has_its_threshold_unless_one_is_given() {
        assert_eq!(Settings::parse(r#"{"profile":"early"}"#).unwrap().threshold_tokens, 6400);
        let given = resolve("", &[variable("THRESHOLD_TOKENS", "7")], r#"{"profile":"early"}"#).unwrap();
        assert_eq!(given.threshold_tokens, 7);
    }

    #[test]
    fn the_profile_of_mcpagent_has_its_threshold_preview_and_names() {
        let of = |text: &str| Settings::parse(text).unwrap();
        let settings = of(r#"{"profile":"mcpagent"}"#);
        assert_eq!((settings.threshold_tokens, settings.preview_characters), (10_000, Some(5000)));
        assert_eq!((settings.prefix.as_str(), settings.tool_names), ("tool", ToolNames::LargeOutput));
        assert_eq!(settings.descriptor(), Descriptor::Message);
        let given = of(r#"{"profile":"mcpagent","threshold_tokens":300,"prefix":"a","tool_names":"lro"}"#);
        assert_eq!((given.threshold_tokens, given.preview_characters), (300, Some(150)));
        assert_eq!((given.prefix.as_str(), given.tool_names), ("a", ToolNames::Lro));
        let characters = of(r#"{"profile":"mcpagent","threshold_characters":5000}"#);
        assert_eq!(characters.preview_characters, Some(2500));
        assert_eq!(of(r#"{"profile":"mcpagent","preview_characters":null}"#).preview_characters, None);
        assert_eq!(of(r#"{"guidance":"tool","tool_names":"artifact"}"#).descriptor(), Descriptor::Envelope);
    }

    #[test]
    fn an_agents_host_has_defaults_of_its_own() {
        let settings =
            resolve("", &[variable("MIN_SAVING", "0.25")], r#"{"defaults":"agent","guidance":"tool"}"#).unwrap();
        assert_eq!((settings.ttl_seconds, settings.min_saving), (259_200, Some(0.25)));
        assert_eq!((settings.source_threshold_tokens, settings.descriptor()), (Some(10_000), Descriptor::Compact));
        let given =
            resolve("", &[variable("DESCRIPTOR", "bare")], r#"{"defaults":"agent","min_saving":null}"#).unwrap();
        assert_eq!((given.min_saving, given.descriptor()), (None, Descriptor::Bare));
        assert_eq!(Settings::parse("").unwrap().descriptor(), Descriptor::Full);
        for wrong in [r#"{"min_saving":1.5}"#, r#"{"min_saving":-1}"#, r#"{"descriptor":"short"}"#] {
            assert!(Settings::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_later_threshold_holds_in_whichever_unit() {
        let file = "[prompt.offload]\nthreshold_characters = 9\n";
        assert_eq!(resolve(file, &[], "").unwrap().threshold_characters, Some(9));
        let characters = [variable("THRESHOLD_CHARACTERS", "8")];
        assert_eq!(resolve(file, &characters, "").unwrap().threshold_characters, Some(8));
        assert_eq!(resolve(file, &characters, r#"{"threshold_tokens":7}"#).unwrap().threshold_characters, None);
        let laid = over(r#"{"threshold_characters":9,"prefix":"a"}"#, r#"{"threshold_tokens":7}"#).unwrap();
        assert_eq!(laid, r#"{"prefix":"a","threshold_tokens":7}"#);
    }

    #[test]
    fn variables_have_the_prefix_that_is_chosen() {
        let environment = [("MYAPP_TTL_SECONDS".into(), "5".into()), variable("TTL_SECONDS", "6")];
        let chosen = resolve("", &environment, r#"{"environment_prefix":"MYAPP_"}"#).unwrap();
        assert_eq!((chosen.ttl_seconds, chosen.environment_prefix.as_str()), (5, "MYAPP_"));
        assert_eq!(resolve("", &environment, "").unwrap().ttl_seconds, 6);
    }

    #[test]
    fn resolved_settings_resolve_to_themselves() {
        let settings = resolve(
            "",
            &[variable("ENABLED", "false"), variable("THRESHOLD_CHARACTERS", "8")],
            r#"{"profile":"early"}"#,
        )
        .unwrap();
        let text = serde_json::to_string(&settings).unwrap();
        assert_eq!(Settings::parse(&text).unwrap(), settings);
    }

    #[test]
    fn tools_are_tables_of_a_file_or_json_in_a_variable() {
        let file = "[prompt.offload.tools.read_file]\noffload = \"never\"\n";
        let variable = variable("TOOLS", r#"{"read_file":{"threshold_tokens":5}}"#);
        assert_eq!(resolve(file, &[], "").unwrap().tools["read_file"].offload, When::Never);
        assert_eq!(resolve(file, &[variable], "").unwrap().tools["read_file"].threshold_tokens, Some(5));
    }

    #[test]
    fn a_refusal_names_the_place_and_what_is_known() {
        let rows = [
            (resolve("", &[variable("THRESHOLD_TOKENS", "many")], ""), "`ATLATL_PROMPT__OFFLOAD__THRESHOLD_TOKENS`"),
            (resolve("", &[variable("ENABLED", "maybe")], ""), "`ATLATL_PROMPT__OFFLOAD__ENABLED`"),
            (resolve("", &[variable("TRESHOLD", "1")], ""), "unknown field `treshold`, expected one of `enabled`"),
            (resolve("[prompt.offload]\nthreshold = 1", &[], ""), "unknown field `threshold`"),
            (resolve("[prompt", &[], ""), "configuration file"),
            (resolve("", &[], r#"{"profile":"later"}"#), "expected one of `current`, `early`, `mcpagent`"),
            (resolve("", &[], r#"{"threshold_tokens":-1}"#), "key `threshold_tokens`"),
            (resolve("", &[], r#"{"prefix":"../x"}"#), "`prefix`"),
            (resolve("", &[], r#"{"header_type":"a\"b"}"#), "`header_type`"),
            (resolve("", &[], r#"{"tool_prefix":"a b"}"#), "`tool_prefix`"),
            (resolve("", &[], r#"{"max_answer_bytes":1}"#), "`max_answer_bytes`"),
            (resolve("", &[], r#"{"tools":{"a":{"offlod":"never"}}}"#), "unknown field `offlod`"),
            (resolve("", &[variable("TOOLS", "never")], ""), "`ATLATL_PROMPT__OFFLOAD__TOOLS`"),
            (resolve("", &[], r#"{"max_filter_nesting":201}"#), "`max_filter_nesting`"),
            (resolve("", &[], r#"{"environment_prefix":""}"#), "`environment_prefix`"),
            (resolve("", &[variable("ENVIRONMENT_PREFIX", "X")], ""), "can only be an explicit setting"),
            (resolve("[prompt.offload]\nenvironment_prefix = \"X\"", &[], ""), "can only be an explicit setting"),
            (resolve("", &[], "[]"), "cannot read the settings"),
        ];
        for (result, part) in rows {
            let message = result.unwrap_err().message().to_owned();
            assert!(message.contains(part), "{message} lacks {part}");
        }
    }
}
