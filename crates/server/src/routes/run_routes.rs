//! Endpoints of runs.

use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, Request, State};
use axum::http::StatusCode;
use axum::response::Response;
use serde::Deserialize;
use silcrow_agent::SteerMessage;
use silcrow_event::Json;

use crate::auth::ServerUser;
use crate::bodies::{json, read_body, wrong_query};
use crate::error::{Error, ErrorKind};
use crate::served_run::ServedRun;
use crate::server::Server;
use crate::source::RunPlace;

#[derive(Deserialize)]
struct Prompted {
    prompt: String,
}

#[derive(Deserialize)]
pub(super) struct StartOptions {
    steer: Option<String>,
}

pub(super) async fn start(
    State(server): State<Server>,
    user: ServerUser,
    Path(id): Path<String>,
    options: Result<Query<StartOptions>, QueryRejection>,
    request: Request,
) -> Result<Response, Error> {
    let Query(options) = options.map_err(|error| wrong_query(&error))?;
    let Prompted { prompt } = read_body(&server, request).await?;
    let place = RunPlace::new(id).of(user.name);
    if options.steer.as_deref().is_some_and(|steer| steer == "1" || steer == "true")
        && let Ok(run) = at_work(&server, &place, None)
    {
        match run.steer(&*prompt).await {
            Ok(()) => return Ok(named(StatusCode::ACCEPTED, &run)),
            // The run ended before it could read the prompt, so the next one answers it.
            Err(error) if error.kind() == ErrorKind::Stale => {}
            Err(error) => return Err(error),
        }
    }
    let run = server.start(place, prompt).await?;
    Ok(named(StatusCode::CREATED, &run))
}

#[derive(Deserialize)]
struct Stopped {
    run: Option<String>,
}

pub(super) async fn stop(
    State(server): State<Server>,
    user: ServerUser,
    Path(id): Path<String>,
    request: Request,
) -> Result<Response, Error> {
    let Stopped { run } = read_body(&server, request).await?;
    let run = at_work(&server, &RunPlace::new(id).of(user.name), run.as_deref())?;
    run.stop();
    Ok(named(StatusCode::ACCEPTED, &run))
}

#[derive(Deserialize)]
struct Steered {
    message: String,
    #[serde(default)]
    drop_calls: bool,
}

pub(super) async fn steer(
    State(server): State<Server>,
    user: ServerUser,
    Path(id): Path<String>,
    request: Request,
) -> Result<Response, Error> {
    let Steered { message, drop_calls } = read_body(&server, request).await?;
    let run = at_work(&server, &RunPlace::new(id).of(user.name), None)?;
    let message = SteerMessage::new(message);
    run.steer(if drop_calls { message.dropping_calls() } else { message }).await?;
    Ok(named(StatusCode::ACCEPTED, &run))
}

/// Returns the run that is at work in a conversation of a user, if it is the one that is meant.
fn at_work(server: &Server, place: &RunPlace, meant: Option<&str>) -> Result<ServedRun, Error> {
    let run = server.runs.at_work(&place.conversation);
    let run = run.filter(|run| run.place.user == place.user);
    let run = run.filter(|run| meant.is_none_or(|meant| meant == run.id));
    let Some(run) = run else {
        let why = match meant {
            Some(run) => format!("the run {run:?} is not at work here any more"),
            None => "no run is at work in this conversation".to_owned(),
        };
        return Err(Error::new(ErrorKind::Stale, why));
    };
    Ok(ServedRun { run, store: std::sync::Arc::clone(&server.store) })
}

fn named(status: StatusCode, run: &ServedRun) -> Response {
    let (id, conversation) = (Json::string(run.id()), Json::string(run.conversation()));
    json(status, format!(r#"{{"run":{id},"conversation":{conversation}}}"#))
}
