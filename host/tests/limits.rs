//! What a limit does to a call, and what it leaves alone.

use std::time::{Duration, Instant};

use lro::{CallLimits, Error, ExtractRequest, Limits, Lro, OffloadRequest, Options, Outcome, Source};
use tempfile::TempDir;

/// The component with an offloaded file, and that file's name.
struct Offloaded {
    directory: TempDir,
    lro: Lro,
    file: Source,
}

fn offloaded() -> Offloaded {
    let directory = tempfile::tempdir().unwrap();
    let options = Options { output_dir: Some(directory.path().to_owned()), ..Options::default() };
    let lro = Lro::open(options).unwrap();
    let answer = lro.offload(&records(1000), &OffloadRequest::of("recall")).unwrap();
    let Outcome::Offloaded(stored) = answer.outcome else { panic!("not offloaded: {:?}", answer.events) };
    Offloaded { directory, lro, file: Source::File(stored.file_name) }
}

fn records(count: u32) -> String {
    let records: Vec<String> = (0..count).map(|id| format!(r#"{{"id":"memory-{id}","title":"Title {id}"}}"#)).collect();
    format!("[{}]", records.join(","))
}

fn query(text: &str) -> ExtractRequest {
    ExtractRequest { query: Some(text.to_owned()), ..ExtractRequest::default() }
}

#[test]
fn endless_and_greedy_filters_are_ended_by_the_limit_they_reach() {
    let Offloaded { directory, lro, file } = offloaded();
    let extract = CallLimits { timeout: Some(Duration::from_millis(300)), max_memory_mib: Some(64) };
    let output_dir = Some(directory.path().to_owned());
    let limits = Limits { extract, ..Limits::default() };
    let lro = lro.reopen(&Options { output_dir, limits, ..Options::default() }).unwrap();
    let cases = [
        ("def f: f; f", "timeout_ms", 300),
        ("[range(1e9)]", "max_memory_mib", 64),
        ("def f: 1 + f; f", "max_stack_bytes", 512 * 1024),
    ];
    for (filter, limit, value) in cases {
        match lro.extract(&file, &query(filter)) {
            Err(Error::LimitReached(problem)) => {
                assert_eq!((&*problem.limit, problem.value), (limit, value), "{filter}")
            }
            other => panic!("{filter}: {other:?}"),
        }
    }
    assert_eq!(lro.extract(&file, &query(".id")).unwrap().count, 1000, "the next call is as good as the first");
}

#[test]
fn the_time_limit_holds_for_all_pages_together() {
    let Offloaded { directory, lro, file } = offloaded();
    let extract = CallLimits { timeout: Some(Duration::from_millis(500)), max_memory_mib: None };
    let output_dir = Some(directory.path().to_owned());
    let options = Options { output_dir, limits: Limits { extract, ..Limits::default() }, ..Options::default() };
    let slow = ExtractRequest { chunk_bytes: Some(1), ..query("[range(20000)] | length") };
    let start = Instant::now();
    let answer = lro.reopen(&options).unwrap().extract_all(&file, &slow, |_| Ok::<(), Error>(()));
    assert!(matches!(answer, Err(Error::LimitReached(problem)) if problem.value == 500));
    assert!(start.elapsed() < Duration::from_secs(5));
}

#[test]
fn a_limit_never_fails_an_offload() {
    let directory = tempfile::tempdir().unwrap();
    let offload = CallLimits { timeout: None, max_memory_mib: Some(2) };
    let options = Options {
        output_dir: Some(directory.path().to_owned()),
        limits: Limits { offload, ..Limits::default() },
        ..Options::default()
    };
    let answer = Lro::open(options).unwrap().offload(&records(100_000), &OffloadRequest::of("recall")).unwrap();
    assert!(matches!(answer.outcome, Outcome::Unchanged));
    assert_eq!(answer.events[0].name, "OffloadFailed");
    assert!(answer.events[0].fields.contains("max_memory_mib"), "{}", answer.events[0].fields);
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0, "no file is left");
}

#[test]
fn pages_are_the_whole_and_respect_the_request() {
    let Offloaded { lro, file, directory: _directory } = offloaded();
    let whole = lro.extract(&file, &query(".id")).unwrap().results;
    let cases = [(None, None, 1000), (Some(7), None, 7), (None, Some(100), 9), (Some(1000), None, 1000)];
    for (limit, max_bytes, expected) in cases {
        let request = ExtractRequest { limit, max_bytes, chunk_bytes: Some(50), ..query(".id") };
        let mut text = String::new();
        let append = |page: &str| {
            text.push_str(page);
            Ok::<(), Error>(())
        };
        let extracted = lro.extract_all(&file, &request, append).unwrap();
        assert_eq!(extracted.count, expected);
        assert_eq!(extracted.next.is_some(), expected < 1000);
        assert!(whole.starts_with(&text));
        let rest = ExtractRequest { next: extracted.next.clone(), ..query(".id") };
        if extracted.next.is_some() {
            text.push_str(&lro.extract(&file, &rest).unwrap().results);
        }
        assert_eq!(text, whole);
    }
}

#[test]
fn calls_run_in_parallel() {
    let Offloaded { lro, file, directory: _directory } = offloaded();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..20 {
                    assert_eq!(lro.extract(&file, &query(".title")).unwrap().count, 1000);
                    assert!(matches!(
                        lro.clone().offload(&records(200), &OffloadRequest::of("recall")).unwrap().outcome,
                        Outcome::Offloaded(_)
                    ));
                }
            });
        }
    });
}
