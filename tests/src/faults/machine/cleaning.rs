//! Cleanup of very many files, of files that were made to hold it up, and of documents under caps.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File, FileTimes};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use lro::{CallLimits, CleanupRequest, CompiledCache, Limits, Lro, OffloadRequest, Options, Outcome};

use super::payload::Payload;
use super::place::{Place, cache, paths};
use crate::faults::Bench;
use crate::faults::random::Random;
use crate::faults::row::Row;

const PAST: &str = "2020-01-01T00:00:00.000Z";
const FUTURE: &str = "2999-01-01T00:00:00.000Z";

/// More than a cleanup of any number of files may hold, in MiB: the command, its compiled component, and a batch.
const MOST_MIB: u64 = 96;

/// The suite.
///
/// # Errors
/// One line that says why it could not be run.
pub fn run(bench: &Bench) -> Result<Vec<Row>, String> {
    let mut random = Random::of(bench.seed);
    Ok(vec![
        very_many(bench, &mut random)?,
        little_memory(bench, &mut random)?,
        hostile(bench, &mut random)?,
        documents(bench, &mut random)?,
    ])
}

/// A file with one record, made at a moment.
fn file(timestamp: &str) -> String {
    format!(
        "{{\"type\":\"lro_header\",\"operation\":\"x\",\"query\":null,\"count\":1,\"schema_version\":\"1.0.0\",\
         \"timestamp\":\"{timestamp}\",\"estimated_tokens\":1,\"detail\":\"full\"}}\n{{\"id\":1}}\n"
    )
}

fn name(random: &mut Random) -> String {
    format!("atlatl-search-{}.jsonl", random.ulid(1_577_836_800_000))
}

/// Puts so many expired files into the output directory and 50 folders, and as many that stay as are returned.
fn fill(place: &Place, count: usize, random: &mut Random) -> Result<BTreeSet<String>, String> {
    let (expired, staying) = (file(PAST), file(FUTURE));
    let mut stay = BTreeSet::new();
    for number in 0..count + count / 100 {
        let folder = if number % 2 == 0 { String::new() } else { format!("s-{}/", number % 50) };
        if number < 50 {
            fs::create_dir_all(place.output().join(&folder)).map_err(|error| error.to_string())?;
        }
        let name = format!("{folder}{}", name(random));
        let text = if number < count { &expired } else { &staying };
        fs::write(place.output().join(&name), text).map_err(|error| error.to_string())?;
        if number >= count {
            stay.insert(name);
        }
    }
    Ok(stay)
}

fn left(place: &Place) -> BTreeSet<String> {
    place.names().into_iter().collect()
}

fn very_many(bench: &Bench, random: &mut Random) -> Result<Row, String> {
    let count = bench.scaled(12_000, 250_000);
    let mut row = Row::new(
        &format!("cleanup deletes what has expired and nothing else, in less than {MOST_MIB} MiB, each with its event"),
        "very many expired files in one directory",
    );
    let place = Place::new(bench)?;
    let stay = fill(&place, count, random)?;
    let mut command = place.lro(&["cleanup", "--output-dir", "out", "--events", "events"]);
    let begin = SystemTime::now();
    let ended = super::process::end(&mut command, b"", Duration::from_secs(900))?;
    let seconds = begin.elapsed().unwrap_or_default().as_secs_f32();
    let events = fs::read_to_string(place.path("events")).unwrap_or_default();
    let named = events.lines().filter(|line| line.contains("OffloadFileExpired")).count();
    let peak = ended.peak_kib / 1024;
    let mut checks = vec![ended.accident()];
    let mut holds = |what: bool, why: String| checks.push(if what { Ok(()) } else { Err(why) });
    holds(ended.status == Some(0), ended.shown());
    holds(left(&place) == stay, format!("{} files are left of {}", left(&place).len(), stay.len()));
    holds(named == count, format!("{named} events for {count} files"));
    holds(peak < MOST_MIB, format!("it held {peak} MiB"));
    row.tries = count as u64;
    row.failures = checks.into_iter().filter_map(Result::err).collect();
    Ok(row.seen(format!("at most {peak} MiB, {seconds:.0} s")))
}

/// Opens the library with little memory for a cleanup.
fn limited(place: &Place, mebibytes: u32) -> Result<Lro, String> {
    let limits =
        Limits::default().cleanup(CallLimits::default().timeout(Duration::from_secs(120)).max_memory_mib(mebibytes));
    open(Options::of(place.output()).limits(limits))
}

fn open(options: Options) -> Result<Lro, String> {
    Lro::open(&options.compiled_cache(CompiledCache::Directory(cache()))).map_err(|error| error.to_string())
}

/// From less than the component itself needs upwards.
fn little_memory(bench: &Bench, random: &mut Random) -> Result<Row, String> {
    let mut row = Row::new(
        "a cleanup with too little memory says so and deletes nothing that is to stay; the next one with more finishes",
        "limits on its memory, from 1 MiB",
    );
    let place = Place::new(bench)?;
    let count = bench.scaled(2_000, 20_000);
    let mut smallest = None;
    for mebibytes in [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 20, 24, 28, 32, 40, 48] {
        let stay = fill(&place, count, random)?;
        let cleaning = limited(&place, mebibytes)?.cleanup(&CleanupRequest::default());
        let there = left(&place);
        row.count(match &cleaning {
            _ if !there.is_superset(&stay) => Err(format!("{mebibytes} MiB: files that were to stay are gone")),
            Ok(_) if there.len() > stay.len() => Err(format!("{mebibytes} MiB: {} files are left", there.len())),
            Err(error) if !error.to_string().contains("MiB") => Err(format!("{mebibytes} MiB: {error}")),
            _ => Ok(()),
        });
        if cleaning.is_ok() {
            smallest.get_or_insert(mebibytes);
        }
        let all = limited(&place, 256)?.cleanup(&CleanupRequest::default());
        row.count(match all {
            Ok(_) if left(&place) == stay => Ok(()),
            other => Err(format!("after {mebibytes} MiB: {other:.200?}")),
        });
        fs::remove_dir_all(place.output()).map_err(|error| error.to_string())?;
    }
    let seen = smallest.map(|least| format!("{count} files are deleted in {least} MiB"));
    Ok(row.seen(seen.unwrap_or_default()))
}

/// Files with our names that cost their maker nothing, and other things that are called so.
fn hostile(bench: &Bench, random: &mut Random) -> Result<Row, String> {
    let mut row = Row::new(
        "cleanup deletes what has expired, and leaves what is not ours",
        "sparse files up to 1 TiB, endless lines, pipes, links, folders and unreadable files with our names",
    );
    let place = Place::new(bench)?;
    let mut stay = fill(&place, 1_000, random)?;
    fs::write(place.path("elsewhere"), file(PAST)).map_err(|error| error.to_string())?;
    let mut gone = 0;
    for number in 0..bench.scaled(300, 3_000) {
        let name = name(random);
        let path = place.output().join(&name);
        let made = hostile_file(&path, number % 10, &place.path("elsewhere"));
        made.map_err(|error| format!("cannot make `{}`: {error}", path.display()))?;
        // Zeros that nobody has written to for an hour are what a loss of power leaves.
        match number % 10 {
            1 => gone += 1,
            FOLDER => _ = stay.insert(format!("{name}/notes")),
            _ => _ = stay.insert(name),
        }
        row.tries += 1;
    }
    let begin = SystemTime::now();
    let ended = place.end(&mut place.lro(&["cleanup", "--output-dir", "out", "--events", "events"]), b"")?;
    let seconds = begin.elapsed().unwrap_or_default().as_secs_f32();
    let peak = ended.peak_kib / 1024;
    row.failures.extend(ended.accident().err());
    row.failures.extend((ended.status != Some(0)).then(|| ended.shown()));
    row.failures
        .extend((left(&place) != stay).then(|| format!("{} files are left, not {}", left(&place).len(), stay.len())));
    row.failures.extend((!place.path("elsewhere").exists()).then(|| "what a link points to is gone".to_owned()));
    row.failures.extend((peak > MOST_MIB).then(|| format!("it held {peak} MiB")));
    Ok(row.seen(format!("{gone} were remnants, {seconds:.0} s, at most {peak} MiB")))
}

/// Which of ten is a folder.
const FOLDER: usize = 7;

fn hostile_file(path: &Path, kind: usize, elsewhere: &Path) -> std::io::Result<()> {
    let header = file(FUTURE);
    let sparse = |begin: &[u8], bytes: u64| -> std::io::Result<File> {
        fs::write(path, begin)?;
        let file = File::options().write(true).open(path)?;
        file.set_len(bytes)?;
        Ok(file)
    };
    match kind {
        0 => sparse(b"", 64 << 20).map(drop),
        1 => sparse(b"", 1 << 40)?.set_times(FileTimes::new().set_modified(UNIX_EPOCH)),
        2 => sparse(&header.as_bytes()[..60], 1 << 40).map(drop),
        3 => sparse(b"{\"type\":\"lro_header\",\"operation\":\"", 1 << 40).map(drop),
        4 => sparse(header.as_bytes(), 1 << 40).map(drop),
        5 => fs::write(path, "[".repeat(200_000)),
        6 => symlink(elsewhere, path),
        FOLDER => fs::create_dir(path).and_then(|()| fs::write(path.join("notes"), "mine\n")),
        8 => Command::new("mkfifo").arg(path).status().map(drop),
        _ => {
            // Its header is not ours, so that the superuser, who can read it, leaves it too.
            fs::write(path, "{\"id\":1}\n")?;
            fs::set_permissions(path, fs::Permissions::from_mode(0o0))
        }
    }
}

/// Documents of one to five lists, and caps that cut anywhere.
fn documents(bench: &Bench, random: &mut Random) -> Result<Row, String> {
    let mut row = Row::new("a document stays with all of its files or goes with all, the oldest first", "random caps");
    let place = Place::new(bench)?;
    let lro = open(Options::of(place.output()))?;
    for round in 0..bench.scaled(15, 250) {
        let mut documents = Vec::new();
        for _ in 0..6 {
            let payload = Payload::any(random, 5);
            let offloading =
                lro.offload(&payload.text, &OffloadRequest::of("search")).map_err(|error| error.to_string())?;
            let Outcome::Offloaded(stored) = offloading.outcome else { return Err("it was not offloaded".to_owned()) };
            let response = serde_json::from_str(&stored.response).map_err(|error| error.to_string())?;
            documents.push((payload, paths(&response)));
            // No two in the same millisecond: which is older then, nobody can say.
            std::thread::sleep(Duration::from_millis(2));
        }
        let sizes: BTreeMap<&String, u64> = documents
            .iter()
            .flat_map(|(_, paths)| paths)
            .map(|path| (path, fs::metadata(path).map_or(0, |file| file.len())))
            .collect();
        let (all, files) = (sizes.values().sum::<u64>(), sizes.len());
        let by_count = random.once_in(2);
        let (most_files, most_bytes) = (random.below(files + 1), random.number() % (all + 1));
        let request = match by_count {
            true => CleanupRequest::default().max_files(u32::try_from(most_files).ok()),
            false => CleanupRequest::default().max_bytes(most_bytes),
        };
        lro.cleanup(&request).map_err(|error| error.to_string())?;
        // What is expected: the youngest documents that fit.
        let (mut files, mut bytes, mut fits) = (0, 0, true);
        for (payload, paths) in documents.iter().rev() {
            files += paths.len();
            bytes += paths.iter().map(|path| sizes[path]).sum::<u64>();
            fits = fits && if by_count { files <= most_files } else { bytes <= most_bytes };
            let there = paths.iter().filter(|path| Path::new(path).exists()).count();
            row.count(match there {
                0 if !fits => Ok(()),
                _ if there == paths.len() && fits => rebuilt(&place, &paths[0], payload, round % 10 == 0),
                _ => Err(format!("{there} of {} files are there, fits: {fits}", paths.len())),
            });
        }
        fs::remove_dir_all(place.output()).map_err(|error| error.to_string())?;
        fs::create_dir(place.output()).map_err(|error| error.to_string())?;
    }
    Ok(row)
}

fn rebuilt(place: &Place, path: &str, payload: &Payload, is_due: bool) -> Result<(), String> {
    if !is_due {
        return Ok(());
    }
    match place.print(&["rebuild", path, "--output-dir", "out"])?.trim_end() == payload.text {
        true => Ok(()),
        false => Err(format!("`{path}` is not rebuilt as it was")),
    }
}
