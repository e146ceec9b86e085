//! The loops that an earlier run left in the middle, and the turn in which one of them goes on (P-28,
//! P-30).
//!
//! A turn is a function of its text and of the outcomes of its calls, and the log has both. So the text
//! is written again from the events, and read like the text of a parked turn. This module decides
//! whether that is possible. It runs nothing.

use std::collections::BTreeSet;

use silcrow_event::{
    BlockMark, Call, CallResult, ControlKind, Entry, Event, Parked, Respond, ResultOrigin,
    ThoughtOrigin,
};
use silcrow_parser::{Dialect, Options, write};
use silcrow_store::{Error, imported};
use silcrow_tool::Toolbox;

use crate::log::Log;
use crate::marks::CallClaim;
use crate::questions::ParkedTurn;
use crate::recover::may_repeat;

/// Returns the last turn of a log, if an earlier run left it in the middle of a loop. Calls of the loop
/// that were started and whose tools may repeat them are started again.
pub(crate) async fn interrupted_turn(
    log: &Log<'_>,
    tools: &Toolbox,
    options: Options,
) -> Result<Option<ParkedTurn>, Error> {
    let turn = log.last_turn();
    let own: Vec<&Entry> = log.entries().iter().filter(|entry| entry.turn == Some(turn)).collect();
    let is_ours = options.dialect == Dialect::Action && can_go_on(&own);
    if !is_ours || unfinished_loops(own.iter().map(|entry| &entry.event)).is_empty() {
        return Ok(None);
    }
    let imported = imported::head(log.store(), log.conversation()).await?;
    if log.positioned().any(|(entry, at)| entry.turn == Some(turn) && at <= imported) {
        return Ok(None);
    }
    let mut inside = Vec::new();
    for call in open_instances(&own) {
        let fate = log.fate(turn, call.id()).await?;
        if fate == Some(CallClaim::Started) && may_repeat(call, tools) {
            inside.push(call.id().to_owned());
        }
    }
    let parked = Parked {
        wire: write(own.iter().map(|entry| &entry.event).filter(|event| is_text(event)), options),
        dialect: options.dialect.as_str().to_owned(),
        inline: options.inline,
        root: log.root().to_owned(),
        questions: Vec::new(),
        inside,
        families: Vec::new(),
    };
    Ok(Some(ParkedTurn { turn, parked, answers: Vec::new(), is_interrupted: true }))
}

/// Returns the results of the loops of a turn that do not go on.
pub(crate) fn results_of_unfinished<'e>(own: impl Iterator<Item = &'e Event>) -> Vec<CallResult> {
    let why = "interrupted: the run ended before the loop was over; the results of its items say \
               which ones are done";
    let result = |id| CallResult::framework_failure(id, Some("foreach"), "interrupted", why);
    unfinished_loops(own).into_iter().map(result).collect()
}

/// Returns the ids of the loops of a turn, without those in other loops, that are closed and have no
/// result.
fn unfinished_loops<'e>(own: impl Iterator<Item = &'e Event>) -> Vec<&'e str> {
    let (mut open, mut closed) = (Vec::new(), Vec::new());
    let mut ended = BTreeSet::new();
    for event in own {
        match event {
            Event::Block(BlockMark::Begin(block)) if block.kind.has_body() => {
                open.push((&*block.id, matches!(block.kind, ControlKind::ForEach { .. })));
            }
            Event::Block(BlockMark::End { .. }) => {
                let ended = open.pop();
                let is_inner = open.iter().any(|(_, is_loop)| *is_loop);
                closed.extend(ended.filter(|(_, is_loop)| *is_loop && !is_inner));
            }
            Event::Result(result) => ended.extend(result.id.as_deref()),
            _ => {}
        }
    }
    let is_unfinished = |(id, _): &(&str, bool)| !ended.contains(id);
    closed.into_iter().filter(is_unfinished).map(|(id, _)| id).collect()
}

/// Returns whether a turn was not stopped, and every call in it that cannot run has its result, so that
/// its text means the same again.
///
/// A turn that was stopped says so at its end. If its process died before that, calls were cancelled
/// and others were already taken back; the plan of a turn that goes on would start new ones instead.
fn can_go_on(own: &[&Entry]) -> bool {
    let is_undoing = |entry: &&Entry| match &entry.event {
        Event::Call(call) => call.action().is_some_and(|action| action.undoes.is_some()),
        _ => false,
    };
    let is_cancelled = |entry: &&Entry| match &entry.event {
        Event::Result(result) => {
            result.origin() == ResultOrigin::Framework
                && result.payload.as_ref().is_some_and(|it| it.summary == "cancelled")
        }
        _ => false,
    };
    if own.iter().any(is_undoing) && own.iter().any(is_cancelled) {
        return false;
    }
    let has_result = |id: &str| {
        let is_it = |entry: &&Entry| match &entry.event {
            Event::Result(result) => result.id.as_deref() == Some(id),
            _ => false,
        };
        own.iter().any(is_it)
    };
    own.iter().all(|entry| match &entry.event {
        Event::Cancelled { .. } | Event::Notice { .. } => false,
        Event::Respond(Respond { malformed: Some(id), .. }) => has_result(id),
        _ => true,
    })
}

/// Returns the instances of calls in loops that have no result.
fn open_instances<'e>(own: &[&'e Entry]) -> Vec<&'e Call> {
    let ended: BTreeSet<&str> = own
        .iter()
        .filter_map(|entry| match &entry.event {
            Event::Result(result) => result.id.as_deref(),
            _ => None,
        })
        .collect();
    let calls = own.iter().filter_map(|entry| match &entry.event {
        Event::Call(call) if call.is_instance() && !ended.contains(call.id()) => Some(call),
        _ => None,
    });
    calls.collect()
}

/// Returns whether the model wrote an event, and reads it again as it is.
fn is_text(event: &Event) -> bool {
    match event {
        Event::Think(think) => think.origin == ThoughtOrigin::Model,
        Event::Call(call) => !call.is_instance(),
        Event::Respond(_) | Event::Block(_) => true,
        _ => false,
    }
}
