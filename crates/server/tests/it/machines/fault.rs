//! The faults of machines and of their database.

use std::time::Duration;

use silcrow_testkit::PostgresServer;

use super::process::Machine;

/// A fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// The process is killed, and another one starts at its address.
    Kill,
    /// The process stops for longer than a lease, and wakes up as a zombie.
    Freeze,
    /// The process does not reach the database for longer than a lease, and then its statements
    /// arrive.
    Cut,
    /// The database crashes and starts again.
    Restart,
}

impl Fault {
    /// Returns the fault with a number.
    pub(super) fn from_number(number: u64) -> Self {
        match number % 4 {
            0 => Self::Kill,
            1 => Self::Freeze,
            2 => Self::Cut,
            _ => Self::Restart,
        }
    }

    /// Returns whether the fault lasts until it is healed.
    pub(super) fn lasts(self) -> bool {
        matches!(self, Self::Freeze | Self::Cut)
    }

    pub(super) fn strike(self, database: &PostgresServer, victim: &Machine) {
        match self {
            Self::Kill => victim.kill(),
            Self::Freeze => victim.signal("STOP"),
            Self::Cut => victim.gate.set_open(false),
            Self::Restart => database.restart(),
        }
    }

    pub(super) fn heal(self, victim: &Machine) {
        match self {
            Self::Kill => victim.run(),
            Self::Freeze => victim.signal("CONT"),
            Self::Cut => victim.gate.set_open(true),
            Self::Restart => {}
        }
    }
}

/// The attempted fault, for a line of a table.
#[derive(Default)]
pub(super) struct FaultTally {
    faults: Vec<Fault>,
    takeovers: Vec<Duration>,
    refused: usize,
    events: usize,
    clients: usize,
}

impl FaultTally {
    pub(super) fn add_fault(&mut self, fault: Fault, takeovers: &[Duration], refused: usize) {
        self.faults.push(fault);
        self.takeovers.extend(takeovers);
        self.refused += refused;
    }

    /// Adds the attempts of another cluster.
    pub(super) fn add(&mut self, tried: Self) {
        self.faults.extend(tried.faults);
        self.takeovers.extend(tried.takeovers);
        self.refused += tried.refused;
        self.events += tried.events;
        self.clients += tried.clients;
    }

    pub(super) fn add_client(&mut self, events: usize) {
        self.clients += 1;
        self.events += events;
    }

    /// Returns the longest time from a fault to another owner.
    pub(super) fn slowest(&self) -> Duration {
        self.takeovers.iter().max().copied().unwrap_or_default()
    }

    pub(super) fn line(&mut self) -> String {
        let count = |wanted| self.faults.iter().filter(|fault| **fault == wanted).count();
        let (kills, freezes) = (count(Fault::Kill), count(Fault::Freeze));
        let (cuts, restarts) = (count(Fault::Cut), count(Fault::Restart));
        self.takeovers.sort_unstable();
        let taken = self.takeovers.len();
        let median = self.takeovers.get(taken / 2).copied().unwrap_or_default();
        format!(
            "{kills} kills, {freezes} freezes, {cuts} cuts from the database, {restarts} restarts of \
             it; {taken} takeovers, in {:.1} s (median) and at most {:.1} s after the fault; {} runs \
             of zombies ended; {} events by {} clients",
            median.as_secs_f64(),
            self.slowest().as_secs_f64(),
            self.refused,
            self.events,
            self.clients,
        )
    }
}
