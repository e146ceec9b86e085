//! The options of a lexer, which describe the text.

use crate::dialect::Dialect;

/// The notation in which wire text is written and read.
///
/// A [`Dialect`] converts into options with the defaults.
///
/// ```
/// use silcrow_lex::{Delimiter, Dialect, Lexer, Options, Token};
///
/// let options = Options::new(Dialect::Sigil);
/// assert!(options.needs_line_start());
/// // Inline, a delimiter counts in the middle of a line, too.
/// let mut lexer = Lexer::new(options.with_inline(true));
/// let mut input = "Done. §end ";
/// assert_eq!(lexer.next(&mut input), Some(Token::Text("Done. ")));
/// assert_eq!(lexer.next(&mut input), Some(Token::Delimiter(Delimiter::End, "§end")));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Options {
    /// The notation of the text.
    pub dialect: Dialect,
    /// Whether delimiters of `sigil` count anywhere in a line (P-2), and not only at its start.
    pub inline: bool,
}

impl Options {
    /// Returns the options of a dialect with the defaults: not inline.
    pub const fn new(dialect: Dialect) -> Self {
        Self { dialect, inline: false }
    }

    /// Returns whether delimiters in text need a line's start (P-2).
    pub const fn needs_line_start(self) -> bool {
        matches!(self.dialect, Dialect::Sigil) && !self.inline
    }

    /// Sets whether delimiters of `sigil` count anywhere in a line.
    #[must_use]
    pub const fn with_inline(self, inline: bool) -> Self {
        Self { inline, ..self }
    }
}

impl From<Dialect> for Options {
    fn from(dialect: Dialect) -> Self {
        Self::new(dialect)
    }
}
