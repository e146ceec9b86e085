//! The common parts of the endpoints for clients of OpenAI: errors, users and the models.

use std::time::SystemTime;

use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use serde_json::json as value;
use silcrow_front::{ChatHeaders, OpenAiError, OpenAiErrorKind, model_list};

use crate::auth::ServerUser;
use crate::bodies::json;
use crate::error::{Error, ErrorKind};
use crate::path_id::PathId;
use crate::server::Server;
use crate::source::RunPlace;

/// An answer to a request that cannot be fulfilled.
pub(crate) struct OpenAiRefusal(Box<Response>);

impl From<Error> for OpenAiRefusal {
    fn from(error: Error) -> Self {
        Self(Box::new(error.into_response()))
    }
}

impl From<OpenAiError> for OpenAiRefusal {
    fn from(error: OpenAiError) -> Self {
        let status = StatusCode::from_u16(error.kind().status());
        let status = status.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let mut answer = json(status, error.to_json());
        if error.kind() == OpenAiErrorKind::Quota {
            // The clients of OpenAI repeat a request with this status otherwise.
            answer.headers_mut().insert("x-should-retry", HeaderValue::from_static("false"));
        }
        Self(Box::new(answer))
    }
}

impl IntoResponse for OpenAiRefusal {
    fn into_response(self) -> Response {
        *self.0
    }
}

/// Returns the body of an error in the form that these clients read.
pub(crate) fn error_body(kind: ErrorKind, message: &str) -> String {
    let form = match kind {
        ErrorKind::Unauthorized => OpenAiErrorKind::Unauthorized,
        ErrorKind::Forbidden => OpenAiErrorKind::Forbidden,
        ErrorKind::NotFound => OpenAiErrorKind::NotFound,
        ErrorKind::Busy | ErrorKind::Stale => OpenAiErrorKind::Conflict,
        ErrorKind::BodyTooLarge | ErrorKind::HeadTooLarge => OpenAiErrorKind::TooLarge,
        ErrorKind::TooMany => OpenAiErrorKind::TooMany,
        ErrorKind::Unavailable => OpenAiErrorKind::Unavailable,
        ErrorKind::Failed => OpenAiErrorKind::Failed,
        _ => OpenAiErrorKind::Invalid,
    };
    let error = OpenAiError::new(form, message);
    match kind {
        ErrorKind::Unauthorized | ErrorKind::TooMany => error.to_json(),
        _ => error.with_code(kind.as_str()).to_json(),
    }
}

/// Lists the models.
pub(crate) async fn models(State(server): State<Server>, user: ServerUser) -> Response {
    let place = RunPlace::new("plain").with_user(user.name);
    let is_there = server.source.plain(&place).is_some();
    let names = [AGENT_MODEL].into_iter().chain(is_there.then_some(PLAIN_MODEL));
    json(StatusCode::OK, model_list(names, now()))
}

/// Returns one of the models.
pub(crate) async fn model(
    State(server): State<Server>,
    user: ServerUser,
    PathId(id): PathId,
) -> Result<Response, OpenAiRefusal> {
    let place = RunPlace::new("plain").with_user(user.name);
    check_model(&id)?;
    if id == PLAIN_MODEL && server.source.plain(&place).is_none() {
        return Err(no_model(&id).into());
    }
    let model = value!({
        "id": id, "object": "model", "created": now(), "owned_by": "silcrow",
    });
    Ok(json(StatusCode::OK, model.to_string()))
}

/// Checks that a model is one of ours.
pub(super) fn check_model(model: &str) -> Result<(), OpenAiError> {
    if [AGENT_MODEL, PLAIN_MODEL].contains(&model) {
        return Ok(());
    }
    Err(no_model(model))
}

fn no_model(model: &str) -> OpenAiError {
    let why = format!("Unknown model `{model}`; ask for `{AGENT_MODEL}`.");
    let error = OpenAiError::new(OpenAiErrorKind::NotFound, why);
    error.with_param("model").with_code("model_not_found")
}

/// Returns the error of a request that has only results that no call waits for.
pub(super) fn no_open_call() -> OpenAiRefusal {
    let why = "no call of these results is open; they are known already, or the conversation has \
               continued without them";
    Error::new(ErrorKind::Stale, why).into()
}

/// Reads the headers about the chat.
pub(super) fn chat_headers(headers: &HeaderMap) -> ChatHeaders {
    let texts =
        headers.iter().filter_map(|(name, value)| Some((name.as_str(), value.to_str().ok()?)));
    ChatHeaders::read(texts)
}

impl Server {
    /// Returns the user for whom a request is made. A program with people of its own, such as a chat
    /// page, names one of them in its headers; each is a user beside all others, with an account of
    /// their own, so that only programs that were let in as such may do this.
    pub(super) fn speaker(
        &self,
        user: ServerUser,
        headers: &ChatHeaders,
    ) -> Result<Option<String>, Error> {
        let Some(person) = &headers.user else { return Ok(user.name) };
        if !self.access.may_name_people(&user) {
            let why = "this token may not name people of its own; leave out X-OpenWebUI-User-Id, or \
                       let the program in with `silcrow serve --chat-token NAME=FILE`";
            return Err(Error::new(ErrorKind::Forbidden, why));
        }
        Ok(Some(match user.name {
            Some(name) => format!("{name}:chat:{person}"),
            None => format!("chat:{person}"),
        }))
    }
}

/// Returns the time in seconds since 1970.
pub(super) fn now() -> u64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    since.map_or(0, |since| since.as_secs())
}

/// The name of the agent.
pub(super) const AGENT_MODEL: &str = "silcrow";

/// The name of the model without tools.
pub(super) const PLAIN_MODEL: &str = "silcrow-plain";
