/// The bounds of a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlanLimits {
    /// Calls that run at once; those that nobody waits for count too.
    pub parallel: usize,
    /// Calls a turn; what is beyond fails at once.
    pub calls: usize,
    /// Bytes that the arguments of one call may grow to by what is put in for names.
    pub args: usize,
    /// Attempts beyond the first at one call, whatever the model or the tool says.
    pub retries: u32,
}

impl Default for PlanLimits {
    /// 16 calls at once, 1,000 a turn, 16 MiB of arguments, 20 further attempts.
    fn default() -> Self {
        Self { parallel: 16, calls: 1_000, args: 16 << 20, retries: 20 }
    }
}
