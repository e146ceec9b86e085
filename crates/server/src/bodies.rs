//! Bodies and queries of requests, and bodies of answers.

use axum::body;
use axum::extract::Request;
use axum::extract::rejection::QueryRejection;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use serde::de::DeserializeOwned;

use crate::error::{Error, ErrorKind};
use crate::server::Server;

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

/// Reads the body of a request, unless it is too long.
pub(crate) async fn read_bytes(server: &Server, request: Request) -> Result<body::Bytes, Error> {
    let most = server.options.body;
    let announced = request.headers().get(header::CONTENT_LENGTH);
    let announced = announced.and_then(|length| length.to_str().ok()?.parse::<usize>().ok());
    let too_large = || {
        let why = format!("the body is longer than {most} bytes; send less");
        Error::new(ErrorKind::BodyTooLarge, why)
    };
    if announced.is_some_and(|length| length > most) {
        return Err(too_large());
    }
    body::to_bytes(request.into_body(), most).await.map_err(|_| too_large())
}

/// Answers with JSON.
pub(crate) fn json(status: StatusCode, text: String) -> Response {
    let kind = HeaderValue::from_static("application/json");
    (status, [(header::CONTENT_TYPE, kind)], text).into_response()
}

pub(crate) fn wrong_query(error: &QueryRejection) -> Error {
    let why = format!("the query of the address is wrong: {}", error.body_text());
    Error::new(ErrorKind::Malformed, why)
}
