//! One prompt of a session: a run of its agent, with updates until it ends.

use std::sync::Arc;

use serde_json::{Value, json};
use silcrow_agent::{Error, ErrorKind, OnDrop, RunOutcome, RunStream, StreamOptions};
use silcrow_event::{Content, error_chain};
use silcrow_front::{CalledAgent, TranscriptChange, TranscriptReader};
use silcrow_tool::{CancellationToken, Scope};
use tokio::sync::mpsc;

use crate::client::AcpClient;
use crate::host::{AcpHost, AcpSession};
use crate::message::RpcError;
use crate::permission::{AskedCall, ClientApprover};
use crate::person::{AcpPerson, ToldTexts};
use crate::session_commands;
use crate::session_plan;
use crate::session_update::SessionUpdates;

/// A prompt that a client has sent.
pub(crate) struct PromptRun<H: ?Sized> {
    pub(crate) host: Arc<H>,
    pub(crate) client: Arc<AcpClient>,
    pub(crate) session: AcpSession,
    pub(crate) told: ToldTexts,
    pub(crate) content: Content,
    pub(crate) cancellation: CancellationToken,
}

impl<H: AcpHost + ?Sized> PromptRun<H> {
    /// Runs the prompt, and returns the answer to its request. `begun` gets the run once it has
    /// begun. A prompt that was cancelled is always answered as that.
    pub(crate) async fn run(self, begun: impl FnOnce(&RunStream)) -> Result<Value, RpcError> {
        let cancellation = self.cancellation.clone();
        match self.perform(begun).await {
            _ if cancellation.is_cancelled() => Ok(json!({"stopReason": "cancelled"})),
            Ok(reason) => Ok(json!({"stopReason": reason})),
            Err(error) => Err(error),
        }
    }

    async fn perform(self, begun: impl FnOnce(&RunStream)) -> Result<&'static str, RpcError> {
        let Self { host, client, session, told, content, cancellation } = self;
        let _claim = host.claim(&session, &content.text()).map_err(RpcError::internal)?;
        let content = session_commands::expand(&*host, &session, content)?;
        let (asked, mut wanted) = mpsc::channel(1);
        let (id, folder) = (session.id.clone(), session.folder.clone());
        let approver = ClientApprover::new(Arc::clone(&client), id.clone(), folder, asked);
        let person = Arc::new(AcpPerson::new(Arc::clone(&client), id, approver, told));
        let agent = host.agent(&session, &person).await.map_err(RpcError::internal)?;
        let scope = Scope::new(&*session.id).with_cancellation(cancellation);
        let options = StreamOptions::default().with_on_drop(OnDrop::Cancel);
        let mut run = agent.stream_with(scope, content, options);
        begun(&run);
        let mut updates = SessionUpdates::of_run(session.folder);
        let mut reader = TranscriptReader::new(&*session.id);
        loop {
            let event = tokio::select! {
                biased;
                event = run.next() => event,
                Some(asked) = wanted.recv() => {
                    tell_name(asked, &reader, &mut updates);
                    continue;
                }
            };
            let mut sent = Vec::new();
            let mut change = |agent: Option<&CalledAgent>, change: TranscriptChange<'_>| {
                sent.extend(session_plan::plan(agent, &change));
                sent.extend(updates.update(agent, change));
            };
            match &event {
                Some(event) => reader.push(event.as_ref(), &mut change),
                None => reader.end(&mut change),
            }
            for update in &sent {
                client.update(&session.id, update).await;
            }
            if event.is_none() {
                break;
            }
        }
        stop_reason(run.outcome().await)
    }
}

/// Tells a question the id of its call. A call that is new to the session gets its own.
fn tell_name(asked: AskedCall, reader: &TranscriptReader, updates: &mut SessionUpdates) {
    let AskedCall { conversation, turn, id, diffs, name } = asked;
    let known = reader.call(&conversation, turn, &id).map(str::to_owned);
    let call = known.unwrap_or_else(|| format!("{conversation}:{turn}:{id}"));
    updates.keep_diffs(&call, diffs);
    // The question may be over.
    let _ = name.send(call);
}

fn stop_reason(outcome: Result<RunOutcome, Error>) -> Result<&'static str, RpcError> {
    match outcome {
        // A client's person answers every question, so no run waits for one.
        Ok(RunOutcome::Answered | RunOutcome::Waiting(_)) => Ok("end_turn"),
        Ok(RunOutcome::Interrupted) => Ok("cancelled"),
        Err(error) => match error.kind() {
            ErrorKind::StepLimit => Ok("max_turn_requests"),
            ErrorKind::Length => Ok("max_tokens"),
            ErrorKind::Filter => Ok("refusal"),
            _ => Err(RpcError::internal(error_chain(&error))),
        },
    }
}
