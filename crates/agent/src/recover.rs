use silcrow_event::{Entry, Event, Outcome};
use silcrow_store::Error;

use crate::log::Log;

/// The answers to the calls that an earlier run left open; stored, they make the history valid
/// again (P-28).
pub(crate) async fn recover(log: &Log<'_>) -> Result<Vec<Event>, Error> {
    let mut results = Vec::new();
    for open in open_calls(log.entries()) {
        let (summary, why) = if log.was_started(open.turn, &open.id).await? {
            (
                "interrupted: outcome unknown",
                "interrupted: the call was started and its outcome is unknown; it was not run again",
            )
        } else {
            ("not started", "not started: the run ended before this call began")
        };
        results.push(Event::Result(Outcome::failure(open.id, Some(&open.tool), summary, why)));
    }
    Ok(results)
}

/// A call without a result.
#[derive(Debug, PartialEq, Eq)]
struct Open {
    turn: u32,
    id: String,
    tool: String,
}

/// The calls behind the last result: results are stored with all of their batch.
fn open_calls(entries: &[Entry]) -> Vec<Open> {
    let answered = entries
        .iter()
        .rposition(|entry| matches!(entry.event, Event::Result(_) | Event::Batch(_)))
        .map_or(0, |last| last + 1);
    let open = |entry: &Entry| match &entry.event {
        Event::Call(call) => Some(Open {
            turn: entry.turn.unwrap_or_default(),
            id: call.id().to_owned(),
            tool: call.name().to_owned(),
        }),
        _ => None,
    };
    entries[answered..].iter().filter_map(open).collect()
}
