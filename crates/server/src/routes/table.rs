//! The table of all endpoints, from which the router and the description are made.

use axum::routing::{MethodRouter, delete, get, post};

use super::{
    branch_routes, choice_routes, conversation_routes, event_routes, form_routes, media_routes,
    metrics, peer_routes, question_routes, run_routes, server_routes,
};
use crate::faces::{ag_ui, ai_sdk, chat_completions, openai, responses};
use crate::server::Server;

/// An endpoint.
pub(crate) struct Route {
    pub(crate) method: &'static str,
    pub(crate) path: &'static str,
    pub(crate) summary: &'static str,
    /// The parameters of the query, each with its meaning.
    pub(crate) query: &'static [(&'static str, &'static str)],
    /// The name of the schema of the body, or nothing.
    pub(crate) body: &'static str,
    /// The answers, besides errors.
    pub(crate) answers: &'static [RouteAnswer],
    /// Whether the endpoint needs no token.
    pub(crate) is_public: bool,
    pub(crate) handler: fn() -> MethodRouter<Server>,
}

/// A kind of answer.
pub(crate) struct RouteAnswer {
    pub(crate) status: u16,
    /// The type of the body, or nothing.
    pub(crate) media: &'static str,
    /// The name of the schema of the body, or nothing.
    pub(crate) schema: &'static str,
}

/// All endpoints.
pub(crate) const ROUTES: &[Route] = &[
    Route {
        summary: "Says that the server lives.",
        answers: &[RouteAnswer::json(200, "Health")],
        is_public: true,
        ..Route::new("get", "/health", || get(server_routes::health))
    },
    Route {
        summary: "Says that the server can use its store.",
        answers: &[RouteAnswer::json(200, "Ready")],
        is_public: true,
        ..Route::new("get", "/ready", || get(server_routes::ready))
    },
    Route {
        summary: "Describes the server.",
        answers: &[RouteAnswer::json(200, "Description")],
        is_public: true,
        ..Route::new("get", "/openapi.json", || get(super::description))
    },
    Route {
        summary: "Says what answers here: the model, the folder and the mode, where they are known.",
        answers: &[RouteAnswer::json(200, "About")],
        ..Route::new("get", "/about", || get(server_routes::about))
    },
    Route {
        summary: "Returns numbers of the server and its store, as Prometheus reads them.",
        answers: &[RouteAnswer {
            status: 200,
            media: "text/plain; version=0.0.4; charset=utf-8",
            schema: "",
        }],
        ..Route::new("get", "/metrics", || get(metrics::metrics))
    },
    Route {
        summary: "Streams the run at work to another server of the store, which knows its secret.",
        answers: &[RouteAnswer { status: 200, media: "application/x-ndjson", schema: "" }],
        is_public: true,
        ..Route::new("get", "/peer/runs/{id}", || get(peer_routes::run))
    },
    Route {
        summary: "Exchanges the token for a cookie, for a page.",
        body: "Login",
        answers: &[RouteAnswer::nothing(204)],
        is_public: true,
        ..Route::new("post", "/login", || post(server_routes::login))
    },
    Route {
        summary: "Ends the session of a page: its cookie counts at no server of the store any more.",
        answers: &[RouteAnswer::nothing(204)],
        is_public: true,
        ..Route::new("post", "/logout", || post(server_routes::logout))
    },
    Route {
        summary: "Lists your conversations, most recently used first, or searches them.",
        query: &[
            ("q", "words to search for"),
            ("limit", "the most that are returned"),
            ("after", "the `next` of the page before"),
            ("one_off", "true lists chats that programs began without a name, too"),
        ],
        answers: &[RouteAnswer::json(200, "ConversationList")],
        ..Route::new("get", "/conversations", || get(conversation_routes::list))
    },
    Route {
        summary: "Returns the stored events of a conversation.",
        query: &[("after", "the position after which they begin"), ("limit", "the most events")],
        answers: &[RouteAnswer::json(200, "ConversationLog")],
        ..Route::new("get", "/conversations/{id}", || get(conversation_routes::read))
    },
    Route {
        summary: "Returns what the model wrote in a turn, if the log has it.",
        query: &[("turn", "the number of the turn")],
        answers: &[RouteAnswer::json(200, "Wire")],
        ..Route::new("get", "/conversations/{id}/wire", || get(conversation_routes::wire))
    },
    Route {
        summary: "Returns a picture, a document or a sound that an event of a conversation names.",
        answers: &[RouteAnswer { status: 200, media: "*/*", schema: "" }],
        ..Route::new("get", "/conversations/{id}/media/{hash}", || get(media_routes::read))
    },
    Route {
        summary: "Gives a conversation a name.",
        body: "NewTitle",
        answers: &[RouteAnswer::nothing(204)],
        ..Route::new("post", "/conversations/{id}/title", || post(conversation_routes::rename))
    },
    Route {
        summary: "Deletes a conversation.",
        answers: &[RouteAnswer::nothing(204)],
        ..Route::new("delete", "/conversations/{id}", || delete(conversation_routes::remove))
    },
    Route {
        summary: "Begins a conversation with the history of another one, up to an event.",
        body: "ForkRequest",
        answers: &[RouteAnswer::json(201, "Fork")],
        ..Route::new("post", "/conversations/{id}/fork", || post(conversation_routes::fork))
    },
    Route {
        summary: "Lists the branches of a chat, which its clients began when they edited a message.",
        answers: &[RouteAnswer::json(200, "Branches")],
        ..Route::new("get", "/conversations/{id}/branches", || get(branch_routes::list))
    },
    Route {
        summary: "Begins a branch before a prompt of a chat, or chooses the current branch.",
        body: "BranchRequest",
        answers: &[RouteAnswer::json(200, "Branches"), RouteAnswer::json(201, "Fork")],
        ..Route::new("post", "/conversations/{id}/branches", || post(branch_routes::branch))
    },
    Route {
        summary: "Lists what may be chosen for the runs of a conversation, such as the model.",
        answers: &[RouteAnswer::json(200, "RunChoices")],
        ..Route::new("get", "/conversations/{id}/choices", || get(choice_routes::list))
    },
    Route {
        summary: "Chooses something for the next runs of a conversation, which may be new.",
        body: "GivenChoices",
        answers: &[RouteAnswer::nothing(204)],
        ..Route::new("post", "/conversations/{id}/choices", || post(choice_routes::choose))
    },
    Route {
        summary: "Takes back what the last run changed in files, where the server offers that.",
        answers: &[RouteAnswer::json(200, "Undone")],
        ..Route::new("post", "/conversations/{id}/undo", || post(conversation_routes::undo))
    },
    Route {
        summary: "Streams the events of all your runs as server-sent events.",
        answers: &[RouteAnswer::stream("UserMessage")],
        ..Route::new("get", "/events", || get(event_routes::all))
    },
    Route {
        summary: "Streams a conversation as server-sent events, from any position.",
        query: &[
            ("after", "the id after which they begin, SEQ.N, like the header Last-Event-ID"),
            ("chunks", "false for whole texts and calls only, without their pieces"),
        ],
        answers: &[RouteAnswer::stream("Event")],
        ..Route::new("get", "/conversations/{id}/events", || get(event_routes::one))
    },
    Route {
        summary: "Begins a run that answers a prompt. The conversation may be new.",
        query: &[("steer", "1 sends the prompt to the run at work, if there is one")],
        body: "Prompt",
        answers: &[RouteAnswer::json(201, "StartedRun"), RouteAnswer::json(202, "NamedRun")],
        ..Route::new("post", "/conversations/{id}/runs", || post(run_routes::start))
    },
    Route {
        summary: "Stops the run at work.",
        body: "Stop",
        answers: &[RouteAnswer::json(202, "NamedRun")],
        ..Route::new("post", "/conversations/{id}/stop", || post(run_routes::stop))
    },
    Route {
        summary: "Changes what the run at work, its conversation or its user may spend.",
        body: "SpendingChange",
        answers: &[RouteAnswer::json(202, "NamedRun")],
        ..Route::new("post", "/conversations/{id}/budget", || post(run_routes::budget))
    },
    Route {
        summary: "Sends a message to the run at work.",
        body: "SteeringMessage",
        answers: &[RouteAnswer::json(202, "NamedRun")],
        ..Route::new("post", "/conversations/{id}/steer", || post(run_routes::steer))
    },
    Route {
        summary: "Returns the questions for whose answers a conversation waits.",
        answers: &[RouteAnswer::json(200, "Questions")],
        ..Route::new("get", "/conversations/{id}/questions", || get(question_routes::list))
    },
    Route {
        summary: "Answers questions. Once none is open, the run continues.",
        body: "Decisions",
        answers: &[RouteAnswer::json(200, "TakenAnswers")],
        ..Route::new("post", "/conversations/{id}/answers", || post(question_routes::answer))
    },
    Route {
        summary: "Returns the forms that a call of the run at work lets a person fill in.",
        answers: &[RouteAnswer::json(200, "Forms")],
        ..Route::new("get", "/conversations/{id}/forms", || get(form_routes::list))
    },
    Route {
        summary: "Answers a form, or declines to.",
        body: "FilledForm",
        answers: &[RouteAnswer::nothing(204)],
        ..Route::new("post", "/conversations/{id}/forms", || post(form_routes::answer))
    },
    Route {
        summary: "Lists the open questions of all your conversations, or for the owner of all users.",
        answers: &[RouteAnswer::json(200, "WaitingConversations")],
        ..Route::new("get", "/questions", || get(question_routes::all))
    },
    Route {
        summary: "Opens the question of a link, which works once.",
        body: "QuestionLink",
        answers: &[RouteAnswer::json(200, "OpenedQuestion")],
        is_public: true,
        ..Route::new("post", "/questions/open", || post(question_routes::open))
    },
    Route {
        summary: "Answers the question that a link has opened.",
        body: "LinkedAnswer",
        answers: &[RouteAnswer::json(200, "TakenAnswers")],
        is_public: true,
        ..Route::new("post", "/questions/answer", || post(question_routes::answer_linked))
    },
    Route {
        summary: "Streams the answer to a prompt, or what follows answers, for the AI SDK.",
        query: &[AI_SDK_VERSION, DISCONNECT],
        body: "AiSdkRequest",
        answers: &[RouteAnswer::stream("AiSdkPart")],
        ..Route::new("post", "/api/chat", || post(ai_sdk::chat))
    },
    Route {
        summary: "Returns the stored messages of a chat, for the AI SDK.",
        query: &[AI_SDK_VERSION],
        answers: &[RouteAnswer::json(200, "AiSdkMessages")],
        ..Route::new("get", "/api/chat/{id}", || get(ai_sdk::messages))
    },
    Route {
        summary: "Streams the message at work from its start, for the AI SDK; 204 if there is none.",
        query: &[AI_SDK_VERSION, DISCONNECT],
        answers: &[RouteAnswer::stream("AiSdkPart"), RouteAnswer::nothing(204)],
        ..Route::new("get", "/api/chat/{id}/stream", || get(ai_sdk::resume))
    },
    Route {
        summary: "Stops the run at work in a chat.",
        body: "Stop",
        answers: &[RouteAnswer::json(202, "NamedRun")],
        ..Route::new("post", "/api/chat/{id}/stop", || post(ai_sdk::stop))
    },
    Route {
        summary: "Begins, continues or joins a run, and streams its events, for clients of AG-UI.",
        query: &[DISCONNECT],
        body: "AgUiRequest",
        answers: &[RouteAnswer::stream("AgUiEvent")],
        ..Route::new("post", "/ag-ui", || post(ag_ui::run))
    },
    Route {
        summary: "Lists the models, as clients of OpenAI read them.",
        answers: &[RouteAnswer::json(200, "ModelList")],
        ..Route::new("get", "/v1/models", || get(openai::models))
    },
    Route {
        summary: "Returns a model, as clients of OpenAI read it.",
        answers: &[RouteAnswer::json(200, "Model")],
        ..Route::new("get", "/v1/models/{id}", || get(openai::model))
    },
    Route {
        summary: "Answers a history, for clients of OpenAI's Chat Completions.",
        query: &[DISCONNECT],
        body: "CompletionRequest",
        answers: &[RouteAnswer::json(200, "Completion"), RouteAnswer::stream("CompletionChunk")],
        ..Route::new("post", "/v1/chat/completions", || post(chat_completions::complete))
    },
    Route {
        summary: "Begins or continues a run, for clients of OpenAI's Responses.",
        query: &[CALL_ITEMS, DISCONNECT],
        body: "ResponseRequest",
        answers: &[RouteAnswer::json(200, "Response"), RouteAnswer::stream("ResponseEvent")],
        ..Route::new("post", "/v1/responses", || post(responses::create))
    },
    Route {
        summary: "Returns a response, or streams it after a number, for clients of OpenAI.",
        query: &[
            ("stream", "true for a stream"),
            ("starting_after", "the sequence_number after which the stream begins"),
            CALL_ITEMS,
            DISCONNECT,
        ],
        answers: &[RouteAnswer::json(200, "Response"), RouteAnswer::stream("ResponseEvent")],
        ..Route::new("get", "/v1/responses/{id}", || get(responses::read))
    },
    Route {
        summary: "Deletes a response with the conversation that it began, for clients of OpenAI.",
        answers: &[RouteAnswer::json(200, "DeletedResponse")],
        ..Route::new("delete", "/v1/responses/{id}", || delete(responses::remove))
    },
    Route {
        summary: "Lists what a response answers, for clients of OpenAI.",
        answers: &[RouteAnswer::json(200, "InputItems")],
        ..Route::new("get", "/v1/responses/{id}/input_items", || get(responses::input_items))
    },
    Route {
        summary: "Stops the run of a response, for clients of OpenAI.",
        query: &[CALL_ITEMS],
        answers: &[RouteAnswer::json(200, "Response")],
        ..Route::new("post", "/v1/responses/{id}/cancel", || post(responses::cancel))
    },
];

const CALL_ITEMS: (&str, &str) = ("calls", "function for calls as pairs of function calls");

const AI_SDK_VERSION: (&str, &str) =
    ("ai", "the version of the package `ai`: 5, 6 or 7, and 6 without one");

const DISCONNECT: (&str, &str) = (
    "disconnect",
    "stop for a run that is stopped if this client leaves before its end, abort if it closes its connection",
);

impl Route {
    const fn new(
        method: &'static str,
        path: &'static str,
        handler: fn() -> MethodRouter<Server>,
    ) -> Self {
        let (summary, query, body, answers) = ("", &[], "", &[]);
        Self { method, path, summary, query, body, answers, is_public: false, handler }
    }
}

impl RouteAnswer {
    const fn json(status: u16, schema: &'static str) -> Self {
        Self { status, media: "application/json", schema }
    }

    /// Describes server-sent events, whose data have a schema.
    const fn stream(schema: &'static str) -> Self {
        Self { status: 200, media: "text/event-stream", schema }
    }

    const fn nothing(status: u16) -> Self {
        Self { status, media: "", schema: "" }
    }
}
