//! The formats of a grammar, and their names.
//!
//! A new format is a variant of [`GrammarFormat`] and a module that prints the rules, as `lark` is.

use std::error::Error;
use std::fmt;
use std::str::FromStr;

/// The language in which a grammar is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum GrammarFormat {
    /// GBNF, which llama.cpp reads.
    Gbnf,
    /// Lark with the operators `&` and `~` between tokens, which llguidance reads.
    Lark,
}

impl GrammarFormat {
    /// Lists every format.
    pub const ALL: [Self; 2] = [Self::Gbnf, Self::Lark];

    /// Returns the format's name: `gbnf` or `lark`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Gbnf => "gbnf",
            Self::Lark => "lark",
        }
    }
}

impl fmt::Display for GrammarFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for GrammarFormat {
    type Err = UnknownGrammarFormat;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let format = Self::ALL.into_iter().find(|format| format.as_str() == name);
        format.ok_or(UnknownGrammarFormat(()))
    }
}

/// The error that a name is not the name of a [`GrammarFormat`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownGrammarFormat(());

impl fmt::Display for UnknownGrammarFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("unknown grammar format; the formats are gbnf and lark")
    }
}

impl Error for UnknownGrammarFormat {}
