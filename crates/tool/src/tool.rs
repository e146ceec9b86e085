//! The trait of tools, and the arguments of their calls.
//!
//! `silcrow-tools` has the tools for files; a program implements [`Tool`] for its own and adds them
//! to a [`Toolbox`](crate::Toolbox).

use std::sync::Arc;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde::Deserialize;

use crate::call_preview::Preview;
use crate::context::CallContext;
use crate::tool_output::{ToolError, ToolOutput};
use crate::tool_policy::ToolPolicy;

/// A tool that a model may call.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// use futures_util::future::{BoxFuture, FutureExt as _, ready};
/// use silcrow_tool::{CallContext, Tool, ToolArgs, ToolError, ToolOutput};
///
/// /// Tells how long its arguments are.
/// struct Length;
///
/// impl Tool for Length {
///     fn name(&self) -> &str {
///         "length"
///     }
///     fn description(&self) -> &str {
///         "Counts the bytes of its arguments."
///     }
///     fn schema(&self) -> &str {
///         r#"{"type":"object"}"#
///     }
///     fn call<'a>(
///         &'a self,
///         args: ToolArgs<'a>,
///         _: &'a CallContext,
///     ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
///         let length = args.as_str().len();
///         ready(Ok(ToolOutput::new("counted", length.to_string()))).boxed()
///     }
/// }
///
/// let output = Length.call(ToolArgs::new("{}"), &CallContext::new("c1", "a1")).await.unwrap();
/// assert_eq!(output.content.text(), "2");
/// # });
/// ```
pub trait Tool: Send + Sync {
    /// Returns the name as the model writes it, which is unique in a toolbox.
    fn name(&self) -> &str;

    /// Returns the name that rules about calls use ([`Permissions`](crate::Permissions)). It
    /// differs from the tool's name only for an [alias](crate::AliasTool).
    fn rule_name(&self) -> &str {
        self.name()
    }

    /// Describes the tool for the model, in a sentence or two.
    fn description(&self) -> &str;

    /// Returns the JSON schema of the arguments: an object.
    fn schema(&self) -> &str;

    /// Returns the policy with which the runner treats the tool.
    fn policy(&self) -> ToolPolicy {
        ToolPolicy::default()
    }

    /// Describes the effect of a call with these arguments, without making the call. The runner
    /// calls this only for calls that may need approval: before it decides whether to ask a person,
    /// and again right before the call runs. By default the target is unknown, and an approval for
    /// the conversation covers exactly the same arguments.
    ///
    /// # Errors
    ///
    /// Returns a [`ToolError`] if the call cannot be done. The error is the call's result, and
    /// nobody is asked. A panic has the same effect.
    fn preview<'a>(
        &'a self,
        args: ToolArgs<'a>,
        _context: &'a CallContext,
    ) -> BoxFuture<'a, Result<Preview, ToolError>> {
        async move { Ok(Preview::new(args.as_str())) }.boxed()
    }

    /// Runs a call. If the call is cancelled or takes too long, the future is dropped.
    ///
    /// The output stays in memory until it is reported. If it may be endless, collect it in a
    /// [`HeadTail`](crate::HeadTail); if the call starts processes, hold their
    /// [`ProcessGroup`](crate::ProcessGroup).
    ///
    /// # Errors
    ///
    /// Returns a [`ToolError`] that explains to the model what was wrong and what to do instead.
    fn call<'a>(
        &'a self,
        args: ToolArgs<'a>,
        context: &'a CallContext,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>>;

    /// Returns whether [`undo`](Self::undo) can undo a call with these arguments, in which `$name`
    /// may still stand for an output. A transaction accepts such a call without a `compensate`
    /// (P-32). By default no call can be undone.
    fn can_undo(&self, _args: ToolArgs<'_>) -> bool {
        false
    }

    /// Undoes the call `call` of the context's conversation and turn, because its transaction is
    /// rolled back (P-32). That call may have done nothing or only part of its work, and may
    /// already have been undone. `context` belongs to the undoing call.
    ///
    /// # Errors
    ///
    /// Returns a [`ToolError`] that names the things that could not be undone, and the reason.
    fn undo<'a>(
        &'a self,
        _call: &'a str,
        _context: &'a CallContext,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        async { Err(ToolError::new("this tool takes nothing back")) }.boxed()
    }

    /// Finishes work, such as a rollback (P-32), that an earlier process left half done in a call
    /// that will not run again. The scope of `context` [is repeated](crate::Scope::is_repeated). If
    /// there is something to report, returns a sentence for the call's result.
    ///
    /// # Errors
    ///
    /// Returns a [`ToolError`] if the work cannot be finished now. The next run tries again.
    fn recover<'a>(
        &'a self,
        _context: &'a CallContext,
    ) -> BoxFuture<'a, Result<Option<String>, ToolError>> {
        async { Ok(None) }.boxed()
    }
}

impl<T: Tool + ?Sized> Tool for Arc<T> {
    fn can_undo(&self, args: ToolArgs<'_>) -> bool {
        (**self).can_undo(args)
    }

    fn undo<'a>(
        &'a self,
        call: &'a str,
        context: &'a CallContext,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        (**self).undo(call, context)
    }

    fn recover<'a>(
        &'a self,
        context: &'a CallContext,
    ) -> BoxFuture<'a, Result<Option<String>, ToolError>> {
        (**self).recover(context)
    }

    fn name(&self) -> &str {
        (**self).name()
    }

    fn rule_name(&self) -> &str {
        (**self).rule_name()
    }

    fn description(&self) -> &str {
        (**self).description()
    }

    fn schema(&self) -> &str {
        (**self).schema()
    }

    fn policy(&self) -> ToolPolicy {
        (**self).policy()
    }

    fn preview<'a>(
        &'a self,
        args: ToolArgs<'a>,
        context: &'a CallContext,
    ) -> BoxFuture<'a, Result<Preview, ToolError>> {
        (**self).preview(args, context)
    }

    fn call<'a>(
        &'a self,
        args: ToolArgs<'a>,
        context: &'a CallContext,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        (**self).call(args, context)
    }
}

/// The arguments of a call: a JSON object, exactly as the model wrote it.
///
/// ```
/// use serde::Deserialize;
/// use silcrow_tool::ToolArgs;
///
/// #[derive(Deserialize, Debug, PartialEq)]
/// #[serde(deny_unknown_fields)]
/// struct ReadFile<'a> {
///     file: &'a str,
/// }
///
/// let args = ToolArgs::new(r#"{"file":"main.rs"}"#);
/// assert_eq!(args.read(), Ok(ReadFile { file: "main.rs" }));
/// // The model reads this, and tries again.
/// let why = ToolArgs::new(r#"{"path":"main.rs"}"#).read::<ReadFile<'_>>().unwrap_err();
/// assert!(why.to_string().contains("unknown field `path`, expected `file`"), "{why}");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct ToolArgs<'a>(&'a str);

impl<'a> ToolArgs<'a> {
    /// Wraps JSON text.
    pub const fn new(json: &'a str) -> Self {
        Self(json)
    }

    /// Returns the JSON text.
    pub const fn as_str(self) -> &'a str {
        self.0
    }

    /// Deserializes the arguments into a struct. With `deny_unknown_fields`, unknown arguments are
    /// rejected by name.
    ///
    /// # Errors
    ///
    /// Returns an error for the model that names the field.
    pub fn read<T: Deserialize<'a>>(self) -> Result<T, ToolError> {
        serde_json::from_str(self.0)
            .map_err(|error| ToolError::new(format!("the arguments do not fit: {error}")))
    }
}
