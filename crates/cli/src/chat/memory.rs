//! The commands of a session about what the model reads.

use silcrow_console::attend::{control, lock};
use silcrow_console::live::{Keyboard, TypedInput};
use silcrow_tool::{CancellationToken, Scope};

use super::{ChatSession, quiet};
use crate::context;
use crate::failure::Failure;
use crate::places;

impl ChatSession {
    /// Shows how large the next request is, and what a summary stands for.
    pub(super) async fn show_context(&mut self) -> Result<(), Failure> {
        if !self.has_begun().await? {
            return Err(Failure::given("there is nothing in this conversation yet"));
        }
        let next = self.agent.next_context(&*self.conversation).await;
        let next = next.map_err(|error| Failure::running(error.to_string()))?;
        let mut lines = context::size_lines(&next);
        lines.push(format!("silcrow context {} shows all of it", self.conversation));
        for line in lines {
            self.say(&line);
        }
        Ok(())
    }

    /// Has the model summarize the conversation, or takes its summary back.
    pub(super) async fn compact(&mut self, words: &[&str]) -> Result<(), Failure> {
        if !self.has_begun().await? {
            return Err(Failure::given("there is nothing to summarize yet"));
        }
        let store = self.session.store();
        if words == ["undo"] {
            let line = context::undo(&self.agent, &*store, &self.args, &self.conversation).await?;
            self.say(&line);
            return Ok(());
        }
        self.say("the model writes a summary; Ctrl-C stops it");
        let cancel = CancellationToken::new();
        let scope = Scope::new(&*self.conversation).with_cancellation(cancel.clone());
        let focus = (!words.is_empty()).then(|| words.join(" "));
        let made = context::summarize(&self.agent, &self.args, scope, focus.as_deref());
        // Ctrl-C is a key as long as the keyboard is open.
        self.quiet = None;
        let made = stoppable(made, &cancel).await;
        self.quiet = quiet()?;
        lock(&self.screen).show_line(&made?);
        Ok(())
    }

    async fn has_begun(&mut self) -> Result<bool, Failure> {
        self.finish_reading().await?;
        let head = self.session.store().head(&self.conversation).await;
        Ok(head.map_err(|error| places::failure(&error))? > 0)
    }
}

/// Waits for work that Ctrl-C cancels.
async fn stoppable(
    work: impl Future<Output = Result<String, Failure>>,
    cancel: &CancellationToken,
) -> Result<String, Failure> {
    let failure = |error| Failure::running(format!("cannot read the terminal: {error}"));
    let mut keyboard = Keyboard::open().map_err(failure)?;
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
