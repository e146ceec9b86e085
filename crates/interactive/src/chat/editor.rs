//! The line that a person types between two runs.
//!
//! Editing, history and keys are rustyline's. This module knows the prompt, what continues on a new
//! line, and what is remembered for a folder.

use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use rustyline::config::Configurer as _;
use rustyline::error::ReadlineError;
use rustyline::history::FileHistory;
use rustyline::{
    Cmd, CompletionType, ConditionalEventHandler, Config, Editor, Event, EventContext,
    EventHandler, KeyCode, KeyEvent, Modifiers, Movement, RepeatCount,
};

use super::helper::LineHelper;
use super::typed_prompt::{PromptReader, TypedPrompt};

/// An editor of lines with history.
pub(super) struct LineEditor {
    editor: Editor<LineHelper, FileHistory>,
    history: Option<PathBuf>,
    recall: Arc<Mutex<PromptRecall>>,
}

/// The last prompt, which Esc Esc takes back.
#[derive(Default)]
struct PromptRecall {
    last: Option<String>,
    is_taken: bool,
}

impl LineEditor {
    /// Creates an editor that keeps its history in a file.
    pub(super) fn new(helper: LineHelper, history: Option<PathBuf>) -> io::Result<Self> {
        let config = Config::builder()
            .auto_add_history(false)
            .bracketed_paste(true)
            .completion_type(CompletionType::List)
            .history_ignore_space(true)
            .build();
        let mut editor = Editor::with_config(config).map_err(io::Error::other)?;
        let mode = helper.mode.clone();
        editor.set_helper(Some(helper));
        editor.set_max_history_size(MOST_LINES).map_err(io::Error::other)?;
        if let Some(file) = &history {
            // The first session in a folder has no history.
            let _ = editor.load_history(file);
        }
        let recall = Arc::<Mutex<PromptRecall>>::default();
        let new_line = KeyEvent(KeyCode::Enter, Modifiers::ALT);
        editor.bind_sequence(new_line, EventHandler::Simple(Cmd::Newline));
        let take_back = TakeBack(Arc::clone(&recall));
        editor.bind_sequence(
            KeyEvent(KeyCode::Esc, Modifiers::NONE),
            EventHandler::Conditional(Box::new(take_back)),
        );
        editor.bind_sequence(
            KeyEvent(KeyCode::BackTab, Modifiers::NONE),
            EventHandler::Conditional(Box::new(mode)),
        );
        Ok(Self { editor, history, recall })
    }

    fn set_confirming(&mut self, is_confirming: bool) {
        if let Some(helper) = self.editor.helper_mut() {
            helper.is_confirming = is_confirming;
        }
    }

    fn recall(&self) -> std::sync::MutexGuard<'_, PromptRecall> {
        self.recall.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl PromptReader for LineEditor {
    fn read(&mut self, sign: &str, initial: &str) -> io::Result<TypedPrompt> {
        self.recall().is_taken = false;
        let prompt = format!("{sign} ");
        match self.editor.readline_with_initial(&prompt, (initial, "")) {
            Ok(text) => {
                let text = text.replace("\\\n", "\n");
                let replaces_last = self.recall().is_taken;
                if !text.trim().is_empty() {
                    let added = self.editor.add_history_entry(&text);
                    if let (Ok(true), Some(file)) = (added, &self.history) {
                        // A history that cannot be kept does not keep anybody from working.
                        let _ = self.editor.append_history(file);
                    }
                }
                Ok(TypedPrompt::Text { text, replaces_last })
            }
            Err(ReadlineError::Interrupted) => Ok(TypedPrompt::Interrupted),
            Err(ReadlineError::Eof) => Ok(TypedPrompt::End),
            Err(ReadlineError::Io(error)) => Err(error),
            Err(error) => Err(io::Error::other(error)),
        }
    }

    fn set_conversation(&mut self, id: &str) {
        if let Some(helper) = self.editor.helper_mut() {
            id.clone_into(&mut helper.conversations.current);
        }
    }

    fn set_last(&mut self, prompt: Option<&str>) {
        self.recall().last = prompt.map(str::to_owned);
    }

    fn confirm(&mut self, question: &str) -> io::Result<bool> {
        self.set_confirming(true);
        let read = self.editor.readline(&format!("{question} [y/N] "));
        self.set_confirming(false);
        match read {
            Ok(text) => Ok(matches!(&*text.trim().to_lowercase(), "y" | "yes")),
            Err(ReadlineError::Io(error)) => Err(error),
            Err(_) => Ok(false),
        }
    }
}

/// Clears the line, or puts the last prompt into an empty one.
struct TakeBack(Arc<Mutex<PromptRecall>>);

impl ConditionalEventHandler for TakeBack {
    fn handle(&self, _: &Event, _: RepeatCount, _: bool, line: &EventContext<'_>) -> Option<Cmd> {
        if !line.line().is_empty() {
            return Some(Cmd::Kill(Movement::WholeBuffer));
        }
        let mut recall = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let last = recall.last.clone()?;
        recall.is_taken = true;
        Some(Cmd::Insert(1, last))
    }
}

/// The number of lines of history that are kept for a folder.
const MOST_LINES: usize = 1_000;
