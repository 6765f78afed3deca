//! Changes the answer to `tools/list`.

use lro_query::json::{self, Members};
use serde_json::value::RawValue;

use super::{client, tools};
use crate::error::Error;
use crate::settings::Settings;

/// Adds our tools to the last page of a list, and drops the output schema of tools whose result may be replaced: a
/// client that validates would refuse the response. Code keeps the schemas: it gets the results. `None` if nothing changes.
///
/// Errors: `invalid-argument` for anything that is not a list of tools, and for a tool that has the name of one of
/// LRO's.
pub fn offload_tools(list: &str, settings: &str) -> Result<Option<String>, Error> {
    let settings = Settings::parse(settings)?;
    let is_code = client::is_code(&settings);
    let settings = client::fitted(settings);
    let members = Members::of(list).ok_or_else(not_a_list)?;
    let tools: Vec<&RawValue> =
        members.get("tools").and_then(|tools| serde_json::from_str(tools).ok()).ok_or_else(not_a_list)?;
    let mut listed = Vec::with_capacity(tools.len() + 1);
    let mut is_changed = false;
    for tool in tools {
        let definition = Members::of(tool.get()).ok_or_else(not_a_list)?;
        let name = name_of(&definition);
        if tools::named(&name, &settings).is_some() {
            return Err(Error::invalid_argument(
                format!("cannot add the tools to the list: the server already has a tool `{name}`"),
                "give another `tool_prefix`, or another family of names with `tool_names`",
            ));
        }
        let loses_schema = !is_code && definition.get("outputSchema").is_some() && may_be_replaced(&name, &settings);
        is_changed |= loses_schema;
        listed.push(if loses_schema { without_schema(&definition) } else { tool.get().to_owned() });
    }
    // Some servers end with an empty cursor, where some clients stop.
    let has_empty_cursor = members.get("nextCursor") == Some("\"\"");
    let is_last_page = has_empty_cursor || members.get_some("nextCursor").is_none();
    let ours = if is_last_page { tools::definitions(&settings) } else { Vec::new() };
    is_changed |= !ours.is_empty();
    listed.extend(ours);
    let kept = members.0.iter().filter(|(key, _)| !(has_empty_cursor && key == "nextCursor")).cloned();
    let kept = Members(kept.collect());
    Ok(is_changed.then(|| json::object_with(&kept, &[("tools", &json::array(&listed))])))
}

fn not_a_list() -> Error {
    Error::invalid_argument(
        "cannot read the list of tools: it is not a JSON object with an array `tools` of objects",
        "",
    )
}

fn name_of(definition: &Members<'_>) -> String {
    definition.get("name").and_then(|name| serde_json::from_str(name).ok()).unwrap_or_default()
}

fn may_be_replaced(name: &str, settings: &Settings) -> bool {
    let keeps_schema = settings.tools.get(name).is_some_and(|own| own.keep_schema);
    settings.threshold_for(name).is_some() && !keeps_schema
}

fn without_schema(definition: &Members<'_>) -> String {
    let kept = definition.0.iter().filter(|(key, _)| key != "outputSchema");
    json::object(kept.map(|(key, value)| (key.as_ref(), *value)))
}
