//! Chooses the files to delete: expired ones, and the oldest ones if caps are given (LRO-34, decision 10).

use crate::file::file_name::{self, FileName};
use crate::file::instant;
use crate::file::remnant::Lead;
use crate::settings::Settings;
use crate::settings::request;

/// What an interrupted write or a loss of power has left stays for at least this long: its writer may only be slow.
const LEFT_SECONDS: u32 = 3600;

/// A regular file with the name of an offloaded file, as found in the directory.
#[derive(Debug, Clone)]
pub struct FoundFile {
    /// Its name.
    pub name: FileName,
    /// Its size.
    pub bytes: u64,
    /// When it was last written, in milliseconds since 1970, if the file system knows.
    pub modified: Option<u64>,
    /// What it is by its first line. That of a file that is still being written does not matter.
    pub lead: Lead,
}

/// A file that may go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// Its name.
    pub name: FileName,
    /// Its size.
    pub bytes: u64,
    /// When it was created, milliseconds since 1970.
    pub created: u64,
    /// Why it is deleted; empty if it stays.
    pub reason: String,
}

/// What happens to a file.
#[derive(Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is not ours.
    Foreign,
    /// It goes.
    Expired(Candidate),
    /// It stays, unless there are too many.
    Stays(Candidate),
    /// It stays: somebody may be writing to it, or has put it aside.
    InUse,
}

/// Judges a file of a purge: all of ours go, whatever their age (USER-08).
pub fn judge_any(file: FoundFile, now: u64, settings: &Settings) -> Verdict {
    let Some(parts) = file_name::parse(&file.name.name, &settings.prefix).filter(|_| file.lead != Lead::Foreign) else {
        return Verdict::Foreign;
    };
    let in_header = match file.lead {
        Lead::Header { created, .. } => created,
        _ => None,
    };
    let created = in_header.or_else(|| instant::of_ulid(&parts.stem.ulid)).unwrap_or(now);
    Verdict::Expired(Candidate { name: file.name, bytes: file.bytes, created, reason: "it is purged".into() })
}

/// A quick cleanup leaves younger files alone, whatever their TTL: it comes with a write, and whoever asked for that is
/// about to read.
const YOUNG_SECONDS: u32 = 300;

/// True if a file of this name can have expired: a quick cleanup opens no other.
pub fn may_have_expired(name: &str, now: u64, settings: &Settings) -> bool {
    let created = file_name::parse(name, &settings.prefix).and_then(|parts| instant::of_ulid(&parts.stem.ulid));
    created.is_some_and(|created| now >= instant::expiry(created, settings.ttl_seconds.max(YOUNG_SECONDS)))
}

/// Judges a file at `now`, milliseconds since 1970.
pub fn judge(file: FoundFile, now: u64, request: &request::Cleanup, settings: &Settings) -> Verdict {
    let ttl = request.ttl_seconds.unwrap_or(settings.ttl_seconds);
    let Some(parts) = file_name::parse(&file.name.name, &settings.prefix) else {
        return Verdict::Foreign;
    };
    let in_name = instant::of_ulid(&parts.stem.ulid);
    // LRO-35: the header's timestamp, else the ULID's time, else the file system's. What is not whole counts by its
    // last write.
    let (created, seconds, reason) = match (parts.is_part, file.lead) {
        (true, _) => (file.modified.or(in_name), ttl.max(LEFT_SECONDS), Some("its writing was interrupted")),
        (false, Lead::Remnant) => (file.modified.or(in_name), ttl.max(LEFT_SECONDS), Some("it has lost its content")),
        (false, Lead::Header { kept: true, .. }) => return Verdict::InUse,
        (false, Lead::Header { created, ttl_seconds, .. }) => {
            (created.or(in_name).or(file.modified), ttl_seconds.unwrap_or(ttl), None)
        }
        (false, Lead::Foreign) => return Verdict::Foreign,
    };
    let Some(created) = created else {
        return Verdict::Foreign;
    };
    let candidate = |reason: String| Candidate { name: file.name, bytes: file.bytes, created, reason };
    match (now >= instant::expiry(created, seconds), reason) {
        (true, Some(reason)) => Verdict::Expired(candidate(reason.into())),
        (true, None) => Verdict::Expired(candidate(format!("it is older than {seconds} s"))),
        (false, Some(_)) => Verdict::InUse,
        (false, None) => Verdict::Stays(candidate(String::new())),
    }
}

/// USER-08: takes the oldest documents out of those that stay until both caps hold. A document goes with all of its
/// files.
pub fn over_caps(staying: &mut Vec<Candidate>, request: &request::Cleanup) -> Vec<Candidate> {
    if request.shared_directory == Some(true) || (request.max_files.is_none() && request.max_bytes.is_none()) {
        return Vec::new();
    }
    let mut files = staying.len();
    let mut bytes: f64 = staying.iter().map(|file| file.bytes as f64).sum();
    let mut documents = documents(std::mem::take(staying));
    documents.sort_by(|a, b| (b[0].created, &b[0].name).cmp(&(a[0].created, &a[0].name)));
    let mut doomed = Vec::new();
    loop {
        let too_many = request.max_files.is_some_and(|most| files > most as usize);
        let too_large = request.max_bytes.is_some_and(|most| bytes > most);
        let reason = match (too_many, too_large) {
            (true, _) => "there are more files than max_files",
            (_, true) => "there are more bytes than max_bytes",
            _ => break,
        };
        let Some(oldest) = documents.pop() else { break };
        for file in oldest {
            files -= 1;
            bytes -= file.bytes as f64;
            doomed.push(Candidate { reason: reason.into(), ..file });
        }
    }
    staying.extend(documents.into_iter().flatten());
    doomed
}

/// The files of each document: written at one moment, in one folder, with ULIDs that follow each other.
fn documents(files: Vec<Candidate>) -> Vec<Vec<Candidate>> {
    let number = |file: &Candidate| instant::number_of_ulid(&file.name.ulid()?);
    let mut files: Vec<(Option<u128>, Candidate)> = files.into_iter().map(|file| (number(&file), file)).collect();
    files.sort_by(|(a, x), (b, y)| (&x.name.session, a).cmp(&(&y.name.session, b)));
    let mut documents: Vec<Vec<Candidate>> = Vec::new();
    let mut before: Option<u128> = None;
    for (number, file) in files {
        let follows = before.and_then(|before| before.checked_add(1)).is_some_and(|next| Some(next) == number);
        match documents.last_mut() {
            Some(document)
                if follows && document[0].created == file.created && document[0].name.session == file.name.session =>
            {
                document.push(file);
            }
            _ => documents.push(vec![file]),
        }
        before = number;
    }
    documents
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file::instant::Instant;
    use crate::file::naming::Stem;

    const NOW: u64 = 1_790_000_000_000;

    /// A file that was created some seconds before now.
    fn found(seconds: u64, ttl_seconds: Option<u32>) -> FoundFile {
        let created = NOW - seconds * 1000;
        let stem = Stem::new("recall", Instant { milliseconds: created, random: 0 });
        FoundFile {
            name: FileName::new(&stem, None, file_name::Extension::Lines, &Settings::default()),
            bytes: 100,
            modified: Some(NOW),
            lead: Lead::Header { created: Some(created), ttl_seconds, kept: false, count: 1, estimated_tokens: 1 },
        }
    }

    fn doomed(found: Vec<FoundFile>, request: &request::Cleanup) -> Vec<u64> {
        let (mut expired, mut staying) = (Vec::new(), Vec::new());
        for file in found {
            match judge(file, NOW, request, &Settings::default()) {
                Verdict::Expired(file) => expired.push(file),
                Verdict::Stays(file) => staying.push(file),
                Verdict::Foreign | Verdict::InUse => {}
            }
        }
        expired.extend(over_caps(&mut staying, request));
        expired.sort_by_key(|file| file.created);
        expired.iter().map(|file| (NOW - file.created) / 1000).collect()
    }

    #[test]
    fn a_file_expires_at_created_plus_ttl_and_its_own_ttl_wins() {
        let files = vec![found(3599, None), found(3600, None), found(61, Some(60)), found(5000, Some(9000))];
        assert_eq!(doomed(files, &request::Cleanup::default()), [3600, 61]);
        let request = request::Cleanup { ttl_seconds: Some(10), ..Default::default() };
        assert_eq!(doomed(vec![found(11, None), found(11, Some(60))], &request), [11]);
    }

    #[test]
    fn other_names_and_other_first_lines_stay() {
        let mut renamed = found(9999, None);
        renamed.name.name = "notes.jsonl".into();
        let headless = FoundFile { lead: Lead::Foreign, ..found(9999, None) };
        assert_eq!(doomed(vec![renamed, headless], &request::Cleanup::default()), [0_u64; 0]);
    }

    #[test]
    fn a_part_goes_only_when_it_has_not_been_written_to_for_long() {
        let part = |idle: u64| {
            let mut file = FoundFile { lead: Lead::Remnant, modified: Some(NOW - idle * 1000), ..found(9999, None) };
            file.name.name.push_str(file_name::PART);
            file
        };
        let request = request::Cleanup { ttl_seconds: Some(0), ..Default::default() };
        assert_eq!(doomed(vec![part(3599), part(3600)], &request), [3600]);
        let remnant =
            |idle: u64| FoundFile { lead: Lead::Remnant, modified: Some(NOW - idle * 1000), ..found(9999, None) };
        assert_eq!(doomed(vec![remnant(3599), remnant(3601)], &request), [3601], "nor what has lost its content");
    }

    #[test]
    fn caps_take_the_oldest_and_never_act_on_a_shared_directory() {
        let files = || vec![found(30, None), found(10, None), found(20, None)];
        let by_count = request::Cleanup { max_files: Some(1), ..Default::default() };
        assert_eq!(doomed(files(), &by_count), [30, 20]);
        let by_bytes = request::Cleanup { max_bytes: Some(200.0), ..Default::default() };
        assert_eq!(doomed(files(), &by_bytes), [30]);
        let shared = request::Cleanup { shared_directory: Some(true), ..by_count };
        assert_eq!(doomed(files(), &shared), [0_u64; 0]);
    }

    #[test]
    fn caps_take_documents_as_a_whole() {
        let of_document = |place: u128| {
            let mut file = found(30, None);
            let stem = Stem::new("recall", Instant { milliseconds: NOW - 30_000, random: 7 + place });
            file.name = FileName::new(&stem, None, file_name::Extension::Lines, &Settings::default());
            file
        };
        let files = vec![of_document(0), found(10, None), of_document(1), of_document(2)];
        let request = request::Cleanup { max_files: Some(3), ..Default::default() };
        assert_eq!(doomed(files, &request), [30, 30, 30]);
    }

    #[test]
    fn bytes_are_counted_down_and_the_reason_is_told() {
        let mut staying: Vec<Candidate> = [40, 30, 20, 10]
            .map(|seconds| match judge(found(seconds, None), NOW, &request::Cleanup::default(), &Settings::default()) {
                Verdict::Stays(file) => file,
                other => panic!("{other:?}"),
            })
            .into();
        let request = request::Cleanup { max_bytes: Some(250.0), ..Default::default() };
        let doomed = over_caps(&mut staying, &request);
        let told: Vec<_> = doomed.iter().map(|file| ((NOW - file.created) / 1000, &*file.reason)).collect();
        assert_eq!(told, [40, 30].map(|age| (age, "there are more bytes than max_bytes")));
        assert_eq!(staying.len(), 2);
    }

    #[test]
    fn a_purged_file_is_as_old_as_its_header_says() {
        let mut renamed = found(30, None);
        renamed.name = found(10, None).name;
        let Verdict::Expired(file) = judge_any(renamed, NOW, &Settings::default()) else { panic!("all of ours go") };
        assert_eq!((NOW - file.created) / 1000, 30);
    }

    #[test]
    fn files_of_one_moment_are_one_document_only_where_their_numbers_follow_each_other() {
        let files = |randoms: [u128; 2], sessions: [Option<&str>; 2]| {
            let stem = |random| Stem::new("recall", Instant { milliseconds: NOW, random });
            let name = |(random, session)| {
                FileName::new(&stem(random), session, file_name::Extension::Lines, &Settings::default())
            };
            let file = |pair| Candidate { name: name(pair), bytes: 1, created: NOW, reason: "".into() };
            documents(randoms.into_iter().zip(sessions).map(file).collect()).len()
        };
        assert_eq!(files([7, 8], [None, None]), 1);
        assert_eq!(files([7, 9], [None, None]), 2);
        assert_eq!(files([7, 8], [Some("a"), Some("b")]), 2);
    }
}
