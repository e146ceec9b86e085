//! The observer of the runs of hooks.

use std::fmt;

use futures_util::future::BoxFuture;
use silcrow_event::HookRun;

/// Receives each run of a hook after its end, such as to store it.
///
/// ```
/// # #[cfg(unix)] {
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// use std::sync::{Arc, Mutex};
///
/// use futures_util::FutureExt as _;
/// use futures_util::future::{BoxFuture, ready};
/// use silcrow_event::HookRun;
/// use silcrow_hooks::{Hook, HookCall, HookEvent, HookObserver, Hooks};
///
/// #[derive(Debug)]
/// struct Lines(Arc<Mutex<Vec<String>>>);
///
/// impl HookObserver for Lines {
///     fn ran<'a>(&'a self, _: &'a str, run: HookRun) -> BoxFuture<'a, ()> {
///         self.0.lock().unwrap().push(run.line());
///         ready(()).boxed()
///     }
/// }
///
/// let lines = Arc::default();
/// let hooks = Hooks::new([Hook::new(HookEvent::PreToolUse, "exit 2")], ".");
/// hooks.set_observer(Lines(Arc::clone(&lines)));
/// hooks.run(&HookCall::before_tool("c1", "shell", "{}")).await;
/// assert_eq!(*lines.lock().unwrap(), ["hook `exit 2` blocked shell"]);
/// # });
/// # }
/// ```
pub trait HookObserver: fmt::Debug + Send + Sync {
    /// Takes a run of a hook in a conversation. The call or prompt of the hook waits for the
    /// future.
    fn ran<'a>(&'a self, conversation: &'a str, run: HookRun) -> BoxFuture<'a, ()>;
}
