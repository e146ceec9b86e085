//! A tool under another name.
//!
//! Rules about calls use its own name, so an alias changes nothing that a person has decided.

use std::sync::Arc;

use futures_util::future::BoxFuture;

use crate::call_preview::Preview;
use crate::context::CallContext;
use crate::tool::{Tool, ToolArgs};
use crate::tool_output::{ToolError, ToolOutput};
use crate::tool_policy::ToolPolicy;

/// A tool that a text calls by another name.
///
/// ```
/// # use silcrow_tool::*;
/// # struct Echo;
/// # impl Tool for Echo {
/// #     fn name(&self) -> &str { "echo" }
/// #     fn description(&self) -> &str { "" }
/// #     fn schema(&self) -> &str { "{}" }
/// #     fn call<'a>(&'a self, args: ToolArgs<'a>, _: &'a CallContext)
/// #         -> futures_util::future::BoxFuture<'a, Result<ToolOutput, ToolError>> {
/// #         Box::pin(async move { Ok(ToolOutput::new("", args.as_str())) })
/// #     }
/// # }
/// let say = AliasTool::new("say", Echo);
/// assert_eq!((say.name(), say.rule_name()), ("say", "echo"));
/// ```
#[derive(Clone)]
pub struct AliasTool {
    name: String,
    tool: Arc<dyn Tool>,
}

impl AliasTool {
    /// Creates an alias of a tool.
    pub fn new(name: impl Into<String>, tool: impl Tool + 'static) -> Self {
        Self { name: name.into(), tool: Arc::new(tool) }
    }
}

impl Tool for AliasTool {
    fn name(&self) -> &str {
        &self.name
    }

    fn rule_name(&self) -> &str {
        self.tool.rule_name()
    }

    fn description(&self) -> &str {
        self.tool.description()
    }

    fn schema(&self) -> &str {
        self.tool.schema()
    }

    fn policy(&self) -> ToolPolicy {
        self.tool.policy()
    }

    fn preview<'a>(
        &'a self,
        args: ToolArgs<'a>,
        context: &'a CallContext,
    ) -> BoxFuture<'a, Result<Preview, ToolError>> {
        self.tool.preview(args, context)
    }

    fn call<'a>(
        &'a self,
        args: ToolArgs<'a>,
        context: &'a CallContext,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        self.tool.call(args, context)
    }

    fn can_undo(&self, args: ToolArgs<'_>) -> bool {
        self.tool.can_undo(args)
    }

    fn undo<'a>(
        &'a self,
        call: &'a str,
        context: &'a CallContext,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        self.tool.undo(call, context)
    }

    fn recover<'a>(
        &'a self,
        context: &'a CallContext,
    ) -> BoxFuture<'a, Result<Option<String>, ToolError>> {
        self.tool.recover(context)
    }
}

impl std::fmt::Debug for AliasTool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AliasTool")
            .field("name", &self.name)
            .field("tool", &self.tool.name())
            .finish()
    }
}
