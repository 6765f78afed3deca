//! What a model is shown stays small and is ours, whatever the records, their names, the request and the directory are
//! (LRO-17, LRO-26, LRO-33, USER-12, GATE-11): the bound of a response, of a description and of a truncated answer, and
//! words of others that cannot pose as ours.
//!
//! The same cases run each time; `PROPTEST_CASES` and `PROPTEST_RNG_SEED` make others.

mod answers;
mod any;
mod given;
mod known;
mod words;
