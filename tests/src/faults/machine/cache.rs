//! A compiled component that is damaged, cut, foreign, older, or another one's.

use std::fs::{self, File, FileTimes};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime};

use lro::{CompiledCache, Lro, Options};

use super::payload::Payload;
use super::place::{Place, paths};
use crate::faults::Bench;
use crate::faults::random::Random;
use crate::faults::row::Row;

/// The suite.
///
/// # Errors
/// One line that says why it could not be run.
pub fn run(bench: &Bench) -> Result<Vec<Row>, String> {
    let mut random = Random::of(bench.seed);
    Ok(vec![real(bench, &mut random)?, small(bench, &mut random)?, killed(bench, &mut random)?])
}

/// What is done to a file of the cache.
#[derive(Debug, Clone, Copy)]
enum Damage {
    Bit,
    Page,
    Cut,
    TailOfZeros,
    Swapped,
    Text,
    Machine,
    Empty,
    Longer,
    Pipe,
    Link,
    Folder,
    Writable,
    Unreadable,
    Foreign,
}

use Damage::{
    Bit, Cut, Empty, Folder, Foreign, Link, Longer, Machine, Page, Pipe, Swapped, TailOfZeros, Text, Unreadable,
    Writable,
};

const ALL: [Damage; 15] = [
    Bit,
    Page,
    Cut,
    TailOfZeros,
    Swapped,
    Text,
    Machine,
    Empty,
    Longer,
    Pipe,
    Link,
    Folder,
    Writable,
    Unreadable,
    Foreign,
];

impl Damage {
    /// Puts something else in the place of a file with these bytes. `other` is that of another component.
    fn put(self, file: &Path, whole: &[u8], other: &Path, random: &mut Random) -> std::io::Result<()> {
        let mut bytes = whole.to_vec();
        let place = random.below(bytes.len());
        match self {
            Bit => bytes[place] ^= 1 << random.below(8),
            Page => {
                let begin = place / 4096 * 4096;
                let end = bytes.len().min(begin + 4096);
                bytes[begin..end].fill(0);
            }
            Cut => bytes.truncate(place),
            TailOfZeros => bytes[place..].fill(0),
            Text => bytes = b"not code\n".repeat(1 + place % 1000),
            Machine => bytes = fs::read("/proc/self/exe")?,
            Empty => bytes.clear(),
            Longer => bytes.extend_from_slice(&whole[..place]),
            Swapped => bytes = fs::read(other)?,
            _ => {}
        }
        // Not in place: the file may be mapped.
        fs::remove_file(file).or_else(|_| fs::remove_dir(file))?;
        match self {
            Pipe => Command::new("mkfifo").arg(file).status().map(drop),
            Link => symlink(other, file),
            Folder => fs::create_dir(file),
            _ => {
                fs::write(file, bytes)?;
                let mode = match self {
                    Writable => 0o666,
                    Unreadable => 0,
                    _ => 0o600,
                };
                fs::set_permissions(file, fs::Permissions::from_mode(mode))?;
                match self {
                    // Only root can give a file away; for others it stays as it was.
                    Foreign => {
                        Command::new("chown").args(["64123", file.to_str().unwrap_or_default()]).output().map(drop)
                    }
                    _ => Ok(()),
                }
            }
        }
    }

    /// The bytes are those that belong there, and only others could have written them: they may also be used.
    fn may_stay(self) -> bool {
        matches!(self, Writable | Unreadable | Foreign)
    }
}

/// The file of a cache.
fn file_of(folder: &Path) -> Result<PathBuf, String> {
    let entries = fs::read_dir(folder).map_err(|error| format!("cannot read `{}`: {error}", folder.display()))?;
    let code = |path: &PathBuf| path.extension().is_some_and(|end| end == "cwasm");
    let file = entries.flatten().map(|entry| entry.path()).find(code);
    file.ok_or_else(|| format!("there is no compiled component in `{}`", folder.display()))
}

const PROMISE: &str = "the answer is the same, and the file is whole afterwards";

/// The component that ships, through the command: it takes seconds to compile.
fn real(bench: &Bench, random: &mut Random) -> Result<Row, String> {
    let mut row = Row::new(
        PROMISE,
        "bit flips, pages and tails of zeros, cuts, other files, another component's code, pipes, links, folders, modes and owners",
    );
    let place = Place::new(bench)?;
    let payload = Payload::list(300);
    let path = paths(&place.offload(&payload.text)?).into_iter().next().ok_or("it names no file")?;
    let (own, other) = (place.path("cache"), other(&place)?);
    let (file, whole) = compiled(&place, &own)?;
    let few = [Bit, Swapped];
    let damages = ALL.iter().chain([Bit, Page, Cut, TailOfZeros, Swapped].iter().cycle().take(10));
    for &damage in bench.scaled(few.iter().collect::<Vec<_>>(), damages.collect()) {
        damage.put(&file, &whole, &other, random).map_err(|error| format!("{damage:?}: {error}"))?;
        let mut command = place.lro(&["extract", &path, "--slurp", "--query", "map(.id) | add", "--output-dir", "out"]);
        command.env("LRO_CACHE_DIR", &own);
        let printed = place.end(&mut command, b"")?.printed();
        let outcome = printed.and_then(|sum| match sum.trim_end() == payload.sum.to_string() {
            // Nothing can be renamed over a folder: it stays, and an event says so at each start.
            true if matches!(damage, Folder) => Ok(()),
            true => is_restored(&file, &whole, damage),
            false => Err(format!("the answer is `{sum:.80}`")),
        });
        row.count(outcome.map_err(|error| format!("{damage:?}: {error}")));
    }
    Ok(row)
}

/// Has the command compile its component into a folder. Returns the file and its bytes.
fn compiled(place: &Place, folder: &Path) -> Result<(PathBuf, Vec<u8>), String> {
    let mut command = place.lro(&["estimate", "/dev/null"]);
    place.end(command.env("LRO_CACHE_DIR", folder), b"")?.printed()?;
    let file = file_of(folder)?;
    let bytes = fs::read(&file).map_err(|error| error.to_string())?;
    Ok((file, bytes))
}

/// The code of another component, compiled by the same engine.
fn other(place: &Place) -> Result<PathBuf, String> {
    let folder = place.path("other");
    answer_of(&OTHER, CompiledCache::Directory(folder.clone()));
    file_of(&folder)
}

fn is_restored(file: &Path, whole: &[u8], damage: Damage) -> Result<(), String> {
    let status = fs::symlink_metadata(file).map_err(|error| error.to_string())?;
    let bytes = if status.is_file() { fs::read(file).unwrap_or_default() } else { Vec::new() };
    match bytes.len() == whole.len() || (damage.may_stay() && bytes.is_empty()) {
        // Code of the same length: compiling is the same on each machine, but nobody promises that.
        true => Ok(()),
        false => Err(format!("the file has {} bytes, not {}", bytes.len(), whole.len())),
    }
}

/// The smallest components. They compile in no time, and are refused only after they were loaded: they export nothing of
/// ours.
const SMALL: [u8; 8] = *b"\0asm\x0d\0\x01\0";
const OTHER: [u8; 11] = *b"\0asm\x0d\0\x01\0\0\x01\0";

fn answer_of(component: &[u8], cache: CompiledCache) -> String {
    let options = Options::default().component(component.to_vec()).compiled_cache(cache);
    Lro::open(&options).map_or_else(|error| error.to_string(), |_| "it was opened".to_owned())
}

/// A small component, through the library: as often as is wanted.
fn small(bench: &Bench, random: &mut Random) -> Result<Row, String> {
    let mut row = Row::new(PROMISE, "the same for a small component, each kind of damage in turn");
    let place = Place::new(bench)?;
    let (folder, other) = (place.path("small"), other(&place)?);
    let open = || answer_of(&SMALL, CompiledCache::Directory(folder.clone()));
    let right = open();
    let file = file_of(&folder)?;
    let whole = fs::read(&file).map_err(|error| error.to_string())?;
    for damage in ALL.iter().cycle().take(bench.scaled(600, 15_000)) {
        damage.put(&file, &whole, &other, random).map_err(|error| format!("{damage:?}: {error}"))?;
        let answer = open();
        let outcome = match (matches!(damage, Folder), answer == right) {
            (_, false) => Err(format!("another answer: {answer}")),
            (true, _) => Ok(()),
            _ => is_restored(&file, &whole, *damage),
        };
        row.count(outcome.map_err(|error| format!("{damage:?}: {error}")));
        if matches!(damage, Folder) {
            fs::remove_dir(&file).map_err(|error| error.to_string())?;
            open();
        }
    }
    Ok(row)
}

/// Processes that are killed while they compile and write, many at once, and what they leave.
fn killed(bench: &Bench, random: &mut Random) -> Result<Row, String> {
    let mut row = Row::new(
        "the next start answers, what is kept is whole, and what a killed writer left goes when it is old",
        "kill -9 of four first starts at once",
    );
    let place = Place::new(bench)?;
    let own = place.path("cache");
    let whole = compiled(&place, &own)?.1.len();
    fs::remove_dir_all(&own).map_err(|error| error.to_string())?;
    let mut left = 0;
    for _ in 0..bench.scaled(1, 8) {
        let mut starts = Vec::new();
        for _ in 0..4 {
            let mut command = place.lro(&["estimate", "/dev/null"]);
            let command = command
                .env("LRO_CACHE_DIR", &own)
                .stdout(std::process::Stdio::null())
                .stderr(std::process::Stdio::null());
            starts.push(command.spawn().map_err(|error| error.to_string())?);
        }
        std::thread::sleep(Duration::from_millis(random.number() % bench.scaled(4_000, 9_000)));
        for start in &mut starts {
            // It may have ended.
            let _ = start.kill();
            start.wait().map_err(|error| error.to_string())?;
        }
        left += age(&own)?;
        let mut command = place.lro(&["estimate", "/dev/null"]);
        let printed = place.end(command.env("LRO_CACHE_DIR", &own), b"")?.printed();
        // Only who compiles cleans up.
        let outcome = printed.map(drop).and_then(|()| whole_after(&place, &own, whole));
        row.count(outcome);
        fs::remove_dir_all(&own).map_err(|error| error.to_string())?;
    }
    Ok(row.seen(format!("{left} temporary files were left")))
}

/// Makes temporary files old, and counts them.
fn age(folder: &Path) -> Result<u32, String> {
    let mut parts = 0;
    for path in fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()) {
        if path.extension().is_some_and(|end| end == "part") {
            let file = File::options().write(true).open(&path).map_err(|error| error.to_string())?;
            let old = SystemTime::now() - Duration::from_secs(3600);
            file.set_times(FileTimes::new().set_modified(old)).map_err(|error| error.to_string())?;
            parts += 1;
        }
    }
    Ok(parts)
}

/// A damaged file is compiled again, and whoever does so removes what is old.
fn whole_after(place: &Place, folder: &Path, whole: usize) -> Result<(), String> {
    let file = file_of(folder)?;
    let bytes = fs::read(&file).map_err(|error| error.to_string())?.len();
    if bytes != whole {
        return Err(format!("the file has {bytes} bytes, not {whole}"));
    }
    fs::remove_file(&file).map_err(|error| error.to_string())?;
    let mut command = place.lro(&["estimate", "/dev/null"]);
    place.end(command.env("LRO_CACHE_DIR", folder), b"")?.printed()?;
    let parts = age(folder)?;
    if parts == 0 { Ok(()) } else { Err(format!("{parts} temporary files stay")) }
}
