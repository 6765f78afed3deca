//! The engine that is most often asked about: a component of the contract in wasmtime.

use serde_json::{Value, json};

use crate::case::{self, Directory, Function};
use crate::engine::{Answer, Call, Engine};
use crate::full_disk::FullDisk;
use lro::{
    CleanupRequest, Error, Event, Failure, Findings, Hit, Lro, Offloading, Options, Outcome, Passage, Rewriting, Source,
};

/// A component in wasmtime, one sandbox a call.
pub struct ComponentEngine(Lro);

impl ComponentEngine {
    /// The embedded component, or another one of the contract.
    ///
    /// # Errors
    /// Those of [`Lro::open`]; a component that lacks an interface is told so.
    pub fn open(component: Option<Vec<u8>>) -> Result<Self, Error> {
        Lro::open(&Options::default().component(component).prepare_output_dir(false)).map(Self)
    }

    fn answer(&self, call: &Call<'_>) -> Result<Value, Error> {
        if call.function == Function::Resolve {
            let variable = |(name, value): (&String, &String)| (name.clone(), value.clone());
            let environment: Vec<_> = call.environment.iter().map(variable).collect();
            let settings = self.0.resolve(call.file_text, &environment, &call.settings.clone().into());
            return settings.map(Value::Object);
        }
        // A case may be about a directory that is missing.
        let options = Options::of(call.directory).prepare_output_dir(false);
        let options = options.read_only(call.access == Directory::ReadOnly).settings(call.settings.clone());
        let lro = self.0.reopen(&options)?;
        let lro = if call.access == Directory::Full { lro.with_fault(&FullDisk)? } else { lro };
        let request = || call.request.clone();
        match call.function {
            Function::Estimate => Ok(json!({"tokens": lro.estimate(call.payload, &request().into())?})),
            Function::Offload => Ok(offloading(&lro.offload(call.payload, &request().into())?, call.payload)),
            Function::Extract => extraction(&lro, call),
            Function::Read => read(&lro, call),
            Function::Search => search(&lro, call),
            Function::Describe => Ok(json!({"text": lro.describe(&source(call))?})),
            Function::Rebuild => Ok(json!({"text": lro.rebuild(&source(call))?})),
            Function::ListFiles => Ok(json!({"text": lro.list_files(&request().into())?})),
            Function::Copies => Ok(json!({"text": lro.copies(&source(call))?})),
            Function::Cleanup | Function::Resolve => cleaning(&lro, &request().into()),
            Function::McpTools => Ok(json!({"text": lro.mcp_tools()?})),
            Function::McpCall => Ok(json!({"text": lro.mcp_call(call.tool(), &call.arguments())?})),
            Function::McpOffloadResult => rewritten(&lro, call),
            Function::McpOffloadTools => Ok(rewriting(call.payload, lro.mcp_offload_tools(call.payload)?)),
            Function::McpResolveArguments => {
                let arguments = call.arguments();
                Ok(rewriting(&arguments, lro.mcp_resolve_arguments(call.tool(), &arguments)?))
            }
        }
    }
}

impl Engine for ComponentEngine {
    fn name(&self) -> &str {
        "component"
    }

    fn call(&self, call: &Call<'_>) -> Answer {
        match self.answer(call) {
            Ok(answer) => Answer::Done(answer),
            Err(error) => Answer::Failed(error.to_json()),
        }
    }
}

fn offloading(offloading: &Offloading, payload: &str) -> Value {
    let mut answer = json!({
        "text": offloading.text(payload),
        "estimated_tokens": offloading.estimated_tokens,
        "events": events(&offloading.events),
    });
    answer["outcome"] = match &offloading.outcome {
        Outcome::Unchanged => "unchanged".into(),
        Outcome::Inline(_) => "inline".into(),
        Outcome::Truncated(_) => "truncated".into(),
        Outcome::Offloaded(stored) => {
            answer["file_name"] = stored.file_name.as_str().into();
            answer["content"] = stored.content.as_deref().into();
            "offloaded".into()
        }
    };
    answer
}

fn source(call: &Call<'_>) -> Source {
    match call.source {
        Some(case::Source::Content(text)) => Source::Content(text.clone()),
        Some(case::Source::File(file)) => Source::File(file.clone()),
        None => Source::File(String::new()),
    }
}

fn extraction(lro: &Lro, call: &Call<'_>) -> Result<Value, Error> {
    let page = lro.extract(&source(call), &call.request.clone().into())?;
    let failure = |failure: &Failure| json!({"line": failure.line, "message": failure.message, "hint": failure.hint});
    let failures: Vec<Value> = page.failures.iter().map(failure).collect();
    Ok(json!({
        "text": page.results,
        "count": page.count,
        "total": page.total,
        "truncated": page.truncated,
        "next": page.next,
        "failed": page.failed,
        "failures": failures,
        "remarks": page.remarks,
    }))
}

fn read(lro: &Lro, call: &Call<'_>) -> Result<Value, Error> {
    let Passage { text, first, last, total, truncated, next, remarks } =
        lro.read(&source(call), &call.request.clone().into())?;
    Ok(json!({
        "text": text, "first": first, "last": last, "total": total, "truncated": truncated, "next": next, "remarks": remarks
    }))
}

fn search(lro: &Lro, call: &Call<'_>) -> Result<Value, Error> {
    let Findings { hits, total, lines, truncated, next, remarks } =
        lro.search(&source(call), &call.request.clone().into())?;
    let hit = |hit: &Hit| {
        let Hit { line, character, length, text, start, before, after } = hit;
        json!({
            "line": line, "character": character, "length": length, "text": text, "start": start, "before": before,
            "after": after
        })
    };
    let hits: Vec<Value> = hits.iter().map(hit).collect();
    Ok(json!({"hits": hits, "total": total, "lines": lines, "truncated": truncated, "next": next, "remarks": remarks}))
}

fn cleaning(lro: &Lro, request: &CleanupRequest) -> Result<Value, Error> {
    let cleaning = lro.cleanup(request)?;
    Ok(json!({
        "deleted": cleaning.deleted,
        "freed_bytes": cleaning.freed_bytes,
        "kept": cleaning.kept,
        "events": events(&cleaning.events),
    }))
}

fn rewritten(lro: &Lro, call: &Call<'_>) -> Result<Value, Error> {
    let rewritten = lro.mcp_offload_result(call.tool(), &call.arguments(), call.payload)?;
    let message = match rewritten.message {
        Rewriting::Unchanged => None,
        Rewriting::Replaced(text) => Some(text),
    };
    let mut answer = rewriting(call.payload, message);
    answer["file_name"] = rewritten.file_name.into();
    answer["events"] = events(&rewritten.events).into();
    Ok(answer)
}

fn rewriting(given: &str, message: Option<String>) -> Value {
    match message {
        None => json!({"outcome": "unchanged", "text": given}),
        Some(text) => json!({"outcome": "replaced", "text": text}),
    }
}

fn events(events: &[Event]) -> Vec<Value> {
    events.iter().map(Event::to_json).collect()
}
