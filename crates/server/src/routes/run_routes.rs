//! Endpoints of runs.

use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, Request, State};
use axum::http::StatusCode;
use axum::response::Response;
use serde::Deserialize;
use silcrow_event::{Json, SpendingLimit};
use silcrow_exec::AccountKind;
use silcrow_front::ClientFile;

use crate::attached_files::with_files;
use crate::auth::ServerUser;
use crate::bodies::{json, named, read_body, wrong_query};
use crate::error::{Error, ErrorKind};
use crate::path_id::PathId;
use crate::run_caller::RunCaller;
use crate::served_run::ServedRun;
use crate::server::Server;
use crate::source::RunPlace;

#[derive(Deserialize)]
struct Prompted {
    prompt: String,
    files: Option<Vec<PromptedFile>>,
}

/// A file that goes with a prompt.
#[derive(Deserialize)]
struct PromptedFile {
    name: Option<String>,
    data: String,
}

#[derive(Deserialize)]
pub(super) struct StartOptions {
    steer: Option<String>,
}

pub(super) async fn start(
    State(server): State<Server>,
    user: ServerUser,
    PathId(id): PathId,
    caller: RunCaller,
    options: Result<Query<StartOptions>, QueryRejection>,
    request: Request,
) -> Result<Response, Error> {
    let Query(options) = options.map_err(|error| wrong_query(&error))?;
    let Prompted { prompt, files } = read_body(&server, request).await?;
    let files = files.unwrap_or_default().into_iter();
    let files: Vec<_> =
        files.map(|file| ClientFile::new(file.name.unwrap_or_default(), file.data)).collect();
    let place = caller.at(RunPlace::new(id).with_user(user.name));
    // A message to a run at work has words only, so files wait for the next run.
    if files.is_empty()
        && options.steer.as_deref().is_some_and(|steer| steer == "1" || steer == "true")
    {
        match server.steer(&place, &prompt, false).await {
            Ok(run) => {
                return Ok(named(StatusCode::ACCEPTED, run.as_ref().map(ServedRun::id), &place));
            }
            // The run ended before it could read the prompt, so the next one answers it.
            Err(error) if error.kind() == ErrorKind::Stale => {}
            Err(error) => return Err(error),
        }
    }
    let prompt = with_files(&server, prompt, &files).await?;
    let run = server.start(place.clone(), prompt).await?;
    Ok(started(&run))
}

#[derive(Deserialize)]
struct Stopped {
    run: Option<String>,
}

pub(super) async fn stop(
    State(server): State<Server>,
    user: ServerUser,
    PathId(id): PathId,
    request: Request,
) -> Result<Response, Error> {
    let Stopped { run } = read_body(&server, request).await?;
    let place = RunPlace::new(id).with_user(user.name);
    let run = server.stop_run(&place, run.as_deref()).await?;
    Ok(named(StatusCode::ACCEPTED, run.as_ref().map(ServedRun::id), &place))
}

#[derive(Deserialize)]
struct ChangedLimit {
    #[serde(default)]
    account: AccountWord,
    tokens: Option<u64>,
    cost: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum AccountWord {
    #[default]
    Run,
    Conversation,
    User,
}

pub(super) async fn budget(
    State(server): State<Server>,
    user: ServerUser,
    PathId(id): PathId,
    request: Request,
) -> Result<Response, Error> {
    let ChangedLimit { account, tokens, cost } = read_body(&server, request).await?;
    let wrong = |why: &str| Error::new(ErrorKind::Malformed, why);
    let cost = cost.map(|cost| cost.parse()).transpose();
    let cost = cost.map_err(|_| wrong("`cost` is an amount of money, such as \"0.50\""))?;
    if tokens.is_none() && cost.is_none() {
        return Err(wrong("send `tokens` or `cost`: the new limit"));
    }
    let account = match account {
        AccountWord::Run => AccountKind::Run,
        AccountWord::Conversation => AccountKind::Conversation,
        AccountWord::User => AccountKind::User,
    };
    if matches!(account, AccountKind::User) && !server.access.may_raise_limits(&user) {
        let why = "only the owner of the server changes what a user may spend in all";
        return Err(Error::new(ErrorKind::Forbidden, why));
    }
    let place = RunPlace::new(id).with_user(user.name);
    let limit = SpendingLimit { tokens, cost };
    let run = server.limit(&place, account, limit).await?;
    Ok(named(StatusCode::ACCEPTED, run.as_ref().map(ServedRun::id), &place))
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
    PathId(id): PathId,
    request: Request,
) -> Result<Response, Error> {
    let Steered { message, drop_calls } = read_body(&server, request).await?;
    let place = RunPlace::new(id).with_user(user.name);
    let run = server.steer(&place, &message, drop_calls).await?;
    Ok(named(StatusCode::ACCEPTED, run.as_ref().map(ServedRun::id), &place))
}

/// Names a run that began, and the position after which the stream of its conversation has its events.
fn started(run: &ServedRun) -> Response {
    let (id, conversation) = (Json::string(run.id()), Json::string(run.conversation()));
    let after = run.began_after();
    let body = format!(r#"{{"run":{id},"conversation":{conversation},"after":"{after}.0"}}"#);
    json(StatusCode::CREATED, body)
}
