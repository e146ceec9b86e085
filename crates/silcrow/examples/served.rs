//! An agent with one tool, served to browsers and chat clients.
//!
//! ```toml
//! [dependencies]
//! silcrow = { version = "0.1", features = ["server"] }
//! tokio = { version = "1", features = ["macros", "net", "rt"] }
//! ```
#![expect(clippy::print_stdout, reason = "it is where to go")]

use std::sync::Arc;

use silcrow::prelude::*;
use silcrow::server::{AccessToken, CancellationToken, RunPlace, Server, ServerUser};
use tokio::net::TcpListener;

async fn add(a: i64, b: i64) -> Result<String, ToolError> {
    Ok((a + b).to_string())
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let model = Chat::compatible("http://127.0.0.1:8080/v1", "gemma3", None)?;
    let store = Arc::new(MemoryStore::new());
    let add = tool_fn("add", "Adds two numbers.", ["a", "b"], add);
    let agent = Agent::new(model, Arc::clone(&store)).with_tool(add)?;

    let token = AccessToken::random()?;
    let listener = TcpListener::bind("127.0.0.1:3000").await?;
    println!("The page: http://127.0.0.1:3000/#token={}", token.reveal());
    println!("AG-UI: http://127.0.0.1:3000/ag-ui, with the header Authorization: Bearer TOKEN");
    let server = Server::new(store, move |_: &RunPlace| agent.clone());
    let server = server.with_token(token, ServerUser::default());
    server.serve(listener, CancellationToken::new()).await;
    Ok(())
}
