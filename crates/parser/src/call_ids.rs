//! The ids of the calls of a turn.
//!
//! This module records only which ids are used.

use std::collections::HashSet;
use std::fmt::Write as _;

/// The ids that are used in a turn (P-20).
#[derive(Debug, Default)]
pub(crate) struct CallIds {
    /// The ids that the model wrote.
    written: HashSet<String>,
    /// The number of the last generated id; `a1`, `a2`, … up to it are used.
    generated: u32,
}

impl CallIds {
    /// Reserves an id that the model wrote. Returns whether it was free.
    pub(crate) fn take(&mut self, id: &str) -> bool {
        !self.is_generated(id) && self.written.insert(id.to_owned())
    }

    /// Returns the next free id of `a1`, `a2`, …
    pub(crate) fn generate(&mut self) -> String {
        loop {
            self.generated += 1;
            let mut id = String::with_capacity(8);
            let _ = write!(id, "a{}", self.generated);
            if !self.written.contains(&id) {
                return id;
            }
        }
    }

    fn is_generated(&self, id: &str) -> bool {
        let number = id.strip_prefix('a').filter(|digits| !digits.starts_with(['0', '+']));
        let number = number.and_then(|digits| digits.parse().ok());
        number.is_some_and(|number: u32| number <= self.generated)
    }
}
