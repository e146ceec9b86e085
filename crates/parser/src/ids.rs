use std::collections::HashSet;

/// The ids of the calls of a turn (P-20).
#[derive(Debug, Default)]
pub(crate) struct Ids {
    taken: HashSet<String>,
    generated: u32,
}

impl Ids {
    /// Takes an id that the model wrote; says whether it was free.
    pub(crate) fn take(&mut self, id: &str) -> bool {
        self.taken.insert(id.to_owned())
    }

    /// The next of `a1`, `a2`, … that is free.
    pub(crate) fn generate(&mut self) -> String {
        loop {
            self.generated += 1;
            let id = format!("a{}", self.generated);
            if self.taken.insert(id.clone()) {
                return id;
            }
        }
    }
}
