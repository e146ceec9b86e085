//! Whether an approval for the conversation covers a call, by the text of its scope.
//!
//! A scope may end with a row about the time of the call. This module writes and reads that row,
//! and ignores the rest of a scope.

use std::time::Duration;

/// The time for which a call runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ScopeTime {
    /// Its effects outlive the call.
    Outlives,
    /// Until this limit.
    Limit(Duration),
}

impl ScopeTime {
    /// Returns the end of a scope that says this.
    pub(crate) fn row(self) -> String {
        match self {
            Self::Outlives => format!("\n{OUTLIVES}"),
            Self::Limit(limit) => format!("\n{LIMIT}{}{SECONDS}", limit.as_secs_f64()),
        }
    }
}

/// Returns whether an approval of the scope `granted` covers a call with the scope `wanted` and this
/// time: they are equal, or differ only in the time limit, and the call has the shorter one.
pub(crate) fn covers(granted: &str, wanted: &str, time: Option<ScopeTime>) -> bool {
    if granted == wanted {
        return true;
    }
    let Some(time @ ScopeTime::Limit(limit)) = time else { return false };
    let rest = wanted.strip_suffix(&*time.row());
    let row = rest.and_then(|rest| granted.strip_prefix(rest)?.strip_prefix('\n'));
    let seconds = row.and_then(|row| row.strip_prefix(LIMIT)?.strip_suffix(SECONDS)?.parse().ok());
    let most = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    most.is_some_and(|most| limit <= most)
}

const OUTLIVES: &str = "in the background, until it is stopped";

const LIMIT: &str = "for at most ";

const SECONDS: &str = " s";

#[cfg(test)]
mod tests {
    use super::*;

    const BACKGROUND: Option<ScopeTime> = Some(ScopeTime::Outlives);

    fn limit(seconds: u64) -> Option<ScopeTime> {
        Some(ScopeTime::Limit(Duration::from_secs(seconds)))
    }

    fn scope(text: &str, time: Option<ScopeTime>) -> String {
        text.to_owned() + &time.map(ScopeTime::row).unwrap_or_default()
    }

    #[test]
    fn same_or_shorter_time_is_covered() {
        assert_eq!(scope("make", limit(30)), "make\nfor at most 30 s");
        for ((granted, given), (wanted, time), is_covered) in [
            (("make", limit(30)), ("make", limit(30)), true),
            (("make", limit(30)), ("make", limit(5)), true),
            (("make", limit(30)), ("make", limit(31)), false),
            (("make", limit(30)), ("make x", limit(5)), false),
            (("make", limit(30)), ("make", BACKGROUND), false),
            (("make", limit(30)), ("make", None), false),
            (("make", BACKGROUND), ("make", BACKGROUND), true),
            (("make", BACKGROUND), ("make", limit(5)), false),
            (("make", None), ("make", limit(5)), false),
            (("make\nfor at most 600 s", limit(5)), ("make", limit(300)), false),
        ] {
            let (granted, wanted) = (scope(granted, given), scope(wanted, time));
            assert_eq!(covers(&granted, &wanted, time), is_covered, "{granted:?} {wanted:?}");
        }
        // A text that only looks like such a row is compared as a whole.
        assert!(!covers("make\nfor at most 600 s", "make\nfor at most 5 s", None));
    }
}
