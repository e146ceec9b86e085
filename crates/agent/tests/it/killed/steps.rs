//! The steps at which a process is killed.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use rustix::process::{Signal, getpid, kill_process};

/// Kills this process at one of its steps.
#[derive(Clone)]
pub(crate) struct Steps {
    pub(crate) taken: Arc<AtomicU32>,
    /// From 1; 0 is never.
    pub(crate) at: u32,
}

impl Steps {
    pub(crate) fn step(&self) {
        if self.taken.fetch_add(1, Ordering::SeqCst) + 1 == self.at {
            kill_process(getpid(), Signal::KILL).unwrap();
        }
    }
}
