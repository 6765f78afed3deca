//! The table, for clients that show it. Others see a server without resources.

use rmcp::ErrorData;
use rmcp::model::{ClientCapabilities, ReadResourceRequestMethod, ReadResourceResult, ServerCapabilities, Tool};
use rmcp::service::{RequestContext, RoleServer};
use serde_json::Value;

use crate::table;

/// True for a request of a client that shows the table.
pub(super) fn is_shown(context: &RequestContext<RoleServer>) -> bool {
    context.client_capabilities().is_some_and(|capabilities| shows(&capabilities))
}

/// Declares the resources to a client that shows the table.
pub(super) fn declare(own: &mut ServerCapabilities, client: &ClientCapabilities) {
    if shows(client) {
        own.resources = Some(Default::default());
    }
}

/// The tools, where that of the table names the page.
pub(super) fn with_page(tools: Vec<Tool>) -> Vec<Tool> {
    tools.into_iter().map(|tool| named(&tool).unwrap_or(tool)).collect()
}

/// The resource at an address: there is the page.
pub(super) fn read(uri: &str, context: &RequestContext<RoleServer>) -> Result<ReadResourceResult, ErrorData> {
    if !is_shown(context) {
        return Err(ErrorData::method_not_found::<ReadResourceRequestMethod>());
    }
    if uri != table::URI {
        let message = format!("cannot read `{uri}`: the only resource is `{}`", table::URI);
        return Err(ErrorData::resource_not_found(message, None));
    }
    let page = serde_json::from_value(table::contents());
    page.map_err(|error| ErrorData::internal_error(error.to_string(), None))
}

fn shows(client: &ClientCapabilities) -> bool {
    serde_json::to_value(client).is_ok_and(|capabilities| table::is_shown_with(&capabilities))
}

/// The definition of a tool with the page, if it has one.
fn named(tool: &Tool) -> Option<Tool> {
    let mut definition: Value = serde_json::to_value(tool).ok()?;
    table::name_in(&mut definition).then(|| serde_json::from_value(definition).ok())?
}
