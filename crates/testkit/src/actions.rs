//! A generator of turns of the dialect `action`.

use std::collections::HashSet;
use std::time::Duration;

use proptest::prelude::*;
use silcrow_event::{
    ActionAttributes, BlockMark, Call, CallKind, CallMode, Compensation, Event, Json, OnError,
    Respond,
};

use crate::blocks::{block_mark, nested};
use crate::wire::{args, content};

/// Generates a model's events of one turn of the dialect `action` in canonical form (L-4).
pub fn action_turn() -> impl Strategy<Value = Vec<Event>> {
    let respond = |(content, last)| Event::Respond(Respond { last, ..Respond::new(content) });
    let unit = prop_oneof![
        2 => content().prop_map(Event::think),
        2 => (content(), any::<bool>()).prop_map(respond),
        3 => call(),
        2 => block_mark(),
    ];
    prop::collection::vec(unit, 0..10).prop_map(|mut events| {
        let mut taken = HashSet::new();
        events.retain(|event| match event {
            Event::Call(call) => taken.insert(call.id().to_owned()),
            Event::Block(BlockMark::Begin(block)) => taken.insert(block.id.clone()),
            _ => true,
        });
        nested(events)
    })
}

fn call() -> impl Strategy<Value = Event> {
    let id = prop_oneof![2 => "[a-c][1-9]", 1 => "[ -~]{1,6}", 1 => content()];
    (id, content(), args(), action()).prop_map(|(id, name, args, action)| {
        let content = format!("{{\"name\":{},\"args\":{args}}}", Json::string(&name));
        let call = Call::parse(id, content).expect("it is a call");
        Event::Call(call.with_action(action))
    })
}

fn action() -> impl Strategy<Value = ActionAttributes> {
    (
        prop::sample::select(&CallKind::ALL[..]),
        prop::sample::select(&CallMode::ALL[..]),
        prop::collection::btree_set(content(), 0..3),
        prop::option::of(any::<String>()),
        prop::option::of((0..1_000_000_000_000_000_000_u64).prop_map(Duration::from_nanos)),
        prop::option::of(any::<u32>()),
        prop::option::of(prop::sample::select(&OnError::ALL[..])),
        (prop::option::of(compensation()), any::<bool>()),
    )
        .prop_map(|(kind, mode, depends_on, output_key, timeout, retry, on_error, more)| {
            let (compensate, show) = more;
            ActionAttributes {
                kind,
                mode,
                depends_on: depends_on.into_iter().collect(),
                output_key,
                timeout,
                retry,
                on_error,
                compensate,
                show,
                ..ActionAttributes::default()
            }
        })
}

fn compensation() -> impl Strategy<Value = Box<Compensation>> {
    (prop::sample::select(&CallKind::ALL[..]), content(), args()).prop_map(|(kind, name, args)| {
        Box::new(Compensation { kind, name, args: Json::parse(&args).expect("it is an object") })
    })
}
