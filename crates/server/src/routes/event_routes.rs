//! Endpoints that stream events.

use std::sync::Arc;

use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::http::HeaderMap;
use axum::response::Response;
use serde::Deserialize;

use crate::auth::ServerUser;
use crate::bodies::wrong_query;
use crate::error::{Error, ErrorKind};
use crate::follow::ConversationFeed;
use crate::journal::JournalReader;
use crate::path_id::PathId;
use crate::position::MessagePosition;
use crate::server::Server;
use crate::source::RunPlace;
use crate::sse::{self, SseSource};

pub(super) async fn all(
    State(server): State<Server>,
    user: ServerUser,
    headers: HeaderMap,
) -> Result<Response, Error> {
    let journal = server.runs.journal(user.name.as_deref())?;
    let reader = journal.read(last_id(&headers));
    server.watch_others(&journal, user.name.as_deref()).await?;
    server.watch_peers();
    Ok(sse::answer(&server, reader))
}

#[derive(Deserialize)]
pub(super) struct Followed {
    after: Option<String>,
    chunks: Option<bool>,
}

pub(super) async fn one(
    State(server): State<Server>,
    user: ServerUser,
    PathId(id): PathId,
    followed: Result<Query<Followed>, QueryRejection>,
    headers: HeaderMap,
) -> Result<Response, Error> {
    let Query(followed) = followed.map_err(|error| wrong_query(&error))?;
    // The header comes from a browser that reconnects, and is newer than its address.
    let after = last_id(&headers).or(followed.after.as_deref()).map(position).transpose()?;
    server.look_elsewhere(&RunPlace::new(&*id).with_user(user.name.clone())).await;
    // A run that has begun, or has failed at once, has stored nothing.
    let run = server.runs.latest(&id);
    if run.is_none_or(|run| run.place.user != user.name) {
        server.summary(user.name.as_deref(), &id).await?;
    }
    let after = after.unwrap_or_default();
    let (runs, store) = (Arc::clone(&server.runs), Arc::clone(&server.store));
    // A position beyond the log is one of an earlier conversation of this name.
    let is_beyond = after.0 > 0 && after.0 > store.head(&id).await?;
    let follower = match is_beyond {
        true => ConversationFeed::anew(runs, store, id),
        false => ConversationFeed::new(runs, store, id, after),
    };
    server.watch_peers();
    Ok(sse::answer(&server, follower.with_chunks(followed.chunks.unwrap_or(true))))
}

fn last_id(headers: &HeaderMap) -> Option<&str> {
    headers.get("last-event-id")?.to_str().ok().filter(|id| !id.is_empty())
}

/// Reads an id, `SEQ.N` or `SEQ`.
fn position(id: &str) -> Result<MessagePosition, Error> {
    let (seq, n) = id.split_once('.').unwrap_or((id, "0"));
    match (seq.parse(), n.parse()) {
        (Ok(seq), Ok(n)) => Ok((seq, n)),
        _ => {
            let why = format!("{id:?} is not an event id; write SEQ.N, such as 12.3");
            Err(Error::new(ErrorKind::Malformed, why))
        }
    }
}

impl SseSource for ConversationFeed {
    async fn next(&mut self) -> Option<String> {
        Self::next(self).await
    }
}

impl SseSource for JournalReader {
    async fn next(&mut self) -> Option<String> {
        Self::next(self).await
    }
}
