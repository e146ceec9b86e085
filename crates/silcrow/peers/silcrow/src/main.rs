//! Asks for a sum, which the model takes from a tool.

use silcrow::prelude::*;
use silcrow::vendors::ApiKey;

async fn add(a: i64, b: i64) -> Result<String, ToolError> {
    Ok((a + b).to_string())
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let key = ApiKey::new(&std::env::var("OPENAI_API_KEY")?, "OPENAI_API_KEY");
    let model = Chat::new("gpt-5.2", key)?;
    let add = tool_fn("add", "Adds two numbers.", ["a", "b"], add);
    let agent = Agent::new(model, MemoryStore::new()).with_tool(add)?;
    println!("{}", agent.ask("What is 2 + 3?").await?.text);
    Ok(())
}
