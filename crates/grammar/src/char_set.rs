//! Sets of characters.
//!
//! A set is a list of ranges of code points.

/// A set of characters: its ranges of code points, sorted, disjoint and not adjacent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct CharSet(Vec<(u32, u32)>);

const LAST: u32 = char::MAX as u32;

impl CharSet {
    /// Returns the set of all characters.
    pub(crate) fn all() -> Self {
        Self(vec![(0, LAST)])
    }

    /// Returns the set of the characters in `chars`.
    pub(crate) fn from_chars(chars: &str) -> Self {
        chars.chars().map(|char| (char, char)).collect()
    }

    /// Returns the set of all other characters.
    #[must_use]
    pub(crate) fn complement(&self) -> Self {
        let mut from = 0;
        let mut gaps = Vec::new();
        for &(low, high) in &self.0 {
            if from < low {
                gaps.push((from, low - 1));
            }
            from = high + 1;
        }
        if from <= LAST {
            gaps.push((from, LAST));
        }
        Self(gaps)
    }

    #[must_use]
    pub(crate) fn union(&self, other: &Self) -> Self {
        Self::merged(self.0.iter().chain(&other.0).copied().collect())
    }

    pub(crate) fn ranges(&self) -> &[(u32, u32)] {
        &self.0
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn contains(&self, point: u32) -> bool {
        self.0.iter().any(|&(low, high)| (low..=high).contains(&point))
    }

    /// Returns the only character of the set, if there is exactly one.
    pub(crate) fn single(&self) -> Option<char> {
        match *self.0 {
            [(low, high)] if low == high => char::from_u32(low),
            _ => None,
        }
    }

    fn merged(mut ranges: Vec<(u32, u32)>) -> Self {
        ranges.sort_unstable();
        let mut merged: Vec<(u32, u32)> = Vec::with_capacity(ranges.len());
        for (low, high) in ranges {
            match merged.last_mut() {
                Some(last) if low <= last.1 + 1 => last.1 = last.1.max(high),
                _ => merged.push((low, high)),
            }
        }
        Self(merged)
    }
}

impl FromIterator<(char, char)> for CharSet {
    fn from_iter<I: IntoIterator<Item = (char, char)>>(ranges: I) -> Self {
        Self::merged(ranges.into_iter().map(|(low, high)| (low.into(), high.into())).collect())
    }
}
