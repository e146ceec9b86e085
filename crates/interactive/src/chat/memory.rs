//! The commands of a session about the messages for the model.

use silcrow_console::attend::{control, lock};
use silcrow_console::live::{Keyboard, TypedInput};
use silcrow_session::context::{ConversationSummary, context_shares, size_lines};
use silcrow_tool::{CancellationToken, Scope};

use super::context_bar::context_bar;
use super::{ChatSession, quiet};
use crate::error::Error;

impl ChatSession {
    /// Shows the size of the next request, and the part that a summary replaces.
    pub(super) async fn show_context(&mut self) -> Result<(), Error> {
        if !self.has_begun().await? {
            return Err(Error::given("there is nothing in this conversation yet"));
        }
        let next = self.agent.next_context(&*self.conversation).await;
        let next = next.map_err(|error| Error::failed(error.to_string()))?;
        let shares = context_shares(&self.agent, &next);
        let mut lines = size_lines(&next);
        lines.push(format!("silcrow context {} shows all of it", self.conversation));
        let mut screen = lock(&self.screen);
        let bar = context_bar(&shares, next.limits.context, screen.is_ascii());
        screen.show_lines(&bar);
        for line in lines {
            screen.show_line(&line);
        }
        screen.draw();
        Ok(())
    }

    /// Has the model summarize the conversation, or takes its summary back.
    pub(super) async fn compact(&mut self, words: &[&str]) -> Result<(), Error> {
        if !self.has_begun().await? {
            return Err(Error::given("there is nothing to summarize yet"));
        }
        let (store, model) = (self.session.store(), self.session.setup().model());
        if words == ["undo"] {
            let summary = ConversationSummary::new(&self.agent, &*store, model, &self.conversation);
            self.say(&summary.take_back().await?);
            return Ok(());
        }
        self.say("the model writes a summary; Ctrl-C stops it");
        let cancel = CancellationToken::new();
        let scope = Scope::new(&*self.conversation).with_cancellation(cancel.clone());
        let focus = (!words.is_empty()).then(|| words.join(" "));
        let summary = ConversationSummary::new(&self.agent, &*store, model, &self.conversation);
        let made = async { Ok(summary.make(scope, focus.as_deref()).await?) };
        // Ctrl-C is a key as long as the keyboard is open.
        self.quiet = None;
        let failure = |error| Error::failed(format!("cannot read the terminal: {error}"));
        let keyboard = (self.keys)().map_err(failure)?;
        let made = stoppable(made, keyboard, &cancel).await;
        self.quiet = quiet(self.owns_terminal)?;
        lock(&self.screen).show_line(&made?);
        Ok(())
    }

    async fn has_begun(&mut self) -> Result<bool, Error> {
        self.finish_reading().await?;
        let head = self.session.store().head(&self.conversation).await;
        Ok(head? > 0)
    }
}

/// Waits for work that Ctrl-C cancels.
async fn stoppable(
    work: impl Future<Output = Result<String, Error>>,
    mut keyboard: Keyboard,
    cancel: &CancellationToken,
) -> Result<String, Error> {
    tokio::pin!(work);
    let done = loop {
        tokio::select! {
            done = &mut work => break done,
            typed = keyboard.next(), if !cancel.is_cancelled() => match typed {
                Ok(TypedInput::Key(key)) if control(key) != Some('c') => {}
                Ok(TypedInput::Paste(_) | TypedInput::Resized) => {}
                _ => cancel.cancel(),
            },
        }
    };
    keyboard.close().await;
    done
}
