//! The servers that flags and files name. Files are those of clients: an object `mcpServers`, or `servers` as VS Code has
//! it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::{Map, Value};

use super::{names, words};
use crate::failure::Failure;

/// A server.
#[derive(Debug, PartialEq)]
pub(super) struct Entry {
    pub(super) name: String,
    pub(super) way: Way,
}

/// How a server is reached.
#[derive(Debug, PartialEq)]
pub(super) enum Way {
    Command { words: Vec<String>, environment: BTreeMap<String, String>, folder: Option<PathBuf> },
    Url { url: String, headers: Vec<String> },
}

/// The server of `NAME=COMMAND`.
pub(super) fn flag(text: &str) -> Result<Entry, Failure> {
    let usage = |reason: &str| Failure::Usage(format!("cannot read `--server {text}`: {reason}"));
    let (name, command) = text.split_once('=').ok_or_else(|| usage("write NAME=COMMAND"))?;
    let words = words::split(command).map_err(|reason| usage(&format!("the command is not valid: {reason}")))?;
    let way = Way::Command { words, environment: BTreeMap::new(), folder: None };
    named(name, way).map_err(|reason| usage(&reason))
}

/// The servers of a file, in its order. Those that are disabled are left out. `variable` looks a variable up.
pub(super) fn file(path: &Path, variable: impl Fn(&str) -> Option<String>) -> Result<Vec<Entry>, Failure> {
    let bytes = std::fs::read(path).map_err(|error| Failure::file(format!("read `{}`", path.display()), error))?;
    let text = String::from_utf8_lossy(&bytes);
    servers(&text, &variable)
        .map_err(|reason| Failure::Usage(format!("cannot use the servers of `{}`: {reason}", path.display())))
}

/// An entry of a file. Keys that say nothing of how the server is reached are left to the client.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Written {
    command: Option<String>,
    #[serde(default)]
    args: Vec<String>,
    #[serde(default)]
    env: Map<String, Value>,
    cwd: Option<String>,
    #[serde(alias = "serverUrl", alias = "httpUrl")]
    url: Option<String>,
    #[serde(default)]
    headers: BTreeMap<String, String>,
    #[serde(rename = "type", alias = "transport")]
    kind: Option<String>,
    #[serde(default)]
    disabled: bool,
    enabled: Option<bool>,
}

fn servers(text: &str, variable: &impl Fn(&str) -> Option<String>) -> Result<Vec<Entry>, String> {
    let text = without_comments(text.trim_start_matches('\u{feff}'));
    let file: Value = serde_json::from_str(&text).map_err(|error| format!("it is not valid JSON: {error}"))?;
    let places = [&file["mcpServers"], &file["servers"], &file["mcp"]["servers"]];
    let listed = places.into_iter().find_map(Value::as_object);
    let listed = listed.ok_or("it has no object `mcpServers` or `servers`")?;
    let mut entries: Vec<Entry> = Vec::new();
    for (name, written) in listed {
        let about = |reason: String| format!("`{name}`: {reason}");
        let written: Written = serde_json::from_value(written.clone()).map_err(|error| about(error.to_string()))?;
        if written.disabled || written.enabled == Some(false) {
            continue;
        }
        let entry = way(written, variable).and_then(|way| named(name, way)).map_err(about)?;
        if entries.iter().any(|other| other.name == entry.name) {
            return Err(about(format!("another server is called `{}` too", entry.name)));
        }
        entries.push(entry);
    }
    if entries.is_empty() { Err("it names no server that is enabled".to_owned()) } else { Ok(entries) }
}

fn way(written: Written, variable: &impl Fn(&str) -> Option<String>) -> Result<Way, String> {
    let full = |text: &str| expanded(text, variable);
    if written.kind.as_deref() == Some("sse") {
        return Err("the old transport `sse` is not supported; use the server's address for streamable HTTP".to_owned());
    }
    match (&written.command, &written.url) {
        (Some(_), Some(_)) => Err("it has both `command` and `url`".to_owned()),
        (None, None) => Err("it has neither `command` nor `url`".to_owned()),
        (None, Some(url)) => {
            let header = |(name, value): (&String, &String)| Ok(format!("{name}: {}", full(value)?));
            let headers = written.headers.iter().map(header).collect::<Result<_, String>>()?;
            Ok(Way::Url { url: full(url)?, headers })
        }
        (Some(command), None) => {
            let words = std::iter::once(command).chain(&written.args).map(|word| full(word));
            let words = words.collect::<Result<_, _>>()?;
            let value = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            let pair = |(name, given): (&String, &Value)| Ok((name.clone(), full(&value(given))?));
            let environment = written.env.iter().map(pair).collect::<Result<_, String>>()?;
            let folder = written.cwd.as_deref().map(full).transpose()?.map(PathBuf::from);
            Ok(Way::Command { words, environment, folder })
        }
    }
}

fn named(name: &str, way: Way) -> Result<Entry, String> {
    match names::server(name) {
        name if name.is_empty() => Err("the name needs a letter or a digit".to_owned()),
        name => Ok(Entry { name, way }),
    }
}

/// Replaces `${NAME}`, `${NAME:-default}` and `${env:NAME}` by variables, as clients do.
fn expanded(text: &str, variable: &impl Fn(&str) -> Option<String>) -> Result<String, String> {
    let mut full = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${") {
        let Some((inner, behind)) = after.split_once('}') else { break };
        full.push_str(before);
        let (name, default) = inner.split_once(":-").map_or((inner, None), |(name, default)| (name, Some(default)));
        let name = name.strip_prefix("env:").unwrap_or(name);
        let is_name = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        match variable(name).filter(|_| is_name).or_else(|| default.map(str::to_owned)) {
            Some(value) => full.push_str(&value),
            None if is_name => return Err(format!("the variable `{name}` is not set")),
            None => return Err(format!("`${{{inner}}}` is for the client; write its value, or a variable")),
        }
        rest = behind;
    }
    full.push_str(rest);
    Ok(full)
}

/// JSON without comments and without commas before a closing bracket, which files of VS Code may have.
fn without_comments(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let (mut rest, mut is_text) = (text, false);
    while let Some(character) = rest.chars().next() {
        let mut taken = character.len_utf8();
        match character {
            '\\' if is_text => {
                taken += rest[1..].chars().next().map_or(0, char::len_utf8);
                plain.push_str(&rest[..taken]);
            }
            '"' => {
                is_text = !is_text;
                plain.push('"');
            }
            '/' if !is_text && rest.starts_with("//") => taken = rest.find('\n').unwrap_or(rest.len()),
            '/' if !is_text && rest.starts_with("/*") => taken = rest.find("*/").map_or(rest.len(), |end| end + 2),
            ']' | '}' if !is_text => {
                let end = plain.trim_end().len();
                if plain[..end].ends_with(',') {
                    plain.truncate(end - 1);
                }
                plain.push(character);
            }
            other => plain.push(other),
        }
        rest = &rest[taken..];
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::{BTreeMap, Entry, Way, flag, servers};

    fn of(text: &str) -> Result<Vec<Entry>, String> {
        servers(text, &|name| (name == "TOKEN").then(|| "t".to_owned()))
    }

    #[test]
    fn files_of_clients_are_read() {
        let text = r#"{ // servers
            "mcpServers": {
              "my files": {"command": "npx", "args": ["-y", "x//y", "${HOMELESS:-/d}"], "env": {"A": "${TOKEN}", "N": 1}, "cwd": "/w",},
              "web": {"type": "http", "url": "https://e.example/mcp", "headers": {"Authorization": "Bearer ${env:TOKEN}"}},
              "off": {"command": "x", "disabled": true}, /* "no": */
            },
        }"#;
        let environment: BTreeMap<String, String> =
            [("A", "t"), ("N", "1")].map(|(name, value)| (name.to_owned(), value.to_owned())).into();
        let words = ["npx", "-y", "x//y", "/d"].map(str::to_owned).to_vec();
        let expected = [
            Entry { name: "my_files".to_owned(), way: Way::Command { words, environment, folder: Some("/w".into()) } },
            Entry {
                name: "web".to_owned(),
                way: Way::Url {
                    url: "https://e.example/mcp".to_owned(),
                    headers: vec!["Authorization: Bearer t".to_owned()],
                },
            },
        ];
        assert_eq!(of(text).unwrap(), expected);
        assert_eq!(of(r#"{"servers": {"a": {"command": "x"}}}"#).unwrap()[0].name, "a");
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (text, reason) in [
            ("", "not valid JSON"),
            ("{}", "no object `mcpServers`"),
            (r#"{"servers": {"a": {}}}"#, "`a`: it has neither"),
            (r#"{"servers": {"a": {"command": "x", "url": "y"}}}"#, "`a`: it has both"),
            (r#"{"servers": {"a": {"url": "x", "type": "sse"}}}"#, "`a`: the old transport"),
            (r#"{"servers": {"a": {"command": "${NONE}"}}}"#, "`a`: the variable `NONE` is not set"),
            (r#"{"servers": {"a": {"command": "${input:key}"}}}"#, "`a`: `${input:key}` is for the client"),
            (r#"{"servers": {"a b": {"command": "x"}, "a_b": {"command": "x"}}}"#, "`a_b`: another server"),
            (r#"{"servers": {"é": {"command": "x"}}}"#, "needs a letter"),
            (r#"{"servers": {"a": {"command": "x", "enabled": false}}}"#, "no server that is enabled"),
            (r#"{"servers": {"a": 7}}"#, "`a`: "),
        ] {
            let error = of(text).unwrap_err();
            assert!(error.contains(reason), "{error}");
        }
    }

    #[test]
    fn flags_have_a_name_and_a_command() {
        let entry = flag("a=sh -c 'x = 1'").unwrap();
        let words = ["sh", "-c", "x = 1"].map(str::to_owned).to_vec();
        assert_eq!(entry.way, Way::Command { words, environment: BTreeMap::new(), folder: None });
        for bad in ["a", "=x", "a=", "a='x"] {
            assert!(flag(bad).is_err(), "{bad}");
        }
    }
}
