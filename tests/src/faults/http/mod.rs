//! What the suites about HTTP share: servers and clients of bytes, and the command as a process.

pub(super) mod chance;
pub(super) mod process;
pub(super) mod site;
pub(super) mod speaker;
pub(super) mod talk;
