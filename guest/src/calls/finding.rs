//! Finds the file that an id or a bare name means: in the folder of the conversation, or in the output directory and the
//! folders in it.

use std::io;

use super::Source;
use crate::disk::{Directory, EntryKind};
use crate::error::Error;
use crate::file::file_name::FileName;
use crate::file::reading::cannot_open;
use crate::file::sought::{Sought, ambiguous};
use crate::settings::Settings;
use crate::settings::request::is_session;

/// Folders beyond this are not looked into: a caller who has more of them knows which one it is.
const MOST_FOLDERS: usize = 1000;

/// More files with one name are not listed.
const MOST_FOUND: usize = 4;

impl Source<'_> {
    /// Calls `read` with the source; a file that is known by an id or a bare name is found first.
    pub(super) fn found<T>(
        self,
        settings: &Settings,
        read: impl FnOnce(Source<'_>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let Source::File(path) = self else { return read(self) };
        match Sought::of(path, settings)? {
            Some(sought) => match file_of(&sought, path, settings)? {
                Some(file) => read(Source::File(&file.relative())),
                None => read(self),
            },
            None => read(self),
        }
    }
}

/// The file that is sought; `None` for a name that may still be a path, which has its own error.
fn file_of(sought: &Sought<'_>, path: &str, settings: &Settings) -> Result<Option<FileName>, Error> {
    let found = Directory::open(&settings.output_dir).map(|root| found_in(&root, sought, settings)).unwrap_or_default();
    match (&found[..], sought) {
        ([file], _) => Ok(Some(file.clone())),
        ([], Sought::Name(_)) => Ok(None),
        ([], _) => Err(cannot_open(path, &io::ErrorKind::NotFound.into())),
        (several, _) => Err(ambiguous(path, several)),
    }
}

/// Looks in the folder of the conversation alone, if there is one.
fn found_in(root: &Directory, sought: &Sought<'_>, settings: &Settings) -> Vec<FileName> {
    let in_folder = |session: &str| match root.folder(session) {
        Ok(folder) => found_here(&folder, Some(session), sought, settings),
        Err(_) => Vec::new(),
    };
    if let Some(session) = &settings.call.session {
        return in_folder(session);
    }
    let mut found = found_here(root, None, sought, settings);
    // A whole name or id is that of one file.
    let is_one = !sought.names(settings).is_empty();
    if is_one && !found.is_empty() {
        return found;
    }
    let folders = root.names(is_session).unwrap_or_default();
    let is_folder = |name: &&String| root.status(name).is_ok_and(|status| status.kind == EntryKind::Directory);
    for session in folders.iter().filter(is_folder).take(MOST_FOLDERS) {
        found.extend(in_folder(session));
        if is_one && !found.is_empty() || found.len() >= MOST_FOUND {
            break;
        }
    }
    found
}

fn found_here(folder: &Directory, session: Option<&str>, sought: &Sought<'_>, settings: &Settings) -> Vec<FileName> {
    let named = sought.names(settings);
    let is_file = |name: &String| folder.status(name).is_ok_and(|status| status.kind == EntryKind::File);
    let names = match named.is_empty() {
        false => named,
        true => folder.names(|name| sought.fits(name, settings)).unwrap_or_default(),
    };
    let file = |name| FileName { session: session.map(str::to_owned), name };
    names.into_iter().filter(is_file).take(MOST_FOUND).map(file).collect()
}
