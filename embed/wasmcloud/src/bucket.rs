//! Stored results: one object each, in the bucket of a tenant.
//!
//! An object appears when all of it is written and is gone as a whole, so it needs no record beside it. The store cuts it
//! into chunks itself. The time at which a result was stored is in the ULID of its name.

use std::env;
use std::io::Write;
use std::time::{SystemTime, UNIX_EPOCH};

use lro_http::name::Name;
use lro_http::problem::Problem;
use lro_http::store::{Cleaned, Parts, Store, missing};
use wasip2::clocks::monotonic_clock;
use wasip2::io::poll;
use wasip2::io::streams::{InputStream, StreamError};

use crate::bindings::wasi::blobstore::blobstore::{create_container, get_container};
use crate::bindings::wasi::blobstore::container::Container;
use crate::bindings::wasi::blobstore::types::{IncomingValue, OutgoingValue};

/// With the value `true`, a bucket that is missing is created, with the host's defaults: results in it never expire.
const CREATES: &str = "LRO_CREATE_BUCKETS";

/// So much is asked for at once: half of what a host gives.
const READ_BYTES: u64 = 512 * 1024;

/// A store that sends nothing for so long is away. It is less than the 5 seconds after which a request of the host to NATS
/// ends: in the middle of an object, that request panics in wasmCloud 2.10, and the client gets a 500 without a word.
const PATIENCE_NANOSECONDS: u64 = 4_000_000_000;

/// A store that takes longer to say that an object does not exist has been away meanwhile.
const AT_ONCE_NANOSECONDS: u64 = 2_000_000_000;

/// So many names are asked for at once.
const NAMES: u64 = 1000;

/// The bucket of a tenant, open.
pub(crate) struct Bucket {
    name: String,
    container: Container,
}

impl Bucket {
    pub(crate) fn open(name: &str) -> Result<Self, Problem> {
        let creates = || env::var(CREATES).is_ok_and(|value| value == "true");
        let container =
            get_container(name).or_else(|reason| if creates() { create_container(name) } else { Err(reason) });
        let container = container.map_err(|reason| failed(&format!("open the bucket `{name}`"), &reason))?;
        Ok(Self { name: name.to_owned(), container })
    }

    /// The value of a result.
    ///
    /// A host says of any object that it cannot get that it does not exist, also if the store is away. A store that is there
    /// says so at once, and again.
    fn value(&self, name: &Name) -> Result<IncomingValue, Problem> {
        let what = format!("read `{name}`");
        let get = |container: &Container| container.get_data(name.as_str(), 0, u64::MAX);
        if let Ok(value) = get(&self.container) {
            return Ok(value);
        }
        let began = monotonic_clock::now();
        let container = get_container(&self.name).map_err(|reason| failed(&what, &reason))?;
        get(&container).map_err(|reason| match monotonic_clock::now() - began {
            ..AT_ONCE_NANOSECONDS => missing(name),
            _ => failed(&what, &reason),
        })
    }

    /// How many bytes a result has. The mark of a deleted object has none, a result always a header.
    fn bytes(&self, name: &str) -> Option<u64> {
        self.container.object_info(name).ok().map(|info| info.size).filter(|size| *size > 0)
    }
}

impl Store for Bucket {
    fn put(&self, name: &Name, content: &str) -> Result<(), Problem> {
        let store = |reason: &str| failed(&format!("store `{name}`"), reason);
        let value = OutgoingValue::new_outgoing_value();
        self.container.write_data(name.as_str(), &value).map_err(|reason| store(&reason))?;
        let mut stream = value.outgoing_value_write_body().map_err(|()| store("its stream cannot be opened"))?;
        stream
            .write_all(content.as_bytes())
            .and_then(|()| Write::flush(&mut stream))
            .map_err(|error| store(&error.to_string()))?;
        drop(stream);
        OutgoingValue::finish(value).map_err(|reason| store(&reason))
    }

    fn parts(&self, name: &Name) -> Result<Parts, Problem> {
        let value = self.value(name)?;
        let bytes = value.size();
        if bytes == 0 {
            return Err(missing(name));
        }
        let stream = IncomingValue::incoming_value_consume_async(value)
            .map_err(|reason| failed(&format!("read `{name}`"), &reason))?;
        Ok(Parts { bytes, parts: Box::new(Reading { stream, what: format!("read `{name}`"), left: bytes }) })
    }

    fn delete(&self, name: &Name) -> Result<(), Problem> {
        if self.value(name)?.size() == 0 {
            return Err(missing(name));
        }
        self.container.delete_object(name.as_str()).map_err(|reason| failed(&format!("delete `{name}`"), &reason))
    }

    fn clean(&self, seconds: u64) -> Result<Cleaned, Problem> {
        let list = |reason: String| failed("list what is stored", &reason);
        let names = self.container.list_objects().map_err(list)?;
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
        let mut cleaned = Cleaned::default();
        loop {
            let (some, is_end) = names.read_stream_object_names(NAMES).map_err(list)?;
            for name in some {
                let Some(stored) = stored_at(&name) else { continue };
                if now < stored.saturating_add(seconds) {
                    cleaned.kept += 1;
                } else if let Some(bytes) = self.bytes(&name) {
                    self.container
                        .delete_object(&name)
                        .map_err(|reason| failed(&format!("delete `{name}`"), &reason))?;
                    cleaned.deleted += 1;
                    cleaned.freed_bytes += bytes;
                }
            }
            if is_end {
                return Ok(cleaned);
            }
        }
    }
}

/// An object as it comes.
struct Reading {
    stream: InputStream,
    what: String,
    left: u64,
}

impl Reading {
    /// Waits until there is something to read; false if nothing came in time.
    fn is_ready(&self) -> bool {
        let (something, time) = (self.stream.subscribe(), monotonic_clock::subscribe_duration(PATIENCE_NANOSECONDS));
        poll::poll(&[&something, &time]).contains(&0)
    }

    fn fails(&mut self, reason: &str) -> Option<Result<Vec<u8>, Problem>> {
        self.left = 0;
        Some(Err(failed(&self.what, reason)))
    }
}

impl Iterator for Reading {
    type Item = Result<Vec<u8>, Problem>;

    fn next(&mut self) -> Option<Self::Item> {
        while self.left > 0 {
            if !self.is_ready() {
                return self.fails(&format!("nothing came for {} seconds", PATIENCE_NANOSECONDS / 1_000_000_000));
            }
            match self.stream.read(READ_BYTES) {
                Ok(part) if part.is_empty() => {}
                Ok(part) => {
                    self.left = self.left.saturating_sub(part.len() as u64);
                    return Some(Ok(part));
                }
                Err(StreamError::Closed) => return self.fails(&format!("it ends {} bytes early", self.left)),
                Err(StreamError::LastOperationFailed(error)) => return self.fails(&error.to_debug_string()),
            }
        }
        None
    }
}

/// The seconds since 1970 in the ULID of a name that is ours: `PREFIX-OPERATION-ULID.jsonl`, and a list's own after that.
fn stored_at(name: &str) -> Option<u64> {
    Name::new(name).ok()?;
    let ulid = name.split(['-', '.']).rev().find(|word| word.len() == 26)?;
    let digit = |byte: u8| b"0123456789ABCDEFGHJKMNPQRSTVWXYZ".iter().position(|digit| *digit == byte);
    ulid.bytes().all(|byte| digit(byte).is_some()).then_some(())?;
    let milliseconds = ulid.bytes().take(10).try_fold(0_u64, |sum, byte| Some(sum * 32 + digit(byte)? as u64))?;
    Some(milliseconds / 1000)
}

fn failed(what: &str, reason: &str) -> Problem {
    Problem::io(
        format!("cannot {what}: {reason}"),
        "Try again later; the operator can see in the log whether the store is there.",
    )
}
