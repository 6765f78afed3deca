//! What the configurations of a client say about us, and what would break. Pure: the edge reads them.

use serde_json::Value;

use super::switches::switched_off;
use lro_clients::setup::clients::{Client, File, Kind, Scope};
use lro_clients::setup::document::{Document, Step, at};
use lro_clients::setup::entries::SERVER;
use lro_clients::setup::ours::{command_line, is_our_server, our_hooks, words, wrapping};
use lro_clients::setup::wrap;

/// A configuration that is there.
pub(super) struct Given {
    pub(super) file: &'static File,
    pub(super) path: String,
    /// Its text, or why it cannot be read.
    pub(super) text: Result<String, String>,
}

/// What a configuration says.
pub(super) struct Found {
    pub(super) path: String,
    pub(super) scope: Scope,
    /// The command lines of our hooks, with their places.
    pub(super) hooks: Vec<(Vec<Step>, Vec<String>)>,
    /// The command line of our server.
    pub(super) server: Option<Vec<String>>,
    /// The command lines of servers behind the proxy, up to `--`.
    pub(super) wrapped: Vec<Vec<String>>,
    /// Servers that the client starts without the proxy.
    pub(super) bare: usize,
    /// A plugin of ours is switched on.
    pub(super) has_plugin: bool,
    pub(super) value: Value,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Level {
    /// It does not work.
    Broken,
    /// It works, but should be known.
    Note,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Problem {
    pub(super) level: Level,
    pub(super) message: String,
    pub(super) hint: String,
}

pub(super) fn broken(message: impl Into<String>, hint: impl Into<String>) -> Problem {
    Problem { level: Level::Broken, message: message.into(), hint: hint.into() }
}

pub(super) fn note(message: impl Into<String>, hint: impl Into<String>) -> Problem {
    Problem { level: Level::Note, message: message.into(), hint: hint.into() }
}

/// Reads a configuration.
pub(super) fn read(client: &Client, given: &Given) -> Result<Found, Problem> {
    let path = given.path.clone();
    let invalid = |reason: String| {
        broken(format!("{path} cannot be read: {reason}"), "correct it: the client cannot use it as it is")
    };
    let text = given.text.as_ref().map_err(|reason| invalid(reason.clone()))?;
    let mut found = Found {
        path: given.path.clone(),
        scope: given.file.scope,
        hooks: Vec::new(),
        server: None,
        wrapped: Vec::new(),
        bare: 0,
        has_plugin: false,
        value: Value::Null,
    };
    let Kind::Edited(format) = given.file.kind else {
        found.hooks.extend(plugin_command(text).map(|command| (Vec::new(), command)));
        return Ok(found);
    };
    let value = Document::parse(text, format).and_then(|document| document.value()).map_err(|error| {
        let line = error.line.map_or(String::new(), |line| format!("line {line}: "));
        invalid(format!("{line}{}", error.reason))
    })?;
    for part in given.file.parts {
        let place: Vec<Step> = part.place.iter().map(|&key| key.into()).collect();
        if part.is_hook() {
            found.hooks.extend(hooks(&value, &place, client.name));
        }
        let server = at(&value, &place).and_then(|servers| servers.get(SERVER)).filter(|server| is_our_server(server));
        found.server = found.server.or(server.and_then(line_of));
    }
    for server in wrap::servers(&value, given.file.servers) {
        let there = at(&value, &server.path).unwrap_or(&Value::Null);
        match server.kind {
            wrap::Kind::Wrapped(_) => {
                let count = wrapping(there).unwrap_or_default();
                found.wrapped.extend(line_of(there).map(|line| line[..count].to_vec()));
            }
            wrap::Kind::Stdio => found.bare += 1,
            _ => {}
        }
    }
    let plugins = value.get("enabledPlugins").and_then(Value::as_object);
    found.has_plugin = plugins.is_some_and(|all| all.iter().any(|(name, on)| name.starts_with("lro@") && *on == true));
    found.value = value;
    Ok(found)
}

fn line_of(server: &Value) -> Option<Vec<String>> {
    command_line(server).map(|words| words.into_iter().map(str::to_owned).collect())
}

fn hooks(value: &Value, place: &[Step], client: &str) -> Vec<(Vec<Step>, Vec<String>)> {
    let list = at(value, place).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let mut found = Vec::new();
    for (index, element) in list.iter().enumerate() {
        for hook in our_hooks(element, client) {
            let place = hook.map_or_else(|| vec![index.into()], |hook| vec![index.into(), Step::Index(hook)]);
            let hook = hook.map_or(element, |hook| &element["hooks"][hook]);
            found.push((place, words(hook["command"].as_str().unwrap_or_default())));
        }
    }
    found
}

/// The command line in the plugin of opencode.
fn plugin_command(source: &str) -> Option<Vec<String>> {
    let line = source.lines().find_map(|line| line.strip_prefix("const LRO = "))?;
    let literal = line.trim_end_matches(';');
    let program = serde_json::from_str(literal).unwrap_or_else(|_| literal.trim_matches('\'').to_owned());
    let mut words = vec![program, "hook".to_owned(), "opencode".to_owned()];
    if let Some((_, rest)) = source.split_once("'opencode', '--output-dir', ") {
        let folder = serde_json::Deserializer::from_str(rest).into_iter::<String>().next();
        words.extend(["--output-dir".to_owned()].into_iter().chain(folder.and_then(Result::ok)));
    }
    Some(words)
}

/// The value of `--output-dir` on a command line.
pub(super) fn output_dir(line: &[String]) -> Option<&str> {
    let at = line.iter().position(|word| word == "--output-dir")?;
    line.get(at + 1).map(String::as_str)
}

/// Problems that the configurations of a client show by themselves.
pub(super) fn problems(client: &Client, found: &[Found], has_extension: bool) -> Vec<Problem> {
    let mut problems = Vec::new();
    let name = client.name;
    let hooks: Vec<&Found> = found.iter().flat_map(|file| file.hooks.iter().map(move |_| file)).collect();
    let has_server = found.iter().any(|file| file.server.is_some()) || has_extension;
    let has_plugin = has_extension || found.iter().any(|file| file.has_plugin);
    let paths = |files: &[&Found]| files.iter().map(|file| file.path.clone()).collect::<Vec<_>>().join(", ");
    if !hooks.is_empty() && !has_server && !has_plugin {
        problems.push(broken(
            "the hook is on, but the server is missing: the model cannot read what is offloaded",
            format!("run `lro setup {name}`"),
        ));
    }
    if client.has_hook() && hooks.is_empty() && has_server && !has_plugin {
        let hint = format!("run `lro setup {name}`, unless the servers are behind `lro proxy`");
        problems.push(note("the server is on, but the hook is missing: results of tools are not offloaded", hint));
    }
    if hooks.len() > 1 {
        let message =
            format!("the hook is there {} times, and each looks at every result: {}", hooks.len(), paths(&hooks));
        problems.push(note(message, format!("keep one: lro setup {name} --undo, with --project or --user")));
    }
    if has_plugin && !hooks.is_empty() {
        problems.push(note(
            "both the plugin of lro and `lro setup` are on, and each looks at every result",
            format!("remove the plugin, or run `lro setup {name} --undo`"),
        ));
    }
    let lines = || found.iter().flat_map(|file| file.hooks.iter().map(|(_, line)| line).chain(&file.server));
    let mut folders: Vec<&str> = lines().map(|line| output_dir(line).unwrap_or("the default")).collect();
    folders.sort_unstable();
    folders.dedup();
    if folders.len() > 1 {
        let message = format!(
            "hook and server use different directories ({}), so the model cannot read what is offloaded",
            folders.join(", ")
        );
        problems.push(broken(message, format!("run `lro setup {name}` again, with one --output-dir or none")));
    }
    if !hooks.is_empty() || has_server || has_plugin {
        for file in found {
            for setting in switched_off(name, &file.value) {
                problems.push(broken(format!("`{setting}` in {} switches it off", file.path), "change that setting"));
            }
        }
    }
    problems
}

/// Our hooks of Codex that the user has not trusted, which Codex skips. Trust is written into the user's configuration,
/// by the path of a file and the place of the hook in it.
pub(super) fn is_trusted(user: &Value, paths: &[String], place: &[Step]) -> bool {
    let [Step::Index(group), Step::Index(hook)] = place else { return true };
    let states = user.get("hooks").and_then(|hooks| hooks.get("state"));
    paths.iter().any(|path| {
        let state = states.and_then(|states| states.get(format!("{path}:post_tool_use:{group}:{hook}")));
        state.is_some_and(|state| {
            state.get("trusted_hash").is_some() && state.get("enabled") != Some(&Value::Bool(false))
        })
    })
}
