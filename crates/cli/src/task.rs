//! What a run is to do: to answer a prompt, also in a fork, to continue a run that waits, or to
//! replay a conversation.
//!
//! This module knows the order of these steps. `run` makes the agent and shows what it emits.

use silcrow_agent::{Agent, Error, RunOutcome};
use silcrow_event::RunEventRef;
use silcrow_exec::Scope;
use silcrow_store::Store;

use crate::failure::Failure;
use crate::fork::ForkName;
use crate::stored_head::stored_head;

/// What an agent is to do.
pub(crate) enum RunTask {
    /// To answer a prompt, in a fork of another conversation if one is named.
    Answer { prompt: String, fork: Option<ForkName> },
    /// To continue a run that waits for answers, or that was stopped.
    Resume,
    /// To run the prompts of a conversation again.
    Replay { conversation: String },
}

impl RunTask {
    /// Returns the conversation that is replayed.
    pub(crate) fn replayed(&self) -> Option<&str> {
        match self {
            Self::Replay { conversation } => Some(conversation),
            Self::Answer { .. } | Self::Resume => None,
        }
    }

    /// Checks the conversations that it names, and makes the fork.
    pub(crate) async fn prepare(
        &self,
        agent: &Agent,
        store: &dyn Store,
        scope: &Scope,
    ) -> Result<(), Failure> {
        match self {
            Self::Answer { fork: Some(fork), .. } => fork.begin(agent, store, scope.clone()).await,
            Self::Answer { fork: None, .. } | Self::Resume => Ok(()),
            Self::Replay { conversation } => stored_head(store, conversation).await.map(drop),
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
            Self::Answer { prompt, .. } => agent.run(scope, prompt, show).await,
            Self::Resume => agent.resume(scope, &[], show).await,
            Self::Replay { conversation } => agent.replay(conversation, scope, show).await,
        }
    }
}
