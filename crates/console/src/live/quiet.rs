//! A terminal that keeps typed input until somebody reads it.
//!
//! Between a run and the line that is read next, the terminal would show typed keys where they do not
//! belong, and end lines by itself.

use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::system::QuietModes;

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
        let modes = QuietModes::begin()?;
        *lock() = Some(modes);
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
        before.end();
    }
}

fn lock() -> MutexGuard<'static, Option<QuietModes>> {
    BEFORE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The modes of the terminal before it became quiet.
static BEFORE: Mutex<Option<QuietModes>> = Mutex::new(None);
