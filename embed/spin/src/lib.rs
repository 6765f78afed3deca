//! The Spin application: Large Result Offloading over HTTP.
//!
//! It holds no rule about results. What becomes of one is decided by the component that it depends on, and what is kept is
//! kept in the key-value store of the application, since a deployed one has no files to write.

use wasip2::exports::http::incoming_handler::Guest;
use wasip2::http::types::{IncomingRequest, ResponseOutparam};

mod answer;
mod extraction;
mod http;
mod name;
mod offloading;
mod problem;
mod results;
mod routes;
mod settings;

#[allow(missing_docs, unsafe_code, unreachable_pub, clippy::all, reason = "generated")]
mod bindings {
    wit_bindgen::generate!({
        path: ["../../wit", "wit"],
        world: "lro:spin/application",
        generate_all,
    });
}

struct Application;

impl Guest for Application {
    fn handle(request: IncomingRequest, out: ResponseOutparam) {
        let answer = http::read(request).and_then(|request| routes::answer(&request));
        http::send(answer.unwrap_or_else(|problem| problem.answer()), out);
    }
}

#[allow(unsafe_code, reason = "generated")]
mod export {
    use super::Application;
    wasip2::http::proxy::export!(Application);
}
