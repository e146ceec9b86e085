//! Finds alternatives that several choices have, so that they are written once.
//!
//! Choices are lists of numbers here.

use std::collections::{BTreeMap, BTreeSet, HashSet};

/// Choices between alternatives, which have numbers.
pub(crate) struct SharedChoices {
    /// The numbers of the alternatives of each choice, sorted.
    pub(crate) choices: Vec<Vec<usize>>,
    /// The number of bytes of each alternative.
    sizes: Vec<usize>,
    /// The choices that stand for an alternative, by its number.
    pub(crate) parts: BTreeMap<usize, usize>,
    /// The number of bytes of the name of a choice.
    name: usize,
    /// The choices that have each alternative, at the start of a round.
    places: Vec<Vec<usize>>,
}

impl SharedChoices {
    /// Shares the common parts of choices, if that makes the whole shorter. A shared part becomes
    /// an alternative with its own number, and a choice behind the given ones, unless one of them
    /// equals it.
    pub(crate) fn new(choices: Vec<Vec<usize>>, sizes: Vec<usize>, name: usize) -> Self {
        let mut shared = Self { choices, sizes, name, parts: BTreeMap::new(), places: vec![] };
        let mut changed: Vec<_> = (0..shared.choices.len()).collect();
        while !changed.is_empty() {
            changed = shared.share(&changed);
        }
        shared
    }

    /// Shares the best common parts of the changed choices and others. Returns the choices that
    /// this has changed.
    fn share(&mut self, changed: &[usize]) -> Vec<usize> {
        self.places = vec![Vec::new(); self.sizes.len()];
        for (at, choice) in self.choices.iter().enumerate() {
            choice.iter().for_each(|alternative| self.places[*alternative].push(at));
        }
        let mut candidates = HashSet::new();
        for at in changed {
            for other in self.choices.iter().take(*at) {
                let common = intersection(&self.choices[*at], other);
                if !common.is_empty() {
                    candidates.insert(common);
                }
            }
        }
        let gains = candidates.into_iter().map(|part| (self.gain(&part), part));
        let mut gains: Vec<_> = gains.filter(|(gain, _)| *gain > 0).collect();
        gains.sort_by(|one, other| other.cmp(one));
        let mut changed = BTreeSet::new();
        for (gain, part) in gains {
            // Earlier sharing may have reduced its gain.
            if self.gain(&part) * 2 > gain {
                self.replace(&part, &mut changed);
            }
        }
        changed.into_iter().collect()
    }

    /// Returns the number of bytes that sharing these alternatives saves.
    fn gain(&self, part: &[usize]) -> isize {
        if part.len() == 1 && self.parts.contains_key(&part[0]) {
            return 0;
        }
        // An alternative of this round has no places yet, and is a part already.
        let places = part.iter().map(|at| self.places.get(*at));
        let Some(Some(places)) = places.min_by_key(|places| places.map_or(0, Vec::len)) else {
            return 0;
        };
        let having = places.iter().map(|at| &self.choices[*at]).filter(|choice| has(choice, part));
        let (same, uses): (Vec<_>, Vec<_>) = having.partition(|choice| choice.len() == part.len());
        let separator = 3;
        let size: usize = part.iter().map(|at| self.sizes[*at] + separator).sum();
        let rule = if same.is_empty() { self.name + size + 3 } else { 0 };
        let saved = uses.len() * size.saturating_sub(self.name + separator);
        isize::try_from(saved).unwrap_or(0) - isize::try_from(rule).unwrap_or(0)
    }

    /// Makes alternatives a choice, which stands for them in all others.
    fn replace(&mut self, part: &[usize], changed: &mut BTreeSet<usize>) {
        let number = self.sizes.len();
        let known = self.choices.iter().position(|choice| choice == part);
        self.sizes.push(self.name);
        for (at, choice) in self.choices.iter_mut().enumerate() {
            if choice.len() > part.len() && has(choice, part) {
                choice.retain(|at| !part.contains(at));
                choice.push(number);
                changed.insert(at);
            }
        }
        let place = known.unwrap_or_else(|| {
            self.choices.push(part.to_vec());
            self.choices.len() - 1
        });
        changed.insert(place);
        self.parts.insert(number, place);
    }
}

fn has(choice: &[usize], part: &[usize]) -> bool {
    part.iter().all(|at| choice.binary_search(at).is_ok())
}

fn intersection(one: &[usize], other: &[usize]) -> Vec<usize> {
    one.iter().copied().filter(|at| other.binary_search(at).is_ok()).collect()
}
