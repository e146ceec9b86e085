//! The actions of a person at a keyboard.

use crossterm::event::KeyEvent;

/// Something that a person did at the keyboard.
#[derive(Debug)]
#[expect(clippy::exhaustive_enums, reason = "who reads the keyboard has to know all of it")]
pub enum TypedInput {
    /// A key was pressed.
    Key(KeyEvent),
    /// A text was pasted.
    Paste(String),
    /// The terminal has another size.
    Resized,
}
