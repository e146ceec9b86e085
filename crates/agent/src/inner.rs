//! What agents and workflows have in common that a call runs.

use silcrow_event::{Call, CallMember};
use silcrow_exec::{AgentPermit, Budget, CallContext, ToolArgs, ToolError};
use silcrow_store::Store;

use crate::agent::Agent;
use crate::fitting::fitting_to;

/// The agent of a call of `name`, below those around it, unless that is too deep for it or its name
/// is no part of a path.
pub(crate) fn below(context: &CallContext, name: &str, agent: Agent) -> Result<Agent, ToolError> {
    if name.contains('/') {
        let why = format!("`{name}` cannot be started: a name with `/` would read as a path");
        return Err(ToolError::new(why));
    }
    let (around, max) = (context.path(), agent.max_depth);
    if around.len() >= max {
        return Err(ToolError::new(format!(
            "`{name}` was not started: it would be the {}th within each other ({}), and {max} \
             is the limit; do it without it",
            around.len() + 1,
            around.join("/"),
        )));
    }
    let user = context.user().map(str::to_owned);
    let budget = context.budget().cloned();
    let budget = Some(budget.unwrap_or_else(|| Budget::new(agent.budget_limits)));
    Ok(Agent { path: [around, &[name.to_owned()]].concat(), user, budget, ..agent })
}

/// Counts the agent or workflow `name` as running, unless too many are.
pub(crate) fn enter(agent: &Agent, name: &str) -> Result<Option<AgentPermit>, ToolError> {
    let entered = agent.budget.as_ref().map(Budget::enter).transpose();
    entered.map_err(|exhausted| {
        ToolError::new(format!("`{name}` was not started: {exhausted}; call it when one has ended"))
    })
}

/// A new conversation, named after the call.
pub(crate) async fn conversation(
    store: &dyn Store,
    context: &CallContext,
) -> Result<String, ToolError> {
    for name in conversations(context.conversation(), context.turn(), context.call()) {
        match store.head(&name).await {
            Ok(0) => return Ok(name),
            Ok(_) => {}
            Err(error) => return Err(ToolError::new(format!("not started: {error}"))),
        }
    }
    Err(ToolError::new(format!("not started: {MAX_ATTEMPTS} attempts at it are stored already")))
}

/// What the conversations of a call are named: one for each attempt at it.
pub(crate) fn conversations(
    conversation: &str,
    turn: u32,
    id: &str,
) -> impl Iterator<Item = String> + Send + use<> {
    let name = fitting_to(MAX_NAME, format!("{conversation}/{turn}/{id}"));
    (1..=MAX_ATTEMPTS).map(move |attempt| match attempt {
        1 => name.clone(),
        _ => format!("{name}~{attempt}"),
    })
}

/// Attempts at one call that have conversations of their own.
const MAX_ATTEMPTS: u32 = 100;

/// Bytes of a name before the number of its attempt: the longest id of a person's conversation, the
/// `/` behind it and a hash fit, so that it is always known which conversation a call was in.
const MAX_NAME: usize = 240;

/// Bytes of a name with the number of its attempt. Spaces of values are named after it.
pub(crate) const MAX_ID: usize = MAX_NAME + "~100".len();

/// What is asked: the text of `first`, and the other arguments by name.
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

pub(crate) fn members(args: ToolArgs<'_>) -> Result<Vec<CallMember<'_>>, ToolError> {
    Call::members(args.as_str())
        .map_err(|why| ToolError::new(format!("the arguments do not fit: {why}")))
}

/// The characters of a string, any other value's JSON.
pub(crate) fn text(member: &CallMember<'_>) -> String {
    member.text().map_or_else(|| member.value().to_owned(), Into::into)
}
