//! The Spin application: Large Result Offloading over HTTP.
//!
//! What it answers is in `lro-http`. What is kept is kept in the key-value store of the application, since a deployed one
//! has no files to write.
#![cfg(target_family = "wasm")]

use lro_http::problem::Problem;
use lro_http::store::Store;
use wasip2::exports::http::incoming_handler::Guest;
use wasip2::http::types::{IncomingRequest, ResponseOutparam};

mod results;

#[allow(missing_docs, unsafe_code, unreachable_pub, clippy::all, reason = "generated")]
mod bindings {
    wit_bindgen::generate!({ world: "lro:spin/application", generate_all });
}

struct Application;

impl lro_http::Application for Application {
    /// What the smallest known deployment of Spin takes as a request, and with the copies that a call makes of it still
    /// far below the 128 MiB of memory that one has there.
    const MOST_RESULT_BYTES: usize = 10 * 1024 * 1024;

    /// Spin has no login of its own, and the application knows one owner of results.
    fn tenant(&self, _authorization: &str) -> Result<String, Problem> {
        Ok(String::new())
    }

    fn open(&self, _tenant: &str) -> Result<Box<dyn Store>, Problem> {
        Ok(Box::new(results::Results::open()?))
    }
}

impl Guest for Application {
    fn handle(request: IncomingRequest, out: ResponseOutparam) {
        lro_http::handle(&Self, request, out);
    }
}

#[allow(unsafe_code, reason = "generated")]
mod export {
    use super::Application;
    wasip2::http::proxy::export!(Application);
}
