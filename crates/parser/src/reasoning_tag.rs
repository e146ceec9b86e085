//! The tags that models were trained to write around their reasoning (P-38).
//!
//! This module matches tags byte by byte, with a state of two numbers. It does not know where a tag
//! counts.

/// A tag that is being matched: the first of those that agree with what was read, and how much that is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TagMatch {
    pub(crate) tag: ReasoningTag,
    pub(crate) seen: usize,
}

/// A tag, by its place in the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ReasoningTag(usize);

impl TagMatch {
    /// The state before the first byte.
    pub(crate) const NONE: Self = Self { tag: ReasoningTag(0), seen: 0 };

    /// Returns the text that was read.
    pub(crate) fn text(self) -> &'static str {
        &self.tag.text()[..self.seen]
    }

    /// Returns whether the tag is complete.
    pub(crate) fn is_whole(self) -> bool {
        self.seen == self.tag.text().len()
    }

    /// Advances `input` past what belongs to a tag that `allowed` accepts, up to its end.
    pub(crate) fn advance(&mut self, input: &mut &str, allowed: impl Fn(ReasoningTag) -> bool) {
        while let Some(&byte) = input.as_bytes().first() {
            let read = self.text().as_bytes();
            if self.is_whole() {
                return;
            }
            let mut others = (self.tag.0..TAGS.len()).map(ReasoningTag);
            let next = others.find(|tag| {
                let text = tag.text().as_bytes();
                allowed(*tag) && text.starts_with(read) && text.get(self.seen) == Some(&byte)
            });
            let Some(tag) = next else { return };
            // Tags are ASCII, so each of their bytes is a character.
            (*self, *input) = (Self { tag, seen: self.seen + 1 }, &input[1..]);
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

    /// Returns whether this closes what the other one opens.
    pub(crate) const fn closes(self, opening: Self) -> bool {
        self.0 == opening.0 + KINDS
    }

    /// Returns whether it is `<think>` or `</think>`.
    pub(crate) const fn is_think(self) -> bool {
        self.0.is_multiple_of(KINDS)
    }
}

/// Returns whether a character may begin a tag.
pub(crate) const fn begins_tag(byte: u8) -> bool {
    matches!(byte, b'<' | b'[')
}

/// The number of kinds.
const KINDS: usize = 9;

/// The opening tags, and then the closing ones in the same order. All are ASCII, and none is the
/// beginning of another.
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
    "</think>",
    "</thinking>",
    "</reasoning>",
    "</seed:think>",
    "</mm:think>",
    "[/THINK]",
    "<channel|>",
    "<|END_THINKING|>",
    "<|inner_suffix|>",
];
