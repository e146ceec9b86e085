//! The delimiters of each dialect, as data.
//!
//! A table says in which states each literal counts, and which state it opens. A new dialect is a
//! table here and a variant of [`Dialect`]; a new state is a row in `machine.rs`.

use crate::delimiter::{BlockTag, Delimiter};
use crate::dialect::Dialect;
use crate::find::find;
use crate::index::{RuleIndex, RuleSet};
use crate::machine::{State, StateSet};

/// A dialect as data.
pub(crate) struct DialectTable {
    /// The first character of every literal except `-->`. It occurs nowhere else in any of them, so
    /// pending text is never searched again after a mismatch.
    pub(crate) first: &'static str,
    /// Whether delimiters need a line's start (P-2), unless the lexer is inline.
    pub(crate) at_line_start: bool,
    /// The state after a complete item of a call's body.
    pub(crate) after_item: State,
    /// The state of the text after a complete body that is not a list, from the first character on
    /// that is not a separator.
    pub(crate) after_separators: State,
    pub(crate) rules: &'static [DelimiterRule],
    /// The index of the rules, which is derived from them.
    pub(crate) index: RuleIndex,
}

/// One literal of a dialect: the transition from the states in which it counts.
pub(crate) struct DelimiterRule {
    /// The delimiter; for a tag that may have attributes, the tag without any.
    pub(crate) literal: &'static str,
    pub(crate) delimiter: Delimiter,
    pub(crate) counts_in: StateSet,
    /// The states in which it counts only at a line's start, even if the dialect does not need one.
    pub(crate) at_line_start_in: StateSet,
    /// The state after it; `None` for the state before the body.
    pub(crate) opens: Option<State>,
    pub(crate) boundary: Boundary,
}

/// The text that must follow a literal, so that it is a delimiter.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Boundary {
    /// Anything.
    None,
    /// A byte that does not continue a word: `§endpoint` is not `§end` (P-11).
    Word,
    /// White space or `>` after the name of a tag: `<actions>` is not `<action>` (P-19).
    Name,
    /// The same, or the `/` of a tag without content, as in `<else/>`.
    BlockName,
}

impl DialectTable {
    const fn indexed(self) -> Self {
        Self { index: RuleIndex::new(self.first, self.at_line_start, self.rules), ..self }
    }

    /// Returns whether a body is a list of items.
    #[inline]
    pub(crate) const fn has_list(&self) -> bool {
        matches!(self.after_item, State::Between)
    }

    /// Returns the first rule of a set.
    #[inline]
    pub(crate) fn rule(&self, rules: RuleSet) -> &'static DelimiterRule {
        &self.rules[rules.trailing_zeros() as usize]
    }
}

impl DelimiterRule {
    /// Returns the part that is recognised, and is pending until its boundary: for a tag that may
    /// have attributes, `<` and the name.
    pub(crate) const fn stem(&self) -> &'static str {
        match self.boundary {
            Boundary::None | Boundary::Word => self.literal,
            Boundary::Name | Boundary::BlockName => self.literal.split_at(self.literal.len() - 1).0,
        }
    }

    /// Returns whether `next` is a boundary after the whole stem.
    #[inline]
    pub(crate) const fn ends_before(&self, next: u8) -> bool {
        match self.boundary {
            Boundary::None => true,
            Boundary::Word => !(next.is_ascii_alphanumeric() || next == b'_'),
            Boundary::Name => matches!(next, b' ' | b'\t' | b'\r' | b'\n' | b'>'),
            Boundary::BlockName => matches!(next, b' ' | b'\t' | b'\r' | b'\n' | b'>' | b'/'),
        }
    }
}

impl Dialect {
    pub(crate) const fn table(self) -> &'static DialectTable {
        match self {
            Self::Sigil => &SIGIL,
            Self::Phase => &PHASE,
            Self::Action => &ACTION,
        }
    }

    /// Returns the position of the next first character of a delimiter.
    #[inline]
    pub(crate) fn find_first(self, bytes: &[u8]) -> Option<usize> {
        match self {
            Self::Sigil => find(SIGN, bytes),
            Self::Phase | Self::Action => find(ANGLE, bytes),
        }
    }

    /// Returns the first byte of its delimiters.
    pub(crate) const fn first_byte(self) -> u8 {
        match self {
            Self::Sigil => SIGN[0],
            Self::Phase | Self::Action => ANGLE[0],
        }
    }

    /// Returns the bytes after the first character of a delimiter, if `bytes` begin with it.
    #[inline]
    pub(crate) fn strip_first(self, bytes: &[u8]) -> Option<&[u8]> {
        match self {
            Self::Sigil => bytes.strip_prefix(&SIGN),
            Self::Phase | Self::Action => bytes.strip_prefix(&ANGLE),
        }
    }
}

const fn rule(
    literal: &'static str,
    delimiter: Delimiter,
    counts_in: StateSet,
    opens: State,
) -> DelimiterRule {
    DelimiterRule {
        literal,
        delimiter,
        counts_in,
        at_line_start_in: StateSet::NONE,
        opens: Some(opens),
        boundary: Boundary::None,
    }
}

const fn section(literal: &'static str, delimiter: Delimiter, opens: State) -> DelimiterRule {
    rule(literal, delimiter, StateSet::TEXT.union(StateSet::BODY), opens)
}

const fn control(literal: &'static str, delimiter: Delimiter, opens: State) -> DelimiterRule {
    DelimiterRule { boundary: Boundary::Word, ..section(literal, delimiter, opens) }
}

/// A tag that may have attributes.
const fn tag(
    literal: &'static str,
    delimiter: Delimiter,
    counts_in: StateSet,
    opens: State,
) -> DelimiterRule {
    DelimiterRule { boundary: Boundary::Name, ..rule(literal, delimiter, counts_in, opens) }
}

/// A tag of a control block, which is outside of sections.
const fn block(literal: &'static str, delimiter: Delimiter) -> DelimiterRule {
    DelimiterRule { boundary: Boundary::BlockName, ..rule(literal, delimiter, TEXT, State::Text) }
}

const TEXT: StateSet = StateSet::TEXT;
const THINK: StateSet = StateSet::THINK;
const TEXT_OR_THINK: StateSet = TEXT.union(THINK);

/// The dialect `sigil` (P-11).
static SIGIL: DialectTable = DialectTable {
    first: "§",
    at_line_start: true,
    after_item: State::AfterBody,
    after_separators: State::Text,
    rules: &[
        section("§think:", Delimiter::Think, State::Text),
        section("§call:", Delimiter::Call, State::Opening),
        section("§respond:", Delimiter::Respond, State::Text),
        section("§result:", Delimiter::Results, State::Text),
        control("§execute", Delimiter::Execute, State::Text),
        control("§end", Delimiter::End, State::Done),
    ],
    index: RuleIndex::EMPTY,
}
.indexed();

/// The dialect `phase` (P-16).
static PHASE: DialectTable = DialectTable {
    first: "<",
    at_line_start: false,
    after_item: State::Between,
    after_separators: State::Stray,
    rules: &[
        rule("<think>", Delimiter::Think, TEXT, State::Think),
        rule("</think>", Delimiter::ThinkEnd, THINK, State::Text),
        rule("<execute>", Delimiter::Calls, TEXT, State::Opening),
        rule("</execute>", Delimiter::Execute, StateSet::BODY, State::Text),
        rule("<results>", Delimiter::Results, TEXT, State::Results),
        rule("</results>", Delimiter::ResultsEnd, StateSet::RESULTS, State::Text),
        rule("<end>", Delimiter::End, TEXT, State::Done),
    ],
    index: RuleIndex::EMPTY,
}
.indexed();

/// The dialect `action` (P-10, P-19, P-21, P-29 to P-31).
static ACTION: DialectTable = DialectTable {
    first: "<",
    at_line_start: false,
    after_item: State::AfterBody,
    after_separators: State::Trailing,
    rules: &[
        rule("<thought>", Delimiter::Think, TEXT, State::Think),
        rule("</thought>", Delimiter::ThinkEnd, THINK, State::Text),
        tag("<action>", Delimiter::Call, TEXT_OR_THINK, State::Opening),
        DelimiterRule {
            opens: None,
            ..rule("</action>", Delimiter::CallEnd, StateSet::BODY, State::Text)
        },
        // In a thought it also closes the thought, which the model forgot to close.
        DelimiterRule {
            at_line_start_in: THINK,
            ..tag("<response>", Delimiter::Respond, TEXT_OR_THINK, State::Respond)
        },
        rule("</response>", Delimiter::RespondEnd, StateSet::RESPOND, State::Text),
        rule("<results>", Delimiter::Results, TEXT, State::Results),
        rule("</results>", Delimiter::ResultsEnd, StateSet::RESULTS, State::Text),
        rule("<!--", Delimiter::Comment, TEXT, State::Comment),
        rule("-->", Delimiter::CommentEnd, StateSet::COMMENT, State::Text),
        block("<if>", Delimiter::Block(BlockTag::If)),
        block("</if>", Delimiter::BlockEnd(BlockTag::If)),
        block("<then>", Delimiter::Block(BlockTag::Then)),
        block("</then>", Delimiter::BlockEnd(BlockTag::Then)),
        block("<else>", Delimiter::Block(BlockTag::Else)),
        block("</else>", Delimiter::BlockEnd(BlockTag::Else)),
        block("<foreach>", Delimiter::Block(BlockTag::ForEach)),
        block("</foreach>", Delimiter::BlockEnd(BlockTag::ForEach)),
        block("<parallel>", Delimiter::Block(BlockTag::Parallel)),
        block("</parallel>", Delimiter::BlockEnd(BlockTag::Parallel)),
        block("<transaction>", Delimiter::Block(BlockTag::Transaction)),
        block("</transaction>", Delimiter::BlockEnd(BlockTag::Transaction)),
        block("<value>", Delimiter::Block(BlockTag::Value)),
        block("</value>", Delimiter::BlockEnd(BlockTag::Value)),
    ],
    index: RuleIndex::EMPTY,
}
.indexed();

const SIGN: [u8; 2] = [SIGIL.first.as_bytes()[0], SIGIL.first.as_bytes()[1]];
const ANGLE: [u8; 1] = [PHASE.first.as_bytes()[0]];

/// Checks the assumptions of the lexer at compile time.
const _: () = {
    let tables = [&SIGIL, &PHASE, &ACTION];
    assert!(begins_with(ACTION.first, PHASE.first), "tags begin alike");
    let mut t = 0;
    while t < tables.len() {
        let first = tables[t].first.as_bytes();
        let mut r = 0;
        while r < tables[t].rules.len() {
            let rule = &tables[t].rules[r];
            let literal = rule.literal.as_bytes();
            let pending = match rule.boundary {
                Boundary::None if rule.delimiter.closes() => literal.len(),
                Boundary::None | Boundary::Name | Boundary::BlockName => literal.len() - 1,
                Boundary::Word => literal.len(),
            };
            assert!(pending <= 13, "at most 13 bytes are ever pending");
            let mut other = 0;
            while other < tables[t].rules.len() {
                let begins = begins_with(rule.stem(), tables[t].rules[other].stem());
                assert!(other == r || !begins, "no stem is a prefix of another");
                other += 1;
            }
            let mut i = 0;
            // The end of a comment has a separate search.
            while i < literal.len() && !rule.counts_in.contains(State::Comment) {
                if i < first.len() {
                    assert!(
                        literal[i] == first[i],
                        "every literal begins with the first character"
                    );
                } else {
                    assert!(literal[i] != first[0], "the first character occurs nowhere else");
                }
                i += 1;
            }
            r += 1;
        }
        t += 1;
    }
};

const fn begins_with(text: &str, prefix: &str) -> bool {
    let (text, prefix) = (text.as_bytes(), prefix.as_bytes());
    let mut at = 0;
    while at < prefix.len() && at < text.len() && text[at] == prefix[at] {
        at += 1;
    }
    at == prefix.len()
}
