//! The hooks of a session around its prompts: at its beginning, before a prompt, after an answer and at its end.

use silcrow_event::HookRun;
use silcrow_hooks::{HookCall, HookEvent, HookVerdict, Hooks};

use crate::error::Error;
use crate::prompt::{AttachedSource, Attachment};
use crate::session::AgentSession;

/// The words of hooks before a prompt is sent.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct HookedPrompt {
    /// The texts that go with the prompt.
    pub texts: Vec<Attachment>,
    /// The lines for the person.
    pub messages: Vec<String>,
}

impl AgentSession {
    /// Returns the hooks, each with its last run.
    pub const fn hooks(&self) -> &Hooks {
        &self.setup.hooks
    }

    /// Sets the display of each run of a hook, such as a line on a screen. The log of the
    /// conversation has each, too.
    pub fn show_hooks(&self, show: impl Fn(&HookRun) + Send + Sync + 'static) {
        self.hook_log.set_show(show);
    }

    /// Runs the hooks at the beginning of a session, and returns their additions to its first
    /// prompt.
    pub async fn begin_hooks(&self, conversation: &str, continues: bool) -> HookedPrompt {
        let source = if continues { "resume" } else { "startup" };
        let call =
            HookCall::new(HookEvent::SessionStart, conversation).with_field("source", source);
        let said = self.setup.hooks.run(&call).await;
        HookedPrompt { texts: attached(said.context), messages: said.messages }
    }

    /// Runs the hooks before a prompt is sent.
    ///
    /// # Errors
    ///
    /// Returns the words of a hook that does not let the prompt through.
    pub async fn hook_prompt(
        &self,
        conversation: &str,
        prompt: &str,
    ) -> Result<HookedPrompt, Error> {
        let said = self.setup.hooks.run(&HookCall::prompt(conversation, prompt)).await;
        match said.verdict {
            HookVerdict::GoOn => {
                Ok(HookedPrompt { texts: attached(said.context), messages: said.messages })
            }
            HookVerdict::Ask(why) | HookVerdict::Block(why) => {
                Err(Error::given(format!("the prompt is not sent: {why}")))
            }
        }
    }

    /// Runs the hooks after an answer. Returns the prompt with which a hook sends the model back, and the lines
    /// for the person. After three times in a row nothing sends it back.
    pub async fn hook_stop(
        &self,
        conversation: &str,
        answer: &str,
        sent_back: u32,
    ) -> (Option<String>, Vec<String>) {
        self.hook_log.store_early(conversation).await;
        if !self.setup.hooks.has(HookEvent::Stop) {
            return (None, Vec::new());
        }
        let call = HookCall::stop(conversation, answer, sent_back > 0);
        let said = self.setup.hooks.run(&call).await;
        let mut messages = said.messages;
        let prompt = match said.verdict {
            HookVerdict::GoOn => None,
            HookVerdict::Ask(why) | HookVerdict::Block(why) if sent_back >= MOST_TIMES => {
                messages.push(format!("{why}; the model was sent back {MOST_TIMES} times already"));
                None
            }
            HookVerdict::Ask(why) | HookVerdict::Block(why) => {
                Some(format!("It is not done yet: {why}"))
            }
        };
        (prompt, messages)
    }

    /// Runs the hooks at the end of a session.
    pub async fn end_hooks(&self, conversation: &str) {
        let call = HookCall::new(HookEvent::SessionEnd, conversation).with_field("reason", "exit");
        self.setup.hooks.run(&call).await;
        self.hook_log.store_early(conversation).await;
    }
}

fn attached(context: Vec<String>) -> Vec<Attachment> {
    let attach = |text| Attachment {
        name: "hook".to_owned(),
        what: AttachedSource::Hook,
        text,
        medium: None,
    };
    context.into_iter().map(attach).collect()
}

/// The number of times that hooks send a model back in a row.
const MOST_TIMES: u32 = 3;
