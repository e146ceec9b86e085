//! What a run is to do: to answer a prompt, also in a fork, to continue a run that waits, or to
//! replay a conversation.
//!
//! This module knows the order of these steps. `run` makes the agent and shows what it emits.

use std::io;
use std::sync::Arc;

use silcrow_agent::{Agent, Error, RunOutcome, StreamOptions};
use silcrow_console::attend::{AttendedEnd, AttendedRuns, lock};
use silcrow_event::{Content, Event, RunEventRef};
use silcrow_exec::Scope;
use silcrow_mcp::McpServers;
use silcrow_store::Store;

use crate::failure::Failure;
use crate::fork::ForkName;
use crate::places;
use crate::prompt::{NamedResource, with_resources};
use crate::stored_head::stored_head;

/// What an agent is to do.
pub(crate) enum RunTask {
    /// To answer a prompt, in a fork of another conversation if one is named. The resources become a
    /// part of the prompt.
    Answer { prompt: Content, fork: Option<ForkName>, resources: Vec<NamedResource> },
    /// To continue a run that waits for answers, or that was stopped. A retry says which prompt that
    /// is.
    Resume { is_retry: bool },
    /// To run the prompts of a conversation again.
    Replay { conversation: String },
}

impl RunTask {
    /// Returns the conversation that is replayed.
    pub(crate) fn replayed(&self) -> Option<&str> {
        match self {
            Self::Replay { conversation } => Some(conversation),
            Self::Answer { .. } | Self::Resume { .. } => None,
        }
    }

    /// Returns the text of the prompt, which is empty for a run that continues or replays.
    pub(crate) fn prompt(&self) -> String {
        match self {
            Self::Answer { prompt, .. } => prompt.text().into_owned(),
            Self::Resume { .. } | Self::Replay { .. } => String::new(),
        }
    }

    /// Adds the texts of servers that the prompt names, and returns the lines that say so.
    pub(crate) async fn with_resources(
        self,
        servers: &McpServers,
    ) -> Result<(Self, Vec<String>), Failure> {
        match self {
            Self::Answer { prompt, fork, resources } if !resources.is_empty() => {
                let (prompt, notices) = with_resources(prompt, &resources, servers).await?;
                Ok((Self::Answer { prompt, fork, resources: Vec::new() }, notices))
            }
            task => Ok((task, Vec::new())),
        }
    }

    /// Finds the conversation that is replayed.
    pub(crate) async fn resolved(self, store: &dyn Store) -> Result<Self, Failure> {
        match self {
            Self::Replay { conversation } => {
                let (conversation, _) = stored_head(store, &conversation).await?;
                Ok(Self::Replay { conversation })
            }
            Self::Answer { .. } | Self::Resume { .. } => Ok(self),
        }
    }

    /// Returns the last prompt of the conversation if it is asked again.
    pub(crate) async fn retried(
        &self,
        store: &dyn Store,
        conversation: &str,
    ) -> Result<Option<String>, Failure> {
        if !matches!(self, Self::Resume { is_retry: true }) {
            return Ok(None);
        }
        let failed = |error| places::failure(&error);
        let mut before = store.head(conversation).await.map_err(failed)?;
        while before > 0 {
            let first = before.saturating_sub(PAGE - 1).max(1);
            let entries = store.read(conversation, first..=before).await.map_err(failed)?;
            let prompt = entries.iter().rev().find_map(|entry| match &entry.event {
                Event::User { content, steer: false } => Some(content.text().into_owned()),
                _ => None,
            });
            if prompt.is_some() {
                return Ok(prompt);
            }
            before = first - 1;
        }
        Err(Failure::given(format!("conversation `{conversation}` has no prompt to ask again")))
    }

    /// Makes the fork.
    pub(crate) async fn prepare(
        &self,
        agent: &Agent,
        store: &dyn Store,
        scope: &Scope,
    ) -> Result<(), Failure> {
        match self {
            Self::Answer { fork: Some(fork), .. } => fork.begin(agent, store, scope.clone()).await,
            Self::Answer { fork: None, .. } | Self::Resume { .. } | Self::Replay { .. } => Ok(()),
        }
    }

    /// Runs the agent in the conversation of a scope.
    pub(crate) async fn perform(
        &self,
        agent: &Agent,
        scope: Scope,
        show: &mut (dyn FnMut(RunEventRef<'_>) + Send),
    ) -> Result<RunOutcome, Error> {
        match self {
            Self::Answer { prompt, .. } => agent.run(scope, prompt.clone(), show).await,
            Self::Resume { .. } => agent.resume(scope, &[], show).await,
            Self::Replay { conversation } => agent.replay(conversation, scope, show).await,
        }
    }
}

impl RunTask {
    /// Runs the agent on a live screen. `observe` gets each event before it is shown.
    pub(crate) async fn attend(
        &self,
        runs: &mut AttendedRuns,
        agent: &Agent,
        scope: Scope,
        observe: &mut (dyn FnMut(RunEventRef<'_>) + Send),
    ) -> Result<AttendedEnd, Failure> {
        let cancel = scope.cancellation.clone();
        let options = StreamOptions::default();
        let end = match self {
            Self::Answer { prompt, .. } => {
                let stream = agent.stream_with(scope, prompt.clone(), options);
                runs.follow(stream, &cancel, observe).await
            }
            Self::Resume { .. } => {
                let stream = agent.stream_resumed(scope, Vec::new(), options);
                runs.follow(stream, &cancel, observe).await
            }
            Self::Replay { conversation } => {
                let screen = Arc::clone(runs.screen());
                let mut show = |event: RunEventRef<'_>| {
                    observe(event);
                    lock(&screen).show(event);
                };
                let run = agent.replay(conversation, scope, &mut show);
                runs.attend(run, &cancel, None).await
            }
        };
        end.map_err(|error| keyless(&error))
    }
}

/// Returns the failure of a run whose keyboard cannot be opened.
pub(crate) fn keyless(error: &io::Error) -> Failure {
    Failure::running(format!("cannot read keys from the terminal: {error}"))
}

/// The number of entries that are read at once.
const PAGE: u64 = 64;
