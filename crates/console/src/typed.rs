//! Reads lines that a person types at the terminal.

use std::io::{self, IsTerminal as _, PipeReader, Write as _};

use crate::system;

/// A source of the lines that answer questions.
///
/// ```
/// use std::io::{self, PipeReader};
///
/// use silcrow_console::typed::TypedLines;
///
/// /// Nobody is there.
/// struct NoLines;
///
/// impl TypedLines for NoLines {
///     fn can_ask(&self) -> bool {
///         false
///     }
///     fn forget(&self) -> io::Result<()> {
///         Ok(())
///     }
///     fn line(&self, _asked: &PipeReader) -> io::Result<Option<String>> {
///         Ok(None)
///     }
/// }
/// # assert!(!NoLines.can_ask());
/// ```
pub trait TypedLines: Send + Sync {
    /// Returns whether a person is there to type one.
    fn can_ask(&self) -> bool;

    /// Discards unread input.
    ///
    /// # Errors
    ///
    /// Fails without a terminal to type at. The question is then not asked.
    fn forget(&self) -> io::Result<()>;

    /// Reads the next line, and blocks until it is there. It has no line break if input ends before
    /// one. Returns `None` once the other end of `asked` is closed, because then nobody waits for the
    /// answer.
    ///
    /// # Errors
    ///
    /// Fails if the lines cannot be read.
    fn line(&self, asked: &PipeReader) -> io::Result<Option<String>>;
}

/// The terminal of this process: standard input, while standard error shows the question.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::exhaustive_structs, reason = "a process has one standard input")]
pub struct ProcessLines;

impl TypedLines for ProcessLines {
    fn can_ask(&self) -> bool {
        io::stdin().is_terminal() && io::stderr().is_terminal()
    }

    fn forget(&self) -> io::Result<()> {
        forget()
    }

    fn line(&self, asked: &PipeReader) -> io::Result<Option<String>> {
        line(asked)
    }
}

/// Discards input that was typed at the terminal and not read yet.
///
/// # Errors
///
/// Fails if standard input is not a terminal.
pub fn forget() -> io::Result<()> {
    system::forget_typed()
}

/// Reads the next line that is typed at the terminal. It has no line break if input ends before
/// one.
///
/// Returns `None` once the other end of `asked` is closed, because then no call waits for an
/// answer. On Windows it then still waits for the line.
///
/// # Errors
///
/// Fails if the terminal cannot be read.
pub fn line(asked: &PipeReader) -> io::Result<Option<String>> {
    system::typed_line(asked)
}

/// Asks a question at the terminal, and returns whether the answer is a yes.
///
/// # Errors
///
/// Fails if the question cannot be shown, or the terminal cannot be read.
pub fn says_yes(question: &str) -> io::Result<bool> {
    // The pipe stays open, because this question is never taken back.
    let (asked, _open) = io::pipe()?;
    // Input that was typed before the question does not answer it.
    forget()?;
    let mut err = io::stderr();
    err.write_all(question.as_bytes()).and_then(|()| err.flush())?;
    let answer = line(&asked)?.unwrap_or_default();
    if !answer.ends_with('\n') {
        writeln!(err)?;
    }
    Ok(matches!(&*answer.trim().to_lowercase(), "y" | "yes"))
}
