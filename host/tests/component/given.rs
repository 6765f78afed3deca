//! What the tests begin with: the component, compiled once, an output directory, records, and files of ours.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use lro::{CompiledCache, Lro, OffloadRequest, Offloading, Options, Outcome, Stored};
use tempfile::TempDir;

/// 362 real memories.
pub(crate) const MEMORIES: &str = include_str!("../../../tests/fixtures/mif-memories.json");

/// The component on a directory, everything else at its default.
pub(crate) fn lro(output_dir: &Path) -> Lro {
    with(Options::of(output_dir.to_owned()))
}

/// The component with options. It is compiled once for all tests, and kept for the next run.
pub(crate) fn with(options: Options) -> Lro {
    static COMPILED: OnceLock<Lro> = OnceLock::new();
    let compiled = COMPILED.get_or_init(|| {
        let cache = CompiledCache::Directory(concat!(env!("CARGO_TARGET_TMPDIR"), "/compiled").into());
        Lro::open(&Options::default().compiled_cache(cache)).expect("the component can be opened")
    });
    compiled.reopen(&options).expect("the options make sense")
}

/// A fresh output directory in a folder of its own, the component on it, and room beside it for what must not be reached.
pub(crate) struct Place {
    root: TempDir,
    pub(crate) lro: Lro,
}

impl Place {
    pub(crate) fn new() -> Self {
        let root = TempDir::new().unwrap();
        fs::create_dir(root.path().join("output")).unwrap();
        let lro = lro(&root.path().join("output"));
        Self { root, lro }
    }

    /// A path in the output directory.
    pub(crate) fn inside(&self, name: &str) -> PathBuf {
        self.root.path().join("output").join(name)
    }

    /// A path beside the output directory.
    pub(crate) fn beside(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    /// Everything in the output directory and beside it.
    pub(crate) fn listing(&self) -> BTreeMap<String, Entry> {
        let mut listing = BTreeMap::new();
        list(self.root.path(), self.root.path(), &mut listing);
        listing
    }

    /// Offloads records of which there are too many.
    pub(crate) fn offload(&self, payload: &str) -> Stored {
        stored(self.lro.offload(payload, &OffloadRequest::of("recall")).unwrap())
    }
}

/// What an entry of a directory is: a file by its content, a link by its target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Entry {
    File(Vec<u8>),
    Folder,
    Link(PathBuf),
    Other,
}

fn list(root: &Path, folder: &Path, listing: &mut BTreeMap<String, Entry>) {
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let (path, kind) = (entry.path(), entry.file_type().unwrap());
        let found = match kind {
            kind if kind.is_file() => Entry::File(fs::read(&path).unwrap()),
            kind if kind.is_symlink() => Entry::Link(fs::read_link(&path).unwrap()),
            kind if kind.is_dir() => Entry::Folder,
            _ => Entry::Other,
        };
        let is_folder = found == Entry::Folder;
        listing.insert(path.strip_prefix(root).unwrap().to_str().unwrap().to_owned(), found);
        if is_folder {
            list(root, &path, listing);
        }
    }
}

/// What was offloaded; panics with the events when nothing was.
pub(crate) fn stored(answer: Offloading) -> Stored {
    match answer.outcome {
        Outcome::Offloaded(stored) => stored,
        other => panic!("not offloaded: {other:?} {:?}", answer.events),
    }
}

/// So many small memories.
pub(crate) fn records(count: u32) -> String {
    let records: Vec<String> = (0..count).map(|id| format!(r#"{{"id":"memory-{id}","title":"Title {id}"}}"#)).collect();
    format!("[{}]", records.join(","))
}

/// Says that something could not be tried on this machine. The harness swallows what the print macros write.
pub(crate) fn say(line: &str) {
    std::io::stderr().write_all(format!("skipped: {line}\n").as_bytes()).unwrap();
}

/// A name of ours; the number keeps it apart from others.
pub(crate) fn name(number: u32) -> String {
    format!("atlatl-recall-01KTEST{number:019}.jsonl")
}

/// The text of an offloaded file with one record.
pub(crate) fn file(timestamp: &str) -> String {
    file_with(timestamp, "")
}

/// The same with further members of the header, a comma before them.
pub(crate) fn file_with(timestamp: &str, members: &str) -> String {
    let header = format!(
        r#"{{"type":"lro_header","operation":"recall","query":null,"count":1,"schema_version":"1.0.0","timestamp":"{timestamp}","estimated_tokens":3,"detail":"light"{members}}}"#
    );
    format!("{header}\n{{\"id\":\"m1\"}}\n")
}

/// A moment that no time to live has reached, and one that every one has passed.
pub(crate) const FUTURE: &str = "2999-01-01T00:00:00.000Z";
pub(crate) const PAST: &str = "2020-01-01T00:00:00.000Z";
