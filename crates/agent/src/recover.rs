use std::collections::{BTreeMap, BTreeSet};

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use silcrow_event::{Call, Entry, Event, Outcome};
use silcrow_store::Error;

use crate::inner;
use crate::log::Log;

/// The answers to the calls that an earlier run left open, by turn; stored, they make the history
/// valid again (P-28). What such a call ran in a conversation of its own is answered there, too.
pub(crate) async fn recover(log: &Log<'_>) -> Result<Vec<(u32, Event)>, Error> {
    let mut results = Vec::new();
    for (turn, call) in open_calls(log.entries()) {
        let (summary, why) = if log.was_started(turn, call.id()).await? {
            inside(log, turn, call.id()).await?;
            (
                "interrupted: outcome unknown",
                "interrupted: the call was started and its outcome is unknown; it was not run again",
            )
        } else {
            ("not started", "not started: the run ended before this call began")
        };
        let outcome = Outcome::failure(call.id(), Some(call.name()), summary, why);
        results.push((turn, Event::Result(outcome)));
    }
    Ok(results)
}

/// Answers what is open in the conversations of a call, and in those of its calls.
fn inside<'a>(outer: &'a Log<'_>, turn: u32, id: &'a str) -> BoxFuture<'a, Result<(), Error>> {
    async move {
        for name in inner::conversations(outer.conversation(), turn, id) {
            let mut log = Log::read(outer.store(), &name, outer.user()).await?;
            if log.entries().is_empty() {
                break;
            }
            // Another user's has the name by chance, or on purpose.
            if log.owned().is_err() {
                continue;
            }
            for (turn, result) in recover(&log).await? {
                log.append(turn, vec![result]).await?;
            }
        }
        Ok(())
    }
    .boxed()
}

/// The calls without a result, and their turns.
fn open_calls(entries: &[Entry]) -> Vec<(u32, &Call)> {
    let mut answered: BTreeMap<u32, BTreeSet<&str>> = BTreeMap::new();
    // Results without ids answer all of their turn: they were stored together.
    let mut closed = BTreeSet::new();
    for entry in entries {
        let turn = entry.turn.unwrap_or_default();
        match &entry.event {
            Event::Result(Outcome { id: Some(id), .. }) => {
                answered.entry(turn).or_default().insert(id);
            }
            Event::Result(_) | Event::Batch(_) => {
                closed.insert(turn);
            }
            _ => {}
        }
    }
    let open = |entry: &'_ &Entry| {
        let turn = entry.turn.unwrap_or_default();
        let Event::Call(call) = &entry.event else { return false };
        !closed.contains(&turn) && !answered.get(&turn).is_some_and(|ids| ids.contains(call.id()))
    };
    let calls = entries.iter().filter(open).filter_map(|entry| match &entry.event {
        Event::Call(call) => Some((entry.turn.unwrap_or_default(), call)),
        _ => None,
    });
    calls.collect()
}
