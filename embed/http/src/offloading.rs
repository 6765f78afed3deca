//! `POST /offload`: a tool's result in, the same bytes or the response out.

use crate::Call;
use crate::answer::Answer;
use crate::bindings::lro::offload::offloader::{self, Offloading, Outcome, Stored};
use crate::bindings::lro::offload::types::Event;
use crate::http::Request;
use crate::name::Name;
use crate::problem::Problem;
use crate::settings::PUBLIC_DIR;

/// Decides what becomes of the result, and stores what is offloaded. A failed write does not fail the operation.
pub(crate) fn offload(call: &Call<'_>) -> Result<Answer, Problem> {
    let Call { request, settings, .. } = call;
    let offloading = offloader::offload(&request.body, &request.lro_request, &settings.text())?;
    report(&offloading.events);
    let stored = match &offloading.outcome {
        Outcome::Offloaded(stored) => store(stored, call),
        _ => Ok(()),
    };
    let Err(problem) = stored else { return Ok(answer(offloading, request)) };
    eprintln!("OffloadWriteFailed: {}", problem.message());
    let settings = settings.without_store(problem.message());
    let truncated = offloader::offload(&request.body, &request.lro_request, &settings)?;
    Ok(answer(truncated, request))
}

/// Stores the files of a result: all of them or none. Without contents they are files already.
fn store(stored: &Stored, call: &Call<'_>) -> Result<(), Problem> {
    let sections = stored.sections.iter().map(|section| (&section.file_name, &section.content));
    let mut files = Vec::new();
    // The first file names the others, so it comes last.
    for (file_name, content) in sections.chain([(&stored.file_name, &stored.content)]) {
        if let Some(content) = content {
            files.push((Name::new(file_name)?, content));
        }
    }
    if files.is_empty() {
        return Ok(());
    }
    let results = (call.open)()?;
    for (place, (name, content)) in files.iter().enumerate() {
        if let Err(problem) = results.put(name, content) {
            for (name, _) in &files[..place] {
                results.delete(name).unwrap_or_else(|problem| eprintln!("{}", problem.message()));
            }
            return Err(problem);
        }
    }
    Ok(())
}

fn answer(offloading: Offloading, request: &Request) -> Answer {
    let (outcome, answer) = match offloading.outcome {
        Outcome::Unchanged => ("unchanged", Answer::of(200, &request.media_type, request.body.as_str())),
        Outcome::Inline(text) => ("inline", Answer::of(200, &request.media_type, text)),
        Outcome::Truncated(text) => ("truncated", Answer::of(200, "application/json", text)),
        Outcome::Offloaded(stored) => {
            let location = format!("{PUBLIC_DIR}/{}", stored.file_name);
            ("offloaded", Answer::of(201, "application/json", stored.response).with("location", location))
        }
    };
    answer.with("lro-outcome", outcome).with("lro-estimated-tokens", offloading.estimated_tokens)
}

/// Events go to standard error, which hosts keep in the log of the component.
pub(crate) fn report(events: &[Event]) {
    for event in events {
        eprintln!("{}: {} {}", event.name, event.message, event.fields);
    }
}
