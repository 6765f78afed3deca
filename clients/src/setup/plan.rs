//! From what a file contains to what it shall contain, for doing and undoing. Pure: the edge reads and writes.

use super::document::{Document, Format, Invalid};
use super::entries::{self, Added, Entry};
use super::places::System;
use super::record::Record;
use super::wrap::{self, Found, Kind};

/// What is at a configuration's place.
#[derive(Default)]
pub(crate) struct State {
    pub(crate) text: Option<String>,
    pub(crate) record: Option<Record>,
    /// The text of the copy that the record names.
    pub(crate) copy: Option<String>,
}

/// What is done to a file.
pub(crate) enum Edit {
    Entries {
        format: Format,
        entries: Vec<Entry>,
        system: System,
    },
    /// The words of the proxy go before servers in these places.
    Wrap {
        format: Format,
        places: &'static [&'static [&'static str]],
        proxy: Vec<String>,
    },
    /// The file is ours as a whole.
    Plugin {
        source: String,
    },
}

/// What a file shall be.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) after: Option<String>,
    pub(crate) next: Next,
    /// Servers that are left alone, with the reason.
    pub(crate) left: Vec<String>,
}

/// What becomes of the record and the copy.
#[derive(Debug, PartialEq)]
pub(crate) enum Next {
    /// Nothing changes.
    Nothing,
    /// The record is written; with a copy of what is there now, or with the copy that it names already.
    Record { record: Box<Record>, makes_copy: bool },
    /// The record goes, and the copy too if it was put back. What somebody has edited is copied before it is deleted.
    Forget { removes_copy: bool, makes_copy: bool },
}

impl State {
    /// True if the file is as we left it, and what was there before is known.
    fn is_untouched(&self) -> bool {
        let (Some(text), Some(record)) = (&self.text, &self.record) else { return false };
        record.exact && record.fits(text) && (self.copy.is_some() || !record.existed)
    }
}

/// How the plugin of ours is recognised, whichever version wrote it.
fn is_our_plugin(text: &str) -> bool {
    text.contains("const LRO = ") && text.contains("'opencode'")
}

/// Plans an edit.
pub(crate) fn do_it(state: &State, edit: &Edit) -> Result<Plan, Invalid> {
    let is_untouched = state.is_untouched();
    // From what was there before, so that what an earlier version of ours has written is gone.
    let base = if is_untouched { &state.copy } else { &state.text };
    let (after, mut added, left) = edited(base.as_deref(), edit)?;
    if after == state.text {
        return Ok(Plan { after, next: Next::Nothing, left });
    }
    let old = state.record.clone().unwrap_or_default();
    if !is_untouched {
        let before = old.added();
        added.created.splice(0..0, before.created);
        added.texts.extend(before.texts);
        added.servers.extend(before.servers);
    }
    let mut record = Record::new(after.as_deref().unwrap_or_default());
    record.set_added(&added);
    record.folders.clone_from(&old.folders);
    record.exact = is_untouched || state.record.is_none();
    record.existed = if state.record.is_some() { old.existed } else { state.text.is_some() };
    let makes_copy = !is_untouched && state.text.is_some();
    record.copy = if makes_copy { None } else { old.copy };
    Ok(Plan { after, next: Next::Record { record: Box::new(record), makes_copy }, left })
}

/// Plans to undo an edit: what was there before, if nobody has edited the file since; otherwise the file without ours.
pub(crate) fn undo(state: &State, edit: &Edit) -> Result<Plan, Invalid> {
    if state.is_untouched() {
        let next = Next::Forget { removes_copy: true, makes_copy: false };
        return Ok(Plan { after: state.copy.clone(), next, left: Vec::new() });
    }
    let has_existed = state.record.as_ref().is_none_or(|record| record.existed);
    let added = state.record.as_ref().map(Record::added);
    let after = match &state.text {
        None => None,
        Some(text) => without(text, edit, added.as_ref(), has_existed)?,
    };
    let makes_copy = matches!(edit, Edit::Plugin { .. }) && state.text.is_some() && after.is_none();
    let next = match (&state.record, after == state.text) {
        (None, true) => Next::Nothing,
        _ => Next::Forget { removes_copy: false, makes_copy },
    };
    Ok(Plan { after, next, left: Vec::new() })
}

type Edited = (Option<String>, Added, Vec<String>);

fn edited(base: Option<&str>, edit: &Edit) -> Result<Edited, Invalid> {
    match edit {
        Edit::Plugin { source } => match base {
            Some(text) if !is_our_plugin(text) => Err(Invalid::new("it is another plugin than that of lro")),
            _ => Ok((Some(source.clone()), Added::default(), Vec::new())),
        },
        Edit::Entries { format, entries, system } => {
            let mut document = Document::parse(base.unwrap_or_default(), *format)?;
            let before = document.value()?;
            let added = entries::put(&mut document, entries, *system)?;
            // An empty file that gets nothing stays empty.
            let after = if document.value()? == before { base.map(str::to_owned) } else { Some(document.to_string()) };
            Ok((after, added, Vec::new()))
        }
        Edit::Wrap { format, places, proxy } => {
            let Some(base) = base else { return Ok((None, Added::default(), Vec::new())) };
            let mut document = Document::parse(base, *format)?;
            let before = document.value()?;
            let found = wrap::servers(&before, places);
            let mut added = Added::default();
            for server in &found {
                match server.kind {
                    Kind::Stdio => {
                        added.created.extend(wrap::wrap(&mut document, &server.path, proxy)?);
                        added.servers.push(server.path.clone());
                    }
                    Kind::Wrapped(_) if server.is_as_we_wrap => wrap::renew(&mut document, &server.path, proxy)?,
                    _ => {}
                }
            }
            let left = found.iter().filter_map(reason).collect();
            let after = if document.value()? == before { base.to_owned() } else { document.to_string() };
            Ok((Some(after), added, left))
        }
    }
}

/// Why a server is not wrapped.
fn reason(server: &Found) -> Option<String> {
    let name = server.name();
    match server.kind {
        Kind::Stdio => None,
        Kind::Wrapped(_) => Some(format!("{name} is behind lro proxy already")),
        Kind::Ours => Some(format!("{name} is our own")),
        // Its headers may contain secrets, which a command line would show to others, and only the client can sign in.
        Kind::Remote => Some(format!("{name} is remote: see `lro proxy --url` to put the proxy before it by hand")),
        Kind::Unknown => Some(format!("{name} has neither a command nor a URL")),
    }
}

fn without(text: &str, edit: &Edit, added: Option<&Added>, has_existed: bool) -> Result<Option<String>, Invalid> {
    match edit {
        Edit::Plugin { .. } => Ok((!is_our_plugin(text)).then(|| text.to_owned())),
        Edit::Entries { format, entries, .. } => {
            let mut document = Document::parse(text, *format)?;
            let before = document.value()?;
            entries::take(&mut document, entries, added)?;
            let is_same = document.value()? == before;
            let is_needless = !has_existed && entries::says_nothing(&document, entries);
            let after = if is_same { text.to_owned() } else { document.to_string() };
            Ok((!is_needless).then_some(after))
        }
        Edit::Wrap { format, places, .. } => {
            let mut document = Document::parse(text, *format)?;
            let before = document.value()?;
            for server in wrap::servers(&before, places) {
                let is_ours = added.map_or(server.is_as_we_wrap, |added| added.servers.contains(&server.path));
                if let (Kind::Wrapped(words), true) = (server.kind, is_ours) {
                    wrap::unwrap(&mut document, &server.path, words)?;
                }
            }
            wrap::tidy(&mut document, added.map_or(&[][..], |added| &added.created))?;
            let after = if document.value()? == before { text.to_owned() } else { document.to_string() };
            Ok(Some(after))
        }
    }
}
