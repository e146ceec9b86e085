//! The errors that a person reads in full although their run goes on.

use silcrow_event::ErrorEvent;

/// Returns whether an error names media that the person's model does not take.
pub(crate) fn is_for_person(error: &ErrorEvent) -> bool {
    error.code == "media_refused"
}
