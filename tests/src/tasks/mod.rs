//! Tasks as data, and a player that plays them to the end: what an answer costs, in calls and in tokens
//! (tests/tasks/README.md).
//!
//! A *task* is a question to a document with its answer, which the real jq computes. A *strategy* is a rule that
//! decides what a model reads and calls until it has the answer. A *conversation* counts what is read and written on the way.

pub mod break_even;
pub mod client;
pub mod conversation;
pub mod documents;
pub mod made;
pub mod model;
pub mod page;
pub mod picture;
pub mod player;
pub mod reader;
pub mod report;
pub mod strategies;
pub mod table;
pub mod task;
