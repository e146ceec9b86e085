//! A chat on a terminal without a kernel: an emulator that shows what a person would see, and channels for
//! keys and lines.

use std::io::{self, Write};
use std::num::NonZeroU16;
use std::sync::Mutex;
use std::sync::mpsc as blocking;
use std::time::Duration;

use silcrow_console::live::{
    KeyCode, KeyEvent, KeyModifiers, Keyboard, LiveTerminal, TerminalSize, TypedInput,
};
use silcrow_interactive::chat::{ChatOptions, ChatTerminal, PromptReader, TypedPrompt, chat};
use silcrow_interactive::{AskOptions, Error};
use tokio::runtime::Handle;
use tokio::sync::{mpsc, watch};
use tokio::task::{JoinHandle, spawn_blocking};
use tokio::time::timeout;

use crate::support::{Sandbox, host};

/// A window in which a person chats.
pub(crate) struct ChatWindow {
    seen: watch::Receiver<EmulatorState>,
    /// The keyboard that is open, or was last.
    keys: watch::Receiver<Option<mpsc::Sender<io::Result<TypedInput>>>>,
    lines: Option<blocking::Sender<TypedPrompt>>,
    chat: JoinHandle<Result<(), Error>>,
}

/// What an emulator shows, and the line that is read.
pub(crate) struct EmulatorState {
    parser: vt100::Parser,
    /// The line that is read now: its first text, or the question.
    reading: Option<String>,
    /// The number of lines that were read.
    read: usize,
}

/// A terminal to write to.
#[derive(Clone)]
struct Emulator(watch::Sender<EmulatorState>);

impl ChatWindow {
    /// Begins a chat that plays a script, in a window of 100 columns and 60 rows.
    pub(crate) async fn open(sandbox: &Sandbox, script: &str) -> Self {
        Self::open_with(sandbox.options(script), ChatOptions::default()).await
    }

    pub(crate) async fn open_with(options: AskOptions, begins: ChatOptions) -> Self {
        let picks = begins.picks;
        let mut window = Self::begin(options, begins, |terminal| terminal);
        if !picks {
            window.wait_for_line("").await;
        }
        window
    }

    /// Begins a chat, and waits for nothing.
    pub(crate) fn begin(
        options: AskOptions,
        begins: ChatOptions,
        changed: impl FnOnce(LiveTerminal) -> LiveTerminal,
    ) -> Self {
        let parser = vt100::Parser::new(nonzero(ROWS), nonzero(COLUMNS), 1_000);
        let (state, seen) = watch::channel(EmulatorState { parser, reading: None, read: 0 });
        let emulator = Emulator(state);
        let size = TerminalSize { columns: COLUMNS.into(), rows: ROWS.into() };
        let screen = changed(LiveTerminal::new(emulator.clone(), move || size));
        let (opened, keys) = watch::channel(None);
        let keyboard = move || {
            let (sender, typed) = mpsc::channel(256);
            opened.send_replace(Some(sender));
            Ok(Keyboard::of_channel(typed))
        };
        let (lines, typed) = blocking::channel();
        let reader = Box::new(ChannelLines { emulator, typed: Mutex::new(typed) });
        let terminal = ChatTerminal::new(screen, reader, keyboard);
        // A chat stays on one thread.
        let runtime = Handle::current();
        let chat =
            spawn_blocking(move || runtime.block_on(chat(options, begins, terminal, &host())));
        Self { seen, keys, lines: Some(lines), chat }
    }

    /// Sends a line at the prompt, once it is read.
    pub(crate) async fn line(&mut self, text: &str) {
        self.line_over("", text).await;
    }

    /// Sends a line again and again, until the window shows a text.
    pub(crate) async fn line_until(&mut self, line: &str, text: &str) {
        let shown = async {
            while !squeezed(&self.shown()).contains(text) {
                let read = self.seen.borrow().read;
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

    /// Types keys: control characters are keys with Ctrl, and an escape is a key by itself.
    pub(crate) async fn press(&mut self, keys: &str) {
        for char in keys.chars() {
            self.key(key(char)).await;
        }
    }

    pub(crate) async fn key(&mut self, key: KeyEvent) {
        let is_open = |keys: &Option<mpsc::Sender<_>>| {
            keys.as_ref()
                .is_some_and(|keys: &mpsc::Sender<io::Result<TypedInput>>| !keys.is_closed())
        };
        let opened = timeout(LONG, self.keys.wait_for(is_open)).await;
        let keys = opened.expect("no keyboard is open").unwrap().clone().unwrap();
        keys.send(Ok(TypedInput::Key(key))).await.unwrap();
    }

    /// Waits until the window shows a text. Blanks and line breaks count alike.
    pub(crate) async fn wait_for(&mut self, text: &str) {
        self.wait(text, |state| squeezed(&state.shown()).contains(text)).await;
    }

    async fn wait(&mut self, text: &str, is_done: impl Fn(&EmulatorState) -> bool) {
        let done = self.seen.wait_for(|state| is_done(state));
        let is_done = matches!(timeout(LONG, done).await, Ok(Ok(_)));
        assert!(is_done, "waited for {text:?} in\n{}", self.shown());
    }

    /// Returns what the window shows.
    pub(crate) fn shown(&self) -> String {
        self.seen.borrow().shown()
    }

    /// Leaves the chat at the prompt, and returns what the window shows.
    pub(crate) async fn leave(mut self) -> String {
        self.wait_for_line("").await;
        self.lines = None;
        self.end().await.0
    }

    /// Waits until the chat has ended, and returns what the window shows, and how it ended.
    pub(crate) async fn end(self) -> (String, Result<(), Error>) {
        let Self { seen, keys: _keys, lines: _lines, chat } = self;
        let ended = timeout(LONG, chat).await;
        let shown = seen.borrow().shown();
        let ended = ended.unwrap_or_else(|_| panic!("the chat does not end:\n{shown}")).unwrap();
        (shown, ended)
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

impl Write for Emulator {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.send_modify(|state| state.parser.process(bytes));
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl EmulatorState {
    /// Returns what is shown, without blanks at the ends of rows.
    fn shown(&self) -> String {
        let contents = self.parser.screen().contents();
        let rows: Vec<_> = contents.lines().map(str::trim_end).collect();
        rows.join("\n").trim_end().to_owned()
    }
}

fn key(char: char) -> KeyEvent {
    match char {
        '\r' => KeyCode::Enter.into(),
        '\x1b' => KeyCode::Esc.into(),
        '\x7f' => KeyCode::Backspace.into(),
        '\x01'..='\x1a' => {
            let letter = char::from(b'a' - 1 + u8::try_from(char).unwrap());
            KeyEvent::new(KeyCode::Char(letter), KeyModifiers::CONTROL)
        }
        char => KeyCode::Char(char).into(),
    }
}

/// Returns a text in which each run of blanks and line breaks is one blank.
fn squeezed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The time after which a test gives up.
const LONG: Duration = Duration::from_secs(60);

const COLUMNS: u16 = 100;
const ROWS: u16 = 60;

fn nonzero(count: u16) -> NonZeroU16 {
    NonZeroU16::new(count).unwrap()
}
