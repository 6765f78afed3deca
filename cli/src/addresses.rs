//! The addresses that a proxy needs, where the system limits them (`ulimit -v`).

#![cfg(target_os = "linux")]

use std::fs;

use crate::failure::Failure;

/// What wasmtime reserves for one call: 4 GiB for the component's memory, and 32 MiB before and behind it.
const CALL_BYTES: u64 = (4 << 30) + (64 << 20);

/// What else a proxy reserves: the compiled component, stacks of threads, and a heap of 64 MiB for each of its first threads.
/// With less, the C library may end the process as a thread starts, without a word of ours.
const THREADS_BYTES: u64 = 512 << 20;

/// The limit in an error is a multiple of this: a process does not always have the same addresses as it starts.
const SAID_BYTES: u64 = 64 << 20;

/// Refuses what would fail later, and then may fail at any moment.
///
/// # Errors
/// The limit leaves too few addresses for a call and the threads of a proxy.
pub(crate) fn suffice_for_a_proxy() -> Result<(), Failure> {
    let Some(limit) = rustix::process::getrlimit(rustix::process::Resource::As).current else { return Ok(()) };
    let needed = mapped_bytes().saturating_add(CALL_BYTES + THREADS_BYTES);
    if limit >= needed {
        return Ok(());
    }
    let enough = needed.next_multiple_of(SAID_BYTES);
    Err(Failure::Unusable(format!(
        "cannot start the proxy: it may use {} MiB of addresses and needs {} (raise the limit: `ulimit -v {}`)",
        limit >> 20,
        enough >> 20,
        enough >> 10,
    )))
}

/// The addresses that this process has, in bytes; none where the system does not say.
fn mapped_bytes() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let size = status.lines().find_map(|line| line.strip_prefix("VmSize:"));
    let kibibytes = size.and_then(|size| size.trim().strip_suffix(" kB")?.trim_end().parse::<u64>().ok());
    kibibytes.unwrap_or(0) << 10
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_system_says_how_many_addresses_there_are() {
        assert!(super::mapped_bytes() > 1 << 20);
    }
}
