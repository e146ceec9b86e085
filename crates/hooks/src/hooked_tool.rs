//! A tool with hooks before and after its calls.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use silcrow_event::DataKey;
use silcrow_tool::{CallContext, Preview, Tool, ToolArgs, ToolError, ToolOutput, ToolPolicy};

use crate::hook::HookEvent;
use crate::hook_call::HookCall;
use crate::hooks::Hooks;
use crate::verdict::{HookOutcome, HookVerdict};

/// A tool with hooks before and after its calls.
///
/// The hooks before a call run once, before the person may be asked about it. A hook that blocks makes the call
/// fail, and one that asks makes it a call with a risk, which a person has to allow.
///
/// ```
/// # use std::sync::Arc;
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
/// use silcrow_hooks::{HookedTool, Hooks};
///
/// let tool = HookedTool::new(Arc::new(Echo), &Hooks::new([], "."));
/// assert_eq!(tool.name(), "echo");
/// ```
pub struct HookedTool {
    tool: Arc<dyn Tool>,
    hooks: Hooks,
    /// The outcomes of hooks about calls that wait.
    said: Mutex<HashMap<String, HookOutcome>>,
}

impl HookedTool {
    /// Adds hooks to a tool.
    pub fn new(tool: Arc<dyn Tool>, hooks: &Hooks) -> Self {
        Self { tool, hooks: hooks.clone(), said: Mutex::default() }
    }

    /// Returns the outcome of the hooks before a call. They run once for each call with the same
    /// arguments.
    async fn before(&self, args: ToolArgs<'_>, context: &CallContext) -> HookOutcome {
        if !self.hooks.has(HookEvent::PreToolUse) {
            return HookOutcome::default();
        }
        let key = key(args, context);
        let said = self.lock().get(&key).cloned();
        if let Some(said) = said {
            return said;
        }
        let name = self.tool.rule_name();
        let call = HookCall::before_tool(context.conversation_id(), name, args.as_str());
        let outcome = self.hooks.run(&call.with_call_id(context.call_id())).await;
        let mut said = self.lock();
        if said.len() >= MOST_CALLS {
            said.clear();
        }
        said.insert(key, outcome.clone());
        outcome
    }

    /// Runs the hooks after a call, and adds their texts.
    async fn after(
        &self,
        args: ToolArgs<'_>,
        context: &CallContext,
        mut output: Result<ToolOutput, ToolError>,
    ) -> Result<ToolOutput, ToolError> {
        if !self.hooks.has(HookEvent::PostToolUse) {
            return output;
        }
        let (text, is_error) = match &output {
            Ok(output) => (output.content.text().into_owned(), false),
            Err(error) => (error.to_string(), true),
        };
        let name = self.tool.rule_name();
        let conversation = context.conversation_id();
        let call = HookCall::after_tool(conversation, name, args.as_str(), &text, is_error);
        let outcome = self.hooks.run(&call.with_call_id(context.call_id())).await;
        let Ok(done) = &mut output else { return output };
        let mut told = outcome.context;
        if let HookVerdict::Block(why) | HookVerdict::Ask(why) = outcome.verdict {
            told.push(why);
        }
        add(done, &told, &outcome.messages);
        output
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<String, HookOutcome>> {
        self.said.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Adds the texts of hooks to an output: words for the model as data, and words for the person as
/// notices.
fn add(output: &mut ToolOutput, told: &[String], messages: &[String]) {
    for told in told {
        let text = format!("A hook of the person says:\n{told}");
        let marked = DataKey::default().with_bytes(text.as_bytes()).mark().wrap(&text);
        output.content.push_text(&format!("\n\n{marked}"));
    }
    output.notices.extend(messages.iter().cloned());
}

fn key(args: ToolArgs<'_>, context: &CallContext) -> String {
    let scope = context.scope();
    let id = context.call_id();
    format!("{}\n{}\n{id}\n{}", scope.conversation_id(), scope.turn, args.as_str())
}

impl Tool for HookedTool {
    fn name(&self) -> &str {
        self.tool.name()
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
        async move {
            let outcome = self.before(args, context).await;
            match outcome.verdict {
                HookVerdict::Block(why) => Err(ToolError::new(why)),
                HookVerdict::GoOn => self.tool.preview(args, context).await,
                HookVerdict::Ask(why) => {
                    let preview = self.tool.preview(args, context).await?;
                    let risk = preview.risk.clone().unwrap_or(why);
                    Ok(preview.with_risk(risk))
                }
            }
        }
        .boxed()
    }

    fn call<'a>(
        &'a self,
        args: ToolArgs<'a>,
        context: &'a CallContext,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        async move {
            let outcome = self.before(args, context).await;
            self.lock().remove(&key(args, context));
            match outcome.verdict {
                HookVerdict::Block(why) => return Err(ToolError::new(why)),
                // Nobody was asked.
                HookVerdict::Ask(why) if context.approved().is_none() => {
                    let why = format!("nobody can be asked, and {why}");
                    return Err(ToolError::new(why));
                }
                HookVerdict::GoOn | HookVerdict::Ask(_) => {}
            }
            let mut output = self.tool.call(args, context).await;
            if let Ok(output) = &mut output {
                add(output, &outcome.context, &outcome.messages);
            }
            self.after(args, context, output).await
        }
        .boxed()
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

impl fmt::Debug for HookedTool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HookedTool").field("tool", &self.tool.name()).finish_non_exhaustive()
    }
}

/// The number of calls whose hooks have run and that wait.
const MOST_CALLS: usize = 256;
