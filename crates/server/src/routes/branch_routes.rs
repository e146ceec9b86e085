//! Endpoints of the branches of a chat.

use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::Response;
use serde::Deserialize;
use serde_json::json as value;
use silcrow_event::Json;

use crate::auth::ServerUser;
use crate::bodies::{json, read_body};
use crate::branches::{chat_of, prompts};
use crate::error::{Error, ErrorKind};
use crate::path_id::PathId;
use crate::server::Server;
use crate::source::RunPlace;

pub(super) async fn list(
    State(server): State<Server>,
    user: ServerUser,
    PathId(id): PathId,
) -> Result<Response, Error> {
    let chat = chat(&server, user, &id).await?;
    branches(&server, &chat).await
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct BranchRequest {
    /// The position of the prompt before which a branch begins; the last one without it.
    before: Option<u64>,
    /// The branch that is chosen.
    conversation: Option<String>,
}

pub(super) async fn branch(
    State(server): State<Server>,
    user: ServerUser,
    PathId(id): PathId,
    request: Request,
) -> Result<Response, Error> {
    let request: BranchRequest = read_body(&server, request).await?;
    let BranchRequest { before, conversation } = request;
    if before.is_some() && conversation.is_some() {
        let why = "send `before`, the position of a prompt, or `conversation`, a branch; not both";
        return Err(Error::new(ErrorKind::Malformed, why));
    }
    let chat = chat(&server, user, &id).await?;
    match (before, conversation) {
        (before, None) => {
            let shown = RunPlace { conversation: id.clone(), ..chat.clone() };
            let before = match before {
                Some(before) => before,
                None => last_prompt(&server, &shown).await?,
            };
            // The branch continues the conversation that the client shows.
            server.choose_branch(&chat, &id).await?;
            let branch = server.branch(&chat, before).await?.conversation;
            let body = format!(r#"{{"conversation":{}}}"#, Json::string(&branch));
            Ok(json(StatusCode::CREATED, body))
        }
        (_, Some(conversation)) => {
            server.choose_branch(&chat, &conversation).await?;
            branches(&server, &chat).await
        }
    }
}

/// Returns the position of the last prompt of a conversation.
async fn last_prompt(server: &Server, place: &RunPlace) -> Result<u64, Error> {
    let log = server.entries(place, 0).await?;
    let last = prompts(&log).last().map(|(seq, _)| *seq);
    last.ok_or_else(|| Error::new(ErrorKind::Stale, "the conversation has no prompt yet"))
}

/// Returns the chat of a conversation that the user has.
async fn chat(server: &Server, user: ServerUser, id: &str) -> Result<RunPlace, Error> {
    server.summary(user.name.as_deref(), id).await?;
    let chat = chat_of(id);
    let branches = server.branches(chat).await?;
    let is_branch = branches.iter().any(|branch| branch.conversation == id);
    Ok(RunPlace::new(if is_branch { chat } else { id }).with_user(user.name))
}

async fn branches(server: &Server, chat: &RunPlace) -> Result<Response, Error> {
    let current = server.current_branch(chat.clone()).await?.conversation;
    let mut all = vec![value!({ "conversation": chat.conversation, "from": null, "since": 1 })];
    for branch in server.branches(&chat.conversation).await? {
        all.push(value!(branch));
    }
    let body = value!({ "chat": chat.conversation, "current": current, "branches": all });
    Ok(json(StatusCode::OK, body.to_string()))
}
