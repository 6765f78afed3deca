//! The Spin application of `embed/spin`, composed with the component of the built command, over real HTTP requests. Spin
//! itself is not there: wasmtime's HTTP, and a key-value store as strict as Spin's, stand for it.

mod application;
mod client;
mod extracting;
mod files;
mod host;
mod offloading;
mod refusing;
mod shape;
mod store;
mod storing;
