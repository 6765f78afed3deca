//! Which files of ours there are (GATE-21), and what becomes of one that is to outlive its time.
//!
//! A listing is in pages, the newest files first. Names carry the time, so only the files of a page are opened, and
//! only the names of a page are remembered: a directory with very many files needs little memory.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io::{self, BufRead};

use serde::Serialize;
use serde_json::json;
use sha2::{Digest, Sha256};

use super::Source;
use super::documents::header_at;
use crate::disk::{Directory, EntryKind, Status};
use crate::error::{Error, Problem};
use crate::file::file_name::{self, FileName, beside};
use crate::file::header::Header;
use crate::file::instant::{self, Instant};
use crate::file::reading::header_of;
use crate::file::remnant::Lead;
use crate::settings::Settings;
use crate::settings::request::{self, is_session};

/// Files on a page, if the caller does not say.
const FILES: u32 = 1000;

/// At most so many, each of some hundred bytes.
const MOST_FILES: u32 = 50_000;

/// A page ends when so many bytes have been read for checksums, which takes a second or two.
const MOST_HASHED_BYTES: u64 = 256 << 20;

/// At most so many remarks on what is not listed.
const MOST_REMARKS: usize = 20;

/// A file of ours.
#[derive(Debug, Serialize)]
struct Listed {
    file_path: String,
    /// Below the output directory.
    file_name: String,
    session: Option<String>,
    operation: String,
    count: u32,
    bytes: u64,
    estimated_tokens: u32,
    created_at: String,
    /// Null for a file that was put aside.
    expires_at: Option<String>,
    expired: bool,
    sha256: Option<String>,
}

/// The answer of [`list`].
#[derive(Debug, Default, Serialize)]
struct Listing {
    files: Vec<Listed>,
    /// How many files have names of ours, on all pages.
    total: u64,
    /// Where the next page begins.
    next: Option<String>,
    /// Files on this page with a name of ours whose content is not.
    foreign: u32,
    /// Files that are being written, or whose writing was interrupted.
    unfinished: u64,
    remarks: Vec<String>,
}

/// Orders by time, then by place.
type Key = (String, Option<String>, String);

/// Lists the files of ours below the output directory, as the text of a JSON object.
pub fn list(request: &str, settings: &str, instant: impl FnOnce() -> io::Result<Instant>) -> Result<String, Error> {
    let request = request::List::parse(request)?;
    let settings = Settings::parse(settings)?;
    let failed = |error| cannot_list(&settings, &error);
    let directory = Directory::open(&settings.output_dir).map_err(failed)?;
    let now = instant().map_err(failed)?.milliseconds;
    let before = request.next.as_deref().map(|next| key_of_token(next, &settings)).transpose()?;
    let most = usize::try_from(request.limit.unwrap_or(FILES).min(MOST_FILES)).unwrap_or(usize::MAX);
    let mut names = Names { most, before, found: BinaryHeap::new(), listing: Listing::default(), is_over: true };
    names.look(&directory, &request, &settings).map_err(failed)?;
    let page = Page { directory: &directory, settings: &settings, now, hashes: request.sha256 != Some(false) };
    serde_json::to_string(&page.of(names)).map_err(|error| Error::Other(error.to_string()))
}

/// The newest names that are older than those of the page before.
struct Names {
    most: usize,
    before: Option<Key>,
    found: BinaryHeap<Reverse<Key>>,
    listing: Listing,
    /// No older ones were left out.
    is_over: bool,
}

impl Names {
    fn look(&mut self, directory: &Directory, request: &request::List, settings: &Settings) -> io::Result<()> {
        if let Some(session) = &request.session {
            return match directory.folder(session) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
                folder => self.look_in(&folder?, Some(session), settings),
            };
        }
        self.look_in(directory, None, settings)?;
        for name in directory.names(is_session)? {
            if directory.status(&name).is_ok_and(|status| status.kind == EntryKind::Directory)
                && let Ok(folder) = directory.folder(&name)
                && let Err(error) = self.look_in(&folder, Some(&name), settings)
            {
                self.listing.remark(format!("cannot look into the folder `{name}`: {error}"));
            }
        }
        Ok(())
    }

    fn look_in(&mut self, folder: &Directory, session: Option<&str>, settings: &Settings) -> io::Result<()> {
        folder.each_name(|name| match file_name::parse(&name, &settings.prefix) {
            Some(parts) if parts.is_part => self.listing.unfinished += 1,
            Some(parts) => {
                self.add((parts.stem.ulid, session.map(str::to_owned), name));
            }
            None => {}
        })
    }

    fn add(&mut self, key: Key) {
        self.listing.total += 1;
        if self.before.as_ref().is_some_and(|before| key >= *before) {
            return;
        }
        self.found.push(Reverse(key));
        if self.found.len() > self.most {
            self.found.pop();
            self.is_over = false;
        }
    }
}

/// What a page is made with.
struct Page<'a> {
    directory: &'a Directory,
    settings: &'a Settings,
    now: u64,
    hashes: bool,
}

impl Page<'_> {
    fn of(&self, names: Names) -> Listing {
        let Names { found, mut listing, is_over, .. } = names;
        let (mut hashed, mut last) = (0, None);
        // Ascending of what is reversed: the newest first.
        let mut keys = found.into_sorted_vec().into_iter();
        while hashed < MOST_HASHED_BYTES {
            let Some(Reverse((_, session, name))) = keys.next() else { break };
            let name = FileName { session, name };
            match self.listed(&name) {
                Ok(Some(file)) => {
                    hashed += file.sha256.as_ref().map_or(0, |_| file.bytes);
                    listing.files.push(file);
                }
                Ok(None) => listing.foreign += 1,
                // It is gone meanwhile.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => {
                    listing.foreign += 1;
                    listing.remark(format!("cannot read `{}`: {error}", name.relative()));
                }
            }
            last = Some(name.relative());
        }
        listing.next = last.filter(|_| !is_over || keys.len() > 0);
        listing
    }

    /// What is known of a file; `None` if it is not ours.
    fn listed(&self, name: &FileName) -> io::Result<Option<Listed>> {
        let folder = name.session.as_ref().map(|session| self.directory.folder(session)).transpose()?;
        let folder = folder.as_ref().unwrap_or(self.directory);
        let Status { kind: EntryKind::File, bytes, .. } = folder.status(&name.name)? else { return Ok(None) };
        let lead = Lead::of(folder.read(&name.name, 0)?, &self.settings.header_type)?;
        let Lead::Header { created, ttl_seconds, kept, count, estimated_tokens } = lead else { return Ok(None) };
        let created = created.or_else(|| instant::of_ulid(&name.ulid()?)).unwrap_or_default();
        let ttl_seconds = ttl_seconds.unwrap_or(self.settings.ttl_seconds);
        let expires = Some(instant::expiry(created, ttl_seconds)).filter(|_| !kept);
        Ok(Some(Listed {
            file_path: name.public_path(self.settings),
            file_name: name.relative(),
            operation: file_name::operation_in(&name.name, &self.settings.prefix).unwrap_or_default(),
            session: name.session.clone(),
            count,
            bytes,
            estimated_tokens,
            created_at: instant::timestamp(created),
            expires_at: expires.map(instant::timestamp_to_the_second),
            expired: expires.is_some_and(|expires| self.now >= expires),
            sha256: self.hashes.then(|| checksum(folder.read(&name.name, 0)?)).transpose()?,
        }))
    }
}

impl Listing {
    fn remark(&mut self, remark: String) {
        if self.remarks.len() < MOST_REMARKS {
            self.remarks.push(remark);
        }
    }
}

/// The checksum that `sha256sum` prints.
fn checksum(mut input: impl BufRead) -> io::Result<String> {
    let mut hash = Sha256::new();
    loop {
        let block = input.fill_buf()?;
        if block.is_empty() {
            break;
        }
        hash.update(block);
        let bytes = block.len();
        input.consume(bytes);
    }
    Ok(hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}

/// The place after which a page begins.
fn key_of_token(next: &str, settings: &Settings) -> Result<Key, Error> {
    let name = FileName::from_path(next, settings).ok();
    let key = name.and_then(|name| Some((name.ulid()?.to_owned(), name.session, name.name)));
    key.ok_or_else(|| {
        Error::invalid_argument(
            "cannot list: `next` is not of a listing",
            "pass the `next` of the page before, unchanged",
        )
    })
}

fn cannot_list(settings: &Settings, error: &io::Error) -> Error {
    let problem = Problem::new(format!("cannot list `{}`: {error}", settings.public_dir()), "");
    match error.kind() {
        io::ErrorKind::NotFound => Error::NotFound(problem),
        _ => Error::Io(problem),
    }
}

/// What a host copies to put a file aside, so that it outlives its session: each file of its document, with the header
/// of the copy, which does not expire, and how many bytes of the file that header replaces.
///
/// A file past its time that is still there can be put aside.
pub fn copies(source: Source<'_>, settings: &str) -> Result<String, Error> {
    let settings = Settings::parse(settings)?;
    source.found(&settings, |source| copies_of(source, &settings))
}

fn copies_of(source: Source<'_>, settings: &Settings) -> Result<String, Error> {
    let (mut files, mut missing) = (Vec::new(), Vec::new());
    match source {
        Source::Content(text) => {
            let (header, header_bytes) = header_of("content", text.as_bytes(), settings)?;
            files.push(copy(None, header, header_bytes));
        }
        Source::File(path) => {
            let header = header_at(path, settings)?.0;
            let main = match &header.lro.section {
                Some(section) => beside(path, &section.of, settings)?,
                None => path.to_owned(),
            };
            let document = match header_at(&main, settings) {
                Ok((header, _)) => header.lro.document,
                // Where the file that knows the document is gone, the one that was asked for is all there is.
                Err(Error::NotFound(_)) => None,
                Err(error) => return Err(error),
            };
            let others = document.as_ref().map(|frame| frame.files()).unwrap_or_default();
            let mut paths = vec![path.to_owned(), main];
            for file in others {
                paths.push(beside(path, file, settings)?);
            }
            let mut names: Vec<FileName> = Vec::new();
            for path in paths {
                let name = FileName::from_path(&path, settings)?;
                if names.contains(&name) {
                    continue;
                }
                match header_at(&path, settings) {
                    Ok((header, header_bytes)) => files.push(copy(Some(&name), header, header_bytes)),
                    Err(Error::NotFound(_)) => missing.push(name.relative()),
                    Err(error) => return Err(error),
                }
                names.push(name);
            }
        }
    }
    Ok(json!({"files": files, "missing": missing}).to_string())
}

fn copy(name: Option<&FileName>, mut header: Header, header_bytes: u64) -> serde_json::Value {
    header.lro.kept = true;
    json!({
        "file_name": name.map(FileName::relative),
        "header": header.to_line(),
        "header_bytes": header_bytes,
    })
}
