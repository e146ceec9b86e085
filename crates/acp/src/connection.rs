//! The requests of a client, and what answers them.

use std::path::PathBuf;
use std::sync::Arc;

use serde_json::{Value, json};
use silcrow_event::Content;
use silcrow_exec::CancellationToken;
use tokio::task::JoinSet;

use crate::client::AcpClient;
use crate::client_sessions::{ClientSessions, SessionRun};
use crate::host::{AcpHost, AcpSession};
use crate::message::{EditorMessage, INVALID_REQUEST, RpcError};
use crate::prompt_blocks;
use crate::prompt_run::PromptRun;
use crate::{offers, stored_sessions};

/// A connection with a client.
pub(crate) struct AcpConnection<H> {
    host: Arc<H>,
    client: Arc<AcpClient>,
    sessions: ClientSessions,
    prompts: JoinSet<()>,
}

impl<H: AcpHost + 'static> AcpConnection<H> {
    pub(crate) fn new(host: Arc<H>, client: Arc<AcpClient>) -> Self {
        let sessions = ClientSessions::default();
        Self { host, client, sessions, prompts: JoinSet::new() }
    }

    /// Takes a message of the client.
    pub(crate) async fn take(&mut self, message: EditorMessage) {
        while self.prompts.try_join_next().is_some() {}
        match message {
            EditorMessage::Answer { id, result } => self.client.take_answer(&id, result),
            EditorMessage::Notification { method, params } => self.notified(&method, &params),
            EditorMessage::Request { id, method, params } if method == "session/prompt" => {
                if let Err(error) = self.prompt(Some(&id), &params) {
                    self.reject(&id, error).await;
                }
            }
            EditorMessage::Request { id, method, params } => {
                let result = self.request(&method, &params).await;
                self.client.answer(&id, result).await;
            }
        }
    }

    /// Answers a request with an error.
    pub(crate) async fn reject(&self, id: &Value, error: RpcError) {
        self.client.answer(id, Err(error)).await;
    }

    /// Stops all runs, because the client is gone, and waits for their ends.
    pub(crate) async fn close(mut self) {
        self.sessions.cancel_all();
        self.client.close();
        while self.prompts.join_next().await.is_some() {}
    }

    fn notified(&self, method: &str, params: &Value) {
        match method {
            "session/cancel" => self.sessions.cancel(params["sessionId"].as_str()),
            "$/cancel_request" => self.sessions.cancel_request(&params["requestId"]),
            // A client may tell more than an agent knows.
            _ => {}
        }
    }

    async fn request(&mut self, method: &str, params: &Value) -> Result<Value, RpcError> {
        match method {
            "initialize" => Ok(offers::initialized()),
            "authenticate" => Ok(json!({})),
            "session/new" => {
                let folder = folder(params)?;
                let session = AcpSession::new(&*self.host, self.host.new_id(), folder);
                let mut answer = offers::choices(&*self.host, &session);
                answer["sessionId"] = json!(session.id);
                self.sessions.open(session);
                Ok(answer)
            }
            "session/load" | "session/resume" => {
                let (id, folder) = (text(params, "sessionId")?, folder(params)?);
                let entries = stored_sessions::read(&*self.host, id).await?;
                if method == "session/load" {
                    stored_sessions::replay(&self.client, id, &folder, &entries).await;
                }
                let session = AcpSession::new(&*self.host, id.to_owned(), folder);
                let answer = offers::choices(&*self.host, &session);
                self.sessions.open(session);
                Ok(answer)
            }
            "session/list" => stored_sessions::list(&*self.host, params).await,
            "session/close" => {
                self.sessions.close(text(params, "sessionId")?);
                Ok(json!({}))
            }
            "session/delete" => {
                let id = text(params, "sessionId")?;
                stored_sessions::read(&*self.host, id).await?;
                self.sessions.close(id);
                self.host.delete(id).await.map_err(RpcError::internal)?;
                Ok(json!({}))
            }
            "session/set_mode" => {
                let mode = text(params, "modeId")?;
                offers::check(self.host.modes(), mode, "mode")?;
                self.sessions.change(text(params, "sessionId")?, |session| {
                    session.mode = Some(mode.to_owned());
                })?;
                Ok(json!({}))
            }
            "session/set_config_option" => {
                let (id, value) = (text(params, "configId")?, text(params, "value")?);
                let option = self.host.options().iter().find(|option| option.id == id);
                let option =
                    option.ok_or_else(|| RpcError::params(format!("there is no option `{id}`")))?;
                offers::check(&option.choices, value, id)?;
                let session = self.sessions.change(text(params, "sessionId")?, |session| {
                    session.options.insert(id.to_owned(), value.to_owned());
                })?;
                Ok(json!({"configOptions": offers::options(&*self.host, &session)}))
            }
            "_session/steering" => self.steer(params).await,
            _ => Err(RpcError::method(method)),
        }
    }

    /// Begins the run of a prompt, which answers the request when it ends.
    fn prompt(&mut self, request: Option<&Value>, params: &Value) -> Result<(), RpcError> {
        let id = text(params, "sessionId")?;
        let content = prompt_blocks::content(&params["prompt"])?;
        self.begin(id, request, content)
    }

    fn begin(
        &mut self,
        id: &str,
        request: Option<&Value>,
        content: Content,
    ) -> Result<(), RpcError> {
        let cancellation = CancellationToken::new();
        let run = SessionRun::new(request.cloned(), cancellation.clone());
        let session = self.sessions.begin(id, run).ok_or_else(|| RpcError::unknown_session(id))?;
        let Some(session) = session else {
            let why = format!(
                "a prompt of `{id}` is at work; wait for its end, cancel it, or send this one by \
                 _session/steering",
            );
            return Err(RpcError::new(INVALID_REQUEST, why));
        };
        let (host, client) = (Arc::clone(&self.host), Arc::clone(&self.client));
        let (sessions, request, id) = (self.sessions.clone(), request.cloned(), id.to_owned());
        self.prompts.spawn(async move {
            let prompt =
                PromptRun { host, client: Arc::clone(&client), session, content, cancellation };
            let result = prompt.run(|run| sessions.begun(&id, run.handle())).await;
            // The client may send the next prompt as soon as it has the answer.
            sessions.end(&id);
            if let Some(request) = request {
                client.answer(&request, result).await;
            }
        });
        Ok(())
    }

    /// Sends a message to the run of a session, or begins one with it.
    async fn steer(&mut self, params: &Value) -> Result<Value, RpcError> {
        let id = text(params, "sessionId")?;
        let content = prompt_blocks::content(&params["prompt"])?;
        let Some(handle) = self.sessions.handle(id)? else {
            self.begin(id, None, content)?;
            return Ok(json!({"outcome": "startedNewTurn"}));
        };
        match handle.steer(content.text()).await {
            Ok(()) => Ok(json!({"outcome": "injected"})),
            Err(error) => Ok(json!({"outcome": "failed", "_meta": {"reason": error.to_string()}})),
        }
    }
}

fn text<'a>(params: &'a Value, key: &str) -> Result<&'a str, RpcError> {
    let why = || RpcError::params(format!("`{key}` is missing, or not a string"));
    params[key].as_str().ok_or_else(why)
}

fn folder(params: &Value) -> Result<PathBuf, RpcError> {
    let folder = PathBuf::from(text(params, "cwd")?);
    match folder.is_absolute() {
        true => Ok(folder),
        false => Err(RpcError::params("`cwd` is not an absolute path")),
    }
}
