//! Filters and files that mean no good, on the component and on the command: each ends within its limits in a right
//! result or a typed error, the next call is as good as the first, and what lies outside is not opened (EXTRACT-12, 14,
//! 15, 20).

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use lro::{CallLimits, Case, CompiledCache, Error, ExtractRequest, Limits, Lro, Options, Source};
use serde_json::Value;
use tempfile::TempDir;

const FILTERS: &str = include_str!("hostile/filters.txt");
const FILES: &str = include_str!("hostile/files.jsonl");

const NAME: &str = "atlatl-recall-01JZ0000000000000000000001.jsonl";
const HEADER: &str = r#"{"type":"lro_header","operation":"recall","query":null,"count":3,"schema_version":"1.0.0","timestamp":"2999-01-01T00:00:00Z","estimated_tokens":10,"detail":"full"}"#;
const RECORDS: &str =
    "{\"id\":\"m1\",\"a\":[1,[2,{\"b\":null}]]}\n{\"id\":\"m2\",\"a\":null}\n{\"id\":\"m3\",\"a\":{\"b\":\"x\"}}\n";

/// What stands in a file beside the output directory, and must not be seen.
const SECRET: &str = "canary-that-nobody-reads";

/// The limit on time for what has no end: a tenth of the default, so that the suite is quick.
const TIMEOUT: Duration = Duration::from_millis(400);

/// The limit for what has an end. A busy machine may give a call a tenth of a processor.
const PATIENCE: Duration = Duration::from_secs(7);

/// A call is stopped soon after its limit, even on a busy machine.
const SOON: Duration = Duration::from_secs(8);

/// A page of endless results is cut here.
const LIMIT: u32 = 1000;

struct Place {
    root: TempDir,
    lro: Lro,
    timeout: Duration,
}

impl Place {
    /// A place for what has an end.
    fn new(records: &[u8]) -> Self {
        Self::with(PATIENCE, records)
    }

    fn with(timeout: Duration, records: &[u8]) -> Self {
        let root = TempDir::new().unwrap();
        let output = root.path().join("output");
        fs::create_dir(&output).unwrap();
        fs::write(root.path().join("canary"), SECRET).unwrap();
        fs::write(output.join(NAME), [HEADER.as_bytes(), b"\n", records].concat()).unwrap();
        let lro = opened(&output, timeout);
        Self { root, lro, timeout }
    }

    fn file(&self) -> PathBuf {
        self.root.path().join("output").join(NAME)
    }

    fn extract(&self, filter: &str) -> Result<lro::Extraction, Error> {
        let request = ExtractRequest::default().query(filter).limit(LIMIT);
        let start = Instant::now();
        let answer = self.lro.extract(&Source::File(NAME.to_owned()), &request);
        assert!(start.elapsed() < SOON, "`{filter:.80}` ran for {:?}", start.elapsed());
        answer
    }

    fn command(&self, filter: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_lro"));
        command.args(["extract", "--json-errors", "--limit", "1000", "--query", filter]);
        command.args(["--timeout", &self.timeout.as_secs_f64().to_string()]);
        command.arg(self.file()).current_dir(self.root.path()).stdin(Stdio::null());
        command.env("LRO_CACHE_DIR", concat!(env!("CARGO_TARGET_TMPDIR"), "/compiled"));
        command
    }
}

/// The component, compiled once for all tests.
fn opened(output: &Path, timeout: Duration) -> Lro {
    static COMPILED: std::sync::OnceLock<Lro> = std::sync::OnceLock::new();
    let cache = || CompiledCache::Directory(concat!(env!("CARGO_TARGET_TMPDIR"), "/compiled").into());
    let compiled = COMPILED.get_or_init(|| Lro::open(&Options::default().compiled_cache(cache())).unwrap());
    let extract = CallLimits::default().timeout(timeout);
    let limits = Limits::default().extract(extract);
    compiled.reopen(&Options::of(output.to_owned()).limits(limits)).unwrap()
}

/// The filters, each with the ways in which it may end.
fn filters() -> Vec<(Vec<&'static str>, String)> {
    let lines = FILTERS.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let row = |line: &'static str| {
        let (ends, filter) = line.split_once(" | ").expect("a line has the ends and the filter");
        (ends.split(' ').collect(), filled(filter))
    };
    lines.map(row).collect()
}

/// A text with its repetitions written out.
fn filled(text: &str) -> String {
    let mut filled = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("<<repeat ") {
        let (count, after) = after.split_once(' ').expect("a repetition has a number");
        let end = after.find(">>").expect("a repetition ends");
        filled.push_str(before);
        filled.push_str(&after[..end].repeat(count.parse().expect("it is a number")));
        rest = &after[end + 2..];
    }
    filled + rest
}

/// How a call ended: `results`, a limit by its name, or the case of its error.
fn end_of(answer: &Result<lro::Extraction, Error>) -> String {
    match answer {
        Ok(_) => "results".to_owned(),
        Err(Error::Case(Case::LimitReached(problem))) => problem.limit.clone(),
        Err(error) => error.case().to_owned(),
    }
}

/// Where filters run that end so.
struct Places {
    hurried: Place,
    patient: Place,
}

impl Places {
    fn new() -> Self {
        let records = RECORDS.as_bytes();
        Self { hurried: Place::with(TIMEOUT, records), patient: Place::new(records) }
    }

    fn of(&self, ends: &[&str]) -> &Place {
        if ends.contains(&"timeout_ms") { &self.hurried } else { &self.patient }
    }
}

#[test]
fn hostile_filters_end_in_the_component() {
    let places = Places::new();
    let filters = filters();
    let mut wrong = Vec::new();
    for (ends, filter) in &filters {
        let answer = places.of(ends).extract(filter);
        let end = end_of(&answer);
        if !ends.contains(&end.as_str()) {
            wrong.push(format!("{end}, not {ends:?}: {filter:.100}: {:.200}", format!("{answer:?}")));
        }
        if let Err(error) = &answer {
            assert!(!error.message().contains(SECRET), "{filter}");
        }
        assert_eq!(places.patient.extract(".id").unwrap().count, 3, "the call after `{filter:.80}`");
    }
    println!("{} filters", filters.len());
    assert!(filters.len() >= 60, "only {} filters are listed", filters.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn hostile_filters_end_in_the_command() {
    let places = Places::new();
    // The first call compiles the component.
    assert!(places.patient.command(".id").output().unwrap().status.success());
    let mut wrong = Vec::new();
    for (ends, filter) in filters() {
        let start = Instant::now();
        let output = places.of(&ends).command(&filter).output().unwrap();
        assert!(start.elapsed() < SOON, "`{filter:.80}` ran for {:?}", start.elapsed());
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        let error = text.lines().find_map(|line| serde_json::from_str::<Value>(line).ok());
        let end = match (output.status.code(), &error) {
            (Some(0), None) => "results",
            (Some(1), Some(error)) => error["limit"].as_str().or(error["case"].as_str()).unwrap_or("?"),
            _ => "no answer",
        };
        if !ends.contains(&end) {
            wrong.push(format!("{end}, not {ends:?}: {filter:.100}: {text:.200}"));
        }
        assert!(!String::from_utf8_lossy(&output.stdout).contains(SECRET), "{filter}");
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn hostile_files_lose_nothing_but_their_hostile_lines() {
    let mut wrong = Vec::new();
    for line in FILES.lines() {
        let row: Value = serde_json::from_str(line).unwrap();
        // One character stands for one byte, so that a text can be what is no text.
        let text = filled(row["text"].as_str().unwrap());
        let bytes: Vec<u8> = text.chars().map(|c| u8::try_from(u32::from(c)).expect("it is a byte")).collect();
        let place = Place::new(&bytes);
        for filter in ["select(.id == 1 or true) | 1", "if type == \"object\" then 1 else 1 end"] {
            let found = match place.extract(filter) {
                Ok(page) => (page.count, page.failed),
                Err(error) => {
                    wrong.push(format!("{}: {error}", row["what"]));
                    continue;
                }
            };
            let expected = (row["results"].as_u64(), row["failed"].as_u64());
            if (Some(found.0.into()), Some(found.1.into())) != expected {
                wrong.push(format!("{}: {found:?}, not {expected:?}", row["what"]));
            }
        }
        let output = place.command(".").output().unwrap();
        let text = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{}: {text:.300}", row["what"]);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_hundred_megabytes_on_one_line_are_one_record() {
    let mut records = b"{\"id\":1,\"t\":\"".to_vec();
    records.resize(100 << 20, b'x');
    records.extend_from_slice(b"\"}\n{\"id\":2}\n");
    let place = Place::new(&records);
    let lro = place.lro.reopen(&Options::default().output_dir(place.file().parent().map(Path::to_owned)));
    for (filter, expected) in [
        (".id", "1\n2\n"),
        (".t | length", "104857587\n0\n"),
        ("[.id, .t[:3]] | tojson", "\"[1,\\\"xxx\\\"]\"\n\"[2,null]\"\n"),
    ] {
        let request = ExtractRequest::default().query(filter);
        let page = lro.as_ref().unwrap().extract(&Source::File(NAME.to_owned()), &request).unwrap();
        assert_eq!(page.results, expected, "{filter}");
    }
    assert!(matches!(place.extract("."), Ok(_) | Err(Error::Case(Case::LimitReached(_)))), "it is larger than a page");
}

#[test]
fn a_file_that_changes_meanwhile_is_read_as_it_is_or_an_error() {
    let many = RECORDS.repeat(20_000);
    for change in ["delete", "truncate", "replace", "append"] {
        let place = Place::new(many.as_bytes());
        let file = place.file();
        let changing = std::thread::spawn(move || {
            for i in 0..20 {
                std::thread::sleep(Duration::from_millis(2));
                // A file that has gone already cannot be changed once more.
                let _ = match change {
                    "delete" => fs::remove_file(&file),
                    "truncate" => {
                        fs::OpenOptions::new().write(true).open(&file).and_then(|f| f.set_len(3_000_000 / (i + 1)))
                    }
                    "replace" => fs::write(&file, format!("{HEADER}\n{RECORDS}")),
                    _ => fs::write(&file, format!("{HEADER}\n{}", RECORDS.repeat(i as usize))),
                };
            }
        });
        for filter in [".id", "select(.a == null)"] {
            let answer = place.extract(filter);
            let end = end_of(&answer);
            assert!(
                ["results", "not-found", "io", "not-an-offload", "timeout_ms"].contains(&&*end),
                "{change}: {answer:?}"
            );
        }
        changing.join().unwrap();
        let other = Place::new(RECORDS.as_bytes());
        assert_eq!(other.extract(".id").unwrap().count, 3);
    }
}

#[cfg(unix)]
#[test]
fn what_is_no_regular_file_is_not_opened() {
    let place = Place::new(b"");
    let file = place.file();
    let made: [(&str, &dyn Fn() -> bool); 3] = [
        ("pipe", &|| Command::new("mkfifo").arg(&file).status().is_ok_and(|status| status.success())),
        ("link to a device", &|| std::os::unix::fs::symlink("/dev/zero", &file).is_ok()),
        ("link to the canary", &|| std::os::unix::fs::symlink("../canary", &file).is_ok()),
    ];
    for (what, make) in made {
        fs::remove_file(&file).unwrap();
        assert!(make(), "cannot make a {what}");
        let answer = place.extract(".");
        assert!(matches!(answer, Err(Error::Case(Case::Outside(_)))), "{what}: {answer:?}");
        let output = place.command(".").output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{what}");
    }
}

/// From outside: no hostile filter makes the command open the canary. Where strace is missing, or may not trace, the other
/// tests stand alone.
#[cfg(target_os = "linux")]
#[test]
fn the_canary_is_not_opened() {
    let place = Place::new(RECORDS.as_bytes());
    let log = place.root.path().join("log");
    let traced = |command: &Command| {
        let mut strace = Command::new("strace");
        strace.args(["-f", "-qq", "-e", "trace=open,openat,openat2,execve,connect,socket", "-o"]).arg(&log);
        strace.arg(command.get_program()).args(command.get_args()).current_dir(place.root.path());
        strace.stdin(Stdio::null()).output().is_ok_and(|output| output.status.code().is_some())
    };
    if !traced(&place.command(".id")) || fs::read_to_string(&log).is_ok_and(|log| !log.contains("execve")) {
        println!("strace cannot be used here");
        return;
    }
    let reaching =
        ["import \"canary\" as $x; .", "include \"canary\"; .", "\"canary\" | modulemeta", "input", "$ENV", "."];
    for filter in reaching {
        assert!(traced(&place.command(filter)));
        let log = fs::read_to_string(&log).unwrap();
        assert!(log.contains(NAME), "the file itself is opened: {log}");
        for forbidden in ["canary\"", "/etc/passwd", "AF_INET"] {
            let opened = log.lines().filter(|line| !line.contains("execve")).any(|line| line.contains(forbidden));
            assert!(!opened, "`{filter}` opens {forbidden}");
        }
        assert_eq!(log.matches("execve(").count(), 1, "`{filter}` starts a process");
    }
}
