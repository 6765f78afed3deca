//! How long a call may run and how much memory it may hold.

use std::time::Duration;

const MIB: u64 = 1 << 20;

/// Limits of each kind of call. What is `None` takes the default, which grows with the data.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct Limits {
    /// For `extract`, `describe`, `read`, `search` and `rebuild`. Default: 2 s and 1 s more for each 20 MB of the file; ten
    /// times the file, at least 256 MiB and at most 1 GiB.
    pub extract: CallLimits,
    /// For `offload` and `estimate`. Default: 10 s and 1 s more for each 20 MB of the payload; three times the payload and
    /// 128 MiB. An offload that reaches them returns the truncated result, and leaves no file.
    pub offload: CallLimits,
    /// For `cleanup`. Default: 60 s and 256 MiB, enough for a hundred thousand files.
    pub cleanup: CallLimits,
}

impl Limits {
    /// Limits of `extract`, `describe` and `rebuild`.
    #[must_use]
    pub fn extract(self, extract: CallLimits) -> Self {
        Self { extract, ..self }
    }

    /// Limits of `offload` and `estimate`.
    #[must_use]
    pub fn offload(self, offload: CallLimits) -> Self {
        Self { offload, ..self }
    }

    /// Limits of `cleanup`.
    #[must_use]
    pub fn cleanup(self, cleanup: CallLimits) -> Self {
        Self { cleanup, ..self }
    }
}

/// Limits of one call.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct CallLimits {
    /// Time that the component may run. Time that the host waits for its reader does not count.
    pub timeout: Option<Duration>,
    /// Memory of the component in MiB.
    pub max_memory_mib: Option<u32>,
}

impl CallLimits {
    /// Time that the component may run.
    #[must_use]
    pub fn timeout(self, timeout: impl Into<Option<Duration>>) -> Self {
        Self { timeout: timeout.into(), ..self }
    }

    /// Memory of the component in MiB.
    #[must_use]
    pub fn max_memory_mib(self, mebibytes: impl Into<Option<u32>>) -> Self {
        Self { max_memory_mib: mebibytes.into(), ..self }
    }
}

/// Limits as they hold for one call, all defaults filled in.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    /// No limit when `None`.
    pub(crate) time: Option<Duration>,
    pub(crate) memory_bytes: u64,
}

impl Limits {
    /// For an extraction from `file_bytes` bytes.
    pub(crate) fn extraction(&self, file_bytes: u64) -> Bounds {
        // 20 MB a second is ten times slower than a standard recipe runs.
        let default_time = Duration::from_secs(2) + Duration::from_micros(file_bytes / 20);
        Bounds {
            time: Some(self.extract.timeout.unwrap_or(default_time)),
            memory_bytes: self.extract.memory_or(file_bytes.saturating_mul(10).clamp(256 * MIB, 1024 * MIB)),
        }
    }

    /// For offloading or estimating `payload_bytes` bytes.
    pub(crate) fn offloading(&self, payload_bytes: usize) -> Bounds {
        // A plain result of 60 MB takes half a second: a hostile one may cost twenty times that.
        let default_time = Duration::from_secs(10) + Duration::from_micros(payload_bytes as u64 / 20);
        Bounds {
            time: Some(self.offload.timeout.unwrap_or(default_time)),
            memory_bytes: self.offload.memory_or(beside(payload_bytes)),
        }
    }

    /// For the truncated answer to an offload that was stopped, whatever that was limited to: it stores nothing, and parses
    /// next to nothing.
    pub(crate) fn truncating(payload_bytes: usize) -> Bounds {
        let time = Duration::from_secs(5) + Duration::from_micros(payload_bytes as u64 / 20);
        Bounds { time: Some(time), memory_bytes: beside(payload_bytes) }
    }

    /// For rewriting an MCP message of `message_bytes` bytes. Beside the message there are its texts, without the escapes
    /// that they have in it, and the message that is answered.
    pub(crate) fn offloading_message(&self, message_bytes: usize) -> Bounds {
        self.offloading(message_bytes.saturating_mul(2))
    }

    /// For cleaning up.
    pub(crate) fn cleaning(&self) -> Bounds {
        Bounds {
            time: Some(self.cleanup.timeout.unwrap_or(Duration::from_secs(60))),
            memory_bytes: self.cleanup.memory_or(256 * MIB),
        }
    }

    /// For resolving settings, which are a few lines of text.
    pub(crate) fn resolving() -> Bounds {
        Bounds { time: Some(Duration::from_secs(10)), memory_bytes: 64 * MIB }
    }
}

/// Memory for a payload and what is made of it. Documents of records need 1.2 times their size; 6 MB of `[1,1,…]`, whose
/// records are a byte each, 110 MB.
fn beside(payload_bytes: usize) -> u64 {
    payload_bytes as u64 * 3 + 128 * MIB
}

impl CallLimits {
    fn memory_or(&self, default_bytes: u64) -> u64 {
        self.max_memory_mib.map_or(default_bytes, |mebibytes| u64::from(mebibytes) * MIB)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::{Bounds, Limits, MIB};

    #[test]
    fn the_defaults_are_those_of_every_host() {
        let path = format!("{}/../tests/hosts.json", env!("CARGO_MANIFEST_DIR"));
        let hosts: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
        let limits = Limits::default();
        let bounds = |call: &str, bytes: u64| -> Bounds {
            let size = usize::try_from(bytes).unwrap();
            match call {
                "extraction" => limits.extraction(bytes),
                "offloading" => limits.offloading(size),
                "offloading_message" => limits.offloading_message(size),
                "truncating" => Limits::truncating(size),
                "cleaning" => limits.cleaning(),
                "resolving" => Limits::resolving(),
                _ => panic!("no host has limits of {call}"),
            }
        };
        for (call, rows) in hosts["limits"].as_object().unwrap() {
            for row in rows.as_array().unwrap() {
                let bounds = bounds(call, row["bytes"].as_u64().unwrap());
                let found = (bounds.time.map(|time| time.as_millis() as u64), bounds.memory_bytes / MIB);
                assert_eq!(found, (row["milliseconds"].as_u64(), row["mebibytes"].as_u64().unwrap()), "{call} {row}");
            }
        }
    }
}
