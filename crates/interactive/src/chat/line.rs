//! The lines that a session reads: prompts, and answers to the session's own questions.

use std::io;

use silcrow_console::attend::lock;

use super::ChatSession;
use super::typed_prompt::{PromptReader, TypedPrompt};
use crate::error::Error;

impl ChatSession {
    /// Reads a line while the tasks of the runtime continue.
    pub(super) async fn read(&mut self) -> Result<TypedPrompt, Error> {
        let draft = std::mem::take(&mut self.draft);
        let (sign, conversation) = (lock(&self.screen).prompt_sign(), self.conversation.clone());
        let read = self.with_lines(move |lines| {
            lines.set_conversation(&conversation);
            lines.read(sign, &draft)
        });
        read.await.map(|read| read.unwrap_or(TypedPrompt::End))
    }

    /// Returns whether the person says yes to a question.
    pub(super) async fn confirms(&mut self, question: &'static str) -> Result<bool, Error> {
        let said = self.with_lines(|lines| lines.confirm(question)).await?;
        Ok(said.unwrap_or(false))
    }

    /// Starts the thread on which a line is read; `None` without a reader.
    async fn with_lines<T: Send + 'static>(
        &mut self,
        read: impl FnOnce(&mut dyn PromptReader) -> io::Result<T> + Send + 'static,
    ) -> Result<Option<T>, Error> {
        let Some(mut lines) = self.lines.take() else { return Ok(None) };
        let reading = tokio::task::spawn_blocking(move || {
            let read = read(&mut *lines);
            (lines, read)
        });
        let (lines, read) = tokio::select! {
            done = reading => {
                done.map_err(|error| Error::failed(format!("cannot read a line: {error}")))?
            }
            // The thread that reads ends with the process.
            () = self.cancel.cancelled() => return Err(Error::interrupted(self.interruption.signal())),
        };
        self.lines = Some(lines);
        let failed = |error| Error::failed(format!("cannot read from the terminal: {error}"));
        read.map(Some).map_err(failed)
    }
}
