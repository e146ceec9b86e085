//! The terminal of this process: whether it can show rows that change, and how it is left.

use std::io::{self, IsTerminal as _};

use super::{Keyboard, keyboard, quiet};

/// Makes the terminal of the process as it was before. A process that ends at once has to call it;
/// otherwise dropping the [`Keyboard`] does it.
pub fn restore() {
    keyboard::restore();
    quiet::end();
}

/// Returns whether this terminal can show rows that change, and a person can type at it.
pub fn is_possible() -> bool {
    let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    io::stderr().is_terminal() && !dumb && Keyboard::exists()
}
