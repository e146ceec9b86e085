//! The width of the terminal, and text that is cut to fit on it.

use std::io;

pub(crate) use silcrow_term::fit::{cut, rows, shortened, width, words};

/// Returns the number of columns of the terminal at standard error, or 80 if that is unknown.
pub(crate) fn columns() -> usize {
    let size = rustix::termios::tcgetwinsize(io::stderr());
    size.ok().map(|size| size.ws_col.into()).filter(|columns| *columns > 0).unwrap_or(80)
}
