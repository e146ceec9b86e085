//! Messages of errors, which a client reads in an answer.

/// Cuts a message after 1,000 bytes, because it may quote a client's text.
///
/// ```
/// let long = silcrow_front::short_reason("é".repeat(2_000));
/// assert_eq!(long.len(), 1_003);
/// assert!(long.ends_with("é…"));
/// ```
pub fn short_reason(mut message: String) -> String {
    if message.len() > MOST {
        message.truncate(message.floor_char_boundary(MOST));
        message.push('…');
    }
    message
}

/// The most bytes of a message.
const MOST: usize = 1_000;
