//! Replays: the prompts of a conversation, run again as a new one.
//!
//! This module reads the prompts of a log. The runner decides which calls get recorded results.

use std::sync::Arc;

use silcrow_event::{Content, Entry, Event, RunEventRef};
use silcrow_exec::RecordedResults;
use silcrow_tool::Scope;

use crate::agent::Agent;
use crate::drive::{self, RunBeginning};
use crate::error::{Error, ErrorKind};
use crate::inbox::Inbox;
use crate::log::Log;
use crate::outcome::RunOutcome;
use crate::outlet::CallbackOutlet;
use crate::parts::AgentParts;

impl Agent {
    /// Runs the prompts of a conversation again, in order, in the new conversation of the scope.
    ///
    /// The model, the dialect and the system prompt may differ from the recorded ones. A call of a
    /// tool that [may be repeated](silcrow_tool::ToolPolicy::is_repeatable) gets the result that
    /// the recorded conversation has of an identical call, and its tool does not run
    /// ([`RecordedResults`]). The approver is asked about every other call, regardless of its
    /// tool's policy; by default all of them are denied. Agents, workflows and models that calls
    /// run after a yes are not replayed.
    ///
    /// The first run that does not answer ends the replay. The first event of the new conversation
    /// names the recorded one.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// use std::sync::Arc;
    ///
    /// use silcrow_agent::{Agent, RunOutcome};
    /// # use silcrow_provider::ScriptedModel;
    /// # use silcrow_store::{MemoryStore, Store as _};
    ///
    /// let store = Arc::new(MemoryStore::new());
    /// let small = Agent::new(ScriptedModel::parse("§respond: 5\n§end", 1), Arc::clone(&store));
    /// small.ask_in("first", "What is 2 + 2?").await.unwrap();
    ///
    /// let large = Agent::new(ScriptedModel::parse("§respond: 4\n§end", 1), Arc::clone(&store));
    /// let outcome = large.replay("first", "second", &mut |_| {}).await.unwrap();
    /// assert_eq!(outcome, RunOutcome::Answered);
    /// let entries = store.read("second", 1..=2).await.unwrap();
    /// assert_eq!(entries[1].event, silcrow_event::Event::respond("4"));
    /// # });
    /// ```
    ///
    /// # Errors
    ///
    /// - [`Refused`](ErrorKind::Refused) if the recorded conversation does not exist, has no prompt
    ///   or belongs to another user, or if the new one exists already.
    /// - Those of [`run`](Self::run).
    ///
    /// # Panics
    ///
    /// The future panics if it is polled outside a tokio runtime, or in one without timers.
    pub async fn replay(
        &self,
        conversation: &str,
        to: impl Into<Scope>,
        emit: &mut (dyn FnMut(RunEventRef<'_>) + Send),
    ) -> Result<RunOutcome, Error> {
        let scope = self.parts.complete(to.into());
        let to = scope.conversation_id();
        let log = Log::read(&*self.parts.store, conversation, scope.user.as_deref()).await?;
        if log.entries().is_empty() {
            return Err(refused(format!("unknown conversation {conversation:?}")));
        }
        log.owned()?;
        let prompts = prompts(log.entries());
        if prompts.is_empty() {
            return Err(refused(format!("conversation {conversation:?} has no prompt to replay")));
        }
        if self.parts.store.head(to).await? > 0 {
            let why = format!("there is a conversation {to:?} already; name another id");
            return Err(refused(why));
        }
        let replayed = Some(Arc::new(RecordedResults::new(conversation, log.entries())));
        let parts = AgentParts { replayed, ..(*self.parts).clone() };
        for prompt in prompts {
            let mut outlet = CallbackOutlet(&mut *emit);
            let inbox = Inbox::default();
            let beginning = RunBeginning::Prompt(&prompt);
            match drive::run(&parts, &scope, beginning, &inbox, &mut outlet).await? {
                RunOutcome::Answered => {}
                ended => return Ok(ended),
            }
        }
        Ok(RunOutcome::Answered)
    }
}

/// Returns the person's messages.
fn prompts(log: &[Entry]) -> Vec<Content> {
    let prompts = log.iter().filter_map(|entry| match &entry.event {
        Event::User { content, .. } => Some(content.clone()),
        _ => None,
    });
    prompts.collect()
}

fn refused(message: String) -> Error {
    Error::new(ErrorKind::Refused, message)
}
