//! An agent with one tool, over a model server on this machine.
//!
//! ```toml
//! [dependencies]
//! silcrow = "0.1"
//! tokio = { version = "1", features = ["macros", "rt"] }
//! ```
#![expect(clippy::print_stdout, reason = "it is the answer")]

use silcrow::prelude::*;

async fn add(a: i64, b: i64) -> Result<String, ToolError> {
    Ok((a + b).to_string())
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let model = Chat::compatible("http://127.0.0.1:8080/v1", "gemma3", None)?;
    let add = tool_fn("add", "Adds two numbers.", ["a", "b"], add);
    let agent = Agent::new(model, MemoryStore::new()).with_tool(add)?;
    println!("{}", agent.ask("What is 2 + 3?").await?.text);
    Ok(())
}
