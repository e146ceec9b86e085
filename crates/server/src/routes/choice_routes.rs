//! Endpoints of a user's choices for a conversation.

use std::collections::BTreeMap;

use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use serde::Deserialize;
use serde_json::json as value;

use crate::auth::ServerUser;
use crate::bodies::{json, read_body};
use crate::error::Error;
use crate::path_id::PathId;
use crate::server::Server;
use crate::source::{ChoiceValue, RunPlace};

/// Lists the possible choices, and the current ones. The conversation may be new.
pub(super) async fn list(
    State(server): State<Server>,
    user: ServerUser,
    PathId(id): PathId,
) -> Result<Response, Error> {
    let place = RunPlace::new(id).with_user(user.name);
    server.check_new(&place).await?;
    let chosen = server.chosen(&place).await?;
    let offered = server.source.choices(&place);
    let choices = offered.iter().filter_map(|choice| {
        let first = choice.values.first()?;
        let named = |one: &ChoiceValue| value!({"id": one.id, "description": one.description});
        let values: Vec<_> = choice.values.iter().map(named).collect();
        let chosen = chosen.get(&choice.id).unwrap_or(&first.id);
        Some(value!({"id": choice.id, "name": choice.name, "chosen": chosen, "values": values}))
    });
    let choices: Vec<_> = choices.collect();
    Ok(json(StatusCode::OK, value!({"choices": choices}).to_string()))
}

#[derive(Deserialize)]
struct GivenChoices {
    choices: BTreeMap<String, String>,
}

/// Keeps choices for the next runs of a conversation, which may be new.
pub(super) async fn choose(
    State(server): State<Server>,
    user: ServerUser,
    PathId(id): PathId,
    request: Request,
) -> Result<Response, Error> {
    let GivenChoices { choices } = read_body(&server, request).await?;
    server.choose(&RunPlace::new(id).with_user(user.name), choices).await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}
