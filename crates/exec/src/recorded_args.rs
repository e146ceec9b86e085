//! The arguments with which the actions of a log ran, with outputs in place of names (P-26).
//!
//! A turn is a function of the model's text and of the results of its calls, and the log has both:
//! a plan gets them again in the order of the log, and returns the calls that it would start. This
//! module runs nothing.

use std::collections::HashMap;

use silcrow_event::{BlockMark, Entry, Event};
use silcrow_plan::{Plan, PlanDecision};

/// The arguments of calls, by turn and id.
pub(crate) type RecordedArgs = HashMap<(Option<u32>, String), String>;

/// Returns the arguments of every action of a log that its plan starts, also of those in blocks.
pub(crate) fn recorded_args(log: &[Entry]) -> RecordedArgs {
    let mut turns: HashMap<Option<u32>, Plan> = HashMap::new();
    let mut args = RecordedArgs::new();
    for entry in log {
        let plan = match &entry.event {
            Event::Call(call) if call.action().is_none() => continue,
            Event::Call(_) | Event::Block(_) => turns.entry(entry.turn).or_default(),
            Event::Result(_) => match turns.get_mut(&entry.turn) {
                Some(plan) => plan,
                None => continue,
            },
            _ => continue,
        };
        match &entry.event {
            // The plan makes the instances.
            Event::Call(call) if call.is_instance() => {}
            Event::Call(call) | Event::Block(BlockMark::Template(call)) => plan.push(call.clone()),
            Event::Block(BlockMark::Begin(block)) => plan.open_block(block.clone()),
            Event::Block(BlockMark::Otherwise { .. }) => plan.otherwise(),
            Event::Block(BlockMark::End { .. }) => plan.close_block(),
            Event::Result(result) => {
                if let Some(id) = &result.id {
                    plan.finish(id, result.clone());
                }
            }
            _ => {}
        }
        note(plan, entry.turn, &mut args);
    }
    args
}

/// Notes the calls that a plan starts.
fn note(plan: &mut Plan, turn: Option<u32>, args: &mut RecordedArgs) {
    loop {
        while plan.next_update().is_some() {}
        let Some(decision) = plan.decide() else { return };
        if let PlanDecision::Start(ready) = decision {
            args.insert((turn, ready.id().to_owned()), ready.args().to_owned());
        }
    }
}
