//! The bounds of a plan.

/// The bounds of the calls of a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "callers name what they change and take the rest")]
pub struct PlanLimits {
    /// The greatest number of calls that run at once, including those in the background.
    pub max_parallel: usize,
    /// The greatest number of calls in a turn; further calls fail at once.
    pub max_calls: usize,
    /// The greatest length of the arguments of one call with outputs in place of names, in bytes.
    pub max_args_bytes: usize,
    /// The greatest number of attempts after the first at one call, however many are asked for.
    pub max_retries: u32,
}

impl Default for PlanLimits {
    /// Returns 16 calls at once, 1,000 a turn, 16 MiB of arguments, 20 further attempts.
    fn default() -> Self {
        Self { max_parallel: 16, max_calls: 1_000, max_args_bytes: 16 << 20, max_retries: 20 }
    }
}
