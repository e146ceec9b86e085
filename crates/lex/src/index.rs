use crate::table::{Mode, Rule};

/// Rules of one table: a bit for each, by its number.
pub(crate) type RuleSet = u8;

/// A table turned on its side: all its stems are followed at once, byte by byte, and what is left
/// of the rules is a set of bits.
pub(crate) struct Index {
    /// Which rules have a byte at a place of their stem; places are counted behind the first
    /// character.
    agree: [[RuleSet; 128]; PLACES],
    /// Which rules have a stem that ends at a place.
    whole: [RuleSet; PLACES + 1],
    /// Which rules count in a mode, by the number of its bit: at a line's start, and elsewhere.
    at_line_start: [RuleSet; 8],
    elsewhere: [RuleSet; 8],
}

/// The longest stem is `</response>`.
const PLACES: usize = 10;

impl Index {
    pub(crate) const EMPTY: Self = Self {
        agree: [[0; 128]; PLACES],
        whole: [0; PLACES + 1],
        at_line_start: [0; 8],
        elsewhere: [0; 8],
    };

    pub(crate) const fn new(first: &str, rules: &[Rule]) -> Self {
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
            let mut mode = 0;
            while mode < 8 {
                let counts = rule.counts_in >> mode & 1;
                index.at_line_start[mode] |= counts << nth;
                index.elsewhere[mode] |= (counts & !(rule.at_line_start_in >> mode)) << nth;
                mode += 1;
            }
            nth += 1;
        }
        index
    }

    /// The rules that count in `mode`.
    #[inline]
    pub(crate) fn counting(&self, mode: Mode, at_line_start: bool) -> RuleSet {
        let counting = if at_line_start { &self.at_line_start } else { &self.elsewhere };
        counting[(mode as u8).trailing_zeros() as usize]
    }

    /// Follows the bytes from a place on, as long as they agree with any of `rules`: those they
    /// agree with, and the place behind the last that does.
    #[inline]
    pub(crate) fn follow(
        &self,
        mut rules: RuleSet,
        mut place: usize,
        bytes: &[u8],
    ) -> (RuleSet, usize) {
        for (&byte, row) in bytes.iter().zip(&self.agree[place..]) {
            let left = rules & row.get(usize::from(byte)).copied().unwrap_or(0);
            if left == 0 {
                break;
            }
            rules = left;
            place += 1;
        }
        (rules, place)
    }

    /// Those of `rules` that have a stem which ends at a place.
    #[inline]
    pub(crate) fn whole(&self, rules: RuleSet, place: usize) -> RuleSet {
        rules & self.whole[place]
    }
}
