//! The reader of lines at the terminal of this process.

use std::io;

use silcrow_console::edit::{EditedLine, PromptEditor};

use super::helper::{CurrentConversation, LineHelper};
use super::typed_prompt::{PromptReader, TypedPrompt};

/// An editor of lines that completes the words of a chat.
pub(super) struct LineEditor {
    editor: PromptEditor,
    conversation: CurrentConversation,
}

impl LineEditor {
    /// Makes a reader of an editor whose helper completes the prompts of this conversation.
    pub(super) fn new(
        helper: LineHelper,
        editor: impl FnOnce(Box<LineHelper>) -> PromptEditor,
    ) -> Self {
        let conversation = helper.conversations.current.clone();
        Self { editor: editor(Box::new(helper)), conversation }
    }
}

impl PromptReader for LineEditor {
    fn read(&mut self, _: &str, initial: &str) -> io::Result<TypedPrompt> {
        Ok(match self.editor.read(initial)? {
            EditedLine::Sent { text, replaces_last } => TypedPrompt::Text { text, replaces_last },
            EditedLine::Help => {
                TypedPrompt::Text { text: "/help".to_owned(), replaces_last: false }
            }
            EditedLine::Interrupted => TypedPrompt::Interrupted,
            EditedLine::End => TypedPrompt::End,
        })
    }

    fn set_conversation(&mut self, id: &str) {
        self.conversation.set(id);
    }

    fn set_last(&mut self, prompt: Option<&str>) {
        self.editor.set_last(prompt);
    }

    fn remember(&mut self, line: &str) {
        self.editor.remember(line);
    }

    fn confirm(&mut self, question: &str) -> io::Result<bool> {
        self.editor.confirm(question)
    }
}
