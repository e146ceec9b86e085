//! The delimiters, by their meaning.
//!
//! This module defines the meaning of a delimiter.

use crate::dialect::Dialect;

/// The meaning of a delimiter. Closing delimiters and comments exist only in tag dialects.
///
/// ```
/// use silcrow_lex::{Delimiter, Dialect};
///
/// assert_eq!(Dialect::Sigil.literal(Delimiter::Think), "§think:");
/// assert_eq!(Dialect::Phase.literal(Delimiter::Think), "<think>");
/// // A section of `sigil` ends where the next one begins.
/// assert_eq!(Dialect::Sigil.literal(Delimiter::ThinkEnd), "");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Delimiter {
    /// Begins a thought.
    Think,
    /// Ends a thought.
    ThinkEnd,
    /// Begins one call (`sigil`, `action`).
    Call,
    /// Ends one call (`action`).
    CallEnd,
    /// Begins a list of calls (`phase`).
    Calls,
    /// Marks the execution point, at which the calls so far run: `§execute`, `</execute>`.
    Execute,
    /// Begins an answer.
    Respond,
    /// Ends an answer (`action`).
    RespondEnd,
    /// Begins text that claims to be results (P-10).
    Results,
    /// Ends text that claims to be results.
    ResultsEnd,
    /// Begins a comment (P-21).
    Comment,
    /// Ends a comment.
    CommentEnd,
    /// Begins a control block, or a body of one (`action`, P-29 to P-32).
    Block(BlockTag),
    /// Ends a control block, or a body of one.
    BlockEnd(BlockTag),
    /// Ends the turn: the model is done.
    End,
}

/// The name of a tag of a control block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum BlockTag {
    /// A choice, `<if test>` (P-29).
    If,
    /// The first body of a choice, `<then>`.
    Then,
    /// The other body of a choice, `<else>`.
    Else,
    /// A loop, `<foreach in as>` (P-30).
    ForEach,
    /// A group of calls that run at once, `<parallel>` (P-31).
    Parallel,
    /// A transaction, which succeeds as a whole or is undone, `<transaction>` (P-32).
    Transaction,
    /// A name for a value, `<value name expr/>`.
    Value,
}

impl BlockTag {
    /// Returns the name in the tag: `if`, `then`, `else`, `foreach`, `parallel`, `transaction` or
    /// `value`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::If => "if",
            Self::Then => "then",
            Self::Else => "else",
            Self::ForEach => "foreach",
            Self::Parallel => "parallel",
            Self::Transaction => "transaction",
            Self::Value => "value",
        }
    }
}

impl Delimiter {
    /// Returns whether it is a tag of a control block.
    pub const fn is_block(self) -> bool {
        matches!(self, Self::Block(_) | Self::BlockEnd(_))
    }

    /// Returns whether it only ends something.
    pub(crate) const fn closes(self) -> bool {
        matches!(
            self,
            Self::ThinkEnd | Self::RespondEnd | Self::ResultsEnd | Self::Execute | Self::End
        )
    }
}

impl Dialect {
    /// Returns the first character of every delimiter, which is doubled to escape one (P-3).
    pub const fn first_char(self) -> &'static str {
        self.table().first
    }

    /// Returns every delimiter with its literal.
    pub fn delimiters(self) -> impl Iterator<Item = (Delimiter, &'static str)> {
        self.table().rules.iter().map(|rule| (rule.delimiter, rule.literal))
    }

    /// Returns the literal of a delimiter, or an empty string if the dialect does not have it.
    pub fn literal(self, delimiter: Delimiter) -> &'static str {
        let literal = self.delimiters().find(|(known, _)| *known == delimiter);
        literal.map_or("", |(_, literal)| literal)
    }
}
