//! The bytes of requests, counted in answers and errors.

use futures_util::{StreamExt as _, stream};
use silcrow_event as event;

use crate::delta::Delta;
use crate::error::ErrorKind;
use crate::provider::DeltaStream;

/// Adds bytes of requests to those that an answer reports.
///
/// The bytes are added to every usage of the answer. If it has none, a usage without tokens is
/// inserted before the end. If the answer is an error alone, the bytes are added to
/// [`Error::sent`], except for an error of [`ErrorKind::Network`], with which the server received
/// nothing.
///
/// [`Error::sent`]: crate::Error::sent
///
/// ```
/// use futures_util::{StreamExt as _, stream};
/// use silcrow_provider::{Delta, FinishReason, add_sent_bytes};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let deltas = [Delta::Text("hi".to_owned()), Delta::Done(FinishReason::Stop)];
/// let deltas = add_sent_bytes(stream::iter(deltas.map(Ok)).boxed(), 640);
/// let deltas: Vec<_> = deltas.map(Result::unwrap).collect().await;
/// // The vendor reported no usage, so one is inserted before the end.
/// assert!(matches!(&deltas[1], Delta::Usage(usage) if usage.sent_bytes == 640));
/// # }
/// ```
pub fn add_sent_bytes(deltas: DeltaStream, bytes: u64) -> DeltaStream {
    if bytes == 0 {
        return deltas;
    }
    let (mut has_items, mut has_usage) = (false, false);
    Box::pin(deltas.flat_map(move |mut item| {
        let first = !std::mem::replace(&mut has_items, true);
        let mut before = None;
        match &mut item {
            Ok(Delta::Usage(usage)) => {
                usage.sent_bytes = usage.sent_bytes.saturating_add(bytes);
                has_usage = true;
            }
            Err(error) if first && error.kind() != ErrorKind::Network => error.add_sent(bytes),
            Err(_) if first => {}
            Ok(Delta::Done(_)) | Err(_) if !has_usage => {
                let usage = event::Usage { sent_bytes: bytes, ..event::Usage::default() };
                before = Some(Ok(Delta::Usage(usage)));
            }
            _ => {}
        }
        stream::iter(before.into_iter().chain([item]))
    }))
}
