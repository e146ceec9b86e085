//! What a run has used, in words for the line at its end.
//!
//! This module does not know prices.

use silcrow_event::{Balances, Usage};

use crate::cost::{balances_line, usage_line};

/// What a run has used when it ends.
#[derive(Default)]
pub(super) struct RunTotals {
    pub(super) steps: u32,
    pub(super) usage: Usage,
    /// With everything that its calls ran, if that is more.
    pub(super) all: Option<Usage>,
    pub(super) balances: Option<Balances>,
}

impl RunTotals {
    /// Returns the facts to show, with what the run has cost if that is known.
    pub(super) fn facts(self, cost: Option<String>) -> Vec<String> {
        let Self { steps, usage, all, balances } = self;
        let mut facts = vec![usage_line(&usage)];
        if steps > 1 {
            facts.insert(0, format!("{steps} steps"));
        }
        facts.extend(cost);
        facts.extend(all.map(|all| format!("with its calls {}", usage_line(&all))));
        facts.extend(balances.map(|all| format!("spent {}", balances_line(&all))));
        facts
    }
}
