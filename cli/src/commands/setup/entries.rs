//! What is written into a client's configuration, and how it is put in and taken out. Pure: configurations are values.

use serde_json::{Value, json};

use super::document::{Document, Invalid, Step, at, shown};
use super::ours::{command_line, is_our_server, our_hooks};

/// The name of our server in configurations.
pub(crate) const SERVER: &str = "lro";

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

/// The maps and lists that an edit has created, outermost first.
pub(crate) type Created = Vec<Vec<Step>>;

/// Puts the entries in. What is there already stays as it is, but for the commands of ours.
pub(crate) fn put(document: &mut Document, entries: &[Entry]) -> Result<Created, Invalid> {
    let mut created = Created::new();
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
                        if at(&all, &path).and_then(Value::as_str) != Some(command) {
                            document.replace(&path, &json!(command))?;
                        }
                        remove_hooks(document, list, place, copies)?;
                    }
                }
            }
            What::Text(text) => {
                let list = found.and_then(Value::as_array);
                if !list.is_some_and(|list| list.iter().any(|element| element == text)) {
                    created.extend(add(document, &all, place, None, &json!(text))?);
                }
            }
            What::Required { key, value } => {
                if found.is_none_or(|map| map.get(key).is_none()) {
                    created.extend(add(document, &all, place, Some(key), &json!(value))?);
                }
            }
        }
    }
    Ok(created)
}

/// Takes out what is ours, and what was created for it and is empty now.
pub(crate) fn take(document: &mut Document, entries: &[Entry], created: &[Vec<Step>]) -> Result<(), Invalid> {
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
            What::Text(text) => {
                let list = found.as_array().map_or(&[][..], Vec::as_slice);
                for index in (0..list.len()).rev().filter(|&index| list[index] == **text) {
                    document.remove(&[place.as_slice(), &[index.into()]].concat())?;
                }
            }
            What::Required { .. } => {}
        }
    }
    for container in created.iter().rev() {
        if at(&document.value()?, container).is_some_and(is_empty) {
            document.remove(container)?;
        }
    }
    Ok(())
}

/// True for a configuration that only has what a client requires: nobody misses it.
pub(crate) fn says_nothing(document: &Document, entries: &[Entry]) -> bool {
    let is_required = |key: &String| {
        entries.iter().any(|entry| matches!(&entry.what, What::Required { key: required, .. } if required == key))
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
) -> Result<Created, Invalid> {
    let there = (0..=place.len()).rev().find(|&depth| at(all, &place[..depth]).is_some()).unwrap_or(0);
    if there == place.len() {
        match key {
            Some(key) => document.add_member(place, key, value)?,
            None => {
                let end = at(all, place).and_then(Value::as_array).map_or(0, Vec::len);
                document.insert_element(place, end, value)?;
            }
        }
        return Ok(Created::new());
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
    if command_line(there) == command_line(server) {
        return Ok(());
    }
    let path = [place, &[SERVER.into()]].concat();
    for key in ["command", "args"] {
        let member = [path.as_slice(), &[key.into()]].concat();
        match (there.get(key), server.get(key)) {
            (Some(old), Some(new)) if old != new => document.replace(&member, new)?,
            (None, Some(new)) => document.add_member(&path, key, new)?,
            (Some(_), None) => document.remove(&member)?,
            _ => {}
        }
    }
    Ok(())
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
