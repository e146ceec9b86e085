//! Your own agent behind AG-UI: `HttpAgent({ url: "http://127.0.0.1:3000/ag-ui" })` talks to it.
//!
//! Every program that reaches this port may use it, but of pages only its own: see `Options::origins`
//! for others, and `Server::with_token` for a secret.
#![expect(clippy::print_stdout, reason = "it is where to go")]

use std::sync::Arc;

use silcrow_agent::Agent;
use silcrow_provider::ScriptedModel;
use silcrow_server::{CancellationToken, RunPlace, Server, ServerUser};
use silcrow_store::MemoryStore;
use tokio::net::TcpListener;

pub(crate) fn server() -> Server {
    let store = Arc::new(MemoryStore::new());
    // Your model and your tools; silcrow-vendors has real models.
    let model = ScriptedModel::parse("§respond: Hello.\n§end", 1);
    let agent = Agent::new(model, Arc::clone(&store));
    Server::new(store, move |_: &RunPlace| agent.clone())
        .with_authenticator(|_| Some(ServerUser::default()))
}

#[tokio::main(flavor = "current_thread")]
pub(crate) async fn main() -> std::io::Result<()> {
    let listener = TcpListener::bind("127.0.0.1:3000").await?;
    println!("AG-UI: http://127.0.0.1:3000/ag-ui");
    server().serve(listener, CancellationToken::new()).await;
    Ok(())
}
