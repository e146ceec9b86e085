//! Turns from arbitrary bytes, for fuzzing.

use std::time::Duration;

use silcrow_event::{
    ActionAttributes, BlockMark, Call, CallKind, CallMode, Compensation, ControlBlock, ControlKind,
    Event, Json, OnError,
};

use crate::blocks::nested;
use crate::cut::seed;

/// Returns a model's events of one turn in canonical form (L-4, P-15), made of arbitrary bytes.
///
/// The byte `0xff`, which does not occur in UTF-8, separates the events. The first byte of each
/// selects its kind, and the others are its content. A call's content is the whole call if it
/// parses as one, and otherwise a string in its arguments.
pub fn turn_from(bytes: &[u8]) -> Vec<Event> {
    let mut events = Vec::new();
    let mut calls = 0;
    let mut waits = false;
    for record in bytes.split(|byte| *byte == 0xff) {
        let Some((kind, content)) = record.split_first() else { continue };
        let content = String::from_utf8_lossy(content);
        let content = content.trim_matches([' ', '\t', '\r', '\n']);
        let event = match kind % 3 {
            0 if !content.is_empty() => Event::respond(content),
            1 if !content.is_empty() => Event::think(content),
            2 => {
                calls += 1;
                let id = format!("a{calls}");
                let wrapped = || {
                    let args = Json::string(content);
                    Call::parse(&id, format!("{{\"name\":\"t\",\"args\":{{\"a\":{args}}}}}"))
                };
                let call = Call::parse(&id, content).or_else(|_| wrapped());
                Event::Call(call.expect("a string is in it, whatever the content"))
            }
            _ => continue,
        };
        let is_call = matches!(event, Event::Call(_));
        if waits && !is_call {
            events.push(Event::Execute);
        }
        waits = is_call;
        events.push(event);
    }
    if waits {
        events.push(Event::Execute);
    }
    if bytes.len() % 2 == 1 {
        events.push(Event::End);
    }
    events
}

/// Returns a turn of the dialect `action` in the same way, with attributes that depend on the
/// content. Some thoughts become the beginnings of blocks, and some their ends.
pub fn action_turn_from(bytes: &[u8]) -> Vec<Event> {
    let mut blocks = 0;
    let events = turn_from(bytes).into_iter().filter_map(|event| match event {
        Event::Execute | Event::End => None,
        Event::Think(think) if is_test(&think.content) => {
            blocks += 1;
            Some(Event::Block(block_mark(blocks, think.content)))
        }
        Event::Respond(mut respond) => {
            respond.last = respond.content.len() % 2 == 0;
            Some(Event::Respond(respond))
        }
        Event::Call(call) => Some(Event::Call(action_call(&call))),
        other => Some(other),
    });
    nested(events.collect())
}

/// Returns whether a thought becomes a part of a block. It fits into an attribute.
fn is_test(content: &str) -> bool {
    content.len().is_multiple_of(3) && content.len() < 200 && !content.contains('\n')
}

fn block_mark(number: u32, test: String) -> BlockMark {
    let id = format!("b{number}");
    match test.len() % 4 {
        0 => BlockMark::End { id },
        1 => BlockMark::Otherwise { id },
        2 => BlockMark::Begin(ControlBlock::new(id, ControlKind::Value { expression: test })),
        _ => BlockMark::Begin(ControlBlock::new(id, ControlKind::Choice { test })),
    }
}

/// Returns the call with an id and attributes that depend only on the call. Its number makes the id
/// unique; its name may contain anything.
fn action_call(call: &Call) -> Call {
    let number = seed(call.content().as_bytes());
    let pick = |of: u64, from: u32| (number >> from) % of;
    let id = match pick(3, 0) {
        0 => call.id().to_owned(),
        _ => format!("{} {}", call.id(), call.name()),
    };
    let content = format!("{{\"name\":{},\"args\":{}}}", Json::string(call.name()), call.args());
    let action = ActionAttributes {
        kind: CallKind::ALL[pick(5, 2) as usize],
        mode: CallMode::ALL[pick(3, 5) as usize],
        depends_on: (0..pick(3, 7)).map(|n| format!("{n}{}", call.name())).collect(),
        output_key: (pick(2, 9) == 0).then(|| call.name().to_owned()),
        timeout: (pick(2, 10) == 0).then(|| Duration::from_micros(pick(1 << 20, 11))),
        retry: (pick(2, 31) == 0).then(|| pick(1 << 32, 32) as u32),
        on_error: (pick(2, 33) == 0).then(|| OnError::ALL[pick(3, 34) as usize]),
        compensate: (pick(4, 36) == 0).then(|| undoing(call)),
        show: pick(4, 38) == 0,
        ..ActionAttributes::default()
    };
    Call::parse(id, content).expect("it is one").with_action(action)
}

/// Returns a call that takes another one back, with the same name and arguments.
fn undoing(call: &Call) -> Box<Compensation> {
    let kind = CallKind::ALL[(seed(call.args().as_bytes()) % 5) as usize];
    let args = Json::parse(call.args()).expect("it is an object");
    Box::new(Compensation { kind, name: call.name().to_owned(), args })
}
