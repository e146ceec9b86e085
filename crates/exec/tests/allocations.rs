//! A very long output takes no more memory than its tool allocated.

use std::alloc::System;
use std::sync::{Arc, Mutex};

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use silcrow_event::Call;
use silcrow_exec::{CallUpdate, Runner, RunnerLimits};
use silcrow_plan::{Plan, PlanDecision};
use silcrow_tool::{CallContext, DenyAll, Spill, Tool, ToolArgs, ToolError, ToolOutput, Toolbox};
use stats_alloc::{INSTRUMENTED_SYSTEM, StatsAlloc};

/// Counting needs an allocator, and writing one needs unsafe code, which is forbidden here.
#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// The length of the output in bytes: many times the allocation that is allowed for it.
const FLOOD: usize = 64 << 20;

/// This is the only test of its program, because the count is for the whole process.
#[tokio::test]
async fn a_flood_is_not_copied() {
    for (fails, kept) in [(false, false), (true, false), (false, true), (true, true)] {
        let given = Arc::new(Mutex::new(0));
        let mut tools = Toolbox::new();
        tools.add(Flood { fails, given: Arc::clone(&given) }).unwrap();
        let mut runner = Runner::new(Arc::new(tools), Arc::new(DenyAll));
        if kept {
            runner = runner.with_spill(Arc::new(Length));
        }
        let mut plan = Plan::new();
        plan.push(Call::parse("a1", r#"{"name":"flood"}"#).unwrap());
        plan.reach_execution_point();
        let Some(PlanDecision::Start(ready)) = plan.decide() else { panic!() };
        runner.start(ready);
        let Some(CallUpdate::Ended(ended)) = runner.next().await else { panic!() };
        let taken = ALLOCATOR.stats().bytes_allocated - *given.lock().unwrap();
        let cap = RunnerLimits::default().output_cap;
        assert!(taken < 10 * cap, "{taken} bytes on top of what the tool gave");
        let cut = ended.outcome.truncated().unwrap();
        let length = ended.outcome.content.text().len() + cut.tail.as_ref().unwrap().len();
        assert_eq!(length, cap);
        assert_eq!(cut.full_output.is_some(), kept);
    }
}

/// A tool with a very long output that records the allocations at its return.
struct Flood {
    fails: bool,
    given: Arc<Mutex<usize>>,
}

impl Tool for Flood {
    fn name(&self) -> &str {
        "flood"
    }
    fn description(&self) -> &str {
        "Gives very much."
    }
    fn schema(&self) -> &str {
        "{}"
    }
    fn call<'a>(
        &'a self,
        _: ToolArgs<'a>,
        _: &'a CallContext,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        async {
            let (summary, text) = ("x".repeat(FLOOD), "x".repeat(FLOOD));
            *self.given.lock().unwrap() = ALLOCATOR.stats().bytes_allocated;
            if self.fails { Err(ToolError::new(text)) } else { Ok(ToolOutput::new(summary, text)) }
        }
        .boxed()
    }
}

/// A spill that keeps only the length of a text.
struct Length;

impl Spill for Length {
    fn keep<'a>(
        &'a self,
        _: &'a CallContext,
        text: &'a str,
    ) -> BoxFuture<'a, Result<String, ToolError>> {
        async { Ok(format!("{} bytes", text.len())) }.boxed()
    }
}
