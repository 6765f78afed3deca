//! Clocks that are wrong, that jump between calls and during them, and times that are odd.
//!
//! The clock is that of libfaketime, which the command loads; what measures durations stays as it is.

use std::collections::BTreeSet;
use std::fs::{self, File, FileTimes};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::payload::Payload;
use super::place::{Place, is_whole, paths, response};
use crate::command;
use crate::faults::Bench;
use crate::faults::random::Random;
use crate::faults::row::Row;

/// The TTL of all files here, in seconds.
const TTL: i64 = 3600;

/// A call takes less: within that of its end, whether a file has expired is not asked.
const UNSURE: i64 = 60;

/// Years, in seconds since 1970, around the ends of 32 bits, of 64 bits of nanoseconds, and of the calendar.
const TIMES: [(&str, i64); 14] = [
    ("1970-01-01", 0),
    ("1970", 5),
    ("2001", 1_000_000_000),
    ("2038, before", (1 << 31) - 2),
    ("2038", 1 << 31),
    ("2106, before", (1 << 32) - 2),
    ("2106", 1 << 32),
    ("2262, before", 9_223_372_036 - 1),
    ("2262", 9_223_372_037),
    ("2400", 13_569_465_600),
    ("9999", 253_370_764_800),
    ("9999-12-30", 253_402_128_000),
    ("1969", -100),
    ("1901", -2_177_452_800),
];

/// The suite.
///
/// # Errors
/// One line that says why it could not be run.
pub fn run(bench: &Bench) -> Result<Vec<Row>, String> {
    let machine = Machine { place: Place::new(bench)?, library: library()?, payload: Payload::list(200) };
    let mut random = Random::of(bench.seed);
    Ok(vec![
        machine.any_year(bench),
        machine.jumps_between(bench, &mut random),
        machine.jumps_during(bench, &mut random)?,
        machine.odd_headers(&mut random)?,
        machine.odd_files(bench, &mut random)?,
    ])
}

/// The library that changes the clock: of this system, or that which tests/needs.sh has unpacked.
fn library() -> Result<PathBuf, String> {
    let unpacked = command::profile().parent().map(|target| target.join("tests/faketime/usr/lib"));
    for folder in [PathBuf::from("/usr/lib")].into_iter().chain(unpacked) {
        let below = fs::read_dir(&folder).into_iter().flatten().flatten().map(|entry| entry.path());
        for folder in below.chain([folder.clone()]) {
            let library = folder.join("faketime/libfaketime.so.1");
            if library.exists() {
                return Ok(library);
            }
        }
    }
    Err("libfaketime is missing: `bash tests/run needs` unpacks it, or `apt-get install libfaketime`".to_owned())
}

fn now() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| i64::try_from(now.as_secs()).unwrap_or(i64::MAX))
}

struct Machine {
    place: Place,
    library: PathBuf,
    payload: Payload,
}

impl Machine {
    /// The command with a clock that begins at a moment.
    fn at(&self, seconds: i64, arguments: &[&str]) -> Command {
        let mut command = self.with_clock(arguments);
        command.env("FAKETIME", format!("{:+}", seconds - now()));
        command
    }

    fn with_clock(&self, arguments: &[&str]) -> Command {
        let mut command = self.place.lro(arguments);
        command
            .env("LD_PRELOAD", &self.library)
            .env("FAKETIME_DONT_FAKE_MONOTONIC", "1")
            .env("DONT_FAKE_MONOTONIC", "1");
        // Times of files are as they are.
        command.env("NO_FAKE_STAT", "1");
        command
    }

    fn print_at(&self, seconds: i64, arguments: &[&str]) -> Result<String, String> {
        self.place.end(&mut self.at(seconds, arguments), b"")?.printed()
    }

    fn offload_at(&self, seconds: i64) -> Result<String, String> {
        let arguments = ["offload", "-", "--operation", "search", "--output-dir", "out"];
        let ended = self.place.end(&mut self.at(seconds, &arguments), self.payload.text.as_bytes())?;
        let path = paths(&response(&ended)?).into_iter().next();
        path.ok_or_else(|| format!("it names no file: {}", ended.shown()))
    }

    /// The file can be read, or is answered as expired, as it should be.
    fn is_answered(&self, path: &str, at: i64, is_alive: bool) -> Result<(), String> {
        let query = ["extract", path, "--slurp", "--query", "map(.id) | add", "--output-dir", "out"];
        let ended = self.place.end(&mut self.at(at, &query), b"")?;
        ended.accident()?;
        match (ended.status, is_alive) {
            (Some(0), true) if ended.text().trim_end() == self.payload.sum.to_string() => Ok(()),
            (Some(1), false) if ended.stderr.contains("expired") => Ok(()),
            _ => Err(format!("alive: {is_alive}, but {}", ended.shown())),
        }
    }

    fn clean_up_at(&self, at: i64) -> Result<(), String> {
        self.print_at(at, &["cleanup", "--output-dir", "out"]).map(drop)
    }

    fn any_year(&self, bench: &Bench) -> Row {
        let mut row = Row::new(
            "offload, extract, describe, rebuild and cleanup work, and a file lives exactly its time",
            "clocks of 1901 to 9999, around the ends of 32 and 64 bits",
        );
        // Each third, others with another seed.
        let begin = usize::try_from(bench.seed % bench.scaled(3, 1)).unwrap_or_default();
        for (name, time) in TIMES.into_iter().skip(begin).step_by(bench.scaled(3, 1)) {
            row.count(self.one_year(time).map_err(|error| format!("{name}: {error}")));
        }
        row
    }

    fn one_year(&self, time: i64) -> Result<(), String> {
        let path = self.offload_at(time)?;
        is_whole(Path::new(&path))?;
        // Before 1970 the component's clock stands still at 1970.
        let time = time.max(0);
        self.is_answered(&path, time + 1, true)?;
        self.print_at(time + 2, &["describe", &path, "--output-dir", "out"])?;
        let rebuilt = self.print_at(time + 2, &["rebuild", &path, "--output-dir", "out"])?;
        if rebuilt.trim_end() != self.payload.text {
            return Err("it is rebuilt as something else".to_owned());
        }
        self.clean_up_at(time + TTL - UNSURE)?;
        self.is_answered(&path, time + TTL - UNSURE, true)?;
        self.is_answered(&path, time + TTL + UNSURE, false)?;
        self.clean_up_at(time + TTL + UNSURE)?;
        match Path::new(&path).exists() {
            true => Err("it has expired, and cleanup leaves it".to_owned()),
            false => Ok(()),
        }
    }

    /// Calls in a row, each with a clock of its own: a file goes when the clock of a cleanup is past its time, never else.
    fn jumps_between(&self, bench: &Bench, random: &mut Random) -> Row {
        let mut row = Row::new(
            "a file goes when the clock says that its time is over, and at no other call",
            "a clock that jumps between calls",
        );
        for _ in 0..bench.scaled(5, 60) {
            row.count(self.one_walk(random));
        }
        row
    }

    fn one_walk(&self, random: &mut Random) -> Result<(), String> {
        const JUMPS: [i64; 8] = [1, 600, TTL / 2, TTL - UNSURE, TTL + UNSURE, 86_400, 31_536_000, 3_000_000_000];
        let begin = now();
        let (mut clock, mut living): (i64, Vec<(String, i64)>) = (begin, Vec::new());
        for _ in 0..6 {
            let jump = *random.pick(&JUMPS);
            clock = if random.once_in(2) { clock + jump } else { (clock - jump).max(1) };
            match random.below(3) {
                0 => living.push((self.offload_at(clock)?, clock)),
                1 => {
                    for (path, made) in &living {
                        if !is_near(clock - made) {
                            self.is_answered(path, clock, clock - made < TTL)?;
                        }
                    }
                }
                _ => self.clean_up_at(clock)?,
            }
            // A sweep of an offload deletes too.
            let (mut left, clock) = (Vec::new(), clock);
            for (path, made) in living {
                match (Path::new(&path).exists(), clock - made) {
                    (true, _) => left.push((path, made)),
                    (false, age) if age >= TTL || is_near(age) => {}
                    (false, age) => return Err(format!("a file went {age} s after it was made")),
                }
            }
            living = left;
        }
        let last = living.iter().map(|(_, made)| made + TTL + UNSURE).max().unwrap_or(clock);
        self.clean_up_at(last)?;
        match living.iter().find(|(path, _)| Path::new(path).exists()) {
            Some((path, _)) => Err(format!("`{path}` is still there")),
            None => Ok(()),
        }
    }

    /// A clock that another thread sets while the command runs.
    fn jumps_during(&self, bench: &Bench, random: &mut Random) -> Result<Row, String> {
        const JUMPS: [i64; 6] = [-3_000_000_000, -86_400, -1, 1, 86_400, 3_000_000_000];
        let mut row = Row::new(
            "a call ends with its answer, and a limit on time is not reached",
            "a clock that jumps by seconds to a century while a call runs",
        );
        let (clock, is_over) = (self.place.write("clock", "+0")?, AtomicBool::new(false));
        let seed = random.number();
        thread::scope(|scope| {
            scope.spawn(|| {
                let mut random = Random::of(seed);
                while !is_over.load(Ordering::Relaxed) {
                    let next = self.place.write("clock.next", &format!("{:+}", random.pick(&JUMPS)));
                    // Renamed, so that a reader never sees half of it.
                    let _ = next.map(|next| fs::rename(next, &clock));
                    thread::sleep(Duration::from_millis(1));
                }
            });
            for _ in 0..bench.scaled(8, 100) {
                row.count(self.one_while_it_jumps(&clock));
            }
            is_over.store(true, Ordering::Relaxed);
        });
        self.clean_up_at(now() + 4_000_000_000)?;
        Ok(row)
    }

    fn one_while_it_jumps(&self, clock: &Path) -> Result<(), String> {
        let run = |arguments: &[&str], input: &str| {
            let mut command = self.with_clock(arguments);
            command.env("FAKETIME_TIMESTAMP_FILE", clock).env("FAKETIME_NO_CACHE", "1");
            self.place.end(&mut command, input.as_bytes())
        };
        let offloaded = run(&["offload", "-", "--operation", "search", "--output-dir", "out"], &self.payload.text)?;
        let path = paths(&response(&offloaded)?).into_iter().next().ok_or("it names no file")?;
        // Whether it has expired by that clock is a matter of luck.
        let extracted = run(&["extract", &path, "--slurp", "--query", "map(.id) | add", "--output-dir", "out"], "")?;
        extracted.accident()?;
        let is_right = extracted.status == Some(0) && extracted.text().trim_end() == self.payload.sum.to_string();
        let has_expired = extracted.status == Some(1) && extracted.stderr.contains("expired");
        let cleaned = run(&["cleanup", "--output-dir", "out"], "")?.printed();
        match (is_right || has_expired, cleaned) {
            (false, _) => Err(extracted.shown()),
            (_, Err(error)) => Err(error),
            _ if Path::new(&path).exists() => is_whole(Path::new(&path)),
            _ => Ok(()),
        }
    }

    /// Headers with times that nobody writes, in names that are of long ago.
    fn odd_headers(&self, random: &mut Random) -> Result<Row, String> {
        let mut row =
            Row::new("cleanup and extract work beside it, and what lives stays", "timestamps in headers that are odd");
        let alive = self.offload_at(now())?;
        for (timestamp, is_expired) in HEADERS {
            let path = self.place.output().join(format!("atlatl-search-{}.jsonl", random.ulid(1_000_000_000_000)));
            let header = format!(
                "{{\"type\":\"lro_header\",\"operation\":\"x\",\"query\":null,\"count\":1,\"schema_version\":\"1.0.0\",\
                 \"timestamp\":\"{timestamp}\",\"estimated_tokens\":1,\"detail\":\"full\"}}\n{{\"id\":1}}\n"
            );
            fs::write(&path, header).map_err(|error| error.to_string())?;
            let cleaned = self.place.print(&["cleanup", "--output-dir", "out"]).map(drop);
            row.count(match (cleaned, path.exists() == is_expired) {
                (Err(error), _) => Err(format!("`{timestamp}`: {error}")),
                (_, true) => Err(format!("`{timestamp}`: it is there: {}", path.exists())),
                _ => self.is_answered(&alive, now(), true),
            });
            // What stays is not to be there for the next one.
            let _ = fs::remove_file(&path);
        }
        Ok(row)
    }

    /// Times of files, as any user can set them.
    fn odd_files(&self, bench: &Bench, random: &mut Random) -> Result<Row, String> {
        let mut row = Row::new(
            "cleanup, extract, describe and list work beside it, and what lives stays",
            "files and folders with times from 1901 to the year 36,812 and beyond",
        );
        let alive = self.offload_at(now())?;
        let mut kept = BTreeSet::new();
        for seconds in OF_FILES.into_iter().step_by(bench.scaled(5, 1)) {
            for what in ["own", "part", "folder", "session"] {
                let made = self.odd_file(what, &alive, random)?;
                let opened = File::open(&made).map_err(|error| error.to_string())?;
                let age = Duration::from_secs(seconds.unsigned_abs());
                let time = if seconds < 0 { UNIX_EPOCH.checked_sub(age) } else { UNIX_EPOCH.checked_add(age) };
                let Some(Ok(())) = time.map(|time| opened.set_times(FileTimes::new().set_modified(time))) else {
                    continue;
                };
                kept.insert(fs::metadata(&made).and_then(|file| file.modified()).map_err(|error| error.to_string())?);
                row.count(self.works_beside(&alive).map_err(|error| format!("{what} of {seconds} s: {error}")));
                let _ = fs::remove_dir_all(&made).or_else(|_| fs::remove_file(&made));
            }
        }
        Ok(row.seen(format!("{} times as the file system keeps them", kept.len())))
    }

    fn odd_file(&self, what: &str, alive: &str, random: &mut Random) -> Result<PathBuf, String> {
        let name = format!("atlatl-search-{}.jsonl", random.ulid(1_577_836_800_000));
        let path = match what {
            "part" => self.place.output().join(name + ".part"),
            "folder" => self.place.output().join("s-9"),
            "session" => self.place.output().join("s-8").join(name),
            _ => self.place.output().join(name),
        };
        let folder = if what == "folder" { Some(&*path) } else { path.parent() };
        folder.map_or(Ok(()), fs::create_dir_all).map_err(|error| error.to_string())?;
        if what != "folder" {
            let text = fs::read_to_string(alive).map_err(|error| error.to_string())?;
            // A time that cannot be read: that of the file counts.
            fs::write(&path, text.replacen("\"timestamp\":\"2", "\"timestamp\":\"odd 2", 1))
                .map_err(|error| error.to_string())?;
        }
        Ok(path)
    }

    fn works_beside(&self, alive: &str) -> Result<(), String> {
        self.place.print(&["list", "--output-dir", "out"])?;
        self.place.print(&["describe", alive, "--output-dir", "out"])?;
        self.place.print(&["cleanup", "--output-dir", "out"])?;
        self.is_answered(alive, now(), true)
    }
}

/// So close to the end of its time that a call may see either.
fn is_near(age: i64) -> bool {
    (age - TTL).abs() < UNSURE
}

/// Times of files in seconds since 1970.
const OF_FILES: [i64; 12] = [
    -(1 << 31),
    1,
    1 << 31,
    1 << 32,
    1 << 33,
    1 << 55,
    1 << 40,
    -1,
    i64::MAX - 1,
    0,
    -(1 << 40),
    // The last that ext4 keeps.
    15_032_385_535,
];

/// Timestamps, and whether a file with them has expired: if they say nothing, its name does, which is of 2001.
const HEADERS: [(&str, bool); 21] = [
    ("", true),
    ("yesterday", true),
    ("2020-01-01", true),
    ("2020-01-01T00:00:00Z", true),
    ("2020-01-01T00:00:00z", true),
    ("2020-01-01 00:00:00Z", true),
    ("2016-12-31T23:59:60Z", true),
    ("2020-02-30T00:00:00Z", true),
    ("2020-01-01T24:00:00Z", true),
    ("2020-01-01T00:00:00+99:99", true),
    ("2020-01-01T00:00:00.123456789Z", true),
    ("-000001-01-01T00:00:00Z", true),
    ("1969-12-31T23:59:59Z", true),
    ("0000-00-00T00:00:00Z", true),
    ("10000-01-01T00:00:00Z", true),
    ("99999999999999999999", true),
    ("1e400", true),
    ("\\u0000\\ud83d\\ude00", true),
    // The calendar ends at 22:00 of the day before.
    ("9999-12-31T23:59:59Z", true),
    ("9999-12-30T21:59:59Z", false),
    ("2999-01-01T00:00:00+14:00", false),
];
