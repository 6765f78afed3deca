//! A directory as it is before a fault, and what must be true after one.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime};

use lro::{CleanupRequest, CompiledCache, ExtractRequest, Lro, OffloadRequest, Options, Outcome, Source};
use serde_json::Value;
use tempfile::TempDir;

use super::document::{Bodies, Whole, document};
use super::program;
use crate::command;
use crate::faults::Bench;

/// How many records each list of the document has. A file is written by two calls of the system.
const RECORDS: usize = 2000;

/// What names of ours begin with.
const PREFIX: &str = "atlatl-";

/// Files that have expired when a cleanup begins.
const EXPIRED: usize = 40;

/// What an extraction into a file selects.
pub(super) const SELECTION: &str = "select(.n > 30)";

/// What is made once for all tries.
pub(super) struct Stage {
    /// The command.
    pub(super) binary: &'static Path,
    /// Where the compiled component is kept.
    pub(super) cache: PathBuf,
    /// The document that is offloaded.
    pub(super) document: String,
    /// The same, as a file.
    pub(super) document_path: PathBuf,
    /// The name of the file that the others of the document belong to.
    pub(super) main: String,
    /// All ids of that file, one a line.
    pub(super) ids: String,
    /// In this process, with the real component.
    host: Lro,
    /// What files of the document hold, and those of an extraction.
    bodies: Bodies,
    /// Files that are in the directory before a fault, by their names.
    given: BTreeMap<String, Vec<u8>>,
    /// Files that have expired.
    expired: BTreeMap<String, Vec<u8>>,
    _folder: TempDir,
}

/// What is in a directory before a fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Laid {
    Nothing,
    Documents,
    /// Documents, and files that have expired.
    Expired,
}

/// What is in a directory after a fault.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// Main files, with new ones.
    pub(super) mains: Vec<String>,
    /// Files of a document whose main file is not there.
    pub(super) orphans: Vec<String>,
    /// Unfinished files.
    pub(super) parts: Vec<String>,
    /// Files under final names that were not there before.
    pub(super) new: usize,
    /// How many of the files are gone that were to go.
    pub(super) gone: usize,
    /// After a purge: a file that cannot be opened stays, and may belong to a document whose other files are gone.
    pub(super) may_be_torn: bool,
}

impl Stage {
    pub(super) fn new(bench: &Bench) -> Result<Self, String> {
        let (folder, binary) = (bench.folder()?, bench.lro());
        let cache = command::profile().join("faults-compiled");
        let document = document(RECORDS);
        let document_path = folder.path().join("document.json");
        let out = folder.path().join("out");
        fs::create_dir(&out).and_then(|()| fs::write(&document_path, &document)).map_err(|error| error.to_string())?;
        let options = Options::of(&out).compiled_cache(CompiledCache::Directory(cache.clone()));
        let host = Lro::open(&options).map_err(|error| error.to_string())?;
        // The command keeps a compiled component of its own.
        program::run(program::lro(binary, &cache).args(["estimate", "/dev/null"]))?.has_ended_well()?;
        let main = offloaded(&host, &document)?;
        let main_path = out.join(&main);
        let ids =
            host.extract_all(&source(&main_path), &ExtractRequest::of_query(".id")).collect::<Result<String, _>>();
        let ids = ids.map_err(|error| error.to_string())?;
        let given = contents(&out)?;
        let into = ExtractRequest::of_query(SELECTION).into(true);
        host.extract(&source(&main_path), &into).map_err(|error| error.to_string())?;
        let mut bodies = Bodies::new();
        for name in contents(&out)?.keys() {
            bodies.insert(Whole::read(&out.join(name))?.body);
        }
        let expired = expired(&given[&main], &main)?;
        Ok(Self { binary, cache, document, document_path, main, ids, host, bodies, given, expired, _folder: folder })
    }

    /// Fills the directory of a try.
    pub(super) fn lay(&self, out: &Path, laid: Laid) -> Result<(), String> {
        fs::create_dir_all(out).map_err(|error| format!("cannot make `{}`: {error}", out.display()))?;
        for (name, bytes) in self.laid(laid) {
            fs::write(out.join(name), bytes).map_err(|error| format!("cannot write `{name}`: {error}"))?;
        }
        Ok(())
    }

    fn laid(&self, laid: Laid) -> impl Iterator<Item = (&String, &Vec<u8>)> {
        let given = self.given.iter().filter(move |_| laid != Laid::Nothing);
        given.chain(self.expired.iter().filter(move |_| laid == Laid::Expired))
    }

    /// How much a file system in memory needs for the documents.
    pub(super) fn laid_kibibytes(&self) -> u64 {
        self.given.values().map(|bytes| bytes.len() as u64).map(pages).sum()
    }

    /// The command, ready for its arguments.
    pub(super) fn lro(&self) -> Command {
        program::lro(self.binary, &self.cache)
    }

    /// The command below a tool that gives it its place.
    pub(super) fn lro_within(&self, tool: &[String]) -> Command {
        program::lro_within(tool, self.binary, &self.cache)
    }

    /// The command below a tool, with a limit on time.
    pub(super) fn lro_below(&self, tool: &[String]) -> Command {
        program::lro_below(tool, self.binary, &self.cache)
    }

    /// A file under a final name is whole, and what was there is there unchanged, but for expired files, which may be gone;
    /// after a purge all may.
    pub(super) fn survived(&self, out: &Path, laid: Laid, all_may_go: bool) -> Result<Found, String> {
        let mut found = Found { may_be_torn: all_may_go, ..Found::default() };
        let now = contents(out)?;
        let mut sections = Vec::new();
        let may_go = |name: &String| all_may_go || self.expired.contains_key(name);
        for (name, bytes) in now.iter().filter(|(name, _)| name.starts_with(PREFIX)) {
            if name.ends_with(".part") {
                found.parts.push(name.clone());
                continue;
            }
            if let Some(before) = self.given.get(name).or_else(|| self.expired.get(name)) {
                if before != bytes {
                    return Err(format!("`{name}` has changed: it had {} bytes and has {}", before.len(), bytes.len()));
                }
            } else {
                found.new += 1;
            }
            let whole = Whole::read(&out.join(name))?;
            if !self.bodies.contains(&whole.body) && !self.expired.contains_key(name) {
                return Err(format!("`{name}` holds something else than was offloaded"));
            }
            match whole.main() {
                Some(main) => sections.push((name.clone(), main.to_owned())),
                None => found.mains.push(name.clone()),
            }
        }
        if let Some(lost) = self.laid(laid).map(|(name, _)| name).find(|name| !may_go(name) && !now.contains_key(*name))
        {
            return Err(format!("`{lost}` was lost before its time"));
        }
        found.gone = self.laid(laid).filter(|(name, _)| !now.contains_key(*name)).count();
        found.orphans =
            sections.into_iter().filter(|(_, main)| !now.contains_key(main)).map(|(name, _)| name).collect();
        Ok(found)
    }

    /// The next calls work: documents are rebuilt byte for byte or it is told that a part of them is missing, another one is
    /// offloaded, and unfinished files are removed when they are old, and not before.
    pub(super) fn goes_on(&self, out: &Path, found: &Found) -> Result<(), String> {
        let options = Options::of(out).compiled_cache(CompiledCache::Directory(self.cache.clone()));
        let lro = self.host.reopen(&options).map_err(|error| error.to_string())?;
        for name in &found.orphans {
            match lro.rebuild(&source(&out.join(name))) {
                Err(error) if error.message().contains("is missing") && error.hint().contains("interrupted") => {}
                other => return Err(format!("`{name}` lacks its main file, and rebuild answered {other:?}")),
            }
        }
        for name in found.mains.iter().filter(|name| !self.expired.contains_key(*name)) {
            // What an extraction wrote has no document.
            let is_document = name.contains("-list_things-") || name.contains("-things-");
            match lro.rebuild(&source(&out.join(name))) {
                _ if !is_document => {}
                Ok(text) if text == self.document => {}
                Err(error) if found.may_be_torn && error.message().contains("is missing") => {}
                _ => return Err(format!("`{name}` is not rebuilt byte for byte")),
            }
        }
        let kept = |when: &str| match self.parts_after_cleanup(&lro, out)? {
            parts if parts == found.parts => Ok(()),
            parts => Err(format!("{when}: {:?} became {parts:?}", found.parts)),
        };
        kept("a cleanup took an unfinished file that is young")?;
        for name in &found.parts {
            let long_ago = SystemTime::now() - Duration::from_secs(7200);
            let file = File::options().write(true).open(out.join(name)).map_err(|error| error.to_string())?;
            file.set_modified(long_ago).map_err(|error| error.to_string())?;
        }
        match self.parts_after_cleanup(&lro, out)? {
            parts if parts.is_empty() => {}
            parts => return Err(format!("old unfinished files stay: {parts:?}")),
        }
        let next = offloaded(&lro, &self.document)?;
        match lro.rebuild(&source(&out.join(&next))) {
            Ok(text) if text == self.document => Ok(()),
            _ => Err("the next offload is not rebuilt".to_owned()),
        }
    }

    fn parts_after_cleanup(&self, lro: &Lro, out: &Path) -> Result<Vec<String>, String> {
        lro.cleanup(&CleanupRequest::default()).map_err(|error| format!("cannot clean up: {error}"))?;
        Ok(contents(out)?.into_keys().filter(|name| name.ends_with(".part")).collect())
    }

    /// A file that the answer of an offload names, read back.
    pub(super) fn is_rebuilt(&self, out: &Path, path: &str) -> Result<(), String> {
        let options = Options::of(out).compiled_cache(CompiledCache::Directory(self.cache.clone()));
        let lro = self.host.reopen(&options).map_err(|error| error.to_string())?;
        match lro.rebuild(&Source::File(path.to_owned())) {
            Ok(text) if text == self.document => Ok(()),
            Ok(_) => Err(format!("`{path}` is not rebuilt byte for byte")),
            Err(error) => Err(format!("`{path}` is answered, and cannot be read: {error}")),
        }
    }

    /// True for what a file of the document, or of an extraction of ours, holds.
    pub(super) fn is_known(&self, body: &str) -> bool {
        self.bodies.contains(body)
    }

    /// True for a page with the first five ids of the document.
    pub(super) fn begin_ids(&self, page: &str) -> bool {
        let five: Vec<&str> = self.ids.lines().take(5).collect();
        page.contains(&format!("\"results\":[{}]", five.join(",")))
    }

    /// Judges an answer of a conversation: true for a file that is whole, false for a truncated result with its reason.
    pub(super) fn is_answered(&self, answer: &Value) -> Result<bool, String> {
        match (answer["offloaded"].as_bool(), answer["file_path"].as_str(), answer["warning"].as_str()) {
            (Some(true), Some(path), _) if self.is_known(&Whole::read(Path::new(path))?.body) => Ok(true),
            (Some(false), _, Some(warning)) if warning.contains("cannot write") => Ok(false),
            _ => Err(format!("the answer is {}", answer.to_string().chars().take(300).collect::<String>())),
        }
    }

    /// In the directory and its folders there are whole files only.
    pub(super) fn is_tidy(&self, out: &Path) -> Result<(), String> {
        for path in files(out)? {
            if !self.is_known(&Whole::read(&path)?.body) {
                return Err(format!("`{}` holds something else", path.display()));
            }
        }
        Ok(())
    }

    /// How much of a file system in memory is in use.
    pub(super) fn used_kibibytes(&self, out: &Path) -> Result<u64, String> {
        let sizes = files(out)?.into_iter().map(|path| fs::metadata(path).map_or(0, |metadata| pages(metadata.len())));
        Ok(sizes.sum())
    }
}

/// A file takes whole pages.
fn pages(bytes: u64) -> u64 {
    bytes.div_ceil(4096) * 4
}

/// The files of a folder and of those in it.
fn files(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let told = |error: std::io::Error| format!("cannot look at `{}`: {error}", folder.display());
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).map_err(told)? {
        let path = entry.map_err(told)?.path();
        if path.is_dir() { found.extend(files(&path)?) } else { found.push(path) }
    }
    Ok(found)
}

/// Offloads the document in this process. Returns the name of its main file.
fn offloaded(lro: &Lro, document: &str) -> Result<String, String> {
    match lro.offload(document, &OffloadRequest::of("list_things")).map_err(|error| error.to_string())?.outcome {
        Outcome::Offloaded(stored) => Ok(stored.file_name),
        other => {
            Err(format!("the next offload came to {}", format!("{other:?}").chars().take(200).collect::<String>()))
        }
    }
}

fn source(path: &Path) -> Source {
    Source::File(path.display().to_string())
}

/// The files of a folder, but for what does not belong to the suites.
pub(super) fn contents(folder: &Path) -> Result<BTreeMap<String, Vec<u8>>, String> {
    let told = |error: std::io::Error| format!("cannot look at `{}`: {error}", folder.display());
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).map_err(told)? {
        let entry = entry.map_err(told)?;
        if entry.file_type().map_err(told)?.is_file() {
            found.insert(entry.file_name().to_string_lossy().into_owned(), fs::read(entry.path()).map_err(told)?);
        }
    }
    Ok(found)
}

/// Files of one record that have expired, with names that follow each other.
fn expired(main: &[u8], name: &str) -> Result<BTreeMap<String, Vec<u8>>, String> {
    let text = String::from_utf8_lossy(main);
    let mut lines = text.lines();
    let header = lines.next().unwrap_or_default();
    let record = lines.next().unwrap_or_default();
    let mut header: Value = serde_json::from_str(header).map_err(|error| error.to_string())?;
    header["timestamp"] = "2020-01-01T00:00:00.000Z".into();
    header["count"] = 1.into();
    header["lro"] = Value::Null;
    let header = header.as_object_mut().ok_or("a header is an object")?;
    header.remove("lro");
    let header = serde_json::to_string(header).map_err(|error| error.to_string())?;
    let stem = name.rsplit_once('-').map_or(name, |(stem, _)| stem);
    let named = |number: usize| format!("{stem}-01DXF6DT00{number:016}.jsonl");
    Ok((0..EXPIRED).map(|number| (named(number), format!("{header}\n{record}\n").into_bytes())).collect())
}
