use std::time::Duration;

use silcrow_event::{CallKind, CallMode, Json};

/// What is to be done next.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum PlanDecision {
    /// Start an attempt at a call.
    Start(ReadyCall),
    /// Wait, and then tell [`Plan::retry`](crate::Plan::retry).
    Retry {
        /// Of the call.
        id: String,
        /// How long: 100 ms before the second attempt, twice as long before each further one, 30 s
        /// at most.
        after: Duration,
    },
    /// Stop a call that was started; it has ended already.
    Stop {
        /// Of the call.
        id: String,
    },
    /// A call has ended. [`Plan::outcome`](crate::Plan::outcome) has what came of it.
    End {
        /// Of the call.
        id: String,
        /// In which way.
        how: CallEnd,
    },
    /// An output has a name from here on (P-26).
    Bind {
        /// Without the `$`.
        name: String,
        /// The output.
        value: Json,
    },
    /// A call uses a name that nothing binds; it stays as written (P-26).
    Unbound {
        /// Of the call.
        id: String,
        /// Without the `$`.
        name: String,
    },
}

/// How a call has ended: each does so exactly once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "a call ends in one of four ways")]
pub enum CallEnd {
    /// It did what was asked.
    Ok,
    /// Its last attempt failed, or it could never start.
    Failed,
    /// Something that it waits for did not end well, or the answer was given before it.
    Skipped,
    /// It was called off.
    Cancelled,
}

impl CallEnd {
    /// The word in JSON.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Failed => "failed",
            Self::Skipped => "skipped",
            Self::Cancelled => "cancelled",
        }
    }
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
    /// Further attempts that the call asks for.
    pub(crate) retries: Option<u32>,
    /// Further attempts at most, whoever asks for them.
    pub(crate) most_retries: u32,
}

impl ReadyCall {
    /// Of the call.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// What is called.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// A JSON object, with outputs in place of their names.
    pub fn args(&self) -> &str {
        &self.args
    }

    /// What kind of thing is called.
    pub const fn kind(&self) -> CallKind {
        self.kind
    }

    /// What waits for it; the calls of a batch are [`CallMode::Async`].
    pub const fn mode(&self) -> CallMode {
        self.mode
    }

    /// How long the model gives it; a number too large to count is [`Duration::MAX`].
    pub const fn timeout(&self) -> Option<Duration> {
        self.timeout
    }

    /// Its number, from 1.
    pub const fn attempt(&self) -> u32 {
        self.attempt
    }

    /// How many attempts may still follow this one if each of them fails. `of_tool` is how many the
    /// tool allows where the call does not say.
    pub fn retries(&self, of_tool: u32) -> u32 {
        let all = self.retries.unwrap_or(of_tool).min(self.most_retries);
        all.saturating_sub(self.attempt.saturating_sub(1))
    }
}
