//! The directory that the component sees: what its calls mean for the store.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, ErrorKind};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::spool::Spool;
use super::window::Window;
use super::{Listed, ObjectStatus, ObjectStore};

/// Extensions of files. Nothing with one of them is a folder, so that the store is not asked for one.
const OF_FILES: [&str; 3] = [".jsonl", ".txt", ".part"];

/// The objects that a call can reach.
#[derive(Debug)]
pub(crate) struct Objects {
    store: Arc<dyn ObjectStore>,
    is_writable: bool,
    /// Files that are being written, by their names.
    parts: BTreeMap<String, Spool>,
    /// Folders that this call has made. A store has none of its own.
    made: BTreeSet<String>,
    /// What has been looked at: opening follows looking, and looking follows listing.
    known: BTreeMap<String, ObjectStatus>,
    /// What this call has stored.
    stored: Vec<String>,
    /// Why the store has failed last, which WASI's codes cannot say.
    failure: Option<String>,
    /// How long the call has waited for the store since somebody asked.
    waited: Duration,
}

/// What a descriptor stands for.
#[derive(Debug)]
pub(super) enum Node {
    /// A folder: nothing for the directory itself, else a name and a slash.
    Folder(String),
    /// An object that is read.
    Reader(String, Window),
    /// A file that is written.
    Writer(String),
}

/// What an entry is.
#[derive(Debug)]
pub(super) enum Entry {
    File(ObjectStatus),
    Folder,
}

impl Objects {
    pub(crate) fn of(store: Arc<dyn ObjectStore>, is_writable: bool) -> Self {
        let (parts, made, known) = (BTreeMap::new(), BTreeSet::new(), BTreeMap::new());
        Self { store, is_writable, parts, made, known, stored: Vec::new(), failure: None, waited: Duration::ZERO }
    }

    /// Why the store has failed, if it has.
    pub(crate) fn failure(&mut self) -> Option<String> {
        self.failure.take()
    }

    /// How long the call has waited for the store since this was asked last.
    pub(crate) fn waited(&mut self) -> Duration {
        std::mem::take(&mut self.waited)
    }

    /// Deletes what this call has stored, because it was stopped and nobody will know its objects.
    pub(crate) fn remove_stored(&mut self) {
        self.parts.clear();
        for name in std::mem::take(&mut self.stored) {
            // The store may be why the call was stopped.
            _ = self.store.delete(&name);
        }
    }

    pub(super) fn folder(&self, folder: &str, name: &str) -> io::Result<Node> {
        Ok(Node::Folder(format!("{}/", within(folder, name)?)))
    }

    pub(super) fn make_folder(&mut self, folder: &str, name: &str) -> io::Result<()> {
        let name = within(folder, name)?;
        self.made.insert(name);
        self.writable()
    }

    /// A folder goes with the last object in it.
    pub(super) fn remove_folder(&mut self, folder: &str, name: &str) -> io::Result<()> {
        self.writable()?;
        let name = within(folder, name)?;
        self.made.remove(&name);
        match self.asked(|store| store.list(&format!("{name}/")))?.is_empty() {
            true => Ok(()),
            false => Err(ErrorKind::DirectoryNotEmpty.into()),
        }
    }

    /// The names in a folder, and what they are for the questions that follow.
    pub(super) fn names(&mut self, folder: &str) -> io::Result<Vec<(String, bool)>> {
        let listed = self.asked(|store| store.list(folder))?;
        self.known.clear();
        let name = |entry| match entry {
            Listed::Object(name, status) => {
                self.known.insert(format!("{folder}{name}"), status);
                (name, false)
            }
            Listed::Folder(name) => {
                self.made.insert(format!("{folder}{name}"));
                (name, true)
            }
        };
        Ok(listed.into_iter().map(name).collect())
    }

    pub(super) fn status(&mut self, folder: &str, name: &str) -> io::Result<Entry> {
        let name = within(folder, name)?;
        if let Some(part) = self.parts.get(&name) {
            return Ok(Entry::File(ObjectStatus::new(part.bytes(), None)));
        }
        if self.made.contains(&name) {
            return Ok(Entry::Folder);
        }
        if let Some(status) = self.known.get(&name) {
            return Ok(Entry::File(*status));
        }
        match self.asked(|store| store.stat(&name)) {
            Ok(status) => {
                self.known.insert(name, status);
                Ok(Entry::File(status))
            }
            Err(error) if error.kind() == ErrorKind::NotFound && self.is_folder(&name)? => Ok(Entry::Folder),
            Err(error) => Err(error),
        }
    }

    /// Opens an object for reading.
    pub(super) fn reader(&mut self, folder: &str, name: &str) -> io::Result<Node> {
        match self.status(folder, name)? {
            Entry::File(status) => Ok(Node::Reader(within(folder, name)?, Window::of(status.bytes))),
            Entry::Folder => Err(ErrorKind::IsADirectory.into()),
        }
    }

    /// Creates a file that must not exist.
    pub(super) fn writer(&mut self, folder: &str, name: &str) -> io::Result<Node> {
        self.writable()?;
        let name = within(folder, name)?;
        if self.parts.contains_key(&name) {
            return Err(ErrorKind::AlreadyExists.into());
        }
        let part = Spool::new().map_err(|error| self.failed("a temporary file for it cannot be created", error))?;
        self.parts.insert(name.clone(), part);
        Ok(Node::Writer(name))
    }

    pub(super) fn read(
        &mut self,
        name: &str,
        window: &mut Window,
        offset: u64,
        length: u64,
    ) -> io::Result<(Vec<u8>, bool)> {
        self.asked(|store| window.read(offset, length, |range| store.read(name, range)))
    }

    pub(super) fn write(&mut self, name: &str, offset: u64, bytes: &[u8]) -> io::Result<()> {
        let part = self.parts.get_mut(name).ok_or(ErrorKind::NotFound)?;
        part.write(offset, bytes).map_err(|error| self.failed("a temporary file for it cannot be written", error))
    }

    /// Gives a file its name, with which it goes to the store.
    pub(super) fn rename(&mut self, from: (&str, &str), to: (&str, &str)) -> io::Result<()> {
        let (part, name) = (within(from.0, from.1)?, within(to.0, to.1)?);
        let spool = self.parts.get(&part).ok_or(ErrorKind::NotFound)?;
        let (content, bytes) = (spool.content()?, spool.bytes());
        self.asked(|store| store.write(&name, content, bytes))?;
        self.parts.remove(&part);
        self.stored.push(name);
        Ok(())
    }

    pub(super) fn remove(&mut self, folder: &str, name: &str) -> io::Result<()> {
        self.writable()?;
        let name = within(folder, name)?;
        self.known.remove(&name);
        if self.parts.remove(&name).is_some() {
            return Ok(());
        }
        self.asked(|store| store.delete(&name))
    }

    fn is_folder(&mut self, name: &str) -> io::Result<bool> {
        if OF_FILES.iter().any(|extension| name.ends_with(extension)) {
            return Ok(false);
        }
        match self.asked(|store| store.list(&format!("{name}/"))) {
            // What cannot be listed has no folders that anybody could see.
            Err(error) if error.kind() == ErrorKind::Unsupported => Ok(false),
            listed => Ok(!listed?.is_empty()),
        }
    }

    fn writable(&self) -> io::Result<()> {
        if self.is_writable { Ok(()) } else { Err(ErrorKind::PermissionDenied.into()) }
    }

    /// Asks the store, and remembers why it fails.
    fn asked<T>(&mut self, ask: impl FnOnce(&dyn ObjectStore) -> io::Result<T>) -> io::Result<T> {
        let begin = Instant::now();
        let answer = ask(&*self.store);
        self.waited += begin.elapsed();
        answer.inspect_err(|error| {
            if error.kind() != ErrorKind::NotFound {
                self.failure = Some(error.to_string());
            }
        })
    }

    fn failed(&mut self, what: &str, error: io::Error) -> io::Error {
        self.failure = Some(format!("{what}: {error}"));
        error
    }
}

/// The name of an entry of a folder in the store. Only a single name is one.
fn within(folder: &str, name: &str) -> io::Result<String> {
    if name.is_empty() || name == "." || name == ".." || name.contains(['/', '\\', '\0']) {
        return Err(ErrorKind::PermissionDenied.into());
    }
    Ok(format!("{folder}{name}"))
}
