//! How a runner treats the calls of a tool.
//!
//! This module is data, for any tool and call.

use std::time::Duration;

/// The policy with which a runner treats a tool.
///
/// ```
/// use silcrow_tool::ToolPolicy;
///
/// let read = ToolPolicy { read_only: true, ..ToolPolicy::default() };
/// assert!(read.may_start_early() && read.is_repeatable());
/// // Even a request that changes nothing here tells the other side something.
/// let fetch = ToolPolicy { sends_out: true, ..read };
/// assert!(!fetch.may_start_early() && !fetch.is_repeatable());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "tools name what they change and take the rest")]
pub struct ToolPolicy {
    /// Whether the tool changes nothing on this machine. Unless it sends something out, its calls
    /// may start before their execution point (P-23), and an interrupted run may repeat them
    /// (P-28).
    pub read_only: bool,
    /// Whether the tool sends something to other machines; even requesting a page does. Its calls
    /// never start before their execution point, and no run repeats them on its own.
    pub sends_out: bool,
    /// Whether two calls have the effect of one, so that an interrupted run may repeat a call
    /// (P-28).
    pub idempotent: bool,
    /// The calls that need approval if no [`Permissions`](crate::Permissions) decide.
    pub approval: ApprovalNeed,
    /// The time limit of an attempt, unless the model sets one.
    pub timeout: Duration,
    /// The time after which an attempt without progress fails.
    pub idle_timeout: Option<Duration>,
    /// The maximum length of the text that the model reads of one call, in bytes, if less than the
    /// runner's cap.
    pub output_cap: Option<usize>,
    /// The number of retries, if the model does not set one.
    pub retries: u32,
}

impl ToolPolicy {
    /// Returns whether a call may be repeated without asking: it changes nothing or is idempotent,
    /// sends nothing out, and does not always need approval.
    pub const fn is_repeatable(&self) -> bool {
        (self.read_only || self.idempotent)
            && !self.sends_out
            && !matches!(self.approval, ApprovalNeed::Always)
    }

    /// Returns whether a call may start before its execution point (P-23): it changes nothing and
    /// sends nothing out.
    pub const fn may_start_early(&self) -> bool {
        self.read_only && !self.sends_out
    }
}

impl Default for ToolPolicy {
    /// Returns the policy of a tool that changes things and needs no approval, with a timeout of 60
    /// seconds and no retries (P-27).
    fn default() -> Self {
        Self {
            read_only: false,
            sends_out: false,
            idempotent: false,
            approval: ApprovalNeed::Never,
            timeout: Duration::from_secs(60),
            idle_timeout: None,
            output_cap: None,
            retries: 0,
        }
    }
}

/// The calls of a tool that need approval.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "no call, some, or each")]
pub enum ApprovalNeed {
    /// None. Calls are not previewed either.
    #[default]
    Never,
    /// Calls whose preview has a [risk](crate::Preview::risk).
    IfRisky,
    /// Every call.
    Always,
}
