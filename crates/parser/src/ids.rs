use std::collections::HashSet;
use std::fmt::Write as _;

/// The ids of the calls of a turn (P-20).
#[derive(Debug, Default)]
pub(crate) struct Ids {
    /// Those that the model wrote.
    written: HashSet<String>,
    /// Of `a1`, `a2`, … those up to this number are taken.
    generated: u32,
}

impl Ids {
    /// Takes an id that the model wrote; says whether it was free.
    pub(crate) fn take(&mut self, id: &str) -> bool {
        !self.is_generated(id) && self.written.insert(id.to_owned())
    }

    /// The next of `a1`, `a2`, … that is free.
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
