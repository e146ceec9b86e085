//! Counters of a working store.

use std::sync::atomic::{AtomicU64, Ordering};

use silcrow_store::StoreCount;

/// The numbers since the store was opened.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    appends: AtomicU64,
    renewals: AtomicU64,
    failed_renewals: AtomicU64,
    takeovers: AtomicU64,
    fenced: AtomicU64,
    orders: AtomicU64,
    abandoned: AtomicU64,
}

/// Something that is counted.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Counted {
    Append,
    Renewal,
    FailedRenewal,
    Takeover,
    Fenced,
    Order,
    Abandoned,
}

impl Counts {
    pub(crate) fn add(&self, counted: Counted) {
        let number = match counted {
            Counted::Append => &self.appends,
            Counted::Renewal => &self.renewals,
            Counted::FailedRenewal => &self.failed_renewals,
            Counted::Takeover => &self.takeovers,
            Counted::Fenced => &self.fenced,
            Counted::Order => &self.orders,
            Counted::Abandoned => &self.abandoned,
        };
        number.fetch_add(1, Ordering::Relaxed);
    }

    /// Returns the numbers, each with its meaning.
    pub(crate) fn list(&self) -> Vec<StoreCount> {
        let total = |name, about, number: &AtomicU64| StoreCount {
            name,
            about,
            is_total: true,
            value: number.load(Ordering::Relaxed),
        };
        vec![
            total("appends", "Appends to conversations.", &self.appends),
            total("lease_renewals", "Renewals of all leases of this process.", &self.renewals),
            total(
                "lease_renewals_failed",
                "Renewals that the database did not answer.",
                &self.failed_renewals,
            ),
            total("takeovers", "Conversations whose owner was gone.", &self.takeovers),
            total("fenced_writes", "Writes that came after the lease was lost.", &self.fenced),
            total("orders", "Orders to runs, in whatever process.", &self.orders),
            total("abandoned_runs", "Runs whose owners were gone too often.", &self.abandoned),
        ]
    }
}
