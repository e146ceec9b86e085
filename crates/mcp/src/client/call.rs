//! One call of a server's tool: sent, watched, and sent again only if that is safe.
//!
//! ```text
//! sent ─► progress, which begins the time again ─► a result
//!   │  └─► a question for the person ─► sent again with the answer (2026-07-28)
//!   ├────► the connection is lost, or the time is over ─► the outcome is unknown
//!   └────► dropped ─► the server is told to stop
//! ```

use std::sync::Arc;

use futures_util::StreamExt as _;
use rmcp::handler::client::progress::ProgressSubscriber;
use rmcp::model::{
    CallToolRequest, CallToolRequestParams, CallToolResult, CancelledNotificationParam,
    ClientRequest, InputRequest, InputRequiredResult, InputResponses, JsonObject, RequestId,
    RequestMetaObject, ServerResult,
};
use rmcp::service::{Peer, PeerRequestOptions, RoleClient, ServiceError};
use silcrow_tool::{CallContext, ToolError};
use tokio::runtime::Handle;

use crate::client::call_time::CallTime;
use crate::client::connection::{Connection, said};
use crate::client::definition::ToolDefinition;
use crate::client::served_calls::ServedCall;
use crate::client::server::ServerHandle;
use crate::config::ServerConfig;

/// Calls a tool. A call that may be repeated is sent once more if the connection was lost.
pub(crate) async fn call(
    server: &Arc<ServerHandle>,
    tool: &ToolDefinition,
    args: JsonObject,
    context: &CallContext,
) -> Result<CallToolResult, ToolError> {
    let ended = match attempt(server, tool, args.clone(), context).await {
        Err(CallLoss::Connection(_)) if tool.is_repeatable() => {
            attempt(server, tool, args, context).await
        }
        ended => ended,
    };
    ended.map_err(|loss| ToolError::new(loss.into_words(server, tool)))
}

/// Sends a call once, and waits for its answer within the time limit. Reaching the server has a
/// separate time limit, because a call that was not sent has no effect.
async fn attempt(
    server: &Arc<ServerHandle>,
    tool: &ToolDefinition,
    args: JsonObject,
    context: &CallContext,
) -> Result<CallToolResult, CallLoss> {
    let connection = server.connection().await;
    let connection =
        connection.map_err(|error| CallLoss::Unsent(silcrow_event::error_chain(&error)))?;
    let time = CallTime::new(&server.config);
    let mut open = server.face.calls.open(context.conversation_id());
    let sent = CallInFlight { server, connection: &connection, context, time: &time };
    tokio::select! {
        biased;
        answered = sent.answered(tool, args, &mut open) => answered,
        over = time.over(&server.face) => {
            Err(CallLoss::Silent(format!("the server `{}` {over}", server.config.name)))
        }
    }
}

/// The reason why a call has no result.
enum CallLoss {
    /// The call was not sent.
    Unsent(String),
    /// The server answered with an error.
    Refused(String),
    /// The connection was lost after the call was sent.
    Connection(String),
    /// The server did not answer in time.
    Silent(String),
    /// The answer is not one.
    Answer(String),
}

impl CallLoss {
    fn into_words(self, server: &ServerHandle, tool: &ToolDefinition) -> String {
        match self {
            Self::Unsent(why) => format!("not sent: {why}"),
            Self::Refused(why) => why,
            Self::Connection(why) | Self::Silent(why) => why + &said(&server.log) + unknown(tool),
            Self::Answer(why) => why + unknown(tool),
        }
    }
}

/// Returns the end of the words about a call that may have had its effect.
fn unknown(tool: &ToolDefinition) -> &'static str {
    match tool.is_repeatable() {
        true => "; it may be called again",
        false => "; the outcome of this call is unknown, so look before you call it again",
    }
}

/// A call on its way over a connection.
struct CallInFlight<'a> {
    server: &'a Arc<ServerHandle>,
    connection: &'a Connection,
    context: &'a CallContext,
    time: &'a CallTime,
}

impl CallInFlight<'_> {
    /// Sends a call, and once more for each question of the server, until there is a result.
    async fn answered(
        &self,
        tool: &ToolDefinition,
        args: JsonObject,
        open: &mut ServedCall,
    ) -> Result<CallToolResult, CallLoss> {
        let (server, context) = (self.server, self.context);
        let mut params = CallToolRequestParams::new(tool.own_name.clone()).with_arguments(args);
        for _ in 0..MOST_ROUNDS {
            match self.request(params.clone(), open).await? {
                ServerResult::CallToolResult(result) => return Ok(result),
                ServerResult::InputRequiredResult(wanted) => {
                    (params.input_responses, params.request_state) =
                        answers(server, wanted, context).await?;
                }
                ServerResult::EmptyResult(_) => return Ok(CallToolResult::success(Vec::new())),
                _ => {
                    let why =
                        format!("the server `{}` answered with no result", server.config.name);
                    return Err(CallLoss::Answer(why));
                }
            }
        }
        let why = format!("the server `{}` asked {MOST_ROUNDS} times for more", server.config.name);
        Err(CallLoss::Answer(why))
    }

    /// Sends a call, and reports its progress until there is an answer.
    async fn request(
        &self,
        params: CallToolRequestParams,
        open: &mut ServedCall,
    ) -> Result<ServerResult, CallLoss> {
        let Self { server, connection, context, time } = *self;
        let name = &server.config.name;
        let request = ClientRequest::CallToolRequest(CallToolRequest::new(params));
        let peer = connection.peer();
        let mut options = PeerRequestOptions::no_options();
        if let Some(parent) = context.trace_parent() {
            let mut meta = RequestMetaObject::default();
            meta.set_traceparent(parent.to_string());
            options = options.with_meta(meta);
        }
        let sent = peer.send_cancellable_request(request, options).await;
        let handle = match sent {
            Ok(handle) => handle,
            Err(error) => return Err(lost(&server.config, connection, &error).await),
        };
        let mut progress = server.face.progress.subscribe(handle.progress_token.clone()).await;
        let mut guard = CancelOnDrop {
            peer: peer.clone(),
            id: Some(handle.id.clone()),
            runtime: server.runtime.clone(),
        };
        let answer = {
            let answer = handle.await_response();
            tokio::pin!(answer);
            loop {
                tokio::select! {
                    biased;
                    answer = &mut answer => break answer,
                    () = report(&mut progress, context) => time.begin_again(),
                    line = open.line() => context.progress("progress", line).await,
                }
            }
        };
        guard.id = None;
        while let Some(line) = open.left_line() {
            context.progress("progress", line).await;
        }
        match answer {
            Ok(answer) => Ok(answer),
            Err(ServiceError::McpError(error)) => Err(CallLoss::Refused(format!(
                "the server `{name}` refused the call: {}",
                error.message
            ))),
            Err(error) => Err(lost(&server.config, connection, &error).await),
        }
    }
}

/// Reports the next piece of progress, or waits forever if there is none.
async fn report(progress: &mut ProgressSubscriber, context: &CallContext) {
    let Some(piece) = progress.next().await else { return std::future::pending().await };
    let amount = match piece.total {
        Some(total) => format!("{} of {total}", piece.progress),
        None => piece.progress.to_string(),
    };
    let line = match piece.message {
        Some(message) => format!("{amount}: {message}\n"),
        None => format!("{amount}\n"),
    };
    context.progress("progress", line).await;
}

/// Returns why no answer arrives.
async fn lost(config: &ServerConfig, connection: &Connection, error: &ServiceError) -> CallLoss {
    let name = &config.name;
    match error {
        ServiceError::UnexpectedResponse => {
            CallLoss::Answer(format!("the server `{name}` answered with no result"))
        }
        error if error.is_authorization_required() => {
            CallLoss::Refused(format!("the server `{name}` {}", config.address.refusal()))
        }
        _ => match connection.end().await {
            Some(ended) => CallLoss::Connection(format!(
                "the server `{name}` ended before it answered ({ended})"
            )),
            None => CallLoss::Connection(format!(
                "the connection to the server `{name}` was lost before it answered ({})",
                silcrow_event::error_chain(error)
            )),
        },
    }
}

/// Asks the person the server's question before it continues.
async fn answers(
    server: &ServerHandle,
    wanted: InputRequiredResult,
    context: &CallContext,
) -> Result<(Option<InputResponses>, Option<String>), CallLoss> {
    let mut answers = InputResponses::new();
    for (key, request) in wanted.input_requests.unwrap_or_default() {
        let InputRequest::Elicitation(request) = request else {
            let why = format!(
                "the server `{}` asks for something that this client does not offer",
                server.config.name
            );
            return Err(CallLoss::Refused(why));
        };
        let answer =
            server.face.elicit(request.params, Some(context.conversation_id().to_owned())).await;
        answers.insert(key, serde_json::to_value(answer).unwrap_or_default());
    }
    Ok(((!answers.is_empty()).then_some(answers), wanted.request_state))
}

/// Tells the server to stop when a call is dropped before its answer.
struct CancelOnDrop {
    peer: Peer<RoleClient>,
    id: Option<RequestId>,
    runtime: Handle,
}

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        let Some(id) = self.id.take() else { return };
        let cancelled = CancelledNotificationParam::new(Some(id), Some("stopped".to_owned()));
        let peer = self.peer.clone();
        // This fails if the connection is lost, and then the server cannot be notified.
        drop(self.runtime.spawn(async move { peer.notify_cancelled(cancelled).await }));
    }
}

/// The number of times that a server may ask before it answers a call.
const MOST_ROUNDS: usize = 10;
