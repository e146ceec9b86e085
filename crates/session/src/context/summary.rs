//! The summary of the older part of a conversation: made by the model, changed or withdrawn by a
//! person.

use std::fmt;

use silcrow_agent::Agent;
use silcrow_event::{ContextSummary, Event, SummaryAuthor};
use silcrow_settings::known_secrets;
use silcrow_store::Store;
use silcrow_term::plural::count;
use silcrow_tool::Scope;

use super::failed;
use crate::add_event::add_event;
use crate::error::Error;

/// The summary of a conversation. Each change returns a line about its result.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// use std::sync::Arc;
///
/// use silcrow_agent::Agent;
/// use silcrow_provider::ScriptedModel;
/// use silcrow_session::context::ConversationSummary;
/// use silcrow_store::MemoryStore;
/// use silcrow_tool::Scope;
///
/// let model = "§respond: It is 4.\n§end\n%%\n§respond: It is 5.\n§end\n%%\nTwo sums.";
/// let store = Arc::new(MemoryStore::new());
/// let agent = Agent::new(ScriptedModel::parse(model, 1), Arc::clone(&store));
/// agent.ask_in("sums", "What is 2 + 2?").await.unwrap();
/// agent.ask_in("sums", "What is 2 + 3?").await.unwrap();
///
/// let summary = ConversationSummary::new(&agent, &*store, "scripted", "sums");
/// let line = summary.make(Scope::new("sums"), None).await?;
/// assert!(line.starts_with("2 events are summarized"), "{line}");
/// summary.take_back().await?;
/// assert!(agent.next_context("sums").await.unwrap().summary.is_none());
/// # Ok::<_, silcrow_session::Error>(())
/// # }).unwrap();
/// ```
pub struct ConversationSummary<'a> {
    agent: &'a Agent,
    store: &'a dyn Store,
    model: &'a str,
    conversation: &'a str,
}

impl<'a> ConversationSummary<'a> {
    /// Returns the summary of a conversation in the store of an agent. The name of its model is for the
    /// hints of errors.
    pub fn new(
        agent: &'a Agent,
        store: &'a dyn Store,
        model: &'a str,
        conversation: &'a str,
    ) -> Self {
        Self { agent, store, model, conversation }
    }

    /// Has the model summarize everything before the newest turn. `focus` says what matters.
    ///
    /// # Errors
    ///
    /// Returns an error if the model cannot be asked, or the scope is cancelled.
    pub async fn make(&self, scope: Scope, focus: Option<&str>) -> Result<String, Error> {
        let before = self.tokens().await;
        let made = self.agent.compact(scope, focus, &mut |_| {}).await;
        let Some(summary) = made.map_err(|error| failed(self.model, &error))? else {
            return Ok("there is nothing to summarize yet".to_owned());
        };
        let after = self.tokens().await;
        Ok(format!(
            "{} are summarized; the next request has about {after} tokens instead of {before}",
            count(summary.until, "event")
        ))
    }

    /// Replaces the summary with a person's words. Known secrets are masked.
    ///
    /// # Errors
    ///
    /// Returns an error if there are no words or no summary, or the store cannot be written.
    pub async fn replace(&self, text: &str) -> Result<String, Error> {
        let content = known_secrets().mask(text.trim()).into_owned();
        if content.is_empty() {
            return Err(Error::given("the summary has no words; --undo takes it back"));
        }
        let summary = self.last().await?;
        self.add(ContextSummary { content, author: SummaryAuthor::Person, ..summary }).await?;
        Ok("the summary has your words now".to_owned())
    }

    /// Takes the summary back.
    ///
    /// # Errors
    ///
    /// Returns an error if there is no summary, or the store cannot be written.
    pub async fn take_back(&self) -> Result<String, Error> {
        self.last().await?;
        let none = ContextSummary { author: SummaryAuthor::Person, ..ContextSummary::default() };
        self.add(none).await?;
        Ok("the summary is taken back; the model reads everything again".to_owned())
    }

    /// Returns the approximate number of tokens of the next request.
    async fn tokens(&self) -> u64 {
        let next = self.agent.next_context(self.conversation).await;
        next.map_or(0, |next| next.tokens().sum())
    }

    /// Returns the last summary.
    async fn last(&self) -> Result<ContextSummary, Error> {
        let next = self.agent.next_context(self.conversation).await;
        let next = next.map_err(|error| failed(self.model, &error))?;
        next.summary.ok_or_else(|| {
            Error::given("the conversation has no summary; `silcrow compact` makes one")
        })
    }

    async fn add(&self, summary: ContextSummary) -> Result<(), Error> {
        Ok(add_event(self.store, self.conversation, Event::Summary(summary)).await?)
    }
}

impl fmt::Debug for ConversationSummary<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ConversationSummary")
            .field("conversation", &self.conversation)
            .finish_non_exhaustive()
    }
}
