//! All conformance cases on an adapter, by the command: `lro conformance --engine`.

use std::process::Command;

use serde_json::Value;

use crate::command;

/// The command that plays all cases on an adapter, for `played`. Its folder and variables are those of the adapter.
pub fn player(adapter: &str) -> Command {
    let mut player = Command::new(command::lro());
    player.args(["conformance", "--json", "--engine", adapter]);
    player
}

/// Plays all cases, and returns how it went as one line. The adapter must have no way to run exactly so many of them.
///
/// # Panics
/// If a case fails that is not a gap, a gap passes, or the adapter breaks the protocol.
pub fn played(player: &mut Command, unable: u64) -> String {
    let output = player.output().unwrap_or_else(|error| panic!("cannot start `{player:?}`: {error}"));
    let remarks = String::from_utf8_lossy(&output.stderr);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{remarks}"));
    assert!(output.status.success(), "{:#}\n{remarks}", report["failures"]);
    assert_eq!(report["unable"], unable, "cases that the adapter has no way to run");
    format!("{} conformance cases, {unable} more cannot be run", report["cases"])
}
