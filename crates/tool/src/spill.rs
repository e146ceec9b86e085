//! The trait of stores for outputs that are longer than their cap.
//!
//! The tool cuts the output.

use std::sync::Arc;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;

use crate::context::CallContext;
use crate::tool_output::ToolError;

/// Keeps an output that is longer than its cap, in a place where the model can read it (P-27).
///
/// ```
/// use std::collections::BTreeMap;
/// use std::sync::Mutex;
///
/// use futures_util::FutureExt as _;
/// use futures_util::future::BoxFuture;
/// use silcrow_tool::{CallContext, Scope, Spill, ToolError};
///
/// /// Keeps outputs in memory.
/// #[derive(Default)]
/// struct Kept(Mutex<BTreeMap<String, String>>);
///
/// impl Spill for Kept {
///     fn keep<'a>(
///         &'a self,
///         context: &'a CallContext,
///         text: &'a str,
///     ) -> BoxFuture<'a, Result<String, ToolError>> {
///         // The key is the same for every attempt, so the last output replaces the others.
///         let name = context.idempotency_key();
///         self.0.lock().unwrap().insert(name.clone(), text.to_owned());
///         async { Ok(name) }.boxed()
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), ToolError> {
/// let kept = Kept::default();
/// let context = CallContext::new(Scope::new("sums").with_turn(2), "a1");
/// kept.keep(&context, "half of it").await?;
/// assert_eq!(kept.keep(&context, "all of it").await?, "sums/2/a1");
/// assert_eq!(kept.0.lock().unwrap().len(), 1);
/// // Bytes are not kept unless the trait's other method is implemented.
/// assert!(kept.keep_bytes(&context, "png", b"...").await.is_err());
/// # Ok(())
/// # }
/// ```
pub trait Spill: Send + Sync {
    /// Keeps the whole output of a call, and returns the name under which the model can read it,
    /// such as a path. The context names the conversation, the turn and the call, which are the
    /// same for all attempts at the call.
    ///
    /// # Errors
    ///
    /// Returns a failure if the output cannot be kept; the model then reads no name.
    fn keep<'a>(
        &'a self,
        context: &'a CallContext,
        text: &'a str,
    ) -> BoxFuture<'a, Result<String, ToolError>>;

    /// Keeps a part of an output that is not text, such as an image, and returns its name. A call
    /// may have several; `extension` is the end of the name, such as `png`. By default it cannot be
    /// kept.
    ///
    /// # Errors
    ///
    /// Returns a failure if the bytes cannot be kept.
    fn keep_bytes<'a>(
        &'a self,
        _context: &'a CallContext,
        _extension: &'a str,
        _bytes: &'a [u8],
    ) -> BoxFuture<'a, Result<String, ToolError>> {
        async { Err(ToolError::new("only text is kept")) }.boxed()
    }

    /// Keeps for the call of this context the output that another conversation has kept under
    /// `name`, and returns its name here. Returns `None` if that output is gone, or if only the
    /// other conversation can read it, as by default.
    ///
    /// # Errors
    ///
    /// Returns a failure if the output cannot be kept.
    fn adopt<'a>(
        &'a self,
        _context: &'a CallContext,
        _conversation: &'a str,
        _name: &'a str,
    ) -> BoxFuture<'a, Result<Option<String>, ToolError>> {
        async { Ok(None) }.boxed()
    }
}

impl<S: Spill + ?Sized> Spill for Arc<S> {
    fn keep<'a>(
        &'a self,
        context: &'a CallContext,
        text: &'a str,
    ) -> BoxFuture<'a, Result<String, ToolError>> {
        (**self).keep(context, text)
    }

    fn keep_bytes<'a>(
        &'a self,
        context: &'a CallContext,
        extension: &'a str,
        bytes: &'a [u8],
    ) -> BoxFuture<'a, Result<String, ToolError>> {
        (**self).keep_bytes(context, extension, bytes)
    }

    fn adopt<'a>(
        &'a self,
        context: &'a CallContext,
        conversation: &'a str,
        name: &'a str,
    ) -> BoxFuture<'a, Result<Option<String>, ToolError>> {
        (**self).adopt(context, conversation, name)
    }
}
