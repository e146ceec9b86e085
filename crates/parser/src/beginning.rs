//! The beginning of the input: a byte-order mark (P-4), and a thought in the form of reasoning
//! models (P-38).
//!
//! This module knows the two tags around such a thought. It does not know the dialect's delimiters,
//! none of which counts before the thought is over. What follows it is read as if the input began
//! there.
//!
//! ```text
//! from      input                              to
//! Mark      a byte-order mark, or none         Blank, or Over if no thought may follow
//! Blank     white space                        Blank
//! Blank     <                                  Opening
//! Blank     another character                  Over, or Thought if one is open already
//! Opening   the rest of `<think>`              Thought
//! Opening   another character                  Over, or Thought if one is open already
//! Thought   `</think>`                         Over
//! ```

use memchr::memchr;
use silcrow_lex::{Delimiter, Dialect};

use crate::section_text::is_space;

/// A filter for the text before the first section.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Beginning {
    stage: BeginningStage,
    /// Whether a thought is open before the first character.
    pub(crate) in_thought: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BeginningStage {
    /// Before the first character.
    Mark,
    /// In white space.
    Blank,
    /// After this many bytes of the opening tag, which are pending.
    Opening(usize),
    /// In the thought, after this many bytes of the closing tag, which are pending.
    Thought(usize),
    /// After the beginning.
    Over,
}

/// A part of the input, and its meaning.
pub(crate) enum BeginningPart<'a> {
    /// The byte-order mark, a tag, or white space that is dropped: this many bytes.
    Dropped(usize),
    /// Text that is not part of the beginning.
    Plain(&'a str),
    /// The opening tag of this many bytes: a thought begins.
    ThoughtStart(usize),
    /// Text of the thought.
    Thought(&'a str),
    /// The closing tag of this many bytes: the thought ends.
    ThoughtEnd(usize),
}

impl Beginning {
    pub(crate) const fn new() -> Self {
        Self { stage: BeginningStage::Mark, in_thought: false }
    }

    pub(crate) fn is_over(&self) -> bool {
        self.stage == BeginningStage::Over
    }

    pub(crate) fn is_thought(&self) -> bool {
        matches!(self.stage, BeginningStage::Thought(_)) || self.in_thought && !self.is_over()
    }

    /// Returns the next part, and advances `input` past it. Returns `None` when the chunk is used
    /// up, or the beginning is over.
    pub(crate) fn next<'a>(
        &mut self,
        input: &mut &'a str,
        dialect: Dialect,
    ) -> Option<BeginningPart<'a>> {
        while !input.is_empty() {
            match self.stage {
                BeginningStage::Mark => {
                    let has_thought = self.in_thought || dialect != Dialect::Phase;
                    self.stage =
                        if has_thought { BeginningStage::Blank } else { BeginningStage::Over };
                    if let Some(rest) = input.strip_prefix(BYTE_ORDER_MARK) {
                        *input = rest;
                        return Some(BeginningPart::Dropped(BYTE_ORDER_MARK.len_utf8()));
                    }
                }
                BeginningStage::Blank => {
                    let (blanks, rest) =
                        input.split_at(input.len() - input.trim_start_matches(is_space).len());
                    if rest.starts_with('<') {
                        self.stage = BeginningStage::Opening(0);
                    } else if !rest.is_empty() {
                        self.stage = self.without_opening();
                    }
                    *input = rest;
                    if !blanks.is_empty() {
                        let dropped = BeginningPart::Dropped(blanks.len());
                        return Some(self.either(dropped, BeginningPart::Plain(blanks)));
                    }
                }
                BeginningStage::Opening(seen) => {
                    let seen = seen + agree(input, &opening()[seen..]);
                    self.stage = BeginningStage::Opening(seen);
                    if seen == opening().len() {
                        self.stage = BeginningStage::Thought(0);
                        let dropped = BeginningPart::Dropped(seen);
                        return Some(self.either(dropped, BeginningPart::ThoughtStart(seen)));
                    }
                    if !input.is_empty() {
                        if self.in_thought && seen == 1 {
                            // The closing tag begins with the same character.
                            self.stage = BeginningStage::Thought(seen);
                            continue;
                        }
                        return self.release();
                    }
                }
                BeginningStage::Thought(0) if !input.starts_with('<') => {
                    let end = memchr(b'<', input.as_bytes()).unwrap_or(input.len());
                    let (text, rest) = input.split_at(end);
                    *input = rest;
                    return Some(BeginningPart::Thought(text));
                }
                BeginningStage::Thought(seen) => {
                    let seen = seen + agree(input, &closing()[seen..]);
                    self.stage = BeginningStage::Thought(seen);
                    if seen == closing().len() {
                        self.stage = BeginningStage::Over;
                        return Some(BeginningPart::ThoughtEnd(seen));
                    }
                    if !input.is_empty() {
                        return self.release();
                    }
                }
                BeginningStage::Over => return None,
            }
        }
        None
    }

    /// Returns what is pending, which is not a tag; also at the end of the input.
    pub(crate) fn release(&mut self) -> Option<BeginningPart<'static>> {
        let (stage, pending) = match self.stage {
            BeginningStage::Opening(seen) => (self.without_opening(), &opening()[..seen]),
            BeginningStage::Thought(seen) => (BeginningStage::Thought(0), &closing()[..seen]),
            _ => return None,
        };
        let is_thought = matches!(stage, BeginningStage::Thought(_));
        self.stage = stage;
        (!pending.is_empty()).then_some(if is_thought {
            BeginningPart::Thought(pending)
        } else {
            BeginningPart::Plain(pending)
        })
    }

    /// Drops what is pending.
    pub(crate) fn drop_pending(&mut self) {
        self.stage = match self.stage {
            BeginningStage::Opening(_) => BeginningStage::Blank,
            BeginningStage::Thought(_) => BeginningStage::Thought(0),
            stage => stage,
        };
    }

    /// Returns the stage after an input that does not begin with the opening tag.
    fn without_opening(&self) -> BeginningStage {
        if self.in_thought { BeginningStage::Thought(0) } else { BeginningStage::Over }
    }

    /// Returns the first part if a thought is open before the input, and otherwise the second.
    fn either<'a>(
        &self,
        inside: BeginningPart<'a>,
        outside: BeginningPart<'a>,
    ) -> BeginningPart<'a> {
        if self.in_thought { inside } else { outside }
    }
}

/// Advances `input` past the bytes that agree with `tag`, and returns their number.
fn agree(input: &mut &str, tag: &str) -> usize {
    let len = input.bytes().zip(tag.bytes()).take_while(|(one, other)| one == other).count();
    *input = &input[len..];
    len
}

fn opening() -> &'static str {
    Dialect::Phase.literal(Delimiter::Think)
}

fn closing() -> &'static str {
    Dialect::Phase.literal(Delimiter::ThinkEnd)
}

/// The character that may precede a text, and is not part of it (P-4).
pub(crate) const BYTE_ORDER_MARK: char = '\u{feff}';
