//! Variables that are missing or nonsense: the answer does not depend on them.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;

use super::calls::{ALL, Call, Calls, PROMISE, Promise};
use crate::faults::row::Row;

const MUST_SUCCEED: Promise = Promise { must_succeed: true, ..PROMISE };

/// Homes and temporary folders. The compiled component stays at hand, except in the first few, which compile it.
pub(super) fn folders(calls: &Calls) -> Row {
    let mut row = Row::new(
        "each call gives its answer",
        "no HOME, no cache folder or one that cannot be used, TMPDIR of all kinds",
    );
    // A read-only folder that root cannot write to either.
    for (cache, home) in
        [(None, None), (None, Some("/proc")), (Some("/proc/lro"), None), (Some("/dev/null"), Some("rel"))]
    {
        let mut command = calls.command(Call::Offload, &[]);
        for (name, value) in [("LRO_CACHE_DIR", cache), ("HOME", home), ("XDG_CACHE_HOME", None)] {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        row.count(
            calls
                .attempt(Call::Offload, &mut command, &MUST_SUCCEED)
                .map_err(|error| format!("{cache:?} {home:?}: {error}")),
        );
    }
    let no_text = OsString::from_vec(b"/tmp/\xff".to_vec());
    let folders = ["", "/nonexistent", "/etc/passwd", "rel", "/dev/null", "/proc"].map(OsString::from);
    for folder in folders.into_iter().chain([no_text, OsString::from("/tmp/".repeat(2_000))]) {
        for call in ALL.into_iter().filter(|_| calls.is_due()) {
            let mut command = calls.command(call, &[]);
            command.env("TMPDIR", &folder).env("HOME", &folder);
            row.count(
                calls
                    .attempt(call, &mut command, &MUST_SUCCEED)
                    .map_err(|error| format!("TMPDIR {folder:.40?}: {error}")),
            );
        }
    }
    calls.tidy();
    row
}

/// No programs to be found, no variables at all.
pub(super) fn programs(calls: &Calls) -> Row {
    let mut row = Row::new(
        "each call gives its answer; the proxy says which server it cannot start",
        "PATH empty, missing or nonsense, a locale and a time zone that do not exist",
    );
    for (name, value) in [
        ("PATH", Some("")),
        ("PATH", Some("/nonexistent")),
        ("PATH", None),
        ("LC_ALL", Some("xx_XX.nonsense")),
        ("TZ", Some("Nowhere/At/All")),
        ("TZ", Some(":/etc/passwd")),
        ("RUST_LOG", Some("trace")),
        ("NO_COLOR", Some("")),
    ] {
        for call in ALL.into_iter().filter(|_| calls.is_due()) {
            let mut command = calls.command(call, &[]);
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
            // Its server is found by that variable.
            let promise = if call == Call::Proxy && name == "PATH" { &PROMISE } else { &MUST_SUCCEED };
            row.count(calls.attempt(call, &mut command, promise).map_err(|error| format!("{name}={value:?}: {error}")));
        }
    }
    calls.tidy();
    row
}
