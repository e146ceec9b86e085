//! Errors as a person reads them: on one line, with their sources.
//!
//! This module knows no error in particular.

use std::error::Error;
use std::iter;

/// Returns the message of an error and those of its sources, outermost first, joined by `: `. It is
/// what [`ErrorEvent::content`](crate::ErrorEvent::content) and a line on a terminal say.
///
/// An error of this workspace does not repeat its source in its message. Others do, so a source
/// whose message was in the line before it is left out.
pub fn error_chain(error: &dyn Error) -> String {
    let mut line = error.to_string();
    for source in iter::successors(error.source(), |&source| source.source()) {
        let message = source.to_string();
        if !line.contains(&message) {
            line += ": ";
            line += &message;
        }
    }
    line
}
