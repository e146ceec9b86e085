use std::hint::black_box;
use std::time::{Duration, Instant};

use stats_alloc::Region;

use super::ALLOCATOR;

/// A row that is measured.
pub(crate) struct Run<'a> {
    pub(crate) name: &'static str,
    work: Box<dyn FnMut() -> u64 + 'a>,
    best: Duration,
    /// The number that the row returns: of tokens, fragments or steps.
    pub(crate) out: u64,
    /// The number of allocations and growths in one pass.
    pub(crate) allocations: usize,
}

impl<'a> Run<'a> {
    pub(crate) fn new(name: &'static str, work: impl FnMut() -> u64 + 'a) -> Self {
        Self { name, work: Box::new(work), best: Duration::MAX, out: 0, allocations: 0 }
    }

    /// Returns the time of the best pass.
    pub(crate) fn seconds(&self) -> f64 {
        self.best.as_secs_f64()
    }
}

/// Runs every row once in each round. Rounds end early if the rows are slow.
pub(crate) fn measure(runs: &mut [Run<'_>], rounds: usize) {
    let begin = Instant::now();
    for _ in 0..rounds {
        if begin.elapsed() > PATIENCE {
            return;
        }
        for run in &mut *runs {
            let region = Region::new(ALLOCATOR);
            let start = Instant::now();
            let out = measured(&mut *run.work);
            run.best = run.best.min(start.elapsed());
            let heap = region.change();
            run.allocations = heap.allocations + heap.reallocations;
            run.out = out;
        }
    }
}

const PATIENCE: Duration = Duration::from_secs(10);

/// The function in which callgrind collects.
#[inline(never)]
fn measured(work: &mut dyn FnMut() -> u64) -> u64 {
    black_box(work())
}
