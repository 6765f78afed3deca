//! The settings, as their schema describes them.

use std::fmt::Write;

use serde_json::Value;

use crate::output;

const SCHEMA: &str = include_str!("../../../../wit/settings.schema.json");

/// As wide as a terminal usually is.
const WIDTH: usize = 80;

const HEAD: &str = "\
Settings, as keys of the table [prompt.offload] in a TOML file (--settings-file FILE), or as variables:
ATLATL_PROMPT__OFFLOAD__THRESHOLD_TOKENS=4000. A flag wins over a variable, and a variable over the file.

";

/// All settings with their defaults.
pub(super) fn text() -> String {
    let schema: Value = serde_json::from_str(SCHEMA).unwrap_or_default();
    let mut text = HEAD.to_owned();
    for (key, setting) in schema["properties"].as_object().into_iter().flatten() {
        // Writing to a text does not fail.
        _ = writeln!(text, "{key} = {}", shown(&setting["default"]));
        for line in wrapped(setting["description"].as_str().unwrap_or_default()) {
            _ = writeln!(text, "    {line}");
        }
    }
    text
}

fn shown(default: &Value) -> String {
    match default {
        Value::Null => "(none)".to_owned(),
        default => default.to_string(),
    }
}

/// The lines of a description.
fn wrapped(text: &str) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in output::printable(text).split_whitespace() {
        let line = lines.last_mut().filter(|line| line.is_empty() || line.len() + 1 + word.len() <= WIDTH);
        match line {
            Some(line) if line.is_empty() => line.push_str(word),
            Some(line) => {
                line.push(' ');
                line.push_str(word);
            }
            None => lines.push(word.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::text;

    #[test]
    fn every_setting_has_its_default_and_its_description() {
        let text = text();
        for line in [
            "threshold_tokens = 1600\n    Results above this many tokens",
            "\ntools = {}\n",
            "\ncontext_tokens = (none)\n",
        ] {
            assert!(text.contains(line), "{line}");
        }
        assert!(text.lines().all(|line| line.len() <= 110), "{text}");
    }
}
