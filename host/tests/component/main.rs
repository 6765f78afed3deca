//! The library on the real component, one module a subject.
//!
//! What a case of `tests/cases` can say is said there and holds for every component; here is what needs this host: modes,
//! links, mounts, limits, threads.

mod cache;
mod cleanup;
mod confinement;
mod files;
mod given;
mod keeping;
mod limits;
mod listing;
mod no_directory;
mod object_store;
mod parts;
mod payload_file;
mod short_files;
mod styles;
mod sweep;
mod write_failures;
