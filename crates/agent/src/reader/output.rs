//! The output of a reader, for each operation of the accumulator.

use std::panic::{AssertUnwindSafe, catch_unwind};

use silcrow_accumulate::{Accumulator, Step};
use silcrow_event::Call;
use silcrow_plan::Plan;
use silcrow_tool::Toolbox;

use super::content::AnswerContent;
use crate::options::EagerStart;
use crate::outbox::Outbox;
use crate::sink::OutputSink;

/// The receiver of a reader's output.
pub(crate) struct ReaderOutput<'t, 's> {
    pub(crate) plan: &'t mut Plan,
    pub(crate) outbox: &'t mut Outbox,
    pub(crate) sink: &'t mut OutputSink<'s>,
}

impl ReaderOutput<'_, '_> {
    /// Runs an operation of the accumulator and puts everything that follows from it into the
    /// outbox: the accumulator's instructions, the plan's decisions, and the answers that waited
    /// for them.
    pub(super) fn run(
        &mut self,
        accumulator: &mut Accumulator,
        content: &mut AnswerContent,
        act: impl FnOnce(&mut Accumulator, &mut Plan, &mut dyn FnMut(Step<'_>)),
    ) {
        let Self { plan, outbox, sink } = self;
        act(accumulator, plan, &mut |step| content.apply(step, outbox, sink));
        loop {
            while let Some(decision) = plan.decide() {
                outbox.decision(decision);
            }
            // A call may fail when it starts, and an answer may exceed a limit.
            accumulator.report(plan, &mut |step| content.apply(step, outbox, sink));
            accumulator.resume(plan, &mut |step| content.apply(step, outbox, sink));
            if !plan.has_decisions() {
                return;
            }
        }
    }
}

/// Returns whether a call may start before its execution point (P-23).
pub(super) fn starts_early(call: &Call, eager: EagerStart, tools: &Toolbox) -> bool {
    match eager {
        EagerStart::Off => false,
        // The runner reports a policy that panics (P-27).
        EagerStart::ReadOnly => tools.get(call.name()).is_some_and(|tool| {
            catch_unwind(AssertUnwindSafe(|| tool.policy().may_start_early())).unwrap_or(false)
        }),
        EagerStart::All => true,
    }
}
