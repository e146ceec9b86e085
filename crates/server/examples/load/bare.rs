//! A server that only writes the words of its model, for comparison: it has no runs and no users,
//! reads no notation, and stores nothing.

use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::{StatusCode, header};
use axum::response::IntoResponse;
use axum::routing::{get, post};
use axum::serve::ListenerExt as _;
use futures_util::StreamExt as _;
use silcrow_event::{Message, Role};
use silcrow_provider::{Delta, Provider as _, Request};
use tokio::net::TcpListener;

use super::model::SteadyModel;

/// Serves runs to one reader each, at a listener.
pub(crate) async fn serve(listener: TcpListener, model: SteadyModel) -> std::io::Result<()> {
    let asked = BareRuns { model, prompts: Arc::default() };
    let router = Router::new()
        .route("/conversations/{id}/runs", post(start))
        .route("/conversations/{id}/events", get(read))
        .with_state(asked);
    let listener = listener.tap_io(|socket| drop(socket.set_nodelay(true)));
    axum::serve(listener, router).await
}

#[derive(Clone)]
struct BareRuns {
    model: SteadyModel,
    /// By the conversations.
    prompts: Arc<Mutex<HashMap<String, String>>>,
}

async fn start(
    State(asked): State<BareRuns>,
    Path(id): Path<String>,
    prompt: String,
) -> StatusCode {
    let prompt = prompt.trim_start_matches("{\"prompt\":\"").trim_end_matches("\"}").to_owned();
    asked.prompts.lock().expect("nobody panics").insert(id, prompt);
    StatusCode::CREATED
}

async fn read(State(asked): State<BareRuns>, Path(id): Path<String>) -> impl IntoResponse {
    let prompt = asked.prompts.lock().expect("nobody panics").remove(&id).unwrap_or_default();
    let words = asked.model.stream(Request::new(vec![Message::new(Role::User, prompt)]));
    let pieces = words.enumerate().map(|(number, delta)| {
        Ok::<_, Infallible>(match delta {
            Ok(Delta::Text(word)) => format!(
                "id: 1.{number}\ndata: {{\"type\":\"respond\",\"part\":1,\"content\":\"{} \"}}\n\n",
                word.trim_end_matches("\n§end").trim()
            ),
            _ => "id: 2.0\ndata: {\"type\":\"idle\"}\n\n".to_owned(),
        })
    });
    ([(header::CONTENT_TYPE, "text/event-stream")], Body::from_stream(pieces))
}
