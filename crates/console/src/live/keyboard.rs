//! The keys that a person presses while an agent works.
//!
//! The terminal is in raw mode as long as a [`Keyboard`] exists, so Ctrl-C and Ctrl-Z are keys.
//! Keys come from the terminal even if standard input is a pipe.

use std::io::{self, Write as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use crossterm::ExecutableCommand as _;
use crossterm::event::{
    DisableBracketedPaste, EnableBracketedPaste, Event, KeyEvent, KeyEventKind,
    KeyboardEnhancementFlags, PopKeyboardEnhancementFlags, PushKeyboardEnhancementFlags, poll,
    read,
};
use crossterm::terminal::{disable_raw_mode, enable_raw_mode};
use tokio::sync::mpsc;

use super::key_burst::KeyBurst;
use super::late_answer::LateAnswer;
use super::typed_input::TypedInput;
use crate::asked_terminal::tells_keys;
use crate::system::{self, KeyTerminal};

/// The keyboard of the terminal, or a channel in its place.
#[derive(Debug)]
pub struct Keyboard {
    typed: mpsc::Receiver<io::Result<TypedInput>>,
    is_closing: Arc<AtomicBool>,
    reader: Option<JoinHandle<()>>,
}

/// Evidence that the process was stopped and continues, so that the screen is to be drawn again.
#[derive(Debug)]
pub struct Suspended(());

impl Keyboard {
    /// Returns whether this process has a terminal to read from.
    pub fn exists() -> bool {
        system::has_key_terminal()
    }

    /// Returns a keyboard of which the other end of a channel has the keys. The terminal of the process
    /// stays as it is. Once the other end is dropped, or sends an error, the terminal counts as gone.
    ///
    /// ```
    /// use silcrow_console::live::{Keyboard, KeyCode, TypedInput};
    ///
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let (keys, typed) = tokio::sync::mpsc::channel(8);
    /// let mut keyboard = Keyboard::of_channel(typed);
    /// keys.send(Ok(TypedInput::Key(KeyCode::Enter.into()))).await.unwrap();
    /// assert!(matches!(keyboard.next().await, Ok(TypedInput::Key(_))));
    /// # });
    /// ```
    pub fn of_channel(typed: mpsc::Receiver<io::Result<TypedInput>>) -> Self {
        Self { typed, is_closing: Arc::default(), reader: None }
    }

    /// Puts the terminal of the process into raw mode, and reads its keys.
    ///
    /// ```no_run
    /// use silcrow_console::live::{Keyboard, TypedInput};
    ///
    /// # async fn wait() -> std::io::Result<()> {
    /// let mut keyboard = Keyboard::open()?;
    /// // Ctrl-C is a key like any other as long as the keyboard exists.
    /// if let TypedInput::Key(key) = keyboard.next().await? {
    ///     println!("{:?}", key.code);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// Fails if the process has no terminal, or the terminal has no raw mode.
    pub fn open() -> io::Result<Self> {
        let terminal = KeyTerminal::open()?;
        begin()?;
        let (sender, typed) = mpsc::channel(MOST_WAITING);
        let is_closing = Arc::<AtomicBool>::default();
        let thread = thread::Builder::new().name("keyboard".to_owned());
        let reader = thread.spawn({
            let is_closing = Arc::clone(&is_closing);
            move || read_keys(&terminal, &sender, &is_closing)
        });
        let mut keyboard = Self { typed, is_closing, reader: None };
        keyboard.reader = Some(reader?);
        Ok(keyboard)
    }

    /// Waits for the next key or pasted text. Cancel-safe.
    ///
    /// # Errors
    ///
    /// Fails if the terminal is gone or cannot be read.
    pub async fn next(&mut self) -> io::Result<TypedInput> {
        let closed = || Err(io::ErrorKind::UnexpectedEof.into());
        self.typed.recv().await.unwrap_or_else(closed)
    }

    /// Returns the next input that was not taken yet, if any.
    pub fn take(&mut self) -> Option<TypedInput> {
        self.typed.try_recv().ok().and_then(Result::ok)
    }

    /// Reads no further, and returns the input that was not taken yet.
    pub async fn close(mut self) -> Vec<TypedInput> {
        self.is_closing.store(true, Ordering::Relaxed);
        if self.reader.is_none() {
            self.typed.close();
        }
        let mut rest = Vec::new();
        // The sender is dropped when the reader ends.
        while let Some(typed) = self.typed.recv().await {
            rest.extend(typed.ok());
        }
        if let Some(reader) = self.reader.take() {
            let _ = reader.join();
        }
        rest
    }

    /// Stops this process, as Ctrl-Z does, until it is continued. On Windows it only draws the screen
    /// again.
    ///
    /// # Errors
    ///
    /// Fails if the process cannot be stopped, or the terminal is gone when it is continued.
    pub fn suspend() -> io::Result<Suspended> {
        restore();
        let _ = io::stderr().write_all(b"\r\n");
        system::stop_process()?;
        begin()?;
        Ok(Suspended(()))
    }
}

impl Drop for Keyboard {
    fn drop(&mut self) {
        self.is_closing.store(true, Ordering::Relaxed);
        restore();
    }
}

/// Passes on keys until the keyboard is closed.
fn read_keys(
    terminal: &KeyTerminal,
    sender: &mpsc::Sender<io::Result<TypedInput>>,
    is_closing: &AtomicBool,
) {
    let mut late = LateAnswer::default();
    loop {
        let is_last = is_closing.load(Ordering::Relaxed);
        if terminal.is_hung_up(if is_last { Duration::ZERO } else { PATIENCE }) {
            let _ = sender.blocking_send(Err(io::ErrorKind::UnexpectedEof.into()));
            return;
        }
        // Keys that crossterm has read already come first, also while the keyboard is being closed.
        let typed = match poll(Duration::ZERO) {
            Ok(true) => read().map(input),
            Ok(false) if is_last => return,
            Ok(false) => continue,
            Err(error) => Err(error),
        };
        let Some(typed) = typed.transpose() else { continue };
        let is_failed = typed.is_err();
        let all = match typed {
            Ok(TypedInput::Key(key)) if KeyBurst::takes(key) && is_more() => {
                read_burst(terminal, key)
            }
            typed => vec![typed],
        };
        for typed in all {
            if matches!(&typed, Ok(TypedInput::Key(key)) if late.takes(*key)) {
                continue;
            }
            if sender.blocking_send(typed).is_err() {
                return;
            }
        }
        if is_failed {
            return;
        }
    }
}

/// Reads the keys that follow another one at once, and the input that ends them.
fn read_burst(terminal: &KeyTerminal, first: KeyEvent) -> Vec<io::Result<TypedInput>> {
    let mut burst = KeyBurst::default();
    burst.push(first);
    let mut last = None;
    while is_more() || burst.may_go_on() && !terminal.is_hung_up(SILENCE) && is_more() {
        match read().map(input) {
            Ok(None) => {}
            Ok(Some(TypedInput::Key(key))) if KeyBurst::takes(key) => burst.push(key),
            Ok(Some(other)) => {
                last = Some(Ok(other));
                break;
            }
            Err(error) => {
                last = Some(Err(error));
                break;
            }
        }
    }
    burst.end().into_iter().map(Ok).chain(last).collect()
}

/// Returns whether crossterm has another key.
fn is_more() -> bool {
    matches!(poll(Duration::ZERO), Ok(true))
}

fn begin() -> io::Result<()> {
    enable_raw_mode()?;
    IS_RAW.store(true, Ordering::Relaxed);
    io::stderr().execute(EnableBracketedPaste)?;
    if tells_keys() {
        let flags = KeyboardEnhancementFlags::DISAMBIGUATE_ESCAPE_CODES;
        io::stderr().execute(PushKeyboardEnhancementFlags(flags))?;
        HAS_PUSHED.store(true, Ordering::Relaxed);
    }
    Ok(())
}

/// Makes the terminal as it was before the keyboard was opened, unless it is.
pub(super) fn restore() {
    if IS_RAW.swap(false, Ordering::Relaxed) {
        // There is nobody to tell if the terminal is gone.
        if HAS_PUSHED.swap(false, Ordering::Relaxed) {
            let _ = io::stderr().execute(PopKeyboardEnhancementFlags).map(drop);
        }
        let _ = io::stderr().execute(DisableBracketedPaste).map(drop);
        let _ = disable_raw_mode();
    }
}

/// The number of keys that may wait.
const MOST_WAITING: usize = 256;

/// The time after which the reader looks whether it is to end.
const PATIENCE: Duration = Duration::from_millis(20);

/// The time without a key that ends a text that is pasted key by key.
const SILENCE: Duration = Duration::from_millis(40);

static IS_RAW: AtomicBool = AtomicBool::new(false);

/// Whether the terminal tells modified keys apart now.
static HAS_PUSHED: AtomicBool = AtomicBool::new(false);

fn input(event: Event) -> Option<TypedInput> {
    match event {
        Event::Key(key) if key.kind != KeyEventKind::Release => Some(TypedInput::Key(key)),
        Event::Paste(text) => Some(TypedInput::Paste(text)),
        Event::Resize(..) => Some(TypedInput::Resized),
        _ => None,
    }
}
