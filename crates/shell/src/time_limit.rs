//! The time limit of a call of `shell`, for displays of running calls.

use std::time::Duration;

use serde::Deserialize;

use crate::arguments::USUAL;
use crate::tool_names::SHELL;

/// Returns the time after which a call is stopped, from its arguments or the default. Returns
/// `None` for a command in the background, for other tools, and for arguments that cannot be read.
///
/// ```
/// use std::time::Duration;
///
/// use silcrow_shell::time_limit;
///
/// let limit = |args| time_limit("shell", args);
/// assert_eq!(limit(r#"{"command": "make"}"#), Some(Duration::from_secs(120)));
/// assert_eq!(limit(r#"{"command": "make", "timeout": 5}"#), Some(Duration::from_secs(5)));
/// assert_eq!(limit(r#"{"command": "make", "background": true}"#), None);
/// assert_eq!(time_limit("file_read", "{}"), None);
/// ```
pub fn time_limit(tool: &str, args: &str) -> Option<Duration> {
    if tool != SHELL {
        return None;
    }
    let LimitArgs { timeout, background } = serde_json::from_str(args).ok()?;
    (!background).then(|| timeout.map_or(USUAL, Duration::from_secs))
}

/// The arguments about the duration of a command.
#[derive(Deserialize)]
struct LimitArgs {
    #[serde(default)]
    timeout: Option<u64>,
    #[serde(default)]
    background: bool,
}
