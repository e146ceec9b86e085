//! The limits of a plan.

/// The limits of the calls of a turn.
///
/// ```
/// use silcrow_event::Call;
/// use silcrow_plan::{Plan, PlanDecision, PlanLimits};
///
/// let mut plan = Plan::with_limits(PlanLimits { max_parallel: 1, ..PlanLimits::default() });
/// for id in ["a1", "a2"] {
///     plan.push(Call::parse(id, r#"{"name":"roll"}"#).unwrap());
/// }
/// plan.reach_execution_point();
/// assert!(matches!(plan.decide(), Some(PlanDecision::Start(_))));
/// assert_eq!(plan.decide(), None, "the second call waits for a free place");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "callers name what they change and take the rest")]
pub struct PlanLimits {
    /// The maximum number of calls that run at once, including those in the background.
    pub max_parallel: usize,
    /// The maximum number of calls in a turn; further calls fail at once.
    pub max_calls: usize,
    /// The maximum length of the arguments of one call with outputs in place of names, in bytes.
    pub max_args_bytes: usize,
    /// The maximum number of attempts after the first at one call, even if more are requested.
    pub max_retries: u32,
}

impl Default for PlanLimits {
    /// Returns 16 calls at once, 1,000 a turn, 16 MiB of arguments, 20 further attempts.
    fn default() -> Self {
        Self { max_parallel: 16, max_calls: 1_000, max_args_bytes: 16 << 20, max_retries: 20 }
    }
}
