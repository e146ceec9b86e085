//! The reason why a call failed, as a client shows it.

use std::borrow::Cow;

use silcrow_event::CallResult;

/// Returns why a call failed. The output of a command alone does not say that the command failed, so
/// its summary is before it.
pub(crate) fn error_text(result: &CallResult) -> Cow<'_, str> {
    match result.content.is_empty() || !result.notices().is_empty() {
        true => Cow::Owned(result.failure_text()),
        false => result.content.text(),
    }
}
