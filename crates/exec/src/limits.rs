use std::num::NonZeroUsize;
use std::time::Duration;

use crate::context::OUTPUT_CAP;

/// The bounds of a [`Runner`](crate::Runner).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "callers name what they change and take the rest")]
pub struct RunnerLimits {
    /// Tools that run at once; further calls wait in order.
    pub max_parallel: NonZeroUsize,
    /// Bytes of text that one call may give to the model. Of what is longer it reads the beginning,
    /// three quarters of this, and the end; in fields beside them, how many bytes are left out, and
    /// where the whole can be read, if there is a [`Spill`](crate::Spill).
    pub output_cap: usize,
    /// How long an attempt may take at most, whatever the model says.
    pub longest: Duration,
}

impl Default for RunnerLimits {
    /// 16 tools, 256 KiB, an hour.
    fn default() -> Self {
        const SIXTEEN: NonZeroUsize = NonZeroUsize::new(16).expect("16 is not zero");
        Self { max_parallel: SIXTEEN, output_cap: OUTPUT_CAP, longest: Duration::from_secs(3600) }
    }
}
