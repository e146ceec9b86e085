//! Whether an approval for the conversation covers a call, by the text of its scope.
//!
//! A scope may end with a row about how long the call runs. This module writes and reads that row. It
//! does not know what the rest of a scope says.

use std::time::Duration;

use crate::call_preview::Preview;

/// Returns the end of a scope that says how long a call runs, if its preview says that.
pub(crate) fn time_row(preview: &Preview) -> Option<String> {
    match (preview.outlives_call, preview.time_limit) {
        (true, _) => Some(format!("\n{OUTLIVES}")),
        (false, Some(limit)) => Some(format!("\n{LIMIT}{}{SECONDS}", limit.as_secs_f64())),
        (false, None) => None,
    }
}

/// Returns whether an approval of this scope covers a call: they are equal, or differ only in the time
/// limit, and the call has the shorter one.
pub(crate) fn covers(granted: &str, wanted: &Preview) -> bool {
    if granted == wanted.scope {
        return true;
    }
    let (false, Some(limit)) = (wanted.outlives_call, wanted.time_limit) else { return false };
    let rest = time_row(wanted).and_then(|row| wanted.scope.strip_suffix(&*row));
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

    fn limited(scope: &str, seconds: u64) -> Preview {
        Preview::new(scope).with_time_limit(Duration::from_secs(seconds)).with_time_in_scope()
    }

    #[test]
    fn same_or_shorter_time_is_covered() {
        let background = Preview::new("make").outliving_call().with_time_in_scope();
        let asked = limited("make", 30);
        assert_eq!(asked.scope, "make\nfor at most 30 s");
        for (granted, wanted, is_covered) in [
            (&asked, limited("make", 30), true),
            (&asked, limited("make", 5), true),
            (&asked, limited("make", 31), false),
            (&asked, limited("make x", 5), false),
            (&asked, background.clone(), false),
            (&asked, Preview::new("make"), false),
            (&background, background.clone(), true),
            (&background, limited("make", 5), false),
            (&Preview::new("make"), limited("make", 5), false),
            (&limited("make\nfor at most 600 s", 5), limited("make", 300), false),
        ] {
            assert_eq!(covers(&granted.scope, &wanted), is_covered, "{granted:?} {wanted:?}");
        }
        // A text that only looks like such a row is compared as a whole.
        let text = Preview::new("make\nfor at most 5 s");
        assert!(!covers("make\nfor at most 600 s", &text));
    }
}
