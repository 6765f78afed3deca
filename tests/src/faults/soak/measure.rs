//! What a process holds, from `/proc`, and whether that grows.

use std::fs;
use std::path::Path;

/// Growth of memory that is no leak: what an allocator and a garbage collector keep differs from moment to moment.
const SLACK_MIB: u64 = 24;

/// What a process holds at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Sample {
    rss_mib: u64,
    descriptors: u64,
    threads: u64,
    files: u64,
}

impl Sample {
    /// Looks at a process, and at the directory that it writes to.
    pub(super) fn take(process: u32, output: &Path) -> Result<Self, String> {
        let of = |error| format!("cannot look at process {process}: {error}");
        let status = fs::read_to_string(format!("/proc/{process}/status")).map_err(of)?;
        let number = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name));
            line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok()).unwrap_or_default()
        };
        let descriptors = fs::read_dir(format!("/proc/{process}/fd")).map_err(of)?.count() as u64;
        Ok(Self { rss_mib: number("VmRSS:") / 1024, descriptors, threads: number("Threads:"), files: files(output) })
    }
}

/// The files in a directory and in those below it.
fn files(directory: &Path) -> u64 {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    entries.map(|entry| if entry.path().is_dir() { files(&entry.path()) } else { 1 }).sum()
}

/// What came of a row of samples.
pub(super) struct Flat {
    /// What has grown.
    pub(super) failures: Vec<String>,
    /// The largest figures after the first third, in words.
    pub(super) seen: String,
}

impl Flat {
    /// Compares the last third with the middle one. The first is the time that a server takes to reach its size.
    /// Files are flat where there are not many more than a cleaner leaves, `kept`; threads are where no more have come since
    /// the first sample than the server's pools may start, `pooled`.
    pub(super) fn of(samples: &[Sample], kept: u64, pooled: u64) -> Self {
        let third = samples.len() / 3;
        if third < 3 {
            return Self { failures: vec![format!("{} samples show nothing", samples.len())], seen: String::new() };
        }
        let pools_full = samples[0].threads + pooled;
        let (middle, last) = (largest(&samples[third..2 * third]), largest(&samples[2 * third..]));
        let rows = [
            ("MiB of memory", middle.rss_mib, last.rss_mib, SLACK_MIB + middle.rss_mib / 20),
            ("descriptors", middle.descriptors, last.descriptors, 2),
            ("threads", middle.threads, last.threads, pools_full.saturating_sub(middle.threads).max(2)),
            ("files", middle.files, last.files, (kept + 8).saturating_sub(middle.files)),
        ];
        let grown = rows.iter().filter(|(_, middle, last, slack)| last > &(middle + slack));
        let shown = rows.map(|(what, middle, last, _)| format!("{middle} and then {last} {what}"));
        Self {
            failures: grown.map(|(what, middle, last, _)| format!("{what} grow from {middle} to {last}")).collect(),
            seen: shown.join(", "),
        }
    }
}

/// The largest of each figure.
fn largest(samples: &[Sample]) -> Sample {
    let most = |figure: fn(&Sample) -> u64| samples.iter().map(figure).max().unwrap_or_default();
    Sample {
        rss_mib: most(|sample| sample.rss_mib),
        descriptors: most(|sample| sample.descriptors),
        threads: most(|sample| sample.threads),
        files: most(|sample| sample.files),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn growth_after_the_first_third_is_told() {
        let sample = |rss_mib, descriptors| Sample { rss_mib, descriptors, threads: 4, files: 10 };
        let flat: Vec<Sample> = (0..30).map(|at| sample(if at < 10 { 10 * at } else { 100 + at % 3 }, 9)).collect();
        assert!(Flat::of(&flat, 10, 0).failures.is_empty());
        let leaking: Vec<Sample> = (0..30).map(|at| sample(100 + 5 * at, 9 + at)).collect();
        let failures = Flat::of(&leaking, 10, 0).failures;
        assert!(failures[0].contains("memory") && failures[1].contains("descriptors"), "{failures:?}");
        assert!(!Flat::of(&flat[..5], 10, 0).failures.is_empty());
    }

    #[test]
    fn a_pool_may_fill_at_any_time_and_grows_no_further() {
        let sample = |threads| Sample { rss_mib: 100, descriptors: 9, threads, files: 10 };
        let filling: Vec<Sample> = (0..30).map(|at| sample(if at < 25 { 13 } else { 19 })).collect();
        assert!(Flat::of(&filling, 10, 24).failures.is_empty());
        assert!(Flat::of(&filling, 10, 0).failures[0].contains("threads"));
        let leaking: Vec<Sample> = (0..30).map(|at| sample(13 + at)).collect();
        assert!(Flat::of(&leaking, 10, 24).failures[0].contains("threads"));
    }
}
