//! A chat on an emulated terminal, with lines from a channel.

use std::io;
use std::ops::{Deref, DerefMut};
use std::sync::Mutex;
use std::sync::mpsc as blocking;

use silcrow_interactive::chat::{ChatOptions, ChatTerminal, PromptReader, TypedPrompt, chat};
use silcrow_interactive::{AskOptions, Error};
use tokio::runtime::Handle;
use tokio::task::{JoinHandle, spawn_blocking};
use tokio::time::timeout;

use crate::emulator::{EmulatedTerminal, Emulator, LONG, squeezed};
use crate::support::{Sandbox, host};

/// A window in which a person chats.
pub(crate) struct ChatWindow {
    terminal: EmulatedTerminal,
    lines: Option<blocking::Sender<TypedPrompt>>,
    chat: JoinHandle<Result<(), Error>>,
}

impl ChatWindow {
    /// Begins a chat that plays a script, in a window of 100 columns and 60 rows.
    pub(crate) async fn open(sandbox: &Sandbox, script: &str) -> Self {
        Self::open_with(sandbox.options(script), ChatOptions::default()).await
    }

    pub(crate) async fn open_with(options: AskOptions, begins: ChatOptions) -> Self {
        Self::open_wide(options, begins, 100).await
    }

    /// Begins a chat in a window of this many columns.
    pub(crate) async fn open_wide(options: AskOptions, begins: ChatOptions, columns: u16) -> Self {
        let picks = begins.picks;
        let terminal = EmulatedTerminal::new(columns, 60);
        let (lines, typed) = blocking::channel();
        let emulator = terminal.emulator.clone();
        let reader = Box::new(ChannelLines { emulator, typed: Mutex::new(typed) });
        let of_chat = ChatTerminal::new(terminal.live(), reader, terminal.keys());
        // A chat stays on one thread.
        let runtime = Handle::current();
        let chat =
            spawn_blocking(move || runtime.block_on(chat(options, begins, of_chat, &host())));
        let mut window = Self { terminal, lines: Some(lines), chat };
        if !picks {
            window.wait_for_line("").await;
        }
        window
    }

    /// Sends a line at the prompt, once it is read.
    pub(crate) async fn line(&mut self, text: &str) {
        self.line_over("", text).await;
    }

    /// Sends a line again and again, until the window shows a text.
    pub(crate) async fn line_until(&mut self, line: &str, text: &str) {
        let shown = async {
            while !squeezed(&self.shown()).contains(text) {
                let read = self.read();
                self.line(line).await;
                self.wait(line, |state| state.read > read).await;
            }
        };
        assert!(timeout(LONG, shown).await.is_ok(), "waited for {text:?} in\n{}", self.shown());
    }

    /// Sends a line in place of the text with which it begins.
    pub(crate) async fn line_over(&mut self, first: &str, text: &str) {
        self.wait_for_line(first).await;
        self.send(TypedPrompt::Text { text: text.to_owned(), replaces_last: false });
    }

    /// Sends a line that takes the place of the last prompt.
    pub(crate) async fn line_again(&mut self, text: &str) {
        self.wait_for_line("").await;
        self.send(TypedPrompt::Text { text: text.to_owned(), replaces_last: true });
    }

    /// Answers a question that the chat itself asks.
    pub(crate) async fn answer(&mut self, question: &str, answer: &str) {
        self.wait(question, |state| {
            state.reading.as_deref().is_some_and(|asked| asked.ends_with(question))
        })
        .await;
        self.send(TypedPrompt::Text { text: answer.to_owned(), replaces_last: false });
    }

    /// Waits until a line is read that begins with this text.
    pub(crate) async fn wait_for_line(&mut self, first: &str) {
        self.wait(first, |state| state.reading.as_deref() == Some(first)).await;
    }

    fn send(&mut self, typed: TypedPrompt) {
        self.lines.as_ref().unwrap().send(typed).unwrap();
    }

    /// Leaves the chat at the prompt, and returns the shown text.
    pub(crate) async fn leave(mut self) -> String {
        self.wait_for_line("").await;
        self.lines = None;
        self.end().await.0
    }

    /// Waits until the chat has ended, and returns the shown text, and how it ended.
    pub(crate) async fn end(self) -> (String, Result<(), Error>) {
        let Self { terminal, lines: _lines, chat } = self;
        let ended = timeout(LONG, chat).await;
        let shown = terminal.shown();
        let ended = ended.unwrap_or_else(|_| panic!("the chat does not end:\n{shown}")).unwrap();
        (shown, ended)
    }
}

impl Deref for ChatWindow {
    type Target = EmulatedTerminal;

    fn deref(&self) -> &EmulatedTerminal {
        &self.terminal
    }
}

impl DerefMut for ChatWindow {
    fn deref_mut(&mut self) -> &mut EmulatedTerminal {
        &mut self.terminal
    }
}

/// Lines of a channel. They are shown as an editor shows them.
struct ChannelLines {
    emulator: Emulator,
    typed: Mutex<blocking::Receiver<TypedPrompt>>,
}

impl ChannelLines {
    fn take(&mut self, sign: &str, first: &str) -> TypedPrompt {
        let typed = {
            self.emulator.0.send_modify(|state| state.reading = Some(first.to_owned()));
            self.typed.lock().unwrap().recv().unwrap_or(TypedPrompt::End)
        };
        self.emulator.0.send_modify(|state| {
            state.reading = None;
            state.read += 1;
            if let TypedPrompt::Text { text, .. } = &typed {
                let shown = format!("{sign} {text}\r\n");
                state.parser.process(shown.as_bytes());
            }
        });
        typed
    }
}

impl PromptReader for ChannelLines {
    fn read(&mut self, sign: &str, initial: &str) -> io::Result<TypedPrompt> {
        Ok(self.take(sign, initial))
    }

    fn confirm(&mut self, question: &str) -> io::Result<bool> {
        let typed = self.take(question, question);
        Ok(matches!(typed, TypedPrompt::Text { text, .. } if text == "y"))
    }
}
