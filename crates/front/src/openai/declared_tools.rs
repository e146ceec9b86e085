//! The tools that a client declares in a request.

use serde_json::Value;

use super::error::OpenAiError;
use super::request_body::RequestBody;
use crate::client_tools::ClientTools;

/// Reads the functions among the tools of a request, unless `tool_choice` is `none`. Others, which the
/// API itself would run, are among the members that change nothing.
pub(crate) fn client_tools(body: &RequestBody<'_>) -> Result<ClientTools, OpenAiError> {
    let Some(tools) = body.get("tools") else { return Ok(ClientTools::default()) };
    let Value::Array(tools) = tools else {
        return Err(body.wrong("tools", "an array of tools", tools));
    };
    if body.get("tool_choice").and_then(Value::as_str) == Some("none") {
        return Ok(ClientTools::default());
    }
    let functions = tools.iter().filter(|tool| is_function(tool)).cloned().collect();
    ClientTools::read(&Value::Array(functions))
        .map_err(|why| body.invalid("tools", format!("{why}.")))
}

/// Returns the types of the tools that are not functions of the client.
pub(super) fn other_tools(tools: &Value) -> impl Iterator<Item = &str> {
    let tools = tools.as_array().into_iter().flatten().filter(|tool| !is_function(tool));
    tools.map(|tool| tool["type"].as_str().unwrap_or("unknown"))
}

fn is_function(tool: &Value) -> bool {
    tool["type"].as_str().is_none_or(|kind| kind == "function")
}
