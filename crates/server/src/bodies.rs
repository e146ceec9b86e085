//! Bodies and queries of requests, and bodies of answers.

use axum::body::Body;
use axum::extract::Request;
use axum::extract::rejection::QueryRejection;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use futures_util::StreamExt as _;
use serde::de::DeserializeOwned;
use silcrow_event::Json;
use tokio::time::timeout;

use crate::error::{Error, ErrorKind};
use crate::server::Server;
use crate::source::RunPlace;

/// Reads the body of a request. An empty one is an empty object.
pub(crate) async fn read_body<T: DeserializeOwned>(
    server: &Server,
    request: Request,
) -> Result<T, Error> {
    let bytes = read_bytes(server, request).await?;
    let text: &[u8] = if bytes.is_empty() { b"{}" } else { &bytes };
    serde_json::from_slice(text).map_err(|error| {
        let why = format!("the body is not the JSON that is expected here: {error}");
        Error::new(ErrorKind::Malformed, why)
    })
}

/// Reads the body of a request, unless it is too long or takes too long.
pub(crate) async fn read_bytes(server: &Server, request: Request) -> Result<Vec<u8>, Error> {
    let most = server.options.body;
    let announced = request.headers().get(header::CONTENT_LENGTH);
    let announced = announced.and_then(|length| length.to_str().ok()?.parse::<usize>().ok());
    if announced.is_some_and(|length| length > most) {
        return Err(too_large(most));
    }
    let patience = server.options.body_time;
    match timeout(patience, read_chunks(request.into_body(), most)).await {
        Ok(read) => read,
        Err(_) => {
            let why = format!("the body did not arrive within {} s", patience.as_secs_f64());
            Err(Error::new(ErrorKind::TooSlow, why))
        }
    }
}

async fn read_chunks(body: Body, most: usize) -> Result<Vec<u8>, Error> {
    let (mut chunks, mut bytes) = (body.into_data_stream(), Vec::new());
    while let Some(chunk) = chunks.next().await {
        let chunk = chunk.map_err(|error| {
            let why = format!("the body ended early, or its chunks are broken: {error}");
            Error::new(ErrorKind::Malformed, why)
        })?;
        if chunk.len() > most - bytes.len() {
            return Err(too_large(most));
        }
        bytes.extend_from_slice(&chunk);
    }
    Ok(bytes)
}

fn too_large(most: usize) -> Error {
    let why = format!("the body is longer than {most} bytes; send less");
    Error::new(ErrorKind::BodyTooLarge, why)
}

/// Answers with JSON.
pub(crate) fn json(status: StatusCode, text: String) -> Response {
    let kind = HeaderValue::from_static("application/json");
    (status, [(header::CONTENT_TYPE, kind)], text).into_response()
}

/// Names the run that took a request. A run of another process has no id here.
pub(crate) fn named(status: StatusCode, run: Option<&str>, place: &RunPlace) -> Response {
    let run = run.map_or_else(|| "null".to_owned(), |run| Json::string(run).to_string());
    let conversation = Json::string(&place.conversation);
    json(status, format!(r#"{{"run":{run},"conversation":{conversation}}}"#))
}

pub(crate) fn wrong_query(error: &QueryRejection) -> Error {
    let why = format!("the query of the address is wrong: {}", error.body_text());
    Error::new(ErrorKind::Malformed, why)
}
