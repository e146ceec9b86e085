//! The endpoints of a server, in one table, of which the router and the description are made.

mod conversation_routes;
mod event_routes;
mod metrics;
mod openapi;
mod peer_routes;
mod question_routes;
mod run_routes;
mod server_routes;

use axum::Router;
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::middleware::from_fn_with_state;
use axum::routing::{MethodRouter, delete, get, post};

use crate::auth::ServerUser;
use crate::error::{Error, ErrorKind};
use crate::faces::{ag_ui, ai_sdk, chat_completions, openai, responses};
use crate::gate::{authenticate, gate};
use crate::page;
use crate::server::Server;

/// An endpoint.
pub(crate) struct Route {
    pub(crate) method: &'static str,
    pub(crate) path: &'static str,
    pub(crate) summary: &'static str,
    /// The parameters of the query, each with what it means.
    pub(crate) query: &'static [(&'static str, &'static str)],
    /// The members of the body, each with its JSON schema.
    pub(crate) body: &'static [(&'static str, &'static str)],
    pub(crate) status: u16,
    /// The type of the answer's body.
    pub(crate) media: &'static str,
    /// Whether nobody needs a token.
    pub(crate) is_public: bool,
    handler: fn() -> MethodRouter<Server>,
}

impl Server {
    /// Returns the endpoints as a router, which a program can mount in its own.
    ///
    /// The [page](crate::Options::page) is at `/` beside them.
    pub fn router(&self) -> Router {
        let (mut public, mut private) = (Router::new(), Router::new());
        for route in ROUTES {
            let part = if route.is_public { &mut public } else { &mut private };
            *part = std::mem::take(part).route(route.path, (route.handler)());
        }
        if self.options.page {
            public = public.merge(page::router());
        }
        private
            .layer(from_fn_with_state(self.clone(), authenticate))
            .merge(public)
            .fallback(|| async {
                let why = "there is nothing here; GET /openapi.json describes this server";
                Error::new(ErrorKind::NotFound, why)
            })
            .method_not_allowed_fallback(|| async {
                let why = "this page takes other methods; GET /openapi.json describes this server";
                Error::new(ErrorKind::Method, why)
            })
            .layer(from_fn_with_state(self.clone(), gate))
            .with_state(self.clone())
    }
}

/// All endpoints.
pub(crate) const ROUTES: &[Route] = &[
    Route {
        summary: "Says that the server lives.",
        is_public: true,
        ..Route::new("get", "/health", || get(server_routes::health))
    },
    Route {
        summary: "Says that the server can use its store.",
        is_public: true,
        ..Route::new("get", "/ready", || get(server_routes::ready))
    },
    Route {
        summary: "Returns numbers of the server and its store, as Prometheus reads them.",
        media: "text/plain",
        ..Route::new("get", "/metrics", || get(metrics::metrics))
    },
    Route {
        summary: "Describes the server.",
        is_public: true,
        ..Route::new("get", "/openapi.json", || get(server_routes::description))
    },
    Route {
        summary: "Streams the run at work to another server of the store, which knows its secret.",
        media: "application/x-ndjson",
        is_public: true,
        ..Route::new("get", "/peer/runs/{id}", || get(peer_routes::run))
    },
    Route {
        summary: "Exchanges the token for a cookie, for a page.",
        body: &[("token", r#"{"type":"string"}"#)],
        status: 204,
        is_public: true,
        ..Route::new("post", "/login", || post(server_routes::login))
    },
    Route {
        summary: "Lists your conversations, the one that was used last first, or searches them.",
        query: &[
            ("q", "words to search for"),
            ("limit", "the most that are returned"),
            ("after", "the `next` of the page before"),
        ],
        ..Route::new("get", "/conversations", || get(conversation_routes::list))
    },
    Route {
        summary: "Returns the stored events of a conversation.",
        query: &[("after", "the position after which they begin"), ("limit", "the most events")],
        ..Route::new("get", "/conversations/{id}", || get(conversation_routes::read))
    },
    Route {
        summary: "Returns what the model wrote in a turn, as far as the log has it.",
        query: &[("turn", "the number of the turn")],
        ..Route::new("get", "/conversations/{id}/wire", || get(conversation_routes::wire))
    },
    Route {
        summary: "Deletes a conversation.",
        status: 204,
        ..Route::new("delete", "/conversations/{id}", || delete(conversation_routes::remove))
    },
    Route {
        summary: "Begins a conversation with the history of another one, up to an event.",
        body: &[("seq", r#"{"type":["integer","null"]}"#), ("id", r#"{"type":["string","null"]}"#)],
        status: 201,
        ..Route::new("post", "/conversations/{id}/fork", || post(conversation_routes::fork))
    },
    Route {
        summary: "Takes back what the last run changed in files, where the server offers that.",
        ..Route::new("post", "/conversations/{id}/undo", || post(conversation_routes::undo))
    },
    Route {
        summary: "Streams the events of all your runs as server-sent events.",
        media: STREAM,
        ..Route::new("get", "/events", || get(event_routes::all))
    },
    Route {
        summary: "Streams a conversation as server-sent events, from any position.",
        query: &[("after", "the id after which they begin, SEQ.N, like the header Last-Event-ID")],
        media: STREAM,
        ..Route::new("get", "/conversations/{id}/events", || get(event_routes::one))
    },
    Route {
        summary: "Begins a run that answers a prompt. The conversation may be new.",
        query: &[("steer", "1 sends the prompt to the run at work, if there is one")],
        body: &[("prompt", r#"{"type":"string"}"#)],
        status: 201,
        ..Route::new("post", "/conversations/{id}/runs", || post(run_routes::start))
    },
    Route {
        summary: "Stops the run at work.",
        body: &[("run", r#"{"type":["string","null"]}"#)],
        status: 202,
        ..Route::new("post", "/conversations/{id}/stop", || post(run_routes::stop))
    },
    Route {
        summary: "Changes what the run at work, its conversation or its user may spend.",
        body: &[
            ("account", r#"{"enum":["run","conversation","user"]}"#),
            ("tokens", r#"{"type":["integer","null"]}"#),
            ("cost", r#"{"type":["string","null"]}"#),
        ],
        status: 202,
        ..Route::new("post", "/conversations/{id}/budget", || post(run_routes::budget))
    },
    Route {
        summary: "Sends a message to the run at work.",
        body: &[("message", r#"{"type":"string"}"#), ("drop_calls", r#"{"type":"boolean"}"#)],
        status: 202,
        ..Route::new("post", "/conversations/{id}/steer", || post(run_routes::steer))
    },
    Route {
        summary: "Returns the questions for whose answers a conversation waits.",
        ..Route::new("get", "/conversations/{id}/questions", || get(question_routes::list))
    },
    Route {
        summary: "Answers questions. Once none is open, the run continues.",
        body: &[
            ("answers", question_routes::ANSWERS),
            ("message", r#"{"type":["string","null"]}"#),
        ],
        ..Route::new("post", "/conversations/{id}/answers", || post(question_routes::answer))
    },
    Route {
        summary: "Streams the answer to a prompt, or what follows answers, for the AI SDK.",
        query: &[AI_SDK_VERSION],
        body: &[
            ("id", r#"{"type":"string"}"#),
            ("messages", r#"{"type":"array"}"#),
            ("message", r#"{"type":"object"}"#),
            ("trigger", r#"{"type":"string"}"#),
            ("messageId", r#"{"type":["string","null"]}"#),
        ],
        media: STREAM,
        ..Route::new("post", "/api/chat", || post(ai_sdk::chat))
    },
    Route {
        summary: "Returns the stored messages of a chat, for the AI SDK.",
        query: &[AI_SDK_VERSION],
        ..Route::new("get", "/api/chat/{id}", || get(ai_sdk::messages))
    },
    Route {
        summary: "Streams the message at work from its start, for the AI SDK; 204 if there is none.",
        query: &[AI_SDK_VERSION],
        media: STREAM,
        ..Route::new("get", "/api/chat/{id}/stream", || get(ai_sdk::resume))
    },
    Route {
        summary: "Stops the run at work in a chat.",
        body: &[("run", r#"{"type":["string","null"]}"#)],
        status: 202,
        ..Route::new("post", "/api/chat/{id}/stop", || post(run_routes::stop))
    },
    Route {
        summary: "Begins, continues or joins a run, and streams its events, for clients of AG-UI.",
        body: &[
            ("threadId", r#"{"type":"string"}"#),
            ("runId", r#"{"type":"string"}"#),
            ("messages", r#"{"type":"array"}"#),
            ("resume", r#"{"type":"array"}"#),
        ],
        media: STREAM,
        ..Route::new("post", "/ag-ui", || post(ag_ui::run))
    },
    Route {
        summary: "Lists the models, as clients of OpenAI read them.",
        ..Route::new("get", "/v1/models", || get(openai::models))
    },
    Route {
        summary: "Answers a history, for clients of OpenAI's Chat Completions.",
        body: &[
            ("model", r#"{"type":"string"}"#),
            ("messages", r#"{"type":"array"}"#),
            ("stream", r#"{"type":"boolean"}"#),
        ],
        ..Route::new("post", "/v1/chat/completions", || post(chat_completions::complete))
    },
    Route {
        summary: "Begins or continues a run, for clients of OpenAI's Responses.",
        query: &[CALL_ITEMS],
        body: &[
            ("model", r#"{"type":"string"}"#),
            ("input", r#"{"type":["string","array"]}"#),
            ("stream", r#"{"type":"boolean"}"#),
            ("background", r#"{"type":"boolean"}"#),
            ("previous_response_id", r#"{"type":["string","null"]}"#),
        ],
        ..Route::new("post", "/v1/responses", || post(responses::create))
    },
    Route {
        summary: "Returns a response, or streams it after a number, for clients of OpenAI.",
        query: &[
            ("stream", "true for a stream"),
            ("starting_after", "the sequence_number after which the stream begins"),
            CALL_ITEMS,
        ],
        ..Route::new("get", "/v1/responses/{id}", || get(responses::read))
    },
    Route {
        summary: "Stops the run of a response, for clients of OpenAI.",
        ..Route::new("post", "/v1/responses/{id}/cancel", || post(responses::cancel))
    },
];

const STREAM: &str = "text/event-stream";

const CALL_ITEMS: (&str, &str) = ("calls", "function for calls as pairs of function calls");

const AI_SDK_VERSION: (&str, &str) =
    ("ai", "the version of the package `ai`: 5, 6 or 7, and 6 without one");

impl Route {
    const fn new(
        method: &'static str,
        path: &'static str,
        handler: fn() -> MethodRouter<Server>,
    ) -> Self {
        let (summary, query, body, media) = ("", &[], &[], "application/json");
        Self { method, path, summary, query, body, status: 200, media, is_public: false, handler }
    }
}

impl<S: Sync> FromRequestParts<S> for ServerUser {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Error> {
        // The gate has put it there.
        let user = parts.extensions.get::<Self>().cloned();
        user.ok_or_else(|| Error::new(ErrorKind::Unauthorized, "nobody is logged in"))
    }
}
