//! The dialects and their names. Their delimiters are in `table.rs`.

use core::error::Error;
use core::fmt;
use core::str::FromStr;

/// A notation of the protocol.
///
/// ```
/// use silcrow_lex::Dialect;
///
/// let dialect: Dialect = "phase".parse()?;
/// assert_eq!(dialect, Dialect::Phase);
/// assert_eq!(dialect.first_char(), "<");
/// # Ok::<(), silcrow_lex::UnknownDialect>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "section 1 of the protocol names them all")]
pub enum Dialect {
    /// The notation `§think:` `§call: {…}` `§execute` `§respond:` `§end`.
    Sigil,
    /// The notation `<think>…</think>` `<execute>[…]</execute>` and text.
    Phase,
    /// The notation `<thought>…</thought>` `<action …>{…}</action>` `<response>…</response>`.
    Action,
}

impl Dialect {
    /// Lists every dialect.
    pub const ALL: [Self; 3] = [Self::Sigil, Self::Phase, Self::Action];

    /// Returns the dialect's name: `sigil`, `phase` or `action`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Sigil => "sigil",
            Self::Phase => "phase",
            Self::Action => "action",
        }
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for Dialect {
    type Err = UnknownDialect;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let dialect = Self::ALL.into_iter().find(|dialect| dialect.as_str() == name);
        dialect.ok_or(UnknownDialect(()))
    }
}

/// The error that a name is not the name of a [`Dialect`].
///
/// ```
/// use silcrow_lex::Dialect;
///
/// let error = "xml".parse::<Dialect>().unwrap_err();
/// assert_eq!(error.to_string(), "unknown dialect; the dialects are sigil, phase and action");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownDialect(());

impl fmt::Display for UnknownDialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("unknown dialect; the dialects are sigil, phase and action")
    }
}

impl Error for UnknownDialect {}
