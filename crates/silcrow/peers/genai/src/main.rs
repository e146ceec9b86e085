//! Asks for a sum, which the model takes from a tool.

use genai::Client;
use genai::chat::{ChatMessage, ChatRequest, Tool, ToolResponse};
use serde_json::json;

const MODEL: &str = "gpt-5.2";

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let client = Client::new()?;
    let schema = json!({
        "type": "object",
        "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
        "required": ["a", "b"],
    });
    let add = Tool::new("add").with_description("Adds two numbers.").with_schema(schema);
    let mut request =
        ChatRequest::new(vec![ChatMessage::user("What is 2 + 3?")]).with_tools(vec![add]);
    loop {
        let response = client.exec_chat(MODEL, request.clone(), None).await?;
        let text = response.first_text().map(str::to_owned);
        let calls = response.into_tool_calls();
        if calls.is_empty() {
            println!("{}", text.unwrap_or_default());
            return Ok(());
        }
        request = request.append_message(calls.clone());
        for call in calls {
            let sum = call.fn_arguments["a"].as_i64().zip(call.fn_arguments["b"].as_i64());
            let result = match sum {
                Some((a, b)) => (a + b).to_string(),
                None => "`a` and `b` must be integers".to_owned(),
            };
            request = request.append_message(ToolResponse::new(call.call_id, result));
        }
    }
}
