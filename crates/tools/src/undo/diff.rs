//! Unified diffs for people, of short texts only.

use similar::TextDiff;

/// Returns the difference between a file as it is and as it was, or `None` if one of them is long
/// or no text.
pub(crate) fn unified(path: &str, now: &[u8], before: &[u8]) -> Option<String> {
    let (now, before) = (text(now)?, text(before)?);
    let diff = TextDiff::from_lines(now, before);
    Some(diff.unified_diff().header(&format!("a/{path}"), &format!("b/{path}")).to_string())
}

fn text(content: &[u8]) -> Option<&str> {
    let text = str::from_utf8(content).ok()?;
    (text.len() as u64 <= MAX_BYTES && text.lines().count() <= MAX_LINES).then_some(text)
}

/// The greatest length of a text that is compared. The time of a comparison grows with the square
/// of the lines.
pub(crate) const MAX_BYTES: u64 = 1 << 20;
const MAX_LINES: usize = 4_000;
