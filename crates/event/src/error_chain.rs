//! Errors as a person reads them: on one line, with their sources.

use std::error::Error;
use std::iter;

/// Joins the messages of an error and its sources with `: `, the outermost first.
/// [`ErrorEvent::content`](crate::ErrorEvent::content) and the errors on a terminal have this form.
///
/// An error of this workspace does not repeat its source in its message. Other errors do, so a
/// source is left out if its message is already in the line.
///
/// ```
/// use std::io;
///
/// use silcrow_event::error_chain;
///
/// #[derive(Debug)]
/// struct OpenError(io::Error);
///
/// impl std::fmt::Display for OpenError {
///     fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
///         f.write_str("cannot open the log")
///     }
/// }
///
/// impl std::error::Error for OpenError {
///     fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
///         Some(&self.0)
///     }
/// }
///
/// let error = OpenError(io::Error::other("the disk is full"));
/// assert_eq!(error_chain(&error), "cannot open the log: the disk is full");
/// ```
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
