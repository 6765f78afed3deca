//! What is in an offloaded file, passages of it, and the document that its records came in.

pub mod address;
pub mod describe;
pub mod queried;
pub mod reader;
pub mod rebuild;
