use silcrow_lex::{Dialect, Lexer};

/// How wire text is written and read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// The wire form.
    pub dialect: Dialect,
    /// In `sigil`, delimiters count anywhere in a line (P-2).
    pub inline: bool,
}

/// The longest call body that is read, in bytes (P-9).
pub const MAX_BODY: usize = 1 << 20;

impl Options {
    pub(crate) const fn lexer(self) -> Lexer {
        Lexer::new(self.dialect, self.inline)
    }
}

impl From<Dialect> for Options {
    /// Delimiters count where the dialect says.
    fn from(dialect: Dialect) -> Self {
        Self { dialect, inline: false }
    }
}
