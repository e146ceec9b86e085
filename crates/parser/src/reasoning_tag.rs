//! The tags that models were trained to write around their reasoning (P-38).
//!
//! This module matches tags character by character, with a state of two numbers. Its callers know
//! where a tag counts.

use memchr::memchr3;

/// A tag that is being matched: the first one that agrees with the text so far, and the number of
/// matched bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TagMatch {
    pub(crate) tag: ReasoningTag,
    pub(crate) seen: usize,
}

/// A tag, by its place in the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ReasoningTag(usize);

impl TagMatch {
    /// The state before the first character.
    pub(crate) const NONE: Self = Self { tag: ReasoningTag(0), seen: 0 };

    /// Returns the text that was read.
    pub(crate) fn text(self) -> &'static str {
        &self.tag.text()[..self.seen]
    }

    /// Returns whether the tag is complete.
    pub(crate) fn is_whole(self) -> bool {
        self.seen == self.tag.text().len()
    }

    /// Advances `input` past the part of a tag that `allowed` accepts, up to its end.
    pub(crate) fn advance(&mut self, input: &mut &str, allowed: impl Fn(ReasoningTag) -> bool) {
        while let Some(char) = input.chars().next() {
            let read = self.text();
            if self.is_whole() {
                return;
            }
            let mut others = (self.tag.0..TAGS.len()).map(ReasoningTag);
            let next = others.find(|tag| {
                let rest = tag.text().strip_prefix(read);
                allowed(*tag) && rest.is_some_and(|rest| rest.starts_with(char))
            });
            let Some(tag) = next else { return };
            let seen = self.seen + char.len_utf8();
            (*self, *input) = (Self { tag, seen }, &input[char.len_utf8()..]);
        }
    }
}

impl ReasoningTag {
    fn text(self) -> &'static str {
        TAGS[self.0]
    }

    pub(crate) const fn is_closing(self) -> bool {
        self.0 >= KINDS
    }

    /// Returns whether this tag closes the other one.
    pub(crate) const fn closes(self, opening: Self) -> bool {
        self.0 == opening.0 + KINDS
    }

    /// Returns whether it is `<think>` or `</think>`.
    pub(crate) const fn is_think(self) -> bool {
        self.0.is_multiple_of(KINDS)
    }
}

/// Returns whether a tag may begin here.
pub(crate) fn begins_tag(text: &str) -> bool {
    text.starts_with(FIRST)
}

/// Returns the position of the first place where a tag may begin.
pub(crate) fn find_tag(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut from = 0;
    loop {
        let at = from + memchr3(b'<', b'[', TRIANGLE, &bytes[from..])?;
        if bytes[at] != TRIANGLE || begins_tag(&text[at..]) {
            return Some(at);
        }
        // Quotation marks and dashes begin with the same byte.
        from = at + 1;
    }
}

/// The characters that begin tags.
const FIRST: [char; 3] = ['<', '[', '◁'];

/// The first byte of the last of them.
const TRIANGLE: u8 = "◁".as_bytes()[0];

/// The number of kinds.
const KINDS: usize = 10;

/// The opening tags, and then the closing ones in the same order. None is a prefix of another.
const TAGS: [&str; 2 * KINDS] = [
    "<think>",
    "<thinking>",
    "<reasoning>",
    "<seed:think>",
    "<mm:think>",
    "[THINK]",
    "<|channel>thought",
    "<|START_THINKING|>",
    "<|inner_prefix|>",
    "◁think▷",
    "</think>",
    "</thinking>",
    "</reasoning>",
    "</seed:think>",
    "</mm:think>",
    "[/THINK]",
    "<channel|>",
    "<|END_THINKING|>",
    "<|inner_suffix|>",
    "◁/think▷",
];
