//! The task of a run: to answer a prompt, even in a fork, to continue a run that waits, or to
//! replay a conversation.
//!
//! This module orders these steps. It makes no agent, and shows nothing.

use silcrow_agent::{Agent, RunOutcome};
use silcrow_event::{Content, Event, RunEventRef};
use silcrow_mcp::McpServers;
use silcrow_store::Store;
use silcrow_tool::Scope;

use crate::error::Error;
use crate::fork::ForkName;
use crate::prompt::{Attachment, ExpandedPrompt, NamedResource, attach, with_resources};

/// The task of an agent.
#[derive(Clone, Debug)]
#[expect(clippy::exhaustive_enums, reason = "an agent does one of these things")]
pub enum RunTask {
    /// To answer a prompt, in a fork of another conversation if one is named. The resources become a
    /// part of the prompt.
    Answer {
        /// The words, with the texts that go with them.
        prompt: Content,
        /// The point in another conversation at which this conversation begins.
        fork: Option<ForkName>,
        /// The texts of servers that are still to be read.
        resources: Vec<NamedResource>,
    },
    /// To continue a run that waits for answers, or that was stopped.
    Resume {
        /// Whether the person asks the last prompt again.
        is_retry: bool,
    },
    /// To run the prompts of a conversation again.
    Replay {
        /// The conversation whose prompts they are.
        conversation: String,
    },
}

impl RunTask {
    /// Returns the task to answer a prompt, in a fork of another conversation if one is named.
    pub fn answer(prompt: ExpandedPrompt, fork: Option<ForkName>) -> Self {
        let ExpandedPrompt { content: prompt, resources, .. } = prompt;
        Self::Answer { prompt, fork, resources }
    }

    /// Returns the conversation that is replayed.
    pub fn replayed(&self) -> Option<&str> {
        match self {
            Self::Replay { conversation } => Some(conversation),
            Self::Answer { .. } | Self::Resume { .. } => None,
        }
    }

    /// Returns the text of the prompt, which is empty for a run that continues or replays.
    pub fn prompt(&self) -> String {
        match self {
            Self::Answer { prompt, .. } => prompt.text().into_owned(),
            Self::Resume { .. } | Self::Replay { .. } => String::new(),
        }
    }

    /// Adds the texts of servers that the prompt names, and returns the lines that say so.
    pub async fn with_resources(self, servers: &McpServers) -> Result<(Self, Vec<String>), Error> {
        match self {
            Self::Answer { prompt, fork, resources } if !resources.is_empty() => {
                let (prompt, notices) = with_resources(prompt, &resources, servers).await?;
                Ok((Self::Answer { prompt, fork, resources: Vec::new() }, notices))
            }
            task => Ok((task, Vec::new())),
        }
    }

    /// Adds texts to the prompt, as data.
    #[must_use]
    pub fn with_texts(mut self, texts: &[Attachment]) -> Self {
        if let Self::Answer { prompt, .. } = &mut self {
            let words = prompt.parts().first().map(|words| words.text().into_owned());
            for text in texts {
                attach(prompt, words.as_deref().unwrap_or_default(), text);
            }
        }
        self
    }

    /// Finds the conversation that is replayed.
    pub async fn resolved(self, store: &dyn Store) -> Result<Self, Error> {
        match self {
            Self::Replay { conversation } => {
                let (conversation, _) = silcrow_history::stored_head(store, &conversation).await?;
                Ok(Self::Replay { conversation })
            }
            Self::Answer { .. } | Self::Resume { .. } => Ok(self),
        }
    }

    /// Returns the last prompt of the conversation if it is asked again.
    pub async fn retried(
        &self,
        store: &dyn Store,
        conversation: &str,
    ) -> Result<Option<String>, Error> {
        if !matches!(self, Self::Resume { is_retry: true }) {
            return Ok(None);
        }
        let mut before = store.head(conversation).await?;
        while before > 0 {
            let first = before.saturating_sub(PAGE - 1).max(1);
            let entries = store.read(conversation, first..=before).await?;
            let prompt = entries.iter().rev().find_map(|entry| match &entry.event {
                Event::User { content, steer: false } => Some(content.text().into_owned()),
                _ => None,
            });
            if prompt.is_some() {
                return Ok(prompt);
            }
            before = first - 1;
        }
        Err(Error::given(format!("conversation `{conversation}` has no prompt to ask again")))
    }

    /// Makes the fork.
    pub async fn prepare(
        &self,
        agent: &Agent,
        store: &dyn Store,
        scope: &Scope,
    ) -> Result<(), Error> {
        match self {
            Self::Answer { fork: Some(fork), .. } => fork.begin(agent, store, scope.clone()).await,
            Self::Answer { fork: None, .. } | Self::Resume { .. } | Self::Replay { .. } => Ok(()),
        }
    }

    /// Runs the agent in the conversation of a scope.
    pub async fn perform(
        &self,
        agent: &Agent,
        scope: Scope,
        show: &mut (dyn FnMut(RunEventRef<'_>) + Send),
    ) -> Result<RunOutcome, silcrow_agent::Error> {
        match self {
            Self::Answer { prompt, .. } => agent.run(scope, prompt.clone(), show).await,
            Self::Resume { .. } => agent.resume(scope, &[], show).await,
            Self::Replay { conversation } => agent.replay(conversation, scope, show).await,
        }
    }
}

/// The number of entries that are read at once.
const PAGE: u64 = 64;
