use std::hint::black_box;
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};
use stats_alloc::Region;

use crate::ALLOCATOR;

/// A row that is measured.
pub(crate) struct Run<'a> {
    pub(crate) name: &'static str,
    work: Box<dyn Fn() -> u64 + 'a>,
    best: Duration,
    /// The number of pieces that the row returns.
    pub(crate) out: u64,
    /// The number of allocations and growths in one pass.
    pub(crate) allocations: usize,
}

impl<'a> Run<'a> {
    pub(crate) fn new(name: &'static str, work: impl Fn() -> u64 + 'a) -> Self {
        Self { name, work: Box::new(work), best: Duration::MAX, out: 0, allocations: 0 }
    }

    /// Returns the time of the best pass.
    pub(crate) fn seconds(&self) -> f64 {
        self.best.as_secs_f64()
    }

    fn pass(&mut self) {
        let region = Region::new(ALLOCATOR);
        let start = processor_time();
        self.out = black_box((self.work)());
        self.best = self.best.min(processor_time() - start);
        let heap = region.change();
        self.allocations = heap.allocations + heap.reallocations;
    }
}

/// Runs every row once in each round, so that a busy neighbour disturbs all alike. A row that takes
/// longer than a second runs only twice.
pub(crate) fn measure(runs: &mut [Run<'_>], rounds: usize) {
    for round in 0..rounds {
        for run in &mut *runs {
            if round < 2 || run.seconds() < 1.0 {
                run.pass();
            }
        }
    }
}

/// Returns the processor time of this thread. Wall-clock time would be unfair to slow rows, which
/// other processes interrupt more often.
fn processor_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}
