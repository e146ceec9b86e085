//! An agent in a handler of your own, without a server of this crate: `useChat` of the Vercel AI SDK
//! talks to it.
//!
//! The handler itself determines the user of a request, and the user's conversation. A client that
//! leaves stops its run; `silcrow_server::Server` has runs that outlive their readers.
#![expect(clippy::print_stdout, reason = "it is where to go")]

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use axum::routing::post;
use silcrow_agent::Agent;
use silcrow_front::{AI_SDK_HEADERS, AiSdkAction, AiSdkEncoder, AiSdkRequest, AiSdkTarget};
use silcrow_provider::ScriptedModel;
use silcrow_server::{EncodedRun, Error, ErrorKind};
use silcrow_store::MemoryStore;
use tokio::net::TcpListener;

async fn chat(State(agent): State<Agent>, body: Bytes) -> Result<Response, Error> {
    let malformed = |why: String| Error::new(ErrorKind::Malformed, why);
    let request = AiSdkRequest::parse(&body).map_err(|why| malformed(why.to_string()))?;
    let AiSdkAction::Send(message) = request.action else {
        return Err(malformed("send a message".to_owned()));
    };
    let encoder = AiSdkEncoder::new(AiSdkTarget::default(), &*request.chat);
    let run = agent.stream(request.chat, message.content);
    let answer = EncodedRun::new(run, encoder).into_response().await?;
    Ok((AI_SDK_HEADERS, answer).into_response())
}

pub(crate) fn app() -> Router {
    // Your model and your tools; silcrow-vendors has real models.
    let model = ScriptedModel::parse("§respond: Hello.\n§end", 1);
    Router::new().route("/chat", post(chat)).with_state(Agent::new(model, MemoryStore::new()))
}

#[tokio::main(flavor = "current_thread")]
pub(crate) async fn main() -> std::io::Result<()> {
    let listener = TcpListener::bind("127.0.0.1:3000").await?;
    println!("http://127.0.0.1:3000/chat");
    axum::serve(listener, app()).await
}
