//! The common parts of agents and workflows that a call runs: a scope below the caller's, a permit,
//! a conversation, and the arguments as text.

use silcrow_event::{Call, CallMember, error_chain};
use silcrow_exec::{AgentPermit, Budget};
use silcrow_store::Store;
use silcrow_tool::{CallContext, Scope, ToolArgs, ToolError};

use crate::names::{MAX_ATTEMPTS, conversations, last_conversation};
use crate::parts::AgentParts;

/// Returns the scope of an agent or workflow with this name that a call runs. It has the caller's
/// user, budget and cancellation token, and the root of the inner agent's options.
///
/// # Errors
///
/// Returns a failure if it would be nested too deeply, or if its name contains `/`.
pub(crate) fn scope(
    context: &CallContext,
    name: &str,
    parts: &AgentParts,
) -> Result<Scope, ToolError> {
    if name.contains('/') {
        let why = format!("`{name}` cannot be started: a name with `/` would read as a path");
        return Err(ToolError::new(why));
    }
    let (around, max) = (context.agent_path(), parts.options.max_depth);
    if around.len() >= max {
        return Err(ToolError::new(format!(
            "`{name}` was not started: it would be the {}th within each other ({}), and {max} \
             is the limit; do it without it",
            around.len() + 1,
            around.join("/"),
        )));
    }
    let mut scope = context.scope().clone();
    scope.turn = 0;
    scope.is_repeated = false;
    scope.trace = context.trace_parent();
    scope.root = parts.options.root.as_ref().map(|root| root.path.clone());
    scope.agent_path.push(name.to_owned());
    Ok(parts.with_budget(scope))
}

/// Counts the agent or workflow `name` as running until the permit is dropped.
///
/// # Errors
///
/// Returns a failure if too many run.
pub(crate) fn enter(scope: &Scope, name: &str) -> Result<Option<AgentPermit>, ToolError> {
    let entered = Budget::from_scope(scope).map(Budget::enter).transpose();
    entered.map_err(|exhausted| {
        ToolError::new(format!("`{name}` was not started: {exhausted}; call it when one has ended"))
    })
}

/// Returns the id of a new conversation, which is named after the call.
pub(crate) async fn conversation(
    store: &dyn Store,
    context: &CallContext,
) -> Result<String, ToolError> {
    for name in conversations(context.conversation_id(), context.turn(), context.call_id()) {
        match store.head(&name).await {
            Ok(0) => return Ok(name),
            Ok(_) => {}
            Err(error) => {
                return Err(ToolError::new(format!("not started: {}", error_chain(&error))));
            }
        }
    }
    Err(ToolError::new(format!("not started: {MAX_ATTEMPTS} attempts at it are stored already")))
}

/// Returns the id of the conversation in which an earlier process ran the call, if one did.
pub(crate) async fn earlier_conversation(
    store: &dyn Store,
    context: &CallContext,
) -> Result<Option<String>, ToolError> {
    if !context.scope().is_repeated {
        return Ok(None);
    }
    let (outer, turn, id) = (context.conversation_id(), context.turn(), context.call_id());
    let name = last_conversation(store, outer, turn, id).await;
    name.map_err(|error| ToolError::new(format!("not continued: {}", error_chain(&error))))
}

/// Returns the arguments as a prompt: the text of the argument `first`, then the others with their
/// names.
pub(crate) fn prompt(args: ToolArgs<'_>, first: &str) -> Result<String, ToolError> {
    let members = members(args)?;
    let (asked, given): (Vec<_>, Vec<_>) = members.iter().partition(|member| member.key() == first);
    let mut parts: Vec<_> = asked.into_iter().map(text).collect();
    parts.extend(given.into_iter().map(|member| format!("{}:\n{}", member.key(), text(member))));
    let prompt = parts.join("\n\n");
    if prompt.trim().is_empty() {
        return Err(ToolError::new(format!("`{first}` is missing: say what is to be done")));
    }
    Ok(prompt)
}

/// Returns the arguments with their names.
pub(crate) fn members(args: ToolArgs<'_>) -> Result<Vec<CallMember<'_>>, ToolError> {
    Call::members(args.as_str())
        .map_err(|why| ToolError::new(format!("the arguments do not fit: {why}")))
}

/// Returns the characters of a string, and the JSON of any other value.
pub(crate) fn text(member: &CallMember<'_>) -> String {
    member.text().map_or_else(|| member.value().to_owned(), Into::into)
}
