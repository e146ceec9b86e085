//! Any part of a control block.

use proptest::prelude::*;
use silcrow_event::{BlockMark, Call, ControlBlock, ControlKind, OnError, ParallelJoin};

use crate::any_event::duration;
use crate::question::text;

/// Returns any part of a block. `call` generates the calls in loops.
pub(crate) fn mark(call: impl Strategy<Value = Call>) -> impl Strategy<Value = BlockMark> {
    prop_oneof![
        block().prop_map(BlockMark::Begin),
        text().prop_map(|id| BlockMark::Otherwise { id }),
        call.prop_map(BlockMark::Template),
        text().prop_map(|id| BlockMark::End { id }),
    ]
}

fn block() -> impl Strategy<Value = ControlBlock> {
    let number = || prop_oneof![Just(5), Just(100), any::<u32>()].prop_map(|n| n as usize);
    let on_error = prop::sample::select(OnError::ALL.to_vec());
    let names = (text(), text(), prop::option::of(text()));
    let kind = prop_oneof![
        text().prop_map(|test| ControlKind::Choice { test }),
        (names, number(), number(), on_error).prop_map(
            |((items, item, index), max_parallel, limit, on_error)| ControlKind::ForEach {
                items,
                item,
                index,
                max_parallel,
                limit,
                on_error
            }
        ),
        (
            prop::sample::select(ParallelJoin::ALL.to_vec()),
            prop::option::of(number()),
            prop::option::of(duration())
        )
            .prop_map(|(join, max, timeout)| ControlKind::Parallel { join, max, timeout }),
        prop::option::of(duration()).prop_map(|timeout| ControlKind::Transaction { timeout }),
        text().prop_map(|expression| ControlKind::Value { expression }),
    ];
    (text(), kind, prop::option::of(text())).prop_map(|(id, kind, output_key)| ControlBlock {
        output_key,
        ..ControlBlock::new(id, kind)
    })
}
