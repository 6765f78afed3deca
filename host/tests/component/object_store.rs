//! Files in an object store: every call works as it does on a directory, as much is read as is needed, and a store that fails is
//! told with what it says. The command's tests do the same on real stores.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::SystemTime;

use lro::{
    CallLimits, Case, CleanupRequest, Error, ExtractRequest, Limits, ListRequest, Listed, Lro, ObjectStatus,
    ObjectStore, OffloadRequest, Options, Outcome, ReadRequest, SearchRequest, Source,
};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::given::{self, MEMORIES, Place, records};

/// A store in memory that counts what is read, and fails when it is told to.
#[derive(Debug, Default)]
struct Memory {
    objects: Mutex<BTreeMap<String, (Vec<u8>, SystemTime)>>,
    read_bytes: AtomicU64,
    failure: Mutex<Option<&'static str>>,
}

impl Memory {
    fn names(&self) -> Vec<String> {
        self.objects.lock().unwrap().keys().cloned().collect()
    }

    fn fail(&self, reason: Option<&'static str>) {
        *self.failure.lock().unwrap() = reason;
    }

    fn check(&self) -> io::Result<()> {
        self.failure.lock().unwrap().map_or(Ok(()), |reason| Err(io::Error::other(reason)))
    }
}

impl ObjectStore for Memory {
    fn stat(&self, name: &str) -> io::Result<ObjectStatus> {
        self.check()?;
        let objects = self.objects.lock().unwrap();
        let (bytes, written) = objects.get(name).ok_or(ErrorKind::NotFound)?;
        Ok(ObjectStatus::new(bytes.len() as u64, Some(*written)))
    }

    fn read(&self, name: &str, range: Range<u64>) -> io::Result<Vec<u8>> {
        self.check()?;
        self.read_bytes.fetch_add(range.end - range.start, Ordering::Relaxed);
        let objects = self.objects.lock().unwrap();
        let (bytes, _) = objects.get(name).ok_or(ErrorKind::NotFound)?;
        Ok(bytes[range.start as usize..range.end as usize].to_vec())
    }

    fn write(&self, name: &str, mut content: File, bytes: u64) -> io::Result<()> {
        self.check()?;
        let mut read = Vec::new();
        content.read_to_end(&mut read)?;
        assert_eq!(read.len() as u64, bytes);
        let replaced = self.objects.lock().unwrap().insert(name.to_owned(), (read, SystemTime::now()));
        assert!(replaced.is_none(), "{name} is there already");
        Ok(())
    }

    fn delete(&self, name: &str) -> io::Result<()> {
        self.check()?;
        self.objects.lock().unwrap().remove(name);
        Ok(())
    }

    fn list(&self, folder: &str) -> io::Result<Vec<Listed>> {
        self.check()?;
        let mut listed = Vec::new();
        for (name, (bytes, written)) in self.objects.lock().unwrap().iter() {
            let Some(below) = name.strip_prefix(folder) else { continue };
            let entry = match below.split_once('/') {
                Some((session, _)) => Listed::Folder(session.to_owned()),
                None => Listed::Object(below.to_owned(), ObjectStatus::new(bytes.len() as u64, Some(*written))),
            };
            if !listed.contains(&entry) {
                listed.push(entry);
            }
        }
        Ok(listed)
    }
}

fn stored_in(store: &Arc<Memory>) -> Lro {
    on(store, Options::default())
}

fn on(store: &Arc<Memory>, options: Options) -> Lro {
    let store: Arc<dyn ObjectStore> = Arc::<Memory>::clone(store);
    given::with(options.object_store(store))
}

fn request() -> OffloadRequest {
    OffloadRequest::of("recall")
}

/// The file that a response names.
fn path_of(response: &str) -> String {
    let response: Value = serde_json::from_str(response).unwrap();
    response["file_path"].as_str().unwrap().to_owned()
}

#[test]
fn every_call_works_from_another_machine() {
    let store = Arc::new(Memory::default());
    let stored = given::stored(stored_in(&store).offload(MEMORIES, &request()).unwrap());
    assert_eq!(store.names(), [stored.file_name.as_str()], "nothing else is left");
    let path = path_of(&stored.response);
    assert_eq!(path, format!("lro://{}", stored.file_name));

    let (other, place) = (stored_in(&store), Place::new());
    let same = place.offload(MEMORIES);
    for named in [path, stored.file_name.clone()] {
        let (here, there) = (Source::File(named), Source::File(same.file_name.clone()));
        let filter = ExtractRequest::of_query("[.title, (.content | length)]");
        assert_eq!(other.extract(&here, &filter).unwrap().results, place.lro.extract(&there, &filter).unwrap().results);
        let search = SearchRequest::of("semantic");
        let hits = |lro: &Lro, source: &Source| lro.search(source, &search).unwrap().hits.len();
        assert_eq!(hits(&other, &here), hits(&place.lro, &there));
        let lines = ReadRequest::default().lines("2-4".to_owned());
        let text = |lro: &Lro, source: &Source| lro.read(source, &lines).unwrap().text;
        assert_eq!(text(&other, &here), text(&place.lro, &there));
        assert_eq!(other.rebuild(&here).unwrap(), place.lro.rebuild(&there).unwrap());
        let described: Value = serde_json::from_str(&other.describe(&here).unwrap()).unwrap();
        let same: Value = serde_json::from_str(&place.lro.describe(&there).unwrap()).unwrap();
        assert_eq!(described["fields"], same["fields"]);
    }
    let listed: Value = serde_json::from_str(&other.list_files(&ListRequest::default()).unwrap()).unwrap();
    assert_eq!((&listed["total"], &listed["files"][0]["file_path"]), (&json!(1), &json!(path_of(&stored.response))));
    let kept = other.keep(&stored.file_name, &place.beside("kept"), false).unwrap();
    let records =
        |path: &std::path::Path| std::fs::read_to_string(path).unwrap().split_once('\n').unwrap().1.to_owned();
    assert!(records(&kept.files[0]) == records(&place.inside(&same.file_name)), "the copy has the records");
    assert_eq!(other.cleanup(&CleanupRequest::default()).unwrap().kept, 1);
    assert_eq!(other.cleanup(&CleanupRequest::default().all(true)).unwrap().deleted, 1);
    assert!(store.names().is_empty());
}

#[test]
fn a_session_has_a_folder_that_goes_with_it() {
    let store = Arc::new(Memory::default());
    let lro = stored_in(&store);
    let mine = given::stored(lro.offload(&records(300), &request().session("s-1")).unwrap());
    given::stored(lro.offload(&records(300), &request().session("s-2")).unwrap());
    assert!(path_of(&mine.response).starts_with("lro://s-1/"), "{}", mine.response);
    let of_session = |session: &str| {
        let settings = json!({"call": {"session": session}});
        on(&store, Options::default().settings(settings.as_object().unwrap().clone()))
    };
    let ids = ExtractRequest::of_query(".id");
    let source = Source::File(path_of(&mine.response));
    of_session("s-1").extract(&source, &ids).unwrap();
    let refused = of_session("s-2").extract(&source, &ids).unwrap_err();
    assert_eq!(refused.case(), "outside", "{refused}");
    assert_eq!(lro.cleanup(&CleanupRequest::default().session("s-1").all(true)).unwrap().deleted, 1);
    assert!(matches!(&store.names()[..], [name] if name.starts_with("s-2/")), "{:?}", store.names());
}

#[test]
fn nothing_but_names_of_ours_is_asked_for() {
    let store = Arc::new(Memory::default());
    let lro = stored_in(&store);
    for path in ["/etc/passwd", "lro:///etc/passwd", "../x", "lro://../x", "lro://a/b/c.jsonl", "s3://bucket/x", ""] {
        let refused = lro.extract(&Source::File(path.to_owned()), &ExtractRequest::of_query(".")).unwrap_err();
        assert!(["outside", "not-an-offload", "invalid-argument"].contains(&refused.case()), "{path}: {refused}");
    }
}

#[test]
fn a_page_of_a_large_file_reads_a_part_of_it() {
    let store = Arc::new(Memory::default());
    let lro = stored_in(&store);
    let stored = given::stored(lro.offload(&records(400_000), &request()).unwrap());
    let (source, bytes) = (Source::File(stored.file_name.clone()), lro.settings().max_inline_tokens);
    assert!(bytes.is_some());
    let size = store.stat(&stored.file_name).unwrap().bytes;
    assert!(size > 15 << 20, "{size}");
    store.read_bytes.store(0, Ordering::Relaxed);
    let page = lro.extract(&source, &ExtractRequest::of_query(".id").limit(5)).unwrap();
    assert_eq!(page.results.lines().count(), 5);
    let read = store.read_bytes.swap(0, Ordering::Relaxed);
    assert!(read < 1 << 20, "{read} of {size} bytes for five records");
    let counted = lro.extract(&source, &ExtractRequest::default().count(true)).unwrap();
    assert_eq!(counted.results.trim(), "400000");
    let read = store.read_bytes.load(Ordering::Relaxed);
    assert!(read < size + (1 << 20), "{read} of {size} bytes, each once");
}

#[test]
fn a_store_that_takes_nothing_is_told_in_the_truncated_answer() {
    let store = Arc::new(Memory::default());
    let lro = stored_in(&store);
    store.fail(Some("the bucket `results` has no room left"));
    let answer = lro.offload(&records(300), &request()).unwrap();
    let Outcome::Truncated(text) = &answer.outcome else { panic!("not truncated: {answer:?}") };
    assert!(text.contains("the bucket `results` has no room left"), "{text}");
    let event = answer.events.iter().find(|event| event.name == "OffloadFailed").expect("an event says it");
    assert!(event.fields.contains("no room left"), "{}", event.fields);
    let result = json!({"content": [{"type": "text", "text": records(300)}]}).to_string();
    let rewritten = lro.mcp_offload_result("recall", "{}", &result).unwrap();
    assert!(rewritten.file_name.is_none() && format!("{rewritten:?}").contains("no room left"), "{rewritten:?}");
    assert!(store.names().is_empty());
    store.fail(None);
    given::stored(lro.offload(&records(300), &request()).unwrap());
}

#[test]
fn a_lost_object_and_a_store_that_is_away_are_different_errors() {
    let store = Arc::new(Memory::default());
    let lro = stored_in(&store);
    let stored = given::stored(lro.offload(&records(300), &request()).unwrap());
    let (source, ids) = (Source::File(path_of(&stored.response)), ExtractRequest::of_query(".id"));
    store.fail(Some("10.0.0.7 does not answer within 5 s"));
    let away = lro.extract(&source, &ids).unwrap_err();
    assert!(matches!(&away, Error::Case(Case::Io(_))), "{away:?}");
    assert!(away.message().ends_with(": 10.0.0.7 does not answer within 5 s"), "{away}");
    assert!(away.hint().contains("try again"), "{}", away.hint());
    store.fail(None);
    store.delete(&stored.file_name).unwrap();
    assert_eq!(lro.extract(&source, &ids).unwrap_err().case(), "not-found");
}

#[test]
fn a_call_that_is_stopped_leaves_nothing() {
    let store = Arc::new(Memory::default());
    let limits = Limits::default().offload(CallLimits::default().max_memory_mib(8));
    let lro = on(&store, Options::default().limits(limits));
    let answer = lro.offload(&records(100_000), &request()).unwrap();
    assert!(matches!(answer.outcome, Outcome::Truncated(_)), "{answer:?}");
    assert!(store.names().is_empty(), "{:?}", store.names());
}

#[test]
fn a_document_is_stored_and_rebuilt_with_all_of_its_files() {
    let (store, folder) = (Arc::new(Memory::default()), TempDir::new().unwrap());
    let lists = format!("{{\"a\":{},\"b\":{}}}", records(300), records(400));
    let lro = stored_in(&store);
    let stored = given::stored(lro.offload(&lists, &request().session("s")).unwrap());
    assert_eq!(store.names().len(), stored.sections.len() + 1);
    let main = Source::File(path_of(&stored.response));
    let rebuilt: Value = serde_json::from_str(&stored_in(&store).rebuild(&main).unwrap()).unwrap();
    assert!(rebuilt == serde_json::from_str::<Value>(&lists).unwrap(), "all of the document");
    assert_eq!(lro.keep(&path_of(&stored.response), folder.path(), false).unwrap().files.len(), store.names().len());
}
