//! The lines that a session reads: prompts, and answers to what the session itself asks.

use std::io;

use silcrow_console::attend::lock;

use super::ChatSession;
use super::editor::{LineEditor, TypedPrompt};
use crate::failure::Failure;

impl ChatSession {
    /// Reads a line while the tasks of the runtime continue.
    pub(super) async fn read(&mut self) -> Result<TypedPrompt, Failure> {
        let draft = std::mem::take(&mut self.draft);
        let (sign, conversation) = (lock(&self.screen).prompt_sign(), self.conversation.clone());
        let read = self.with_editor(move |editor| {
            editor.set_conversation(&conversation);
            editor.read(sign, &draft)
        });
        read.await.map(|read| read.unwrap_or(TypedPrompt::End))
    }

    /// Returns whether the person says yes to a question.
    pub(super) async fn confirms(&mut self, question: &'static str) -> Result<bool, Failure> {
        let said = self.with_editor(|editor| editor.confirm(question)).await?;
        Ok(said.unwrap_or(false))
    }

    /// Starts the thread in which the editor reads; `None` without an editor.
    async fn with_editor<T: Send + 'static>(
        &mut self,
        read: impl FnOnce(&mut LineEditor) -> io::Result<T> + Send + 'static,
    ) -> Result<Option<T>, Failure> {
        let Some(mut editor) = self.editor.take() else { return Ok(None) };
        let reading = tokio::task::spawn_blocking(move || {
            let read = read(&mut editor);
            (editor, read)
        });
        let (editor, read) = tokio::select! {
            done = reading => {
                done.map_err(|error| Failure::running(format!("cannot read a line: {error}")))?
            }
            // The thread that reads ends with the process.
            () = self.cancel.cancelled() => return Err(Failure::interrupted(self.interruption.signal())),
        };
        self.editor = Some(editor);
        let failed = |error| Failure::running(format!("cannot read from the terminal: {error}"));
        read.map(Some).map_err(failed)
    }
}
