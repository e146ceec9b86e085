//! The results that a summary shortens, kept where the model can read them again.
//!
//! The log has all of them, but a model reads files. So a spill keeps these outputs like long ones,
//! before a request leaves them out. The summary has their names, so that the same log gives the
//! same requests.

use std::collections::BTreeMap;
use std::time::Duration;

use silcrow_context::shortened_results;
use silcrow_event::{CallResult, ContextSummary, Entry, Event, KeptOutput};
use silcrow_tool::{CallContext, Scope, Spill};
use tokio::time::timeout;

use crate::parts::AgentParts;

/// Keeps the results that a new summary shortens, and returns the summary with their names. A result
/// that cannot be kept has none. `entries` are those before the summary.
pub(crate) async fn keep_outputs(
    parts: &AgentParts,
    scope: &Scope,
    entries: &[Entry],
    mut summary: ContextSummary,
) -> ContextSummary {
    let Some(spill) = &parts.spill else { return summary };
    let mut kept = earlier(entries);
    summary.outputs.clear();
    for (turn, result) in shortened_results(entries, &summary) {
        let id = result.id.as_deref().unwrap_or_default();
        let name = match kept.remove(&(turn, id)) {
            Some(name) => Some(name.to_owned()),
            None => keep(spill, scope, turn, id, result).await,
        };
        summary.outputs.extend(name.map(|name| KeptOutput { turn, id: id.to_owned(), name }));
    }
    summary
}

/// Returns the names that the last summary has.
fn earlier(entries: &[Entry]) -> BTreeMap<(u32, &str), &str> {
    let outputs = entries.iter().rev().find_map(|entry| match &entry.event {
        Event::Summary(summary) => Some(&summary.outputs),
        _ => None,
    });
    let outputs = outputs.into_iter().flatten();
    outputs.map(|kept| ((kept.turn, &*kept.id), &*kept.name)).collect()
}

/// Keeps the part of a result that the model has read, without secrets, and returns its name.
async fn keep(
    spill: &dyn Spill,
    scope: &Scope,
    turn: u32,
    id: &str,
    result: &CallResult,
) -> Option<String> {
    let content = result.content.text();
    let text = match result.truncated() {
        Some(truncated) if truncated.tail.is_some() => truncated.join(&content),
        _ => content.into_owned(),
    };
    let text = scope.secrets.mask(&text);
    let context = CallContext::new(scope.clone().with_turn(turn), id);
    // A disk that hangs does not delay the next request for long.
    timeout(MOST, spill.keep(&context, &text)).await.ok()?.ok()
}

/// The time limit for keeping one result.
const MOST: Duration = Duration::from_secs(10);
