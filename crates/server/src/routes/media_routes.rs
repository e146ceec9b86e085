//! The endpoint of a picture, a document or a sound of a conversation.

use axum::body::Body;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::http::{HeaderValue, header};
use axum::response::Response;
use silcrow_event::MediaRef;
use silcrow_store::media;

use crate::auth::ServerUser;
use crate::error::{Error, ErrorKind};
use crate::server::Server;

/// Returns the bytes of a medium, whose hash must name a medium of the conversation.
pub(super) async fn read(
    State(server): State<Server>,
    user: ServerUser,
    path: Result<Path<(String, String)>, PathRejection>,
) -> Result<Response, Error> {
    let Path((id, hash)) = path.map_err(|error| {
        let why = format!("the address of the request is wrong: {}", error.body_text());
        Error::new(ErrorKind::Malformed, why)
    })?;
    server.summary(user.name.as_deref(), &id).await?;
    let missing = || {
        let why = "the conversation has no such picture, document or sound";
        Error::new(ErrorKind::NotFound, why)
    };
    let known = media::list(&*server.store, &id).await?;
    let medium = known.iter().find(|medium| medium.hash == hash).ok_or_else(missing)?;
    let bytes = media::read(&*server.store, &id, medium).await?.ok_or_else(missing)?;
    Ok(answer(medium, bytes))
}

/// Answers with a file that a stranger may have made: a browser shows pictures, and saves all others.
fn answer(medium: &MediaRef, bytes: Vec<u8>) -> Response {
    let mut answer = Response::new(Body::from(bytes));
    let shown = PICTURES.into_iter().find(|kind| *kind == medium.mime);
    for (name, value) in [
        (header::CONTENT_TYPE, shown.unwrap_or("application/octet-stream")),
        (header::CONTENT_DISPOSITION, if shown.is_some() { "inline" } else { "attachment" }),
        (header::CONTENT_SECURITY_POLICY, "default-src 'none'; sandbox"),
        // The hash is the hash of the bytes.
        (header::CACHE_CONTROL, "private, max-age=31536000, immutable"),
    ] {
        answer.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    let name: String = medium.name.chars().filter(|char| is_plain(*char)).collect();
    if shown.is_none()
        && !name.is_empty()
        && let Ok(value) = HeaderValue::from_str(&format!("attachment; filename=\"{name}\""))
    {
        answer.headers_mut().insert(header::CONTENT_DISPOSITION, value);
    }
    answer
}

const fn is_plain(char: char) -> bool {
    char.is_ascii_alphanumeric() || matches!(char, '.' | '-' | '_' | ' ')
}

/// The types that a browser decodes as pictures, and that cannot have scripts.
const PICTURES: [&str; 4] = ["image/png", "image/jpeg", "image/gif", "image/webp"];
