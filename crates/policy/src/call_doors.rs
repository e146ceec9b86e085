//! The doors that a call wants, by the sources of the wish.
//!
//! This module is data; others decide which doors open.

use silcrow_event::Grants;

/// The doors that a call wants.
#[derive(Debug, Default)]
pub(crate) struct CallDoors {
    /// Those that it fails without by its words.
    pub(crate) by_words: Grants,
    /// Doors that open whenever the call is allowed, without a separate question: ports of this
    /// machine that its words name, where a server that the call started may listen as well.
    pub(crate) ports: Grants,
    /// Doors that the call itself asks for.
    pub(crate) asked: Grants,
    /// Whether it does something outside that cannot be undone.
    pub(crate) sends: bool,
}

impl CallDoors {
    /// Returns those that it fails without.
    pub(crate) fn needed(&self) -> Grants {
        self.by_words.clone().union(self.asked.clone())
    }
}
