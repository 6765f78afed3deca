//! What a limit does to a call, and what it leaves alone (EXTRACT-15).

use std::fs;
use std::time::{Duration, Instant};

use lro::{CallLimits, Case, Error, ExtractRequest, Limits, Lro, OffloadRequest, Options, Outcome, Source};

use crate::given::{self, Place, records};

/// A thousand memories in a file, and that file's name.
struct Offloaded {
    place: Place,
    file: Source,
}

impl Offloaded {
    fn new() -> Self {
        let place = Place::new();
        let file = Source::File(place.offload(&records(1000)).file_name);
        Self { place, file }
    }

    /// The component on the same directory with limits of its own.
    fn within(&self, limits: Limits) -> Lro {
        within(&self.place, limits)
    }
}

fn within(place: &Place, limits: Limits) -> Lro {
    given::with(Options::of(place.inside("")).limits(limits))
}

fn limits(milliseconds: Option<u64>, max_memory_mib: Option<u32>) -> CallLimits {
    CallLimits::default().timeout(milliseconds.map(Duration::from_millis)).max_memory_mib(max_memory_mib)
}

fn query(text: &str) -> ExtractRequest {
    ExtractRequest::default().query(text)
}

/// The component stops a filter after its steps. On a busy machine the host's time may be up before.
const TIME_OR_STEPS: [&str; 2] = ["max_steps", "timeout_ms"];

/// Runs a filter that would never end, or take all memory, under the default limits.
fn ends(filter: &str, limits: &[&str]) {
    let Offloaded { place, file } = Offloaded::new();
    let start = Instant::now();
    let answer = place.lro.extract(&file, &query(filter));
    assert!(start.elapsed() < Duration::from_secs(5), "{filter} ran for {:?}", start.elapsed());
    let Err(Error::Case(Case::LimitReached(problem))) = answer else { panic!("{filter}: {answer:?}") };
    assert!(limits.contains(&&*problem.limit), "{filter}: {problem:?}");
    assert!(problem.value > 0 && problem.message.contains("extraction stopped"), "{problem:?}");
    let next = place.lro.extract(&file, &query(".id")).unwrap();
    assert_eq!(next.count, 1000, "the next call is as good as the first");
}

#[test]
fn a_loop_is_ended() {
    ends("def f: f; f", &TIME_OR_STEPS);
}

#[test]
fn a_range_is_ended() {
    ends("[range(1e9)]", &TIME_OR_STEPS);
}

#[test]
fn a_recursion_is_ended() {
    ends("def f: 1 + f; f", &["max_stack_bytes"]);
}

#[test]
fn a_long_text_is_ended() {
    // As in jq, a text of a gigabyte is an error of the filter before it is one of the memory.
    let offloaded = Offloaded::new();
    let answer = offloaded.place.lro.extract(&offloaded.file, &query(r#""x" * 1000000000"#));
    assert!(matches!(answer, Err(Error::Case(Case::InvalidQuery(problem))) if problem.message.contains("too long")));
    ends(r#"[range(1000)] | map("x" * 10000000) | length"#, &TIME_OR_STEPS);
}

#[test]
fn endless_results_are_cut() {
    let Offloaded { place, file } = Offloaded::new();
    // A page that needs no time to run out of room ends at the bound of the settings.
    let lro = given::with(
        Options::of(place.inside(""))
            .settings(serde_json::Map::from_iter([("max_page_results".to_owned(), 10_000.into())])),
    );
    let page = lro.extract(&file, &query("repeat(1)")).unwrap();
    assert_eq!((page.count, page.truncated, page.next.is_some()), (10_000, true, true));
    // Whoever takes page after page is ended by the time.
    let lro = within(&place, Limits::default().extract(limits(Some(300), None)));
    let all = lro.extract_all(&file, &query("repeat(1)")).last();
    assert!(matches!(all, Some(Err(Error::Case(Case::LimitReached(problem)))) if problem.limit == "timeout_ms"));
}

#[test]
fn an_endless_search_is_ended() {
    ends("until(false; .)", &TIME_OR_STEPS);
}

#[test]
fn endless_results_can_be_asked_for_in_part() {
    let Offloaded { place, file } = Offloaded::new();
    let page = place.lro.extract(&file, &query("repeat(1)").limit(3)).unwrap();
    assert_eq!((&*page.results, page.truncated), ("1\n1\n1\n", true));
    let page = place.lro.extract(&file, &query("repeat(1)").max_bytes(5)).unwrap();
    assert_eq!((&*page.results, page.truncated), ("1\n1\n", true));
}

#[test]
fn limits_of_the_options_are_named_with_their_values() {
    let offloaded = Offloaded::new();
    let cases = [
        (limits(Some(30), None), "def f: f; f", "timeout_ms", 30),
        (limits(Some(60_000), Some(64)), "[range(1e9)]", "max_memory_mib", 64),
        (limits(Some(60_000), None), "def f: 1 + f; f", "max_stack_bytes", 256 * 1024),
    ];
    for (extract, filter, limit, value) in cases {
        let lro = offloaded.within(Limits::default().extract(extract));
        let answer = lro.extract(&offloaded.file, &query(filter));
        let Err(Error::Case(Case::LimitReached(problem))) = answer else { panic!("{filter}: {answer:?}") };
        assert_eq!((&*problem.limit, problem.value), (limit, value), "{filter}");
    }
}

#[test]
fn the_time_limit_holds_for_all_pages_together() {
    let offloaded = Offloaded::new();
    let lro = offloaded.within(Limits::default().extract(limits(Some(500), None)));
    let slow = query("[range(20000)] | length").chunk_bytes(1);
    let start = Instant::now();
    let answer = lro.extract_all(&offloaded.file, &slow).last();
    assert!(matches!(answer, Some(Err(Error::Case(Case::LimitReached(problem)))) if problem.value == 500));
    assert!(start.elapsed() < Duration::from_secs(5));
}

#[test]
fn a_limit_never_fails_an_offload() {
    let place = Place::new();
    let before = place.listing();
    let payload = records(300_000);
    for mebibytes in [1, 8] {
        let offload = CallLimits::default().max_memory_mib(mebibytes);
        let lro = within(&place, Limits::default().offload(offload));
        let answer = lro.offload(&payload, &OffloadRequest::of("recall")).unwrap();
        assert_truncated(&answer, &payload);
        let [event] = &answer.events[..] else { panic!("one event is expected: {:?}", answer.events) };
        assert_eq!(event.name, "OffloadFailed");
        assert!(event.message.contains("MiB of memory"), "{}", event.message);
        assert_eq!(place.listing(), before, "nothing is left");
    }
    place.offload(&records(300));
}

/// Checks that nothing large is passed on, and that it is said why.
fn assert_truncated(answer: &lro::Offloading, payload: &str) {
    let Outcome::Truncated(text) = &answer.outcome else { panic!("not truncated: {answer:?}") };
    assert!(text.len() < payload.len() / 2, "{} of {} bytes", text.len(), payload.len());
    assert!(text.starts_with(r#"{"offloaded":false,"warning":"#), "{text}");
    assert!(answer.events.iter().any(|event| event.name == "OffloadFailed"), "{:?}", answer.events);
}

/// Time may run out at any moment, while the file is written as well (LRO-42).
#[test]
fn a_time_limit_at_any_moment_leaves_no_file() {
    let place = Place::new();
    let payload = records(100_000);
    let mut stopped = 0;
    for milliseconds in [1, 20, 50, 100, 200, 400, 60_000] {
        let offload = CallLimits::default().timeout(Duration::from_millis(milliseconds));
        let lro = within(&place, Limits::default().offload(offload));
        let answer = lro.offload(&payload, &OffloadRequest::of("recall")).unwrap();
        match &answer.outcome {
            Outcome::Offloaded(stored) => fs::remove_file(place.inside(&stored.file_name)).unwrap(),
            _ => {
                assert_truncated(&answer, &payload);
                let told = answer.events.iter().any(|event| event.message.contains("it ran longer than"));
                assert!(told, "{:?}", answer.events);
                stopped += 1;
            }
        }
        assert_eq!(place.listing().len(), 1, "{milliseconds} ms leave nothing but the directory");
    }
    assert!(stopped > 0);
}

/// Memory may run out at any moment: there is a whole file and its response, or neither (LRO-42).
#[test]
fn a_limit_at_any_moment_leaves_no_part() {
    let place = Place::new();
    let payload = records(3000);
    for mebibytes in 1..=12 {
        let offload = CallLimits::default().max_memory_mib(mebibytes);
        let lro = within(&place, Limits::default().offload(offload));
        let answer = lro.offload(&payload, &OffloadRequest::of("recall")).unwrap();
        match &answer.outcome {
            Outcome::Offloaded(stored) => fs::remove_file(place.inside(&stored.file_name)).unwrap(),
            _ => assert_truncated(&answer, &payload),
        }
        assert_eq!(place.listing().len(), 1, "{mebibytes} MiB leave nothing but the directory");
    }
}

#[test]
fn no_payload_fails_an_offload() {
    let place = Place::new();
    let deep = |open: &str, close: &str| format!("{}{}", open.repeat(100_000), close.repeat(100_000));
    let payloads = [
        deep("[", "]"),
        deep("{\"a\":", "}").replace(":}", ":1}"),
        deep("[", ""),
        "]".into(),
        format!("[\"{}\"]", "\\u0000".repeat(100_000)),
    ];
    for payload in payloads {
        let answer = place.lro.offload(&payload, &OffloadRequest::of("recall")).unwrap();
        match &answer.outcome {
            Outcome::Unchanged => {
                let events = if answer.estimated_tokens > 1600 { 2 } else { 0 };
                assert_eq!(answer.events.len(), events, "{:?}", answer.events);
            }
            Outcome::Offloaded(stored) => fs::remove_file(place.inside(&stored.file_name)).unwrap(),
            Outcome::Truncated(_) => assert_truncated(&answer, &payload),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn bytes_that_are_not_text_are_never_passed_on_whole() {
    let place = Place::new();
    let small = [b"[\"".to_vec(), vec![0xff, 0xfe], b"\"]".to_vec()].concat();
    let answer = place.lro.offload_bytes(&small, &OffloadRequest::of("recall")).unwrap();
    assert!(matches!(answer.outcome, Outcome::Unchanged), "{answer:?}");
    let large = [b"text \xff ".repeat(20_000)].concat();
    let answer = place.lro.offload_bytes(&large, &OffloadRequest::of("recall")).unwrap();
    assert!(answer.events.iter().any(|event| event.name == "OffloadLossy"), "{:?}", answer.events);
    let text = fs::read_to_string(place.inside(&given::stored(answer).file_name)).unwrap();
    assert_eq!(text.matches('\u{fffd}').count(), 20_000);
}

#[test]
fn pages_are_the_whole_and_respect_the_request() {
    let offloaded = Offloaded::new();
    let lro = offloaded.within(Limits::default().extract(limits(Some(60_000), None)));
    let file = &offloaded.file;
    let whole = lro.extract(file, &query(".id")).unwrap().results;
    let cases = [(None, None, 1000), (Some(7), None, 7), (None, Some(100), 9), (Some(1000), None, 1000)];
    for (limit, max_bytes, expected) in cases {
        let request = query(".id").limit(limit).max_bytes(max_bytes).chunk_bytes(500);
        let mut pages = lro.extract_all(file, &request);
        let mut text: String = pages.by_ref().map(Result::unwrap).collect();
        let extracted = pages.extracted();
        assert_eq!(extracted.count, expected);
        assert_eq!(extracted.next.is_some(), expected < 1000);
        assert!(whole.starts_with(&text));
        let rest = query(".id").next(extracted.next.clone());
        if extracted.next.is_some() {
            text.push_str(&lro.extract(file, &rest).unwrap().results);
        }
        assert_eq!(text, whole);
    }
}

#[test]
fn calls_run_in_parallel() {
    let Offloaded { place, file } = Offloaded::new();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..20 {
                    assert_eq!(place.lro.extract(&file, &query(".title")).unwrap().count, 1000);
                    place.offload(&records(200));
                    assert!(place.lro.extract(&file, &query("nosuch")).is_err());
                }
            });
        }
    });
}
