//! Which files go: the expired ones of ours, and the oldest where caps are given (LRO-34, decision 10).

use crate::file_name::{self, FileName};
use crate::header::Header;
use crate::instant;
use crate::request;
use crate::settings::Settings;

/// An interrupted write is left alone for at least this long: its writer may only be slow.
const PART_SECONDS: u32 = 3600;

/// A regular file with a name of ours, as it was found.
#[derive(Debug, Clone)]
pub struct Found {
    /// Its name.
    pub name: FileName,
    /// Its size.
    pub bytes: u64,
    /// When it was last written, milliseconds since 1970, where the file system says.
    pub modified: Option<u64>,
    /// Its header; `None` when the first line is not ours, or it is still being written.
    pub header: Option<Header>,
}

/// A file that goes.
#[derive(Debug, PartialEq, Eq)]
pub struct Doomed {
    /// Its name.
    pub name: FileName,
    /// Its size.
    pub bytes: u64,
    /// When it was created, milliseconds since 1970.
    pub created: u64,
    /// Why it goes.
    pub reason: String,
}

/// What cleanup is going to do.
#[derive(Debug, Default)]
pub struct Plan {
    /// The files that go, oldest first.
    pub doomed: Vec<Doomed>,
    /// Files of ours that stay.
    pub kept: u32,
}

/// Decides which of the files that were found go, at `now` milliseconds since 1970.
pub fn plan(found: Vec<Found>, now: u64, request: &request::Cleanup, settings: &Settings) -> Plan {
    let ttl = request.ttl_seconds.unwrap_or(settings.ttl_seconds);
    let mut plan = Plan::default();
    let mut staying = Vec::new();
    for file in found {
        let Some(parts) = file_name::parse(&file.name.name, &settings.prefix) else {
            continue;
        };
        let is_part = parts.is_part;
        let ulid_time = instant::of_ulid(parts.ulid);
        if !is_part && file.header.is_none() {
            continue;
        }
        // LRO-35: the header's timestamp, else the ULID's time, else the file system's. A part counts by its last write.
        let written = file.header.as_ref().and_then(|header| instant::milliseconds(&header.timestamp)).or(ulid_time);
        let created = if is_part { file.modified.or(ulid_time) } else { written.or(file.modified) };
        let Some(created) = created else {
            continue;
        };
        let own_ttl = file.header.as_ref().and_then(|header| header.lro.ttl_seconds);
        let seconds = if is_part { ttl.max(PART_SECONDS) } else { own_ttl.unwrap_or(ttl) };
        let doomed = |reason: String| Doomed { name: file.name.clone(), bytes: file.bytes, created, reason };
        if now >= created.saturating_add(u64::from(seconds) * 1000) {
            plan.doomed.push(doomed(if is_part {
                "its writing was interrupted".into()
            } else {
                format!("it is older than {seconds} s")
            }));
        } else if is_part {
            plan.kept += 1;
        } else {
            staying.push(doomed(String::new()));
        }
    }
    if request.shared_directory != Some(true) {
        over_caps(&mut staying, request, &mut plan);
    }
    plan.kept += u32::try_from(staying.len()).unwrap_or(u32::MAX);
    plan.doomed.sort_by(|a, b| (a.created, &a.name).cmp(&(b.created, &b.name)));
    plan
}

/// USER-08: the oldest go until both caps hold.
fn over_caps(staying: &mut Vec<Doomed>, request: &request::Cleanup, plan: &mut Plan) {
    staying.sort_by(|a, b| (b.created, &b.name).cmp(&(a.created, &a.name)));
    let mut bytes: f64 = staying.iter().map(|file| file.bytes as f64).sum();
    loop {
        let too_many = request.max_files.is_some_and(|most| staying.len() > most as usize);
        let too_large = request.max_bytes.is_some_and(|most| bytes > most);
        let reason = match (too_many, too_large) {
            (true, _) => "there are more files than max_files",
            (_, true) => "there are more bytes than max_bytes",
            _ => return,
        };
        let Some(oldest) = staying.pop() else {
            return;
        };
        bytes -= oldest.bytes as f64;
        plan.doomed.push(Doomed { reason: reason.into(), ..oldest });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::detail::Detail;
    use crate::header::{Deviations, TYPE};
    use crate::instant::{Instant, timestamp};

    const NOW: u64 = 1_790_000_000_000;

    /// A file that was created some seconds before now.
    fn found(seconds: u64, ttl_seconds: Option<u32>) -> Found {
        let created = NOW - seconds * 1000;
        let ulid = Instant { milliseconds: created, random: 0 }.ulid();
        Found {
            name: FileName::new("atlatl", "recall", &ulid, None, file_name::Extension::Lines),
            bytes: 100,
            modified: Some(NOW),
            header: Some(Header {
                header_type: TYPE.into(),
                operation: "recall".into(),
                query: None,
                count: 0,
                schema_version: "1.0.0".into(),
                timestamp: timestamp(created),
                estimated_tokens: 0,
                detail: Detail::Full,
                lro: Deviations { ttl_seconds, ..Deviations::default() },
            }),
        }
    }

    fn doomed(found: Vec<Found>, request: &request::Cleanup) -> Vec<u64> {
        let plan = plan(found, NOW, request, &Settings::default());
        plan.doomed.iter().map(|file| (NOW - file.created) / 1000).collect()
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
        let headless = Found { header: None, ..found(9999, None) };
        assert_eq!(doomed(vec![renamed, headless], &request::Cleanup::default()), [0_u64; 0]);
    }

    #[test]
    fn a_part_goes_only_when_it_has_not_been_written_to_for_long() {
        let part = |idle: u64| {
            let mut file = Found { header: None, modified: Some(NOW - idle * 1000), ..found(9999, None) };
            file.name.name.push_str(file_name::PART);
            file
        };
        let request = request::Cleanup { ttl_seconds: Some(0), ..Default::default() };
        assert_eq!(doomed(vec![part(3599), part(3600)], &request), [3600]);
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
}
