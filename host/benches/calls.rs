//! What calls of the library cost: opening the component, estimate, offload, and each recipe.
//!
//! `cargo bench -p lro`, or a part of it: `cargo bench -p lro -- recipe`. The records are synthetic, about 600 bytes each,
//! and the same every time. `side_by_side.py` compares whole commands with jq.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;

use divan::counter::BytesCount;
use divan::{Bencher, black_box};
use lro::{CallLimits, CompiledCache, Detail, ExtractRequest, Limits, Lro, OffloadRequest, Options, Outcome, Source};

#[path = "../../tests/src/corpus.rs"]
#[allow(dead_code, unused_imports, unreachable_pub, reason = "the corpora of the tests, of which one is needed here")]
mod corpus;

/// Records of a payload.
const SIZES: [usize; 5] = [50, 200, 500, 5_000, 100_000];

fn main() {
    let _sweeper = Sweeper;
    divan::main();
}

/// Removes what was offloaded, after a panic too.
struct Sweeper;

impl Drop for Sweeper {
    fn drop(&mut self) {
        if let Some(bench) = BENCH.get() {
            let _ = fs::remove_dir_all(&bench.directory);
        }
    }
}

/// The component, and a directory of its own.
struct Bench {
    lro: Lro,
    directory: PathBuf,
}

static BENCH: OnceLock<Bench> = OnceLock::new();

fn bench() -> &'static Bench {
    BENCH.get_or_init(|| {
        let directory = tempfile::tempdir().expect("a folder can be made").keep();
        Bench { lro: open(&directory, CompiledCache::Off), directory }
    })
}

fn open(output_dir: &Path, compiled_cache: CompiledCache) -> Lro {
    // A machine that is busy, or not optimised code, must not end what is measured.
    let extract = CallLimits::default().timeout(Duration::from_secs(600));
    let limits = Limits::default().extract(extract);
    Lro::open(&Options::of(output_dir).compiled_cache(compiled_cache).limits(limits))
        .expect("the component can be opened")
}

/// So many memories as a tool would return them, made once.
fn payload(records: usize) -> &'static str {
    static PAYLOADS: [OnceLock<String>; SIZES.len()] = [const { OnceLock::new() }; SIZES.len()];
    PAYLOADS[index(records)].get_or_init(|| corpus::memories(records))
}

/// The same as an offloaded file, written once.
fn file(records: usize) -> &'static Source {
    static FILES: [OnceLock<Source>; SIZES.len()] = [const { OnceLock::new() }; SIZES.len()];
    FILES[index(records)].get_or_init(|| Source::File(offload(records, Detail::Full)))
}

fn index(records: usize) -> usize {
    SIZES.iter().position(|size| *size == records).expect("it is one of the sizes")
}

fn request(detail: Detail) -> OffloadRequest {
    OffloadRequest::of("recall").detail(detail)
}

/// Offloads, and answers the file's name.
fn offload(records: usize, detail: Detail) -> String {
    let answer = bench().lro.offload(payload(records), &request(detail)).expect("the request makes sense");
    match answer.outcome {
        Outcome::Offloaded(stored) => stored.file_name,
        other => panic!("not offloaded: {other:?} {:?}", answer.events),
    }
}

/// An offloaded file that goes when it has been measured.
struct Written(String);

impl Drop for Written {
    fn drop(&mut self) {
        let _ = fs::remove_file(bench().directory.join(&self.0));
    }
}

/// Opening the component: compiled from its bytes, or loaded from where its compiled form is kept.
#[divan::bench(args = ["compiled", "loaded"], max_time = 5)]
fn cold_open(bencher: Bencher<'_, '_>, how: &str) {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let cache = match how {
        "compiled" => CompiledCache::Off,
        _ => CompiledCache::Directory(folder.path().join("cache")),
    };
    if how == "loaded" {
        open(folder.path(), cache.clone());
    }
    bencher.bench_local(|| open(folder.path(), cache.clone()));
}

/// A call with next to nothing to do: what a sandbox costs.
#[divan::bench(max_time = 1)]
fn warm_call(bencher: Bencher<'_, '_>) {
    let lro = &bench().lro;
    bencher.bench_local(|| lro.estimate(black_box("[]"), &request(Detail::Full)));
}

#[divan::bench(args = SIZES, max_time = 2)]
fn estimate(bencher: Bencher<'_, '_>, records: usize) {
    let (lro, payload) = (&bench().lro, payload(records));
    bencher
        .counter(BytesCount::of_str(payload))
        .bench_local(|| lro.estimate(black_box(payload), &request(Detail::Full)));
}

/// The records as they are given.
#[divan::bench(args = SIZES, max_time = 2)]
fn offload_full(bencher: Bencher<'_, '_>, records: usize) {
    bencher.counter(BytesCount::of_str(payload(records))).bench_local(|| Written(offload(records, Detail::Full)));
}

/// The records reduced to six fields.
#[divan::bench(args = SIZES, max_time = 2)]
fn offload_light(bencher: Bencher<'_, '_>, records: usize) {
    bencher.counter(BytesCount::of_str(payload(records))).bench_local(|| Written(offload(records, Detail::Light)));
}

/// All results of a recipe, page by page, as the command prints them.
#[divan::bench(args = 1..=10, consts = SIZES, max_time = 2)]
fn recipe<const RECORDS: usize>(bencher: Bencher<'_, '_>, recipe: u32) {
    let (lro, source) = (&bench().lro, file(RECORDS));
    let request = ExtractRequest::default().recipe(recipe);
    let take = |page: Result<String, lro::Error>| _ = black_box(page.expect("the recipe runs"));
    let bytes = BytesCount::of_str(payload(RECORDS));
    bencher.counter(bytes).bench_local(|| lro.extract_all(source, &request).for_each(take));
}
