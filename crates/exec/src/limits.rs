//! The bounds of a runner.

use std::hash::{BuildHasher as _, RandomState};
use std::num::NonZeroUsize;
use std::time::Duration;

use silcrow_tool::CallContext;

/// The bounds of a [`Runner`](crate::Runner), and of the [`CallDriver`](crate::CallDriver) over it.
///
/// ```
/// use std::time::Duration;
///
/// use silcrow_exec::RunnerLimits;
///
/// let limits = RunnerLimits { jitter_percent: 50, ..RunnerLimits::default() };
/// let pause = limits.jittered(Duration::from_secs(2));
/// assert!((2.0..=3.0).contains(&pause.as_secs_f64()), "{pause:?}");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "callers name what they change and take the rest")]
pub struct RunnerLimits {
    /// The greatest number of tools that run at once; further calls wait in order.
    pub max_parallel: NonZeroUsize,
    /// The length of the text that the model reads of one call, in bytes. It reads the beginning of
    /// a longer output, which takes three quarters of this, and the end. Fields beside them give
    /// the number of bytes that are left out and, with a [`Spill`](crate::Spill), the name of the
    /// whole.
    pub output_cap: usize,
    /// The maximum timeout of an attempt, even if the model asks for more.
    pub max_timeout: Duration,
    /// The greatest random extension of a pause before another attempt, in percent of the pause, so
    /// that calls that failed together are not repeated together (P-27).
    pub jitter_percent: u32,
}

impl Default for RunnerLimits {
    /// Returns 16 tools, 256 KiB, an hour and 25 percent.
    fn default() -> Self {
        const SIXTEEN: NonZeroUsize = NonZeroUsize::new(16).expect("16 is not zero");
        Self {
            max_parallel: SIXTEEN,
            output_cap: CallContext::DEFAULT_OUTPUT_CAP,
            max_timeout: Duration::from_secs(3600),
            jitter_percent: 25,
        }
    }
}

impl RunnerLimits {
    /// Returns the pause with a random part added ([`jitter_percent`](Self::jitter_percent)).
    pub fn jittered(&self, pause: Duration) -> Duration {
        let random = RandomState::new().hash_one(0) >> 32;
        let share = random as f64 / f64::from(u32::MAX);
        pause.mul_f64(1.0 + share * f64::from(self.jitter_percent) / 100.0)
    }
}
