use crate::meta::number;

/// What is counted over the whole store, and kept in it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Clock {
    /// Of the next append in the list.
    place: u64,
    /// Groups of changes.
    pub(crate) groups: u64,
}

impl Clock {
    /// The place in the list for an append: later ones have higher places.
    pub(crate) const fn place(&mut self) -> u64 {
        self.place += 1;
        self.place - 1
    }

    /// Counts a group, and gives what to keep with it.
    pub(crate) fn tick(&mut self) -> Vec<u8> {
        self.groups += 1;
        [self.place.to_be_bytes(), self.groups.to_be_bytes()].concat()
    }

    /// What [`tick`](Self::tick) gave.
    pub(crate) fn read(content: &[u8]) -> Option<Self> {
        let (place, rest) = number(content)?;
        let (groups, rest) = number(rest)?;
        rest.is_empty().then_some(Self { place, groups })
    }
}
