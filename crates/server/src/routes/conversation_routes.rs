//! Endpoints of stored conversations.

use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use serde::Deserialize;
use silcrow_event::{Entry, Event, Json};
use silcrow_store::Summary;
use silcrow_store::search::Hit;

use crate::auth::ServerUser;
use crate::bodies::{json, read_body, wrong_query};
use crate::error::Error;
use crate::path_id::PathId;
use crate::server::Server;
use crate::source::RunPlace;

#[derive(Deserialize)]
pub(super) struct Listed {
    q: Option<String>,
    after: Option<String>,
    limit: Option<usize>,
    #[serde(default)]
    one_off: bool,
}

pub(super) async fn list(
    State(server): State<Server>,
    user: ServerUser,
    listed: Result<Query<Listed>, QueryRejection>,
) -> Result<Response, Error> {
    let Query(listed) = listed.map_err(|error| wrong_query(&error))?;
    let limit = listed.limit.unwrap_or(MOST_LISTED).min(MOST_LISTED);
    let user = user.name.as_deref();
    if let Some(words) = listed.q {
        let hits = server.hits(user, &words, limit).await?;
        let hits: Vec<_> = hits.iter().map(hit_json).collect();
        return Ok(json(StatusCode::OK, format!(r#"{{"hits":[{}]}}"#, hits.join(","))));
    }
    let page = server.summaries(user, listed.after, limit, listed.one_off).await?;
    let held = server.held_elsewhere().await?;
    let list = page.conversations.iter().map(|one| {
        let holder = held.get(&one.conversation).map(String::as_str);
        summary_json(&server, one, holder)
    });
    let list: Vec<_> = list.collect();
    let next =
        page.next.map_or_else(String::new, |next| format!(r#","next":{}"#, Json::string(&next)));
    Ok(json(StatusCode::OK, format!(r#"{{"conversations":[{}]{next}}}"#, list.join(","))))
}

#[derive(Deserialize)]
pub(super) struct ReadPart {
    #[serde(default)]
    after: u64,
    limit: Option<u64>,
}

pub(super) async fn read(
    State(server): State<Server>,
    user: ServerUser,
    PathId(id): PathId,
    part: Result<Query<ReadPart>, QueryRejection>,
) -> Result<Response, Error> {
    let Query(part) = part.map_err(|error| wrong_query(&error))?;
    let summary = server.summary(user.name.as_deref(), &id).await?;
    let limit = part.limit.unwrap_or(MOST_EVENTS).min(MOST_EVENTS);
    let last = part.after.saturating_add(limit);
    let entries = match limit {
        0 => Vec::new(),
        _ => server.store.read(&id, part.after.saturating_add(1)..=last).await?,
    };
    let events: Vec<_> = entries.iter().map(Entry::to_json).collect();
    let holder = server.store.shared_runs().holder(&id).await?.map(|holder| holder.name);
    let summary = summary_json(&server, &summary, holder.as_deref());
    let events = events.join(",");
    Ok(json(StatusCode::OK, format!(r#"{{"conversation":{summary},"events":[{events}]}}"#)))
}

#[derive(Deserialize)]
pub(super) struct WantedTurn {
    turn: u32,
}

pub(super) async fn wire(
    State(server): State<Server>,
    user: ServerUser,
    PathId(id): PathId,
    turn: Result<Query<WantedTurn>, QueryRejection>,
) -> Result<Response, Error> {
    let Query(WantedTurn { turn }) = turn.map_err(|error| wrong_query(&error))?;
    let wire = server.wire(&RunPlace::new(id).with_user(user.name), turn).await?;
    Ok(json(StatusCode::OK, format!(r#"{{"wire":{}}}"#, Json::string(&wire))))
}

pub(super) async fn remove(
    State(server): State<Server>,
    user: ServerUser,
    PathId(id): PathId,
) -> Result<Response, Error> {
    server.delete(&RunPlace::new(id).with_user(user.name)).await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

#[derive(Deserialize)]
struct NewTitle {
    title: String,
}

pub(super) async fn rename(
    State(server): State<Server>,
    user: ServerUser,
    PathId(id): PathId,
    request: Request,
) -> Result<Response, Error> {
    let NewTitle { title } = read_body(&server, request).await?;
    server.rename(&RunPlace::new(id).with_user(user.name), &title).await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

#[derive(Deserialize)]
struct ForkRequest {
    seq: Option<u64>,
    id: Option<String>,
}

pub(super) async fn fork(
    State(server): State<Server>,
    user: ServerUser,
    PathId(id): PathId,
    request: Request,
) -> Result<Response, Error> {
    let ForkRequest { seq, id: to } = read_body(&server, request).await?;
    let to = server.fork(&RunPlace::new(id).with_user(user.name), seq, to).await?;
    let body = format!(r#"{{"conversation":{}}}"#, Json::string(&to));
    Ok(json(StatusCode::CREATED, body))
}

pub(super) async fn undo(
    State(server): State<Server>,
    user: ServerUser,
    PathId(id): PathId,
) -> Result<Response, Error> {
    let undone = server.undo(&RunPlace::new(id).with_user(user.name)).await?;
    Ok(json(StatusCode::OK, undone.to_string()))
}

/// Writes a summary. `holder` is the other process that has the conversation, according to the
/// store.
fn summary_json(server: &Server, one: &Summary, holder: Option<&str>) -> String {
    let run = server.runs.busy_with(&one.conversation);
    let run = run.map_or_else(|| "null".to_owned(), |run| Json::string(&run).to_string());
    let place = RunPlace::new(&*one.conversation).with_user(one.user.clone());
    let other = || {
        let source = server.source.elsewhere(&place);
        source.or_else(|| holder.map(str::to_owned))
    };
    let elsewhere = (run == "null").then(other).flatten();
    let elsewhere =
        elsewhere.map_or_else(|| "null".to_owned(), |text| Json::string(&text).to_string());
    let folder = one.folder.as_deref();
    let folder = folder.map_or_else(|| "null".to_owned(), |text| Json::string(text).to_string());
    format!(
        r#"{{"id":{},"title":{},"folder":{folder},"events":{},"first":{},"last":{},"run":{run},"elsewhere":{elsewhere}}}"#,
        Json::string(&one.conversation),
        Json::string(&one.title),
        one.events,
        one.first,
        one.last,
    )
}

fn hit_json(hit: &Hit) -> String {
    let said = match &hit.entry.event {
        Event::User { content, .. } => content.text().into_owned(),
        Event::Respond(respond) => respond.content.clone(),
        _ => String::new(),
    };
    format!(
        r#"{{"conversation":{},"title":{},"seq":{},"content":{},"matched_words":{}}}"#,
        Json::string(&hit.conversation),
        Json::string(&hit.title),
        hit.entry.seq.unwrap_or_default(),
        Json::string(&said),
        hit.matched_words,
    )
}

/// The most conversations or hits that are returned at once.
const MOST_LISTED: usize = 1_000;

/// The most events that are returned at once.
const MOST_EVENTS: u64 = 1_000;
