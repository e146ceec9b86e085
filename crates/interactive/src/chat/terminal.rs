//! The terminal of a chat: the screen, the source of keys, and the reader of lines between two
//! runs.

use std::fmt;
use std::io;
use std::sync::Arc;

use silcrow_console::live::{Keyboard, LiveTerminal};

use super::typed_prompt::PromptReader;

/// The terminal of a chat.
///
/// ```
/// use silcrow_console::live::{Keyboard, LiveTerminal, TerminalSize};
/// use silcrow_interactive::chat::{ChatTerminal, PromptReader, TypedPrompt};
///
/// /// Reads nothing, so that the chat ends at once.
/// struct NoLines;
///
/// impl PromptReader for NoLines {
///     fn read(&mut self, _: &str, _: &str) -> std::io::Result<TypedPrompt> {
///         Ok(TypedPrompt::End)
///     }
///
///     fn confirm(&mut self, _: &str) -> std::io::Result<bool> {
///         Ok(false)
///     }
/// }
///
/// let size = TerminalSize { columns: 80, rows: 24 };
/// let screen = LiveTerminal::new(Vec::new(), move || size);
/// let terminal = ChatTerminal::new(screen, Box::new(NoLines), Keyboard::open);
/// # drop(terminal);
/// ```
pub struct ChatTerminal {
    pub(super) screen: LiveTerminal,
    pub(super) keys: KeyboardSource,
    pub(super) lines: Option<Box<dyn PromptReader>>,
}

/// Opens the keyboard.
pub(super) type KeyboardSource = Arc<dyn Fn() -> io::Result<Keyboard> + Send + Sync>;

impl ChatTerminal {
    /// Returns the terminal of this process, with an editor of lines that completes them, and remembers
    /// them for the folder of the tools.
    pub fn of_process() -> Self {
        Self { screen: LiveTerminal::of_process(), keys: Arc::new(Keyboard::open), lines: None }
    }

    /// Returns a terminal that is drawn on a writer. `keys` opens the keyboard for each run and
    /// each list, and `lines` reads input between them.
    pub fn new(
        screen: LiveTerminal,
        lines: Box<dyn PromptReader>,
        keys: impl Fn() -> io::Result<Keyboard> + Send + Sync + 'static,
    ) -> Self {
        Self { screen, keys: Arc::new(keys), lines: Some(lines) }
    }

    /// Returns whether it is the terminal of this process.
    pub(super) const fn is_process(&self) -> bool {
        self.lines.is_none()
    }
}

impl fmt::Debug for ChatTerminal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ChatTerminal").field("screen", &self.screen).finish_non_exhaustive()
    }
}
