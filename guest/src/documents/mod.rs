//! What is in an offloaded file, and the document that its records came in.

pub mod address;
pub mod describe;
pub mod queried;
pub mod rebuild;
