//! Faults of the disk: processes that are killed, disks that are full, system calls that fail, and directories that change.
//!
//! What is promised is the same in all of them ([`stage`]): a file under a final name is whole, nothing is lost before its
//! time, the answer is one of those that are promised, and the next call works.

pub(super) mod calls;
pub(super) mod directory;
pub(super) mod disks;
mod document;
pub(super) mod kills;
mod operation;
mod program;
mod stage;
mod steps;
mod talk;
mod traced;
mod tries;
