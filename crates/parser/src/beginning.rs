//! The beginning of the input: a byte-order mark (P-4), and a thought in the form of reasoning
//! models (P-38).
//!
//! This module finds the tags around such a thought. The dialect's delimiters do not count before
//! the thought is over. The rest of the input is read as if it began there.
//!
//! ```text
//! from      input                              to
//! Mark      a byte-order mark, or none         Blank
//! Blank     white space                        Blank
//! Blank     `<` or `[`                         Opening
//! Blank     another character                  Plain or Over, or Thought if one is open already
//! Opening   the rest of an opening tag         Thought
//! Opening   another character                  Plain or Over, or Thought if one is open already
//! Thought   its closing tag                    Over
//! Plain     an opening tag                     Over
//! Plain     a closing tag                      Over, if the parser says that it counts
//! Plain     a delimiter, as the parser says    Over
//! ```

use silcrow_lex::Dialect;

use crate::reasoning_tag::{ReasoningTag, TagMatch, begins_tag, find_tag};
use crate::section_text::is_space;

/// A filter for the text before the first section.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Beginning {
    stage: BeginningStage,
    /// Whether a thought is open before the first character.
    pub(crate) in_thought: bool,
    /// Whether the tags of every model count, and a closing tag without its opening one.
    pub(crate) reads_all_tags: bool,
    /// The last character of text without a delimiter.
    last: char,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BeginningStage {
    /// Before the first character.
    Mark,
    /// In white space.
    Blank,
    /// After a part of an opening tag, which is pending.
    Opening(TagMatch),
    /// In the thought, after a part of a closing tag, which is pending. After an opening tag, only
    /// its own closing tag closes the thought.
    Thought(Option<ReasoningTag>, TagMatch),
    /// In text without a delimiter, after a part of a tag, which is pending.
    Plain(TagMatch),
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
    /// A closing tag in text without a delimiter. If it counts, the text before it is a thought.
    Unopened(&'static str),
}

impl Beginning {
    pub(crate) const fn new() -> Self {
        Self { stage: BeginningStage::Mark, in_thought: false, reads_all_tags: false, last: '\n' }
    }

    pub(crate) fn is_over(&self) -> bool {
        self.stage == BeginningStage::Over
    }

    pub(crate) fn is_thought(&self) -> bool {
        match self.stage {
            BeginningStage::Thought(..) => true,
            BeginningStage::Plain(_) | BeginningStage::Over => false,
            _ => self.in_thought,
        }
    }

    /// Ends the beginning: a delimiter has come, or the closing tag of a thought.
    pub(crate) const fn end(&mut self) {
        self.stage = BeginningStage::Over;
    }

    /// Returns the next part, and advances `input` past it. Returns `None` at the end of the chunk,
    /// or when the beginning is over.
    pub(crate) fn next<'a>(
        &mut self,
        input: &mut &'a str,
        dialect: Dialect,
    ) -> Option<BeginningPart<'a>> {
        while !input.is_empty() {
            match self.stage {
                BeginningStage::Mark => {
                    let has_thought =
                        self.in_thought || self.reads_all_tags || dialect != Dialect::Phase;
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
                    if begins_tag(rest) {
                        self.stage = BeginningStage::Opening(TagMatch::NONE);
                    } else if !rest.is_empty() {
                        self.stage = self.after_opening(TagMatch::NONE);
                    }
                    *input = rest;
                    if !blanks.is_empty() {
                        let dropped = BeginningPart::Dropped(blanks.len());
                        return Some(self.either(dropped, BeginningPart::Plain(blanks)));
                    }
                }
                BeginningStage::Opening(mut found) => {
                    // `phase` has a different tag, in whose thought fences count.
                    let has_own = dialect == Dialect::Phase && !self.in_thought;
                    let counts = |tag: ReasoningTag| match tag.is_think() {
                        true => !has_own,
                        false => self.reads_all_tags,
                    };
                    found.advance(input, |tag| !tag.is_closing() && counts(tag));
                    self.stage = BeginningStage::Opening(found);
                    if found.is_whole() {
                        let opening = (!self.in_thought).then_some(found.tag);
                        self.stage = BeginningStage::Thought(opening, TagMatch::NONE);
                        let dropped = BeginningPart::Dropped(found.seen);
                        return Some(self.either(dropped, BeginningPart::ThoughtStart(found.seen)));
                    }
                    if !input.is_empty()
                        && let Some(part) = self.release()
                    {
                        return Some(part);
                    }
                }
                BeginningStage::Thought(opening, mut found) => {
                    if found.seen > 0 || begins_tag(input) {
                        found.advance(input, |tag| match opening {
                            Some(opening) => tag.closes(opening),
                            None => tag.is_closing() && (self.reads_all_tags || tag.is_think()),
                        });
                    }
                    self.stage = BeginningStage::Thought(opening, found);
                    if found.seen == 0 {
                        return Some(BeginningPart::Thought(before_tag(input)));
                    }
                    if found.is_whole() {
                        self.end();
                        return Some(BeginningPart::ThoughtEnd(found.seen));
                    }
                    if !input.is_empty() {
                        return self.release();
                    }
                }
                BeginningStage::Plain(mut found) => {
                    if found.seen > 0 || begins_tag(input) {
                        found.advance(input, |_| true);
                    }
                    self.stage = BeginningStage::Plain(found);
                    if found.seen == 0 {
                        let text = before_tag(input);
                        self.last = text.chars().next_back().unwrap_or(self.last);
                        return Some(BeginningPart::Plain(text));
                    }
                    if found.is_whole() {
                        self.stage = BeginningStage::Plain(TagMatch::NONE);
                        let is_mentioned =
                            MENTIONS.contains(&std::mem::replace(&mut self.last, '>'));
                        return Some(match (is_mentioned, found.tag.is_closing()) {
                            (false, true) => BeginningPart::Unopened(found.text()),
                            (false, false) => {
                                self.end();
                                BeginningPart::Plain(found.text())
                            }
                            (true, _) => BeginningPart::Plain(found.text()),
                        });
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

    /// Returns the pending text, which is not a tag, even at the end of the input.
    pub(crate) fn release(&mut self) -> Option<BeginningPart<'static>> {
        let (stage, pending) = match self.stage {
            BeginningStage::Opening(found) => {
                let mut pending = found.text();
                // A closing tag may begin with the same characters.
                let mut closing = TagMatch::NONE;
                closing.advance(&mut pending, ReasoningTag::is_closing);
                let is_plain = !self.in_thought && !self.reads_all_tags;
                match pending.is_empty() && !is_plain {
                    true => (self.after_opening(closing), ""),
                    false => (self.after_opening(TagMatch::NONE), found.text()),
                }
            }
            BeginningStage::Thought(opening, found) => {
                (BeginningStage::Thought(opening, TagMatch::NONE), found.text())
            }
            BeginningStage::Plain(found) => (BeginningStage::Plain(TagMatch::NONE), found.text()),
            _ => return None,
        };
        self.stage = stage;
        self.last = pending.chars().next_back().unwrap_or(self.last);
        let is_thought = matches!(stage, BeginningStage::Thought(..));
        (!pending.is_empty()).then_some(if is_thought {
            BeginningPart::Thought(pending)
        } else {
            BeginningPart::Plain(pending)
        })
    }

    /// Drops the pending text.
    pub(crate) fn drop_pending(&mut self) {
        self.stage = match self.stage {
            BeginningStage::Opening(_) => BeginningStage::Blank,
            BeginningStage::Thought(opening, _) => BeginningStage::Thought(opening, TagMatch::NONE),
            BeginningStage::Plain(_) => BeginningStage::Plain(TagMatch::NONE),
            stage => stage,
        };
    }

    /// Returns the stage after an input that does not begin with an opening tag, but perhaps with a
    /// part of a closing one.
    const fn after_opening(&self, closing: TagMatch) -> BeginningStage {
        match self.in_thought {
            true => BeginningStage::Thought(None, closing),
            false if self.reads_all_tags => BeginningStage::Plain(closing),
            false => BeginningStage::Over,
        }
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

/// Advances `input` to the next place after its first character where a tag may begin, and returns
/// the text before it.
fn before_tag<'a>(input: &mut &'a str) -> &'a str {
    let first = input.chars().next().map_or(0, char::len_utf8);
    let end = find_tag(&input[first..]).map_or(input.len(), |at| first + at);
    let (text, rest) = input.split_at(end);
    *input = rest;
    text
}

/// The characters after which a tag is only mentioned.
const MENTIONS: [char; 8] = ['`', '"', '\'', '<', '“', '„', '«', '‘'];

/// The character that may precede a text, and is not part of it (P-4).
pub(crate) const BYTE_ORDER_MARK: char = '\u{feff}';
