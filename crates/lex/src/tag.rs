//! Tags with attributes (P-19): a machine within the state `Tag`.
//!
//! Attributes are followed, not parsed. If a character fits no transition, if it is another `<`, or
//! if the tag is too long, all of it is text.
//!
//! ```text
//! from             character        to
//! Between          word             Name
//! Name             space            AfterName
//! Name AfterName   `=`              BeforeValue
//! BeforeValue      word             Word
//! BeforeValue      `"`              DoubleQuoted
//! BeforeValue      `'`              SingleQuoted
//! BeforeValue      `[`              Array
//! Word             space            Between
//! DoubleQuoted     `"`              Between
//! SingleQuoted     `'`              Between
//! Array            the last `]`     Between
//! Array            `"`              ArrayString
//! ArrayString      `\`              ArrayEscape
//! ArrayEscape      any              ArrayString
//! ArrayString      `"`              Array
//! Between Word     `>`              the end of the tag
//! ```
//!
//! The tag of a control block holds expressions, so a `<` in quotes belongs to it, and a line break in
//! quotes does not. It may end with `/>`:
//!
//! ```text
//! Between Word     `/`              Slash
//! Slash            `>`              the end of the tag
//! ```

use crate::index::RuleSet;
use crate::lexer::Lexer;
use crate::machine::State;
use crate::token::{TagEnd, Token};

/// The maximal length of a tag in bytes, from its `<` to its `>` (P-19).
pub const MAX_TAG: usize = 1 << 10;

/// The progress within a tag.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TagProgress {
    /// The number of its rule.
    rule: u8,
    /// Whether another first character precedes it, which makes it an escaped tag (P-3).
    pub(crate) doubled: bool,
    /// The number of bytes so far.
    len: u16,
    state: AttributeState,
    /// The number of open brackets of an array.
    depth: u16,
    /// Whether it is the tag of a control block.
    is_block: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AttributeState {
    /// White space, an attribute, or the end.
    Between,
    Name,
    /// White space or `=`.
    AfterName,
    /// White space or a value.
    BeforeValue,
    /// A bare word.
    Word,
    DoubleQuoted,
    SingleQuoted,
    /// A bare JSON array.
    Array,
    /// A string in an array.
    ArrayString,
    /// After a backslash in a string in an array.
    ArrayEscape,
    /// After the `/` of a tag without content.
    Slash,
}

/// The token that a character of a tag belongs to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TagPiece {
    Name,
    Value,
    Glue,
}

impl TagProgress {
    pub(crate) const START: Self = Self {
        rule: 0,
        doubled: false,
        len: 0,
        state: AttributeState::Between,
        depth: 0,
        is_block: false,
    };

    /// Returns the token that the next character belongs to, and the progress after it; `None` if
    /// it ends the tag or disproves it. Another `<` disproves it, even in quotes, except in the
    /// quotes of a control block.
    fn step(self, next: char) -> Option<(TagPiece, Self)> {
        let len = self.len + next.len_utf8() as u16;
        let is_quoted =
            matches!(self.state, AttributeState::DoubleQuoted | AttributeState::SingleQuoted);
        let disproves = match next {
            '<' => !(self.is_block && is_quoted),
            '\n' => self.is_block && is_quoted,
            _ => false,
        };
        if disproves || usize::from(len) > MAX_TAG {
            return None;
        }
        let mut depth = self.depth;
        let (piece, state) = match (self.state, next) {
            (AttributeState::DoubleQuoted, '"') | (AttributeState::SingleQuoted, '\'') => {
                (TagPiece::Glue, AttributeState::Between)
            }
            (AttributeState::DoubleQuoted | AttributeState::SingleQuoted, _) => {
                (TagPiece::Value, self.state)
            }
            (AttributeState::ArrayEscape, _) | (AttributeState::Array, '"') => {
                (TagPiece::Value, AttributeState::ArrayString)
            }
            (AttributeState::ArrayString, '"') => (TagPiece::Value, AttributeState::Array),
            (AttributeState::ArrayString, '\\') => (TagPiece::Value, AttributeState::ArrayEscape),
            (AttributeState::ArrayString, _) => (TagPiece::Value, AttributeState::ArrayString),
            (AttributeState::Array | AttributeState::BeforeValue, '[') => {
                depth += 1;
                (TagPiece::Value, AttributeState::Array)
            }
            (AttributeState::Array, ']') => {
                depth -= 1;
                (
                    TagPiece::Value,
                    if depth == 0 { AttributeState::Between } else { AttributeState::Array },
                )
            }
            (AttributeState::Array, _) => (TagPiece::Value, AttributeState::Array),
            (AttributeState::Between | AttributeState::Word, _) if is_space(next) => {
                (TagPiece::Glue, AttributeState::Between)
            }
            (AttributeState::Name | AttributeState::AfterName, _) if is_space(next) => {
                (TagPiece::Glue, AttributeState::AfterName)
            }
            (AttributeState::Name | AttributeState::AfterName, '=') => {
                (TagPiece::Glue, AttributeState::BeforeValue)
            }
            (AttributeState::BeforeValue, _) if is_space(next) => {
                (TagPiece::Glue, AttributeState::BeforeValue)
            }
            (AttributeState::BeforeValue, '"') => (TagPiece::Glue, AttributeState::DoubleQuoted),
            (AttributeState::BeforeValue, '\'') => (TagPiece::Glue, AttributeState::SingleQuoted),
            (AttributeState::Between | AttributeState::Name, _) if is_word(next) => {
                (TagPiece::Name, AttributeState::Name)
            }
            (AttributeState::BeforeValue | AttributeState::Word, _) if is_word(next) => {
                (TagPiece::Value, AttributeState::Word)
            }
            (AttributeState::Between | AttributeState::Word, '/') if self.is_block => {
                (TagPiece::Glue, AttributeState::Slash)
            }
            _ => return None,
        };
        Some((piece, Self { len, state, depth, ..self }))
    }

    /// Skips bytes that continue a name or a value, as `step` would, and returns their number.
    fn skip(&mut self, bytes: &[u8]) -> usize {
        let continues = |byte: u8| match self.state {
            AttributeState::Name | AttributeState::Word => is_word(char::from(byte)),
            AttributeState::DoubleQuoted => !matches!(byte, b'"' | b'<' | b'\n'),
            AttributeState::SingleQuoted => !matches!(byte, b'\'' | b'<' | b'\n'),
            AttributeState::ArrayString => !matches!(byte, b'"' | b'\\' | b'<'),
            _ => false,
        };
        let room = MAX_TAG - usize::from(self.len);
        let skipped =
            bytes.iter().take(room).take_while(|byte| byte.is_ascii() && continues(**byte));
        let skipped = skipped.count();
        self.len += skipped as u16;
        skipped
    }

    /// Returns whether `>` as the next character ends the tag.
    fn may_end(self) -> bool {
        use AttributeState::{Between, Slash, Word};
        matches!(self.state, Between | Word | Slash) && usize::from(self.len) < MAX_TAG
    }
}

impl Lexer {
    /// Emits a tag's name and enters its attributes.
    pub(crate) fn begin_tag(&mut self, rules: RuleSet, doubled: bool) -> Token<'static> {
        let rule = self.table().rule(rules);
        let (name, number) = (rule.stem(), rules.trailing_zeros() as u8);
        let (len, is_block) = (name.len() as u16, rule.delimiter.is_block());
        self.tag = TagProgress { rule: number, doubled, len, is_block, ..TagProgress::START };
        self.before = self.state;
        self.state = State::Tag;
        Token::Tag(rule.delimiter, name)
    }

    /// Returns the next token of a tag, after its name.
    #[cold]
    pub(crate) fn tag<'a>(&mut self, input: &mut &'a str) -> Option<Token<'a>> {
        let mut run = None;
        let mut end = 0;
        while let Some(next) = input[end..].chars().next()
            && let Some((piece, tag)) = self.tag.step(next)
            && *run.get_or_insert(piece) == piece
        {
            self.tag = tag;
            end += next.len_utf8();
            if piece != TagPiece::Glue {
                end += self.tag.skip(&input.as_bytes()[end..]);
            }
        }
        let Some(piece) = run else { return Some(self.decide_tag(input)) };
        let (text, rest) = input.split_at(end);
        *input = rest;
        self.pass(text);
        Some(match piece {
            TagPiece::Name => Token::Name(text),
            TagPiece::Value => Token::Value(text),
            TagPiece::Glue => Token::Glue(text),
        })
    }

    /// Ends the tag, before the next character or with it.
    fn decide_tag(&mut self, input: &mut &str) -> Token<'static> {
        if !(input.starts_with('>') && self.tag.may_end()) {
            return self.end_tag(TagEnd::Malformed);
        }
        if self.tag.doubled {
            return self.end_tag(TagEnd::Escaped);
        }
        *input = &input[1..];
        let rule = &self.table().rules[usize::from(self.tag.rule)];
        self.state = self.before;
        self.enter(rule);
        Token::Delimiter(rule.delimiter, ">")
    }

    /// Ends a text that is not a tag. The state before it continues.
    pub(crate) fn end_tag(&mut self, end: TagEnd) -> Token<'static> {
        self.state = self.before;
        Token::TagEnd(end)
    }
}

fn is_space(char: char) -> bool {
    matches!(char, ' ' | '\t' | '\r' | '\n')
}

fn is_word(char: char) -> bool {
    char.is_ascii_alphanumeric() || matches!(char, '_' | '.' | '-')
}
