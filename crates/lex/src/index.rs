//! An index of a dialect's rules, with which all of them are compared with the text at once.
//!
//! An index answers which rules agree with some bytes.

use crate::machine::{STATES, State, StateSet};
use crate::table::DelimiterRule;

/// A set of rules of one dialect: a bit for each, by its position.
pub(crate) type RuleSet = u32;

/// The rules of a dialect, indexed by byte and by state.
pub(crate) struct RuleIndex {
    /// The rules whose stem has a byte at an offset. Offsets begin after the first character.
    agree: [[RuleSet; 128]; OFFSETS],
    /// The rules whose stem ends at an offset.
    whole: [RuleSet; OFFSETS + 1],
    /// The rules that count in a state, by [`RuleIndex::place`].
    counting: [[RuleSet; 4]; STATES.len()],
    /// The rules whose delimiter ends something (P-39).
    pub(crate) closing: RuleSet,
}

/// The length of the longest stem, `</transaction>`, after its first character.
const OFFSETS: usize = 13;

impl RuleIndex {
    pub(crate) const EMPTY: Self = Self {
        agree: [[0; 128]; OFFSETS],
        whole: [0; OFFSETS + 1],
        counting: [[0; 4]; STATES.len()],
        closing: 0,
    };

    /// Indexes the rules of a dialect. Its delimiters begin with `first`.
    pub(crate) const fn new(first: &str, at_line_start: bool, rules: &[DelimiterRule]) -> Self {
        let mut index = Self::EMPTY;
        let mut nth = 0;
        while nth < rules.len() {
            let rule = &rules[nth];
            let stem = rule.stem().as_bytes();
            let mut at = first.len();
            while at < stem.len() {
                index.agree[at - first.len()][stem[at] as usize] |= 1 << nth;
                at += 1;
            }
            index.whole[at - first.len()] |= 1 << nth;
            if rule.delimiter.closes() {
                index.closing |= 1 << nth;
            }
            let mut inline = 0;
            while inline < 2 {
                let bound = line_start_states(rule, at_line_start, inline == 1);
                let mut state = 0;
                while state < STATES.len() {
                    if rule.counts_in.contains(STATES[state]) {
                        let row = &mut index.counting[state];
                        row[Self::place(true, inline == 1)] |= 1 << nth;
                        if !bound.contains(STATES[state]) {
                            row[Self::place(false, inline == 1)] |= 1 << nth;
                        }
                    }
                    state += 1;
                }
                inline += 1;
            }
            nth += 1;
        }
        index
    }

    /// Returns the rules that count in `state`.
    #[inline]
    pub(crate) fn counting(&self, state: State, at_line_start: bool, inline: bool) -> RuleSet {
        self.counting[state as usize][Self::place(at_line_start, inline)]
    }

    /// Returns the index of the rules that count at a line's start or elsewhere, with `inline` or
    /// not.
    const fn place(at_line_start: bool, inline: bool) -> usize {
        at_line_start as usize | (inline as usize) << 1
    }

    /// Follows `bytes` from an offset on, as long as they agree with any of `rules`. Returns the
    /// rules that they agree with, and the offset after the last byte that does.
    #[inline]
    pub(crate) fn follow(
        &self,
        mut rules: RuleSet,
        mut offset: usize,
        bytes: &[u8],
    ) -> (RuleSet, usize) {
        for (&byte, row) in bytes.iter().zip(&self.agree[offset..]) {
            let left = rules & row.get(usize::from(byte)).copied().unwrap_or(0);
            if left == 0 {
                break;
            }
            rules = left;
            offset += 1;
        }
        (rules, offset)
    }

    /// Returns the members of `rules` whose stem ends at an offset.
    #[inline]
    pub(crate) fn whole(&self, rules: RuleSet, offset: usize) -> RuleSet {
        rules & self.whole[offset]
    }
}

/// Returns the states in which a rule needs a line's start (P-2, P-8, P-9). `needed` says whether
/// the dialect needs it elsewhere than in strings.
pub(crate) const fn line_start_states(
    rule: &DelimiterRule,
    needed: bool,
    inline: bool,
) -> StateSet {
    let always = rule.at_line_start_in.union(StateSet::new(&[State::TornString]));
    match (needed, inline) {
        (false, _) => always,
        (true, false) => StateSet::new(&STATES),
        (true, true) => always.union(StateSet::new(&[State::Abandoned])),
    }
}
