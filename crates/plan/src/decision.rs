//! What a plan says: decisions for the one that runs calls, updates for the one that reports them.

use std::time::Duration;

use silcrow_event::{CallEnd, CallKind, CallMode, Json};

/// Work for whatever runs the calls.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum PlanDecision {
    /// Start an attempt at a call.
    Start(ReadyCall),
    /// Wait, and then call [`Plan::retry`](crate::Plan::retry).
    Retry {
        /// The call's id.
        id: String,
        /// The length of the pause: 100 ms before the second attempt, twice as long before each
        /// further one, 30 s at most.
        after: Duration,
    },
    /// Stop a call that was started; for the plan it has ended already.
    Stop {
        /// The call's id.
        id: String,
    },
}

/// News for whatever reports the calls.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum PlanUpdate {
    /// A call has ended. [`Plan::outcome`](crate::Plan::outcome) returns its result.
    End {
        /// The call's id.
        id: String,
        /// The way in which it ended.
        how: CallEnd,
    },
    /// An output has a name from here on (P-26).
    Bind {
        /// The name, without the `$`.
        name: String,
        /// The output.
        value: Json,
    },
    /// A call uses a name that nothing binds; the name stays as written (P-26).
    Unbound {
        /// The call's id.
        id: String,
        /// The name, without the `$`.
        name: String,
    },
}

/// An attempt that may start now. It cannot exist before its call may run.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadyCall {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) args: String,
    pub(crate) kind: CallKind,
    pub(crate) mode: CallMode,
    pub(crate) timeout: Option<Duration>,
    pub(crate) attempt: u32,
    /// The attempts after the first that the call asks for.
    pub(crate) retries: Option<u32>,
    /// The most attempts after the first, no matter who asks for them.
    pub(crate) most_retries: u32,
}

impl ReadyCall {
    /// Returns the call's id.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Returns the name of the tool, or of whatever else is called.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the arguments, a JSON object with outputs in place of their names.
    pub fn args(&self) -> &str {
        &self.args
    }

    /// Returns the kind of thing that is called.
    pub const fn kind(&self) -> CallKind {
        self.kind
    }

    /// Returns the mode, which says what waits for the call; calls of a batch are
    /// [`CallMode::Async`].
    pub const fn mode(&self) -> CallMode {
        self.mode
    }

    /// Returns the time limit that the model sets for this attempt; a number too large to represent
    /// is [`Duration::MAX`].
    pub const fn timeout(&self) -> Option<Duration> {
        self.timeout
    }

    /// Returns the number of the attempt, from 1.
    pub const fn attempt(&self) -> u32 {
        self.attempt
    }

    /// Returns how many attempts may follow this one if each of them fails. `of_tool` is the number
    /// that the tool allows where the call names none.
    pub fn retries(&self, of_tool: u32) -> u32 {
        let all = self.retries.unwrap_or(of_tool).min(self.most_retries);
        all.saturating_sub(self.attempt.saturating_sub(1))
    }
}
