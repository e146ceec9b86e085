/// A set of characters, as ranges of code points: sorted, disjoint, never touching.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Set(Vec<(u32, u32)>);

const LAST: u32 = char::MAX as u32;

impl Set {
    /// Every character.
    pub(super) fn all() -> Self {
        Self(vec![(0, LAST)])
    }

    /// The characters of `chars`.
    pub(super) fn of(chars: &str) -> Self {
        chars.chars().map(|char| (char, char)).collect()
    }

    /// The characters that it does not hold.
    #[must_use]
    pub(super) fn inverse(&self) -> Self {
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
    pub(super) fn union(&self, other: &Self) -> Self {
        Self::joined(self.0.iter().chain(&other.0).copied().collect())
    }

    pub(super) fn ranges(&self) -> &[(u32, u32)] {
        &self.0
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn holds(&self, point: u32) -> bool {
        self.0.iter().any(|&(low, high)| (low..=high).contains(&point))
    }

    /// The one character, where it holds no other.
    pub(super) fn single(&self) -> Option<char> {
        match *self.0 {
            [(low, high)] if low == high => char::from_u32(low),
            _ => None,
        }
    }

    fn joined(mut ranges: Vec<(u32, u32)>) -> Self {
        ranges.sort_unstable();
        let mut joined: Vec<(u32, u32)> = Vec::with_capacity(ranges.len());
        for (low, high) in ranges {
            match joined.last_mut() {
                Some(last) if low <= last.1 + 1 => last.1 = last.1.max(high),
                _ => joined.push((low, high)),
            }
        }
        Self(joined)
    }
}

impl FromIterator<(char, char)> for Set {
    fn from_iter<I: IntoIterator<Item = (char, char)>>(ranges: I) -> Self {
        Self::joined(ranges.into_iter().map(|(low, high)| (low.into(), high.into())).collect())
    }
}
