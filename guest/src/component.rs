//! The only module that knows WIT: it hands the calls of a host to the functions of this crate, and back.

#[allow(missing_docs, unsafe_code, unreachable_pub, clippy::all)]
mod bindings {
    wit_bindgen::generate!({ path: "../wit", world: "lro", generate_all });
}
