//! The remains of a workflow that an earlier process ran: open calls, and unfinished transactions.
//!
//! This module stores their results.

use std::sync::Arc;

use silcrow_event::{Event, error_chain};
use silcrow_store as store;
use silcrow_tool::{CallContext, Scope, ToolError, Toolbox};

use crate::current_tools::CurrentTools;
use crate::inner;
use crate::log::Log;
use crate::parts::AgentParts;
use crate::questions::{ParkedTurn, parked_turns};
use crate::recover::recover;
use crate::rollback::UnfinishedRollback;

/// Takes back the changes of an earlier process in the transactions of a workflow that is not run
/// again (P-32). Returns their outcomes.
pub(super) async fn finish(
    parts: &AgentParts,
    mut scope: Scope,
    context: &CallContext,
) -> Result<Option<String>, ToolError> {
    let Some(name) = inner::earlier_conversation(&*parts.store, context).await? else {
        return Ok(None);
    };
    scope.conversation = Some(name);
    let hold = parts.store.hold(scope.conversation_id()).await.map_err(|error| unstored(&error))?;
    let finished = finish_held(parts, &scope).await.map_err(|error| unstored(&error));
    hold.release().await;
    finished
}

async fn finish_held(parts: &AgentParts, scope: &Scope) -> Result<Option<String>, store::Error> {
    let mut log = Log::open(parts, scope).await?;
    let mut tools = CurrentTools::new(parts);
    tools.read(parts).await;
    recover_calls(&mut log, tools.all(), scope).await?;
    roll_back(parts, tools.all(), scope, &mut log).await
}

/// Ends the calls that an earlier process left open in a workflow whose steps have changed since.
/// Returns the outcomes of its transactions.
pub(super) async fn end_changed(
    parts: &AgentParts,
    tools: &Arc<Toolbox>,
    scope: &Scope,
    log: &mut Log<'_>,
) -> Result<Option<String>, store::Error> {
    end_open(log, tools, &[], scope).await?;
    roll_back(parts, tools, scope, log).await
}

async fn roll_back(
    parts: &AgentParts,
    tools: &Arc<Toolbox>,
    scope: &Scope,
    log: &mut Log<'_>,
) -> Result<Option<String>, store::Error> {
    let mut reports = Vec::new();
    for rollback in UnfinishedRollback::find(log, &[]).await? {
        let mut rollback = rollback.begin(parts, tools, scope, log);
        while let Some(events) = rollback.next().await {
            log.append(TURN, events).await?;
        }
        reports.extend(rollback.into_report());
    }
    Ok((!reports.is_empty()).then(|| reports.join("; ")))
}

/// Gives results to the calls that an earlier process started and did not finish, and returns those
/// that wait for answers.
pub(super) async fn recover_calls(
    log: &mut Log<'_>,
    tools: &Toolbox,
    scope: &Scope,
) -> Result<Vec<ParkedTurn>, store::Error> {
    let parked = parked_turns(log).await?;
    end_open(log, tools, &parked, scope).await?;
    Ok(parked)
}

async fn end_open(
    log: &mut Log<'_>,
    tools: &Toolbox,
    parked: &[ParkedTurn],
    scope: &Scope,
) -> Result<(), store::Error> {
    for (turn, open) in recover(log, tools, parked, Some(scope)).await? {
        let results = open.iter().map(|open| Event::Result(open.outcome()));
        log.append(turn, results.collect()).await?;
    }
    Ok(())
}

pub(super) fn unstored(error: &store::Error) -> ToolError {
    ToolError::new(format!("the workflow cannot continue: {}", error_chain(error)))
}

/// The turn of all calls of a workflow.
pub(super) const TURN: u32 = 1;
