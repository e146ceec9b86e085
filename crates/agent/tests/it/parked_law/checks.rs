//! The checks on the log of a run that was parked and killed.

use std::collections::{BTreeMap, BTreeSet};

use silcrow_context::{ContextAssembler as _, ContextInput, FullHistory};
use silcrow_event::{Approval, ApprovalState, Call, CallResult, Entry, Event};
use silcrow_tool::ApprovalDecision;

use super::history::GivenAnswer;
use super::process::{Ran, Start, World};

/// The turn and the id of a call.
type CallKey = (u32, String);

/// Checks the log after any kill: each call has one result and started at most once, unless it
/// changes nothing; none ran that was not allowed before; no event of the model is stored twice;
/// and each answer was used, once.
pub(super) fn calls(world: &World, given: &[GivenAnswer]) {
    let entries = world.entries();
    let log = CallLog::read(&entries);
    for (key, results) in &log.results {
        assert_eq!(results.len(), 1, "the results of {key:?}: {results:?}\n{world}");
    }
    for key in log.calls.keys() {
        assert!(log.results.contains_key(key), "{key:?} has no result: {world}");
    }
    let mut started = BTreeSet::new();
    for start in world.starts() {
        let Start { turn, id, tool, is_allowed } = start;
        assert!(is_allowed, "{turn}/{id} ran without approval: {world}");
        let is_first = started.insert((turn, id.clone()));
        assert!(is_first || tool == "read", "{turn}/{id} ran twice: {world}");
    }
    let mut answered = BTreeSet::new();
    for entry in &entries {
        if let Event::Approval(Approval { id, state, .. }) = &entry.event
            && *state != ApprovalState::Asked
        {
            let key = (entry.turn.unwrap(), id.clone());
            let is_denied = *state == ApprovalState::Denied;
            assert!(!is_denied || !started.contains(&key), "{key:?} was denied: {world}");
            assert!(answered.insert(key), "{id} was answered twice: {world}");
        }
    }
    for (asked, decision) in given {
        let key = (asked.turn, asked.question.id.clone());
        let result = log.results[&key][0].content.text();
        match decision {
            ApprovalDecision::Deny(why) => {
                assert!(result.contains(&**why), "{key:?}, denied: {result}\n{world}");
            }
            // The kill may have come between the mark of its start and the start.
            _ if result.starts_with("interrupted") => {}
            _ => assert!(started.contains(&key), "{key:?}, allowed: {result}\n{world}"),
        }
    }
    let mut written = BTreeSet::new();
    for entry in entries.iter().filter(|entry| is_of_model(entry)) {
        let text = format!("{:?} {:?}", entry.turn, entry.event);
        assert!(written.insert(text), "{:?} is stored twice: {world}", entry.event);
    }
}

/// Checks that the log equals the log of the run that waited, except for the questions, and for the
/// numbers of turns that a kill left without an answer.
pub(super) fn same(world: &World, held: &[Entry]) {
    let entries = numbered(world.entries());
    let read = |entries: &[Entry]| {
        let input = ContextInput::new(entries, world.script.dialect);
        let messages = FullHistory.assemble(&input).into_iter();
        messages.map(|message| without_reasons(&message.text())).collect::<Vec<_>>()
    };
    assert_eq!(read(&entries), read(held), "{world}");
    let results = |entries: &[Entry]| {
        let results = CallLog::read(entries).results.into_iter();
        let results = results.map(|(key, results)| (key, without_reasons(&format!("{results:?}"))));
        results.collect::<Vec<_>>()
    };
    assert_eq!(results(&entries), results(held), "{world}");
    let answers = |entries: &[Entry]| {
        let answers = entries.iter().filter(|entry| matches!(entry.event, Event::Respond(_)));
        answers.map(|entry| (entry.turn, entry.event.clone())).collect::<Vec<_>>()
    };
    assert_eq!(answers(&entries), answers(held), "{world}");
    let numbers = numbers(&world.entries());
    let started = world.starts().into_iter().map(|start| (numbers[&start.turn], start.id));
    let started: BTreeSet<_> = started.collect();
    let ran = |(key, results): (_, Vec<CallResult>)| Some(key).filter(|_| has_run(&results[0]));
    let ran: BTreeSet<_> = CallLog::read(held).results.into_iter().filter_map(ran).collect();
    assert_eq!(started, ran, "{world}");
}

/// Checks that the last process showed the whole of the last answer.
pub(super) fn same_text(world: &World, last: &Ran, held: &[Entry], holding: &Ran) {
    let text = |ran: &Ran, entries: &[Entry]| {
        let turn = entries.iter().filter_map(|entry| entry.turn).max();
        let of_last = ran.text.iter().filter(|(of, _)| Some(*of) == turn);
        of_last.map(|(_, text)| &**text).collect::<String>()
    };
    assert_eq!(text(last, &world.entries()), text(holding, held), "{world}");
}

/// Returns whether a kill left a call whose outcome is unknown or that nobody will start, or a turn
/// of which a part is missing that nobody will read again.
pub(super) fn is_broken_off(world: &World, held: &[Entry]) -> bool {
    let entries = world.entries();
    let (log, numbers) = (CallLog::read(&entries), numbers(&entries));
    let open = log.calls.iter().filter(|(key, _)| !log.results.contains_key(*key));
    let is_lost = |((turn, id), call): (&CallKey, &Call)| match world.has_start_mark(*turn, id) {
        true => !is_repeatable(call),
        false => !log.parked.contains(turn),
    };
    let of_turn = |entries: &[Entry], turn: u32| {
        let mut own: Vec<_> = entries
            .iter()
            .filter(|entry| entry.turn == Some(turn) && is_of_answer(entry))
            .map(|entry| format!("{:?}", entry.event))
            .collect();
        own.sort_unstable();
        own
    };
    let is_cut = numbers.last_key_value().is_some_and(|(last, number)| {
        !log.parked.contains(last) && of_turn(&entries, *last) != of_turn(held, *number)
    });
    is_cut || open.into_iter().any(is_lost)
}

/// Returns the turns with an answer, and their numbers where no other turns are counted.
fn numbers(entries: &[Entry]) -> BTreeMap<u32, u32> {
    let answered = entries.iter().filter(|entry| is_of_answer(entry));
    let turns: BTreeSet<u32> = answered.filter_map(|entry| entry.turn).collect();
    turns.into_iter().zip(1..).collect()
}

/// Returns the entries of the turns with an answer, with those numbers.
fn numbered(mut entries: Vec<Entry>) -> Vec<Entry> {
    let numbers = numbers(&entries);
    for entry in &mut entries {
        entry.turn = entry.turn.map(|turn| numbers.get(&turn).copied().unwrap_or(1));
    }
    entries
}

/// Returns whether a call may be run again whose outcome is unknown.
fn is_repeatable(call: &Call) -> bool {
    let waits = call.action().is_some_and(|action| !action.depends_on.is_empty());
    call.name() == "read" && !waits && !call.args().contains('$')
}

fn is_of_model(entry: &Entry) -> bool {
    matches!(entry.event, Event::Call(_) | Event::Respond(_) | Event::Think(_))
}

/// Returns whether an entry is part of an answer or about it, and not about the calls in it.
fn is_of_answer(entry: &Entry) -> bool {
    is_of_model(entry) || matches!(entry.event, Event::Notice { .. })
}

/// Returns a text without the names of the calls for which others were skipped: of several that
/// failed, the first one is named.
fn without_reasons(text: &str) -> String {
    let mut parts = text.split("it waits for `");
    let first = parts.next().into_iter();
    first.chain(parts.map(|part| part.split_once('"').map_or("", |(_, rest)| rest))).collect()
}

/// Returns whether this is the result of a call that ran.
fn has_run(result: &CallResult) -> bool {
    let text = result.content.text();
    text.starts_with('[') || text.starts_with("failed: ")
}

/// The calls of a log.
#[derive(Default)]
struct CallLog {
    calls: BTreeMap<CallKey, Call>,
    results: BTreeMap<CallKey, Vec<CallResult>>,
    /// The turns whose text is stored, so that it can be read again.
    parked: BTreeSet<u32>,
}

impl CallLog {
    fn read(entries: &[Entry]) -> Self {
        let mut log = Self::default();
        for entry in entries {
            let Some(turn) = entry.turn else { continue };
            match &entry.event {
                Event::Call(call) => {
                    log.calls.insert((turn, call.id().to_owned()), call.clone());
                }
                Event::Result(result) => {
                    let key = (turn, result.id.clone().unwrap_or_default());
                    log.results.entry(key).or_default().push(result.clone());
                }
                Event::Parked(_) => {
                    log.parked.insert(turn);
                }
                _ => {}
            }
        }
        log
    }
}
