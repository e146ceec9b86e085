//! The context of a conversation's next request, for a person to look at and to make shorter.
//!
//! Nothing runs here: the one request that may be made is that for a summary.

use silcrow_context::{ModelLimits, PromptPart};
use silcrow_event::{Content, ContextSummary, Event, Message};
use silcrow_provider::Estimate;
use silcrow_tool::Scope;

use crate::agent::Agent;
use crate::current_tools::CurrentTools;
use crate::drive;
use crate::error::Error;
use crate::log::Log;
use crate::outlet::CallbackOutlet;
use crate::request::{context_input, system_parts, text_of};
use crate::window::completed;

/// The contents of a conversation's next request, before the person's next message.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct NextContext {
    /// The messages, the system message first.
    pub messages: Vec<Message>,
    /// The parts of the system message, with their origins, without the text of the run.
    pub system: Vec<PromptPart>,
    /// The known limits of the model.
    pub limits: ModelLimits,
    /// The last summary of the conversation, unless it was taken back.
    pub summary: Option<ContextSummary>,
    /// The number of events of the conversation.
    pub events: u64,
}

impl NextContext {
    /// Returns about how many tokens each message has, in order.
    pub fn tokens(&self) -> impl Iterator<Item = u64> {
        self.messages.iter().map(|message| Estimate::of_messages(std::slice::from_ref(message)))
    }
}

impl Agent {
    /// Returns the contents of a conversation's next request. It asks no model, and stores nothing.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// # use silcrow_agent::Agent;
    /// # use silcrow_provider::ScriptedModel;
    /// # use silcrow_store::MemoryStore;
    /// let model = ScriptedModel::parse("§respond: It is 4.\n§end", 1);
    /// let agent = Agent::new(model, MemoryStore::new());
    /// agent.ask_in("sums", "What is 2 + 2?").await.unwrap();
    /// let context = agent.next_context("sums").await.unwrap();
    /// assert_eq!(context.messages[1].text(), "What is 2 + 2?");
    /// assert_eq!(context.tokens().count(), context.messages.len());
    /// # });
    /// ```
    ///
    /// # Errors
    ///
    /// Returns an error if the conversation cannot be read, or belongs to another user.
    pub async fn next_context(&self, scope: impl Into<Scope>) -> Result<NextContext, Error> {
        let scope = self.parts.complete(scope.into());
        let log = Log::open(&self.parts, &scope).await?;
        log.owned()?;
        let mut tools = CurrentTools::new(&self.parts);
        tools.read(&self.parts).await;
        let (entries, system) = (log.entries(), system_parts(&self.parts, tools.all()));
        let text = Content::from(text_of(&system));
        let input = context_input(&self.parts, entries, &text, None);
        let messages = self.parts.context.begin().assemble(&input).into();
        let last = entries.iter().rev().find_map(|entry| match &entry.event {
            Event::Summary(summary) => Some(summary),
            _ => None,
        });
        Ok(NextContext {
            messages,
            system,
            limits: completed(
                self.options().model,
                &self.parts.later_limits,
                self.parts.presumed_limits,
            ),
            summary: last.filter(|summary| !summary.is_empty()).cloned(),
            events: entries.len() as u64,
        })
    }

    /// Has the model summarize a conversation up to its newest turn, however short it is, and
    /// stores the summary. `focus` names the things that the summary is to keep above all. Returns
    /// `None` if there is nothing to summarize.
    ///
    /// If the model does not answer, nothing is stored.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// # use silcrow_agent::Agent;
    /// # use silcrow_provider::ScriptedModel;
    /// # use silcrow_store::MemoryStore;
    /// let script = "§respond: 4\n§end\n%%\n§respond: 5\n§end\n%%\nThe person adds numbers.";
    /// let agent = Agent::new(ScriptedModel::parse(script, 1), MemoryStore::new());
    /// agent.ask_in("sums", "What is 2 + 2?").await.unwrap();
    /// agent.ask_in("sums", "And one more?").await.unwrap();
    /// let summary = agent.compact("sums", None, &mut |_| {}).await.unwrap().unwrap();
    /// assert_eq!(summary.content, "The person adds numbers.");
    /// # });
    /// ```
    ///
    /// # Errors
    ///
    /// Returns an error if the conversation cannot be read or written, belongs to another user, or
    /// is continued by another run meanwhile, and if the model does not answer.
    ///
    /// # Panics
    ///
    /// The future panics if it is polled outside a tokio runtime, or in one without timers.
    pub async fn compact(
        &self,
        scope: impl Into<Scope>,
        focus: Option<&str>,
        emit: &mut (dyn FnMut(silcrow_event::RunEventRef<'_>) + Send),
    ) -> Result<Option<ContextSummary>, Error> {
        let scope = self.parts.complete(scope.into());
        drive::compact(&self.parts, &scope, focus, &mut CallbackOutlet(emit)).await
    }
}
