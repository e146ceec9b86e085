//! The facts about calls that only their tools can tell.
//!
//! A console shows calls to any tool. Only the crate of a tool can tell that a command has failed
//! although its call has not, or after which time a call is stopped. So a program names functions
//! that return such facts.

use std::fmt;
use std::time::Duration;

use silcrow_event::CallResult;

/// Functions that return facts about calls which only their tools know.
///
/// ```
/// use std::time::Duration;
///
/// use silcrow_console::ToolFacts;
/// use silcrow_event::CallResult;
///
/// let facts = ToolFacts {
///     has_failed: |result| result.notices().iter().any(|notice| notice == "exit status 1"),
///     time_limit: |tool, _args| (tool == "make").then(|| Duration::from_secs(60)),
/// };
/// let result = CallResult::success("a1", "make", "made", "");
/// assert!(!(facts.has_failed)(&result));
/// assert!(!(ToolFacts::NONE.has_failed)(&result));
/// ```
#[derive(Clone, Copy)]
#[expect(clippy::exhaustive_structs, reason = "a program that knows its tools writes all of it")]
pub struct ToolFacts {
    /// Returns whether a result comes from a command that ran and failed. Its symbol is between
    /// success and failure.
    pub has_failed: fn(&CallResult) -> bool,
    /// Returns the time after which a call of a tool with these arguments is stopped, if a person
    /// should see it. The arguments are the JSON of an object.
    pub time_limit: fn(&str, &str) -> Option<Duration>,
}

impl ToolFacts {
    /// Nothing is known about calls.
    pub const NONE: Self = Self { has_failed: |_| false, time_limit: |_, _| None };
}

impl Default for ToolFacts {
    fn default() -> Self {
        Self::NONE
    }
}

impl fmt::Debug for ToolFacts {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("ToolFacts").finish_non_exhaustive()
    }
}
