//! Large Result Offloading over HTTP: what the applications for Spin and wasmCloud share.
//!
//! It holds no rule about results. What becomes of one is decided by the component beside the application, and what is
//! kept is kept in the application's [`Store`].
#![cfg(target_family = "wasm")]

use wasip2::http::types::{IncomingRequest, ResponseOutparam};

pub mod answer;
pub mod documents;
mod extraction;
pub mod http;
pub mod mcp;
pub mod name;
mod offloading;
pub mod problem;
pub mod routes;
pub mod settings;
pub mod store;

#[allow(missing_docs, unsafe_code, unreachable_pub, clippy::all, reason = "generated")]
mod bindings {
    wit_bindgen::generate!({
        path: ["../../wit", "wit"],
        world: "lro:http/contract",
        generate_all,
    });
}

use answer::Answer;
use http::Request;
use problem::Problem;
use routes::Route;
use settings::Settings;
use store::Store;

/// What an application decides for itself.
pub trait Application {
    /// The most bytes that a tool's result may have.
    const MOST_RESULT_BYTES: usize;

    /// Whether a request may bring settings of its own, in the header `lro-settings`: for tests alone.
    fn takes_settings(&self) -> bool {
        false
    }

    /// Whose results a request is about: the argument for [`Self::open`].
    ///
    /// # Errors
    /// `other` with status 401, for a request that shows no valid token in its header `authorization`.
    fn tenant(&self, authorization: &str) -> Result<String, Problem>;

    /// Opens the store with the results of a tenant.
    ///
    /// # Errors
    /// `io`: the store is away, or refuses.
    fn open(&self, tenant: &str) -> Result<Box<dyn Store>, Problem>;

    /// The routes that only this application has.
    fn more_routes(&self) -> &'static [Route] {
        &[]
    }

    /// Answers a request for one of them; `None` if it is for another route.
    fn more(&self, _call: &Call<'_>) -> Option<Result<Answer, Problem>> {
        None
    }
}

/// A request, and what it needs to be answered.
pub struct Call<'a> {
    /// What is asked.
    pub request: Request,
    /// The settings that hold for it.
    pub settings: Settings,
    /// Opens the store with the results of whoever asks.
    pub open: &'a dyn Fn() -> Result<Box<dyn Store>, Problem>,
}

/// Answers a request.
pub fn handle(application: &impl Application, incoming: IncomingRequest, out: ResponseOutparam) {
    let answer = answer(application, &incoming);
    http::send(answer.unwrap_or_else(|problem| problem.answer()), out);
}

fn answer<A: Application>(application: &A, incoming: &IncomingRequest) -> Result<Answer, Problem> {
    let tenant = match application.tenant(&http::field(incoming, "authorization")?) {
        Ok(tenant) => tenant,
        Err(problem) => {
            http::discard(incoming);
            return Err(problem);
        }
    };
    let request = http::read(incoming, A::MOST_RESULT_BYTES)?;
    let of_call =
        if application.takes_settings() { http::field(incoming, http::SETTINGS_HEADER)? } else { String::new() };
    let settings = Settings::read(&of_call)?;
    let open = || application.open(&tenant);
    let call = Call { request, settings, open: &open };
    application.more(&call).unwrap_or_else(|| routes::answer(&call, application.more_routes()))
}
