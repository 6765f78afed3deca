//! What is in an offloaded file.

pub mod describe;
