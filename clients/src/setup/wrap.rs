//! `lro proxy --` before the servers of a configuration, and away again. Pure: configurations are values.

use serde_json::{Value, json};

use super::document::{Document, Invalid, Step, at, shown};
use super::entries::Places;
use super::ours::{command_line, is_our_server, program_words, wrapping};

/// A server in a configuration, and what is done with it.
#[derive(Debug, PartialEq, Eq)]
pub struct Found {
    /// Where it is.
    pub path: Vec<Step>,
    /// What it is.
    pub kind: Kind,
    /// It is behind the proxy with no flags that we do not write.
    pub(crate) is_as_we_wrap: bool,
}

/// What a server is to us.
#[derive(Debug, PartialEq, Eq, Clone, Copy)]
pub enum Kind {
    /// A program that the client starts.
    Stdio,
    /// It is behind `lro proxy` already, whose command line has so many words.
    Wrapped(usize),
    /// `lro mcp`: what it answers is small.
    Ours,
    /// A server that is reached by a URL.
    Remote,
    /// Neither a command nor a URL.
    Unknown,
}

impl Found {
    pub(crate) fn name(&self) -> String {
        shown(&self.path)
    }
}

/// The servers below these places; `*` stands for any key.
pub fn servers(value: &Value, places: &[&[&str]]) -> Vec<Found> {
    places.iter().flat_map(|place| maps(value, place)).flat_map(|map| servers_in(value, &map)).collect()
}

fn maps(value: &Value, place: &[&str]) -> Vec<Vec<Step>> {
    place.iter().fold(vec![Vec::new()], |paths: Vec<Vec<Step>>, key| {
        let below = |path: Vec<Step>| -> Vec<Vec<Step>> {
            let members = at(value, &path).and_then(Value::as_object);
            let keys = members.into_iter().flat_map(|members| members.keys());
            let chosen = keys.filter(|name| *key == "*" || name == key);
            chosen.map(|name| [path.as_slice(), &[Step::Key(name.clone())]].concat()).collect()
        };
        paths.into_iter().flat_map(below).collect()
    })
}

fn servers_in(value: &Value, map: &[Step]) -> Vec<Found> {
    let members = at(value, map).and_then(Value::as_object);
    let found = |(name, server): (&String, &Value)| {
        let path = [map, &[Step::Key(name.clone())]].concat();
        let kind = kind(server);
        Found { path, kind, is_as_we_wrap: matches!(kind, Kind::Wrapped(words) if is_as_we_wrap(server, words)) }
    };
    members.into_iter().flatten().map(found).collect()
}

fn kind(server: &Value) -> Kind {
    if is_our_server(server) {
        return Kind::Ours;
    }
    if let Some(words) = wrapping(server) {
        return Kind::Wrapped(words);
    }
    let is_remote = ["url", "httpUrl", "serverUrl"].iter().any(|key| server.get(key).is_some());
    match command_line(server) {
        Some(words) if words.first().is_some_and(|program| !program.is_empty()) => Kind::Stdio,
        _ if is_remote => Kind::Remote,
        _ => Kind::Unknown,
    }
}

fn is_as_we_wrap(server: &Value, words: usize) -> bool {
    let line = command_line(server).unwrap_or_default();
    let program = program_words(&line).unwrap_or(1);
    matches!(line.get(program..words), Some([_, "--"] | [_, "--output-dir", _, "--"]))
}

/// Changes the program of a server that is behind the proxy already: `lro` may have moved.
pub(crate) fn renew(document: &mut Document, path: &[Step], proxy: &[String]) -> Result<(), Invalid> {
    let all = document.value()?;
    let there = at(&all, path).and_then(command_line).and_then(|line| program_words(&line));
    // Other ways to start it, such as npx, name no place that changes.
    let (Some(1), Some(1), [lro, ..]) = (there, program_words(proxy), proxy) else { return Ok(()) };
    let command = [path, &["command".into()]].concat();
    let place = match at(&all, &command) {
        Some(Value::Array(_)) => [command.as_slice(), &[0.into()]].concat(),
        _ => command,
    };
    let program = at(&all, &place).and_then(Value::as_str).unwrap_or_default();
    // One that is found by the client's PATH is the user's choice.
    if program == *lro || !program.contains(['/', '\\']) {
        return Ok(());
    }
    document.replace(&place, &json!(lro))
}

/// Puts the words of the proxy before the command line of a server.
pub(crate) fn wrap(document: &mut Document, path: &[Step], proxy: &[String]) -> Result<Places, Invalid> {
    let all = document.value()?;
    let server = at(&all, path).cloned().unwrap_or_default();
    let command = [path, &["command".into()]].concat();
    let Some(program) = server.get("command").and_then(Value::as_str) else {
        for (index, word) in proxy.iter().enumerate() {
            document.insert_element(&command, index, &json!(word))?;
        }
        return Ok(Places::new());
    };
    let Some((lro, flags)) = proxy.split_first() else { return Ok(Places::new()) };
    document.replace(&command, &json!(lro))?;
    let before: Vec<&str> = flags.iter().map(String::as_str).chain([program]).collect();
    let arguments = [path, &["args".into()]].concat();
    if server.get("args").is_none() {
        document.add_member(path, "args", &json!(before))?;
        return Ok(vec![arguments]);
    }
    for (index, word) in before.iter().enumerate() {
        document.insert_element(&arguments, index, &json!(word))?;
    }
    Ok(Places::new())
}

/// Takes the words of the proxy away.
pub(crate) fn unwrap(document: &mut Document, path: &[Step], words: usize) -> Result<(), Invalid> {
    let all = document.value()?;
    let server = at(&all, path).cloned().unwrap_or_default();
    let command = [path, &["command".into()]].concat();
    let (list, count) = if server.get("command").is_some_and(Value::is_array) {
        (command, words)
    } else {
        let line = command_line(&server).unwrap_or_default();
        let program = line.get(words).ok_or_else(|| Invalid::new(format!("{} has no command", shown(path))))?;
        document.replace(&command, &json!(program))?;
        ([path, &["args".into()]].concat(), words)
    };
    for _ in 0..count {
        document.remove(&[list.as_slice(), &[0.into()]].concat())?;
    }
    Ok(())
}

/// Removes lists of arguments that were created for the proxy and are empty now.
pub(crate) fn tidy(document: &mut Document, created: &[Vec<Step>]) -> Result<(), Invalid> {
    for path in created {
        if at(&document.value()?, path).and_then(Value::as_array).is_some_and(Vec::is_empty) {
            document.remove(path)?;
        }
    }
    Ok(())
}
