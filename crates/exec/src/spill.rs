use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use tokio::time::timeout;

use crate::context::Context;
use crate::head_tail::{HeadTail, gone};
use crate::tool::Failure;

/// Keeps what a call gave beyond its cap, where the model can read it (P-27).
pub trait Spill: Send + Sync {
    /// Keeps the whole text of a call, and gives back the name under which the model can read it,
    /// such as a path. The context tells conversation, turn and call; a further attempt at the
    /// call comes with the same.
    ///
    /// # Errors
    ///
    /// A failure if it cannot be kept; the model is told that the text is gone.
    fn keep<'a>(
        &'a self,
        context: &'a Context,
        text: &'a str,
    ) -> BoxFuture<'a, Result<String, Failure>>;
}

impl<S: Spill + ?Sized> Spill for Arc<S> {
    fn keep<'a>(
        &'a self,
        context: &'a Context,
        text: &'a str,
    ) -> BoxFuture<'a, Result<String, Failure>> {
        (**self).keep(context, text)
    }
}

/// The text if the call may give so much, or else its two ends, with a line between them that says
/// where the whole is.
pub(crate) async fn spilled(
    text: String,
    context: &Context,
    spill: Option<Arc<dyn Spill>>,
) -> String {
    let cap = context.output_cap();
    let (Some(spill), true) = (spill, text.len() > cap) else { return cut(text, cap) };
    // A panic in there is a failure too, and a disk that hangs does not hold back the result.
    let keep = AssertUnwindSafe(async { spill.keep(context, &text).await }).catch_unwind();
    match timeout(MOST, keep).await {
        Ok(Ok(Ok(name))) => ends(&text, cap, |left| {
            format!("[{left} bytes are left out here; the whole can be read as `{name}`]")
        }),
        _ => cut(text, cap),
    }
}

/// The text if it has at most `cap` bytes, or else its two ends, and nobody keeps the rest.
pub(crate) fn cut(text: String, cap: usize) -> String {
    if text.len() <= cap { text } else { ends(&text, cap, gone) }
}

fn ends(text: &str, cap: usize, line: impl FnOnce(u64) -> String) -> String {
    let mut ends = HeadTail::new(cap);
    ends.push(text);
    let line = line(ends.left_out());
    ends.finish_with(&line)
}

/// How long keeping one text may take.
const MOST: Duration = Duration::from_secs(60);
