//! The contract of `wit/` as Rust: generated, private, and shown to callers through `answer` and `error`.

#![allow(missing_docs, unreachable_pub, reason = "generated code; the documentation stands in wit/")]

wasmtime::component::bindgen!({ path: "../wit", world: "lro" });
