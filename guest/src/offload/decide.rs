//! Decides whether a result stays inline or goes to files. The draft renders it, and `calls` writes it.

use crate::error::Error;
use crate::file::events::Event;
use crate::file::file_name;
use crate::gate::Gate;
use crate::offload::contents::{Contents, Lists};
use crate::offload::draft::Draft;
use crate::offload::excess::{Cost, Excess};
use crate::offload::given;
use crate::offload::response::Size;
use crate::offload::saving;
use crate::offload::shortening::Shortening;
use crate::payload;
use crate::payload::Payload;
use crate::payload::detail::Detail;
use crate::payload::frame::{Form, join};
use crate::payload::notation;
use crate::payload::shown;
use crate::settings::Settings;
use crate::settings::request;

/// What to do.
#[derive(Debug)]
pub enum Decision<'a> {
    /// The payload is returned unchanged.
    Unchanged,
    /// Return this text.
    Inline(String),
    /// Write the draft to files, or answer it truncated.
    Offload(Box<Draft<'a>>),
    /// Return this truncated answer. Nothing is stored.
    Truncate(String),
}

/// What to do, and what was found on the way.
#[derive(Debug)]
pub struct Assessment<'a> {
    /// What to do.
    pub decision: Decision<'a>,
    /// Tokens of the result. Nothing is estimated when offloading is disabled: it is then 0.
    pub tokens: u32,
    /// What happened during the call.
    pub events: Vec<Event>,
}

/// The text in which the records are looked for.
pub fn payload_of<'a>(text: &'a str, request: &request::Offload) -> Payload<'a> {
    if request.may_be_wrapped() { Payload::of(text) } else { Payload::whole(text) }
}

/// True if what is read from a result depends on when it was made.
pub fn needs_moment(payload: &Payload<'_>, request: &request::Offload) -> bool {
    request.may_be_wrapped() && notation::needs_moment(payload.text())
}

/// What the records at the requested detail count against the threshold: tokens (LRO-02), or characters where it is in
/// those (SECTION-06).
pub fn estimate(payload: &Payload<'_>, request: &request::Offload, settings: &Settings) -> Result<u32, Error> {
    let contents = Contents::read_to_estimate(payload, request)?;
    Ok(Cost::of(&contents, payload, 0, request, settings).compared)
}

/// Decides, and estimates on the way.
pub fn decide<'a>(
    payload: &'a Payload<'_>,
    request: &request::Offload,
    settings: &Settings,
) -> Result<Assessment<'a>, Error> {
    let inline = |text: Option<String>, tokens, events| {
        // LRO-21: a formatted text is what an inline answer consists of, where there is one.
        let text = request.formatted.clone().or(text);
        Ok(Assessment { decision: text.map_or(Decision::Unchanged, Decision::Inline), tokens, events })
    };
    if !settings.enabled {
        return inline(None, 0, Vec::new());
    }
    let operation = file_name::operation_for(&request.operation, settings);
    given::check(request, settings)?;
    let contents = Contents::read(payload, request)?;
    let text = projected(&contents, request);
    let bytes = text.as_ref().map_or(payload.as_it_came().len(), String::len);
    let cost = Cost::of(&contents, payload, bytes, request, settings);
    let tokens = cost.tokens;
    let Some(excess) = Excess::of(cost, request, settings) else {
        return inline(text, tokens, Vec::new());
    };
    // It is as large as the result, and few need it from here on.
    drop(text);
    let mut events = vec![Event::detected(&operation, &excess.to_string(), &excess.fields(&operation))];
    let shortening = Shortening { payload, request, settings };
    let shortened = |text: String, reason: &str, mut events: Vec<Event>| {
        events.push(Event::truncated(&operation, reason));
        Ok(Assessment { decision: Decision::Truncate(text), tokens, events })
    };
    if request.truncates(settings) {
        return match shortening.by_mode(&contents, &excess) {
            Ok(text) => shortened(text, &excess.to_string(), events),
            Err(reason) => {
                events.push(Event::skipped(&operation, reason));
                inline(projected(&contents, request), tokens, events)
            }
        };
    }
    let is_capped = settings.is_too_large(payload.text());
    if let Contents::Lists(lists) = &contents {
        if let Some(cursor) = lists.cursor {
            let reason =
                format!("it has a live cursor, `{cursor}`, and a set is never offloaded and paginated at once");
            if is_capped {
                return shortened(shortening.by_cap(&contents, &reason), &reason, events);
            }
            events.push(Event::skipped(&operation, &reason));
            return inline(None, tokens, events);
        }
        if let Some(path) = request.records.as_ref().filter(|_| lists.not_found) {
            events.push(Event::records_not_found(&operation, &shown::path(path), &shown::path(&lists.main().path)));
        }
    }
    events.extend(given::missing(&contents, request, &operation));
    let size = Size::of(payload.text());
    let draft = Draft::new(contents, operation, tokens, size, request, settings).because(excess.gate());
    // GATE-06: nothing stays inline above the ceiling, and nothing above the last bound.
    let is_bound = is_capped || excess.gate() == Some(Gate::Ceiling);
    if let Some(cost) = saving::too_costly(&draft, tokens, settings).filter(|_| !is_bound) {
        events.push(Event::skipped(draft.operation(), &cost.reason()));
        return inline(projected(draft.contents(), request), tokens, events);
    }
    Ok(Assessment { decision: Decision::Offload(Box::new(draft)), tokens, events })
}

/// The records that were projected, in the form in which they came; nothing where none were.
fn projected(contents: &Contents<'_>, request: &request::Offload) -> Option<String> {
    let projects = request.projection().is_some_and(|detail| detail != Detail::Full);
    match contents {
        Contents::Lists(lists) if projects => Some(written(lists)),
        _ => None,
    }
}

/// Projected records in the form in which they came.
fn written(lists: &Lists<'_>) -> String {
    if lists.frame.form != Form::Object {
        return payload::write(lists.frame.form, lists.main().texts.iter());
    }
    let filled = lists.frame.fill(|place, text| {
        if let Some(list) = lists.lists.iter().find(|list| list.path == place.path) {
            join(text, list.texts.iter(), &place.separator);
        }
        Ok::<(), std::convert::Infallible>(())
    });
    filled.unwrap_or_else(|never| match never {})
}

#[cfg(test)]
mod tests;
