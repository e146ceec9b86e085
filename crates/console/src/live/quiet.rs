//! A terminal that keeps what is typed until somebody reads it.
//!
//! Between a run and the line that is read next, the terminal would show typed keys where they do not
//! belong, and end lines by itself.

use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustix::termios::{InputModes, LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};

/// A terminal that shows no keys. It is as before once this is dropped.
#[derive(Debug)]
pub struct QuietTerminal(());

impl QuietTerminal {
    /// Keeps the terminal at standard input from showing keys.
    ///
    /// # Errors
    ///
    /// Fails if standard input is not a terminal.
    pub fn begin() -> io::Result<Self> {
        let before = tcgetattr(io::stdin())?;
        let mut quiet = before.clone();
        quiet.local_modes -= LocalModes::ECHO | LocalModes::ICANON | LocalModes::ISIG;
        quiet.input_modes -= InputModes::ICRNL;
        tcsetattr(io::stdin(), OptionalActions::Now, &quiet)?;
        *lock() = Some(before);
        Ok(Self(()))
    }
}

impl Drop for QuietTerminal {
    fn drop(&mut self) {
        end();
    }
}

/// Makes the terminal as it was before. A process that ends at once calls it, too.
pub(super) fn end() {
    if let Some(before) = lock().take() {
        // There is nobody to tell if the terminal is gone.
        let _ = tcsetattr(io::stdin(), OptionalActions::Now, &before);
    }
}

fn lock() -> MutexGuard<'static, Option<Termios>> {
    BEFORE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The modes of the terminal before it became quiet.
static BEFORE: Mutex<Option<Termios>> = Mutex::new(None);
