//! The runs of a chat: on a prompt, and on the last one again.

use std::sync::Arc;

use silcrow_agent::{ErrorKind, RunOutcome};
use silcrow_console::attend::{AttendedEnd, lock};
use silcrow_event::{RunEventRef, error_chain};
use silcrow_session::claim::ActiveRun;
use silcrow_session::prompt::{ExpandedPrompt, PromptDraft};
use silcrow_session::{RunTask, hint, model, within_caller};
use silcrow_tool::Scope;

use super::{ChatSession, SessionStep};
use crate::attended::attend;
use crate::error::Error;
use crate::options::AskOptions;
use crate::waiting::waiting_line;

impl ChatSession {
    /// Runs the agent on a prompt.
    pub(super) async fn run(&mut self, prompt: &str) -> Result<SessionStep, Error> {
        if let Some(lines) = &mut self.lines {
            lines.set_last(Some(prompt));
        }
        if let Err(failure) = self.be_ready().await {
            prompt.clone_into(&mut self.draft);
            return Err(failure);
        }
        let (root, servers) = (&self.args.session.root, &self.args.session.servers);
        let mut draft = PromptDraft::typed(prompt, root, servers)?;
        if let Err(failure) = self.hook_prompt(prompt, &mut draft).await {
            prompt.clone_into(&mut self.draft);
            return Err(failure);
        }
        draft.add(self.own.drain(..));
        draft.add(self.pasted.drain());
        let expanded = draft.build()?;
        self.run_expanded(prompt, expanded).await
    }

    /// Runs the agent on a prompt with the texts that go with it.
    pub(super) async fn run_expanded(
        &mut self,
        prompt: &str,
        expanded: ExpandedPrompt,
    ) -> Result<SessionStep, Error> {
        for notice in &expanded.notices {
            self.say(notice);
        }
        let task = RunTask::answer(expanded, None);
        let (task, notices) = self.session.with_resources(task).await?;
        for notice in &notices {
            self.say(notice);
        }
        self.perform(prompt, &task).await
    }

    /// Asks the last prompt again, which has failed or was stopped.
    pub(super) async fn retry(&mut self) -> Result<SessionStep, Error> {
        self.be_ready().await?;
        let task = RunTask::Resume { is_retry: true };
        let prompt = task.retried(&*self.session.store(), &self.conversation).await?;
        let prompt = prompt.unwrap_or_default();
        self.show_prompt(&prompt);
        self.perform(&prompt, &task).await
    }

    /// Performs a task while the person watches.
    pub(super) async fn perform(
        &mut self,
        prompt: &str,
        task: &RunTask,
    ) -> Result<SessionStep, Error> {
        let cancel = self.cancel.child_token();
        let active = match self.claim(prompt).await {
            Ok(active) => active,
            Err(error) => {
                self.fail(error.message());
                return Ok(SessionStep::Continue);
            }
        };
        let scope = Scope::new(&*self.conversation).with_cancellation(cancel.clone());
        let scope = within_caller(scope);
        {
            let mut screen = lock(&self.screen);
            screen.set_mode(self.session.mode().mode());
            screen.begin(&self.model);
        }
        self.keep_mode().await?;
        self.listen_for_commands();
        // An accepted plan changes the mode.
        let (mode, shown) = (self.session.mode().clone(), Arc::clone(&self.screen));
        let used = self.used.clone();
        let mut observe = move |event: RunEventRef<'_>| {
            used.take(event);
            if matches!(event, RunEventRef::Entry(_)) {
                lock(&shown).set_mode(mode.mode());
            }
        };
        let end = attend(task, &mut self.runs, &self.agent, scope, &mut observe).await;
        let draft = lock(&self.screen).finish();
        drop(active);
        // A signal, such as one from a machine that shuts down, does not stop a run that is handed
        // over.
        let is_stopped = cancel.is_cancelled() && !self.cancel.is_cancelled();
        let AttendedEnd { ended, unsent, queued, leaves, is_hung_up, .. } = end?;
        if is_hung_up {
            self.hand_over(&ended, is_stopped).await?;
            return Ok(SessionStep::HangUp);
        }
        self.keep_mode().await?;
        if let Err(failure) = self.hand_over(&ended, is_stopped).await {
            self.fail(failure.message());
        }
        self.queue.extend(unsent);
        self.draft = draft.unwrap_or_default();
        match &ended {
            // The person may not want the queued prompts any more.
            Ok(RunOutcome::Interrupted) | Err(_) if !queued.is_empty() => {
                let last = std::mem::take(&mut self.draft);
                let all = queued.into_iter().chain([last]).filter(|text| !text.is_empty());
                self.draft = all.collect::<Vec<_>>().join("\n");
                self.say("what was queued is in the line");
            }
            _ => self.queue.extend(queued),
        }
        match ended {
            Ok(RunOutcome::Answered) => {
                self.begin_aftermath();
                self.hook_stop().await;
            }
            Ok(RunOutcome::Interrupted) => {}
            Ok(RunOutcome::Waiting(questions)) => {
                self.say(&waiting_line(&self.conversation, &questions));
            }
            Err(error) => self.fail(&failed(&self.args, &error)),
        }
        self.say("");
        Ok(if leaves { SessionStep::Leave } else { SessionStep::Continue })
    }

    /// Claims the conversation. If another process runs it, this waits or fails.
    async fn claim(&self, prompt: &str) -> Result<Option<ActiveRun>, silcrow_session::Error> {
        let (session, conversation) = (&self.session, &*self.conversation);
        match self.args.wait {
            true => {
                let (place, root) = (session.place(), &session.options().root);
                ActiveRun::wait(place, conversation, root, prompt, &*self.host).await
            }
            false => session.claim(conversation, prompt),
        }
    }
}

fn failed(args: &AskOptions, error: &silcrow_agent::Error) -> String {
    let name = model::name(args.session.model.as_deref());
    let message = error_chain(error) + hint(&name, error);
    match error.kind() {
        ErrorKind::Refused => message,
        _ if error.is_retryable() => {
            format!("{message} (/retry asks again, and Esc Esc takes your prompt back)")
        }
        _ => message,
    }
}
