//! Stored results in the key-value store.
//!
//! A value of Spin's store has at most a megabyte, so a result is a record under its name, and parts under `NAME#1`,
//! `NAME#2`, …. The record is written first and deleted last: what is interrupted leaves a record, by which `clean` finds
//! it. A name is given to nobody before all its parts are written, and a result that lacks one is not read.

use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use lro_http::name::Name;
use lro_http::problem::Problem;
use lro_http::store::{self, Cleaned, Parts, missing};

use crate::bindings::fermyon::spin::key_value::{Error, Store};

/// The store that every application has; `spin.toml` grants it.
const LABEL: &str = "default";

/// As large as a value may be everywhere: Spin states one megabyte.
const PART_BYTES: usize = 1_000_000;

/// What is stored under the name of a result.
#[derive(Serialize, Deserialize)]
struct Record {
    /// When it was stored, in seconds since 1970.
    stored: u64,
    bytes: usize,
    parts: usize,
}

/// The store, open.
pub(crate) struct Results(Store);

impl Results {
    pub(crate) fn open() -> Result<Self, Problem> {
        Store::open(LABEL).map(Self).map_err(|error| problem("open the key-value store", &error))
    }

    fn record(&self, name: &Name) -> Result<Option<Record>, Problem> {
        let Some(value) = self.0.get(name.as_str()).map_err(|error| reading(name, &error))? else { return Ok(None) };
        serde_json::from_slice(&value).map(Some).map_err(|_| missing(name))
    }

    fn delete_parts(&self, name: &Name, record: &Record) -> Result<(), Problem> {
        (1..=record.parts)
            .map(|number| part_key(name, number))
            .chain([name.to_string()])
            .try_for_each(|key| self.0.delete(&key))
            .map_err(|error| problem(&format!("delete `{name}`"), &error))
    }
}

impl store::Store for Results {
    fn put(&self, name: &Name, content: &str) -> Result<(), Problem> {
        let parts = content.as_bytes().chunks(PART_BYTES);
        let record = Record { stored: now(), bytes: content.len(), parts: parts.len() };
        let set = |key: &str, value: &[u8]| {
            self.0.set(key, value).map_err(|error| problem(&format!("store `{name}`"), &error))
        };
        let put = || {
            set(name.as_str(), &serde_json::to_vec(&record).expect("a record has text keys"))?;
            (1..).zip(parts).try_for_each(|(number, part)| set(&part_key(name, number), part))
        };
        put().inspect_err(|_| {
            if let Err(problem) = self.delete_parts(name, &record) {
                eprintln!("{}", problem.message());
            }
        })
    }

    /// All of them are checked first, so there is one part here.
    fn parts(&self, name: &Name) -> Result<Parts, Problem> {
        let record = self.record(name)?.ok_or_else(|| missing(name))?;
        let mut content = Vec::with_capacity(record.bytes);
        for number in 1..=record.parts {
            let part = self.0.get(&part_key(name, number)).map_err(|error| reading(name, &error))?;
            content.extend(part.ok_or_else(|| missing(name))?);
        }
        if content.len() != record.bytes {
            return Err(Problem::io(format!("cannot read `{name}`: its parts do not fit together"), ""));
        }
        Ok(Parts { bytes: record.bytes as u64, parts: Box::new(std::iter::once(Ok(content))) })
    }

    fn delete(&self, name: &Name) -> Result<(), Problem> {
        let record = self.record(name)?.ok_or_else(|| missing(name))?;
        self.delete_parts(name, &record)
    }

    fn clean(&self, seconds: u64) -> Result<Cleaned, Problem> {
        let keys = self.0.get_keys().map_err(|error| problem("list what is stored", &error))?;
        let now = now();
        let mut cleaned = Cleaned::default();
        for name in keys.iter().filter_map(|key| Name::new(key).ok()) {
            match self.record(&name) {
                Ok(Some(record)) if now >= record.stored.saturating_add(seconds) => {
                    self.delete_parts(&name, &record)?;
                    cleaned.deleted += 1;
                    cleaned.freed_bytes += record.bytes as u64;
                }
                Ok(Some(_)) => cleaned.kept += 1,
                // Deleted in between, or a value that is not ours.
                Ok(None) | Err(_) => {}
            }
        }
        Ok(cleaned)
    }
}

/// No name has a `#`.
fn part_key(name: &Name, number: usize) -> String {
    format!("{name}#{number}")
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs())
}

fn reading(name: &Name, error: &Error) -> Problem {
    problem(&format!("read `{name}`"), error)
}

fn problem(what: &str, error: &Error) -> Problem {
    let (reason, hint) = match error {
        Error::StoreTableFull => ("too many stores are open", "Try again later."),
        Error::NoSuchStore => ("there is no key-value store `default`", "The operator has to configure it."),
        Error::AccessDenied => ("the store is not granted", "key_value_stores in spin.toml has to name `default`."),
        Error::Other(reason) => (reason.as_str(), "Try again later."),
    };
    Problem::io(format!("cannot {what}: {reason}"), hint)
}
