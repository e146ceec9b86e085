//! A generator of control blocks, and of their nesting.

use std::time::Duration;

use proptest::prelude::*;
use silcrow_event::{BlockMark, ControlBlock, ControlKind, Event, OnError, ParallelJoin};

/// Generates parts of blocks in any order, for [`nested`]. The ids of ends and other bodies are
/// missing.
pub(crate) fn block_mark() -> impl Strategy<Value = Event> {
    let mark = prop_oneof![
        3 => block().prop_map(BlockMark::Begin),
        1 => Just(BlockMark::Otherwise { id: String::new() }),
        2 => Just(BlockMark::End { id: String::new() }),
    ];
    mark.prop_map(Event::Block)
}

/// Leaves out pieces that cannot be at their place, and closes open ones.
pub(crate) fn nested(events: Vec<Event>) -> Vec<Event> {
    // The id of each open block, and whether it may have another body.
    let mut open: Vec<(String, bool)> = Vec::new();
    let mut nested = Vec::with_capacity(events.len());
    for event in events {
        let event = match event {
            Event::Block(BlockMark::Begin(block)) => {
                if block.kind.has_body() && open.len() == MAX_DEPTH {
                    continue;
                }
                if block.kind.has_body() {
                    let is_choice = matches!(block.kind, ControlKind::Choice { .. });
                    open.push((block.id.clone(), is_choice));
                }
                Event::Block(BlockMark::Begin(block))
            }
            Event::Block(BlockMark::Otherwise { .. }) => match open.last_mut() {
                Some((id, may @ true)) => {
                    *may = false;
                    Event::Block(BlockMark::Otherwise { id: id.clone() })
                }
                _ => continue,
            },
            Event::Block(BlockMark::End { .. }) => match open.pop() {
                Some((id, _)) => Event::Block(BlockMark::End { id }),
                None => continue,
            },
            // It is reported in a block.
            Event::Respond(_) if !open.is_empty() => continue,
            event => event,
        };
        nested.push(event);
    }
    let ends = open.into_iter().rev().map(|(id, _)| Event::Block(BlockMark::End { id }));
    nested.extend(ends);
    nested
}

/// The maximum depth of nested blocks. A value does not count as a block.
const MAX_DEPTH: usize = 7;

fn block() -> impl Strategy<Value = ControlBlock> {
    let name = || "[a-z_][a-z0-9_]{0,3}";
    let count = |default: usize| prop_oneof![Just(default), 1..1000_usize];
    let kind = prop_oneof![
        expression().prop_map(|test| ControlKind::Choice { test }),
        (
            (expression(), name(), prop::option::of(name())),
            (count(ControlKind::MAX_PARALLEL), count(ControlKind::LIMIT)),
            prop::sample::select(vec![OnError::Fail, OnError::Skip]),
        )
            .prop_map(|((items, item, index), (max_parallel, limit), on_error)| {
                ControlKind::ForEach { items, item, index, max_parallel, limit, on_error }
            }),
        (
            prop::sample::select(ParallelJoin::ALL.to_vec()),
            prop::option::of(1..9_usize),
            prop::option::of((0..1_000_000_000_000_u64).prop_map(Duration::from_nanos)),
        )
            .prop_map(|(join, max, timeout)| ControlKind::Parallel { join, max, timeout }),
        prop::option::of((0..1_000_000_000_000_u64).prop_map(Duration::from_nanos))
            .prop_map(|timeout| ControlKind::Transaction { timeout }),
        expression().prop_map(|expression| ControlKind::Value { expression }),
    ];
    (expression(), kind, prop::option::of(name())).prop_map(|(id, kind, output_key)| ControlBlock {
        output_key: output_key.filter(|key| *key != id),
        ..ControlBlock::new(id, kind)
    })
}

/// Generates a value of an attribute: trimmed, not empty, and on one line.
fn expression() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => "[ -~]{1,6}",
        1 => prop::sample::select(vec![
            "<", ">", "&lt;", "&amp;lt;", "&", "\"", "'", "\\", "</if>", "<action>", "/>", "`", "é",
            "\t", "<!--",
        ])
        .prop_map(str::to_owned),
    ];
    let text = prop::collection::vec(piece, 1..5).prop_map(|pieces| pieces.concat());
    text.prop_map(|text| text.trim_matches([' ', '\t']).to_owned())
        .prop_filter("empty", |text| !text.is_empty())
}
