//! The trait of a call's host: it receives reports, passes on questions, and owns tasks that
//! outlive the call.
//!
//! A tool does not see this. It calls the methods of its [`CallContext`](crate::CallContext), which
//! pass on to it.

use std::fmt;

use futures_util::FutureExt as _;
use futures_util::future::{BoxFuture, ready};
use silcrow_event::{Entry, Grants};

/// Runs a call and receives its reports. The runner of `silcrow-exec` implements this trait; a
/// program that calls tools directly needs it only to receive their progress or to answer their
/// questions.
///
/// ```
/// use std::sync::{Arc, Mutex};
///
/// use futures_util::FutureExt as _;
/// use futures_util::future::{BoxFuture, ready};
/// use silcrow_event::Entry;
/// use silcrow_tool::{CallContext, CallHost};
///
/// /// Collects the output of a call.
/// #[derive(Debug, Default)]
/// struct Collected(Mutex<String>);
///
/// impl CallHost for Collected {
///     fn progress<'a>(&'a self, _channel: &'a str, content: String) -> BoxFuture<'a, ()> {
///         self.0.lock().unwrap().push_str(&content);
///         ready(()).boxed()
///     }
///     fn report_event(&self, _: Entry) -> BoxFuture<'_, ()> {
///         ready(()).boxed()
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let host = Arc::new(Collected::default());
/// let context = CallContext::new("sums", "a1").with_host(host.clone());
/// context.progress("stdout", "half of it").await;
/// assert_eq!(*host.0.lock().unwrap(), "half of it");
/// # }
/// ```
pub trait CallHost: fmt::Debug + Send + Sync {
    /// Takes a piece of partial output on a channel such as `stdout`. The call waits for the future,
    /// so a slow receiver slows it.
    fn progress<'a>(&'a self, channel: &'a str, content: String) -> BoxFuture<'a, ()>;

    /// Takes an event of an agent that the call runs; otherwise like [`progress`](Self::progress).
    fn report_event(&self, entry: Entry) -> BoxFuture<'_, ()>;

    /// Decides about doors that are not open for the call. Dropping the future withdraws the
    /// question. By default nobody can be asked.
    ///
    /// # Errors
    ///
    /// The future returns the reason of a denial, which the model reads.
    fn ask_for(&self, missing: Grants) -> BoxFuture<'_, Result<(), String>> {
        ready(Err(format!("nobody can be asked for {missing}"))).boxed()
    }

    /// Runs work that continues when the call is dropped, and returns nothing. By default the work is
    /// returned, and then the call itself runs it.
    fn run_to_end(&self, work: BoxFuture<'static, ()>) -> Option<BoxFuture<'static, ()>> {
        Some(work)
    }
}
