use crate::table::{Mode, Rule};

/// Rules of one table: a bit for each, by its number.
pub(crate) type RuleSet = u8;

/// Which rules a byte and a mode leave. A false start is out after one look.
pub(crate) struct Index {
    /// By the byte behind the first character.
    behind: [RuleSet; 256],
    /// By the mode that they count in, as the number of its bit.
    counting: [RuleSet; 8],
}

impl Index {
    pub(crate) const EMPTY: Self = Self { behind: [0; 256], counting: [0; 8] };

    pub(crate) const fn new(first: &str, rules: &[Rule]) -> Self {
        let mut index = Self::EMPTY;
        let mut nth = 0;
        while nth < rules.len() {
            let behind = rules[nth].literal.as_bytes()[first.len()];
            index.behind[behind as usize] |= 1 << nth;
            let mut mode = 0;
            while mode < 8 {
                index.counting[mode] |= (rules[nth].counts_in >> mode & 1) << nth;
                mode += 1;
            }
            nth += 1;
        }
        index
    }

    /// The rules that count in `mode`.
    #[inline]
    pub(crate) fn counting(&self, mode: Mode) -> RuleSet {
        self.counting[(mode as u8).trailing_zeros() as usize]
    }

    /// The rules with `byte` behind the first character.
    #[inline]
    pub(crate) fn behind(&self, byte: u8) -> RuleSet {
        self.behind[usize::from(byte)]
    }
}
