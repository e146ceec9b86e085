//! Endpoints of the forms that calls let a person fill in.

use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use serde::Deserialize;
use serde_json::{Map, Value, json as value};

use crate::auth::ServerUser;
use crate::bodies::{json, read_body};
use crate::error::{Error, ErrorKind};
use crate::forms::FormAnswer;
use crate::path_id::PathId;
use crate::server::Server;

/// Lists the forms that the run at work waits for.
pub(super) async fn list(
    State(server): State<Server>,
    user: ServerUser,
    PathId(id): PathId,
) -> Result<Response, Error> {
    server.summary(user.name.as_deref(), &id).await?;
    let forms = server.forms.in_conversation(&id).into_iter();
    let forms = forms.map(
        |form| value!({"id": form.id.to_string(), "message": form.message, "schema": form.schema}),
    );
    let forms: Vec<_> = forms.collect();
    Ok(json(StatusCode::OK, value!({"forms": forms}).to_string()))
}

#[derive(Deserialize)]
struct FilledForm {
    form: String,
    action: FormAction,
    #[serde(default)]
    values: Map<String, Value>,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum FormAction {
    Accept,
    Decline,
    Cancel,
}

/// Answers a form.
pub(super) async fn answer(
    State(server): State<Server>,
    user: ServerUser,
    PathId(id): PathId,
    request: Request,
) -> Result<Response, Error> {
    let FilledForm { form, action, values } = read_body(&server, request).await?;
    server.summary(user.name.as_deref(), &id).await?;
    let number = form.parse().map_err(|_| {
        Error::new(ErrorKind::Stale, format!("unknown form {form:?}; it may be answered already"))
    })?;
    let answer = match action {
        FormAction::Accept => FormAnswer::Accepted(values),
        FormAction::Decline => FormAnswer::Declined,
        FormAction::Cancel => FormAnswer::Cancelled,
    };
    server.forms.answer(&id, number, answer)?;
    Ok(StatusCode::NO_CONTENT.into_response())
}
