//! The endpoints of a server as a part of your own program, which authenticates its users itself.
//!
//! `curl -H 'x-user: ann' http://127.0.0.1:3000/agent/conversations` lists the conversations of Ann.
#![expect(clippy::print_stdout, reason = "it is where to go")]

use std::sync::Arc;

use axum::Router;
use axum::routing::get;
use silcrow_agent::Agent;
use silcrow_provider::ScriptedModel;
use silcrow_server::{CancellationToken, Options, RunPlace, Server, ServerUser};
use silcrow_store::MemoryStore;
use tokio::net::TcpListener;

pub(crate) fn server() -> Server {
    let store = Arc::new(MemoryStore::new());
    let agent = Agent::new(ScriptedModel::parse("§respond: Hello.\n§end", 1), Arc::clone(&store));
    let mut options = Options::default();
    // The page has its files at `/`, where your program is.
    options.page = false;
    Server::new(store, move |_: &RunPlace| agent.clone()).with_options(options).with_authenticator(
        |request| {
            // Your own way to identify the user, such as a session of your program.
            let name = request.headers.get("x-user")?.to_str().ok()?.to_owned();
            Some(ServerUser { name: Some(name) })
        },
    )
}

pub(crate) fn app(server: &Server) -> Router {
    Router::new().route("/program", get(|| async { "My program." })).nest("/agent", server.router())
}

#[tokio::main(flavor = "current_thread")]
pub(crate) async fn main() -> std::io::Result<()> {
    let listener = TcpListener::bind("127.0.0.1:3000").await?;
    println!("http://127.0.0.1:3000/agent/openapi.json");
    let server = server();
    // Like axum::serve, and with the limits of the server; streams end when it stops.
    server.serve_router(app(&server), listener, CancellationToken::new()).await;
    Ok(())
}
