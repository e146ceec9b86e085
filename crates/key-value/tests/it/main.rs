//! The relic, called as the runner calls it.

mod hooked;
mod key_value;
mod repeated;

use silcrow_tool::{CallContext, Tool, ToolArgs, ToolError, ToolOutput};

async fn call(tool: &dyn Tool, args: &str) -> Result<ToolOutput, ToolError> {
    let context = CallContext::new("c", "a1");
    tool.call(ToolArgs::new(args), &context).await
}

fn content(output: Result<ToolOutput, ToolError>) -> String {
    output.unwrap().content.into_text()
}

fn why(output: Result<ToolOutput, ToolError>) -> String {
    output.unwrap_err().to_string()
}
