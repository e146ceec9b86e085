//! The usage of a run, in words for the line at its end.

use silcrow_event::{Balances, Usage};
use silcrow_exec::ModelPrice;

use super::LiveScreen;
use crate::cost::{balances_line, usage_line};

/// The usage of a run at its end.
#[derive(Default)]
pub(super) struct RunTotals {
    pub(super) steps: u32,
    pub(super) usage: Usage,
    /// With everything that its calls ran, if that is more.
    pub(super) all: Option<Usage>,
    pub(super) balances: Option<Balances>,
}

impl LiveScreen {
    /// Returns the usage of all runs on this screen, including the one at work.
    pub fn used(&self) -> Usage {
        let mut used = self.used;
        used += self.totals.used();
        used
    }

    /// Returns the cost of all runs on this screen, if the price of the model is known.
    pub fn cost(&self) -> Option<String> {
        self.status.cost(&self.used())
    }

    /// Sets the price of the model, if it is known.
    pub const fn set_price(&mut self, price: Option<ModelPrice>) {
        self.status.set_price(price);
    }
}

impl RunTotals {
    /// Returns the usage of the run with everything that its calls ran.
    pub(super) fn used(&self) -> Usage {
        self.all.unwrap_or(self.usage)
    }

    /// Returns the facts to show, with the cost of the run if it is known.
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
