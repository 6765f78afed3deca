//! Which request is for what.

use serde::{Deserialize, Serialize};
use wasip2::http::types::Method;

use crate::answer::{Answer, Body};
use crate::bindings::lro::offload::offloader;
use crate::http::Request;
use crate::name::Name;
use crate::problem::Problem;
use crate::settings::PUBLIC_DIR;
use crate::{Call, extraction, offloading};

/// One route, as `GET /` lists it.
#[derive(Clone, Copy, Serialize)]
pub struct Route {
    /// Its method.
    pub method: &'static str,
    /// Its path, with `NAME` for the name of a result.
    pub path: &'static str,
    /// What is sent, and what comes back.
    pub what: &'static str,
}

const ROUTES: [Route; 6] = [
    Route { method: "GET", path: "/", what: "This list." },
    Route {
        method: "POST",
        path: "/offload",
        what: "The body is a tool's result, the header lro-request the JSON text of what is asked, with `operation` at least. Answers the same bytes (200), or the response of a result that was stored (201), whose file_path is its route here.",
    },
    Route {
        method: "POST",
        path: "/results/NAME",
        what: "Extracts: the body has one of `recipe`, `query` and criteria, and `next` of the page before. Answers one page of results as JSON values.",
    },
    Route { method: "GET", path: "/results/NAME", what: "The whole file: a header line, then one record a line." },
    Route { method: "DELETE", path: "/results/NAME", what: "Deletes it." },
    Route {
        method: "POST",
        path: "/cleanup",
        what: "Deletes results by age: {\"ttl_seconds\": 3600} those that were stored an hour ago or earlier.",
    },
];

/// The body of `POST /cleanup`. There is no default: what is deleted, the caller says.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Cleanup {
    ttl_seconds: u32,
}

/// Answers a request for a route that all applications have.
pub(crate) fn answer(call: &Call<'_>, more: &[Route]) -> Result<Answer, Problem> {
    let request = &call.request;
    match (&request.method, request.path.as_str()) {
        (Method::Get, "/") => Ok(Answer::json(200, &ROUTES.iter().chain(more).collect::<Vec<_>>())),
        (Method::Post, "/offload") => offloading::offload(call),
        (Method::Post, "/cleanup") => clean(call),
        (_, "/") => Err(misused(request, "GET")),
        (_, "/offload" | "/cleanup") => Err(misused(request, "POST")),
        (_, path) => {
            let name = name_in(path).ok_or_else(|| {
                Problem::not_found(format!("cannot answer `{path}`: there is no such route"), "GET / lists the routes.")
            })?;
            of_result(call, &Name::new(name)?)
        }
    }
}

/// The name in the path of a result, or in a `file_path`.
pub(crate) fn name_in(path: &str) -> Option<&str> {
    path.strip_prefix(PUBLIC_DIR).and_then(|rest| rest.strip_prefix('/'))
}

/// Requests for a stored result.
fn of_result(call: &Call<'_>, name: &Name) -> Result<Answer, Problem> {
    let request = &call.request;
    match &request.method {
        Method::Post => extraction::extract(name, call),
        _ if call.settings.keep_files() => Err(misused(request, "POST")),
        Method::Get => {
            let parts = (call.open)()?.parts(name)?;
            Ok(Answer { body: Body::Parts(parts), ..Answer::of(200, media_type(name), "") })
        }
        Method::Delete => (call.open)()?.delete(name).map(|()| Answer::of(204, "", "")),
        _ => Err(misused(request, "GET, POST, DELETE")),
    }
}

/// Records are JSON Lines; a text is kept as it came, behind its header line.
fn media_type(name: &Name) -> &'static str {
    if name.as_str().ends_with(".txt") { "text/plain; charset=utf-8" } else { "application/jsonl" }
}

fn clean(call: &Call<'_>) -> Result<Answer, Problem> {
    let Call { request, settings, .. } = call;
    if settings.keep_files() {
        let cleaning = offloader::cleanup(&request.body, &settings.text())?;
        offloading::report(&cleaning.events);
        let (deleted, freed_bytes, kept) = (cleaning.deleted, cleaning.freed_bytes, cleaning.kept);
        return Ok(Answer::json(
            200,
            &serde_json::json!({ "deleted": deleted, "freed_bytes": freed_bytes, "kept": kept }),
        ));
    }
    let asked: Cleanup = serde_json::from_str(&request.body).map_err(|error| {
        Problem::invalid(format!("cannot clean up: {error}"), "Say from which age on: {\"ttl_seconds\": 3600}.")
    })?;
    (call.open)()?.clean(asked.ttl_seconds.into()).map(|cleaned| Answer::json(200, &cleaned))
}

/// The problem with a method that a path does not have.
pub(crate) fn misused(request: &Request, allow: &'static str) -> Problem {
    Problem::method(format!("cannot answer `{}`: its method is none of {allow}", request.path), allow)
}
