//! Drafts: final responses beside calls that failed (P-35).
//!
//! The model wrote such a response before the call failed. This module decides from the stored
//! events of a turn, so that a run that continues a log decides the same.

use silcrow_event::{BlockMark, Call, CallMode, Event, OnError, ResultOrigin, ResultStatus};
use silcrow_parser::{Fragment, Options, Parser};
use silcrow_plan::SKIPPED;

/// Returns the id of the first call or block of a turn of actions beside which a final response is a
/// draft. `own` are the events of the turn.
///
/// The end of a block says whether a failure in it counts: a loop may skip it, and a parallel block may
/// not need the call.
pub(crate) fn failed_call<'e>(own: impl Iterator<Item = &'e Event> + Clone) -> Option<&'e str> {
    let mut depth = 0_usize;
    let outer: Vec<&str> = own
        .clone()
        .filter_map(|event| match event {
            Event::Block(BlockMark::Begin(block)) => {
                depth += usize::from(block.kind.has_body());
                let is_outer = depth == usize::from(block.kind.has_body());
                is_outer.then_some(&*block.id)
            }
            Event::Block(BlockMark::End { .. }) => {
                depth = depth.saturating_sub(1);
                None
            }
            Event::Call(call) if call.action().is_some() => {
                (depth == 0 && !call.is_instance() && !is_excused(call)).then(|| call.id())
            }
            _ => None,
        })
        .collect();
    own.filter_map(failed_id).find(|id| outer.contains(id))
}

/// Returns the id of a call that did not succeed. One that was skipped waits for another one, whose
/// own end counts.
fn failed_id(event: &Event) -> Option<&str> {
    let Event::Result(result) = event else { return None };
    let is_skipped = result.origin() == ResultOrigin::Framework
        && result.payload.as_ref().is_some_and(|payload| payload.summary == SKIPPED);
    let has_failed = result.status() == ResultStatus::Failure && !is_skipped;
    has_failed.then_some(result.id.as_deref()).flatten()
}

/// Returns whether a response stands beside this call although it fails.
fn is_excused(call: &Call) -> bool {
    call.action().is_some_and(|action| {
        action.mode == CallMode::FireAndForget || action.on_error == Some(OnError::Skip)
    })
}

/// Returns the beginning of the first call in a thought, which would have run outside of it.
pub(crate) fn thought_call(event: &Event, options: Options) -> Option<String> {
    if let Event::Think(think) = event { first_call(&think.content, options) } else { None }
}

/// Returns the beginning of the first call in a text at a place where nothing runs.
pub(crate) fn first_call(text: &str, options: Options) -> Option<String> {
    let (mut parser, mut found) = (Parser::new(options), None);
    let mut take = |fragment: Fragment<'_>| {
        if let Fragment::Call(call) = fragment {
            found.get_or_insert_with(|| call.content().chars().take(SHOWN).collect());
        }
    };
    parser.push(text, &mut take);
    parser.finish(&mut take);
    found
}

/// The number of characters of a call that are shown.
const SHOWN: usize = 80;
