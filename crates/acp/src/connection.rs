//! Receives the requests of a client and answers them.

use std::path::PathBuf;
use std::sync::Arc;

use serde_json::{Value, json};
use silcrow_event::Content;
use silcrow_tool::CancellationToken;
use tokio::task::JoinSet;

use crate::client::AcpClient;
use crate::client_sessions::ClientSessions;
use crate::host::{AcpHost, AcpSession};
use crate::message::{EditorMessage, INVALID_REQUEST, RpcError};
use crate::prompt_blocks;
use crate::prompt_run::PromptRun;
use crate::{client_servers, offers, session_commands, stored_sessions};

/// A connection with a client.
pub(crate) struct AcpConnection<H> {
    host: Arc<H>,
    client: Arc<AcpClient>,
    sessions: ClientSessions,
    /// Prompts, and requests that wait for the end of one.
    tasks: JoinSet<()>,
    is_initialized: bool,
}

impl<H: AcpHost + 'static> AcpConnection<H> {
    pub(crate) fn new(host: Arc<H>, client: Arc<AcpClient>) -> Self {
        let sessions = ClientSessions::default();
        Self { host, client, sessions, tasks: JoinSet::new(), is_initialized: false }
    }

    /// Takes a message of the client.
    pub(crate) async fn take(&mut self, message: EditorMessage) {
        while self.tasks.try_join_next().is_some() {}
        match message {
            EditorMessage::Answer { id, result } => self.client.take_answer(&id, result),
            EditorMessage::Notification { method, params } => self.notified(&method, &params),
            EditorMessage::Request { id, method, params } => {
                self.is_initialized |= method == "initialize";
                if !self.is_initialized {
                    let why = format!("`{method}` comes before initialize; send that first");
                    return self.reject(&id, RpcError::new(INVALID_REQUEST, why)).await;
                }
                self.answer(id, &method, &params).await;
            }
        }
    }

    /// Answers a request now, or when the work that it begins has ended.
    async fn answer(&mut self, id: Value, method: &str, params: &Value) {
        let result = match method {
            "session/prompt" => match self.prompt(&id, params).await {
                Ok(()) => return,
                Err(error) => Err(error),
            },
            "session/close" | "session/delete" => {
                match self.leave(&id, params, method == "session/delete").await {
                    Ok(()) => return,
                    Err(error) => Err(error),
                }
            }
            _ => self.request(method, params).await,
        };
        let opened = match (method, &result) {
            ("session/new", Ok(answer)) => answer["sessionId"].as_str().map(str::to_owned),
            ("session/load" | "session/resume", Ok(_)) => {
                params["sessionId"].as_str().map(str::to_owned)
            }
            _ => None,
        };
        self.client.answer(&id, result).await;
        // A client has a session once it has the answer.
        if let Some(opened) = opened {
            self.list_commands(&opened).await;
        }
    }

    /// Tells the client the commands of a session.
    async fn list_commands(&self, id: &str) {
        let update = match self.sessions.get(id) {
            Ok(session) => session_commands::update(&*self.host, &session),
            Err(_) => None,
        };
        if let Some(update) = update {
            self.client.update(id, &update).await;
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
        while self.tasks.join_next().await.is_some() {}
    }

    fn notified(&self, method: &str, params: &Value) {
        match method {
            "session/cancel" => self.sessions.cancel(params["sessionId"].as_str()),
            "$/cancel_request" => self.sessions.cancel_request(&params["requestId"]),
            // A client may send more than an agent understands.
            _ => {}
        }
    }

    async fn request(&mut self, method: &str, params: &Value) -> Result<Value, RpcError> {
        match method {
            "initialize" => {
                self.client.take_abilities(&params["clientCapabilities"]);
                Ok(offers::initialized(&*self.host))
            }
            "authenticate" => Ok(json!({})),
            "session/new" => {
                let (folder, servers) = (folder(params)?, client_servers::servers(params)?);
                self.host.check_folder(&folder).map_err(RpcError::params)?;
                let session = AcpSession::new(&*self.host, self.host.new_id(), folder, servers);
                let mut answer = offers::choices(&*self.host, &session);
                answer["sessionId"] = json!(session.id);
                self.sessions.open(session);
                Ok(answer)
            }
            "session/load" | "session/resume" => {
                let (id, folder) = (text(params, "sessionId")?, folder(params)?);
                let servers = client_servers::servers(params)?;
                self.host.check_folder(&folder).map_err(RpcError::params)?;
                let entries = stored_sessions::read(&*self.host, id).await?;
                if method == "session/load" {
                    stored_sessions::replay(&self.client, id, &folder, &entries).await;
                }
                let session = AcpSession::new(&*self.host, id.to_owned(), folder, servers);
                let answer = offers::choices(&*self.host, &session);
                self.sessions.open(session);
                Ok(answer)
            }
            "session/list" => stored_sessions::list(&*self.host, params).await,
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
                    option.ok_or_else(|| RpcError::params(format!("unknown option `{id}`")))?;
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

    /// Closes a session, and deletes its conversation if that is wanted. The request is answered when
    /// its run is over, so nothing is written for it afterwards.
    async fn leave(
        &mut self,
        request: &Value,
        params: &Value,
        is_deleted: bool,
    ) -> Result<(), RpcError> {
        let id = text(params, "sessionId")?.to_owned();
        if is_deleted {
            stored_sessions::read(&*self.host, &id).await?;
        }
        let closed = self.sessions.close(&id);
        let (host, client) = (Arc::clone(&self.host), Arc::clone(&self.client));
        let request = request.clone();
        self.tasks.spawn(async move {
            closed.await;
            let result = match is_deleted {
                true => host.delete(&id).await.map_err(RpcError::internal),
                false => Ok(()),
            };
            client.answer(&request, result.map(|()| json!({}))).await;
        });
        Ok(())
    }

    /// Begins the run of a prompt, which answers the request when it ends.
    async fn prompt(&mut self, request: &Value, params: &Value) -> Result<(), RpcError> {
        let id = text(params, "sessionId")?;
        let content = self.content(params).await?;
        self.begin(id, Some(request), content)
    }

    /// Reads the content of a prompt. The decoder of its pictures may take a while.
    async fn content(&self, params: &Value) -> Result<Content, RpcError> {
        let (decoder, blocks) = (self.host.decoder(), params["prompt"].clone());
        let read = move || prompt_blocks::content(&blocks, &*decoder);
        let read = tokio::task::spawn_blocking(read).await;
        read.unwrap_or_else(|error| Err(RpcError::internal(error.to_string())))
    }

    fn begin(
        &mut self,
        id: &str,
        request: Option<&Value>,
        content: Content,
    ) -> Result<(), RpcError> {
        let cancellation = CancellationToken::new();
        let begun = self.sessions.begin(id, request.cloned(), cancellation.clone())?;
        let Some((session, told, at_work)) = begun else {
            let why = format!(
                "a prompt of `{id}` is at work; wait for its end, cancel it, or send this one by \
                 _session/steering",
            );
            return Err(RpcError::new(INVALID_REQUEST, why));
        };
        let (host, client) = (Arc::clone(&self.host), Arc::clone(&self.client));
        let request = request.cloned();
        self.tasks.spawn(async move {
            let client_of_run = Arc::clone(&client);
            let prompt =
                PromptRun { host, client: client_of_run, session, told, content, cancellation };
            let result = prompt.run(|run| at_work.begun(run.handle())).await;
            // The client may send the next prompt as soon as it has the answer.
            at_work.end();
            if let Some(request) = request {
                client.answer(&request, result).await;
            }
            drop(at_work);
        });
        Ok(())
    }

    /// Sends a message to the run of a session, or begins one with it.
    async fn steer(&mut self, params: &Value) -> Result<Value, RpcError> {
        let id = text(params, "sessionId")?;
        let content = self.content(params).await?;
        let Some(handle) = self.sessions.handle(id)? else {
            self.begin(id, None, content)?;
            return Ok(json!({"outcome": "startedNewTurn"}));
        };
        let content = session_commands::expand(&*self.host, &self.sessions.get(id)?, content)?;
        if content.media().next().is_some() {
            let reason =
                "pictures and files go with the next prompt, and not with a message to a run";
            return Ok(json!({"outcome": "failed", "_meta": {"reason": reason}}));
        }
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
