//! Asks for a sum, which the model takes from a tool.

use rig::prelude::*;
use rig::providers::openai::OpenAI;
use rig::rig_tool;
use rig::tool::ToolExecutionError;

#[rig_tool(description = "Adds two numbers.")]
fn add(a: i64, b: i64) -> Result<i64, ToolExecutionError> {
    Ok(a + b)
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let model = OpenAI::from_env()?.completion("gpt-5.2");
    let agent = AgentBuilder::new(model).tool(Add).build();
    println!("{}", agent.prompt("What is 2 + 3?").await?);
    Ok(())
}
