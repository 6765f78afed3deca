//! From what a file contains to what it shall contain, for doing and undoing. Pure: the edge reads and writes.

use super::document::{Document, Format, Invalid, Step};
use super::entries::{self, Created, Entry};
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
    /// How many servers are behind the proxy afterwards, or were before.
    pub(crate) servers: usize,
}

/// What becomes of the record and the copy.
#[derive(Debug, PartialEq)]
pub(crate) enum Next {
    /// Nothing changes.
    Nothing,
    /// The record is written; with a copy of what is there now, or with the copy that it names already.
    Record { record: Box<Record>, makes_copy: bool },
    /// The record goes, and the copy too if it was put back.
    Forget { removes_copy: bool },
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
    let (after, mut created, left, servers) = edited(base.as_deref(), edit)?;
    if after == state.text {
        return Ok(Plan { after, next: Next::Nothing, left, servers });
    }
    let old = state.record.clone().unwrap_or_default();
    if !is_untouched {
        created.splice(0..0, old.created());
    }
    let mut record = Record::new(after.as_deref().unwrap_or_default());
    record.set_created(&created);
    record.folders.clone_from(&old.folders);
    record.exact = is_untouched || state.record.is_none();
    record.existed = if state.record.is_some() { old.existed } else { state.text.is_some() };
    let makes_copy = !is_untouched && state.text.is_some();
    record.copy = if makes_copy { None } else { old.copy };
    Ok(Plan { after, next: Next::Record { record: Box::new(record), makes_copy }, left, servers })
}

/// Plans to undo an edit: what was there before, if nobody has edited the file since; otherwise the file without ours.
pub(crate) fn undo(state: &State, edit: &Edit) -> Result<Plan, Invalid> {
    if state.is_untouched() {
        let next = Next::Forget { removes_copy: true };
        return Ok(Plan { after: state.copy.clone(), next, left: Vec::new(), servers: 0 });
    }
    let has_existed = state.record.as_ref().is_none_or(|record| record.existed);
    let created = state.record.as_ref().map(Record::created).unwrap_or_default();
    let (after, servers) = match &state.text {
        None => (None, 0),
        Some(text) => without(text, edit, &created, has_existed)?,
    };
    let next = match (&state.record, after == state.text) {
        (None, true) => Next::Nothing,
        _ => Next::Forget { removes_copy: false },
    };
    Ok(Plan { after, next, left: Vec::new(), servers })
}

type Edited = (Option<String>, Created, Vec<String>, usize);

fn edited(base: Option<&str>, edit: &Edit) -> Result<Edited, Invalid> {
    match edit {
        Edit::Plugin { source } => match base {
            Some(text) if !is_our_plugin(text) => Err(Invalid::new("it is another plugin than that of lro")),
            _ => Ok((Some(source.clone()), Created::new(), Vec::new(), 0)),
        },
        Edit::Entries { format, entries } => {
            let mut document = Document::parse(base.unwrap_or_default(), *format)?;
            let before = document.value()?;
            let created = entries::put(&mut document, entries)?;
            // An empty file that gets nothing stays empty.
            let after = if document.value()? == before { base.map(str::to_owned) } else { Some(document.to_string()) };
            Ok((after, created, Vec::new(), 0))
        }
        Edit::Wrap { format, places, proxy } => {
            let Some(base) = base else { return Ok((None, Created::new(), Vec::new(), 0)) };
            let mut document = Document::parse(base, *format)?;
            let found = wrap::servers(&document.value()?, places);
            let mut created = Created::new();
            for server in found.iter().filter(|server| server.kind == Kind::Stdio) {
                created.extend(wrap::wrap(&mut document, &server.path, proxy)?);
            }
            let left = found.iter().filter_map(reason).collect();
            let wrapped = found.iter().filter(|server| matches!(server.kind, Kind::Stdio | Kind::Wrapped(_))).count();
            let is_same = found.iter().all(|server| server.kind != Kind::Stdio);
            let after = if is_same { base.to_owned() } else { document.to_string() };
            Ok((Some(after), created, left, wrapped))
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

fn without(
    text: &str,
    edit: &Edit,
    created: &[Vec<Step>],
    has_existed: bool,
) -> Result<(Option<String>, usize), Invalid> {
    match edit {
        Edit::Plugin { .. } => Ok(((!is_our_plugin(text)).then(|| text.to_owned()), 0)),
        Edit::Entries { format, entries } => {
            let mut document = Document::parse(text, *format)?;
            let before = document.value()?;
            entries::take(&mut document, entries, created)?;
            let is_same = document.value()? == before;
            let is_needless = !has_existed && entries::says_nothing(&document, entries);
            let after = if is_same { text.to_owned() } else { document.to_string() };
            Ok(((!is_needless).then_some(after), 0))
        }
        Edit::Wrap { format, places, .. } => {
            let mut document = Document::parse(text, *format)?;
            let mut servers = 0;
            for server in wrap::servers(&document.value()?, places) {
                if let Kind::Wrapped(words) = server.kind {
                    wrap::unwrap(&mut document, &server.path, words)?;
                    servers += 1;
                }
            }
            wrap::tidy(&mut document, created)?;
            let after = if servers == 0 { text.to_owned() } else { document.to_string() };
            Ok((Some(after), servers))
        }
    }
}
