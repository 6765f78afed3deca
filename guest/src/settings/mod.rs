//! How offloading behaves: from defaults, a file, the environment and explicit values to one object.

mod bounds;
pub mod request;
pub mod tokens;
pub mod tools;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use self::bounds::{MOST_FILTER_NESTING, MOST_RECORD_NESTING};
use crate::error::Error;
use crate::file::header;
use crate::settings::tokens::Tokenizer;
use crate::settings::tools::ToolSettings;

/// What the names of our environment variables begin with, unless a host has another prefix (LRO-25).
pub const VARIABLE_PREFIX: &str = "ATLATL_PROMPT__OFFLOAD__";

/// The key of another prefix.
const PREFIX_KEY: &str = "environment_prefix";

/// LRO-07: about ten records of 155 tokens; below that, a response costs more than it saves.
pub const THRESHOLD_TOKENS: u32 = 1600;

/// EARLY-01.
pub const EARLY_THRESHOLD_TOKENS: u32 = 6400;

/// LRO-34: one hour.
pub const TTL_SECONDS: u32 = 3600;

/// READ-20: what no client shows a model as a whole. It is no second threshold: what is offloaded never comes to it.
const MAX_INLINE_TOKENS: u32 = 100_000;

/// Clients put tool results above 8 KB aside themselves, which would be an offload of what an offload answers (USER-04).
const MAX_ANSWER_BYTES: u32 = 8192;

/// Which version of the specification is followed (EARLY-07).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Profile {
    /// The current specification.
    #[default]
    Current,
    /// Its early version.
    Early,
}

/// What the guidance of a response points to (decision 9).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum GuidanceKind {
    /// The jq recipes, run in a shell.
    #[default]
    Shell,
    /// The tool `lro_extract`.
    Tool,
}

/// Where an offloaded result goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Store {
    /// Into a file below the output directory.
    #[default]
    File,
    /// Back to the host, as text.
    Content,
}

/// Complete settings. Each key is explained in `wit/settings.schema.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// False passes everything through (LRO-24).
    pub enabled: bool,
    /// What the names of variables with settings begin with (SECTION-07).
    pub environment_prefix: String,
    /// More tokens than this are offloaded (LRO-05).
    pub threshold_tokens: u32,
    /// Instead of it: more characters than this are offloaded (SECTION-06).
    pub threshold_characters: Option<u32>,
    /// More tokens than this are not passed on, for whatever reason a result is not offloaded (READ-20, USER-17).
    pub max_inline_tokens: u32,
    /// Why results are to be truncated and not offloaded, of a host whose offload has come to a limit.
    pub truncate_reason: Option<String>,
    /// Seconds after which a file may be deleted.
    pub ttl_seconds: u32,
    /// The granted directory, by its name here; empty for the only one.
    pub output_dir: String,
    /// The same directory as people and models know it; empty for `output_dir`.
    pub public_dir: String,
    /// The version of the specification.
    pub profile: Profile,
    /// How tokens are estimated.
    pub tokenizer: Tokenizer,
    /// What the guidance points to.
    pub guidance: GuidanceKind,
    /// Where an offloaded result goes.
    pub store: Store,
    /// What file names begin with.
    pub prefix: String,
    /// The type in the header line of our files.
    pub header_type: String,
    /// A longer filter is refused.
    pub max_filter_bytes: u32,
    /// A filter with deeper brackets is refused.
    pub max_filter_nesting: u32,
    /// A record with deeper brackets is not extracted from.
    pub max_record_nesting: u32,
    /// More results are cut off a page.
    pub max_page_results: u32,
    /// More bytes of results are cut off a page.
    pub max_page_bytes: u32,
    /// The extraction tools are offered over MCP.
    pub offer_tools: bool,
    /// What the names of our tools begin with.
    pub tool_prefix: String,
    /// An answer of our tools is no longer than this.
    pub max_answer_bytes: u32,
    /// How results of single tools are treated, by the tool's name.
    pub tools: BTreeMap<String, ToolSettings>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            enabled: true,
            environment_prefix: VARIABLE_PREFIX.into(),
            threshold_tokens: THRESHOLD_TOKENS,
            threshold_characters: None,
            max_inline_tokens: MAX_INLINE_TOKENS,
            truncate_reason: None,
            ttl_seconds: TTL_SECONDS,
            output_dir: String::new(),
            public_dir: String::new(),
            profile: Profile::Current,
            tokenizer: Tokenizer::Chars,
            guidance: GuidanceKind::Shell,
            store: Store::File,
            prefix: "atlatl".into(),
            header_type: header::TYPE.into(),
            // What models write has some hundred bytes; parsing is superlinear in hostile cases.
            max_filter_bytes: 8192,
            max_filter_nesting: MOST_FILTER_NESTING,
            max_record_nesting: MOST_RECORD_NESTING,
            // Ten times the records of a large file; an endless filter makes so many in half a second.
            max_page_results: 1_000_000,
            // A page is held in the component and in the host; the smallest default of a host's memory is four of it.
            max_page_bytes: 64 << 20,
            offer_tools: true,
            tool_prefix: "lro_".into(),
            max_answer_bytes: MAX_ANSWER_BYTES,
            tools: BTreeMap::new(),
        }
    }
}

impl Settings {
    /// What the engine bounds before it runs a filter.
    pub fn limits(&self) -> lro_query::Limits {
        lro_query::Limits {
            filter_bytes: self.max_filter_bytes,
            filter_nesting: self.max_filter_nesting,
            record_nesting: self.max_record_nesting,
        }
    }

    /// Reads the `settings` of a call: any part of them, as the text of a JSON object; empty for none.
    pub fn parse(text: &str) -> Result<Self, Error> {
        resolve("", &[], text)
    }

    /// The output directory as people and models know it, without a separator at its end.
    pub fn public_dir(&self) -> &str {
        let directory = if self.public_dir.is_empty() { &self.output_dir } else { &self.public_dir };
        directory.trim_end_matches(self.separator())
    }

    /// What stands between the parts of a public path: a backslash where `public_dir` is written with those.
    pub fn separator(&self) -> char {
        let directory = if self.public_dir.is_empty() { &self.output_dir } else { &self.public_dir };
        if directory.contains('\\') && !directory.contains('/') { '\\' } else { '/' }
    }
}

/// LRO-25: defaults, then the file, then the environment, then explicit values; the later one wins, key by key.
pub fn resolve(file_text: &str, environment: &[(String, String)], explicit: &str) -> Result<Settings, Error> {
    let mut values = Map::new();
    let explicit = from_explicit(explicit)?;
    let prefix = explicit.get(PREFIX_KEY).and_then(Value::as_str).unwrap_or(VARIABLE_PREFIX);
    for layer in [from_file(file_text)?, from_environment(environment, prefix)?, explicit.clone()] {
        lay(&mut values, layer);
    }
    let early = values.get("profile").is_some_and(|profile| profile == "early");
    if early && !values.contains_key("threshold_tokens") {
        values.insert("threshold_tokens".into(), EARLY_THRESHOLD_TOKENS.into());
    }
    serde_json::from_value(Value::Object(values)).map_err(|error| refused("settings", &error))
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
                number.parse::<u64>().map_or_else(|_| text.as_str().into(), Value::from)
            }
            (Some(Value::Object(_)), object) => serde_json::from_str(object).unwrap_or_else(|_| text.as_str().into()),
            _ => text.as_str().into(),
        };
        let place = format!("variable `{variable}`");
        values.extend(without_prefix(&place, checked(&place, Map::from_iter([(key, value)]))?)?);
    }
    Ok(values)
}

/// Refuses the prefix of variables where it would come too late: a host reads them by the one that it was told.
fn without_prefix(place: &str, values: Map<String, Value>) -> Result<Map<String, Value>, Error> {
    if values.contains_key(PREFIX_KEY) {
        return Err(Error::invalid_argument(
            format!("cannot read {place}: `{PREFIX_KEY}` is an explicit setting alone"),
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

/// Checks each value by itself, so that an error can name its key.
fn checked(place: &str, values: Map<String, Value>) -> Result<Map<String, Value>, Error> {
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
            (resolve("", &[], r#"{"profile":"later"}"#), "expected `current` or `early`"),
            (resolve("", &[], r#"{"threshold_tokens":-1}"#), "key `threshold_tokens`"),
            (resolve("", &[], r#"{"prefix":"../x"}"#), "`prefix`"),
            (resolve("", &[], r#"{"header_type":"a\"b"}"#), "`header_type`"),
            (resolve("", &[], r#"{"tool_prefix":"a b"}"#), "`tool_prefix`"),
            (resolve("", &[], r#"{"max_answer_bytes":1}"#), "`max_answer_bytes`"),
            (resolve("", &[], r#"{"tools":{"a":{"offlod":"never"}}}"#), "unknown field `offlod`"),
            (resolve("", &[variable("TOOLS", "never")], ""), "`ATLATL_PROMPT__OFFLOAD__TOOLS`"),
            (resolve("", &[], r#"{"max_filter_nesting":201}"#), "`max_filter_nesting`"),
            (resolve("", &[], r#"{"environment_prefix":""}"#), "`environment_prefix`"),
            (resolve("", &[variable("ENVIRONMENT_PREFIX", "X")], ""), "an explicit setting alone"),
            (resolve("[prompt.offload]\nenvironment_prefix = \"X\"", &[], ""), "an explicit setting alone"),
            (resolve("", &[], "[]"), "cannot read the settings"),
        ];
        for (result, part) in rows {
            let message = result.unwrap_err().message().to_owned();
            assert!(message.contains(part), "{message} lacks {part}");
        }
    }
}
