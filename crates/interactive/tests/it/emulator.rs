//! A terminal without a kernel: an emulator that shows the screen of a person, and a channel for
//! keys.

use std::io::{self, Write};
use std::num::NonZeroU16;
use std::time::Duration;

use silcrow_console::live::{
    KeyCode, KeyEvent, KeyModifiers, Keyboard, LiveTerminal, TerminalSize, TypedInput,
};
use tokio::sync::{mpsc, watch};
use tokio::time::timeout;

/// The person's side of a terminal.
pub(crate) struct EmulatedTerminal {
    pub(crate) emulator: Emulator,
    seen: watch::Receiver<EmulatorState>,
    opened: watch::Sender<OpenKeyboard>,
}

/// The keyboard that is open, or was last.
type OpenKeyboard = Option<mpsc::Sender<io::Result<TypedInput>>>;

/// The screen of an emulator, and the line that is read.
pub(crate) struct EmulatorState {
    pub(crate) parser: vt100::Parser,
    /// The line that is read now: its first text, or the question.
    pub(crate) reading: Option<String>,
    /// The number of lines that were read.
    pub(crate) read: usize,
}

/// A terminal to write to.
#[derive(Clone)]
pub(crate) struct Emulator(pub(crate) watch::Sender<EmulatorState>);

impl EmulatedTerminal {
    pub(crate) fn new(columns: u16, rows: u16) -> Self {
        let parser = vt100::Parser::new(nonzero(rows), nonzero(columns), 1_000);
        let (state, seen) = watch::channel(EmulatorState { parser, reading: None, read: 0 });
        let (opened, _) = watch::channel(None);
        Self { emulator: Emulator(state), seen, opened }
    }

    /// Returns the terminal as a live screen draws on it.
    pub(crate) fn live(&self) -> LiveTerminal {
        let seen = self.seen.clone();
        LiveTerminal::new(self.emulator.clone(), move || seen.borrow().size())
    }

    /// Returns the function that opens the keyboard.
    pub(crate) fn keys(&self) -> impl Fn() -> io::Result<Keyboard> + Send + Sync + use<> {
        let opened = self.opened.clone();
        move || {
            let (sender, typed) = mpsc::channel(256);
            opened.send_replace(Some(sender));
            Ok(Keyboard::of_channel(typed))
        }
    }

    /// Types keys: control characters are keys with Ctrl, and an escape is a key by itself.
    pub(crate) async fn press(&mut self, keys: &str) {
        for char in keys.chars() {
            self.key(key(char)).await;
        }
    }

    pub(crate) async fn key(&mut self, key: KeyEvent) {
        self.input(TypedInput::Key(key)).await;
    }

    async fn input(&mut self, input: TypedInput) {
        let is_open = |keys: &OpenKeyboard| keys.as_ref().is_some_and(|keys| !keys.is_closed());
        let mut keys = self.opened.subscribe();
        let opened = timeout(LONG, keys.wait_for(is_open)).await;
        let keys = opened.expect("no keyboard is open").unwrap().clone().unwrap();
        keys.send(Ok(input)).await.unwrap();
    }

    /// Gives the terminal another size.
    pub(crate) async fn resize(&mut self, columns: u16, rows: u16) {
        self.emulator.0.send_modify(|state| {
            state.parser.screen_mut().set_size(nonzero(rows), nonzero(columns));
        });
        self.input(TypedInput::Resized).await;
    }

    /// Waits until the terminal shows a text. Blanks and line breaks count alike.
    pub(crate) async fn wait_for(&mut self, text: &str) {
        self.wait(text, |state| squeezed(&state.shown()).contains(text)).await;
    }

    /// Waits until the terminal shows a text so many times.
    pub(crate) async fn wait_for_times(&mut self, text: &str, times: usize) {
        self.wait(text, |state| squeezed(&state.shown()).matches(text).count() == times).await;
    }

    /// Waits until the terminal no longer shows a text.
    pub(crate) async fn wait_until_gone(&mut self, text: &str) {
        self.wait(text, |state| !squeezed(&state.shown()).contains(text)).await;
    }

    /// Returns the number of lines that were read.
    pub(crate) fn read(&self) -> usize {
        self.seen.borrow().read
    }

    pub(crate) async fn wait(&mut self, text: &str, is_done: impl Fn(&EmulatorState) -> bool) {
        let done = self.seen.wait_for(|state| is_done(state));
        let is_done = matches!(timeout(LONG, done).await, Ok(Ok(_)));
        assert!(is_done, "waited for {text:?} in\n{}", self.shown());
    }

    /// Returns the shown text.
    pub(crate) fn shown(&self) -> String {
        self.seen.borrow().shown()
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
    /// Returns the shown text, without blanks at the ends of rows.
    fn shown(&self) -> String {
        let contents = self.parser.screen().contents();
        let rows: Vec<_> = contents.lines().map(str::trim_end).collect();
        rows.join("\n").trim_end().to_owned()
    }

    fn size(&self) -> TerminalSize {
        let (rows, columns) = self.parser.screen().size();
        TerminalSize { columns: columns.get().into(), rows: rows.get().into() }
    }
}

fn key(char: char) -> KeyEvent {
    match char {
        '\r' => KeyCode::Enter.into(),
        '\t' => KeyCode::Tab.into(),
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
pub(crate) fn squeezed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The time after which a test gives up.
pub(crate) const LONG: Duration = Duration::from_secs(60);

fn nonzero(count: u16) -> NonZeroU16 {
    NonZeroU16::new(count).unwrap()
}
