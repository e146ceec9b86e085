//! The hooks of a chat: before prompts, after answers, and at its beginning and end.

use silcrow_session::HookedPrompt;
use silcrow_session::prompt::{Attachment, PromptDraft};
use silcrow_term::quantity::elapsed;
use silcrow_term::{Line, Style, TextRole};

use super::ChatSession;
use crate::error::Error;
use silcrow_console::attend::lock;

/// The state of the hooks of a chat.
#[derive(Debug, Default)]
pub(super) struct ChatHooks {
    /// Whether the hooks at the beginning have run.
    has_begun: bool,
    /// The number of times in a row that the model was sent back.
    sent_back: u32,
}

impl ChatSession {
    /// Runs the hooks before a prompt, and adds their texts.
    pub(super) async fn hook_prompt(
        &mut self,
        prompt: &str,
        draft: &mut PromptDraft,
    ) -> Result<(), Error> {
        if self.session.hooks().is_empty() {
            return Ok(());
        }
        let mut texts: Vec<Attachment> = Vec::new();
        if !std::mem::replace(&mut self.hooks.has_begun, true) {
            let continues = self.session.store().head(&self.conversation).await? > 0;
            let began = self.session.begin_hooks(&self.conversation, continues).await;
            texts.extend(self.heard(began));
        }
        let said = self.session.hook_prompt(&self.conversation, prompt).await?;
        texts.extend(self.heard(said));
        draft.add(texts);
        Ok(())
    }

    /// Runs the hooks after an answer. If one of them sends the model back, its text is the next
    /// prompt.
    pub(super) async fn hook_stop(&mut self) {
        let answer = lock(&self.screen).last_answer().to_owned();
        let sent_back = self.hooks.sent_back;
        let (again, messages) =
            self.session.hook_stop(&self.conversation, &answer, sent_back).await;
        messages.iter().for_each(|line| self.say(line));
        self.hooks.sent_back = if again.is_some() { sent_back + 1 } else { 0 };
        if let Some(again) = again {
            self.queue.push_front(again);
        }
    }

    /// Runs the hooks at the end of the session.
    pub(super) async fn hook_end(&self) {
        self.session.end_hooks(&self.conversation).await;
    }

    /// Lists the hooks with their last runs.
    pub(super) fn show_hooks(&self) {
        let all = self.session.hooks().all();
        let mut lines = Vec::new();
        for (hook, report) in &all {
            let about = format!("{} {}", hook.event, hook.matcher.as_str());
            let mut line = Line::styled(&format!("{about:<28} "), Style::new(TextRole::Accent));
            line.push(&hook.command, Style::PLAIN);
            let whose = if hook.is_own { "" } else { "  of the project" };
            line.push(whose, Style::PLAIN.dim());
            if let Some(report) = report {
                let last = format!("  {}, {}", report.outcome, elapsed(report.time));
                line.push(&last, Style::PLAIN.dim());
            }
            lines.push(line);
        }
        if lines.is_empty() {
            let none = "there are none; silcrow help hooks says where they are looked for";
            lines.push(Line::styled(none, Style::PLAIN.dim()));
        }
        lock(&self.screen).show_lines(&lines);
    }

    /// Shows the texts of hooks for the person, and returns their texts for the model.
    fn heard(&self, said: HookedPrompt) -> Vec<Attachment> {
        said.messages.iter().for_each(|line| self.say(line));
        said.texts
    }
}
