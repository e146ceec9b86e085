//! Outputs that are longer than their cap: two ends for the model, and the whole elsewhere.
//!
//! This module cuts outputs.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use silcrow_event::{Content, Truncation};
use silcrow_tool::{CallContext, HeadTail, Spill};
use tokio::time::timeout;

/// Returns the content if its text is short enough for the call. Otherwise returns the beginning of
/// that text, with its end and the name of the whole beside it.
pub(crate) async fn spilled(
    content: Content,
    truncated: Option<Truncation>,
    context: &CallContext,
    spill: Option<Arc<dyn Spill>>,
) -> (Content, Option<Truncation>) {
    let cap = context.output_cap();
    if fits(&content.text(), truncated.as_ref(), cap) {
        return (content, truncated);
    }
    let content = content.into_text();
    // If the tool itself has cut the output, the whole cannot be kept.
    let kept = match spill.filter(|_| truncated.is_none() && content.len() > cap) {
        Some(spill) => {
            // A panic is a failure, too, and a disk that hangs does not delay the result for long.
            let keep = AssertUnwindSafe(async { spill.keep(context, &content).await });
            match timeout(MOST, keep.catch_unwind()).await {
                Ok(Ok(Ok(name))) => Some(name),
                _ => None,
            }
        }
        None => None,
    };
    let (content, truncated) = cut(content, truncated, cap);
    let truncated = truncated.map(|truncated| match kept {
        Some(name) => truncated.with_full_output(name),
        None => truncated,
    });
    (content.into(), truncated)
}

/// Returns the content if it has, with its tail, at most `cap` bytes; otherwise its two ends.
pub(crate) fn cut(
    content: String,
    truncated: Option<Truncation>,
    cap: usize,
) -> (String, Option<Truncation>) {
    if fits(&content, truncated.as_ref(), cap) {
        return (content, truncated);
    }
    let tail = truncated.as_ref().and_then(|truncated| truncated.tail.as_deref());
    let (head, cut) = match tail {
        None => {
            let mut ends = HeadTail::new(cap);
            ends.push(&content);
            ends.finish()
        }
        Some(tail) => widened(&content, tail, cap),
    };
    let mut cut = cut.unwrap_or_default();
    if let Some(by_tool) = truncated {
        let [by_tool_omitted, omitted] = [&by_tool, &cut].map(|cut| cut.omitted_bytes.unwrap_or(0));
        cut = by_tool
            .with_omitted_bytes(by_tool_omitted.saturating_add(omitted))
            .with_tail(cut.tail.unwrap_or_default());
    }
    (head, Some(cut))
}

/// Returns whether the content has, with its tail, at most `cap` bytes.
fn fits(content: &str, truncated: Option<&Truncation>, cap: usize) -> bool {
    let tail = truncated.and_then(|truncated| truncated.tail.as_deref());
    content.len() + tail.map_or(0, str::len) <= cap
}

/// Leaves out more on both sides of a gap.
fn widened(head: &str, tail: &str, cap: usize) -> (String, Option<Truncation>) {
    let room = (cap - cap / 4).max(cap.saturating_sub(tail.len()));
    let end = head.floor_char_boundary(room);
    let start = tail.ceil_char_boundary(tail.len().saturating_sub(cap - end));
    let omitted = (head.len() - end + start) as u64;
    let cut = Truncation::default().with_omitted_bytes(omitted).with_tail(&tail[start..]);
    (head[..end].to_owned(), Some(cut))
}

/// The time limit for keeping one text.
const MOST: Duration = Duration::from_secs(60);
