//! The wasmCloud application: Large Result Offloading over HTTP and MCP, on any number of hosts.
//!
//! What it answers is in `lro-http`. What is kept is kept in a bucket for each tenant, which all hosts share.
#![cfg(target_family = "wasm")]

use lro_http::answer::Answer;
use lro_http::problem::Problem;
use lro_http::routes::Route;
use lro_http::store::Store;
use lro_http::{Call, documents, mcp};
use wasip2::exports::http::incoming_handler::Guest;
use wasip2::http::types::{IncomingRequest, ResponseOutparam};

mod bucket;
mod tenants;

#[allow(missing_docs, unsafe_code, unreachable_pub, clippy::all, reason = "generated")]
mod bindings {
    wit_bindgen::generate!({
        world: "lro:wasmcloud/application",
        with: {
            "wasi:io/error@0.2.12": wasip2::io::error,
            "wasi:io/poll@0.2.12": wasip2::io::poll,
            "wasi:io/streams@0.2.12": wasip2::io::streams,
        },
        generate_all,
    });
}

/// Opens the header `lro-settings`, for tests.
const TAKES_SETTINGS: &str = "LRO_CALL_SETTINGS";

struct Application;

impl lro_http::Application for Application {
    /// A call holds about four copies of a result, and a component of 32 bits ends at 4 GiB; a host with 16 such calls at
    /// once needs 4 GiB.
    const MOST_RESULT_BYTES: usize = 64 * 1024 * 1024;

    fn takes_settings(&self) -> bool {
        std::env::var(TAKES_SETTINGS).is_ok_and(|value| value == "open")
    }

    fn tenant(&self, authorization: &str) -> Result<String, Problem> {
        tenants::bucket_of(authorization)
    }

    fn open(&self, tenant: &str) -> Result<Box<dyn Store>, Problem> {
        Ok(Box::new(bucket::Bucket::open(tenant)?))
    }

    fn more_routes(&self) -> &'static [Route] {
        const { &[documents::ROUTES[0], documents::ROUTES[1], documents::ROUTES[2], documents::ROUTES[3], mcp::ROUTE] }
    }

    fn more(&self, call: &Call<'_>) -> Option<Result<Answer, Problem>> {
        mcp::answer(call).or_else(|| documents::answer(call))
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
