//! What is written into a client's configuration, and how it is put in and taken out. Pure: configurations are values.

use serde_json::{Value, json};

use super::document::{Document, Invalid, Step, at, shown};
use super::ours::{command_line, is_our_server, our_hooks, program_words, quoted, words};
use super::places::System;

/// The name of our server in configurations.
pub const SERVER: &str = "lro";

/// Something of ours, and where it belongs: the keys of the map or list that has it.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) place: Vec<Step>,
    pub(crate) what: What,
}

#[derive(Clone, Debug)]
pub(crate) enum What {
    /// A member `lro` of a map of servers.
    Server(Value),
    /// An element of a list of hooks, which calls this command.
    Hook { client: &'static str, command: String, element: Value },
    /// A text in a list, such as a tool that is allowed.
    Text(&'static str),
    /// A member that the client requires, whatever its value is.
    Required { key: &'static str, value: i64 },
}

/// Places in a configuration. Of what an edit has created, the outermost comes first.
pub(crate) type Places = Vec<Vec<Step>>;

/// What an edit has added, which says what to take out again.
#[derive(Default)]
pub(crate) struct Added {
    pub(crate) created: Places,
    pub(crate) texts: Vec<String>,
    /// The servers that were put behind the proxy.
    pub(crate) servers: Places,
}

/// Puts the entries in. What is there already stays as it is, but for the commands of ours.
pub(crate) fn put(document: &mut Document, entries: &[Entry], system: System) -> Result<Added, Invalid> {
    let Added { mut created, mut texts, servers } = Added::default();
    for Entry { place, what } in entries {
        let all = document.value()?;
        let found = at(&all, place);
        match what {
            What::Server(server) => match found.and_then(|servers| servers.get(SERVER)) {
                None => created.extend(add(document, &all, place, Some(SERVER), server)?),
                Some(there) if is_our_server(there) => update_server(document, place, there, server)?,
                Some(_) => {
                    let path = shown(&[place.as_slice(), &[SERVER.into()]].concat());
                    return Err(Invalid::new(format!(
                        "{path} is another server; rename it, because ours is called `lro`"
                    )));
                }
            },
            What::Hook { client, command, element } => {
                let list = found.and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
                let ours = hooks_in(list, place, client);
                match ours.split_first() {
                    None => created.extend(add(document, &all, place, None, element)?),
                    Some((first, copies)) => {
                        let path = [first.as_slice(), &["command".into()]].concat();
                        let line = words(at(&all, &path).and_then(Value::as_str).unwrap_or_default());
                        let wanted = merged(&line, &words(command), HOOK_WORDS);
                        if line != wanted {
                            let quoted: Vec<String> = wanted.iter().map(|word| quoted(word, system)).collect();
                            document.replace(&path, &json!(quoted.join(" ")))?;
                        }
                        remove_hooks(document, list, place, copies)?;
                    }
                }
            }
            What::Text(text) => {
                let list = found.and_then(Value::as_array);
                if !list.is_some_and(|list| list.iter().any(|element| element == text)) {
                    created.extend(add(document, &all, place, None, &json!(text))?);
                    texts.push((*text).to_owned());
                }
            }
            What::Required { key, value } => {
                if found.is_none_or(|map| map.get(key).is_none()) {
                    created.extend(add(document, &all, place, Some(key), &json!(value))?);
                }
            }
        }
    }
    Ok(Added { created, texts, servers })
}

/// Takes out what is ours, and what was created for it and is empty now. Without knowing what was added, texts go only
/// where a hook or a server of ours is too: a user may have allowed a tool before.
pub(crate) fn take(document: &mut Document, entries: &[Entry], added: Option<&Added>) -> Result<(), Invalid> {
    let all = document.value()?;
    let has_ours = entries.iter().any(|entry| is_there(&all, entry));
    let is_added = |text: &str| added.map_or(has_ours, |added| added.texts.iter().any(|added| added == text));
    for Entry { place, what } in entries {
        let all = document.value()?;
        let Some(found) = at(&all, place) else { continue };
        match what {
            What::Server(_) => {
                if found.get(SERVER).is_some_and(is_our_server) {
                    document.remove(&[place.as_slice(), &[SERVER.into()]].concat())?;
                }
            }
            What::Hook { client, .. } => {
                let list = found.as_array().map_or(&[][..], Vec::as_slice);
                remove_hooks(document, list, place, &hooks_in(list, place, client))?;
            }
            What::Text(text) if is_added(text) => {
                let list = found.as_array().map_or(&[][..], Vec::as_slice);
                for index in (0..list.len()).rev().filter(|&index| list[index] == **text) {
                    document.remove(&[place.as_slice(), &[index.into()]].concat())?;
                }
            }
            What::Text(_) | What::Required { .. } => {}
        }
    }
    for container in added.iter().flat_map(|added| added.created.iter().rev()) {
        if at(&document.value()?, container).is_some_and(is_empty) {
            document.remove(container)?;
        }
    }
    Ok(())
}

/// True if a hook or a server of ours is there.
fn is_there(all: &Value, entry: &Entry) -> bool {
    let found = at(all, &entry.place);
    match &entry.what {
        What::Server(_) => found.and_then(|servers| servers.get(SERVER)).is_some_and(is_our_server),
        What::Hook { client, .. } => {
            let list = found.and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
            !hooks_in(list, &entry.place, client).is_empty()
        }
        What::Text(_) | What::Required { .. } => false,
    }
}

/// True for a configuration that only has what a client requires, or the name of a schema, which opencode adds: nobody
/// misses it.
pub(crate) fn says_nothing(document: &Document, entries: &[Entry]) -> bool {
    let is_required = |key: &String| {
        key == "$schema"
            || entries
                .iter()
                .any(|entry| matches!(&entry.what, What::Required { key: required, .. } if required == key))
    };
    let value = document.value().unwrap_or_default();
    value.as_object().is_some_and(|members| members.keys().all(is_required))
}

fn is_empty(value: &Value) -> bool {
    value.as_array().is_some_and(Vec::is_empty) || value.as_object().is_some_and(|members| members.is_empty())
}

/// Adds a member or an element; containers that are missing are created.
fn add(
    document: &mut Document,
    all: &Value,
    place: &[Step],
    key: Option<&str>,
    value: &Value,
) -> Result<Places, Invalid> {
    let there = (0..=place.len()).rev().find(|&depth| at(all, &place[..depth]).is_some()).unwrap_or(0);
    if there == place.len() {
        match key {
            Some(key) => document.add_member(place, key, value)?,
            None => {
                let end = at(all, place).and_then(Value::as_array).map_or(0, Vec::len);
                document.insert_element(place, end, value)?;
            }
        }
        return Ok(Places::new());
    }
    let innermost = key.map_or_else(|| json!([value]), |key| json!({ key: value }));
    let nested = place[there + 1..].iter().rev().fold(innermost, |inner, step| match step {
        Step::Key(key) => json!({ key: inner }),
        Step::Index(_) => json!([inner]),
    });
    match &place[there] {
        Step::Key(key) => document.add_member(&place[..there], key, &nested)?,
        Step::Index(_) => return Err(Invalid::new(format!("{} is missing", shown(&place[..=there])))),
    }
    Ok((there..place.len()).map(|depth| place[..=depth].to_vec()).collect())
}

/// Changes the command line of our server; everything else about it is the user's.
fn update_server(document: &mut Document, place: &[Step], there: &Value, server: &Value) -> Result<(), Invalid> {
    let line = |server| command_line(server).unwrap_or_default().into_iter().map(str::to_owned).collect::<Vec<_>>();
    let (old, new) = (line(there), line(server));
    let wanted = merged(&old, &new, SERVER_WORDS);
    if wanted == old {
        return Ok(());
    }
    let path = [place, &[SERVER.into()]].concat();
    let member = |key: &str| [path.as_slice(), &[key.into()]].concat();
    if there.get("command").is_some_and(Value::is_array) {
        return document.replace(&member("command"), &json!(wanted));
    }
    if wanted[0] != old[0] {
        document.replace(&member("command"), &json!(wanted[0]))?;
    }
    if wanted[1..] != old[1..] {
        document.replace(&member("args"), &json!(wanted[1..]))?;
    }
    Ok(())
}

/// The words between the program and the flags: `mcp` and `hook CLIENT`.
const SERVER_WORDS: usize = 1;
const HOOK_WORDS: usize = 2;

/// A command line of ours that is there, with the program and the directory that are wanted. Other flags are the user's.
fn merged(there: &[String], wanted: &[String], words: usize) -> Vec<String> {
    const FOLDER: &str = "--output-dir";
    let before_flags = |line: &[String]| program_words(line).unwrap_or(1) + words;
    let mut flags: Vec<String> = there.iter().skip(before_flags(there)).cloned().collect();
    let words = before_flags(wanted);
    if wanted.len() > words {
        if let Some(at) = flags.iter().position(|flag| flag == FOLDER) {
            flags.drain(at..flags.len().min(at + 2));
        }
        flags.extend(wanted[words..].iter().cloned());
    }
    wanted.iter().take(words).cloned().chain(flags).collect()
}

/// The paths of our hooks in a client's list.
fn hooks_in(list: &[Value], place: &[Step], client: &str) -> Vec<Vec<Step>> {
    let mut paths = Vec::new();
    for (index, element) in list.iter().enumerate() {
        for hook in our_hooks(element, client) {
            let inside = hook.map_or_else(Vec::new, |hook| vec!["hooks".into(), hook.into()]);
            paths.push([place, &[index.into()], inside.as_slice()].concat());
        }
    }
    paths
}

/// Removes hooks, the last first. An element whose hooks are all removed goes as a whole.
fn remove_hooks(document: &mut Document, list: &[Value], place: &[Step], hooks: &[Vec<Step>]) -> Result<(), Invalid> {
    for index in (0..list.len()).rev() {
        let element = [place, &[index.into()]].concat();
        let inside: Vec<&Vec<Step>> = hooks.iter().filter(|path| path.starts_with(&element)).collect();
        let count = list[index].get("hooks").and_then(Value::as_array).map_or(1, Vec::len);
        if inside.len() == count {
            document.remove(&element)?;
        } else {
            for path in inside.into_iter().rev() {
                document.remove(path)?;
            }
        }
    }
    Ok(())
}
