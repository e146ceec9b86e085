//! Keeps files around a tool that changes files without tracking them, such as a command.
//!
//! The tool reports when it begins and ends. The keeper keeps the files, so that the changes can be
//! shown and undone. Neither depends on the other.

use std::fmt;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use silcrow_event::FileDelta;

use crate::context::CallContext;
use crate::tool_output::{ToolError, ToolOutput};

/// Keeps the files that a call may change, so that its changes can be shown and undone.
///
/// ```
/// use futures_util::FutureExt as _;
/// use futures_util::future::BoxFuture;
/// use silcrow_tool::{
///     CallContext, ChangeKeeper, DeltaKind, FileDelta, KeptBefore, KeptOutcome, ToolError,
/// };
///
/// /// Knows of one file only.
/// #[derive(Debug)]
/// struct OneFile;
///
/// impl ChangeKeeper for OneFile {
///     fn before<'a>(
///         &'a self,
///         _: &'a CallContext,
///     ) -> BoxFuture<'a, Result<Box<dyn KeptBefore>, ToolError>> {
///         async { Ok(Box::new(Self) as Box<dyn KeptBefore>) }.boxed()
///     }
/// }
///
/// impl KeptBefore for OneFile {
///     fn after(self: Box<Self>) -> BoxFuture<'static, KeptOutcome> {
///         let changes = vec![FileDelta::new("notes.md", DeltaKind::Changed)];
///         async { KeptOutcome { changes, ..KeptOutcome::default() } }.boxed()
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), ToolError> {
/// let context = CallContext::new("sums", "a1");
/// let before = OneFile.before(&context).await?;
/// // The command runs here.
/// assert_eq!(before.after().await.changes[0].short(), "notes.md changed");
/// // It keeps no contents, so nothing can be taken back.
/// assert!(OneFile.undo("a1", &context).await.is_err());
/// # Ok(())
/// # }
/// ```
pub trait ChangeKeeper: fmt::Debug + Send + Sync {
    /// Keeps the files as they are before something changes them for this call.
    ///
    /// # Errors
    ///
    /// Returns the reason why they are not kept. The call may continue, and its changes cannot be
    /// undone.
    fn before<'a>(
        &'a self,
        context: &'a CallContext,
    ) -> BoxFuture<'a, Result<Box<dyn KeptBefore>, ToolError>>;

    /// Undoes the changes of the call `call` of the context's conversation and turn
    /// ([`Tool::undo`](crate::Tool::undo)). By default nothing can be undone.
    ///
    /// # Errors
    ///
    /// Returns a failure that names the files that stay as they are.
    fn undo<'a>(
        &'a self,
        _call: &'a str,
        _context: &'a CallContext,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        async { Err(ToolError::new("what it changed is not kept")) }.boxed()
    }
}

/// The files as they were before a call. If this is dropped, as in a crash, the next comparison of
/// the files finds the changes of the call.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// use futures_util::future::{BoxFuture, FutureExt as _, ready};
/// use silcrow_tool::{KeptBefore, KeptOutcome};
///
/// /// The state of a folder that is too large to be kept.
/// #[derive(Debug)]
/// struct TooLarge;
///
/// impl KeptBefore for TooLarge {
///     fn after(self: Box<Self>) -> BoxFuture<'static, KeptOutcome> {
///         let notices = vec!["the folder is too large, so this cannot be undone".to_owned()];
///         ready(KeptOutcome { notices, ..KeptOutcome::default() }).boxed()
///     }
/// }
///
/// assert!(Box::new(TooLarge).after().await.changes.is_empty());
/// # });
/// ```
pub trait KeptBefore: fmt::Debug + Send {
    /// Compares the files with their earlier state, once the call no longer changes them.
    fn after(self: Box<Self>) -> BoxFuture<'static, KeptOutcome>;
}

/// The changes that something made in files, and remarks about them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "an outcome is changes, and what is missing of them")]
pub struct KeptOutcome {
    /// The files that changed.
    pub changes: Vec<FileDelta>,
    /// Remarks for the model and the person, such as that the changes could not be kept.
    pub notices: Vec<String>,
}
