//! Deletes expired offloaded files, and the oldest ones if caps are given.
//!
//! Files are deleted while the directory is looked through, some hundred at a time, and only what stays is remembered:
//! a cleanup that is stopped has done a part of its work, and one of very many files needs little memory.

use std::collections::BTreeSet;
use std::io;

use crate::disk::{Directory, EntryKind};
use crate::error::{Error, Problem};
use crate::file::cleanup::{self, Candidate, FoundFile, Verdict};
use crate::file::events::Event;
use crate::file::file_name::{self, FileName};
use crate::file::instant::{Instant, timestamp};
use crate::file::remnant::Lead;
use crate::settings::Settings;
use crate::settings::request::{self, is_session};

/// This many files are sorted, the oldest first, and deleted at a time.
const BATCH: usize = 512;

/// At most this many files are deleted in a call, each with its event of half a kilobyte. If there is more to do, the
/// host calls again.
const MOST_EVENTS: usize = 10_000;

/// The answer of [`cleanup()`].
#[derive(Debug, Default, serde::Serialize)]
pub struct Cleaning {
    /// Files that were deleted, or would have been.
    pub deleted: u32,
    /// Bytes that they held.
    pub freed_bytes: u64,
    /// Offloaded files that stay.
    pub kept: u32,
    /// An event for each deleted file, and for each that could not be.
    pub events: Vec<Event>,
}

/// Deletes expired offloaded files, and the oldest ones if caps are given.
pub fn cleanup(
    request: &str,
    settings: &str,
    instant: impl FnOnce() -> io::Result<Instant>,
) -> Result<Cleaning, Error> {
    let request = request::Cleanup::parse(request)?;
    let settings = Settings::parse(settings)?;
    let directory = Directory::open(&settings.output_dir).map_err(|error| cannot_clean(&settings, &error))?;
    let Instant { milliseconds: now, random } = instant().map_err(|error| cannot_clean(&settings, &error))?;
    let mut sweep = Sweep {
        directory: &directory,
        request: &request,
        settings: &settings,
        now,
        random,
        cleaning: Cleaning::default(),
        expired: Vec::new(),
        staying: Vec::new(),
        not_named: 0,
        thinned: BTreeSet::new(),
        opened: 0,
    };
    sweep.look().map_err(|error| cannot_clean(&settings, &error))?;
    Ok(sweep.end())
}

/// A cleanup at work.
struct Sweep<'a> {
    directory: &'a Directory,
    request: &'a request::Cleanup,
    settings: &'a Settings,
    now: u64,
    random: u128,
    cleaning: Cleaning,
    /// Files that go, and are still there.
    expired: Vec<Candidate>,
    staying: Vec<Candidate>,
    /// Files that would go, and have no event.
    not_named: u32,
    /// Sessions that files were deleted from.
    thinned: BTreeSet<String>,
    /// How many files were looked into.
    opened: usize,
}

impl Sweep<'_> {
    /// Looks at the output directory and one folder below it.
    fn look(&mut self) -> io::Result<()> {
        let directory = self.directory;
        if let Some(session) = &self.request.session {
            return match directory.folder(session) {
                // A session that offloaded nothing has no folder, and nothing to clean up.
                Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
                folder => self.look_in(&folder?, Some(session)),
            };
        }
        let sessions = directory.names(is_session)?.into_iter().map(Some);
        for name in self.chosen(std::iter::once(None).chain(sessions).collect()) {
            let Some(name) = name else {
                self.look_in(directory, None)?;
                continue;
            };
            // A folder that is a link, of somebody else, or gone meanwhile is not ours to look into.
            if directory.status(&name).is_ok_and(|status| status.kind == EntryKind::Directory)
                && let Ok(folder) = directory.folder(&name)
            {
                _ = self.look_in(&folder, Some(&name));
            }
        }
        Ok(())
    }

    fn look_in(&mut self, folder: &Directory, session: Option<&str>) -> io::Result<()> {
        let is_due = |name: &str| match self.is_quick() {
            true => cleanup::may_have_expired(name, self.now, self.settings),
            false => file_name::parse(name, &self.settings.prefix).is_some(),
        };
        for name in self.chosen(folder.names(is_due)?) {
            if self.is_full() || (self.is_quick() && self.opened == BATCH) {
                return Ok(());
            }
            self.opened += 1;
            let path = FileName { session: session.map(str::to_owned), name };
            let found = match self.found(folder, path.clone()) {
                Ok(Some(found)) => found,
                Ok(None) => continue,
                Err(error) => {
                    self.not_looked_into(&path, &error);
                    continue;
                }
            };
            let verdict = match self.request.all {
                Some(true) => cleanup::judge_any(found, self.now, self.settings),
                _ => cleanup::judge(found, self.now, self.request, self.settings),
            };
            match verdict {
                Verdict::Expired(file) => self.expired.push(file),
                Verdict::Stays(file) => self.staying.push(file),
                Verdict::InUse => self.cleaning.kept += 1,
                Verdict::Foreign => {}
            }
            if self.expired.len() == BATCH {
                self.delete_expired();
            }
        }
        Ok(())
    }

    /// A regular file.
    fn found(&self, folder: &Directory, name: FileName) -> io::Result<Option<FoundFile>> {
        let status = folder.status(&name.name)?;
        if status.kind != EntryKind::File {
            return Ok(None);
        }
        let lead = Lead::of(folder.read(&name.name, 0)?, &self.settings.header_type)?;
        Ok(Some(FoundFile { name, bytes: status.bytes, modified: status.modified, lead }))
    }

    /// A file that cannot be opened stays. Whoever wants all files deleted is told so; a cleanup leaves the files of other
    /// users alone without a word each time.
    fn not_looked_into(&mut self, file: &FileName, error: &io::Error) {
        if self.request.all == Some(true) && error.kind() != io::ErrorKind::NotFound {
            self.cleaning.kept += 1;
            let path = file.public_path(self.settings);
            self.cleaning.events.push(Event::delete_failed(&path, &error.to_string()));
        }
    }

    /// A quick cleanup takes some of what it finds, beginning anywhere: so it comes to all of it in time, and needs to
    /// remember nothing.
    fn chosen<T>(&self, mut found: Vec<T>) -> Vec<T> {
        if self.is_quick() && !found.is_empty() {
            let begin = self.random % found.len() as u128;
            found.rotate_left(usize::try_from(begin).unwrap_or_default());
            found.truncate(BATCH);
        }
        found
    }

    fn is_quick(&self) -> bool {
        self.request.quick == Some(true)
    }

    fn is_dry_run(&self) -> bool {
        self.request.dry_run == Some(true)
    }

    /// True if the rest is left to another call.
    fn is_full(&self) -> bool {
        !self.is_dry_run() && self.cleaning.events.len() + self.expired.len() >= MOST_EVENTS
    }

    fn delete_expired(&mut self) {
        let mut files = std::mem::take(&mut self.expired);
        files.sort_by(|a, b| (a.created, &a.name).cmp(&(b.created, &b.name)));
        for file in files {
            self.delete(file);
        }
    }

    fn delete(&mut self, file: Candidate) {
        let path = file.name.public_path(self.settings);
        let deleted = if self.is_dry_run() { Ok(()) } else { delete(self.directory, &file.name) };
        match deleted {
            Ok(()) => {
                self.cleaning.deleted += 1;
                self.cleaning.freed_bytes += file.bytes;
                self.thinned.extend(file.name.session.filter(|_| !self.request.dry_run.unwrap_or_default()));
                if self.cleaning.events.len() < MOST_EVENTS + BATCH {
                    let event = Event::file_expired(&path, &timestamp(file.created), &file.reason);
                    self.cleaning.events.push(event);
                } else {
                    self.not_named += 1;
                }
            }
            // Somebody else was faster: the file is gone, which is what was wanted.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => {
                self.cleaning.kept += 1;
                self.cleaning.events.push(Event::delete_failed(&path, &error.to_string()));
            }
        }
    }

    /// The caps, once all is known, and the answer.
    fn end(mut self) -> Cleaning {
        if !self.is_full() {
            let doomed = cleanup::over_caps(&mut self.staying, self.request);
            self.expired.extend(doomed);
        }
        let is_full = self.is_full();
        let later = self.expired.len().saturating_sub(MOST_EVENTS);
        self.expired.sort_by(|a, b| (a.created, &a.name).cmp(&(b.created, &b.name)));
        if is_full && later > 0 {
            self.expired.truncate(MOST_EVENTS);
        }
        self.delete_expired();
        for session in &self.thinned {
            // A folder with anything else in it stays.
            _ = self.directory.remove_folder(session);
        }
        let Self { mut cleaning, staying, not_named, request, settings, .. } = self;
        cleaning.kept += u32::try_from(staying.len()).unwrap_or(u32::MAX);
        if request.shared_directory == Some(true) && (request.max_files.is_some() || request.max_bytes.is_some()) {
            cleaning.events.insert(0, Event::caps_ignored(settings.public_dir()));
        }
        if not_named > 0 {
            cleaning.events.push(Event::not_named(not_named));
        }
        if is_full {
            cleaning.events.push(Event::cleanup_goes_on(cleaning.deleted));
        }
        cleaning
    }
}

/// Deletes a file.
pub(super) fn delete(directory: &Directory, file: &FileName) -> io::Result<()> {
    match &file.session {
        Some(session) => directory.folder(session)?.remove(&file.name),
        None => directory.remove(&file.name),
    }
}

fn cannot_clean(settings: &Settings, error: &io::Error) -> Error {
    let problem = Problem::new(format!("cannot clean up `{}`: {error}", settings.public_dir()), "");
    match error.kind() {
        io::ErrorKind::NotFound => Error::NotFound(problem),
        _ => Error::Io(problem),
    }
}
